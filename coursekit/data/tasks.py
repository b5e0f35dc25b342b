"""Data sets of tasks beyond one label per text: entities, labeled pairs, questions, multiple choice.

The types that `load` returns for them, and their readers; all other data sets have theirs in `types`
and `readers`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, overload

from coursekit.data.lines import damaged, read_lines
from coursekit.data.types import Corpus, TextDataset, shuffled

#: Classes of pairs, by the names that the published files use.
ENTAILMENT = {"entailment": 0, "neutral": 1, "contradiction": 2, "not_entailment": 1}


class LabeledPair(NamedTuple):
    """Two texts and their class, such as 0 entailment, 1 neutral, 2 contradiction."""

    premise: str
    hypothesis: str
    label: int


class Question(NamedTuple):
    """A question about a paragraph.

    `answers` are the texts that people or a generator gave, each with the character of the paragraph at
    which it begins; `title` says which article or fact the paragraph is from.
    """

    id: str
    question: str
    context: str
    answers: tuple[tuple[str, int], ...]
    title: str


class Choice(NamedTuple):
    """A text, its possible continuations, and the index of the right one, counted from 0."""

    context: str
    options: tuple[str, ...]
    label: int


Row = TypeVar("Row", LabeledPair, Question, Choice)


@dataclass(frozen=True, repr=False)
class TaskRows(Sequence[Row], Generic[Row]):
    """One split of a task: a sequence of N rows of one kind.

    Attributes
    ----------
    name, split : str
        The data set and split.
    rows : list of LabeledPair, Question or Choice
        The N examples.
    """

    name: str
    split: str
    rows: list[Row]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> TaskRows[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | TaskRows[Row]:
        """Return a row, or for a slice the rows of that part as `TaskRows`."""
        if isinstance(index, slice):
            return replace(self, rows=self.rows[index])
        return self.rows[index]

    def subset(self, n: int, seed: int = 0) -> TaskRows[Row]:
        """Draw `n` of the rows, shuffled; the same on every machine.

        Raises
        ------
        DataError
            `n` is not between 1 and `len(self)`.
        """
        return replace(self, rows=[self.rows[i] for i in shuffled(n, len(self), seed)[:n]])

    def __repr__(self) -> str:
        """Return the name, split and number of rows as text."""
        return f"<{self.name} {self.split}: {len(self):,} examples>"


def read_entities(name: str, split: str, paths: list[Path]) -> Corpus:
    """Read two columns, `word<TAB>LABEL`: each sentence becomes one text, its words `word/LABEL/-`.

    Empty lines separate sentences. A space inside a word becomes a no-break space.
    """
    (path,) = paths
    texts: list[str] = []
    words: list[str] = []
    for number, line in enumerate([*read_lines(path), ""], start=1):
        word, _, label = line.partition("\t")
        if not line.strip():
            if words:
                texts.append(" ".join(words))
            words = []
            continue
        label = label.strip()
        if not word or not (label == "O" or label[:2] in ("B-", "I-")):
            raise damaged(path, number, "there should be a word and a label O, B-... or I-...")
        words.append(f"{word.strip().replace(' ', chr(0xA0))}/{label}/-")
    return Corpus(name, split, texts)


def read_cola(name: str, split: str, paths: list[Path]) -> TextDataset:
    """Read CoLA: `source<TAB>label<TAB>mark<TAB>sentence`; label 1 is acceptable."""
    (path,) = paths
    texts, labels = [], []
    for number, line in enumerate(read_lines(path), start=1):
        columns = line.split("\t")
        if len(columns) != 4 or columns[1] not in ("0", "1"):
            raise damaged(path, number, "there should be a source, a label, a mark and a sentence")
        texts.append(columns[3].strip())
        labels.append(int(columns[1]))
    return TextDataset(name, split, texts, labels)


def read_rte(name: str, split: str, paths: list[Path]) -> TaskRows[LabeledPair]:
    """Read RTE: `number<TAB>premise<TAB>hypothesis<TAB>label` under a header.

    GLUE hides the labels of its test split, so its development split is ours for testing, and of
    every ten training pairs the tenth is for validation.
    """
    (path,) = paths
    pairs = []
    for number, line in enumerate(read_lines(path)[1:], start=2):
        columns = line.split("\t")
        if len(columns) != 4 or columns[3] not in ENTAILMENT:
            raise damaged(path, number, "there should be a number, two texts and a label")
        pairs.append(LabeledPair(columns[1], columns[2], ENTAILMENT[columns[3]]))
    return TaskRows(name, split, pairs if split == "test" else _part(pairs, split))


def read_sick_entailment(name: str, split: str, paths: list[Path]) -> TaskRows[LabeledPair]:
    """Read SICK's other label: whether the first sentence entails the second."""
    (path,) = paths
    pairs = []
    for number, line in enumerate(read_lines(path)[1:], start=2):
        columns = line.split("\t")
        if len(columns) != 5 or columns[4].lower() not in ENTAILMENT:
            raise damaged(path, number, "there should be two sentences, a score and a class")
        pairs.append(LabeledPair(columns[1], columns[2], ENTAILMENT[columns[4].lower()]))
    return TaskRows(name, split, pairs)


def read_snli(name: str, split: str, paths: list[Path]) -> TaskRows[LabeledPair]:
    """Read SNLI's JSON lines; pairs on which the annotators did not agree are left out.

    Of every ten pairs of the first file the tenth is for validation.
    """
    (path,) = paths
    pairs = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            entry = json.loads(line)
            label = entry["gold_label"]
            if label != "-":
                pairs.append(LabeledPair(entry["sentence1"], entry["sentence2"], ENTAILMENT[label]))
        except (ValueError, KeyError, TypeError) as error:
            raise damaged(path, number, "there should be two sentences and a label") from error
    return TaskRows(name, split, pairs if split == "test" else _part(pairs, split))


def read_squad(name: str, split: str, paths: list[Path]) -> TaskRows[Question]:
    """Read SQuAD 1.1's development set and split it by article, since its test set is hidden.

    The articles are sorted by title; of every eight the first six are for training, the next for
    validation, the last for testing: 36, 6 and 6 articles. The split "all" has all of them. Spaces
    around an answer are left out.
    """
    (path,) = paths
    kept = {"train": range(6), "validation": (6,), "test": (7,), "all": range(8)}[split]
    rows = []
    try:
        articles = json.loads("\n".join(read_lines(path)))["data"]
        for number, article in enumerate(sorted(articles, key=lambda article: article["title"])):
            if number % 8 not in kept:
                continue
            for paragraph in article["paragraphs"]:
                context = paragraph["context"]
                for entry in paragraph["qas"]:
                    answers = tuple(_answer(answer) for answer in entry["answers"])
                    question = entry["question"].strip()
                    rows.append(Question(entry["id"], question, context, answers, article["title"]))
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(path, 1, "it should have articles, paragraphs and questions") from error
    return TaskRows(name, split, rows)


def _answer(entry: dict[str, Any]) -> tuple[str, int]:
    """Return an answer's text without spaces around it, and the character where it begins."""
    text, start = entry["text"], entry["answer_start"]
    return text.strip(), start + len(text) - len(text.lstrip())


def read_predictions(name: str, split: str, paths: list[Path]) -> dict[str, str]:
    """Read a system's answers: one JSON object, from a question's id to the text of its answer."""
    (path,) = paths
    try:
        found = json.loads("\n".join(read_lines(path)))
        if not all(isinstance(text, str) for text in found.values()):
            raise ValueError("an answer is no text")
    except (ValueError, AttributeError) as error:
        raise damaged(path, 1, "it should have an answer for each id") from error
    return dict(found)


def read_xquad(name: str, split: str, paths: list[Path]) -> Corpus:
    """Read the paragraphs of XQuAD, without their questions."""
    (path,) = paths
    try:
        articles = json.loads("\n".join(read_lines(path)))["data"]
        texts = [part["context"] for article in articles for part in article["paragraphs"]]
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(path, 1, "it should have articles with paragraphs") from error
    return Corpus(name, split, texts)


def read_task_lines(name: str, split: str, paths: list[Path]) -> TaskRows[Any]:
    """Read a shipped, planted set: in each line a JSON list with the parts of one row."""
    (path,) = paths
    rows: list[Any] = []
    kind = name.rpartition("-")[2]
    for number, line in enumerate(read_lines(path), start=1):
        try:
            parts = json.loads(line)
            if kind == "entailment":
                rows.append(LabeledPair(*parts))
            elif kind == "questions":
                number_, question, context, answers, title = parts
                found = tuple((text, start) for text, start in answers)
                rows.append(Question(number_, question, context, found, title))
            else:
                context, options, label = parts
                rows.append(Choice(context, tuple(options), label))
        except (ValueError, TypeError) as error:
            raise damaged(path, number, "there should be the parts of one example") from error
    return TaskRows(name, split, rows)


def _part(pairs: list[LabeledPair], split: str) -> list[LabeledPair]:
    """Return the pairs of a split."""
    return [pair for i, pair in enumerate(pairs) if (i % 10 == 9) == (split == "validation")]
