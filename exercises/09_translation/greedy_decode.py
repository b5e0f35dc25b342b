"""greedy_decode: a table in place of a decoder; sentences end at different steps, or never."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

POINTS = {"values": 2, "ends": 3}

#: The logits depend on the state, which counts the steps, and on the previous word.
_STEP = (
    "lambda y, s: (torch.tensor({table})"
    "[(torch.cat([s, y], dim=1) @ torch.tensor([3.0, 1.0])).long() % {n}][:, None], s + 1)"
)
#: Each sentence counts down to its end; in the second it goes on after it.
_COUNT = (
    "lambda y, s: (torch.tensor({table})[torch.where(s[:, 0] > 0.5, y[:, 0], {n})][:, None], s - 1)"
)
#: Each sentence counts down, too, but has a row of its own in the decoder: all must be there.
_ROWS = (
    "lambda y, s: (torch.where((s.view({B}, 1) > 0.5)[:, :, None], torch.tensor({table})"
    "[(y + torch.tensor({shift})) % {n}], torch.tensor({last})), s - 1)"
)
#: Calls one of them, if it gets the last words only.
_LAST = (
    "lambda y, s: (STEP)(y, s) if y.dim() == 2 and y.shape[1] == 1 else (_ for _ in ()).throw("
    "ValueError('step should get the last word of each sentence, (B, 1), but got a tensor of shape '"
    " + str(tuple(y.shape))))"
)
_RESUME = _COUNT.replace("s[:, 0] > 0.5", "s[:, 0].abs() > 0.5")


def cases(rng: np.random.Generator) -> Iterator[Case]:
    n_words = int(rng.integers(6, 9))
    ids = rng.permutation(n_words).tolist()
    special = itertools.cycle(zip(ids, [*ids[1:], ids[0]], strict=True))  # <s> and </s>

    def endless(eos: int) -> list[list[float]]:
        """A row of different logits for each of n_words situations; eos is never the best."""
        rows = [rng.permutation(n_words).astype(float) for _ in range(n_words)]
        return [np.where(np.arange(n_words) == eos, -1.0, row).tolist() for row in rows]

    def ending(eos: int) -> list[list[float]]:
        """The same, and a row in which eos is the best."""
        last = np.where(np.arange(n_words) == eos, 9.0, rng.permutation(n_words) / 10)
        return [*endless(eos), last.tolist()]

    def case(group: str, step: str, states: list[int], max_length: int, title: str, **more) -> Case:
        bos, eos = next(special)
        table = endless(eos) if step is _STEP else ending(eos)
        s = torch.tensor(states, dtype=torch.float32)[:, None]
        source = codec.Source(_LAST.replace("STEP", step.format(table=table, n=n_words)))
        return Case(group, [source, s, bos, eos, max_length], title=title, **more)

    def whole_batch(states: list[int], max_length: int) -> Case:
        bos, eos = next(special)
        s = torch.tensor(states, dtype=torch.float32)[:, None]
        shift = rng.permutation(n_words)[: len(states)][:, None].tolist()
        table = [endless(eos), ending(eos)[-1]]
        step = _ROWS.format(table=table[0], last=table[1], n=n_words, shift=shift, B=len(s))
        source = codec.Source(_LAST.replace("STEP", step))
        title = "the decoder has something of its own for each sentence of the batch"
        return Case("ends", [source, s, bos, eos, max_length], title=title)

    n = int(rng.integers(4, 7))
    yield case("values", _STEP, [0], n, "one sentence, which ends at the limit")
    yield case("values", _STEP, [0, 1, 2], n, "three sentences")
    yield case("values", _STEP, [3, 1], 1, "a limit of one word")
    yield case("values", _STEP, [2, 0], n + 2, "two sentences")
    yield case("ends", _COUNT, [n], n + 5, "one sentence, which ends by itself")
    yield case("ends", _COUNT, [2, n, 1], n + 5, "sentences that end at different steps")
    yield case("ends", _COUNT, [0, 3], n + 5, "one translation has no word")
    yield case("ends", _COUNT, [n + 5, 1, n], n, "one ends too late, one just in time")
    title = "a decoder that goes on after </s>"
    yield case("ends", _RESUME, [1, n, 2], n + 5, title)
    yield case("ends", _RESUME, [1, n + 5], n, title)
    yield whole_batch([2, n, 1], n + 3)
    yield whole_batch([1, n + 3], n)


WRONG = {
    "feeds_all_words": """
        `step` gets all words so far. It takes the last word of each sentence alone, (B, 1): what came
        before is in the state.

        raises ValueError

        - y = logits[:, -1].argmax(dim=-1, keepdim=True)
        - for b, word in enumerate(y[:, 0].tolist()):
        + y = torch.cat([y, logits[:, -1].argmax(dim=-1, keepdim=True)], dim=1)
        + for b, word in enumerate(y[:, -1].tolist()):
        """,
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
    "drops_only_the_end": """
        </s> itself is left out, but what the decoder writes after it is kept while other sentences
        go on. Append words only until the sentence has ended.

        - if not ended[b]:
        + if word != eos:
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
    "leaves_out_other_tokens": """
        Padding or <s> is left out where the decoder writes it. Only </s> ends a translation; every
        other id that comes before it belongs to the translation.

        - if not ended[b]:
        + if not ended[b] and word not in (0, bos):
        """,
    "one_word_too_many": """
        A translation that never ends gets one word more than max_length.

        - for _ in range(max_length):
        + for _ in range(max_length + 1):
        """,
    "one_word_too_few": """
        A translation that never ends gets one word less than max_length. <s> is not one of its
        words: take max_length steps.

        - for _ in range(max_length):
        + for _ in range(max_length - 1):
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
    "stops_before_the_others_write": """
        As soon as one sentence has ended the loop stops, and the others lose even the word of this
        step. Go on until all have ended.

        - for b, word in enumerate(y[:, 0].tolist()):
        + if (y == eos).any():
        +     break
        + for b, word in enumerate(y[:, 0].tolist()):
        """,
    "one_sentence_at_a_time": """
        The sentences are translated one by one. The decoder knows the whole batch (in section 4 it looks
        at the states of every source), so each step needs the rows of all sentences.

        raises RuntimeError

        def greedy_decode(step, s, bos, eos, max_length):
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
    "drops_what_has_ended": """
        Sentences that have ended are taken out of the batch. The decoder still has a row for each of them
        (in section 4 the states of its source), so give it all rows until the last one has ended.

        raises RuntimeError

        def greedy_decode(step, s, bos, eos, max_length):
            found = [[] for _ in s]
            open_rows, y = list(range(len(s))), torch.full((len(s), 1), bos)
            for _ in range(max_length):
                logits, s = step(y, s)
                y = logits[:, -1].argmax(dim=-1, keepdim=True)
                going_on = y[:, 0] != eos
                for b, word, goes_on in zip(open_rows, y[:, 0].tolist(), going_on.tolist()):
                    if goes_on:
                        found[b].append(word)
                open_rows = [b for b, goes_on in zip(open_rows, going_on.tolist()) if goes_on]
                y, s = y[going_on], s[going_on]
                if not open_rows:
                    break
            return found
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
    "until_all_have_ended": """
        def greedy_decode(step, s, bos, eos, max_length):
            words = torch.full((len(s), 1), bos)
            while words.shape[1] <= max_length and not (words == eos).any(dim=1).all():
                logits, s = step(words[:, -1:], s)
                words = torch.cat([words, logits[:, -1:].argmax(dim=-1)], dim=1)
            rows = (row[1:] for row in words.tolist())
            return [row[: row.index(eos)] if eos in row else row for row in rows]
        """,
}

EQUIVALENT = {
    "The order does not matter.": """
        -        for b, word in enumerate(y[:, 0].tolist()):
        +        for b, word in list(enumerate(y[:, 0].tolist()))[::-1]:
        """,
    "All rows are equal.": """
             y = torch.full((len(s), 1), bos)
        +    y = y[:1].expand_as(y)
             for _ in range(max_length):
        """,
    "The step gets one word and gives logits for one.": """
        -        y = logits[:, -1].argmax(dim=-1, keepdim=True)
        +        y = logits[:, 0].argmax(dim=-1, keepdim=True)
        """,
    "There is one column.": """
        -        for b, word in enumerate(y[:, 0].tolist()):
        +        for b, word in enumerate(y[:, -1].tolist()):
        """,
    "Whatever follows </s> is left out; the steps only take longer.": """
        -        if all(ended):
        +        if False:

        -        if all(ended):
        -            break

        -            break
        +            pass

        -            break
        +            continue
        """,
}
