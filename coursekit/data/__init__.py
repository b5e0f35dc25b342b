"""Data sets: those that come with the course and real ones, all loaded by `load`."""

from __future__ import annotations

from coursekit.data.errors import DamagedFile, DataError, FetchError, UnknownName, UnknownSplit
from coursekit.data.loading import load
from coursekit.data.paths import shipped
from coursekit.data.phenomena import published_challenge
from coursekit.data.registry import describe, names
from coursekit.data.tasks import Choice, LabeledPair, Question, TaskRows
from coursekit.data.types import (
    Analogies,
    Analogy,
    Bitext,
    Corpus,
    Example,
    RatedPair,
    SentencePair,
    SentencePairs,
    TextDataset,
    WordPair,
    WordPairs,
)

__all__ = [
    "Analogies",
    "Analogy",
    "Bitext",
    "Choice",
    "Corpus",
    "DamagedFile",
    "DataError",
    "Example",
    "FetchError",
    "LabeledPair",
    "Question",
    "RatedPair",
    "SentencePair",
    "SentencePairs",
    "TaskRows",
    "TextDataset",
    "UnknownName",
    "UnknownSplit",
    "WordPair",
    "WordPairs",
    "describe",
    "load",
    "names",
    "published_challenge",
    "shipped",
]
