"""ByteBPE: merges in order, across words never; bytes that are no text; ids that are half a character."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import number

POINTS = {"encode": 2, "bytes": 2, "decode": 1, "edges": 1}

_LETTERS = "abcdeé東"


def _word(rng: np.random.Generator, n: int, letters: str = _LETTERS) -> str:
    return "".join(letters[int(i)] for i in rng.integers(0, len(letters), size=n))


def _merges(rng: np.random.Generator, text: str, n: int) -> list[tuple[int, int]]:
    """Merges of neighbors that occur in the text, as a real list would have them."""
    found: list[tuple[int, int]] = []
    words = [list(f" {word}".encode()) for word in text.split()]
    while len(found) < n:
        pairs = sorted({pair for word in words for pair in itertools.pairwise(word)})
        if not pairs:
            break
        pair = pairs[int(rng.integers(len(pairs)))]
        found.append(pair)
        for word in words:
            i = 0
            while i < len(word) - 1:
                if (word[i], word[i + 1]) == pair:
                    word[i : i + 2] = [255 + len(found)]
                i += 1
    return found


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, merges: list[tuple[int, int]], *then: tuple, title: str) -> Case:
        return Case(group, [merges], then=list(then), title=title)

    text = " ".join(_word(rng, number(rng, 3, 6), "abc") for _ in range(3))
    yield case("encode", _merges(rng, text, 3), ("encode", text), title="three short words")
    text = " ".join(_word(rng, number(rng, 4, 8), "ab") for _ in range(5))
    yield case("encode", _merges(rng, text, 8), ("encode", text), title="merges of merges")
    a, b, c = (97 + int(i) for i in rng.permutation(20)[:3])
    text = "".join(map(chr, (a, b, c, b, c, a, b)))
    merges = [(b, c), (a, b), (a, 256)]
    yield case("encode", merges, ("encode", text), title="the earlier merge comes first")
    text = f"{chr(a)}{chr(b)}{chr(c)}"
    title = "a later merge that stands further left"
    yield case("encode", [(b, c), (a, b)], ("encode", text), title=title)
    # of 8 letters it would not matter at which end the merges begin
    text = chr(a) * (5, 6, 7, 9, 9)[number(rng, 0, 4)]
    yield case(
        "encode", [(a, a), (256, 256)], ("encode", text), title="one letter, again and again"
    )
    text = f"{chr(a)}{chr(b)} {chr(b)}{chr(a)} {chr(a)}"
    merges = [(b, 32), (a, 32), (32, b)]
    yield case("encode", merges, ("encode", text), title="no merge across words")

    text = " ".join(_word(rng, 4) for _ in range(3)) + " é東🙂"
    yield case("bytes", _merges(rng, text, 6), ("encode", text), title="letters of several bytes")
    some = bytes(int(i) for i in rng.integers(0, 256, size=12))
    data = codec.Source(repr(some + b"\xff\xfe a"))
    yield case("bytes", [(32, 97)], ("encode", data), title="bytes that are no text")
    text = f"{_word(rng, 3)}  \t{_word(rng, 2)}\n\n {_word(rng, 3)} "
    yield case("bytes", _merges(rng, text, 3), ("encode", text), title="spaces, tabs, new lines")

    text = " ".join(_word(rng, 5) for _ in range(3))
    merges = _merges(rng, text, 6)
    last = 255 + len(merges)
    ids = [last, *(int(i) for i in rng.integers(256, last + 1, size=5))]
    yield case("decode", merges, ("decode", [*"é東".encode(), *ids]), title="ids of several bytes")
    ids = [*text.encode(), 256 + number(rng, 0, 5)]
    yield case("decode", merges, ("decode", ids), title="bytes and a merged token")
    ids = [104, *"東".encode()[:2], 97 + number(rng, 0, 20), *_word(rng, 4, "abc").encode()]
    yield case("decode", [(230, 157)], ("decode", ids), title="half a character")

    calls = ("encode", ""), ("decode", []), ("encode", _word(rng, 5))
    yield case("edges", _merges(rng, text, 3), *calls, title="the empty text, and one after it")
    calls = ("encode", _word(rng, 6)), ("decode", list(_word(rng, 3).encode()))
    yield case("edges", [], *calls, title="no merges")
    zero = bytes([97, 0, *(int(i) for i in rng.integers(1, 9, size=3)), 0, 0])
    calls = ("encode", codec.Source(repr(zero))), ("decode", [0, 256, 97 + number(rng, 0, 9), 0])
    yield case("bytes", [(0, 97), (97, 0)], *calls, title="the byte 0, whose id is 0")


WRONG = {
    "characters_in_place_of_bytes": """
        These are the numbers of the characters. Take those of the bytes of the text in UTF-8.

        - tokens = list(piece)
        + tokens = [ord(c) for c in piece.decode("utf-8", errors="replace")]
        """,
    "merges_across_words": """
        A merge has joined the end of a word with the space of the next one. Cut the text with
        `pieces` first, and merge inside each piece.

        - for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
        + for piece in [text.encode("utf-8") if isinstance(text, str) else text]:
        """,
    "loses_spaces": """
        Spaces are gone, and nothing brings them back. `pieces` keeps them; `split` does not.

        - for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
        + for piece in (text.encode("utf-8") if isinstance(text, str) else text).split():
        """,
    "ids_from_zero": """
        The first merge makes the id 256, not 0: the ids before it are the bytes.

        - for new, (left, right) in enumerate(self.merges, start=256):
        + for new, (left, right) in enumerate(self.merges):
        """,
    "last_merge_first": """
        The merges are applied from the last one to the first. The order in which they were learned
        is the order in which they are applied.

        - for new, (left, right) in enumerate(self.merges, start=256):
        + for new, (left, right) in reversed(list(enumerate(self.merges, start=256))):
        """,
    "one_merge_at_a_time_once": """
        Each merge is applied at one place only. It counts wherever the pair occurs.

        - tokens[i : i + 2] = [new]
        + tokens[i : i + 2] = [new]
        + break
        """,
    "decodes_id_by_id": """
        Each id is read as text alone, so a character whose bytes are in two ids is lost. Put all
        bytes together first.

        - return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")
        + return "".join(self.bytes_of[i].decode("utf-8", errors="replace") for i in ids)
        """,
    "strict_decoding": """
        Half a character is an error here. What is not valid UTF-8 should become �.

        raises UnicodeDecodeError

        - return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")
        + return b"".join(self.bytes_of[i] for i in ids).decode("utf-8")
        """,
    "ignores_what_is_no_text": """
        Half a character disappears. It should become �, so that one sees that there was something.

        - return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")
        + return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="ignore")
        """,
    "latin": """
        The bytes are read as latin-1, where each is a character. The text was in UTF-8.

        - return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")
        + return b"".join(self.bytes_of[i] for i in ids).decode("latin-1")
        """,
    "any_pair_from_the_left": """
        The text is read once from the left, and whatever pair is known is merged. The merges have an
        order: go through the whole piece with the first one, then with the second, and so on.

        - for new, (left, right) in enumerate(self.merges, start=256):
        -     i = 0
        -     while i < len(tokens) - 1:
        -         if tokens[i] == left and tokens[i + 1] == right:
        -             tokens[i : i + 2] = [new]
        -         i += 1
        + known, i = {tuple(pair): 256 + k for k, pair in enumerate(self.merges)}, 0
        + while i < len(tokens) - 1:
        +     if (tokens[i], tokens[i + 1]) in known:
        +         tokens[i : i + 2] = [known[tokens[i], tokens[i + 1]]]
        +         i = max(i - 1, 0)
        +     else:
        +         i += 1
        """,
    "longest_match": """
        From the left, each token is the longest one that fits, as in 06's WordPiece. Here the merges
        decide: go through the whole piece with the first one, then with the second, and so on.

        - for new, (left, right) in enumerate(self.merges, start=256):
        -     i = 0
        -     while i < len(tokens) - 1:
        -         if tokens[i] == left and tokens[i + 1] == right:
        -             tokens[i : i + 2] = [new]
        -         i += 1
        + tokens, rest = [], piece
        + while rest:
        +     fitting = [i for i, token in enumerate(self.bytes_of) if rest.startswith(token)]
        +     tokens.append(max(fitting, key=lambda i: len(self.bytes_of[i])))
        +     rest = rest[len(self.bytes_of[tokens[-1]]) :]
        """,
    "decodes_bytes_only": """
        An id above 255 is no byte: it stands for the bytes of the two ids that were merged.

        raises ValueError

        - return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")
        + return bytes(ids).decode("utf-8", errors="replace")
        """,
    "only_texts": """
        `encode` takes bytes as well, and these have no `encode` of their own: take them as they are.

        raises AttributeError

        - for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
        + for piece in pieces(text.encode("utf-8")):
        """,
    "characters_of_texts": """
        Bytes are taken as they are, but of a text you take the numbers of its characters. Only up to 127
        is that the same: é is one character and two bytes. Take the bytes of the text in UTF-8.

        - for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
        -     tokens = list(piece)
        + is_text = isinstance(text, str)
        + for piece in pieces(text.encode("utf-8") if is_text else text):
        +     tokens = [ord(c) for c in piece.decode("utf-8")] if is_text else list(piece)
        """,
    "characters_and_no_bytes": """
        These are the numbers of the characters, and bytes, which `encode` takes as well, are an error.
        Take the bytes of a text in UTF-8, and bytes as they are.

        - for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
        -     tokens = list(piece)
        + for word in re.findall(r" ?\\S+|\\s", text):
        +     tokens = [ord(c) for c in word]
        """,
    "encodes_as_latin": """
        The text is encoded as latin-1, in which é is one byte and 東 cannot be written at all. Take its
        bytes in UTF-8.

        - for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
        + for piece in pieces(text.encode("latin-1", "replace") if isinstance(text, str) else text):
        """,
    "a_byte_for_each_character": """
        Each character should become one byte, but the number of a character can be above 255. UTF-8
        gives such a character several bytes: encode the text with it.

        raises ValueError

        - for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
        + for piece in pieces(bytes(map(ord, text)) if isinstance(text, str) else text):
        """,
    "bytes_read_as_text": """
        Bytes are read as text first, and what is no text gets lost. `encode` takes bytes as they
        are: only a text has to be turned into bytes.

        - for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
        + if not isinstance(text, str):
        +     text = text.decode("utf-8", errors="replace")
        + for piece in pieces(text.encode("utf-8")):
        """,
    "from_the_right": """
        A merge goes through the piece from the right. It goes from the left: of three equal bytes,
        the first two are merged.

        - i = 0
        - while i < len(tokens) - 1:
        -     if tokens[i] == left and tokens[i + 1] == right:
        -         tokens[i : i + 2] = [new]
        -     i += 1
        + i = len(tokens) - 2
        + while i >= 0:
        +     if tokens[i : i + 2] == [left, right]:
        +         tokens[i : i + 2] = [new]
        +         i -= 1
        +     i -= 1
        """,
}

FURTHER = """
bytes_of begins with bytes([0]) to bytes([255]); each merge appends bytes_of[left] + bytes_of[right].
To encode: text.encode("utf-8") if it is a str, then pieces, then list(piece) is the row of bytes. For
each merge, in order, walk from left to right and replace the pair by the one id 256 + k.
"""

RIGHT = {
    "builds_a_new_list": """
        - tokens = list(piece)
        - for new, (left, right) in enumerate(self.merges, start=256):
        -     i = 0
        -     while i < len(tokens) - 1:
        -         if tokens[i] == left and tokens[i + 1] == right:
        -             tokens[i : i + 2] = [new]
        -         i += 1
        - ids += tokens
        + tokens = [*piece]
        + for k, pair in enumerate(self.merges):
        +     fresh, i = [], 0
        +     while i < len(tokens):
        +         if tuple(tokens[i : i + 2]) == tuple(pair):
        +             fresh.append(256 + k)
        +             i += 2
        +         else:
        +             fresh.append(tokens[i])
        +             i += 1
        +     tokens = fresh
        + ids.extend(tokens)
        """,
    "lowest_rank_first": """
        class ByteBPE:
            def __init__(self, merges):
                self.rank = {}
                self.bytes_of = [bytes([i]) for i in range(256)]
                for k, (a, b) in enumerate(merges):
                    self.rank.setdefault((a, b), k)
                    self.bytes_of += [self.bytes_of[a] + self.bytes_of[b]]

            def encode(self, text):
                if isinstance(text, str):
                    text = text.encode()
                result = []
                for piece in pieces(text):
                    t = list(piece)
                    while True:
                        known = [p for p in zip(t, t[1:]) if p in self.rank]
                        if not known:
                            break
                        best = min(known, key=self.rank.get)
                        new, i = [], 0
                        while i < len(t):
                            if tuple(t[i : i + 2]) == best:
                                new.append(256 + self.rank[best])
                                i += 2
                            else:
                                new.append(t[i])
                                i += 1
                        t = new
                    result += t
                return result

            def decode(self, ids):
                data = b""
                for i in ids:
                    data += self.bytes_of[i]
                return str(data, "utf-8", "replace")
        """,
}

EQUIVALENT = {
    "Nothing changes the list after that.": """
        -        self.merges = list(merges)
        +        self.merges = merges
        """,
    "UTF-8 is what Python takes if no encoding is named.": """
        -        for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
        +        for piece in pieces(text.encode() if isinstance(text, str) else text):

        -        return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")
        +        return b"".join(self.bytes_of[i] for i in ids).decode(errors="replace")
        """,
    "Python knows UTF-8 under these names, too.": """
        -        for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
        +        for piece in pieces(text.encode('UTF-8') if isinstance(text, str) else text):

        -        for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
        +        for piece in pieces(text.encode('utf-') if isinstance(text, str) else text):

        -        return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")
        +        return b"".join(self.bytes_of[i] for i in ids).decode('UTF-8', errors="replace")

        -        return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")
        +        return b"".join(self.bytes_of[i] for i in ids).decode('utf-', errors="replace")
        """,
}
