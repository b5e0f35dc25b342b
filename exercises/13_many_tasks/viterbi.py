"""viterbi: neighbors that decide, forbidden transitions, the start, padding, and single words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, lengths_mask, number

POINTS = {"values": 2, "forbidden": 2, "padding": 2, "edges": 1}


def _numbers(rng: np.random.Generator, *shape: int, most: int = 40) -> torch.Tensor:
    """Whole numbers as floats: sums of them are exact in every order."""
    return torch.from_numpy(rng.integers(-most, most + 1, size=shape)).float()


def _ties(scores: torch.Tensor, lengths: list[int], A: torch.Tensor, start: torch.Tensor) -> bool:
    """Whether a sentence has two best sequences, or a plain argmax or greedy choice is right.

    Or, among large numbers, one label throughout, as where all of them overflow.
    """
    K = len(start)
    for row, n in zip(scores, lengths, strict=True):
        if n == 1 and K > 1:
            first, second = (row[0] + start).topk(2).values
            if first - second < 0.5:
                return True
        if n < 2:
            continue
        paths = torch.tensor(list(product(range(K), repeat=n)))
        totals = start[paths[:, 0]] + row[torch.arange(n), paths].sum(dim=1)
        totals += A[paths[:, :-1], paths[:, 1:]].sum(dim=1)
        first, second = totals.topk(2)
        best, greedy = paths[second[0]], [int((row[0] + start).argmax())]
        for t in range(1, n):
            greedy.append(int((A[greedy[-1]] + row[t]).argmax()))
        if first[0] - first[1] < 0.5 or best.tolist() in (row[:n].argmax(dim=1).tolist(), greedy):
            return True
        if start.min() > 1000 and len(set(best.tolist())) == 1:
            return True
    return False


def _misled(scores: torch.Tensor, lengths: list[int], A: torch.Tensor, start: torch.Tensor) -> bool:
    """Whether padding that counts, and notes taken at padding, both change labels of words."""
    found = []
    for counts in (True, False):
        changed = False
        for row, n in zip(scores, lengths, strict=True):
            if not 0 < n < len(row):
                continue
            paths = []
            for wrong in (False, True):
                best, notes = row[0] + start, []
                for t in range(1, len(row) if wrong else n):
                    values, before = (best[:, None] + A).max(dim=0)
                    notes.append(before)
                    best = values + row[t] if t < n or counts else best
                path = [int(best.argmax())]
                for before in reversed(notes):
                    path.append(int(before[path[-1]]))
                paths.append(path[::-1][:n])
            changed |= paths[0] != paths[1]
        found.append(changed)
    return all(found)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, lengths: list[int], title: str, K: int = 3, forbidden: float = 0.0, **more: Any
    ) -> Case:
        longest = more.pop("longest", max(1, *lengths))
        begin_at, larger = more.pop("begin_at", False), more.pop("larger", 0)
        while True:
            scores = _numbers(rng, len(lengths), longest, K)
            A, start = _numbers(rng, K, K), _numbers(rng, K)
            if forbidden:
                A = torch.zeros(K, K).masked_fill(
                    torch.from_numpy(rng.random((K, K)) < forbidden), -math.inf
                )
                A.fill_diagonal_(0.0)
                start = torch.zeros(K)
                start[number(rng, 1, K - 1)] = -math.inf
            if begin_at:
                A = A / 4
                start = start * 3
            scores, A, start = scores + larger, A + larger, start + larger
            mask = lengths_mask(lengths, longest)
            padding = _numbers(rng, *scores.shape, most=90)
            scores = torch.where(mask[:, :, None], scores, padding)
            if group == "padding" and not forbidden and not _misled(scores, lengths, A, start):
                continue
            if not _ties(scores, lengths, A, start):
                break
        return Case(group, [scores, mask, A, start], title=title, **more)

    n = number(rng, 4, 5)
    yield case("values", [2], "two words")
    yield case("values", [n], "one sentence")
    yield case("values", [n, n, n], "several sentences", K=4, judge=EXACT)
    yield case("values", [4, 4], "large numbers", larger=2**17)
    yield case("values", [4, 4], "the start decides", begin_at=True)
    yield case("forbidden", [n], "forbidden transitions", K=4, forbidden=0.4)
    yield case("forbidden", [4, 4], "in a batch", K=3, forbidden=0.4)
    yield case("forbidden", [5, 5], "many labels", K=5, forbidden=0.5)
    yield case("padding", [n, 2, 3], "sentences of different lengths")
    yield case("padding", [2, n], "the longer one last", K=4, forbidden=0.3)
    yield case("padding", [3, 2], "padding for all", longest=6)
    yield case("edges", [1], "a single word", K=9)
    yield case("edges", [n, 1], "a single word beside a sentence", K=5)
    yield case("edges", [3, 0], "a sentence without words", K=6)
    yield case("edges", [n], "two labels", K=2)


WRONG = {
    "each_alone": """
        Each word has its own best label. The transitions have to be counted, too.

        def viterbi(scores, mask, transitions, start):
            return scores.argmax(dim=-1).masked_fill(~mask, -100)
        """,
    "greedy": """
        From left to right, the best next label is taken each time. A later word may ask for another
        beginning: keep the best sequence for every label, and decide at the end.

        def viterbi(scores, mask, transitions, start):
            path = [(scores[:, 0] + start).argmax(dim=1)]
            for t in range(1, scores.shape[1]):
                path.append((transitions[path[-1]] + scores[:, t]).argmax(dim=1))
            return torch.stack(path, dim=1).masked_fill(~mask, -100)
        """,
    "transposed": """
        The transitions are read the wrong way round: the row is the label before, the column the
        label after.

        - values, before = (best[:, :, None] + transitions).max(dim=1)
        + values, before = (best[:, :, None] + transitions.T).max(dim=1)
        """,
    "start_ignored": """
        The scores for the start are missing.

        - best, notes = scores[:, 0] + start, []
        + best, notes = scores[:, 0], []
        """,
    "transitions_ignored": """
        The transitions are missing: neighbors do not see each other.

        - values, before = (best[:, :, None] + transitions).max(dim=1)
        + values, before = (best[:, :, None] + 0 * transitions.nan_to_num(neginf=0)).max(dim=1)
        """,
    "padding_counts": """
        The scores of padding count: they change the labels of the words before. Where there is no
        word, the best scores stay as they are.

        - word = mask[:, t, None]
        + word = torch.ones_like(mask[:, t, None])
        """,
    "notes_of_padding": """
        At padding, the notes say where the best label came from, though there was no step. Going
        back, every label must lead to itself there.

        - notes.append(torch.where(word, before, torch.arange(n_labels)))
        + notes.append(before)
        """,
    "not_reversed": """
        The path is followed from the last word to the first, and comes out in that order. Turn it
        round.

        - return torch.stack(path[::-1], dim=1).masked_fill(~mask, -100)
        + return torch.stack(path, dim=1).masked_fill(~mask, -100)
        """,
    "labels_at_padding": """
        The padding has labels. It should get -100.

        - return torch.stack(path[::-1], dim=1).masked_fill(~mask, -100)
        + return torch.stack(path[::-1], dim=1)
        """,
    "without_notes": """
        The best label of each step is taken as the path. The best sequence for the first words need
        not be the beginning of the best for all: follow the notes back from the end.

        def viterbi(scores, mask, transitions, start):
            best = scores[:, 0] + start
            path = [best.argmax(dim=1)]
            for t in range(1, scores.shape[1]):
                best = (best[:, :, None] + transitions).max(dim=1).values + scores[:, t]
                path.append(best.argmax(dim=1))
            return torch.stack(path, dim=1).masked_fill(~mask, -100)
        """,
    "sum_in_place_of_max": """
        The sequences are summed (logsumexp). That is the forward recursion; Viterbi takes the
        largest.

        - values, before = (best[:, :, None] + transitions).max(dim=1)
        + sums = best[:, :, None] + transitions
        + values, before = (sums / 30).logsumexp(dim=1) * 30, sums.max(dim=1).indices
        """,
    "scores_of_padding_added": """
        At padding the best scores still grow by the scores there, which changes the labels of the
        words before. Where there is no word, they stay as they are.

        - best = torch.where(word, values + scores[:, t], best)
        + best = torch.where(word, values, best) + scores[:, t]
        """,
}

FURTHER = """
best is (B, K). best[:, :, None] + transitions is (B, K before, K after); its max over dim 1 gives the
values and which label came before. Add scores[:, t]. At padding keep the old values, and note that each
label came from itself (torch.arange). At the end argmax, and then backwards through the notes with gather.
"""

RIGHT = {
    "sentence_by_sentence": """
        def viterbi(scores, mask, transitions, start):
            B, L, K = scores.shape
            result = torch.full((B, L), -100)
            for b in range(B):
                n = int(mask[b].sum())
                if n == 0:
                    continue
                best, notes = scores[b, 0] + start, []
                for t in range(1, n):
                    table = best[:, None] + transitions + scores[b, t]
                    notes.append(table.argmax(dim=0))
                    best = table.max(dim=0).values
                k = int(best.argmax())
                result[b, n - 1] = k
                for t in range(n - 1, 0, -1):
                    k = int(notes[t - 1][k])
                    result[b, t - 1] = k
            return result
        """,
    "paths_along": """
        def viterbi(scores, mask, transitions, start):
            B, L, K = scores.shape
            best = start + scores[:, 0]
            paths = torch.arange(K).repeat(B, 1)[:, :, None]
            for t in range(1, L):
                total = best[:, :, None] + transitions[None]
                top, index = torch.max(total, dim=1)
                extended = paths.gather(1, index[:, :, None].expand(-1, -1, t))
                extended = torch.cat([extended, torch.arange(K).repeat(B, 1)[:, :, None]], dim=2)
                waiting = torch.cat([paths, torch.zeros(B, K, 1, dtype=torch.long)], dim=2)
                m = mask[:, t]
                best = torch.where(m[:, None], top + scores[:, t], best)
                paths = torch.where(m[:, None, None], extended, waiting)
            chosen = paths[torch.arange(B), best.argmax(dim=1)]
            return torch.where(mask, chosen, -100)
        """,
}

EQUIVALENT = {
    "More digits than needed.": """
         ) -> torch.Tensor:
        +    scores = scores.double()
             n_labels = scores.shape[2]

         ) -> torch.Tensor:
        +    transitions = transitions.double()
             n_labels = scores.shape[2]

         ) -> torch.Tensor:
        +    start = start.double()
             n_labels = scores.shape[2]
        """,
    "Padding only follows the words.": """
         ) -> torch.Tensor:
        +    mask = torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)
             n_labels = scores.shape[2]
        """,
    "One label is gathered for each sentence.": """
        -        path.append(before.gather(1, path[-1][:, None])[:, 0])
        +        path.append(before.gather(1, path[-1][:, None])[:, -1])
        """,
}
