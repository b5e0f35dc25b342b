"""The names of a zip archive's members, in the encoding of the program that made it.

A zip archive says of a name only whether it is UTF-8. macOS writes UTF-8 and does not say so; Windows
writes one of its code pages. Python reads all of these as the code page of the first PCs, in which
"Zoë" becomes "Zo├½".
"""

from __future__ import annotations

import zipfile

from autograder.classroom.code_pages import decoded, rarity, strangeness

#: What file systems allow: bytes of a path, and of each part of it.
MAX_PATH_BYTES = 4_096
MAX_PART_BYTES = 255
#: So many bytes of names tell the code page; each is looked at in all of them.
_MAX_SAMPLE_BYTES = 8_192
_SHOWN_LENGTH = 80
_SAYS_UTF8 = 0x800
_EAST_ASIA = ("gbk", "cp932", "cp949", "big5")
#: Code pages of Windows, those of its own zip program first; of several that fit, the first counts.
_CODE_PAGES = (
    *("cp850", "cp1252", "cp437", "cp852", "cp1250", "cp866", "cp1251", "cp737", "cp1253"),
    *("cp857", "cp1254", "cp862", "cp1255", "cp720", "cp1256"),
    *_EAST_ASIA,
)


def members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the members of an archive, each with its name in the right encoding.

    A name that no file system allows is not looked at, and cut off.
    """
    found = archive.infolist()
    for one in filter(is_too_long, found):
        one.filename = f"{one.filename[:_SHOWN_LENGTH]}…"
    unclear = [one for one in found if _is_unclear(one) and not is_too_long(one)]
    if unclear:
        names = _meant([_raw(one) for one in unclear])
        for one, name in zip(unclear, names):
            one.filename = name.partition("\0")[0]  # `orig_filename` stays: `open` compares it
    return found


def is_too_long(member: zipfile.ZipInfo) -> bool:
    """Tell whether no file can have a member's name."""
    name = member.orig_filename
    path = name.encode("utf-8", "surrogatepass") if _says_utf8(member) else _raw(member)
    return len(path) > MAX_PATH_BYTES or any(
        len(part) > MAX_PART_BYTES for part in path.replace(b"\\", b"/").split(b"/")
    )


def _says_utf8(member: zipfile.ZipInfo) -> bool:
    return bool(member.flag_bits & _SAYS_UTF8)


def _is_unclear(member: zipfile.ZipInfo) -> bool:
    """Tell whether the encoding of a member's name is neither declared nor ASCII."""
    return not _says_utf8(member) and not member.orig_filename.isascii()


def _raw(member: zipfile.ZipInfo) -> bytes:
    return member.orig_filename.encode("cp437", "surrogateescape")


def _meant(names: list[bytes]) -> list[str]:
    """Decode names as UTF-8 where they are, the others in the one code page that fits them best."""
    as_utf8 = [decoded(name, "utf-8") for name in names]
    rest = [name for name, text in zip(names, as_utf8) if text is None]
    page = _page_of(rest)
    return [
        text if text is not None else name.decode(page, "replace")
        for name, text in zip(names, as_utf8)
    ]


def _page_of(names: list[bytes]) -> str:
    """Return the code page in which names can be read, and look most like names as far as they are tried."""
    readable = [
        page for page in _CODE_PAGES if all(decoded(one, page) is not None for one in names)
    ]
    sample: list[bytes] = []
    room = _MAX_SAMPLE_BYTES
    for name in sorted(set(names), key=lambda name: (len(name), name)):
        room -= len(name)
        if room < 0:
            break
        sample.append(name)
    pages = readable or list(_CODE_PAGES)
    odd = {page: strangeness(decoded(one, page) for one in sample) for page in pages}
    best = min(pages, key=odd.__getitem__)
    if best in _EAST_ASIA:
        alike = [page for page in pages if page in _EAST_ASIA and odd[page] == odd[best]]
        best = min(
            alike, key=lambda page: sum(rarity(one.decode(page, "replace"), page) for one in sample)
        )
    return best
