"""Sentiment trees: sentences whose every phrase carries a sentiment from 0 to 4."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, repr=False)
class Tree:
    """A phrase with its sentiment, and the phrases it is made of.

    Parameters
    ----------
    label : int
        0 very negative, 1 negative, 2 neutral, 3 positive, 4 very positive.
    word : str or None
        The word of a leaf; None for a phrase of several words.
    children : tuple of Tree
        The parts of a phrase (two in the Stanford treebank); empty for a leaf.
    """

    label: int
    word: str | None = None
    children: tuple[Tree, ...] = ()

    @property
    def words(self) -> list[str]:
        """The words of the phrase, in order, as published (brackets are ``-LRB-``)."""
        return [node.word for node in self.subtrees() if node.word is not None]

    @property
    def text(self) -> str:
        """The words of the phrase with spaces between them."""
        return " ".join(self.words)

    def subtrees(self) -> Iterator[Tree]:
        """This phrase and every phrase inside it, from the outside in and left to right."""
        # A stack, not recursion: long sentences are trees of great depth.
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def __repr__(self) -> str:
        words = self.words
        shown = " ".join(words[:8]) + (" ..." if len(words) > 8 else "")
        return f"<Tree {self.label}: {shown}>"


@dataclass(frozen=True, repr=False)
class Treebank(Sequence[Tree]):
    """One split of a set of sentiment trees."""

    name: str
    split: str
    trees: list[Tree]

    @property
    def texts(self) -> list[str]:
        """The sentences."""
        return [tree.text for tree in self.trees]

    @property
    def labels(self) -> list[int]:
        """The sentiment of each whole sentence, 0 to 4."""
        return [tree.label for tree in self.trees]

    def __len__(self) -> int:
        return len(self.trees)

    def __getitem__(self, index: int | slice) -> Tree | Treebank:
        if isinstance(index, slice):
            return replace(self, trees=self.trees[index])
        return self.trees[index]

    def __repr__(self) -> str:
        return f"<{self.name} {self.split}: {len(self):,} sentiment trees>"


_TOKEN = re.compile(r"[()]|[^() ]+")
_LABELS = {"0": 0, "1": 1, "2": 2, "3": 3, "4": 4}


def parse_tree(line: str) -> Tree:
    """Read a tree from its bracket notation.

    Parameters
    ----------
    line : str
        For example ``"(3 (2 It) (4 works))"``.

    Returns
    -------
    Tree
        The tree of the whole line.

    Raises
    ------
    ValueError
        The brackets do not make one tree.
    """
    # The tokens and finished phrases of every phrase that is still open.
    waiting: list[list[str | Tree]] = []
    whole: Tree | None = None
    for token in _TOKEN.findall(line):
        if token == "(":
            waiting.append([])
        elif not waiting:
            raise ValueError(f"{token!r} stands outside the tree")
        elif token != ")":
            waiting[-1].append(token)
        else:
            node = _node(waiting.pop())
            if waiting:
                waiting[-1].append(node)
            elif whole is None:
                whole = node
            else:
                raise ValueError("there are two trees")
    if waiting or whole is None:
        raise ValueError("a bracket is never closed")
    return whole


def _node(parts: list[str | Tree]) -> Tree:
    label, *inside = parts or [None]
    if label in _LABELS:
        if len(inside) == 1 and isinstance(inside[0], str):
            return Tree(_LABELS[label], inside[0])
        if inside and all(isinstance(part, Tree) for part in inside):
            return Tree(_LABELS[label], None, tuple(inside))
    raise ValueError("a phrase needs a label from 0 to 4, then one word or phrases")
