"""Published texts with people's labels, grouped by phenomenon with fixed rules.

The shipped challenge set was written and labeled by a language model. `published_challenge` collects
texts of published data sets that ask the same questions, so that what a model does on the one can be
tested on the other. `phenomenon_of` has the rules for sentences, `is_long` the one for reviews.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from coursekit.data.errors import DamagedFile, DataError
from coursekit.data.loading import load
from coursekit.data.types import Corpus, TextDataset, shuffled
from coursekit.text import tokenize

#: The phenomena that a rule can find, in the order of the challenge set.
FOUND_BY_RULE = (
    "plain",
    "negation",
    "contrast",
    "thwarted",
    "comparison",
    "neutral_words",
    "unseen",
    "long",
)
NEGATORS = frozenset(
    "not n't never no nothing none nobody neither nor hardly barely rarely without cannot "
    "fails fail failed lacks lack lacking".split()
)
CONTRASTS = frozenset("but yet although though despite while however".split())
_PUNCTUATION = frozenset(", ; : -- ... . ! ?".split())
_CLOSING = _PUNCTUATION | {"''", "-rrb-"}
_COMPARATIVE = re.compile(r"more|less|better|worse|fewer|(?!other|rather|never|ever)[a-z]{2,}er")
_WORD = re.compile(r"[\w']+")
NEUTRAL = 2


class Phrase(NamedTuple):
    """Words `start` to `end` (excluded) of a sentence, and their label from 0 to 4."""

    start: int
    end: int
    label: int

    @property
    def sign(self) -> int:
        """Sign of the label: -1 negative, 0 neutral, 1 positive."""
        return (self.label > NEUTRAL) - (self.label < NEUTRAL)


@dataclass(frozen=True)
class LabeledTree:
    """Sentence of the treebank: its words in lower case, and every phrase with its label.

    A single word is a phrase, too. The whole sentence is not among `phrases`; its label is `label`.
    """

    words: list[str]
    phrases: list[Phrase]
    label: int

    def opinions(self) -> list[Phrase]:
        """Return the single words that people labeled positive or negative, without negators."""
        return [
            phrase
            for phrase in self.phrases
            if phrase.end - phrase.start == 1
            and phrase.sign
            and self.words[phrase.start] not in NEGATORS
            and self.words[phrase.start][0].isalnum()
        ]

    def has(self, words: Collection[str]) -> bool:
        """Tell whether one of these words is in the sentence."""
        return any(word in words for word in self.words)

    def before(self, end: int) -> Phrase | None:
        """Return the longest phrase that ends before word `end`, punctuation skipped."""
        while end and self.words[end - 1] in _PUNCTUATION:
            end -= 1
        return min((p for p in self.phrases if p.end == end), default=None)

    def after(self, start: int) -> Phrase | None:
        """Return the longest phrase that begins with word `start`."""
        return max((p for p in self.phrases if p.start == start), default=None)


def read_tree(line: str) -> LabeledTree:
    """Read a sentence of "sst-trees".

    Parameters
    ----------
    line : str
        A tree in brackets, each with a label from 0 (very negative) to 4 (very positive).

    Returns
    -------
    LabeledTree

    Raises
    ------
    DamagedFile
        The brackets are no tree of this kind.

    Examples
    --------
    >>> read_tree("(1 (1 Not) (3 good))")
    LabeledTree(words=['not', 'good'], phrases=[Phrase(start=0, end=1, label=1), \
Phrase(start=1, end=2, label=3)], label=1)
    """
    words: list[str] = []
    phrases: list[Phrase] = []
    open_phrases: list[tuple[int, int]] = []
    for bracket, label, word in re.findall(r"(\()([0-4]) |(?:([^\s()]+))?\)", line):
        if bracket:
            open_phrases.append((len(words), int(label)))
            continue
        if word:
            words.append(word.lower())
        if not open_phrases:
            raise _no_tree(line)
        start, number = open_phrases.pop()
        phrases.append(Phrase(start, len(words), number))
    if open_phrases or not phrases or (phrases[-1].start, phrases[-1].end) != (0, len(words)):
        raise _no_tree(line)
    return LabeledTree(words, phrases[:-1], phrases[-1].label)


def _no_tree(line: str) -> DamagedFile:
    """Return the error for a line that is no tree."""
    return DamagedFile(f"This is no tree with labels from 0 to 4: {line[:60]!r}.")


def phenomenon_of(tree: LabeledTree, known: Collection[str]) -> str | None:
    """Return the phenomenon that a sentence of the treebank shows.

    The rules look at words and at the labels that people gave to words and phrases, never at the
    label of the whole sentence. A sentence counts for the first rule that holds, in this order:

    - thwarted: no word such as *but*; the last clause and all before it, four words or more
      each, have opposite labels.
    - negation: no word such as *but*; a negator, and right after it a phrase that people labeled the
      other way round once the negator was part of it (Socher et al. 2013, section 5.4).
    - contrast: *but* or *yet* between two phrases with opposite labels (ibid., section 5.3).
    - comparison: a comparative at most six words before *than*, and no
      *more than*, *less than*, *rather than* or *other than*.
    - neutral_words: an opinion word in a phrase of two to four words that people labeled neutral; all
      opinion words outside such phrases say the opposite.
    - unseen: at least 5 words; one opinion word or more, and none that is `known`.
    - plain: at most 17 words; two opinion words or more, all positive or all negative.

    The last four hold only without any negator (comparison: with or without) or word of contrast. An
    opinion word is one that people labeled positive or negative by itself.

    Parameters
    ----------
    tree : LabeledTree
        A sentence with the labels of its phrases.
    known : collection of str
        The words of the texts that count as seen in training.

    Returns
    -------
    str or None
        One of `FOUND_BY_RULE`; None if no rule holds.
    """
    return next((name for name, holds in _RULES.items() if holds(tree, known)), None)


def _thwarted(tree: LabeledTree, known: Collection[str]) -> bool:
    """Tell whether the last clause has the opposite label of all before it."""
    if tree.has(CONTRASTS):
        return False
    end = len(tree.words)
    while end and tree.words[end - 1] in _CLOSING:
        end -= 1
    # the last cut first: a comma or other mark, after which the rest of the sentence is one phrase
    for start in range(end - 1, 0, -1):
        if tree.words[start - 1] in _PUNCTUATION:
            hopes, verdict = tree.before(start), tree.after(start)
            if hopes and hopes.start == 0 and verdict and verdict.end >= end:
                long_enough = min(hopes.end, verdict.end - start) >= 4
                return long_enough and hopes.sign * verdict.sign < 0
    return False


def _negation(tree: LabeledTree, known: Collection[str]) -> bool:
    """Tell whether a negator turns the label of the phrase right after it around."""
    return not tree.has(CONTRASTS) and any(
        phrase.sign * _with_negator(tree, phrase) < 0
        for phrase in tree.phrases
        if phrase.start and tree.words[phrase.start - 1] in NEGATORS
    )


def _with_negator(tree: LabeledTree, phrase: Phrase) -> int:
    """Return the sign of the shortest phrase with this one and the word before it; 0 without."""
    around = [p for p in tree.phrases if p.start < phrase.start and p.end >= phrase.end]
    return min(around, key=lambda p: p.end - p.start).sign if around else 0


def _contrast(tree: LabeledTree, known: Collection[str]) -> bool:
    """Tell whether *but* or *yet* stands between two phrases with opposite labels."""
    for position, word in enumerate(tree.words):
        if word in ("but", "yet"):
            one, other = tree.before(position), tree.after(position + 1)
            if one and other and one.sign * other.sign < 0:
                return True
    return False


def _comparison(tree: LabeledTree, known: Collection[str]) -> bool:
    """Tell whether the sentence compares, with a comparative shortly before *than*."""
    if tree.has(CONTRASTS) or "than" not in tree.words[1:]:
        return False
    than = tree.words.index("than", 1)
    if tree.words[than - 1] in ("more", "less", "rather", "other"):
        return False  # "more than a few" and "rather than" compare nothing
    return any(_COMPARATIVE.fullmatch(word) for word in tree.words[max(0, than - 6) : than])


def _without_other_rules(tree: LabeledTree) -> bool:
    """Tell whether the sentence has no negator, no word of contrast and no *than*."""
    return not tree.has(NEGATORS | CONTRASTS | {"than"})


def _neutral_words(tree: LabeledTree, known: Collection[str]) -> bool:
    """Tell whether an opinion word is in a neutral phrase and all others say the opposite."""
    if not _without_other_rules(tree):
        return False
    neutral = [p for p in tree.phrases if 2 <= p.end - p.start <= 4 and not p.sign]
    inside: set[int] = set()
    outside: set[int] = set()
    for word in tree.opinions():
        judges = not any(p.start <= word.start < p.end for p in neutral)
        (outside if judges else inside).add(word.sign)
    return len(inside) == len(outside) == 1 and inside != outside


def _unseen(tree: LabeledTree, known: Collection[str]) -> bool:
    """Tell whether the sentence has opinion words, none of them known from training."""
    words = [tree.words[phrase.start] for phrase in tree.opinions()]
    new = bool(words) and not any(word in known for word in words)
    return new and len(tree.words) >= 5 and _without_other_rules(tree)


def _plain(tree: LabeledTree, known: Collection[str]) -> bool:
    """Tell whether the sentence is short and has opinion words of one sign only."""
    signs = [phrase.sign for phrase in tree.opinions()]
    short = len(tree.words) <= 17
    return short and len(signs) >= 2 and len(set(signs)) == 1 and _without_other_rules(tree)


_RULES: dict[str, Callable[[LabeledTree, Collection[str]], bool]] = {
    "thwarted": _thwarted,
    "negation": _negation,
    "contrast": _contrast,
    "comparison": _comparison,
    "neutral_words": _neutral_words,
    "unseen": _unseen,
    "plain": _plain,
}


def is_long(review: str, opinion_words: Collection[str]) -> bool:
    """Tell whether a review is `long`: 49 to 79 words, of which one to three are opinion words.

    Parameters
    ----------
    review : str
        A whole review.
    opinion_words : collection of str
        Words in lower case that carry an opinion.

    Returns
    -------
    bool
    """
    if not 49 <= len(_WORD.findall(review)) <= 79:
        return False
    return 1 <= sum(word in opinion_words for word in tokenize(review)) <= 3


def published_challenge(n: int = 44, seed: int = 0) -> TextDataset:
    """Collect texts that people wrote and labeled, `n` per phenomenon of the challenge set.

    The sentences are those of SST-2's validation and test splits, found by the labels that the
    treebank gives to their phrases (`phenomenon_of`); `long` are test reviews of IMDb (`is_long`, with
    the words that the treebank labels as opinions). Labels are the data sets' own. No model that was
    trained on the training splits of `reviews`, SST-2 or IMDb has seen them.

    Each phenomenon has equally many texts of both classes, drawn with `seed`: fewer than `n` in all if
    a class has too few. Two phenomena of the challenge set are absent. No rule finds irony, and nobody
    has published pairs of reviews with the same words and opposite labels (`word_order`).

    Parameters
    ----------
    n : int
        The number of texts per phenomenon, an even number.
    seed : int
        Which texts are drawn if there are more.

    Returns
    -------
    TextDataset
        With `phenomena`, in the order of `FOUND_BY_RULE`.

    Raises
    ------
    DataError
        `n` is not a positive even number, or the data sets cannot be fetched.
    """
    if n < 2 or n % 2:
        raise DataError(f"published_challenge takes an even number of texts, 2 or more, not {n}.")
    found: dict[str, dict[int, list[str]]] = {name: {0: [], 1: []} for name in FOUND_BY_RULE}
    for name, text, label in _found():
        found[name][label].append(text)
    texts: list[str] = []
    labels: list[int] = []
    phenomena: list[str] = []
    for name, by_label in found.items():
        kept = min(n // 2, *map(len, by_label.values()))
        for label in (1, 0) if kept else ():
            order = shuffled(kept, len(by_label[label]), seed)[:kept]
            texts += [by_label[label][i] for i in order]
            labels += [label] * kept
            phenomena += [name] * kept
    return TextDataset("published", "challenge", texts, labels, phenomena)


def _found() -> Iterator[tuple[str, str, int]]:
    """Yield every text that a rule finds: phenomenon, text, label."""
    splits = {name: _trees(name) for name in ("train", "validation", "test")}
    known = {word for text, *_ in _labeled("reviews", "train") for word in tokenize(text)}
    for tree in (*splits["validation"], *splits["test"]):
        name = phenomenon_of(tree, known) if tree.label != NEUTRAL else None
        if name:
            yield name, " ".join(tree.words), int(tree.label > NEUTRAL)
    opinions = opinion_words(tree for trees in splits.values() for tree in trees)
    for text, label, _ in _labeled("imdb", "test"):
        if is_long(text, opinions):
            yield "long", text, label


def opinion_words(trees: Iterable[LabeledTree]) -> set[str]:
    """Return the words that people labeled as opinions in most of the sentences that have them.

    Parameters
    ----------
    trees : iterable of LabeledTree
        Sentences of the treebank. A word can have several labels, such as one for each capitalization.

    Returns
    -------
    set of str
    """
    total: Counter[str] = Counter()
    opinions: Counter[str] = Counter()
    for tree in trees:
        total.update(tree.words)
        opinions.update(tree.words[word.start] for word in tree.opinions())
    return {word for word, count in opinions.items() if 2 * count > total[word]}


def _trees(split: str) -> list[LabeledTree]:
    """Return the trees of a split of "sst-trees"."""
    corpus = load("sst-trees", split)
    assert isinstance(corpus, Corpus)
    return [read_tree(line) for line in corpus.texts]


def _labeled(name: str, split: str) -> TextDataset:
    """Load a split of labeled texts."""
    texts = load(name, split)
    assert isinstance(texts, TextDataset)
    return texts
