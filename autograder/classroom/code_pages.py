"""Detection of the code page in which a text was written, by the letters of its names."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

#: What Excel writes where it does not write UTF-8: code pages of Windows, macOS and MS-DOS.
_OF_TABLES = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "mac_roman"),
    *("cp850", "cp852", "cp866", "koi8_r", "gbk", "cp932", "cp949", "big5"),
)
#: The letters of languages beside A to Z.
_ALPHABETS = (
    *("äöüß", "àâçéèêëîïôœùûü", "áéíñóúü", "ãáàâçéêíóôõú", "àèéìòù", "æøåéö", "åäöé", "áðéíóúýþæö"),
    *("ëïéèöüáó", "àçéèíïóòúü", "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž"),
    *("áéíóöőúüű", "čćđšž", "ăâîşţ", "çğıöşüâî"),
    *("абвгдежзийклмнопрстуфхцчшщъыьэюяё", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"),
    *("абвгдђежзијклљмнњопрстћуфхцчџш", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ"),
)
#: For each code page of East Asia the rows of its common characters, and characters that lists of a class
#: are full of: those of headings, family names and given names.
_COMMON = {
    "gbk": (
        range(0xB0, 0xD8),
        "姓名字学号院系生组班级成绩专业分数王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许邓韩冯曹彭曾欧阳"
        "小大明文华国伟芳娜敏静丽强军杰建志海平雪雷洋",
    ),
    "big5": (
        range(0xA4, 0xC7),
        "姓名字學號院系生組班級成績專業分數王李張劉陳楊黃趙吳周徐孫馬朱胡郭何林高羅鄭梁謝宋唐許鄧韓馮曹彭曾蔡歐陽"
        "小大明文華國偉芳娜敏靜麗強軍傑建志海平美玲淑雅",
    ),
    "cp932": (
        range(0x88, 0x98),
        "氏名前学籍番号生徒組班点数科年田山川木村本中小林井藤佐伊渡辺斎高橋鈴松加吉清石原岡和一二三郎太子美大野健花介",
    ),
    "cp949": (
        range(0xB0, 0xC9),
        "이름학번생조반성명점수과제김박최정강윤장임한오서신권황안송류전홍민지영현준우진희은경숙철",
    ),
}
#: Typographic marks where they belong.
_TYPOGRAPHY = re.compile(
    r"(?<=\b[^\W\d_])’(?=[^\W\d_])|(?<=[^\W\d_])’(?=s\b)|[“„][^“”„\n]*[”“]|N°|[ªº]"
    r"|(?<![^\W\d_])[–—]|[–—](?![^\W\d_])|…(?![^\W\d_])|(?<![^\W\d_])€(?![^\W\d_])|(?<=\d)°"
)
#: What a letter that is no ASCII may cost in a text that was read as it was meant.
_MAX_STRANGENESS = 0.34


def decode_table(content: bytes) -> tuple[str, str] | None:
    """Decode a table that is not Unicode; return text and code page, None if uncertain."""
    texts = {page: decoded(content, page) for page in _OF_TABLES}
    ranks = {page: _rank(text, page) for page, text in texts.items() if text is not None}
    best = min(ranks.values(), default=None)
    pages = [page for page, rank in ranks.items() if rank == best]
    if best is None or len({texts[page] for page in pages}) > 1:
        return None
    text = texts[pages[0]] or ""
    foreign = sum(not character.isascii() for character in text)
    return (text, pages[0]) if best[0] <= _MAX_STRANGENESS * foreign else None


def _rank(text: str, page: str) -> tuple[float, int, int, int]:
    """Rank a text by how little it looks like names: letters, words of no language, languages, rare signs."""
    words = [one for one in re.findall(r"[^\W\d_]+", text.lower()) if not one.isascii()]
    fitting = [_languages(word) for word in words]
    most = Counter(language for one in fitting for language in one).most_common(1)
    plain = _TYPOGRAPHY.sub("", text)
    return strangeness([plain]), fitting.count([]), -most[0][1] if most else 0, rarity(text, page)


def rarity(text: str, page: str) -> int:
    """Count the rare signs of a text in a code page of East Asia, less those that lists are full of."""
    if page not in _COMMON:
        return 0
    rows, usual = _COMMON[page]
    signs = [sign for sign in text if _script(sign) in ("CJK", "HANGUL")]
    kana = [sign for sign in signs if unicodedata.name(sign).startswith(("HIRAGANA", "KATAKANA"))]
    rare = sum(sign.encode(page)[0] not in rows for sign in signs) - len(kana)
    return rare - sum(sign in usual for sign in signs) - len(kana)


def _languages(word: str) -> list[str]:
    """Return the alphabets, or the script beyond them, that have the letters of a word."""
    letters = {letter for letter in word if not letter.isascii()}
    scripts = {_script(letter) for letter in letters}
    if not scripts & {"LATIN", "CYRILLIC", "GREEK"}:
        return list(scripts) if len(scripts) == 1 else []
    if "ς" in word[:-1]:  # ends words
        return []
    return [alphabet for alphabet in _ALPHABETS if letters <= {*alphabet}]


def decoded(name: bytes, encoding: str) -> str | None:
    """Decode a name; return None if it is not valid in this encoding."""
    try:
        return name.decode(encoding)
    except UnicodeDecodeError:
        return None


def strangeness(names: Iterable[str | None]) -> float:
    """Score texts by how little they look like names; infinite if one cannot be read at all."""
    total = 0.0
    for name in names:
        if name is None:
            return float("inf")
        before = " "
        for character in name:
            if not character.isascii():
                total += _oddity(character, before)
            elif character.isupper() and before.islower() and not before.isascii():
                total += 1
            before = character
    return total


@lru_cache(maxsize=1 << 16)
def _oddity(character: str, before: str) -> float:
    """Score how unlikely a character is in a name: symbol, control character, capital in a word."""
    category = unicodedata.category(character)[0]
    if category not in "LM" or (category == "M" and not before.isalnum() and before.isascii()):
        return 3
    name = unicodedata.name(character, "")
    if name.startswith("HALFWIDTH") or "MATHEMATICAL" in name:
        return 2
    if character.isupper() and before.islower():
        return 2
    if before.isalpha() and _script(character) != _script(before):
        return 1.5
    in_a_row = not before.isascii() and _script(character) == "LATIN"  # rare: few have accents
    return 0.5 if in_a_row else 0


@lru_cache(maxsize=1 << 14)
def _script(character: str) -> str:
    """Return the script of a character, as its Unicode name says."""
    script = unicodedata.name(character, "").partition(" ")[0]
    return "CJK" if script.startswith(("HIRAGANA", "KATAKANA")) else script
