"""read_tree: trees of several shapes, words that look like labels, and damaged files."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR
from .common import WORDS

POINTS = {"trees": 2, "edges": 3}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def leaf(word: str = "") -> str:
        return f"({int(rng.integers(5))} {word or WORDS[int(rng.integers(len(WORDS)))]})"

    def node(left: str = "", right: str = "") -> str:
        return f"({int(rng.integers(5))} {left or leaf()} {right or leaf()})"

    yield Case("trees", [node()], title="two words")
    yield Case("trees", [node(right=node())], title="three words")
    yield Case("trees", [node(left=node())], title="branching to the left")
    yield Case("trees", [node(leaf(), node(leaf(), node()))], title="branching to the right")
    yield Case("trees", [node(node(node(), leaf()), node(leaf(), node()))])
    yield Case("edges", [leaf()], title="a single leaf")
    number = str(int(rng.integers(10, 2000)))
    yield Case("edges", [node(leaf(number), leaf("3"))], title="words that are numbers")
    label = int(rng.integers(10, 99))
    yield Case("edges", [f"({label} {leaf()} {leaf()})"], title="a label of two digits")
    words = [leaf("-LRB-"), node(leaf("Film"), leaf("'s"))]
    yield Case("edges", [node(*words)], title="capitals and punctuation")
    yield Case("edges", [node(node(), leaf()).replace(") (", ")(")], title="no space between nodes")
    text = node(node(), leaf()).replace(" (", "\n  ( ").replace(")", " )")
    yield Case("edges", [f"  {text}\n"], title="space and line breaks everywhere")

    marks = [str(mark) for mark in rng.permutation([",", "?", "...", "--", "$", "\u00e9", "n't"])]
    yield Case("trees", [node(leaf(marks[0]), node(leaf(marks[1]), leaf(",")))], title="a comma")
    yield Case("trees", [node(node(leaf(), leaf("?")), leaf(marks[2]))], title="a question mark")

    def broken(text: str, title: str) -> Case:
        return Case("edges", [text], title=title, judge=VALUE_ERROR)

    yield broken("", "an empty text")
    yield broken(" \n", "nothing but space")
    yield broken(node(node(), leaf())[:-1], "the last bracket is missing")
    yield broken(node(leaf(), node())[: -int(rng.integers(3, 8))], "the text is cut off")
    yield broken(node() + ")", "one bracket too many")
    yield broken(leaf()[1:], "the first bracket is missing")
    yield broken(f"{leaf()} {leaf()}", "two trees")
    yield broken(f"{leaf()} {leaf()[:-1]}", "two trees, the second of which is cut off")
    yield broken(f"{node()} {WORDS[0]}", "a word after the end")
    yield broken(f"({leaf()} {leaf()})", "a node without a label")
    yield broken(f"({leaf()} {leaf()} {leaf()})", "three nodes without a label")
    yield broken(node(leaf(), "(good fun)"), "a label that is no number")
    yield broken(node(leaf(), f"({int(rng.integers(5))})"), "a node without a word")
    yield broken(node(leaf(), "()"), "empty brackets")
    yield broken(f"({int(rng.integers(5))} {leaf()})", "a node with one child")
    yield broken(f"(2 {leaf()} {leaf()} {leaf()})", "a node with three children")
    yield broken(node(leaf(), f"({int(rng.integers(5))} good fun)"), "a leaf of two words")
    yield broken(f"({int(rng.integers(5))} {leaf()} fun)", "a node and a word side by side")
    yield broken(WORDS[int(rng.integers(len(WORDS)))], "a word without brackets")
    yield broken(f"({int(rng.integers(5))} ))", "a bracket in place of the word")
    yield broken(node(leaf(), f"({int(rng.integers(5))} ()"), "an open bracket in place of a word")


FURTHER = """
Split the text with `re.findall(r"[()]|[^\\s()]+", text)` into brackets and words. Keep a list of the
open nodes, each a list of its parts. At "(" open a new one; at a word, append it to the node opened
last; at ")" close that node: check its parts, make the tuple, and append it to the node before it.
"""

WRONG = {
    "labels_are_strings": """
        The labels are strings. Turn them into integers, so that one can compute with them.

        - open_nodes[-1].append((int(label), *parts))
        + open_nodes[-1].append((label, *parts))
        """,
    "words_become_numbers": """
        A word that looks like a number is still a word: "1999" stays a string. Only the first
        entry of a node is a label.

        - open_nodes[-1].append((int(label), *parts))
        + parts = [int(p) if isinstance(p, str) and p.isdecimal() else p for p in parts]
        + open_nodes[-1].append((int(label), *parts))
        """,
    "lists_for_tuples": """
        The nodes are lists. Make tuples of them.

        - kinds = [type(part) for part in parts]
        + kinds = [str if type(part) is str else tuple for part in parts]
        ...
        - open_nodes[-1].append((int(label), *parts))
        + open_nodes[-1].append([int(label), *parts])
        ...
        - if len(open_nodes[0]) != 1 or not isinstance(open_nodes[0][0], tuple):
        + if len(open_nodes[0]) != 1 or not isinstance(open_nodes[0][0], list):
        """,
    "splits_at_spaces": """
        The brackets are set apart on one side only, so ")(" without a space between stays one word.
        Brackets may touch each other, as in "(4 good)(2 film)".

        raises ValueError

        - for token in re.findall(r"[()]|[^\\s()]+", text):
        + for token in text.replace("(", "( ").replace(")", " )").split():
        """,
    "only_word_characters": """
        Only letters and digits are taken for words. The Treebank has words such as 's and -LRB-:
        everything that is neither space nor a bracket belongs to a word.

        - for token in re.findall(r"[()]|[^\\s()]+", text):
        + for token in re.findall(r"[()]|\\w+", text):
        """,
    "children_swapped": """
        Left and right are swapped. The first child in the text is the left one.

        - open_nodes[-1].append((int(label), *parts))
        + open_nodes[-1].append((int(label), *parts[::-1]))
        """,
    "accepts_open_brackets": """
        A tree that is cut off passes as a tree. At the end, check that every bracket is closed.

        - if len(open_nodes) > 1:
        -     raise ValueError(f"The tree ends with {len(open_nodes) - 1} brackets still open.")
        - if len(open_nodes[0]) != 1 or not isinstance(open_nodes[0][0], tuple):
        + while len(open_nodes) > 1:
        +     label, *parts = open_nodes.pop()
        +     open_nodes[-1].append((int(label), *parts))
        + if len(open_nodes[0]) != 1 or not isinstance(open_nodes[0][0], tuple):
        """,
    "ignores_the_rest": """
        What comes after the end of the tree is ignored. It is a sign of a damaged file: raise a
        ValueError.

        def read_tree(text):
            tokens = text.replace("(", " ( ").replace(")", " ) ").split()

            def node(i):
                if tokens[i : i + 1] != ["("] or not "".join(tokens[i + 1 : i + 2]).isdecimal():
                    raise ValueError(f"no node begins at {i}")
                label, i = int(tokens[i + 1]), i + 2
                if i < len(tokens) and tokens[i] not in "()":
                    found, i = (label, tokens[i]), i + 1
                else:
                    left, i = node(i)
                    right, i = node(i)
                    found = (label, left, right)
                if tokens[i : i + 1] != [")"]:
                    raise ValueError(f"no bracket closes at {i}")
                return found, i + 1

            return node(0)[0]
        """,
    "accepts_any_number_of_children": """
        A node with nothing, one child, three children or two words passes. Below a node there is
        one word, or there are two nodes; all else is a ValueError.

        - if kinds not in ([str], [tuple, tuple]):
        -     raise ValueError(f"Below a node is one word, or two nodes, but here is {parts}.")
        """,
    "only_counts_the_children": """
        What is below a node is counted, but not looked at: one node alone passes, and so do two
        words. Below a node there is one word, or there are two nodes; all else is a ValueError.

        - if kinds not in ([str], [tuple, tuple]):
        + if len(parts) not in (1, 2):
        """,
    "no_node_is_open": """
        A word or a closing bracket outside all brackets ends with an IndexError, because no node is
        open that it could belong to. Check that one is, and raise a ValueError with a sentence.

        raises IndexError

        def read_tree(text):
            open_nodes, root = [], None
            for token in re.findall(r"[()]|[^\\s()]+", text):
                if root is not None:
                    raise ValueError("something comes after the tree")
                if token == "(":
                    open_nodes.append([])
                elif token != ")":
                    open_nodes[-1].append(token)
                else:
                    label, *parts = open_nodes.pop()
                    if [type(part) for part in parts] not in ([str], [tuple, tuple]):
                        raise ValueError("neither one word nor two nodes")
                    node = (int(label) if isinstance(label, str) else int(""), *parts)
                    if open_nodes:
                        open_nodes[-1].append(node)
                    else:
                        root = node
            if open_nodes or root is None:
                raise ValueError("cut off")
            return root
        """,
    "runs_past_the_end": """
        A text that is cut off, or empty, ends with an IndexError: the function asks for the token
        after the last one. Check whether there is one, and raise a ValueError with a sentence.

        raises IndexError

        def read_tree(text):
            tokens = text.replace("(", " ( ").replace(")", " ) ").split()

            def node(i):
                if tokens[i] != "(":
                    raise ValueError(f"no node begins at {i}")
                label, i, parts = int(tokens[i + 1]), i + 2, []
                while tokens[i] != ")":
                    if tokens[i] == "(":
                        part, i = node(i)
                    else:
                        part, i = tokens[i], i + 1
                    parts.append(part)
                if [type(part) for part in parts] not in ([str], [tuple, tuple]):
                    raise ValueError("neither one word nor two nodes")
                return (label, *parts), i + 1

            tree, end = node(0)
            if end < len(tokens):
                raise ValueError("something comes after the tree")
            return tree
        """,
    "one_child_passes": """
        A node with a single node below it passes. One thing below a node has to be a word.

        - if kinds not in ([str], [tuple, tuple]):
        + if kinds not in ([str], [tuple], [tuple, tuple]):
        """,
    "two_words_pass": """
        Two words below a node pass, or a word and a node. Two things below a node have to be nodes.

        - if kinds not in ([str], [tuple, tuple]):
        + if kinds != [str] and len(kinds) != 2:
        """,
}

RIGHT = {
    "iterator": """
        def read_tree(text):
            tokens = iter(re.findall(r"\\(|\\)|[^()\\s]+", text))

            def parts():
                found = []
                for token in tokens:
                    if token == ")":
                        return node(found)
                    found.append(parts() if token == "(" else token)
                raise ValueError("a bracket is not closed")

            def node(found):
                if not found or not isinstance(found[0], str) or not found[0].isdigit():
                    raise ValueError(f"no label in {found}")
                label = int(found[0])
                if len(found) == 2 and isinstance(found[1], str):
                    return label, found[1]
                if len(found) == 3 and not any(isinstance(part, str) for part in found[1:]):
                    return label, found[1], found[2]
                raise ValueError(f"no word and not two nodes in {found}")

            if next(tokens, "") != "(":
                raise ValueError("a tree begins with a bracket")
            tree = parts()
            if next(tokens, None) is not None:
                raise ValueError("something comes after the tree")
            return tree
        """,
    "regular_expressions": """
        def read_tree(text):
            nodes = []

            def leaf(match):
                nodes.append((int(match[1]), match[2]))
                return f"<{len(nodes) - 1}>"

            def inner(match):
                nodes.append((int(match[1]), nodes[int(match[2])], nodes[int(match[3])]))
                return f"<{len(nodes) - 1}>"

            rest = re.sub(r"\\(\\s*(\\d+)\\s+([^\\s()]+)\\s*\\)", leaf, text.replace("<", "&lt;"))
            nodes = [(label, word.replace("&lt;", "<")) for label, word in nodes]
            n = 1
            while n:
                rest, n = re.subn(r"\\(\\s*(\\d+)\\s*<(\\d+)>\\s*<(\\d+)>\\s*\\)", inner, rest)
            found = re.fullmatch(r"\\s*<(\\d+)>\\s*", rest)
            if not found:
                raise ValueError(f"no tree: {rest}")
            return nodes[int(found[1])]
        """,
}

EQUIVALENT = {
    "There is at least one list of open nodes.": """
        -        elif len(open_nodes) == 1:
        +        elif len(open_nodes) <= 1:

        -    if len(open_nodes) > 1:
        +    if len(open_nodes) != 1:
        """,
    "Unpacking an empty list raises a ValueError, too, and so does a label of letters.": """
        -            label, *parts = open_nodes.pop() or [""]
        +            label, *parts = open_nodes.pop()

        -            label, *parts = open_nodes.pop() or [""]
        +            label, *parts = open_nodes.pop() or []

        -            label, *parts = open_nodes.pop() or [""]
        +            label, *parts = open_nodes.pop() or ['x']
        """,
    "One word, or two nodes: both are alike in reverse.": """
        -            kinds = [type(part) for part in parts]
        +            kinds = [type(part) for part in list(parts)[::-1]]
        """,
    "int() raises a ValueError, too, for what is not a number.": """
        -            if not (isinstance(label, str) and label.isdecimal()):
        +            if not (isinstance(label, str)):

        -            if not (isinstance(label, str) and label.isdecimal()):
        +            if not (isinstance(label, str) and label):

        -            if not (isinstance(label, str) and label.isdecimal()):
        +            if not (isinstance(label, str) and True):

        -            if not (isinstance(label, str) and label.isdecimal()):
        +            if not (isinstance(label, str) and '1'.isdecimal()):
        """,
    "By then there is one list, and it has one element.": """
        -    if len(open_nodes[0]) != 1 or not isinstance(open_nodes[0][0], tuple):
        +    if len(open_nodes[-1]) != 1 or not isinstance(open_nodes[0][0], tuple):

        -    if len(open_nodes[0]) != 1 or not isinstance(open_nodes[0][0], tuple):
        +    if len(open_nodes[0]) != 1 or not isinstance(open_nodes[0][-1], tuple):

        -    if len(open_nodes[0]) != 1 or not isinstance(open_nodes[0][0], tuple):
        +    if len(open_nodes[0]) != 1 or not isinstance(open_nodes[-1][0], tuple):

        -    return open_nodes[0][0]
        +    return open_nodes[0][-1]

        -    return open_nodes[0][0]
        +    return open_nodes[-1][0]
        """,
}
