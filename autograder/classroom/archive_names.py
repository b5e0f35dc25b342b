"""The names in a zip archive, whatever program made it.

A zip archive says of a name only whether it is UTF-8. macOS writes UTF-8 and does not say so; Windows
writes one of its code pages. Python reads all of these as the code page of the first PCs, in which
"Zoë" becomes "Zo├½".
"""

from __future__ import annotations

import unicodedata
import zipfile
from collections.abc import Iterable

_SAYS_UTF8 = 0x800
#: Code pages of Windows, those of its own zip program first; of several that fit, the first counts.
_CODE_PAGES = (
    *("cp850", "cp1252", "cp437", "cp852", "cp1250", "cp866", "cp1251", "cp737", "cp1253"),
    *("cp857", "cp1254", "cp862", "cp1255", "cp720", "cp1256"),
    *("gbk", "cp932", "cp949", "big5"),
)


def members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The members of an archive, each with its name as it was meant."""
    found = archive.infolist()
    unclear = [one for one in found if _is_unclear(one)]
    if unclear:
        names = _meant([_raw(one) for one in unclear])
        for one, name in zip(unclear, names):
            one.filename = name.partition("\0")[0]  # `orig_filename` stays: `open` compares it
    return found


def _is_unclear(member: zipfile.ZipInfo) -> bool:
    return not member.flag_bits & _SAYS_UTF8 and not member.orig_filename.isascii()


def _raw(member: zipfile.ZipInfo) -> bytes:
    return member.orig_filename.encode("cp437", "surrogateescape")


def _meant(names: list[bytes]) -> list[str]:
    """The text of names that may be UTF-8; the others have one code page, that of the machine."""
    as_utf8 = [_decoded(name, "utf-8") for name in names]
    rest = [name for name, text in zip(names, as_utf8) if text is None]
    page = min(_CODE_PAGES, key=lambda page: _strangeness(_decoded(one, page) for one in rest))
    return [
        text if text is not None else name.decode(page, "replace")
        for name, text in zip(names, as_utf8)
    ]


def _decoded(name: bytes, encoding: str) -> str | None:
    try:
        return name.decode(encoding)
    except UnicodeDecodeError:
        return None


def _strangeness(names: Iterable[str | None]) -> float:
    """How little the texts look like names of files; infinite if one cannot be read at all."""
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


def _oddity(character: str, before: str) -> float:
    """What speaks against a character: symbols, control characters, a capital inside a word."""
    if unicodedata.category(character)[0] not in "LM":
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


def _script(character: str) -> str:
    script = unicodedata.name(character, "").partition(" ")[0]
    return "CJK" if script in ("HIRAGANA", "KATAKANA") else script
