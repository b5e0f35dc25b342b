"""The time of a submission is known only where the LMS, a repository or a table gives it."""

import datetime
import subprocess

import pytest
from babel.dates import format_date
from click.testing import CliRunner
from downloads import NAME, archive, notebook

from autograder.classroom.collect import collect
from autograder.classroom.console_tables import collected_lines
from autograder.classroom.date_parsing import LANGUAGES, in_iso_order
from autograder.classroom.enrolment import enrol
from autograder.classroom.git_submissions import prefix_of
from autograder.cli import main
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.deadlines import extend, set_due_date
from autograder.gradebook.late_penalties import submission_time
from autograder.gradebook.timestamps import read_date, read_span, stored

DOWNLOAD = (2026, 10, 23, 9, 0, 0)


def stamps(course):
    found = course.root.glob(f"submitted/*/{NAME}/timestamp.txt")
    return {path.parent.parent.name: path.read_text() for path in found}


def collected(course, tmp_path, files, **options):
    made = {
        name: (notebook(course, name), date) if date else notebook(course, name)
        for name, date in files.items()
    }
    return collect(course, NAME, archive(tmp_path / "all.zip", made), **options)


def test_the_date_of_canvas_download_is_no_time_and_said_so(small_course, tmp_path):
    files = dict.fromkeys(("ada_1_11_07.ipynb", "bob_LATE_2_12_07.ipynb"), DOWNLOAD)
    result = collected(small_course, tmp_path, files)
    assert stamps(small_course) == {}
    assert result.untimed == ["ada", "bob"]
    said = "\n".join(collected_lines(result))
    assert "nobody is late, unless the LMS has marked it" in said
    assert "Marked late by the LMS, which does not say by how much: bob." in said


def test_a_later_download_of_canvas_still_replaces_an_earlier_one(small_course, tmp_path):
    for day, words in ((20, "first"), (23, "second"), (21, "old")):
        files = {"ada_1_11_07.ipynb": (notebook(small_course, words), (2026, 10, day, 9, 0, 0))}
        collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    text = (small_course.root / "submitted" / "ada" / NAME / f"{NAME}.ipynb").read_text()
    assert "second" in text


def test_times_given_by_a_table_do_not_make_a_new_download_an_old_one(small_course, tmp_path):
    table = tmp_path / "times.csv"
    table.write_text('Student,ID,Submitted At\n"Doe, Ada",1,2026-10-21T15:00:00Z\n')
    for day, options in ((20, {}), (23, {"times": table})):
        files = {
            "doeada_1_11_07.ipynb": (notebook(small_course, f"of {day}"), (2026, 10, day, 9, 0, 0))
        }
        collect(small_course, NAME, archive(tmp_path / "all.zip", files), **options)
    text = (small_course.root / "submitted" / "doeada" / NAME / f"{NAME}.ipynb").read_text()
    assert "of 23" in text
    assert stamps(small_course) == {"doeada": "2026-10-21 15:00:00"}


def moodle(*minutes):
    return {
        f"{name} Doe_{n}_assignsubmission_file_/07.ipynb": (2026, 1, 30, 15 + m // 60, m % 60, 0)
        for n, (name, m) in enumerate(zip(("Ann", "Bob", "Cem"), minutes))
    }


@pytest.mark.parametrize(
    ("minutes", "known"),
    [
        ((0, 200, 40), True),  # each student's own
        ((5, 4, 3), True),  # close together, but not in the order of a download
        ((0, 0, 1), False),  # written one after the other: the download's
        ((5,), False),  # one student's: nothing tells it from the download's
    ],
)
def test_moodles_dates_count_unless_they_are_the_downloads(small_course, tmp_path, minutes, known):
    result = collected(small_course, tmp_path, moodle(*minutes), zone="Europe/Berlin")
    assert bool(stamps(small_course)) is known
    if known:
        hour, minute = divmod(minutes[0], 60)
        assert stamps(small_course)["Ann_Doe"] == f"2026-01-30 {14 + hour}:{minute:02}:00"
        assert "Times of submission are read in Europe/Berlin." in collected_lines(result)


def test_dates_of_one_student_count_where_no_download_takes_so_long(small_course, tmp_path):
    folder = "Ann Doe_1_assignsubmission_file_"
    files = {
        f"{folder}/a.ipynb": (2026, 1, 29, 15, 0, 0),
        f"{folder}/b.ipynb": (2026, 1, 30, 15, 0, 0),
    }
    collected(small_course, tmp_path, files, zone="UTC")
    assert stamps(small_course) == {"Ann_Doe": "2026-01-30 15:00:00"}


@pytest.mark.parametrize(
    ("zone", "utc"), [("Europe/Berlin", "22:50"), ("UTC", "23:50"), ("EST", "04:50")]
)
def test_blackboards_times_are_read_in_its_zone(small_course, tmp_path, zone, utc):
    files = {"T_ada_attempt_2026-01-20-23-50-00_07.ipynb": None}
    result = collected(small_course, tmp_path, files, zone=zone)
    assert stamps(small_course)["ada"][11:16] == utc
    assert f"Times of submission are read in {zone}." in collected_lines(result)


BLACKBOARD = "T_{}_attempt_2026-01-20-{}-00_07.ipynb"
BRIGHTSPACE = "{}-2 - {} Roe - Jan 20, 2026 {}/07.ipynb"


@pytest.mark.parametrize(
    ("names", "students"),
    [
        ([BLACKBOARD.format("ada", "23-50"), BLACKBOARD.format("bob", "22-50")], ["ada", "bob"]),
        (
            [
                f"x/{BRIGHTSPACE.format(1, 'Ada', '1150 PM')}",
                f"x/{BRIGHTSPACE.format(2, 'Bob', '1050 PM')}",
            ],
            ["Ada_Roe", "Bob_Roe"],
        ),
    ],
)
def test_a_zone_that_is_given_later_corrects_the_times_and_says_so(
    small_course, tmp_path, names, students
):
    files = {name: notebook(small_course, name) for name in names}
    download, first = (
        archive(tmp_path / "all.zip", files),
        archive(tmp_path / "1.zip", {names[0]: files[names[0]]}),
    )
    scheme = "brightspace" if "x/" in names[0] else None
    collect(small_course, NAME, download, zone="UTC", layout=scheme)
    assert [stamps(small_course)[who][11:16] for who in students] == ["23:50", "22:50"]
    result = collect(small_course, NAME, first, zone="Europe/Berlin", layout=scheme)
    assert [stamps(small_course)[who][11:16] for who in students] == ["22:50", "21:50"]
    assert "Times that had been read in another zone and are corrected: 2." in collected_lines(
        result
    )
    again = collect(small_course, NAME, download, zone="Europe/Berlin", layout=scheme)
    assert (again.corrected, sorted(again.unchanged)) == ([], students)
    assert not collect(small_course, NAME, download, layout=scheme).zone  # nothing was read anew
    assert [stamps(small_course)[who][11:16] for who in students] == ["22:50", "21:50"]


def test_moodles_times_are_corrected_too_and_those_of_a_table_stay(small_course, tmp_path):
    files = {name: (notebook(small_course), date) for name, date in moodle(0, 200, 40).items()}
    download = archive(tmp_path / "all.zip", files)
    collect(small_course, NAME, download, zone="UTC")
    stamp = small_course.root / "submitted" / "Bob_Doe" / NAME / "timestamp.txt"
    stamp.write_text("2026-01-29 12:34:56 UTC")
    result = collect(small_course, NAME, download, zone="Europe/Berlin")
    assert result.corrected == ["Ann_Doe", "Cem_Doe"]
    assert stamps(small_course)["Ann_Doe"] == "2026-01-30 14:00:00"
    assert "12:34:56" in stamp.read_text()


def test_the_later_of_two_attempts_counts_though_the_first_was_read_in_another_zone(
    small_course, tmp_path
):
    for zone, time in (("UTC", "23-40"), ("Europe/Berlin", "23-50")):
        files = {BLACKBOARD.format("ada", time): notebook(small_course, time)}
        collect(small_course, NAME, archive(tmp_path / "all.zip", files), zone=zone)
    assert "23-50" in text_of(small_course, "ada")
    assert stamps(small_course) == {"ada": "2026-01-20 22:50:00"}


def test_an_unknown_zone_is_refused_before_anything_is_collected(small_course, tmp_path):
    with pytest.raises(CourseError, match="there is no time zone 'Mars'"):
        collected(small_course, tmp_path, {"ada/07.ipynb": None}, zone="Mars")
    assert not (small_course.root / "submitted").exists()


CANVAS, FOLDER = ("lovelaceada_1_11_07.ipynb", "lovelaceada"), ("ada/07.ipynb", "ada")
MOODLE = ("Ada Lovelace_501_assignsubmission_file_/07.ipynb", "Ada_Lovelace")


@pytest.mark.parametrize(
    ("download", "table"),
    [
        (CANVAS, 'Student,ID,Submitted At\n"Lovelace, Ada",1,2026-01-30T15:00:00Z\n'),
        (FOLDER, "student,time\nada,2026-01-30 16:00 Europe/Berlin\n"),
        (FOLDER, "student,time\nada,2026-01-30 07:00:00 -0800\nbob,-\n"),
        (
            MOODLE,
            'Identifier,"Full name","Last modified (submission)"\n'
            '"Participant 501","Ada L","Friday, 30 January 2026, 4:00 PM"\n',
        ),
    ],
)
def test_a_table_gives_the_times_even_later(small_course, tmp_path, download, table):
    name, student = download
    path = tmp_path / "times.csv"
    path.write_text(table)
    other = {f"{name.replace('ada', 'eve').replace('Ada', 'Eve')}".replace("501", "502"): DOWNLOAD}
    files = {name: DOWNLOAD} | (other if "Ada" in name else {})
    for options in ({}, {"times": path, "zone": "Europe/Berlin"}):
        result = collected(small_course, tmp_path, files, **options)
        assert bool(stamps(small_course)) is bool(options)
    assert stamps(small_course)[student] == "2026-01-30 15:00:00"
    assert student not in result.untimed


def test_a_time_is_written_in_place_of_a_link_not_where_it_leads(small_course, tmp_path):
    table = tmp_path / "times.csv"
    table.write_text("student,time\nada,2026-01-30 15:00 UTC\n")
    download = archive(tmp_path / "all.zip", {"ada/07.ipynb": notebook(small_course)})
    collect(small_course, NAME, download)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("2026-01-01 00:00:00")
    stamp = small_course.root / "submitted" / "ada" / NAME / "timestamp.txt"
    stamp.symlink_to(elsewhere)
    assert submission_time(stamp.parent) is None
    assert collect(small_course, NAME, download, times=table).unchanged == ["ada"]
    assert not stamp.is_symlink()
    assert stamps(small_course) == {"ada": "2026-01-30 15:00:00"}
    assert elsewhere.read_text() == "2026-01-01 00:00:00"


def test_a_table_without_times_is_refused_by_its_columns(small_course, tmp_path):
    path = tmp_path / "times.csv"
    path.write_text("student,colour\nada,red\n")
    with pytest.raises(CourseError, match="has no column with times"):
        collected(small_course, tmp_path, {"ada/07.ipynb": None}, times=path)


WRITTEN = [
    "Freitag, 20. November 2026, 23:59",
    "Fr., 20. Nov. 2026 um 23.59 Uhr",
    "20.11.2026 23:59",
    "20.11.2026, 23:59:00 Uhr",
    "vendredi 20 novembre 2026, 23:59",
    "le 20 novembre 2026 à 23h59",
    "viernes, 20 de noviembre de 2026, 11:59 p. m.",
    "sexta-feira, 20 de novembro de 2026 às 23:59",
    "vrijdag, 20 november 2026, 23:59",
    "perjantaina 20. marraskuuta 2026, 23.59",
    "pátek, 20. listopadu 2026, 23.59",
    "20 listopada 2026 23:59",
    "piątek, 20 listopada 2026, 23:59",
    "2026. november 20., péntek, 23:59",
    "20 Kasım 2026 Cuma, 23:59",
    "Пятница, 20 ноября 2026, 23:59",
    "2026年11月20日 星期五 23:59",
    "2026年 11月 20日(金曜日) 下午 11:59",
    "2026년 11월 20일 오후 11:59",
    "2026/11/20 23:59",
    "2026-11-20 23:59",
    "20/11/2026 23:59",
    "11/20/2026 11:59 PM",
    "20-11-2026 23:59",
    "20-Nov-2026 23:59",
    "Friday, 20 November 2026, 11:59 PM",
    "Friday, November 20, 2026, 11:59 PM",
    "Nov 20, 2026 11:59pm",
]


@pytest.mark.parametrize("text", WRITTEN)
@pytest.mark.parametrize("zone", ["", "Europe/Berlin"])
def test_a_date_is_read_as_it_is_written_in_many_languages(text, zone):
    found = read_date(in_iso_order(f"{text} {zone}"), "Europe/Berlin")[0]
    assert stored(found).isoformat() == "2026-11-20T22:59:00"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_month_is_read_as_the_language_itself_writes_a_date(language):
    for month in range(1, 13):
        written = format_date(datetime.date(2026, month, 20), "long", language)
        assert in_iso_order(f"{written} 23:59") == f"2026-{month}-20 23:59"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("20. listopada 2026. 23:59", "2026-10-20"),  # Croatian: with dots
        ("20 listopada 2026 23:59", "2026-11-20"),  # Polish: without
        ("utorak, 20 listopada 2026 23:59", "2026-10-20"),  # Croatian: that day is a Tuesday
        ("pátek 20. listopad 2026 23:59", "2026-11-20"),  # Czech: that day is a Friday
        ("5. lip 2026. 23:59", "2026-6-5"),
        ("5 lip 2026 23:59", "2026-7-5"),
        ("20. februarja 2026 23:59", "2026-2-20"),
        ("20 de setiembre de 2026 23:59", "2026-9-20"),
    ],
)
def test_a_word_for_two_months_is_read_where_signs_or_the_weekday_tell_its_language(text, day):
    assert in_iso_order(text) == f"{day} 23:59"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("03/04/2026 23:59", "may be 3 April or 4 March; write the date as in '2026-10-20 23:59'"),
        ("3-4-2026 11:59 PM", "may be 3 April or 4 March"),
        ("20. listopad 2026, 23:59", "listopad in .* may be October or November"),
        ("20 listopada, 2026 23:59", "listopada in .* may be October or November"),
        ("31.02.2026 10:00", "there is no date"),
        ("20.11.26 23:59", "is not a date with a time of day"),
        ("20.11.2026", "is not a date with a time of day"),
        ("20 Foo 2026 23:59", "is not a date with a time of day"),
    ],
)
def test_a_date_that_can_be_read_in_two_ways_or_none_is_refused_before_anything_is_collected(
    small_course, tmp_path, text, words
):
    path = tmp_path / "times.csv"
    path.write_text(f"student;Datum\nada;{text}\n")
    with pytest.raises(CourseError, match=words):
        collected(small_course, tmp_path, {"ada/07.ipynb": None}, times=path)
    assert not (small_course.root / "submitted").exists()


@pytest.mark.parametrize(
    ("download", "table", "time"),
    [
        (FOLDER, "student,time\nada,2026-01-30 15:00 UTC\nada,2026-01-28 15:00 UTC\n", "01-30 15:00"),
        (FOLDER, "Kürzel,attempt,time\nada,1,2026-01-28 15:00 UTC\nada,2,2026-01-29 15:00 UTC\n", "01-29 15:00"),
        (
            CANVAS,
            'Student,ID,Attempt,Submitted At\n"Lovelace, Ada",1,1,2026-01-30T15:00:00Z\n'
            '"Lovelace, Ada",1,2,2026-01-31T15:00:00Z\n"Lovelace, Ada",9,1,2026-02-01T15:00:00Z\n',
            "01-31 15:00",
        ),
        (  # nothing says which of two namesakes it is
            FOLDER,
            "student,email,time\nada,a@example.org,2026-01-30 15:00 UTC\n"
            "ada,b@example.org,2026-01-28 15:00 UTC\n",
            None,
        ),
        (
            MOODLE,
            'ID;"Vollständiger Name";"Zuletzt geändert (Abgabe)"\n'
            '"Teilnehmer/in501";"Ada L";"Freitag, 30. Januar 2026, 16:00"\n',
            "01-30 15:00",
        ),
    ],
)  # fmt: skip
def test_of_the_attempts_in_a_table_the_last_is_the_one_that_was_collected(
    small_course, tmp_path, download, table, time
):
    path = tmp_path / "times.csv"
    path.write_text(table, "utf-8")
    collected(
        small_course, tmp_path, {download[0]: DOWNLOAD}, times=path, zone="Europe/Berlin",
        layout="moodle" if download is MOODLE else None,
    )  # fmt: skip
    assert stamps(small_course) == ({download[1]: f"2026-{time}:00"} if time else {})


def test_each_of_two_attempts_has_its_own_time_in_a_table(small_course, tmp_path):
    path = tmp_path / "times.csv"
    path.write_text("student,time\nada,2026-01-30 15:00 UTC\nada,2026-01-28 15:00 UTC\n")
    files = {"ada/first.ipynb": (2026, 1, 1, 0, 0, 0), "ada/second.ipynb": (2026, 1, 2, 0, 0, 0)}
    collected(small_course, tmp_path, files, times=path)
    assert stamps(small_course) == {"ada": "2026-01-30 15:00:00"}
    (earlier,) = (small_course.root / "earlier" / "ada" / NAME).iterdir()
    assert earlier.name.startswith("2026-01-28-15-00-00")


def test_a_table_of_times_with_numbers_that_excel_has_shortened_is_refused(small_course, tmp_path):
    path = tmp_path / "times.csv"
    path.write_text("Student,ID,Submitted At\nAda Doe,1.23457E+08,2026-01-30T15:00:00Z\n")
    with pytest.raises(CourseError, match=r"has 1\.23457E\+08 as the number of Ada Doe"):
        collected(small_course, tmp_path, {"doeada_1_11_07.ipynb": None}, times=path)


@pytest.fixture
def clone(small_course, tmp_path):
    """Makes a student's clone: its commits as (date, words), "" for the released notebook."""

    def make(student, *commits, others=()):
        folder = tmp_path / "clones" / student
        place = folder / "notebooks" / NAME
        place.mkdir(parents=True)

        def git(*arguments, date="2026-01-01T00:00:00Z"):
            names = {
                f"GIT_{who}_{what}": "x"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            }
            dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
            subprocess.run(
                ["git", *arguments], cwd=folder, check=True, capture_output=True,
                env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **names, **dates},
            )  # fmt: skip

        git("init", "-q", "-b", "main")
        (folder / "README.md").write_text("x")
        for date, words in commits:
            text = (
                notebook(small_course, words) if words else small_course.notebook(NAME).read_text()
            )
            (place / f"{NAME}.ipynb").write_text(text)
            git("add", "-A")
            git("commit", "-qm", "x", date=date)
        for date in others:  # another assignment's work
            (folder / "other.txt").write_text(date)
            git("add", "-A")
            git("commit", "-qm", "y", date=date)
        return folder

    return make


def due(course, text):
    set_due_date(Classroom(course), NAME, stored(read_date(text)[0]))


def text_of(course, student):
    return (course.root / "submitted" / student / NAME / f"{NAME}.ipynb").read_text()


def test_of_a_clone_the_last_commit_before_the_due_date_counts(
    small_course, tmp_path, clone, monkeypatch
):
    clone(
        "ada",
        ("2026-01-10T00:00:00Z", ""),
        ("2026-01-30T15:00:00Z", "in time"),
        ("2026-02-03T10:00:00Z", "too late"),
        others=("2026-06-01T00:00:00Z",),
    )
    clone("bob", ("2026-01-10T00:00:00Z", ""), ("2026-02-02T15:00:00Z", "late"))
    clone("cem", ("2026-01-30T15:00:00Z", "all at once"))
    due(small_course, "2026-02-01 12:00 UTC")
    result = collect(small_course, NAME, tmp_path / "clones")
    assert stamps(small_course) == {
        "ada": "2026-01-30 15:00:00",
        "bob": "2026-02-02 15:00:00",  # before, there is only what was handed out
        "cem": "2026-01-30 15:00:00",
    }
    assert "in time" in text_of(small_course, "ada")
    assert result.later == {"ada": "1 later commit, the last of 2026-02-03 10:00 UTC"}
    assert (result.unmatched, result.untimed) == ([], [])
    extend(Classroom(small_course), NAME, {"ada": read_span("3d")})
    collect(small_course, NAME, tmp_path / "clones")
    assert "too late" in text_of(small_course, "ada")
    monkeypatch.chdir(small_course.root)
    said = CliRunner().invoke(main, ["extend", NAME, "ada", "0d"]).output
    assert "collect them again, since the last commit before the due date counts" in said
    collect(small_course, NAME, tmp_path / "clones")
    assert "in time" in text_of(small_course, "ada")
    assert stamps(small_course)["ada"] == "2026-01-30 15:00:00"


CLASSROOM = """\
"identifier","github_username","github_id","name"
"Ada Lovelace","ALovelace","123","Ada"
"Grace Hopper","grace-hopper","124",""
"Alan Turing","","",""
"""


@pytest.mark.parametrize(
    ("repositories", "prefix"),
    [
        (["lab-1-alovelace", "lab-1-grace-hopper"], "lab-1-"),
        (["grace-hopper", "alovelace"], ""),
        (["lab-1-GRACE-HOPPER"], "lab-1-"),
    ],
)
def test_a_clone_is_of_the_username_in_classrooms_roster(
    small_course, tmp_path, clone, repositories, prefix
):
    path = tmp_path / "roster.csv"
    path.write_text(CLASSROOM)
    everyone = ["ALovelace", "Alan_Turing", "grace-hopper"]
    assert sorted(enrol(Classroom(small_course), path).added) == everyone
    for repository in repositories:
        clone(repository, ("2026-01-30T15:00:00Z", "mine"))
    result = collect(small_course, NAME, tmp_path / "clones")
    assert result.students.keys() <= {*everyone}
    assert (len(result.students), result.new, result.renamed) == (len(repositories), [], {})
    assert result.prefix == prefix
    assert f"Classroom: {prefix}USERNAME." in "\n".join(collected_lines(result)) or not prefix
    assert sorted(enrol(Classroom(small_course), path).known) == everyone


@pytest.mark.parametrize(
    ("repositories", "around", "known", "prefix"),
    [
        (["bow-alovelace"], "bow-submissions", (), "bow-"),
        (["bow-alovelace"], "clones", (), ""),
        (["bow-alovelace", "bow-ghopper"], "clones", (), "bow-"),
        (["lab-1-ada", "lab-1-a-b"], "clones", ("ada",), "lab-1-"),
        (["ann-lee", "ann-kim"], "clones", ("ann-kim",), ""),
        (["x-ann-lee", "x-ann-kim"], "clones", ("ann-kim",), "x-"),
        (["alovelace", "ghopper"], "clones", (), ""),
    ],
)
def test_what_clones_share_is_the_assignments_unless_the_class_says_otherwise(
    repositories, around, known, prefix
):
    assert prefix_of(repositories, around, lambda name: name in known) == prefix


def test_without_a_due_date_the_last_commit_of_the_notebook_counts(small_course, tmp_path, clone):
    clone("ada", ("2026-01-30T15:00:00Z", "only"), others=("2026-06-01T00:00:00Z",))
    folder = clone("bob", ("2026-01-30T15:00:00Z", "committed"))
    (folder / "notebooks" / NAME / f"{NAME}.ipynb").write_text(notebook(small_course, "changed"))
    collect(small_course, NAME, tmp_path / "clones")
    assert stamps(small_course) == dict.fromkeys(("ada", "bob"), "2026-01-30 15:00:00")
    assert "committed" in text_of(small_course, "bob")


def test_notebooks_of_other_assignments_in_a_clone_are_no_mistake(small_course, tmp_path, clone):
    from autograder.authoring.new_assignment import new_assignment
    from autograder.authoring.release import release

    new_assignment(small_course, "08_other")
    release(small_course, ["08_other"])
    folder = clone("ada", ("2026-01-30T15:00:00Z", "mine"))
    (folder / "notebooks" / "08.ipynb").write_text(notebook(small_course, assignment="08_other"))
    result = collect(small_course, NAME, tmp_path / "clones", layout="folder")
    assert (result.unmatched, result.of_others) == ([], 1)
    assert "Left out: 1 notebook of other assignments." in collected_lines(result)


def test_a_students_repository_runs_nothing_and_reads_nothing_of_ours(
    small_course, tmp_path, clone
):
    folder = clone("ada", ("2026-01-30T15:00:00Z", "mine"))
    owned = tmp_path / "owned"
    with (folder / ".git" / "config").open("a") as config:
        config.write(
            f'[core]\n\tfsmonitor = "touch {owned}"\n\tpager = "touch {owned}"\n'
            f'[log]\n\tshowSignature = true\n[gpg]\n\tprogram = "touch {owned}"\n'
        )
    other = clone("bob", ("2026-01-30T15:00:00Z", "mine, too"))
    (other / ".git" / "objects" / "info" / "alternates").write_text(str(folder / ".git/objects"))
    linked = clone("eve", ("2026-01-30T15:00:00Z", "as well"))
    refs = linked / ".git" / "refs"
    refs.rename(tmp_path / "refs")
    refs.symlink_to(tmp_path / "refs")
    result = collect(small_course, NAME, tmp_path / "clones")
    assert stamps(small_course) == {"ada": "2026-01-30 15:00:00"}
    assert result.untimed == ["bob", "eve"]
    assert not owned.exists()
