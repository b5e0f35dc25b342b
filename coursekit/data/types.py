"""Return types of `load`: sequences that know their data set and split."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import NamedTuple, overload

from coursekit.data.errors import DataError

LABEL_NAMES = {0: "negative", 1: "positive"}


class Example(NamedTuple):
    """One labeled text: label 0 is negative, 1 positive; phenomenon is None when unnamed."""

    text: str
    label: int
    phenomenon: str | None = None


@dataclass(frozen=True, repr=False)
class TextDataset(Sequence[Example]):
    """One split of a set of labeled texts.

    Attributes
    ----------
    name, split : str
        The data set and split.
    texts : list of str
        The N texts.
    labels : list of int
        Their N labels: 0 negative, 1 positive.
    phenomena : list of str, optional
        The N phenomena of the texts ("negation", ...), for sets that name them.
    """

    name: str
    split: str
    texts: list[str]
    labels: list[int]
    phenomena: list[str] | None = None

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.texts)

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> TextDataset: ...
    def __getitem__(self, index: int | slice) -> Example | TextDataset:
        """Return an example, or for a slice the data set of these examples."""
        if isinstance(index, slice):
            return self._pick(range(len(self))[index])
        phenomenon = None if self.phenomena is None else self.phenomena[index]
        return Example(self.texts[index], self.labels[index], phenomenon)

    def subset(self, n: int, seed: int = 0) -> TextDataset:
        """Draw `n` examples, equally many of each class, shuffled; the same on every machine.

        If a class has too few examples, the others make up for it.

        Raises
        ------
        DataError
            `n` is not between 1 and `len(self)`.
        """
        chosen: list[int] = []
        # Taking one of each class in turn keeps the classes equally large until one runs out.
        queues: dict[int, list[int]] = {label: [] for label in sorted(set(self.labels))}
        for index in shuffled(n, len(self), seed):
            queues[self.labels[index]].append(index)
        while len(chosen) < n and any(queues.values()):
            chosen += [queue.pop(0) for queue in queues.values() if queue][: n - len(chosen)]
        rank = _random_keys(len(self), seed + 1)
        return self._pick(sorted(chosen, key=rank.__getitem__))

    def _pick(self, indices: Sequence[int]) -> TextDataset:
        """Return the data set of the examples with these indices."""
        return replace(
            self,
            texts=[self.texts[i] for i in indices],
            labels=[self.labels[i] for i in indices],
            phenomena=None if self.phenomena is None else [self.phenomena[i] for i in indices],
        )

    def _summary(self) -> str:
        """Describe the data set in one line."""
        counts = Counter(self.labels)
        classes = ", ".join(
            f"{count:,} {LABEL_NAMES.get(label, f'of class {label}')}"
            for label, count in sorted(counts.items(), reverse=True)
        )
        extra = f", {len(set(self.phenomena))} phenomena" if self.phenomena else ""
        return f"{self.name} {self.split}: {len(self):,} texts ({classes}){extra}"

    def __repr__(self) -> str:
        """Return the one-line description as text."""
        return f"<{self._summary()}>"

    def _repr_html_(self) -> str:
        """Return a description and the first examples as HTML."""
        rows = "".join(
            f"<tr><td>{LABEL_NAMES.get(label, label)}</td>"
            f"<td style='text-align:left'>{escape(text[:200])}</td></tr>"
            for text, label in zip(self.texts[:5], self.labels[:5], strict=True)
        )
        return f"<p>{escape(self._summary())}; the first ones:</p><table>{rows}</table>"


@dataclass(frozen=True, repr=False)
class Corpus(Sequence[str]):
    """Texts without labels."""

    name: str
    split: str
    texts: list[str]

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.texts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Corpus: ...
    def __getitem__(self, index: int | slice) -> str | Corpus:
        """Return a text, or for a slice the corpus of these texts."""
        if isinstance(index, slice):
            return replace(self, texts=self.texts[index])
        return self.texts[index]

    def subset(self, n: int, seed: int = 0) -> Corpus:
        """Draw `n` of the texts, shuffled; the same on every machine."""
        return replace(self, texts=[self.texts[i] for i in shuffled(n, len(self), seed)[:n]])

    def __repr__(self) -> str:
        """Return the name, split and number of texts as text."""
        return f"<{self.name} {self.split}: {len(self):,} texts without labels>"


class SentencePair(NamedTuple):
    """A sentence, its translation, and the phenomena it shows; () when unnamed."""

    source: str
    target: str
    phenomena: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Bitext(Sequence[SentencePair]):
    """One split of a parallel corpus: N sentences and their translations.

    Attributes
    ----------
    name, split : str
        The data set and split.
    languages : tuple of str
        The codes of the source and the target language, as in ("en", "fr").
    sources, targets : list of str
        The N sentences, and the N translations.
    phenomena : list of tuple of str, optional
        What each pair shows ("negation", ...), for sets that say so.
    """

    name: str
    split: str
    languages: tuple[str, str]
    sources: list[str]
    targets: list[str]
    phenomena: list[tuple[str, ...]] | None = None

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.sources)

    @overload
    def __getitem__(self, index: int) -> SentencePair: ...
    @overload
    def __getitem__(self, index: slice) -> Bitext: ...
    def __getitem__(self, index: int | slice) -> SentencePair | Bitext:
        """Return a pair, or for a slice the corpus of these pairs."""
        if isinstance(index, slice):
            return self.pick(range(len(self))[index])
        phenomena = () if self.phenomena is None else self.phenomena[index]
        return SentencePair(self.sources[index], self.targets[index], phenomena)

    def subset(self, n: int, seed: int = 0) -> Bitext:
        """Draw `n` of the pairs, shuffled; the same on every machine.

        Raises
        ------
        DataError
            `n` is not between 1 and `len(self)`.
        """
        return self.pick(shuffled(n, len(self), seed)[:n])

    def pick(self, indices: Iterable[int]) -> Bitext:
        """Return the pairs with these indices, in this order."""
        indices = list(indices)
        return replace(
            self,
            sources=[self.sources[i] for i in indices],
            targets=[self.targets[i] for i in indices],
            phenomena=None if self.phenomena is None else [self.phenomena[i] for i in indices],
        )

    def __repr__(self) -> str:
        """Return the name, split and number of pairs as text."""
        languages = " to ".join(self.languages)
        return f"<{self.name} {self.split}: {len(self):,} sentence pairs, {languages}>"


class WordPair(NamedTuple):
    """Two words and their similarity as people judge it; higher is more similar."""

    word1: str
    word2: str
    score: float


@dataclass(frozen=True, repr=False)
class WordPairs(Sequence[WordPair]):
    """Word pairs with scores given by people."""

    name: str
    split: str
    pairs: list[WordPair]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)

    @overload
    def __getitem__(self, index: int) -> WordPair: ...
    @overload
    def __getitem__(self, index: slice) -> list[WordPair]: ...
    def __getitem__(self, index: int | slice) -> WordPair | list[WordPair]:
        """Return a pair, or for a slice a list of pairs."""
        return self.pairs[index]

    def __repr__(self) -> str:
        """Return the name and the number of pairs as text."""
        return f"<{self.name}: {len(self):,} word pairs with scores>"


class RatedPair(NamedTuple):
    """Two sentences and their relatedness as people judge it; higher is more related."""

    text1: str
    text2: str
    score: float


@dataclass(frozen=True, repr=False)
class SentencePairs(Sequence[RatedPair]):
    """Pairs of sentences with scores given by people."""

    name: str
    split: str
    pairs: list[RatedPair]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)

    @overload
    def __getitem__(self, index: int) -> RatedPair: ...
    @overload
    def __getitem__(self, index: slice) -> list[RatedPair]: ...
    def __getitem__(self, index: int | slice) -> RatedPair | list[RatedPair]:
        """Return a pair, or for a slice a list of pairs."""
        return self.pairs[index]

    def __repr__(self) -> str:
        """Return the name and the number of pairs as text."""
        return f"<{self.name} {self.split}: {len(self):,} pairs of sentences with scores>"


class Analogy(NamedTuple):
    """Analogy question: `a` is to `b` as `c` is to `d`."""

    a: str
    b: str
    c: str
    d: str


@dataclass(frozen=True, repr=False)
class Analogies(Sequence[Analogy]):
    """Analogy questions in named sections; as a sequence, all of them in order."""

    name: str
    split: str
    sections: dict[str, list[Analogy]]
    _all: list[Analogy] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Join the sections into one list."""
        every = [question for section in self.sections.values() for question in section]
        object.__setattr__(self, "_all", every)

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> Analogy: ...
    @overload
    def __getitem__(self, index: slice) -> list[Analogy]: ...
    def __getitem__(self, index: int | slice) -> Analogy | list[Analogy]:
        """Return a question, or for a slice a list of questions."""
        return self._all[index]

    def __iter__(self) -> Iterator[Analogy]:
        """Iterate over the questions of all sections, in order."""
        return iter(self._all)

    def __repr__(self) -> str:
        """Return the name and the number of questions as text."""
        return f"<{self.name}: {len(self):,} analogies in {len(self.sections)} sections>"


def _random_keys(count: int, seed: int) -> list[float]:
    """Return `count` random numbers that are the same on every machine."""
    # Only random() itself is promised to give the same numbers in every version of Python;
    # shuffle and sample are not.
    generator = random.Random(seed)
    return [generator.random() for _ in range(count)]


def max_rows() -> int | None:
    """Return the limit on a data set's rows while a submission is graded; None outside grading."""
    rows = os.environ.get("COURSEKIT_MAX_ROWS", "").strip()
    return int(rows) if rows.isdigit() else None


def shuffled(n: int, count: int, seed: int) -> list[int]:
    """Return all indices below `count` in an order that is the same everywhere; check `n`."""
    if n > count and max_rows() is not None:
        n = count  # a cell that asks for 1,000 of the texts runs on the few that there are
    if not 1 <= n <= count:
        raise DataError(f"subset needs a number from 1 to {count:,}, not {n!r}.")
    return sorted(range(count), key=_random_keys(count, seed).__getitem__)
