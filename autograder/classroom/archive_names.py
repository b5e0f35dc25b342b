"""The names of a zip archive's members, in the encoding of the program that made it.

A zip archive says of a name only whether it is UTF-8. macOS writes UTF-8 and does not say so; Windows
writes one of its code pages. Python reads all of these as the code page of the first PCs, in which
"Zoë" becomes "Zo├½".
"""

from __future__ import annotations

import zipfile

from autograder.classroom.code_pages import decoded, strangeness

_SAYS_UTF8 = 0x800
#: Code pages of Windows, those of its own zip program first; of several that fit, the first counts.
_CODE_PAGES = (
    *("cp850", "cp1252", "cp437", "cp852", "cp1250", "cp866", "cp1251", "cp737", "cp1253"),
    *("cp857", "cp1254", "cp862", "cp1255", "cp720", "cp1256"),
    *("gbk", "cp932", "cp949", "big5"),
)


def members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the members of an archive, each with its name in the right encoding."""
    found = archive.infolist()
    unclear = [one for one in found if _is_unclear(one)]
    if unclear:
        names = _meant([_raw(one) for one in unclear])
        for one, name in zip(unclear, names):
            one.filename = name.partition("\0")[0]  # `orig_filename` stays: `open` compares it
    return found


def _is_unclear(member: zipfile.ZipInfo) -> bool:
    """Tell whether the encoding of a member's name is neither declared nor ASCII."""
    return not member.flag_bits & _SAYS_UTF8 and not member.orig_filename.isascii()


def _raw(member: zipfile.ZipInfo) -> bytes:
    return member.orig_filename.encode("cp437", "surrogateescape")


def _meant(names: list[bytes]) -> list[str]:
    """Decode names as UTF-8 where they are, the others in the one code page that fits them best."""
    as_utf8 = [decoded(name, "utf-8") for name in names]
    rest = [name for name, text in zip(names, as_utf8) if text is None]
    page = min(_CODE_PAGES, key=lambda page: strangeness(decoded(one, page) for one in rest))
    return [
        text if text is not None else name.decode(page, "replace")
        for name, text in zip(names, as_utf8)
    ]
