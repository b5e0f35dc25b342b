"""The headings under which LMSs list students, in many languages."""

from __future__ import annotations

from autograder.gradebook.name_keys import fold, words
from autograder.gradebook.roster import GITHUB, LMS_USER_ID

#: The scope of the numbers that a school gives in Brightspace; its downloads have numbers of its own.
ORG_DEFINED_ID = "orgdefinedid"
#: A heading of GitHub Classroom's roster, whose "identifier" is mostly a name.
GITHUB_USERNAME = "github username"
#: Headings under which LMSs list a student's ID or user name, most reliable first.
ID_HEADINGS = (
    *("id", "sis login id", "username", "id number", "sis user id", "email address"),
    *("student id", "sid", "orgdefinedid", "identifier", "full name", "name", "student"),
)
#: Heading -> the scopes of `Person.numbers` that its numbers may be; {} is the assignment.
NUMBERS = {
    "id": ("canvas", "moodle {}", LMS_USER_ID),
    "user id": ("canvas", "brightspace", LMS_USER_ID),
    "lms user id": (LMS_USER_ID, "canvas", "brightspace"),
    "identifier": ("moodle {}",),
    GITHUB_USERNAME: (GITHUB,),
    "orgdefinedid": (ORG_DEFINED_ID,),
    "org defined id": (ORG_DEFINED_ID,),
    "sid": ("gradescope",),
    "student id": ("gradescope", "sakai"),
    "display id": ("sakai",),
    "username": ("sakai",),
}
FULL = {
    *("student", "student name", "full name", "fullname", "name", "display name", "learner"),
    *("vollstandiger name", "nom complet", "nombre completo", "volledige naam", "nome completo"),
    *("imie i nazwisko", "cele jmeno", "cele meno", "teljes nev", "fulde navn", "koko nimi"),
    *("полное имя", "姓名", "氏名"),
}
FIRST = {
    *("first name", "firstname", "given name", "given names", "vorname", "prenom", "nombre"),
    *("voornaam", "nome", "imie", "krestni jmeno", "jmeno", "krstne meno", "keresztnev", "prenume"),
    *("fornamn", "fornavn", "etunimi", "eesnimi", "vardas", "vards", "ime", "adi", "ad"),
    *map(fold, ("имя", "име", "ім'я", "όνομα", "名", "이름")),
}
LAST = {
    *("last name", "lastname", "surname", "family name", "nachname", "nom de famille", "nom"),
    *("apellido s", "apellidos", "apellido", "achternaam", "cognome", "cognoms", "apelido s"),
    *("apelidos", "apelido", "sobrenome", "nazwisko", "prijmeni", "priezvisko", "vezeteknev"),
    *("nume", "efternamn", "efternavn", "etternavn", "sukunimi", "perekonnanimi", "pavarde"),
    *("uzvards", "prezime", "priimek", "soyadi", "soyad"),
    *map(fold, ("фамилия", "прізвище", "презиме", "επώνυμο", "姓", "성")),
}
#: The last name beside another first name, and the first name beside another last name.
EITHER = "nom"
#: Headings of user names and of email addresses.
LOGINS = ("username", "user name", "login", "login id", GITHUB_USERNAME, "benutzername")
EMAILS = (
    *("email", "email address", "e mail", "e mail adresse", "e mail address", "mail"),
    *("endereco de email", "endereco de e mail", "direccion de correo", "adresse de courriel"),
    *("adresse e mail", "indirizzo email", "e mailadres"),
)
#: What may head the column with the times, the most certain first.
TIMES = (
    *("last modified submission", "submission time", "submitted at", "submitted"),
    *("submission date", "zuletzt geandert abgabe", "abgabezeit", "abgabezeitpunkt"),
    *("abgabedatum", "abgegeben am", "eingereicht am", "derniere modification travail remis"),
    *("date de remise", "ultima modificacion entrega", "fecha de entrega"),
    *("ultima modifica consegna", "data consegna", "laatst gewijzigd inzending"),
    *("time", "timestamp", "date", "zeitpunkt", "zeit", "datum"),
)
#: What may head the column with the group, and that with the extension.
GROUPS = ("group name", "group", "team", "team name", "gruppe")
EXTENSIONS = ("extension", "extend", "until", "days", "more time")
#: What may head a column that says who a row is about.
IDENTIFYING = {
    *(*ID_HEADINGS, *NUMBERS, *LOGINS, *EMAILS, *FULL, *FIRST, *LAST),
    *("canvas user id", "matrikelnummer", "student number"),
}
#: What may head a column of a table of times, groups or extensions.
KNOWN = {*IDENTIFYING, *TIMES, *GROUPS, *EXTENSIONS, "assignment"}


def heading_words(heading: str) -> str:
    """Return a heading in the form in which headings are compared."""
    return " ".join(words(heading))
