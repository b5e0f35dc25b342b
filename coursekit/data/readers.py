"""Readers: from a data set's published files to the objects that `load` returns."""

from __future__ import annotations

import csv
import html
import itertools
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from coursekit.data import tasks
from coursekit.data.errors import DamagedFile
from coursekit.data.lines import damaged, read_lines
from coursekit.data.types import (
    Analogies,
    Analogy,
    Bitext,
    Corpus,
    RatedPair,
    SentencePairs,
    TextDataset,
    WordPair,
    WordPairs,
)

REVIEWS_HEADER = "text\tlabel\tphenomenon"
QUESTION_CLASSES = ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")
BILINGUAL_HEADER = "english\tfrench\tphenomena"


def read_reviews(name: str, split: str, paths: list[Path]) -> TextDataset:
    """Read a shipped set: a header, then `text<TAB>label<TAB>phenomenon` in each line."""
    (path,) = paths
    lines = read_lines(path)
    if lines[:1] != [REVIEWS_HEADER]:
        raise damaged(path, 1, "the header is not 'text, label, phenomenon'")
    texts, labels, phenomena = [], [], []
    for number, line in enumerate(lines[1:], start=2):
        columns = line.split("\t")
        if len(columns) != 3 or not all(columns):
            raise damaged(path, number, "there should be three columns")
        texts.append(columns[0])
        labels.append(_label(columns[1], path, number))
        phenomena.append(columns[2])
    return TextDataset(name, split, texts, labels, phenomena)


def read_sst2(name: str, split: str, paths: list[Path]) -> TextDataset:
    """Read SST-2: `text<TAB>label` under a header, or `label text` without (test split).

    GLUE's texts end in a space, which is taken away.
    """
    (path,) = paths
    texts, labels = [], []
    has_header = path.suffix == ".tsv"
    for number, line in enumerate(read_lines(path), start=1):
        if has_header and number == 1:
            continue
        text, _, label = line.rpartition("\t") if has_header else reversed(line.partition(" "))
        texts.append(text.strip())
        labels.append(_label(label, path, number))
    return TextDataset(name, split, texts, labels)


def read_sentence_polarity(name: str, split: str, paths: list[Path]) -> TextDataset:
    """Read the sentence polarity set and split it, since it has no official split.

    Of every ten lines of a file the first eight are for training, the ninth is for validation
    and the tenth for testing. Negative and positive sentences alternate. The files are in
    cp1252, not UTF-8.
    """
    kept = {"train": range(8), "validation": (8,), "test": (9,)}[split]
    negative, positive = (
        [
            line.strip()
            for number, line in enumerate(read_lines(path, "cp1252"))
            if number % 10 in kept
        ]
        for path in paths
    )
    return alternating(name, split, negative, positive)


def read_questions(name: str, split: str, paths: list[Path]) -> TextDataset:
    """Read TREC: `CLASS:subclass question` in each line; the subclass is left out.

    There is no official validation split: it is the last tenth of the training questions.
    """
    (path,) = paths
    texts, labels = [], []
    for number, line in enumerate(read_lines(path, "latin-1"), start=1):
        label, _, text = line.partition(" ")
        kind = label.partition(":")[0]
        if kind not in QUESTION_CLASSES or not text:
            raise damaged(path, number, "there should be a class and a question")
        texts.append(text.strip())
        labels.append(QUESTION_CLASSES.index(kind))
    end = len(texts) - len(texts) // 10
    kept = {"train": slice(end), "validation": slice(end, None), "test": slice(None)}[split]
    return TextDataset(name, split, texts[kept], labels[kept])


def alternating(name: str, split: str, negative: list[str], positive: list[str]) -> TextDataset:
    """Join two equally large classes so that they alternate.

    The published files hold one class after the other; in that order, the first thousand examples
    would all be negative.
    """
    texts = [text for pair in zip(negative, positive, strict=True) for text in pair]
    return TextDataset(name, split, texts, [0, 1] * len(negative))


def read_corpus(name: str, split: str, paths: list[Path]) -> Corpus:
    """Read texts without labels, one per line."""
    (path,) = paths
    return Corpus(name, split, read_lines(path))


def read_tagged(name: str, split: str, paths: list[Path]) -> Corpus:
    """Read CoNLL-U: each sentence becomes one text, its words written `word/TAG/-`.

    The tags are the universal parts of speech. Words that were joined in the text ("don't") are
    given by their parts, and words that the annotators added, with a point in their number, are
    left out. A space inside a word becomes a no-break space.
    """
    (path,) = paths
    texts, words = [], []
    for number, line in enumerate([*read_lines(path), ""], start=1):
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        if line and len(columns) != 10:
            raise damaged(path, number, "there should be ten columns")
        if line and columns[0].isdecimal():
            words.append(f"{columns[1].replace(' ', chr(0xA0))}/{columns[3]}/-")
        elif not line and words:
            texts.append(" ".join(words))
            words = []
    return Corpus(name, split, texts)


def read_books(name: str, split: str, paths: list[Path]) -> Corpus:
    """Read the paragraphs of books, which empty lines separate; the lines of each are joined.

    Project Gutenberg's notes and license, before and after the book itself, are left out: they are
    alike in all books, and a language model would be tested on what it was trained on.
    """
    paragraphs = []
    for path in paths:
        lines = [line.strip() for line in read_lines(path, "utf-8-sig")]
        starts = [i for i, line in enumerate(lines) if line.startswith("*** START OF TH")]
        ends = [i for i, line in enumerate(lines) if line.startswith("*** END OF TH")]
        book = lines[starts[0] + 1 if starts else 0 : ends[0] if ends else None]
        blocks = itertools.groupby(book, key=bool)
        paragraphs += [" ".join(block) for has_text, block in blocks if has_text]
    return Corpus(name, split, paragraphs)


def read_bilingual(name: str, split: str, paths: list[Path]) -> Bitext:
    """Read the shipped parallel corpus: `english<TAB>french<TAB>phenomena` under a header."""
    (path,) = paths
    lines = read_lines(path)
    if lines[:1] != [BILINGUAL_HEADER]:
        raise damaged(path, 1, "the header is not 'english, french, phenomena'")
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        columns = line.split("\t")
        if len(columns) != 3 or not all(columns):
            raise damaged(path, number, "there should be three columns")
        rows.append(columns)
    sources, targets = ([row[i] for row in rows] for i in (0, 1))
    return Bitext(name, split, ("en", "fr"), sources, targets, [tuple(r[2].split()) for r in rows])


def read_parallel_files(name: str, split: str, paths: list[Path]) -> Bitext:
    """Read two files whose lines are translations of each other; the language is in their names."""
    sources, targets = (read_lines(path) for path in paths)
    if len(targets) != len(sources):
        raise DamagedFile(
            f"The files {paths[0]} and {paths[1]} should have equally many lines; restore them."
        )
    first, second = (path.name.removesuffix(".gz").rpartition(".")[2] for path in paths)
    return Bitext(name, split, (first, second), sources, targets)


def read_tatoeba(name: str, split: str, paths: list[Path]) -> Bitext:
    """Read `english<TAB>french` lines and split them, since there is no official split.

    All translations of an English sentence are in one split, whatever its case: the checksum of
    the sentence decides, two percent each for validation and testing.
    """
    (path,) = paths
    kept = {"train": range(4, 100), "validation": range(2), "test": range(2, 4)}[split]
    sources, targets = [], []
    for number, line in enumerate(read_lines(path), start=1):
        english, tab, french = line.partition("\t")
        if not tab:
            raise damaged(path, number, "there should be two columns")
        if zlib.crc32(english.lower().encode()) % 100 in kept:
            sources.append(english)
            targets.append(french)
    return Bitext(name, split, ("en", "fr"), sources, targets)


def read_news(name: str, split: str, paths: list[Path]) -> Bitext:
    """Read `"class","title","description"` rows of AG news as articles with their headlines.

    What the web left in them (tags, the code of a character without its `&`, a backslash for the end of a
    line) is cleaned, and the agency is cut off (`AP - `, ` (Reuters)`). There is no official split of
    this file: of every ten rows the ninth is for validation and the tenth for testing.
    """
    (path,) = paths
    kept = {"train": range(8), "validation": range(8, 9), "test": range(9, 10)}[split]
    sources, targets = [], []
    for number, row in enumerate(csv.reader(read_lines(path)), start=1):
        if len(row) != 3:
            raise damaged(path, number, "there should be a class, a title and a description")
        if (number - 1) % 10 in kept:
            title, text = (_plain_news(part) for part in row[1:])
            sources.append(re.sub(r"^.{0,60}? --? ", "", text))
            targets.append(re.sub(r" \([\w. ]+\)$", "", title))
    return Bitext(name, split, ("article", "headline"), sources, targets)


def _plain_news(text: str) -> str:
    """Return a text without tags, character codes and backslashes."""
    text = html.unescape(re.sub(r" ?#(\d+);", r"&#\1;", text.replace("\\", " ")))
    return " ".join(re.sub(r"<[^>]*>", " ", html.unescape(text)).split())


def read_word_pairs(name: str, split: str, paths: list[Path]) -> WordPairs:
    """Read `word1<TAB>word2<TAB>score` lines; comments (#) and a header are skipped."""
    (path,) = paths
    pairs = []
    for number, line in enumerate(read_lines(path), start=1):
        columns = line.split("\t")
        if line.startswith("#") or (number == 1 and columns[-1] == "score"):
            continue
        try:
            word1, word2, score = columns
            pairs.append(WordPair(word1, word2, float(score)))
        except ValueError as error:
            raise damaged(path, number, "there should be two words and a score") from error
    return WordPairs(name, split, pairs)


def read_sentence_pairs(name: str, split: str, paths: list[Path]) -> SentencePairs:
    """Read SICK: a header, then `number<TAB>sentence<TAB>sentence<TAB>score<TAB>entailment`."""
    (path,) = paths
    pairs = []
    for number, line in enumerate(read_lines(path)[1:], start=2):
        try:
            _, text1, text2, score, _ = line.split("\t")
            pairs.append(RatedPair(text1, text2, float(score)))
        except ValueError as error:
            raise damaged(path, number, "there should be two sentences and a score") from error
    return SentencePairs(name, split, pairs)


def read_google_analogies(name: str, split: str, paths: list[Path]) -> Analogies:
    """Read analogies as word2vec keeps them: `: section` lines, then four words a line."""
    (path,) = paths
    sections: dict[str, list[Analogy]] = {}
    section = ""
    for number, line in enumerate(read_lines(path), start=1):
        if line.startswith(": "):
            section = line[2:].strip()
        else:
            _add_analogy(sections, section, line.split(), path, number)
    return Analogies(name, split, sections)


def read_analogies(name: str, split: str, paths: list[Path]) -> Analogies:
    """Read a shipped set of analogies: `section<TAB>a<TAB>b<TAB>c<TAB>d`, with or without header."""
    (path,) = paths
    sections: dict[str, list[Analogy]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        section, *words = line.split("\t")
        if not (number == 1 and section == "section"):
            _add_analogy(sections, section, words, path, number)
    return Analogies(name, split, sections)


def _add_analogy(
    sections: dict[str, list[Analogy]], section: str, words: list[str], path: Path, number: int
) -> None:
    """Add an analogy to its section; refuse a line that does not have four words."""
    if len(words) != 4 or not section or not all(words):
        raise damaged(path, number, "there should be a section and four words")
    sections.setdefault(section, []).append(Analogy(*words))


def _label(text: str, path: Path, number: int) -> int:
    """Return the label of a line, 0 or 1."""
    if text not in ("0", "1"):
        raise damaged(path, number, f"the label should be 0 or 1, not {text!r}")
    return int(text)


Loaded = (
    TextDataset
    | Corpus
    | Bitext
    | WordPairs
    | SentencePairs
    | Analogies
    | tasks.TaskRows[Any]
    | dict[str, str]
)
Reader = Callable[[str, str, list[Path]], Loaded]

READERS: dict[str, Reader] = {
    "reviews": read_reviews,
    "almanac": read_corpus,
    "almanac-analogies": read_analogies,
    "almanac-similarity": read_word_pairs,
    "sst2": read_sst2,
    "sst-trees": read_corpus,
    "sentence-polarity": read_sentence_polarity,
    "review-trees": read_corpus,
    "almanac-tagged": read_corpus,
    "english-ewt": read_tagged,
    "trec": read_questions,
    "sick": read_sentence_pairs,
    "wordsim353": read_word_pairs,
    "simlex999": read_word_pairs,
    "google-analogies": read_google_analogies,
    "austen-fiction": read_books,
    "tinyshakespeare": read_corpus,
    "bilingual": read_bilingual,
    "small-parallel-enja": read_parallel_files,
    "tatoeba-fra-eng": read_tatoeba,
    "multi30k": read_parallel_files,
    "ag-news": read_news,
    "almanac-entities": read_corpus,
    "almanac-entailment": tasks.read_task_lines,
    "almanac-questions": tasks.read_task_lines,
    "almanac-choices": tasks.read_task_lines,
    "almanac-paragraphs": read_corpus,
    "almanac-open-questions": tasks.read_task_lines,
    "wnut17": tasks.read_entities,
    "cola": tasks.read_cola,
    "rte": tasks.read_rte,
    "sick-entailment": tasks.read_sick_entailment,
    "snli-part": tasks.read_snli,
    "squad": tasks.read_squad,
    "squad-predictions": tasks.read_predictions,
    "xquad-en": tasks.read_xquad,
}
