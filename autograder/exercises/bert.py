"""Cases and misconceptions of 06_bert."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from autograder.course.exercise import Case, Exercise
from autograder.course.layout import Course
from autograder.course.reference import definitions
from coursekit.checking import codec

# Half precision keeps three digits, and sums of them fewer.
_HALF = {"dtype": "exact", "atol": 2e-2}
_EXACT = {"dtype": "exact"}
# Hooks that a case hangs into a module, because `then` can only call and read: half precision,
# evaluation or training before a call.
_TO_HALF = codec.Source("{0: lambda module, inputs: module.half() and None}")
_TO_EVAL = codec.Source("{0: lambda module, inputs: module.eval() and None}")
_TO_TRAIN = codec.Source("{0: lambda module, inputs: module.train() and None}")


def _of_the_notebook(name: str) -> Any:
    root = Path(__file__).parents[2]
    return definitions(Course(root).solution("06_bert"))[name]


# Wrong and other right answers to later exercises build on the notebook's earlier ones, as a
# student's do: there is one implementation of each.
def padding_mask(mask):
    return _of_the_notebook("padding_mask")(mask)


def TransformerBlock(*sizes, **options):
    return _of_the_notebook("TransformerBlock")(*sizes, **options)


def BertEmbeddings(*sizes):
    return _of_the_notebook("BertEmbeddings")(*sizes)


def pad_inputs(inputs, pad):
    return _of_the_notebook("pad_inputs")(inputs, pad)


def _normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.normal(size=shape) * scale, dtype=np.float32))


def _ids(rng: np.random.Generator, low: int, high: int, *shape: int) -> torch.Tensor:
    """Whole numbers from `low` up to and including `high`."""
    return torch.from_numpy(rng.integers(low, high + 1, size=shape))


def _number(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def _lengths_mask(lengths: list[int], longest: int | None = None) -> torch.Tensor:
    return torch.arange(longest or max(lengths)) < torch.tensor(lengths)[:, None]


def _linear(rng: np.random.Generator, path: str, into: int, out: int) -> dict[str, torch.Tensor]:
    return {
        f"{path}.weight": _normal(rng, out, into, scale=1.2 / math.sqrt(into)),
        f"{path}.bias": _normal(rng, out, scale=0.3),
    }


def _norm(rng: np.random.Generator, path: str, d_model: int) -> dict[str, torch.Tensor]:
    return {
        f"{path}.weight": 1 + _normal(rng, d_model, scale=0.3),
        f"{path}.bias": _normal(rng, d_model, scale=0.3),
    }


# 1. wordpiece ---------------------------------------------------------------------------------

_BEGINNINGS = ["un", "over", "re", "mis", "under", "out", "pre", "inter"]
_MIDDLES = ["watch", "play", "direct", "think", "cast", "read", "film", "laugh", "stand"]
_ENDINGS = ["able", "ing", "er", "less", "ed", "ful", "ness"]


def _pick(rng: np.random.Generator, words: list[str]) -> str:
    return words[int(rng.integers(len(words)))]


def _inside(*parts: str) -> set[str]:
    return {f"##{part}" for part in parts}


def _wordpiece_cases(rng: np.random.Generator) -> Iterator[Case]:
    def parts() -> tuple[str, str, str]:
        return _pick(rng, _BEGINNINGS), _pick(rng, _MIDDLES), _pick(rng, _ENDINGS)

    first, middle, last = parts()
    word = first + middle + last
    pieces = {first, *_inside(middle, last)}
    yield Case("values", [word, pieces])
    traps = {middle, last, *_inside(first, middle[-1] + last)}
    letters = {first[0], *_inside(*word)}
    yield Case("values", [word, pieces | traps | letters], title="many pieces to choose from")
    yield Case("values", [word, pieces | letters | {word}], title="the whole word is a piece")
    first, middle, last = parts()
    yield Case(
        "values", [middle + last, {first, middle, *_inside(first, last)}], title="two pieces"
    )
    word = first + middle + last
    pieces = {first, first + middle[:-1], *_inside(middle, last, *word)}
    yield Case("values", [word, pieces])
    first, middle, last = parts()
    pieces = {first, middle, last, *_inside(middle, *last)}
    title = "the ending is a piece at the start of a word only"
    yield Case("values", [first + middle + last, pieces], title=title)

    first, middle, last = parts()
    pieces = {first, *first, last, *last, *_inside(*first, last, *last)}
    title = "no piece has the letter in the middle"
    yield Case("unknown", [f"{first}{_pick(rng, list('øßñç'))}{last}", pieces], title=title)
    pieces = {first, *_inside(middle, *middle)}
    title = "no piece has the last letter"
    yield Case("unknown", [first + middle + _pick(rng, list("éöåü")), pieces], title=title)
    first, middle, last = parts()
    pieces = {first, first + middle[:2], *_inside(middle)}
    title = "the longest first piece leads nowhere"
    yield Case("unknown", [first + middle, pieces], title=title)
    title = "both parts are pieces inside a word only"
    yield Case("unknown", [middle + last, _inside(middle, last)], title=title)

    yield Case("edges", ["", {first, middle, *_inside(last)}], title="an empty word")
    letter, other = rng.permutation(list("abcdefghijk"))[:2].tolist()
    yield Case("edges", [letter, {letter, *_inside(other)}], title="one letter")
    yield Case("edges", [letter, {other, *_inside(other)}], title="one letter, not a piece")
    n = int(rng.choice([6, 7, 9]))  # from the right, and in two pieces, it comes out otherwise
    pieces = {letter, 2 * letter, *_inside(letter, 3 * letter)}
    yield Case("edges", [n * letter, pieces], title="the same letter again and again")
    first, middle, _ = parts()
    word = (first + middle).capitalize()
    pieces = {first, word[: len(first)], *_inside(middle)}
    yield Case("edges", [word, pieces], title="a capital letter, and a piece that has it")
    # The last one, because who does not come to an end here is not asked any further.
    title = 'the sign "#" is a piece, too, and no piece has the last letter'
    yield Case("edges", [first + _pick(rng, list("éöåü")), {first, "#", "###"}], title=title)


wordpiece = Exercise(
    "wordpiece", points={"values": 2, "unknown": 1, "edges": 1}, cases=_wordpiece_cases
)


@wordpiece.misconception(
    "It takes the shortest piece that fits, so words fall apart into letters. Try the longest"
    " first and shorten it only when there is no such piece."
)
def wordpiece_shortest(word, pieces):
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(start + 1, len(word) + 1):
            if mark + word[start:end] in pieces:
                break
        else:
            return ["[UNK]"]
        found.append(mark + word[start:end])
        start = end
    return found


@wordpiece.misconception(
    "Within a word it looks for pieces without ##. A piece that goes on within a word stands in"
    " the vocabulary with ## in front; without it, it is another piece, one that begins a word."
)
def wordpiece_without_marks(word, pieces):
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if word[start:end] in pieces:
                break
        else:
            return ["[UNK]"]
        found.append(word[start:end])
        start = end
    return found


@wordpiece.misconception(
    'The pieces are found with ## but returned without. The marks belong to the names: "able" and'
    ' "##able" are two different pieces.'
)
def wordpiece_drops_marks(word, pieces):
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in pieces:
                break
        else:
            return ["[UNK]"]
        found.append(word[start:end])
        start = end
    return found


@wordpiece.misconception(
    "When nothing fits, the pieces found so far are kept and [UNK] comes after them. One place"
    " where nothing fits makes the whole word unknown: then [UNK] is all there is."
)
def wordpiece_keeps_the_beginning(word, pieces):
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in pieces:
                break
        else:
            return [*found, "[UNK]"]
        found.append(mark + word[start:end])
        start = end
    return found


@wordpiece.misconception(
    "Every word of more than one piece becomes [UNK]. When the whole word is no piece, look for"
    " the longest piece at its beginning, and go on from where that ends. And see that the search"
    " can end well: a rest of which only ## is left is not empty."
)
def wordpiece_whole_words(word, pieces):
    if not word:
        return []
    return [word] if word in pieces else ["[UNK]"]


@wordpiece.misconception(
    "The first piece is looked up with ##, too. The marks say that a piece goes on within a word,"
    " so the piece that begins the word has none."
)
def wordpiece_marks_the_first(word, pieces):
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if "##" + word[start:end] in pieces:
                break
        else:
            return ["[UNK]"]
        found.append("##" + word[start:end])
        start = end
    return found


@wordpiece.misconception(
    "A letter without a piece is skipped in silence. Then nobody could tell the word from"
    " another; it should become [UNK] as a whole."
)
def wordpiece_skips(word, pieces):
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in pieces:
                found.append(mark + word[start:end])
                start = end
                break
        else:
            start += 1
    return found


@wordpiece.misconception(
    "A letter without a piece becomes [UNK] and the rest of the word is cut on. The word as a"
    " whole should become a single [UNK]."
)
def wordpiece_unknown_letters(word, pieces):
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in pieces:
                found.append(mark + word[start:end])
                start = end
                break
        else:
            found.append("[UNK]")
            start += 1
    return found


@wordpiece.misconception(
    "When the longest piece leads nowhere, shorter ones are tried instead. That finds a way more"
    " often, but WordPiece never goes back: the longest piece is taken, come what may."
)
def wordpiece_goes_back(word, pieces):
    def cut(start):
        if start == len(word):
            return []
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            rest = cut(end) if mark + word[start:end] in pieces else None
            if rest is not None:
                return [mark + word[start:end], *rest]
        return None

    found = cut(0)
    return ["[UNK]"] if found is None else found


@wordpiece.misconception(
    "It starts at the end of the word and takes the longest ending first. Go from left to right:"
    " the longest piece at the beginning comes first."
)
def wordpiece_from_the_right(word, pieces):
    found, end = [], len(word)
    while end > 0:
        for start in range(end):
            mark = "##" if start else ""
            if mark + word[start:end] in pieces:
                break
        else:
            return ["[UNK]"]
        found.insert(0, mark + word[start:end])
        end = start
    return found


@wordpiece.misconception("An empty word has no letters and so no pieces: an empty list, not [UNK].")
def wordpiece_empty_is_unknown(word, pieces):
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in pieces:
                break
        else:
            return ["[UNK]"]
        found.append(mark + word[start:end])
        start = end
    return found or ["[UNK]"]


@wordpiece.misconception(
    'An unknown word gives the text "[UNK]" where a list is expected. Whoever goes through the'
    " result would meet its five characters, one by one."
)
def wordpiece_unknown_is_text(word, pieces):
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in pieces:
                break
        else:
            return "[UNK]"
        found.append(mark + word[start:end])
        start = end
    return found


@wordpiece.misconception(
    "Every word becomes [UNK]: the end is never reached. A slice stops before its end, and"
    " `range` does too, so check what both say for the longest piece. And a rest of which only ##"
    " is left is not empty."
)
def wordpiece_stops_early(word, pieces):
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word) - 1, start, -1):
            if mark + word[start:end] in pieces:
                break
        else:
            return ["[UNK]"]
        found.append(mark + word[start:end])
        start = end
    return found


@wordpiece.misconception(
    "After the first piece only the whole rest is looked up. The rest of a word may be several"
    " pieces: search it the same way, as long as there is some left."
)
def wordpiece_two_pieces(word, pieces):
    if not word:
        return []
    for end in range(len(word), 0, -1):
        if word[:end] in pieces:
            rest = "##" + word[end:]
            if end == len(word):
                return [word]
            return [word[:end], rest] if rest in pieces else ["[UNK]"]
    return ["[UNK]"]


@wordpiece.misconception(
    "A piece of a single letter is never found. `range` stops before its end, so its last step"
    " must still leave one letter to look up."
)
def wordpiece_never_one_letter(word, pieces):
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start + 1, -1):
            if mark + word[start:end] in pieces:
                break
        else:
            return ["[UNK]"]
        found.append(mark + word[start:end])
        start = end
    return found


@wordpiece.misconception(
    "The word is turned into lower case. Whether a model knows capitals was settled before, when"
    " the text was split into words: look the word up as it is."
)
def wordpiece_lowers(word, pieces):
    found, start, word = [], 0, word.lower()
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in pieces:
                break
        else:
            return ["[UNK]"]
        found.append(mark + word[start:end])
        start = end
    return found


@wordpiece.alternative
def wordpiece_by_recursion(word, pieces):
    def cut(rest, mark):
        if rest == "":
            return []
        for end in range(len(rest), 0, -1):
            if mark + rest[:end] in pieces:
                others = cut(rest[end:], "##")
                return None if others is None else [mark + rest[:end], *others]
        return None

    found = cut(word, "")
    return ["[UNK]"] if found is None else found


@wordpiece.alternative
def wordpiece_by_the_vocabulary(word, pieces):
    found, rest, mark = [], word, ""
    while rest:
        fitting = [p for p in pieces if len(p) > len(mark) and (mark + rest).startswith(p)]
        if not fitting:
            return ["[UNK]"]
        found.append(max(fitting, key=len))
        rest, mark = rest[len(found[-1]) - len(mark) :], "##"
    return found


# 2. pack_texts --------------------------------------------------------------------------------


def _pack_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, first: int, second: int | None, max_length: int, title: str = "") -> Case:
        cls, sep = rng.permutation(np.arange(1, 9))[:2].tolist()
        texts = [None if n is None else _ids(rng, 10, 99, n).tolist() for n in (first, second)]
        return Case(group, [*texts, max_length, cls, sep], title=title)

    n, m = _number(rng, 2, 4), _number(rng, 5, 7)
    yield case("single", n, None, n + _number(rng, 4, 6))
    yield case("single", m, None, m - 1, title="too long")
    yield case("single", n, None, n + 2, title="fits exactly")
    yield case("single", n + 1, None, n + 2, title="one piece too many")
    yield case("single", 0, None, 5, title="an empty text")
    yield case("pairs", n, 2, n + _number(rng, 6, 8))
    yield case("pairs", n, m, n + m + 3, title="a pair that fits exactly")
    yield case("pairs", n, 0, n + 5, title="an empty second text is still a second text")
    yield case("pairs", 0, n, n + 5, title="an empty first text")
    yield case("cutting", m + 2, 3, m + 4, title="the first text is longer")
    yield case("cutting", 2, m + 2, m + 3, title="the second text is longer")
    yield case("cutting", m, m, 2 * m + 2, title="equally long, one piece too many")
    title = "the longer one changes on the way"
    yield case("cutting", m + 3, m, m + 3 + m % 2, title=title)
    yield case("cutting", n, m, 3, title="no room for any piece")


pack = Exercise("pack_texts", points={"single": 1, "pairs": 1, "cutting": 2}, cases=_pack_cases)


@pack.misconception("The last [SEP] is missing. Every text ends with one, the second as well.")
def pack_without_last_sep(first, second, max_length, cls, sep):
    if second is None:
        ids = [cls, *first[: max_length - 1]]
        return ids, [0] * len(ids)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 2:
        (first if len(first) > len(second) else second).pop()
    return [cls, *first, sep, *second], [0] * (len(first) + 2) + [1] * len(second)


@pack.misconception(
    "The [SEP] between the texts is given segment 1. It ends the first text and belongs to it:"
    " segment 0."
)
def pack_middle_sep_in_the_second(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) > len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 1) + [1] * (len(second) + 2)


@pack.misconception(
    "The special pieces go in first, and then the end is cut off, the last [SEP] with it. Cut the"
    " texts so that the special pieces still fit."
)
def pack_cuts_the_end(first, second, max_length, cls, sep):
    ids = [cls, *first, sep]
    segments = [0] * len(ids)
    if second is not None:
        ids += [*second, sep]
        segments += [1] * (len(second) + 1)
    return ids[:max_length], segments[:max_length]


@pack.misconception(
    "What is too long is always taken from the second text. It is taken from the longer one, so"
    " that a short text is not lost beside a long one."
)
def pack_cuts_the_second(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (second or first).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "What is too long is always taken from the first text. It is taken from the longer one, so"
    " that a short text is not lost beside a long one."
)
def pack_cuts_the_first(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first or second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "Everything is taken from the text that is longer at the start. After each piece look again"
    " which one is longer now: they get shorter in turn once they are equal."
)
def pack_looks_once(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    extra = max(len(first) + len(second) - (max_length - 3), 0)
    if len(first) > len(second):
        first = first[: max(len(first) - extra, 0)]
    else:
        second = second[: max(len(second) - extra, 0)]
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "Each text gets half of the room. A short one does not need its half; the long one may have"
    " what is left."
)
def pack_in_halves(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    room = max_length - 3
    if len(first) + len(second) > room:
        first, second = first[: room - room // 2], second[: room // 2]
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "The lists that were given get shorter. Somebody may need them again: cut copies."
)
def pack_changes_the_lists(first, second, max_length, cls, sep):
    if second is None:
        while len(first) > max_length - 2:
            first.pop()
        return [cls, *first, sep], [0] * (len(first) + 2)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) > len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "The result of a pair is one id too long. Two texts need three special pieces, not two."
)
def pack_counts_two(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 2:
        (first if len(first) > len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "Nothing is ever cut. What is longer than max_length, special pieces included, loses its last"
    " pieces."
)
def pack_never_cuts(first, second, max_length, cls, sep):
    ids = [cls, *first, sep]
    segments = [0] * len(ids)
    if second is not None:
        ids += [*second, sep]
        segments += [1] * (len(second) + 1)
    return ids, segments


@pack.misconception(
    "The special pieces are not counted, so the result is longer than max_length. Leave room for"
    " them."
)
def pack_counts_no_special(first, second, max_length, cls, sep):
    if second is None:
        first = first[:max_length]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length:
        (first if len(first) > len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "A single text is cut as if it were a pair: it needs two special pieces, so one place stays"
    " empty."
)
def pack_leaves_room(first, second, max_length, cls, sep):
    cut, rest = list(first), list(second or [])
    while len(cut) + len(rest) > max_length - 3:
        (cut if len(cut) > len(rest) else rest).pop()
    if second is None:
        return [cls, *cut, sep], [0] * (len(cut) + 2)
    return [cls, *cut, sep, *rest, sep], [0] * (len(cut) + 2) + [1] * (len(rest) + 1)


@pack.misconception("Of two equally long texts the first loses a piece. The second should.")
def pack_equal_cuts_the_first(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) >= len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception("The beginnings of the texts are lost. Take the pieces away at the end.")
def pack_cuts_beginnings(first, second, max_length, cls, sep):
    first, second, single = list(first), list(second or []), second is None
    while len(first) + len(second) > max_length - 3 + single:
        (first if len(first) > len(second) else second).pop(0)
    ids = [cls, *first, sep]
    segments = [0] * len(ids)
    if not single:
        ids += [*second, sep]
        segments += [1] * (len(second) + 1)
    return ids, segments


@pack.misconception(
    "An empty second text is treated as if there were none. None means a single text; an empty"
    " list is a text without pieces, and it still gets its [SEP]."
)
def pack_empty_is_none(first, second, max_length, cls, sep):
    if not second:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) > len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "The second text is in segment 0 as well. The segments tell the model where the one text ends"
    " and the other begins: the second one, with its [SEP], is in segment 1."
)
def pack_one_segment(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) > len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * len(ids)


@pack.misconception(
    "The segments are counted from 1. The first text is in segment 0: the ids pick rows of a"
    " table, and a table's first row is row 0."
)
def pack_segments_from_one(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [1] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) > len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [1] * (len(first) + 2) + [2] * (len(second) + 1)


@pack.misconception(
    "The beginning of a single text that is too long is lost. Take the pieces away at its end."
)
def pack_keeps_the_end_of_one(first, second, max_length, cls, sep):
    if second is None:
        first = first[max(len(first) - (max_length - 2), 0) :]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) > len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception("Of a pair the beginnings are lost. Take the pieces away at the end.")
def pack_pops_at_the_beginning(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) > len(second) else second).pop(0)
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "Each text gets half of the room. A short one does not need its half; the long one may have"
    " what is left. And when both fit, nothing is cut."
)
def pack_always_in_halves(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    half = (max_length - 3) // 2
    first, second = first[:half], second[:half]
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "Each text gets half of the room, rounded down. An odd room then loses a place, and a short text"
    " does not need its half: the long one may have what is left."
)
def pack_in_lower_halves(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    half = (max_length - 3) // 2
    if len(first) + len(second) > max_length - 3:
        first, second = first[:half], second[:half]
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "Pieces are only ever taken from the second text, even when it has none left. They are taken"
    " from the longer one."
)
def pack_pops_only_the_second(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        second.pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "Pieces are only ever taken from the first text, even when it has none left. They are taken"
    " from the longer one."
)
def pack_pops_only_the_first(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        first.pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "A single text that is short enough loses pieces, or all of them: a slice up to -0 is empty,"
    " and up to minus a negative number it stops somewhere. Cut only when there is too much."
)
def pack_slices_by_nothing(first, second, max_length, cls, sep):
    if second is None:
        over = len(first) - (max_length - 2)
        first = first[:-over]
        return [cls, *first, sep], [0] * (len(first) + 2)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) > len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "A single text has no [SEP]. Every text ends with one, also when no second text follows."
)
def pack_one_without_sep(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 1]
        return [cls, *first], [0] * (len(first) + 1)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) > len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.misconception(
    "A single text has no [SEP]. Every text ends with one, also when no second text follows. The"
    " room for it is left already."
)
def pack_one_without_sep_but_room(first, second, max_length, cls, sep):
    if second is None:
        first = first[: max_length - 2]
        return [cls, *first], [0] * (len(first) + 1)
    first, second = list(first), list(second)
    while len(first) + len(second) > max_length - 3:
        (first if len(first) > len(second) else second).pop()
    ids = [cls, *first, sep, *second, sep]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pack.alternative
def pack_by_counting(first, second, max_length, cls, sep):
    texts = [first] if second is None else [first, second]
    lengths = [len(text) for text in texts]
    while sum(lengths) + len(texts) + 1 > max_length:
        longest = max(range(len(texts)), key=lambda i: (lengths[i], i))
        lengths[longest] -= 1
    ids, segments = [cls], [0]
    for number, (text, length) in enumerate(zip(texts, lengths)):
        ids += [*text[:length], sep]
        segments += [number] * (length + 1)
    return ids, segments


@pack.alternative
def pack_at_once(first, second, max_length, cls, sep):
    if second is None:
        ids = [cls, *first[: max_length - 2], sep]
        return ids, [0 for _ in ids]
    room = max_length - 3
    if len(first) + len(second) <= room:
        keep = len(first), len(second)
    elif len(first) <= room // 2:
        keep = len(first), room - len(first)
    elif len(second) <= room // 2:
        keep = room - len(second), len(second)
    else:
        keep = room - room // 2, room // 2
    ids = [cls, *first[: keep[0]], sep, *second[: keep[1]], sep]
    return ids, [int(place > keep[0] + 1) for place in range(len(ids))]


# 3. pad_inputs --------------------------------------------------------------------------------


def _pad_cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(*lengths: int) -> list[tuple[list[int], list[int]]]:
        pairs = []
        for length in lengths:
            zeros = _number(rng, 1, length)
            pairs.append((_ids(rng, 10, 99, length).tolist(), [0] * zeros + [1] * (length - zeros)))
        return pairs

    def case(group: str, pairs: list[Any], pad: int, title: str = "") -> Case:
        return Case(group, [pairs, pad], title=title, judge=_EXACT)

    n, pad = _number(rng, 4, 6), _number(rng, 1, 9)
    yield case("values", inputs(2, n), 0)
    yield case("values", inputs(n, 2, 3), pad, title="[PAD] has another id than 0")
    pairs = inputs(n, n - 1, 2)
    for i, (ids, _) in enumerate(pairs):
        ids[i % 2], ids[-1] = pad, pad
    yield case("mask", pairs, pad, title="real pieces have the id of [PAD]: the lengths decide")
    pairs = inputs(n - 1, n)
    pairs[0][0][1] = 0
    yield case("mask", pairs, pad, title="a real piece has the id 0")
    yield case("mask", inputs(3, 3), pad, title="equally long, nothing to fill up")
    yield case("edges", inputs(n), pad, title="a batch of one")
    yield case("edges", inputs(1, 2 * n), pad, title="a text of one piece beside a long one")


pad = Exercise("pad_inputs", points={"values": 1, "mask": 1, "edges": 1}, cases=_pad_cases)


@pad.misconception(
    "The mask is read from the ids: whatever has the id of [PAD] counts as padding. A real piece"
    " may have this id; only the lengths tell what was filled up."
)
def pad_mask_from_ids(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [0] * (longest - len(s)) for _, s in inputs])
    return ids, segments, ids != pad


@pad.misconception(
    "The mask asks which ids are 0. That is neither the id of [PAD] in every model nor what"
    " decides: the lengths tell what was filled up."
)
def pad_mask_from_zeros(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [0] * (longest - len(s)) for _, s in inputs])
    return ids, segments, ids != 0


@pad.misconception(
    "The mask holds the numbers 1.0 and 0.0. It says yes or no: truth values, which `~` and"
    " `masked_fill` understand."
)
def pad_float_mask(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [0] * (longest - len(s)) for _, s in inputs])
    mask = torch.tensor([[1.0] * len(i) + [0.0] * (longest - len(i)) for i, _ in inputs])
    return ids, segments, mask


@pad.misconception(
    "The mask holds the numbers 1 and 0. It says yes or no: truth values. With whole numbers `~`"
    " does something else, and indexing too."
)
def pad_int_mask(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [0] * (longest - len(s)) for _, s in inputs])
    mask = torch.tensor([[1] * len(i) + [0] * (longest - len(i)) for i, _ in inputs])
    return ids, segments, mask


@pad.misconception("The mask is True at the padding. It should be True at the real pieces.")
def pad_inverted_mask(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [0] * (longest - len(s)) for _, s in inputs])
    mask = torch.tensor([[False] * len(i) + [True] * (longest - len(i)) for i, _ in inputs])
    return ids, segments, mask


@pad.misconception(
    "The segments are filled up with 1. Padding belongs to no text; it gets segment 0."
)
def pad_segments_with_one(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [1] * (longest - len(s)) for _, s in inputs])
    mask = torch.tensor([[True] * len(i) + [False] * (longest - len(i)) for i, _ in inputs])
    return ids, segments, mask


@pad.misconception(
    "The segments are filled up with the id of [PAD]. That is a piece's number; a segment is 0 or"
    " 1, and padding gets 0."
)
def pad_segments_with_pad(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [pad] * (longest - len(s)) for _, s in inputs])
    mask = torch.tensor([[True] * len(i) + [False] * (longest - len(i)) for i, _ in inputs])
    return ids, segments, mask


@pad.misconception(
    "The ids are filled up with 0, whatever `pad` says. Other models have their [PAD] elsewhere."
)
def pad_with_zero(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [0] * (longest - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [0] * (longest - len(s)) for _, s in inputs])
    mask = torch.tensor([[True] * len(i) + [False] * (longest - len(i)) for i, _ in inputs])
    return ids, segments, mask


@pad.misconception(
    "The padding stands in front. Then [CLS] is no longer at the first place, where its vector is"
    " read: fill up at the end."
)
def pad_in_front(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([[pad] * (longest - len(ids)) + ids for ids, _ in inputs])
    segments = torch.tensor([[0] * (longest - len(s)) + s for _, s in inputs])
    mask = torch.tensor([[False] * (longest - len(i)) + [True] * len(i) for i, _ in inputs])
    return ids, segments, mask


@pad.misconception(
    "The texts are cut to the shortest one. Nothing may be lost: the shorter ones are filled up"
    " to the longest."
)
def pad_to_the_shortest(inputs, pad):
    shortest = min(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids[:shortest] for ids, _ in inputs])
    segments = torch.tensor([s[:shortest] for _, s in inputs])
    return ids, segments, torch.ones_like(ids, dtype=torch.bool)


@pad.misconception(
    "The lists that were given are filled up themselves. Somebody may need them again, in another"
    " batch: make new ones."
)
def pad_changes_the_lists(inputs, pad):
    lengths = [len(ids) for ids, _ in inputs]
    for ids, segments in inputs:
        missing = max(lengths) - len(ids)
        ids.extend([pad] * missing)
        segments.extend([0] * missing)
    ids = torch.tensor([ids for ids, _ in inputs])
    segments = torch.tensor([s for _, s in inputs])
    return ids, segments, torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


@pad.misconception(
    "The mask is True everywhere, so that the padding counts as real. It is False where something"
    " was filled up."
)
def pad_mask_of_ones(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [0] * (longest - len(s)) for _, s in inputs])
    return ids, segments, torch.ones(len(inputs), longest, dtype=torch.bool)


@pad.misconception(
    "The mask has the shape (B, 1, L). The axis for the words that look comes in later, with"
    " padding_mask; here it is (B, L)."
)
def pad_mask_with_an_axis(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [0] * (longest - len(s)) for _, s in inputs])
    mask = torch.tensor([[True] * len(i) + [False] * (longest - len(i)) for i, _ in inputs])
    return ids, segments, mask[:, None]


@pad.misconception("The order is ids, mask, segments. The docstring promises ids, segments, mask.")
def pad_other_order(inputs, pad):
    longest = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [0] * (longest - len(s)) for _, s in inputs])
    mask = torch.tensor([[True] * len(i) + [False] * (longest - len(i)) for i, _ in inputs])
    return ids, mask, segments


@pad.alternative
def pad_with_torch(inputs, pad):
    ids, segments = ([torch.tensor(row) for row in rows] for rows in zip(*inputs))
    real = [torch.ones(len(row), dtype=torch.bool) for row in ids]
    fill_up = nn.utils.rnn.pad_sequence
    return (
        fill_up(ids, batch_first=True, padding_value=pad),
        fill_up(segments, batch_first=True),
        fill_up(real, batch_first=True, padding_value=False),
    )


@pad.alternative
def pad_row_by_row(inputs, pad):
    lengths = [len(ids) for ids, _ in inputs]
    shape = (len(inputs), max(lengths))
    all_ids = torch.full(shape, pad)
    all_segments = torch.zeros(shape, dtype=torch.long)
    for row, (ids, segments) in enumerate(inputs):
        all_ids[row, : len(ids)] = torch.tensor(ids)
        all_segments[row, : len(ids)] = torch.tensor(segments)
    return all_ids, all_segments, torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


# 4. BertEmbeddings ----------------------------------------------------------------------------


def _embeddings_state(
    rng: np.random.Generator,
    sizes: tuple[int, int, int, int],
    path: str = "",
    scale: float = 1.0,
) -> dict[str, torch.Tensor]:
    n_pieces, d_model, max_length, n_segments = sizes
    return {
        f"{path}pieces.weight": _normal(rng, n_pieces, d_model, scale=scale),
        f"{path}positions.weight": _normal(rng, max_length, d_model, scale=scale),
        f"{path}segments.weight": _normal(rng, n_segments, d_model, scale=scale),
    } | _norm(rng, f"{path}norm", d_model)


def _embeddings_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, n_texts: int, length: int, **more: Any) -> Case:
        n_pieces, d_model = _number(rng, 7, 9), more.pop("d_model", 4)
        max_length = length + more.pop("spare", 2)
        n_segments = more.pop("n_segments", 2)
        sizes = (n_pieces, d_model, max_length, n_segments)
        scale = more.pop("scale", 30.0)  # large, so that eps shows where they are tiny only
        state = _embeddings_state(rng, sizes, scale=scale)
        state |= more.pop("hooks", {})
        ids = _ids(rng, 0, n_pieces - 1, n_texts, length)
        segments = _ids(rng, 0, n_segments - 1, n_texts, length)
        segments[0, 0], segments[0, -1] = 0, n_segments - 1
        segments = segments.sort(dim=1).values  # one text after the other
        if more.pop("gaps", False):
            ids, segments = ids.T.contiguous().T, segments.T.contiguous().T
        kwargs = {"max_length": max_length, "n_segments": n_segments, "dropout": 0.0}
        kwargs |= more.pop("options", {})
        then = [("__call__", ids, segments), *more.pop("reads", [])]
        return Case(group, [n_pieces, d_model], kwargs, state=state, then=then, **more)

    (length,) = (_number(rng, 3, 5),)
    yield case("values", 2, length)
    yield case("values", 3, 3, d_model=3, title="three texts of three pieces")
    yield case("values", 1, length, title="a batch of one")
    yield case("values", 2, length, spare=0, title="as long as there are positions")
    yield case("values", 2, 1, title="texts of one piece")
    yield case("norm", 2, 3, scale=1e-3, title="tiny vectors: eps must not drown them")
    yield case("norm", 2, 2, n_segments=3, title="three segments")
    yield case("norm", 2, length, gaps=True, title="tensors that are not contiguous")
    title = "dropout 1 in training: nothing is left"
    yield case("dropout", 2, 2, options={"dropout": 1.0}, title=title)
    title = "dropout 1 in evaluation: nothing is dropped"
    hooks = {"_forward_pre_hooks": _TO_EVAL}
    yield case("dropout", 1, 3, options={"dropout": 1.0}, hooks=hooks, title=title)
    sizes = [_number(rng, 5, 9), 2]
    names = ("positions.num_embeddings", "segments.num_embeddings", "dropout.p")
    reads = [(f".{name}",) for name in names]
    yield Case("dropout", sizes, then=reads, title="left to its defaults")
    options = {"max_length": _number(rng, 10, 20), "n_segments": _number(rng, 3, 5)}
    options["dropout"] = _number(rng, 3, 6) / 16
    reads = [(".pieces.num_embeddings",), *reads, (".norm.weight",)]
    title = "how many pieces, positions and segments; the dropout; the norm's weights at the start"
    yield Case("dropout", sizes, options, then=reads, title=title)


embeddings = Exercise(
    "BertEmbeddings", points={"values": 2, "norm": 1, "dropout": 1}, cases=_embeddings_cases
)


@embeddings.misconception(
    "The vectors of the segments are not added. Without them the model cannot tell the second"
    " text from the first."
)
class EmbeddingsWithoutSegments(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places)
        return self.dropout(self.norm(X))


@embeddings.misconception(
    "The vectors of the positions are not added. Without them every order of the pieces looks the"
    " same to the model."
)
class EmbeddingsWithoutPositions(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        X = self.pieces(ids) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception(
    "The segments given are not looked at: every place gets the vector of segment 0."
)
class EmbeddingsOneSegment(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(torch.zeros_like(segments))
        return self.dropout(self.norm(X))


@embeddings.misconception(
    "The positions are counted from 1. The first place has row 0; otherwise the last row of a"
    " full text does not exist."
)
class EmbeddingsCountFromOne(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(1, ids.shape[1] + 1)
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception(
    "The positions count the texts of the batch. They count the places within a text: its axis is"
    " the second one of ids."
)
class EmbeddingsCountTexts(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[0])[:, None]
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception(
    "The ids themselves pick the positions' vectors. A position is where a piece stands, 0, 1, 2,"
    " ..., whatever piece it is."
)
class EmbeddingsPositionsOfIds(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = ids % self.positions.num_embeddings
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception(
    "The normalization has another eps than 1e-12. It shows where the vectors are tiny; BERT's"
    " weights were trained with 1e-12, and nn.LayerNorm's own default is larger."
)
class EmbeddingsOtherEpsilon(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception(
    "Only the pieces' vectors are normalized, before the others are added. First the sum of all"
    " three, then the normalization."
)
class EmbeddingsNormPieces(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.norm(self.pieces(ids)) + self.positions(places) + self.segments(segments)
        return self.dropout(X)


@embeddings.misconception(
    "Each of the three vectors is normalized by itself. First the sum of all three, then one"
    " normalization."
)
class EmbeddingsNormEach(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        parts = self.pieces(ids), self.positions(places), self.segments(segments)
        return self.dropout(sum(self.norm(part) for part in parts))


@embeddings.misconception("The sum is not normalized. `self.norm` is made but never used.")
class EmbeddingsWithoutNorm(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(X)


@embeddings.misconception(
    "The pieces' vectors are multiplied with the root of d_model, as the first transformer does."
    " BERT adds them as they are."
)
class EmbeddingsScaled(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = (
            self.pieces(ids) * math.sqrt(self.norm.normalized_shape[0])
            + self.positions(places)
            + self.segments(segments)
        )
        return self.dropout(self.norm(X))


@embeddings.misconception("Nothing is ever dropped. `self.dropout` acts on the normalized sum.")
class EmbeddingsWithoutDropout(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.norm(X)


@embeddings.misconception(
    "Dropout acts before the normalization, which then blows up what is left. Normalize first,"
    " then drop."
)
class EmbeddingsDropBeforeNorm(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.norm(self.dropout(X))


@embeddings.misconception(
    "Numbers are dropped in evaluation as well: F.dropout does not know about train() and eval()."
    " The layer nn.Dropout does."
)
class EmbeddingsAlwaysDrop(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return F.dropout(self.norm(X), self.dropout.p)


@embeddings.misconception(
    "A part is not found. The parts need the names that the docstring lists under Attributes: a"
    " published model's weights are filled in by these names."
)
class EmbeddingsOtherNames(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.words = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.words(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception("There are always two segments, whatever n_segments says.")
class EmbeddingsTwoSegments(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(2, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception("There are always 512 positions, whatever max_length says.")
class EmbeddingsIgnoreLength(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(512, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception(
    "There is one position too many. Positions are counted from 0, so the last one is max_length"
    " - 1."
)
class EmbeddingsOneMorePosition(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length + 1, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception(
    "The normalization has no weight and no bias: elementwise_affine=False leaves them out. A"
    " published model has both, and they need a place."
)
class EmbeddingsNormWithoutWeights(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12, elementwise_affine=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception("The dropout is always 0.1, whatever `dropout` says.")
class EmbeddingsFixedDropout(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception(
    "The dropout given is not used: nn.Dropout() on its own drops half of all numbers."
)
class EmbeddingsDefaultDropout(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout()

    def forward(self, ids, segments):
        places = torch.arange(ids.shape[1])
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.misconception(
    "The positions start anew at the second text. They go on: the place is counted from the"
    " beginning of the whole input, and the segments say which text it is."
)
class EmbeddingsRestartPositions(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        earlier = (segments[:, None, :] < segments[:, :, None]).sum(dim=-1)
        places = torch.arange(ids.shape[1]) - earlier
        X = self.pieces(ids) + self.positions(places) + self.segments(segments)
        return self.dropout(self.norm(X))


@embeddings.alternative
class EmbeddingsByProducts(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.segments = nn.Embedding(n_segments, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)

    def forward(self, ids, segments):
        X = F.one_hot(ids, self.pieces.num_embeddings).float() @ self.pieces.weight
        X = X + F.one_hot(segments, self.segments.num_embeddings).float() @ self.segments.weight
        X = X + self.positions.weight[None, : ids.shape[1]]
        X = F.layer_norm(X, X.shape[-1:], self.norm.weight, self.norm.bias, 1e-12)
        return F.dropout(X, self.dropout.p, self.training)


@embeddings.alternative
class EmbeddingsPlaceByPlace(nn.Module):
    def __init__(self, n_pieces, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.pieces = nn.Embedding(n_pieces, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        columns = []
        for place in range(ids.shape[1]):
            x = self.pieces.weight[ids[:, place]] + self.segments.weight[segments[:, place]]
            columns.append(self.norm(x + self.positions.weight[place]))
        return self.dropout(torch.stack(columns, dim=1))


# 5. BertEncoder -------------------------------------------------------------------------------


def _block_state(
    rng: np.random.Generator, path: str, d_model: int, d_ff: int
) -> dict[str, torch.Tensor]:
    state: dict[str, torch.Tensor] = {}
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        state |= _linear(rng, f"{path}attention.{name}", d_model, d_model)
    state |= _linear(rng, f"{path}network.W_1", d_model, d_ff)
    state |= _linear(rng, f"{path}network.W_2", d_ff, d_model)
    return state | _norm(rng, f"{path}norm_1", d_model) | _norm(rng, f"{path}norm_2", d_model)


def _encoder_cases(rng: np.random.Generator) -> Iterator[Case]:
    d_model, n_heads = 4, 2

    def case(group: str, n_blocks: int, lengths: list[int], **more: Any) -> Case:
        n_pieces, d_ff, longest = _number(rng, 7, 9), _number(rng, 5, 6), max(lengths)
        max_length, n_segments = longest + 1, more.pop("n_segments", 2)
        path = "embeddings."
        tables = (n_pieces, d_model, max_length, n_segments)
        state = _embeddings_state(rng, tables, path, scale=30.0)  # their eps shows nowhere
        for block in range(n_blocks):
            state |= _block_state(rng, f"blocks.{block}.", d_model, d_ff)
        if more.pop("tiny", False):  # what the block adds and normalizes is about 0.001
            for name in state:
                if name.endswith(("W_V.bias", "W_O.bias", "W_1.bias", "W_2.bias")):
                    state[name] *= 1e-3
                if "norm_1" in name or name.startswith("embeddings.norm"):
                    state[name] *= 1e-3
        state |= _linear(rng, "pooler", d_model, d_model) | more.pop("hooks", {})
        mask = _lengths_mask(lengths)
        ids = _ids(rng, 1, n_pieces - 1, len(lengths), longest) * mask
        segments = torch.zeros_like(ids)
        for row, length in enumerate(lengths):
            segments[row, _number(rng, 1, max(1, length - 1)) : length] = n_segments - 1
        kwargs = {"max_length": max_length, "n_segments": n_segments, "dropout": 0.0}
        kwargs |= more.pop("options", {})
        then = [("__call__", ids, segments, mask), *more.pop("reads", [])]
        sizes = [n_pieces, d_model, n_heads, d_ff, n_blocks]
        # another eps is for the details
        judge = {} if group == "details" else {"rtol": 1e-3, "atol": 1e-3}
        return Case(group, sizes, kwargs, state=state, then=then, judge=judge, **more)

    length = _number(rng, 3, 4)
    yield case("values", 0, [length, length], title="no blocks: embeddings and pooler")
    yield case("values", 1, [length], title="one block, a batch of one")
    yield case("values", 2, [3, 3], title="two blocks")
    yield case("values", 1, [length, length, length], title="three texts of the same length")
    yield case("padding", 1, [_number(rng, 1, 2), 4], title="padding")
    yield case("padding", 2, [4, 2], title="padding, two blocks")
    yield case("padding", 1, [2, 2 + length], title="nothing but [CLS] and [SEP]")
    yield case("details", 1, [length, 2], tiny=True, title="tiny vectors: eps must not drown them")
    yield case("details", 1, [2, 3], n_segments=3, title="three segments")
    rate = {"dropout": _number(rng, 2, 6) / 16}
    reads = [(".embeddings.dropout.p",), (".blocks.0.dropout.p",)]
    title = "a dropout of its own: does it reach embeddings and blocks?"
    hooks = {"_forward_pre_hooks": _TO_EVAL}
    yield case("details", 1, [2], options=rate, hooks=hooks, reads=reads, title=title)
    options = {"max_length": _number(rng, 10, 20), "n_segments": _number(rng, 3, 5)}
    names = ("embeddings.pieces", "embeddings.positions", "embeddings.segments")
    reads = [*((f".{name}.num_embeddings",) for name in names)]
    reads += [(".blocks.0.network.W_1.out_features",)]
    sizes = [_number(rng, 5, 9), d_model, n_heads, d_model, 1]
    title = "how many pieces, positions and segments; how wide the network in a block is"
    yield Case("details", sizes, options, then=reads, title=title)
    title = "dropout 1 in training: it acts in embeddings and blocks, nowhere else"
    yield case("details", 1, [2, 2], options={"dropout": 1.0}, title=title)


encoder = Exercise(
    "BertEncoder", points={"values": 2, "padding": 2, "details": 1}, cases=_encoder_cases
)


@encoder.misconception(
    "The blocks do not get the mask, so every piece looks at the padding, too. Then a text's"
    " vectors depend on how long its neighbors are."
)
class EncoderIgnoresPadding(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X)
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The mask is turned around: the pieces look at the padding only. True means that a place is"
    " real and may be looked at."
)
class EncoderInvertedMask(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, ~padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The blocks get the mask as it is, (B, L). An axis for the pieces that look is missing, so"
    " the rows of the mask are lined up with the wrong places; padding_mask puts the axis in."
)
class EncoderRawMask(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, mask)
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The vectors of the padding are set to 0 in place of a mask. A vector of zeros still gets a"
    " share of the attention; the mask takes it away."
)
class EncoderZeroesPadding(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X * mask[..., None])
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The vectors of the padding are set to 0 on the way. Thanks to the mask nobody looks at them,"
    " so this changes nothing for the others: leave them as the blocks return them."
)
class EncoderEmptiesPadding(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask)) * mask[..., None]
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The networks in the blocks use the ReLU, the block's default. BERT uses the GELU."
)
class EncoderRelu(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, eps=1e-12) for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The blocks normalize with another eps than 1e-12, which shows where the vectors are tiny."
    " Their default is larger; BERT was trained with 1e-12."
)
class EncoderOtherEpsilon(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu")
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The blocks are made with their defaults, the ReLU and eps 1e-5. BERT's blocks use the GELU"
    " and eps 1e-12."
)
class EncoderDefaultBlocks(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The pooler reads the mean of all places. BERT's reads the first place only, where [CLS]"
    " stands."
)
class EncoderPoolsTheMean(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X.mean(dim=1)))


@encoder.misconception(
    "The pooler reads the mean of the real places, as the classifier of assignment 05 does."
    " BERT's reads the first place only, where [CLS] stands."
)
class EncoderPoolsTheMaskedMean(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(
            self.pooler((X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True))
        )


@encoder.misconception("The pooler reads the last place. [CLS] stands at the first one.")
class EncoderPoolsTheLast(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, -1]))


@encoder.misconception(
    "The pooler reads the first text of the batch. The first axis counts texts, the second"
    " places: [CLS] is the first place of each text."
)
class EncoderPoolsTheFirstText(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[0]))


@encoder.misconception("The pooled vector is not squeezed: after the linear layer comes the tanh.")
class EncoderWithoutTanh(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, self.pooler(X[:, 0])


@encoder.misconception(
    "A part has another name or is something else than the docstring lists under Attributes. A"
    " published model's weights are filled in by these names: the pooler, for one, is the linear"
    " layer itself, and the tanh comes after it in `forward`."
)
class EncoderOtherParts(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Sequential(nn.Linear(d_model, d_model), nn.Tanh())

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, self.pooler(X[:, 0])


@encoder.misconception(
    "The vector of [CLS] is returned as it is. The pooler, a linear layer and the tanh, comes on"
    " top."
)
class EncoderWithoutPooler(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, X[:, 0]


@encoder.misconception(
    "The tanh comes before the linear layer. First the linear layer, then the tanh."
)
class EncoderTanhFirst(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, self.pooler(torch.tanh(X[:, 0]))


@encoder.misconception(
    "The pooler reads the embeddings of [CLS], which know nothing yet of the other pieces. It"
    " reads the last block's vector."
)
class EncoderPoolsEmbeddings(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        pooled = torch.tanh(self.pooler(X[:, 0]))
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, pooled


@encoder.misconception(
    "Only the vectors are returned. The pooled vector of [CLS] comes as a second result."
)
class EncoderOnlyVectors(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X


@encoder.misconception(
    "All blocks are one and the same, with the same weights: `[block] * n` repeats one object."
    " Make a new block in each round of a comprehension."
)
class EncoderRepeatsOneBlock(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        block = TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
        self.blocks = nn.ModuleList([block] * n_blocks)
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The blocks are not found: they stand in an ordinary list, or under another name than"
    " `blocks`. PyTorch does not look into lists, so their weights would be neither filled nor"
    " trained; nn.ModuleList is a list that it knows."
)
class EncoderBlocksInAList(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = [
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        ]
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "Every block reads the embeddings, so only the last one counts. A block reads what the block"
    " before it returned."
)
class EncoderBlocksSideBySide(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = E = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(E, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception("The segments given are not handed on: every place is taken for segment 0.")
class EncoderOneSegment(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, torch.zeros_like(ids))
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The dropout does not reach the blocks: each of them takes its default. Hand it on."
)
class EncoderKeepsDropout(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The dropout does not reach the embeddings, which take their default. Hand it on."
)
class EncoderEmbeddingsKeepDropout(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "max_length and n_segments do not reach the embeddings, which take their defaults. Hand them"
    " on."
)
class EncoderForgetsSizes(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, 512, 2, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "max_length and n_segments reach the embeddings in each other's place. BertEmbeddings takes"
    " max_length first."
)
class EncoderSwapsSizes(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, n_segments, max_length, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "n_heads and d_ff reach the blocks in each other's place. TransformerBlock takes d_model,"
    " n_heads, d_ff."
)
class EncoderSwapsBlockSizes(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, d_ff, n_heads, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The dropout reaches neither the embeddings nor the blocks; both take their default. Hand it"
    " on."
)
class EncoderForgetsDropout(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The mask has its new axis at the end, (B, L, 1), so it asks who looks. It should ask who is"
    " looked at, (B, 1, L); padding_mask puts the axis in there."
)
class EncoderMaskOnTheWrongAxis(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, mask[..., None])
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.misconception(
    "The pooled vector comes first. The docstring promises the vectors of the last block first,"
    " then the pooled one."
)
class EncoderOtherOrder(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return torch.tanh(self.pooler(X[:, 0])), X


@encoder.misconception(
    "Dropout acts on the pooled vector as well. It belongs into embeddings and blocks; what reads"
    " the pooled vector may bring its own."
)
class EncoderDropsPooled(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        return X, self.embeddings.dropout(torch.tanh(self.pooler(X[:, 0])))


@encoder.misconception(
    "Dropout acts on the vectors of the last block once more. Embeddings and blocks have dropped"
    " what there is to drop."
)
class EncoderDropsVectors(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        X = self.embeddings.dropout(X)
        return X, torch.tanh(self.pooler(X[:, 0]))


@encoder.alternative
class EncoderTextByText(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.pooler = nn.Linear(d_model, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(n_blocks):
            self.blocks.append(TransformerBlock(d_model, n_heads, d_ff, dropout, "gelu", 1e-12))
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)

    def forward(self, ids, segments, mask):
        texts = []
        for text in range(len(ids)):
            X = self.embeddings(ids[text : text + 1], segments[text : text + 1])
            for block in self.blocks:
                X = block(X, mask[text].expand(1, len(mask[text]), -1))
            texts.append(X)
        X = torch.cat(texts)
        first = X.select(1, 0)
        return X, (first @ self.pooler.weight.T + self.pooler.bias).tanh()


@encoder.alternative
class EncoderFromTheEnd(nn.Module):
    def __init__(
        self, n_pieces, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        sizes = {"dropout": dropout, "activation": "gelu", "eps": 1e-12}
        blocks = [TransformerBlock(d_model, n_heads, d_ff, **sizes) for _ in range(n_blocks)]
        self.blocks = nn.Sequential(*blocks)
        self.embeddings = BertEmbeddings(n_pieces, d_model, max_length, n_segments, dropout)
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        def through(n):
            if n == 0:
                return self.embeddings(ids, segments)
            return self.blocks[n - 1](through(n - 1), mask[:, None, :])

        H = through(len(self.blocks))
        return H, torch.einsum("ij,bj->bi", self.pooler.weight, H[:, 0]).add(
            self.pooler.bias
        ).tanh()


# 6. rename_weights ----------------------------------------------------------------------------

_OUTSIDE = [
    ("embeddings.word_embeddings.weight", (3, 2)),
    ("embeddings.position_embeddings.weight", (4, 2)),
    ("embeddings.token_type_embeddings.weight", (2, 2)),
    ("embeddings.LayerNorm.weight", (2,)),
    ("embeddings.LayerNorm.bias", (2,)),
]
_POOLER = [("pooler.dense.weight", (2, 2)), ("pooler.dense.bias", (2,))]
_IN_LAYER = [
    ("attention.self.query", (2, 2)),
    ("attention.self.key", (2, 2)),
    ("attention.self.value", (2, 2)),
    ("attention.output.dense", (2, 2)),
    ("attention.output.LayerNorm", ()),
    ("intermediate.dense", (3, 2)),
    ("output.dense", (2, 3)),
    ("output.LayerNorm", ()),
]
_HEADS = [
    ("cls.predictions.bias", (3,)),
    ("cls.predictions.transform.dense.weight", (2, 2)),
    ("cls.predictions.transform.LayerNorm.weight", (2,)),
    ("cls.predictions.decoder.weight", (3, 2)),
    ("cls.seq_relationship.weight", (2, 2)),
]


def _published(
    rng: np.random.Generator, n_layers: int, prefix: str = "", pooler: bool = True
) -> dict[str, torch.Tensor]:
    shapes = [*_OUTSIDE, *(_POOLER if pooler else [])]
    for layer in range(n_layers):
        for name, shape in _IN_LAYER:
            path = f"encoder.layer.{layer}.{name}"
            shapes += [(f"{path}.weight", shape or (2,)), (f"{path}.bias", shape[:1] or (2,))]
    return {prefix + name: _normal(rng, *shape) for name, shape in shapes}


def _heads(rng: np.random.Generator) -> dict[str, torch.Tensor]:
    return {name: _normal(rng, *shape) for name, shape in _HEADS}


def _older(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): tensor
        for name, tensor in weights.items()
    }


def _rename_cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("names", [_published(rng, 1)], title="one layer")
    weights = _published(rng, 1, "bert.", pooler=False)
    yield Case("names", [weights], title='all names begin with "bert.", and there is no pooler')
    weights = _published(rng, 0, "bert.") | _heads(rng)
    yield Case("heads", [weights], title="with heads")
    weights = {"bert.embeddings.position_ids": torch.arange(4)[None]} | _published(rng, 0, "bert.")
    weights["classifier.weight"] = _normal(rng, _number(rng, 1, 3), 2)
    title = "a head with another name, and the numbers 0 to 3 beside the positions' vectors"
    yield Case("heads", [weights], title=title)
    norms = {name: w for name, w in _published(rng, 1, "bert.").items() if "LayerNorm" in name}
    yield Case(
        "files", [_older(norms)], title="of an older file the normalizations: gamma and beta"
    )
    path, n = "encoder.layer.{}.attention.output.LayerNorm.bias", _number(rng, 12, 14)
    layers = {path.format(layer): _normal(rng, 1) for layer in range(n)}
    yield Case("files", [layers], title=f"{n} layers, one tensor of each")
    mixed = list((_published(rng, 0, "bert.", pooler=False) | _heads(rng)).items())
    mixed = {
        name: tensor.half() for name, tensor in (mixed[i] for i in rng.permutation(len(mixed)))
    }
    title = "half precision, in another order, no pooler"
    yield Case("files", [mixed], title=title, judge=_EXACT)


rename = Exercise(
    "rename_weights", points={"names": 2, "heads": 1, "files": 1}, cases=_rename_cases
)


@rename.misconception(
    "norm_1 and norm_2 are swapped. The one inside attention.output comes after the attention,"
    " which is the block's first half."
)
def rename_swaps_norms(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_2",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_1",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "The two layers called output.dense are swapped. The one under attention is the attention's"
    " W_O, the other one the network's W_2."
)
def rename_swaps_outputs(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "network.W_2",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "attention.W_O",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    'Positions and segments are swapped. "token type" is the paper\'s word for a segment.'
)
def rename_swaps_tables(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.segments",
        "embeddings.token_type_embeddings": "embeddings.positions",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    'Names that begin with "bert." keep it. BertEncoder\'s names begin with embeddings, blocks or'
    " pooler."
)
def rename_keeps_the_prefix(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        prefix, name = name[: 5 * name.startswith("bert.")], name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{prefix}{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"{prefix}blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    'Only names that begin with "bert." are translated. Some files have it and some do not.'
)
def rename_needs_the_prefix(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        if not name.startswith("bert."):
            continue
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    'Names that begin with "bert." are left out. It is the same encoder: take the beginning away'
    " and translate the rest."
)
def rename_knows_no_prefix(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    '`lstrip` takes away any of the letters b, e, r, t and dots, not the word: "embeddings" loses'
    " its first letter. `removeprefix` takes away a beginning."
)
def rename_strips_letters(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.lstrip("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "What does not belong to the encoder is kept. Heads, and whatever else BertEncoder has no"
    " name for, are to be left out."
)
def rename_keeps_heads(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
        else:
            renamed[name] = tensor
    return renamed


@rename.misconception(
    "The heads are left out, but something without a place in BertEncoder is kept: the file's"
    " list of the numbers of positions. Only what you have a new name for belongs into the result."
)
def rename_keeps_position_ids(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
        elif path == "embeddings":
            renamed[name] = tensor
    return renamed


@rename.misconception(
    "A name that is not in the table stops everything. There may be heads, under whatever name:"
    " leave out what you do not know."
)
def rename_fails_on_strangers(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        else:
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "Older files call the normalization's weight gamma and its bias beta. These names are still"
    " in the result; BertEncoder calls them weight and bias."
)
def rename_keeps_gamma(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "gamma and beta are mixed up. gamma is what a normalized number is multiplied with, the"
    " weight; beta is added, the bias."
)
def rename_swaps_gamma(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".bias").replace(".beta", ".weight")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "A layer's number is taken for one digit, so layers 10, 11, ... all become block 1. Read up"
    " to the next dot."
)
def rename_reads_one_digit(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number[0]}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "The blocks' names begin with encoder.layer, as in the file. In BertEncoder they stand in"
    " `blocks`."
)
def rename_keeps_layer(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"encoder.layer.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "The dictionary that was given is emptied. Somebody may need it again, its heads for example:"
    " leave it as it is."
)
def rename_changes_the_dictionary(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name in list(weights):
        tensor = weights.pop(name)
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "The matrices are turned around. Both sides use nn.Linear, which keeps its weight as (out,"
    " in): nothing is to be turned."
)
def rename_transposes(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            tensor = tensor.mT if tensor.ndim == 2 else tensor
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "The pooler is left out. It may be missing in a file, but where it is, BertEncoder has a"
    " place for it."
)
def rename_loses_the_pooler(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "A file without a pooler stops it. Translate what is there, and ask for nothing else."
)
def rename_needs_a_pooler(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed | {"pooler.weight": renamed["pooler.weight"]}


@rename.misconception(
    "Only names that begin with cls. are left out. Others may have heads of other names, and the"
    " file a list of the positions' numbers: only what you have a new name for belongs into the"
    " result."
)
def rename_drops_only_cls(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
        elif not name.startswith("cls."):
            renamed[name] = tensor
    return renamed


@rename.misconception(
    "Query and key are swapped. Both have the same shape, so only the names can tell: query is"
    " W_Q, key is W_K."
)
def rename_swaps_query_key(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_K",
        "attention.self.key": "attention.W_Q",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "Key and value are swapped. Both have the same shape, so only the names can tell: key is W_K,"
    " value is W_V."
)
def rename_swaps_key_value(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_V",
        "attention.self.value": "attention.W_K",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "Query and value are swapped. Both have the same shape, so only the names can tell: query is"
    " W_Q, value is W_V."
)
def rename_swaps_query_value(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_V",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_Q",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    'The network\'s two layers are swapped. "intermediate" is the one that widens, W_1; "output"'
    " is the one that comes back, W_2."
)
def rename_swaps_network(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_2",
        "output.dense": "network.W_1",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer."):
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "The layers from 10 on are missing: a number of one digit is all that is looked for. Read up"
    " to the next dot."
)
def rename_loses_two_digits(weights):
    outside = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    inside = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        path, kind = name.rsplit(".", 1)
        if path in outside:
            renamed[f"{outside[path]}.{kind}"] = tensor
        elif path.startswith("encoder.layer.") and path[15] == ".":
            _, _, number, rest = path.split(".", 3)
            renamed[f"blocks.{number}.{inside[rest]}.{kind}"] = tensor
    return renamed


@rename.misconception(
    "The replacements get in each other's way: attention.output.dense contains output.dense,"
    " which is replaced first. Put the longer name first, or look the whole name up."
)
def rename_replaces_in_the_wrong_order(weights):
    parts = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
        "encoder.layer.": "blocks.",
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "output.LayerNorm": "norm_2",
        "gamma": "weight",
        "beta": "bias",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        if name.startswith(("cls.", "classifier.")) or name.endswith("position_ids"):
            continue
        for old, new in parts.items():
            name = name.replace(old, new)
        renamed[name] = tensor
    return renamed


@rename.misconception(
    "The replacements get in each other's way: attention.output.LayerNorm contains"
    " output.LayerNorm, which is replaced first. Put the longer name first, or look the whole name"
    " up."
)
def rename_replaces_norms_in_the_wrong_order(weights):
    parts = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
        "encoder.layer.": "blocks.",
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "intermediate.dense": "network.W_1",
        "attention.output.dense": "attention.W_O",
        "output.dense": "network.W_2",
        "output.LayerNorm": "norm_2",
        "attention.output.LayerNorm": "norm_1",
        "gamma": "weight",
        "beta": "bias",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        if name.startswith(("cls.", "classifier.")) or name.endswith("position_ids"):
            continue
        for old, new in parts.items():
            name = name.replace(old, new)
        renamed[name] = tensor
    return renamed


@rename.misconception(
    "The replacements get in each other's way: the names under attention.output contain"
    " output.dense and output.LayerNorm, which are replaced first. Put the longer names first, or"
    " look the whole name up."
)
def rename_replaces_both_in_the_wrong_order(weights):
    parts = {
        "embeddings.word_embeddings": "embeddings.pieces",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
        "encoder.layer.": "blocks.",
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "intermediate.dense": "network.W_1",
        "output.dense": "network.W_2",
        "attention.output.dense": "attention.W_O",
        "output.LayerNorm": "norm_2",
        "attention.output.LayerNorm": "norm_1",
        "gamma": "weight",
        "beta": "bias",
    }
    renamed = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        if name.startswith(("cls.", "classifier.")) or name.endswith("position_ids"):
            continue
        for old, new in parts.items():
            name = name.replace(old, new)
        renamed[name] = tensor
    return renamed


@rename.alternative
def rename_by_replacing(weights):
    parts = [
        ("embeddings.word_embeddings", "embeddings.pieces"),
        ("embeddings.position_embeddings", "embeddings.positions"),
        ("embeddings.token_type_embeddings", "embeddings.segments"),
        ("embeddings.LayerNorm", "embeddings.norm"),
        ("pooler.dense", "pooler"),
        ("encoder.layer.", "blocks."),
        ("self.query", "W_Q"),
        ("self.key", "W_K"),
        ("self.value", "W_V"),
        ("attention.output.dense", "attention.W_O"),
        ("attention.output.LayerNorm", "norm_1"),
        ("intermediate.dense", "network.W_1"),
        ("output.dense", "network.W_2"),
        ("output.LayerNorm", "norm_2"),
        (".gamma", ".weight"),
        (".beta", ".bias"),
    ]
    renamed = {}
    for name in weights:
        new = name[5:] if name.startswith("bert.") else name
        if not new.startswith(("embeddings.", "encoder.", "pooler.")) or "_ids" in new:
            continue
        for old, part in parts:
            new = new.replace(old, part)
        renamed[new] = weights[name].clone()
    return renamed


@rename.alternative
def rename_from_the_other_side(weights):
    inside = {
        "attention.W_Q": "attention.self.query",
        "attention.W_K": "attention.self.key",
        "attention.W_V": "attention.self.value",
        "attention.W_O": "attention.output.dense",
        "norm_1": "attention.output.LayerNorm",
        "network.W_1": "intermediate.dense",
        "network.W_2": "output.dense",
        "norm_2": "output.LayerNorm",
    }
    wanted = {
        "embeddings.pieces": "embeddings.word_embeddings",
        "embeddings.positions": "embeddings.position_embeddings",
        "embeddings.segments": "embeddings.token_type_embeddings",
        "embeddings.norm": "embeddings.LayerNorm",
        "pooler": "pooler.dense",
    }
    for layer in range(len(weights)):
        for new, old in inside.items():
            wanted[f"blocks.{layer}.{new}"] = f"encoder.layer.{layer}.{old}"
    renamed = {}
    for new, old in wanted.items():
        for kind, older in (("weight", "gamma"), ("bias", "beta")):
            for name in (f"{old}.{kind}", f"{old}.{older}"):
                for full in (name, f"bert.{name}"):
                    if full in weights:
                        renamed[f"{new}.{kind}"] = weights[full]
    return renamed


# 7. MaskedPieceHead ---------------------------------------------------------------------------


# Hooks before and after the call: instead of the scores they hand on the gradient of the table.
_TABLE_LEARNS = codec.Source(
    "{0: lambda module, inputs: (inputs[0], inputs[1].clone().requires_grad_())}"
)
_GRADIENT_OF_TABLE = codec.Source(
    "{0: lambda module, inputs, scores: torch.autograd.grad("
    "scores.square().sum() + 0 * inputs[1].sum(), inputs[1])[0]}"
)


def _head_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, H: torch.Tensor, n_pieces: int, **more: Any) -> Case:
        d_model = H.shape[-1]
        scale = more.pop("scale", 1.0)
        while True:  # where the GELU leaves nearly equal numbers, rounding shows, and any eps
            linear = {k: scale * v for k, v in _linear(rng, "transform", d_model, d_model).items()}
            left = F.gelu(H.float() @ linear["transform.weight"].T + linear["transform.bias"])
            least = 0.5 if group == "values" else 0.05 * left.abs().max()
            if left.std(dim=-1).min() > least:
                break
        state = linear | _norm(rng, "norm", d_model)
        state |= {"bias": _normal(rng, n_pieces)} | more.pop("hooks", {})
        table = _normal(rng, n_pieces, d_model).to(H.dtype)
        then = [("__call__", H, table)]
        judge = more.pop("judge", {"atol": 1e-4})
        return Case(group, [n_pieces, d_model], state=state, then=then, judge=judge, **more)

    n, d = _number(rng, 7, 9), _number(rng, 3, 4)
    yield case("values", _normal(rng, 2, 3, d), n)
    yield case("values", _normal(rng, 1, 2, d, scale=2), n + 1, title="a batch of one")
    yield case("values", _normal(rng, 2, 2, 4), 4, title="as many pieces as numbers in a vector")
    yield case("edges", _normal(rng, n, d), n, title="some places only, (n, d)")
    yield case("edges", _normal(rng, d), n, title="a single vector")
    title = "tiny vectors: eps must not drown them"
    yield case("edges", _normal(rng, 2, d), n, scale=1e-3, title=title)
    yield case("edges", _normal(rng, 2, d, 3).mT, n, title="a tensor that is not contiguous")
    hooks = {"_forward_pre_hooks": _TO_HALF}
    H = _normal(rng, 1, 2, d).half()
    rough = {"dtype": "exact", "atol": 0.1}
    yield case("edges", H, n, hooks=hooks, title="half precision", judge=rough)
    hooks = {"_forward_pre_hooks": _TABLE_LEARNS, "_forward_hooks": _GRADIENT_OF_TABLE}
    title = "the gradient of the table, where the squares of all scores are added up"
    yield case("edges", _normal(rng, 2, d), n, hooks=hooks, title=title)
    title = "at the start every bias is 0"
    yield Case("edges", [n, 2], then=[("get_parameter", "bias")], title=title)


head = Exercise("MaskedPieceHead", points={"values": 2, "edges": 1}, cases=_head_cases)


@head.misconception("The activation is the ReLU. BERT uses the GELU here as well.")
class HeadRelu(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(F.relu(self.transform(H)))
        return H @ table.T + self.bias


@head.misconception(
    "This is the GELU's approximation with the tanh. BERT's is the exact one, F.gelu's default."
)
class HeadApproximateGelu(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(F.gelu(self.transform(H), approximate="tanh"))
        return H @ table.T + self.bias


@head.misconception("The activation is the tanh, as in the pooler. Here it is the GELU.")
class HeadTanh(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(torch.tanh(self.transform(H)))
        return H @ table.T + self.bias


@head.misconception("Between the linear layer and the normalization the GELU is missing.")
class HeadWithoutActivation(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(self.transform(H))
        return H @ table.T + self.bias


@head.misconception(
    "The normalization comes before the GELU. First the linear layer, then the GELU, then the"
    " normalization."
)
class HeadNormBeforeGelu(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = F.gelu(self.norm(self.transform(H)))
        return H @ table.T + self.bias


@head.misconception(
    "The vectors are normalized before the linear layer. First the linear layer, then the GELU,"
    " then the normalization."
)
class HeadNormFirst(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = F.gelu(self.transform(self.norm(H)))
        return H @ table.T + self.bias


@head.misconception("The vectors are not normalized. `self.norm` is made but never used.")
class HeadWithoutNorm(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = F.gelu(self.transform(H))
        return H @ table.T + self.bias


@head.misconception(
    "The table is multiplied with H as it is. Before that come the linear layer, the GELU and the"
    " normalization."
)
class HeadWithoutTransform(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        return H @ table.T + self.bias


@head.misconception(
    "The input is added to what the layer makes of it, as in a block. This head only has one way"
    " through."
)
class HeadAddsTheInput(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(H + F.gelu(self.transform(H)))
        return H @ table.T + self.bias


@head.misconception(
    "The normalization has another eps than 1e-12, which shows where the vectors are tiny."
    " nn.LayerNorm's own default is larger."
)
class HeadOtherEpsilon(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(F.gelu(self.transform(H)))
        return H @ table.T + self.bias


@head.misconception(
    "The bias of each piece is not added. It says how likely a piece is anywhere, whatever the"
    " context."
)
class HeadWithoutBias(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(F.gelu(self.transform(H)))
        return H @ table.T


@head.misconception(
    "These are probabilities. Scores are wanted: the loss takes the softmax itself."
)
class HeadProbabilities(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(F.gelu(self.transform(H)))
        return (H @ table.T + self.bias).softmax(dim=-1)


@head.misconception(
    "These are the logarithms of probabilities. Scores are wanted: the loss takes the softmax"
    " itself."
)
class HeadLogProbabilities(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(F.gelu(self.transform(H)))
        return (H @ table.T + self.bias).log_softmax(dim=-1)


@head.misconception(
    "The table is not used: a linear layer of its own makes the scores, with weights nobody"
    " trained. The scores are dot products with the rows of the table that is given."
)
class HeadOwnDecoder(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.decoder = nn.Linear(d_model, n_pieces, bias=False)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(F.gelu(self.transform(H)))
        return self.decoder(H) + self.bias


@head.misconception(
    "A part is not found. The parts need the names that the docstring lists under Attributes: a"
    " published model's weights are filled in by these names."
)
class HeadOtherNames(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(F.gelu(self.dense(H)))
        return H @ table.T + self.bias


@head.misconception(
    "The table is not turned around. Its rows are the pieces' vectors, (n_pieces, d_model); to"
    " take the dot product with every row, its columns have to become rows."
)
class HeadTableNotTurned(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(F.gelu(self.transform(H)))
        return H @ table + self.bias


@head.misconception("The biases start with random numbers. They start with zeros.")
class HeadRandomBias(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.randn(n_pieces))

    def forward(self, H, table):
        H = self.norm(F.gelu(self.transform(H)))
        return H @ table.T + self.bias


@head.misconception(
    "The bias is an ordinary tensor. PyTorch neither trains nor saves it; nn.Parameter makes a"
    " parameter of it."
)
class HeadBiasIsNoParameter(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.zeros(n_pieces)

    def forward(self, H, table):
        H = self.norm(F.gelu(self.transform(H)))
        return H @ table.T + self.bias


@head.misconception(
    "The bias has one number per number of a vector. It has one per piece: n_pieces."
)
class HeadBiasPerNumber(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, H, table):
        H = self.norm(F.gelu(self.transform(H)))
        return H @ table.T + self.bias


@head.misconception(
    "The scores are right, but the table is cut off from the gradients. It is the embeddings' own"
    " table, and it learns from wrong guesses too: leave out `detach()`, `.data` and `no_grad`."
)
class HeadDetachesTable(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.norm(F.gelu(self.transform(H)))
        return H @ table.detach().T + self.bias


@head.alternative
class HeadEinsum(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(n_pieces))
        self.norm = nn.LayerNorm(d_model, 1e-12)
        self.transform = nn.Linear(d_model, d_model)

    def forward(self, H, table):
        X = nn.GELU()(self.transform(H))
        return torch.einsum("...d,nd->...n", self.norm(X), table).add(self.bias)


@head.alternative
class HeadAsALinearLayer(nn.Module):
    def __init__(self, n_pieces, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(n_pieces))

    def forward(self, H, table):
        H = self.transform(H)
        H = H * torch.special.ndtr(H)
        return F.linear(self.norm(H), table, self.bias)


# 8. mask_pieces -------------------------------------------------------------------------------


def _mask_cases(rng: np.random.Generator) -> Iterator[Case]:
    judge = {**_EXACT, "keeps_generators": True}

    def case(group: str, n_texts: int, length: int, **more: Any) -> Case:
        ids = _ids(rng, 10, 99, n_texts, length)
        special = torch.zeros(n_texts, length, dtype=torch.bool)
        special[:, 0] = True
        for row in range(n_texts):
            special[row, length - _number(rng, 1, 2) :] = True
        dice, kind_dice = (torch.from_numpy(rng.random((n_texts, length))) for _ in range(2))
        share = more.pop("share", 0.15)
        low = 0.0 if share == 0.15 else 0.2  # so that another share shows
        # Of the ordinary pieces about half are chosen, and each of the three kinds comes up.
        places = [(row, place) for row in range(n_texts) for place in range(length)]
        places = [place for place in places if not special[place]]
        for i, place in enumerate(places[i] for i in rng.permutation(len(places))):
            if i < max(3, len(places) // 2):
                dice[place] = low + (share - low) * dice[place]
                kind_dice[place] = (0.8, 0.1, 0.1)[i % 3] * kind_dice[place] + (0, 0.8, 0.9)[i % 3]
            else:
                dice[place] = share + (1 - share) * dice[place]
                if i % 2:  # some are of the kind that would get a substitute
                    kind_dice[place] = 0.8 + 0.1 * kind_dice[place]
        dice[special] *= share
        inputs = {"ids": ids, "special": special, "dice": dice, "kind_dice": kind_dice}
        inputs |= more.pop("inputs", lambda given: {})(inputs)
        ids, special, dice, kind_dice = inputs.values()
        substitutes = _ids(rng, 10, 99, *ids.shape)
        kwargs = {} if share == 0.15 else {"share": share}
        args = [ids, special, _number(rng, 1, 9), dice, kind_dice, substitutes]
        return Case(group, args, kwargs, judge=judge, **more)

    length = _number(rng, 8, 10)
    yield case("values", 2, length)
    yield case("values", 3, length - 1)
    yield case("values", 1, length, title="a batch of one")
    share = _number(rng, 5, 8) / 16
    yield case("values", 2, length, share=share, title="another share")

    def on_the_edge(given: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        dice = torch.full_like(given["dice"], 0.25)
        dice[:, ::2] = 0.125
        kind_dice = torch.tensor([0.0, 0.8, 0.9, 0.5])[rng.permutation(4)].double()
        kind_dice = (10 * kind_dice).round() / 10
        special = torch.zeros_like(given["special"])
        return {"special": special, "dice": dice, "kind_dice": kind_dice.repeat_interleave(2)[None]}

    title = "dice that lie exactly at a limit"
    yield case("edges", 1, 8, share=0.25, inputs=on_the_edge, title=title)
    nothing = {"inputs": lambda given: {"dice": given["dice"] * 0.5 + 0.5}}
    yield case("edges", 1, length, **nothing, title="nothing is chosen")
    everything = {"inputs": lambda given: {"special": torch.ones_like(given["special"])}}
    yield case("edges", 1, length, **everything, title="nothing but special pieces")
    gaps = {"inputs": lambda given: {"ids": given["ids"].T.contiguous().T}}
    yield case("edges", 2, 8, **gaps, title="a tensor that is not contiguous")


mask = Exercise("mask_pieces", points={"values": 3, "edges": 1}, cases=_mask_cases)


@mask.misconception(
    "Special pieces are chosen as well. [CLS], [SEP] and [PAD] are no words of the text; there is"
    " nothing to guess."
)
def mask_hides_special(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = dice < share
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "It is just the special pieces that are chosen. `special` is True where nothing may be chosen."
)
def mask_only_special(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "Every place has its piece as a label. Only the chosen ones are guessed; elsewhere the label"
    " is -100, which the loss skips."
)
def mask_labels_everywhere(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels = ids.clone()
    return inputs, labels


@mask.misconception(
    "Places that were not chosen have the label 0. That is a piece, [PAD]; the loss skips -100."
)
def mask_labels_zero(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.zeros_like(ids)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "The chosen places have the label -100, and all others their pieces. It should be the other"
    " way round: what was hidden is to be guessed."
)
def mask_labels_turned_around(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[~chosen] = ids[~chosen]
    return inputs, labels


@mask.misconception(
    "The labels show what the model reads, [MASK] for example. They should show what stood there"
    " before."
)
def mask_labels_the_inputs(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = inputs[chosen]
    return inputs, labels


@mask.misconception(
    "Only the places with [MASK] have a label. A chosen piece that was substituted, or stays, is"
    " to be guessed too; otherwise the model could trust every piece it sees."
)
def mask_labels_only_masks(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[hidden] = ids[hidden]
    return inputs, labels


@mask.misconception(
    "A chosen piece that stays what it is has no label. It is to be guessed as well, although it"
    " can be seen: that keeps the model honest about what it sees."
)
def mask_labels_only_changes(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[hidden | swapped] = ids[hidden | swapped]
    return inputs, labels


@mask.misconception(
    "All chosen pieces become [MASK]. A tenth becomes another piece and a tenth stays;"
    " `kind_dice` says which."
)
def mask_always_masks(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen
    swapped = chosen & ~chosen
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "No chosen piece stays what it is: from 0.8 on all are substituted. Only those below 0.9 are."
)
def mask_never_keeps(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "No piece is ever substituted: from 0.8 on all stay what they are. Between 0.8 and 0.9 the"
    " substitute is taken."
)
def mask_never_substitutes(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice < 0)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "Substituting and staying are mixed up: from 0.8 to 0.9 a piece is substituted, from 0.9 on"
    " it stays."
)
def mask_swaps_the_last_kinds(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "A piece whose die equals the share is chosen. It is chosen below the share only."
)
def mask_chooses_at_the_share(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice <= share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "A kind_dice of exactly 0.8 or 0.9 is counted to the kind below. Each kind ends just before"
    " its limit."
)
def mask_limits_belong_below(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice <= 0.8)
    swapped = chosen & (kind_dice > 0.8) & (kind_dice <= 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "Pieces that were not chosen are hidden or substituted as well: `kind_dice` is asked"
    " everywhere. It only says what happens to a chosen piece."
)
def mask_replaces_the_unchosen(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = ~special & (kind_dice < 0.8)
    swapped = ~special & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "Pieces that were not chosen are substituted as well. `kind_dice` only says what happens to a"
    " chosen piece."
)
def mask_substitutes_the_unchosen(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = ~special & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "Every chosen piece below 0.9 gets its substitute, also those that should become [MASK]. Only"
    " those from 0.8 on do."
)
def mask_substitutes_the_mask(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "It rolls dice of its own. Use those that are given: then the same call always hides the same"
    " pieces."
)
def mask_rolls_its_own_dice(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (torch.rand(ids.shape) < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception("The share is always 0.15, whatever `share` says.")
def mask_fixed_share(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < 0.15) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "The ids that were given are overwritten. They are needed again, with other dice, in the next"
    " epoch: work on a copy."
)
def mask_changes_the_ids(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs, ids = ids, ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception("The labels come first. The docstring promises inputs, labels.")
def mask_other_order(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return labels, inputs


@mask.misconception(
    "All pieces are hidden or substituted by `kind_dice`, special ones included. It only says"
    " what happens to a chosen piece."
)
def mask_replaces_anything(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = kind_dice < 0.8
    swapped = (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "The pieces whose dice are above the share are chosen, 85 percent of them. It should be those"
    " below."
)
def mask_chooses_above(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice > share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "The pieces whose dice are at the share or above are chosen, 85 percent of them. It should be"
    " those below."
)
def mask_chooses_from_the_share_on(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice >= share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "The ids are overwritten first, and then the labels are read from them; and whoever gave the"
    " ids finds them changed. Write into a copy."
)
def mask_overwrites_first(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.misconception(
    "Places that were not chosen have the label -1. F.cross_entropy skips -100, and stumbles over"
    " any other negative number."
)
def mask_labels_minus_one(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    chosen = (dice < share) & ~special
    hidden = chosen & (kind_dice < 0.8)
    swapped = chosen & (kind_dice >= 0.8) & (kind_dice < 0.9)
    inputs = ids.clone()
    inputs[hidden] = mask_id
    inputs[swapped] = substitutes[swapped]
    labels = torch.full_like(ids, -1)
    labels[chosen] = ids[chosen]
    return inputs, labels


@mask.alternative
def mask_piece_by_piece(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    inputs, labels = ids.tolist(), [[-100] * ids.shape[1] for _ in ids]
    for row in range(ids.shape[0]):
        for place in range(ids.shape[1]):
            if special[row, place] or dice[row, place] >= share:
                continue
            labels[row][place] = int(ids[row, place])
            if kind_dice[row, place] < 0.8:
                inputs[row][place] = mask_id
            elif kind_dice[row, place] < 0.9:
                inputs[row][place] = int(substitutes[row, place])
    return torch.tensor(inputs), torch.tensor(labels)


@mask.alternative
def mask_by_filling(ids, special, mask_id, dice, kind_dice, substitutes, share=0.15):
    left = special | (dice >= share)
    labels = ids.masked_fill(left, -100)
    inputs = torch.where(kind_dice < 0.9, substitutes, ids)
    inputs = inputs.masked_fill(kind_dice < 0.8, mask_id)
    return ids * left + inputs * ~left, labels


# 9. word_vectors ------------------------------------------------------------------------------


def _word_vectors_cases(rng: np.random.Generator) -> Iterator[Case]:
    def words(*lengths: int, middle: int | None = None) -> list[int | None]:
        """[CLS], words of so many pieces, a [SEP] before word number `middle`, and [SEP]."""
        found: list[int | None] = [None]
        for word, length in enumerate(lengths):
            found += [None] * (word == middle) + [word] * length
        return [*found, None]

    def case(group: str, numbers: list[int | None], **more: Any) -> Case:
        H = more.pop("H", None)
        H = _normal(rng, len(numbers), _number(rng, 2, 4)) if H is None else H
        return Case(group, [H, numbers], **more)

    n = _number(rng, 3, 4)
    yield case("values", words(1, 1, 1), title="one piece per word")
    yield case("values", words(2, 1, n, 1))
    yield case("values", words(1, n, 2), title="the last word has two pieces")
    yield case("values", words(n, 1, 2, middle=1), title="two texts, with [SEP] between them")
    yield case("edges", words(n), title="a single word")
    yield case("edges", [0, 0, 1][: n - 1], title="no special pieces")
    yield case("edges", [None, None], title="no words")
    yield case("edges", [], H=_normal(rng, 0, n), title="no places at all")
    numbers = words(1, 2, 1)
    gaps = _normal(rng, n, len(numbers)).mT
    yield case("edges", numbers, H=gaps, title="a tensor that is not contiguous")
    half = _normal(rng, len(numbers), n).half()
    yield case("edges", numbers, H=half, title="half precision", judge=_HALF)


word_vectors = Exercise("word_vectors", points={"values": 2, "edges": 1}, cases=_word_vectors_cases)


@word_vectors.misconception(
    "Only the first piece of each word counts. The word's vector is the mean of all its pieces'"
    " vectors."
)
def words_first_piece(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([parts[0] for parts in rows.values()])


@word_vectors.misconception(
    "Only the last piece of each word counts. The word's vector is the mean of all its pieces'"
    " vectors."
)
def words_last_piece(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([parts[-1] for parts in rows.values()])


@word_vectors.misconception(
    "The pieces' vectors are added. Their mean is wanted; otherwise words of many pieces get long"
    " vectors."
)
def words_sum(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(parts).sum(dim=0) for parts in rows.values()])


@word_vectors.misconception(
    "The largest of each number is taken. The mean of the pieces' vectors is wanted."
)
def words_largest(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(parts).amax(dim=0) for parts in rows.values()])


@word_vectors.misconception(
    "The mean runs along the numbers of a vector, so a word becomes a few single numbers. It runs"
    " over the word's pieces."
)
def words_mean_over_numbers(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(parts).mean(dim=1) for parts in rows.values()])


@word_vectors.misconception(
    "All pieces are averaged into one vector. One vector per word is wanted."
)
def words_one_mean(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([h for parts in rows.values() for h in parts]).mean(dim=0, keepdim=True)


@word_vectors.misconception(
    "The special pieces make a word of their own. Where `words` says None there is no word: leave"
    " these places out."
)
def words_keep_special(H, words):
    rows = {}
    for h, word in zip(H, words):
        rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in rows.values()])


@word_vectors.misconception(
    "Special pieces are counted to word 0. Where `words` says None there is no word: leave these"
    " places out."
)
def words_special_in_front(H, words):
    rows = {}
    for h, word in zip(H, words):
        rows.setdefault(word or 0, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in rows.values()])


@word_vectors.misconception(
    "A special piece is counted to the word before it. Where `words` says None there is no word:"
    " leave these places out."
)
def words_special_to_neighbors(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is None and rows:
            word = max(rows)
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in rows.values()])


@word_vectors.misconception(
    "Word 0 is lost: the number 0 counts as false, like None. Ask whether it is None."
)
def words_lose_word_zero(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in rows.values()])


@word_vectors.misconception(
    "The last word is missing. The numbers are counted from 0, so there is one word more than the"
    " largest number."
)
def words_lose_the_last(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in list(rows.values())[:-1]])


@word_vectors.misconception(
    "There is one row per place, the word's vector repeated. One row per word is wanted."
)
def words_one_row_per_piece(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(rows[w]).mean(dim=0) for w in words if w is not None])


@word_vectors.misconception(
    "The first and the last place are taken for special, and no others. `words` says which places"
    " are: None."
)
def words_drop_both_ends(H, words):
    rows = {}
    for h, word in zip(H[1:-1], words[1:-1]):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in rows.values()])


@word_vectors.misconception(
    "The sum of a word's pieces is divided by the number of all places. It is divided by the"
    " number of its own pieces."
)
def words_divide_by_places(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(parts).sum(dim=0) / len(words) for parts in rows.values()])


@word_vectors.misconception(
    "Without a word there is nothing to stack, and it stops. The result then has no rows: (0, d)."
)
def words_fail_without_words(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in rows.values()])


@word_vectors.misconception(
    "Without words the result is an empty vector. It should still know how long a vector is: (0,"
    " d)."
)
def words_flat_without_words(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return torch.zeros(0)
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in rows.values()])


@word_vectors.misconception("Without words there is one row of zeros. It should be no row: (0, d).")
def words_zeros_without_words(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return torch.zeros(1, H.shape[1])
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in rows.values()])


@word_vectors.misconception(
    "The result is a list of vectors. One tensor is wanted, with a row per word."
)
def words_list(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    return [torch.stack(parts).mean(dim=0) for parts in rows.values()]


@word_vectors.misconception(
    "From three pieces on the last ones count too much: the mean of a mean and another piece is"
    " not the mean of all. Collect a word's pieces first."
)
def words_running_mean(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows[word] = [(rows[word][0] + h) / 2] if word in rows else [h]
    if not rows:
        return H[:0]
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in rows.values()])


@word_vectors.misconception(
    "None is no number: it cannot be added, nor compared by `max` or `<`. Leave the special"
    " places out before you calculate with the words' numbers."
)
def words_calculate_with_none(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    assert max(words) >= 0
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in rows.values()])


@word_vectors.misconception(
    "torch.tensor makes no number of None. Leave the special places out before you calculate with"
    " the words' numbers."
)
def words_tensor_of_none(H, words):
    rows = {}
    for h, word in zip(H, words):
        if word is not None:
            rows.setdefault(word, []).append(h)
    if not rows:
        return H[:0]
    assert len(torch.tensor(words))
    return torch.stack([torch.stack(parts).mean(dim=0) for parts in rows.values()])


@word_vectors.alternative
def words_by_a_matrix(H, words):
    number = torch.tensor([-1 if word is None else word for word in words], dtype=torch.long)
    n = max([-1, *number.tolist()]) + 1
    belongs = (torch.arange(n)[:, None] == number).to(H.dtype)
    return belongs @ H / belongs.sum(dim=1, keepdim=True)


@word_vectors.alternative
def words_by_adding_up(H, words):
    places = [place for place, word in enumerate(words) if word is not None]
    number = torch.tensor([words[place] for place in places], dtype=torch.long)
    n = len(set(number.tolist()))
    sums = H.new_zeros(n, H.shape[1]).index_add(0, number, H[places])
    return sums / torch.bincount(number, minlength=n)[:, None].to(H.dtype)


# 10. BertClassifier ---------------------------------------------------------------------------

# An encoder without blocks, whose vectors and pooled vectors depend on ids, segments and mask.
# Its weights are zeros until a case sets them, so that making it rolls no dice.
_TINY_ENCODER = """type("TinyEncoder", (torch.nn.Module,), {{
    "forward": lambda self, ids, segments, mask: (
        E := self.pieces(ids) + self.segments(segments),
        self.dropout(torch.where(mask[..., None], E, 0.0).sum(dim=1).tanh()),
    ),
    "__init__": lambda self: [
        torch.nn.Module.__init__(self),
        setattr(self, "pieces", torch.nn.Embedding.from_pretrained(torch.zeros({n}, {d}), False)),
        setattr(self, "segments", torch.nn.Embedding.from_pretrained(torch.zeros(2, {d}), False)),
        setattr(self, "dropout", torch.nn.Dropout(0.0)),
    ] and None,
}})()"""
# A hook after the call: instead of the scores it hands on which parts get gradients from them.
_LEARNS = codec.Source(
    """{0: lambda module, inputs, scores: [
    scores.requires_grad and scores.sum().backward(),
    {name: any(p.grad is not None for p in getattr(module, name).parameters())
     for name in ("encoder", "output")},
][-1]}"""
)


# Tells how it was called. Its pooled vector is [1, 1] where segments and mask came as they should.
# Segments: nothing or no tensor 0, truth values 2, decimal numbers 3. Mask: nothing or no tensor 0.
_ASKED_ENCODER = """type("AskedEncoder", (torch.nn.Module,), {{
    "forward": lambda self, ids, segments=None, mask=None: (
        torch.zeros(*ids.shape, 2),
        torch.tensor([[
            {{None: 0.0, torch.bool: 2.0, torch.float32: 3.0}}.get(getattr(given, "dtype", None), 1.0)
            for given in (segments, mask if mask is None else ids)
        ]]).expand(len(ids), 2),
    ),
}})()"""


def _one_line(text: str, **values: Any) -> str:
    """The text with its values, in one line, as it is shown with a case."""
    line = " ".join(text.format(**values).split())
    return line.replace("( ", "(").replace("{ ", "{").replace(", )", ")").replace(", }", "}")


def _bert_classifier_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, lengths: list[int], **more: Any) -> Case:
        n_pieces, d_model = _number(rng, 7, 9), _number(rng, 3, 4)
        source = _one_line(_TINY_ENCODER, n=n_pieces, d=d_model)
        state = {
            "encoder.pieces.weight": _normal(rng, n_pieces, d_model, scale=0.5),
            "encoder.segments.weight": _normal(rng, 2, d_model, scale=0.5),
            "encoder.dropout.p": more.pop("inner", 0.0),
        }
        state |= _linear(rng, "output", d_model, 1) | more.pop("hooks", {})
        mask = _lengths_mask(lengths)
        ids = _ids(rng, 1, n_pieces - 1, *mask.shape) * mask
        kwargs = {"dropout": 0.0} | more.pop("options", {})
        then = [("__call__", ids, mask), *more.pop("reads", [])]
        return Case(group, [codec.Source(source), d_model], kwargs, state=state, then=then, **more)

    length = _number(rng, 3, 5)
    yield case("scores", [length, length])
    yield case("scores", [length, 2, 3], title="padding")
    yield case("scores", [length], title="a batch of one")
    frozen = {"frozen": True}
    yield case("frozen", [length, 2], options=frozen, title="frozen: the scores are the same")
    title = "frozen: which parts get gradients"
    learns = {"_forward_hooks": _LEARNS}
    yield case("frozen", [length, 2], options=frozen, hooks=learns, title=title)
    title = "frozen: do the encoder's weights still ask for gradients?"
    reads = [(".encoder.pieces.weight.requires_grad",)]
    yield case("frozen", [length, 2], options=frozen, reads=reads, title=title)
    title = "not frozen: which parts get gradients"
    yield case("frozen", [length, 3], hooks=learns, title=title)
    title = "frozen, in training: the encoder's dropout, 1, stays off"
    yield case("frozen", [length, 2], options=frozen, inner=1.0, title=title)
    title = "frozen, after train(): the encoder's dropout, 1, stays off"
    hooks = {"_forward_pre_hooks": _TO_TRAIN}
    yield case("frozen", [length, 2], options=frozen, inner=1.0, hooks=hooks, title=title)
    everything = {"dropout": 1.0}
    title = "dropout 1 in training: only the bias is left"
    yield case("dropout", [length, 2], options=everything, title=title)
    title = "dropout 1 in evaluation: nothing is dropped"
    hooks = {"_forward_pre_hooks": _TO_EVAL}
    yield case("dropout", [length, 2], options=everything, inner=1.0, hooks=hooks, title=title)
    title = "not frozen, in training: the encoder's dropout, 1, is on"
    yield case("dropout", [length, 2], inner=1.0, title=title)
    title = "frozen, in training: the classifier's own dropout, 1, is on"
    yield case("dropout", [length, 2], options=frozen | everything, title=title)
    sizes = [codec.Source(_one_line(_TINY_ENCODER, n=7, d=2)), 2]
    reads = [(".dropout.p",), (".output.out_features",)]
    title = "left to its defaults; how many numbers come out"
    yield Case("dropout", sizes, then=reads, title=title)
    title = "a dropout of its own"
    rate = {"dropout": _number(rng, 3, 6) / 16}
    yield Case("dropout", sizes, rate, then=[(".dropout.p",)], title=title)
    state = _linear(rng, "output", 2, 1)
    mask = _lengths_mask([8, 7, 6, 5])  # long, so that plainer cases are shown first
    then = [("__call__", _ids(rng, 1, 6, *mask.shape) * mask, mask)]
    sizes = [codec.Source(_one_line(_ASKED_ENCODER)), 2]
    title = "an encoder that only looks at how it is called"
    yield Case("scores", sizes, {"dropout": 0.0}, state=state, then=then, title=title)


bert_classifier = Exercise(
    "BertClassifier",
    points={"scores": 2, "frozen": 2, "dropout": 1},
    cases=_bert_classifier_cases,
)


@bert_classifier.misconception(
    "The scores read the mean of all places. They should read the pooled vector, the encoder's"
    " second result."
)
class BertPoolsTheMean(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[0].mean(dim=1))).squeeze(-1)


@bert_classifier.misconception(
    "The scores read the vector of [CLS] as it leaves the last block. They should read the pooled"
    " vector, the encoder's second result."
)
class BertTakesTheFirstVector(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[0][:, 0])).squeeze(-1)


@bert_classifier.misconception(
    "The linear layer reads the vectors of all places. It should read the pooled vector: one"
    " score per text."
)
class BertReadsEveryPlace(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[0])).squeeze(-1)


@bert_classifier.misconception(
    "`frozen` changes nothing: the encoder's weights get gradients and its dropout stays on."
)
class BertNeverFreezes(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)

    def forward(self, ids, mask):
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "When frozen, the encoder's weights stay as they are, but its dropout is still on in"
    " training. The linear layer should read the same vector of a text every time."
)
class BertFrozenDrops(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "When frozen, the encoder's dropout is off, but its weights still get gradients. eval() only"
    " changes what layers do; it stops nobody from learning. Nor does `encoder.requires_grad ="
    " False`, which only gives the module a new attribute: requires_grad_(False), with the"
    " underscore, reaches its weights."
)
class BertFrozenLearns(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "When frozen, the encoder goes into evaluation as the classifier is made, and the next"
    " train() brings it back. It has to stay off whatever mode the classifier is put into."
)
class BertFreezesOnce(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False).eval()

    def forward(self, ids, mask):
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception("The encoder is always frozen, even when `frozen` is False.")
class BertAlwaysFreezes(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        self.frozen = True
        self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "The encoder never learns: its result is cut off from the gradients, even when `frozen` is"
    " False."
)
class BertAlwaysDetaches(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1].detach())).squeeze(-1)


@bert_classifier.misconception(
    "The encoder's dropout is always off. It should be off only when the encoder is frozen."
)
class BertNeverDropsInside(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "When frozen, the linear layer does not learn either, so nothing is left to train. Freeze the"
    " encoder only."
)
class BertFreezesTheOutput(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "When frozen, the whole classifier goes into evaluation, its own dropout included. Only the"
    " encoder's stays off."
)
class BertFrozenDropsNothing(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "All places are in segment 1. A single text is the first one: segment 0."
)
class BertSegmentOne(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.ones_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "The encoder is told that everything is real, padding included. Hand the mask on."
)
class BertIgnoresPadding(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), torch.ones_like(mask))
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "Mask and segments are given in the wrong order: the encoder takes ids, segments, mask."
)
class BertOtherOrder(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, mask, torch.zeros_like(ids))
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "The encoder is called with two inputs. It takes three: ids, segments, mask."
)
class BertForgetsSegments(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "A part is not found. The parts need the names that the docstring lists under Attributes."
)
class BertOtherNames(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.classifier(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "These are probabilities. Scores are wanted: the loss puts the sigmoid on top, in a way that"
    " does not overflow."
)
class BertGivesProbabilities(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1).sigmoid()


@bert_classifier.misconception(
    "The scores have the shape (B, 1). One number per text is wanted, (B,): take the last axis"
    " away."
)
class BertKeepsTheLastAxis(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1]))


@bert_classifier.misconception(
    "A bare `squeeze()` removes the batch as well when it holds a single text. Say which axis it"
    " may take."
)
class BertSqueezesTheBatch(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze()


@bert_classifier.misconception(
    "The pooled vector is not dropped out: `self.dropout` is made but never used."
)
class BertWithoutDropout(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(result[1]).squeeze(-1)


@bert_classifier.misconception(
    "Dropout acts on the scores. It acts on the pooled vector, before the linear layer."
)
class BertDropsScores(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.dropout(self.output(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "The pooled vector goes through another tanh. The encoder's pooler has done that already."
)
class BertTanhAgain(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1].tanh())).squeeze(-1)


@bert_classifier.misconception(
    "The encoder gets None, or a single number, as segments. It looks up a vector for each place:"
    " make a tensor of zeros, whole numbers, as large as ids."
)
class BertGivesNoSegments(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, None, mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "The segments are decimal numbers: torch.zeros makes 0.0. They pick rows of a table, so they"
    " must be whole numbers, as ids are."
)
class BertDecimalSegments(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros(ids.shape), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "The encoder returns two things, the vectors and the pooled vectors, and both go into the"
    " dropout together. Take the second one."
)
class BertTakesBoth(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result)).squeeze(-1)


@bert_classifier.misconception(
    "Two numbers come out per text. With one score, above 0 for positive, one is enough:"
    " nn.Linear(d_model, 1)."
)
class BertTwoOutputs(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 2)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "The dropout given is not used: nn.Dropout() on its own drops half of all numbers."
)
class BertDefaultDropout(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout()
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception("The dropout is always 0.1, whatever `dropout` says.")
class BertFixedDropout(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(0.1)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.misconception(
    "The encoder gets no gradients when frozen, but its weights do not know: their requires_grad"
    " is still True, so whoever counts the weights to be learned counts millions. Tell them with"
    " requires_grad_(False)."
)
class BertFreezesByDetaching(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            pass

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1].detach() if self.frozen else result[1])).squeeze(
            -1
        )


@bert_classifier.misconception(
    "The frozen encoder goes into evaluation when `train` is called. But a new module is in"
    " training before anybody calls `train`, so until then it drops. Put the encoder into"
    " evaluation in `forward`."
)
class BertFreezesInTrain(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        if frozen:
            self.encoder.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self

    def forward(self, ids, mask):
        result = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(result[1])).squeeze(-1)


@bert_classifier.alternative
class BertThatStaysInEvaluation(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.output = nn.Linear(d_model, 1)
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.is_frozen = frozen
        self.train()
        for parameter in encoder.parameters():
            parameter.requires_grad = not frozen

    def train(self, mode=True):
        super().train(mode)
        if self.is_frozen:
            self.encoder.eval()
        return self

    def forward(self, ids, mask):
        segments = torch.zeros(ids.shape, dtype=torch.long)
        pooled = self.encoder(ids, segments, mask)[1]
        return self.output(self.dropout(pooled))[:, 0]


@bert_classifier.alternative
class BertWithoutGradients(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder = encoder
        self.frozen = frozen
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        for weight in encoder.parameters():
            weight.requires_grad_(not frozen)

    def forward(self, ids, mask):
        self.encoder.train(self.training and not self.frozen)
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            _, pooled = self.encoder(ids, 0 * ids, mask)
        weight, bias = self.output.weight[0], self.output.bias
        return torch.einsum("bd,d->b", self.dropout(pooled), weight) + bias


# 11. learning_rate ----------------------------------------------------------------------------


def _rate_cases(rng: np.random.Generator) -> Iterator[Case]:
    judge = {"atol": 1e-9}

    def case(group: str, step: int, n_steps: int, warmup: float | None = None, **more: Any) -> Case:
        peak = float(rng.choice([1e-4, 2e-4, 3e-4, 5e-4, 1e-3, 0.01]))
        kwargs = {} if warmup is None else {"warmup": warmup}
        return Case(group, [step, n_steps, peak], kwargs, judge=judge, **more)

    n = 20 * _number(rng, 3, 9)
    yield case("values", n // 20, n, title="half of the warm-up")
    yield case("values", n // 10, n, title="the end of the warm-up")
    yield case("values", 0, n, title="the first step")
    yield case("values", n, n, title="the end")
    yield case("values", n // 2, n)
    yield case("values", n - _number(rng, 1, 3), n, title="shortly before the end")
    yield case("warmup", n // 10, n, 0.25, title="a longer warm-up")
    yield case("warmup", n // 2 + 3, n, 0.5, title="up during one half, down during the other")
    yield case("warmup", 0, n, 0.0, title="no warm-up, the first step")
    yield case("warmup", n // 4, n, 0.0, title="no warm-up")
    odd = _number(rng, 2, 4) * 10 + 7
    title = "the warm-up ends between two steps"
    yield case("warmup", odd // 10, odd, title=title)
    yield case("warmup", odd // 10 + 1, odd, title=title)
    yield case("warmup", _number(rng, 1, 3), 7, 1.0, title="nothing but warm-up")
    yield case("warmup", n, n, 1.0, title="nothing but warm-up, the end")


rate = Exercise("learning_rate", points={"values": 2, "warmup": 1}, cases=_rate_cases)


@rate.misconception(
    "There is no warm-up: the rate is `peak` from the first step on. It should start at 0 and"
    " rise to the peak."
)
def rate_starts_at_the_peak(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step <= top:
        return peak
    return peak * (n_steps - step) / (n_steps - top)


@rate.misconception(
    "After the warm-up the rate stays at `peak`. It should fall, and be 0 at the end."
)
def rate_stays_at_the_peak(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step <= top:
        return peak * step / top
    return peak


@rate.misconception(
    "Without a warm-up it divides by 0. Then the rate starts at `peak` and only falls."
)
def rate_divides_by_zero(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if step <= top:
        return peak * step / top
    return peak * (n_steps - step) / (n_steps - top)


@rate.misconception("Without a warm-up the first step has the rate 0. It should start at `peak`.")
def rate_zero_without_warmup(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step <= top:
        return peak * step / top
    if step == 0:
        return 0.0
    return peak * (n_steps - step) / (n_steps - top)


@rate.misconception(
    "The way down is counted from step 0, so the rate jumps where the warm-up ends. It starts"
    " there, at `peak`."
)
def rate_falls_from_the_start(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step <= top:
        return peak * step / top
    return peak * (n_steps - step) / n_steps


@rate.misconception(
    "Both lines are multiplied, so the peak is never reached. Up to the end of the warm-up only"
    " the one counts, after it only the other."
)
def rate_multiplies_both(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step <= top:
        return peak * step / top * (n_steps - step) / n_steps
    return peak * (n_steps - step) / n_steps


@rate.misconception("`//` divides whole numbers and throws the rest away. A plain `/` keeps it.")
def rate_divides_whole(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step <= top:
        return peak * (step // top)
    return peak * (n_steps - step) / (n_steps - top)


@rate.misconception(
    "The rate falls as fast as it rose and goes below 0. It has all the steps after the warm-up"
    " to fall to 0."
)
def rate_falls_as_it_rose(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step <= top:
        return peak * step / top
    return peak * (1 - (step - top) / max(top, 1))


@rate.misconception(
    "The rate falls as fast as it rose and then stays 0. It has all the steps after the warm-up"
    " to fall to 0."
)
def rate_falls_and_waits(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step <= top:
        return peak * step / top
    return peak * max(1 - (step - top) / max(top, 1), 0)


@rate.misconception(
    "The warm-up is rounded to whole steps. It may end between two of them: nothing is to be"
    " rounded."
)
def rate_whole_steps(step, n_steps, peak, warmup=0.1):
    top = int(warmup * n_steps)
    if top > 0 and step <= top:
        return peak * step / top
    return peak * (n_steps - step) / (n_steps - top)


@rate.misconception("The first step already has a rate above 0. At step 0 the rise has not begun.")
def rate_counts_from_one(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step <= top:
        return peak * min((step + 1) / top, 1)
    return peak * (n_steps - step) / (n_steps - top)


@rate.misconception("The rate is 0 one step too early. It is 0 at step n_steps.")
def rate_ends_a_step_early(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step <= top:
        return peak * step / top
    return peak * max(n_steps - 1 - step, 0) / max(n_steps - 1 - top, 1)


@rate.misconception(
    "`warmup` is taken for a number of steps. It is a share: 0.1 means a tenth of the steps."
)
def rate_counts_warmup_steps(step, n_steps, peak, warmup=0.1):
    top = warmup
    if top > 0 and step <= top:
        return peak * step / top
    return peak * (n_steps - step) / (n_steps - top)


@rate.misconception("The warm-up is always a tenth, whatever `warmup` says.")
def rate_fixed_warmup(step, n_steps, peak, warmup=0.1):
    top = 0.1 * n_steps
    if top > 0 and step <= top:
        return peak * step / top
    return peak * (n_steps - step) / (n_steps - top)


@rate.misconception("After the warm-up the rate follows a cosine. It is a straight line here.")
def rate_cosine(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step <= top:
        return peak * step / top
    return peak * (1 + math.cos(math.pi * (step - top) / (n_steps - top))) / 2


@rate.misconception("The result is a share of the peak. Multiply with `peak`.")
def rate_is_a_share(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    peak = 1.0
    if top > 0 and step <= top:
        return peak * step / top
    return peak * (n_steps - step) / (n_steps - top)


@rate.misconception(
    "With nothing but warm-up it divides by 0 at the last step. The last step still belongs to"
    " the rise, and there `peak` is reached."
)
def rate_fails_at_the_end(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if top > 0 and step < top:
        return peak * step / top
    return peak * (n_steps - step) / (n_steps - top)


@rate.alternative
def rate_as_the_lower_line(step, n_steps, peak, warmup=0.1):
    rising = step / (warmup * n_steps) if warmup else 1.0
    falling = (1 - step / n_steps) / (1 - warmup) if warmup < 1 else 1.0
    return peak * min(rising, falling)


@rate.alternative
def rate_between_points(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    if warmup == 0:
        return float(np.interp(step, [0, n_steps], [peak, 0]))
    return float(np.interp(step, [0, top, n_steps], [0, peak, 0 if warmup < 1 else peak]))


# 12. predict_scores ---------------------------------------------------------------------------

# A model that scores a text by the mean over its real pieces, weighted by their places. It refuses
# more texts at once than `most`, counts its calls, and puts itself where a step after the call finds
# it. It also switches gradients on, which an earlier wrong answer may have switched off for good.
_TINY_MODEL = """type("TinyModel", (torch.nn.Module,), {{
    "forward": lambda self, ids, mask: (
        torch.where(mask, self.dropout(self.pieces(ids)[..., 0]), 0.0)
        @ (1 + torch.arange(ids.shape[1])).float() / mask.sum(dim=1)
    ) if not self.calls.append(len(ids)) and len(ids) <= {most} else (_ for _ in ()).throw(
        MemoryError(f"{{len(ids)}} texts go through the model together, but batch_size is {most}")
    ),
    "__init__": lambda self: [
        torch.nn.Module.__init__(self),
        setattr(self, "pieces", torch.nn.Embedding.from_pretrained(torch.tensor({table}), False)),
        setattr(self, "dropout", torch.nn.Dropout({dropout})),
        setattr(self, "calls", []),
        setattr(torch.nn, "_model_under_check", self),
        torch.set_grad_enabled(True),
    ] and None,
}})().train({training})"""
_ITS_MODE = (
    "new_tensor",
    codec.Source("[part.training for part in torch.nn._model_under_check.modules()]"),
)
_ITS_CALLS = ("new_tensor", codec.Source("[len(torch.nn._model_under_check.calls)]"))
# It reads the switch and puts it back, so that nothing after the check computes without gradients.
_GRADIENTS_ON = (
    "new_tensor",
    codec.Source("[torch.is_grad_enabled(), torch.set_grad_enabled(True)][:1]"),
)


def _predict_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, lengths: list[int], batch_size: int, **more: Any) -> Case:
        n_pieces = _number(rng, 7, 9)
        source = _one_line(
            _TINY_MODEL,
            most=batch_size,
            table=[[round(float(x), 2)] for x in 1 + rng.normal(size=n_pieces)],
            dropout=more.pop("dropout", 1.0),
            training=more.pop("training", False),
        )
        inputs = [_ids(rng, 1, n_pieces - 1, length).tolist() for length in lengths]
        if more.pop("zeros", False):
            for ids in inputs:
                ids[-2] = 0
        return Case(group, [codec.Source(source), inputs, batch_size], **more)

    n = _number(rng, 5, 7)
    yield case("values", [n, n, n, n], 2)
    yield case("values", [n, n, n, n, n], 2, title="the last batch is smaller")
    yield case("values", [3, 3, 3], 1, title="batch_size 1")
    title = "five texts in batches of two: how often is the model called?"
    yield case("values", [n, n, n, n, n], 2, then=[_ITS_CALLS], title=title)
    yield case("padding", [n, 3, 4], 3, title="one batch, with padding")
    yield case("padding", [3, n, n + 1, 4, 3], 2, title="batches of other lengths")
    yield case("padding", [3, 4], _number(rng, 4, 9), title="more room than texts")
    title = "a real piece has the id 0: the lengths decide"
    yield case("padding", [n, 4], 2, zeros=True, title=title)
    title = "a model in training, with dropout 1"
    yield case("modes", [n, 3, 4], 2, training=True, title=title)
    reads = [_ITS_MODE]
    title = "a model in training: do it and its dropout train on afterwards? 1 for yes"
    yield case("modes", [n, 3], 2, training=True, then=reads, title=title)
    title = "a model in evaluation: do it and its parts train afterwards? 0 for no"
    yield case("modes", [n, 3], 1, then=reads, title=title)
    title = "do the scores carry gradients?"
    yield case("modes", [n, 4], 1, then=[(".requires_grad",)], title=title)
    reads = [(".shape",), _ITS_MODE]
    title = (
        "no texts, a model in training: the shape, and do it and its dropout train on? 1 for yes"
    )
    yield case("edges", [], n, training=True, then=reads, title=title)
    yield case("edges", [n], 2, title="a single text")
    # The last one: it switches gradients on again, should they be off.
    title = "are gradients switched on again afterwards? 1 for yes"
    yield case("modes", [3, 3], 2, then=[_GRADIENTS_ON], title=title)


scores = Exercise(
    "predict_scores",
    points={"values": 1, "padding": 2, "modes": 1, "edges": 1},
    cases=_predict_cases,
)


@scores.misconception(
    "The model's dropout is on, so chance has a say in the scores. Put the model into evaluation"
    " first."
)
def scores_with_dropout(model, inputs, batch_size):
    training = model.training
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "The model is left in evaluation, although it was in training. Whoever trains on would train"
    " without dropout and never notice."
)
def scores_stay_in_evaluation(model, inputs, batch_size):
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "The model is put into training at the end, whatever it was before. Remember its mode at the"
    " start and bring that back."
)
def scores_always_train(model, inputs, batch_size):
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train()
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "The mask says that everything is real, padding included. Then a score depends on how long"
    " the neighbors in the batch are."
)
def scores_ignore_padding(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, torch.ones_like(mask)))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception("The mask is turned around: True means that a place is real.")
def scores_invert_the_mask(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, ~mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "The mask holds numbers. The model asks for truth values, True at real pieces."
)
def scores_float_mask(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask.float()))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "The last texts are lost when they do not fill a batch. The last batch may be smaller."
)
def scores_lose_the_last_batch(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs) - batch_size + 1, batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception("Only the first batch is scored. Go on until there are no texts left.")
def scores_only_one_batch(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
            break
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "It returns within the loop, after the first batch, and leaves the model in evaluation."
    " Collect the scores, and return after the loop."
)
def scores_return_in_the_loop(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            return model(ids, mask)
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "The texts are sorted by length, which is a good idea, but their scores come back sorted as"
    " well. Bring them back into the order of the inputs."
)
def scores_by_length(model, inputs, batch_size):
    training = model.training
    model.eval()
    inputs = sorted(inputs, key=len)
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "The list that was given is sorted. Whoever gave it still relies on its order: work on a"
    " copy, and bring the scores back into the order of the inputs."
)
def scores_sort_the_inputs(model, inputs, batch_size):
    training = model.training
    model.eval()
    inputs.sort(key=len)
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "The scores still hang on the computation behind them, for gradients that nobody asks for."
    " That takes a lot of memory; compute without gradients."
)
def scores_with_gradients(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.enable_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "Without texts there is nothing to put together, and it stops. The result then is an empty"
    " tensor, (0,)."
)
def scores_fail_without_texts(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores)


@scores.misconception(
    "All texts go through the model together, whatever batch_size says. With many texts that"
    " needs more memory than there is."
)
def scores_all_at_once(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores, batch_size = [], max(len(inputs), 1)
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "All texts of a batch are cut to the shortest one. Fill them up to the longest and say with"
    " the mask what is real."
)
def scores_cut(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            rows = [row[: min(map(len, rows))] for row in rows]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "The result is a list with one tensor per batch. Put them together into one tensor, (N,)."
)
def scores_in_a_list(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return scores


@scores.misconception(
    "The batches' scores are stacked, which makes a new axis, and fails when the last batch is"
    " smaller. Put them one after the other: (N,)."
)
def scores_stacked(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.stack(scores) if scores else torch.zeros(0)


@scores.misconception("These are probabilities. The model's scores are wanted as they are.")
def scores_probabilities(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores).sigmoid() if scores else torch.zeros(0)


@scores.misconception("The result is a list of numbers. A tensor is wanted, (N,).")
def scores_numbers(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores).tolist() if scores else []


@scores.misconception(
    "At the end the model says that it is in training, but its parts are not: `model.training ="
    " ...` sets this one flag, train(...) reaches the layers inside as well."
)
def scores_set_the_flag(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.training = training
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "Gradients are switched off and never on again, so the next training stops with an error. A"
    " `with` block switches them on again at its end."
)
def scores_gradients_off(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    torch.set_grad_enabled(False)
    if True:
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception("Without texts it returns before the model's old mode is brought back.")
def scores_return_early(model, inputs, batch_size):
    training = model.training
    model.eval()
    if not inputs:
        return torch.zeros(0)
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "The texts go through the model one at a time. The scores are right, but nothing is computed"
    " side by side: take batch_size texts in each call."
)
def scores_one_by_one(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores, batch_size = [], 1
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "The mask is read from the ids: every 0 counts as padding. A real piece may have this id;"
    " only the lengths tell what was filled up."
)
def scores_mask_from_ids(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, _ = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, ids != 0))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.misconception(
    "pad_inputs gets bare lists of ids. It wants pairs, (ids, segments): give each text zeros as"
    " segments."
)
def scores_bare_lists(model, inputs, batch_size):
    training = model.training
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs(rows, 0)
            scores.append(model(ids, mask))
    model.train(training)
    return torch.cat(scores) if scores else torch.zeros(0)


@scores.alternative
def scores_of_one_table(model, inputs, batch_size):
    if not inputs:
        return torch.zeros(0)
    was_training = model.training
    ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in inputs], 0)
    batches = zip(ids.split(batch_size), mask.split(batch_size))
    result = torch.cat([model.train(False)(*batch).detach() for batch in batches])
    model.train(was_training)
    return result


@scores.alternative
def scores_sorted_and_back(model, inputs, batch_size):
    before = model.training
    model.eval()
    order = sorted(range(len(inputs)), key=lambda i: -len(inputs[i]))
    result = torch.empty(len(inputs))
    with torch.inference_mode():
        while order:
            batch, order = order[:batch_size], order[batch_size:]
            rows = [torch.tensor(inputs[i]) for i in batch]
            ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
            lengths = torch.tensor([len(row) for row in rows])
            result[batch] = model(ids, torch.arange(ids.shape[1]) < lengths[:, None])
    model.train(before)
    return result
