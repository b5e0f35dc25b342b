"""greedy_decode: a table in place of a decoder; sentences end at different steps, or never."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.translation.common import VALUE_ERROR
from coursekit.checking import codec

POINTS = {"values": 2, "ends": 3}

#: The logits depend on the state, which counts the steps, and on the previous word.
_STEP = "lambda y, s: (torch.tensor({table})[(3 * s[:, 0].long() + y[:, 0]) % {n}][:, None], s + 1)"
#: The state alone says what comes: each sentence counts down to its end.
_COUNT = (
    "lambda y, s: (torch.tensor({table})[torch.where(s[:, 0] > 0.5, y[:, 0], {n})][:, None], s - 1)"
)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    n_words, bos = int(rng.integers(6, 9)), 1
    eos = int(rng.integers(2, n_words))

    def words(never: int | None = None) -> list[list[float]]:
        """A row of different logits for each of n_words situations; `never` is never the best."""
        rows = []
        for _ in range(n_words):
            row = rng.permutation(n_words).astype(float)
            if never is not None:
                row[never] = -1.0
            rows.append(row.tolist())
        return rows

    def ending() -> str:
        last = np.where(np.arange(n_words) == eos, 9.0, rng.permutation(n_words) / 10).tolist()
        return _COUNT.format(table=[*words(eos), last], n=n_words)

    def case(group: str, step: str, states: list[int], max_length: int, title: str = "", **more):
        s = torch.tensor(states, dtype=torch.float32)[:, None]
        inputs = [codec.Source(step), s, bos, eos, max_length]
        return Case(group, inputs, title=title, **more)

    endless = _STEP.format(table=words(eos), n=n_words)
    n = int(rng.integers(4, 7))
    yield case("values", endless, [0], n, "one sentence, which ends at the limit")
    yield case("values", endless, [0, 1, 2], n, "three sentences")
    yield case("values", endless, [3, 1], 1, "a limit of one word")
    yield case("ends", ending(), [n], n + 5, "one sentence, which ends by itself")
    yield case("ends", ending(), [2, n, 1], n + 5, "sentences that end at different steps")
    yield case("ends", ending(), [0, 3], n + 5, "one translation has no word")
    yield case("ends", ending(), [n + 5, 1, n], n, "one ends too late, one just in time")
    yield case("ends", _STEP.format(table=words(), n=n_words), [0, 1, 2, 3], 12)
    title = "a limit of 0"
    yield case("ends", endless, [int(rng.integers(5))], 0, title, judge=VALUE_ERROR)
    yield case("ends", endless, [0, 1], -n, "a limit below 0", judge=VALUE_ERROR)


WRONG = {
    "always_feeds_bos": """
        Every step gets <s> as the previous word. Feed back the word that was chosen.

        - y = logits[:, -1].argmax(dim=-1, keepdim=True)
        - for b, word in enumerate(y[:, 0].tolist()):
        + for b, word in enumerate(logits[:, -1].argmax(dim=-1).tolist()):
        """,
    "forgets_the_state": """
        Every step starts from the first state. Keep the state that the step returns, and pass it to
        the next one.

        - logits, s = step(y, s)
        + logits, _ = step(y, s)
        """,
    "keeps_the_end": """
        The translations contain </s>. It only says that a translation is over; leave it out.

        - ended[b] = ended[b] or word == eos
        - if not ended[b]:
        -     found[b].append(word)
        + if not ended[b]:
        +     found[b].append(word)
        + ended[b] = ended[b] or word == eos
        """,
    "goes_on_after_the_end": """
        After </s> a sentence gets more words, as long as others in the batch are not finished.
        Remember for each sentence that it has ended.

        - ended[b] = ended[b] or word == eos
        + ended[b] = word == eos
        """,
    "stops_with_the_first": """
        All sentences stop as soon as one has ended. Go on until all have.

        - if all(ended):
        + if any(ended):
        """,
    "starts_with_bos": """
        The translations begin with <s>. It is only the first input, not a word of the translation.

        - found: list[list[int]] = [[] for _ in range(len(s))]
        + found: list[list[int]] = [[bos] for _ in range(len(s))]
        """,
    "one_word_too_many": """
        A translation that never ends gets one word more than max_length.

        - for _ in range(max_length):
        + for _ in range(max_length + 1):
        """,
    "one_list_for_all": """
        All sentences share one list: `[[]] * B` repeats the same list B times. Make a new one for
        each sentence.

        - found: list[list[int]] = [[] for _ in range(len(s))]
        + found: list[list[int]] = [[]] * len(s)
        """,
    "takes_the_least_likely": """
        It takes the word with the lowest logit. The most likely word has the highest.

        - y = logits[:, -1].argmax(dim=-1, keepdim=True)
        + y = logits[:, -1].argmin(dim=-1, keepdim=True)
        """,
    "accepts_any_limit": """
        A limit below 1 gives translations without words. It is a mistake of whoever calls the
        function: raise a ValueError.

        - if max_length < 1:
        -     raise ValueError(f"max_length should be 1 or more, but is {max_length}")
        """,
}

FURTHER = """
Keep three things between the steps: y, the previous words, (B, 1); s, the state; and for each
sentence whether it has ended. In each step: logits and a new state from step(y, s), the argmax over
the last axis as the new y, then append each word whose sentence has not ended.
"""

RIGHT = {
    "cut_afterwards": """
        def greedy_decode(step, s, bos, eos, max_length):
            if max_length <= 0:
                raise ValueError("the limit must be positive")
            y, columns = torch.full((s.shape[0], 1), bos, dtype=torch.long), []
            for _ in range(max_length):
                logits, s = step(y, s)
                y = logits.argmax(dim=-1)
                columns.append(y)
            rows = torch.cat(columns, dim=1).tolist()
            return [row[: row.index(eos)] if eos in row else row for row in rows]
        """,
    "with_tensors": """
        def greedy_decode(step, s, bos, eos, max_length):
            if max_length < 1:
                raise ValueError("max_length < 1")
            y = torch.tensor([[bos]] * len(s))
            ended = torch.zeros(len(s), dtype=torch.bool)
            found = [[] for _ in s]
            while not ended.all() and max_length > 0:
                logits, s = step(y, s)
                y = logits[:, 0].max(dim=-1).indices[:, None]
                ended |= y[:, 0] == eos
                for b in (~ended).nonzero()[:, 0].tolist():
                    found[b].append(y[b].item())
                max_length -= 1
            return found
        """,
    "one_sentence_at_a_time": """
        def greedy_decode(step, s, bos, eos, max_length):
            if not max_length >= 1:
                raise ValueError("no room for a word")
            found = []
            for state in s:
                words, word, state = [], bos, state[None]
                for _ in range(max_length):
                    logits, state = step(torch.tensor([[word]]), state)
                    word = int(logits[0, -1].argmax())
                    if word == eos:
                        break
                    words.append(word)
                found.append(words)
            return found
        """,
}
