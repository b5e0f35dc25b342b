"""beam_search: a table in place of a decoder; beams that win, that end early, or never."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import number

POINTS = {"greedy": 1, "values": 2, "states": 2, "ends": 2}

#: The logits depend on the previous token and on the state, which is a function of all tokens so far.
_STEP = (
    "lambda y, state: (torch.tensor({table})"
    "[(state[0][:, 0] + state[1][:, 1] + y[:, 0]).long() % {n}][:, None], "
    "[(3 * state[0] + y + 1) % 97, state[1] + y])"
)
#: Here they depend on the number of the step alone.
_TIMED_STEP = "lambda y, state: (torch.tensor({table})[state[0][:, 0]][:, None], [state[0] + 1])"


def _least_gap(
    step: codec.Source, state: list[torch.Tensor], bos: int, eos: int, beam: int, max_length: int
) -> float:
    """The smallest difference of two log-probabilities whose order decides something.

    Two hypotheses may take the same rows of the table in another order. Their sums are then equal
    up to rounding, and which of them comes first is a matter of chance.
    """
    decode = codec.decode(codec.encode(step))
    tokens, sums = torch.full((1, 1), bos), torch.zeros(1, dtype=torch.float64)
    ended: list[float] = []
    gaps: list[float] = []
    for _ in range(max_length):
        logits, state = decode(tokens, state)
        total = (sums[:, None] + logits[:, 0].double().log_softmax(dim=1)).flatten()
        found = total.sort(descending=True)
        gaps += (-found.values[: beam + 1].diff()).tolist()
        values, chosen = found.values[:beam], found.indices[:beam]
        rows, words = chosen // logits.shape[-1], chosen % logits.shape[-1]
        over = words == eos
        ended += values[over].tolist()
        rows, tokens, sums = rows[~over], words[~over][:, None], values[~over]
        state = [part[rows] for part in state]
        if len(ended) >= beam or not len(rows):
            sums = sums[:0]
            break
    last = sorted([*ended, *sums.tolist()])
    return min([*gaps, *(b - a for a, b in itertools.pairwise(last))], default=1.0)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        beam: int,
        max_length: int,
        title: str,
        end: float = 0.0,
        start: int = 0,
        n_words: int | None = None,
        **more,
    ) -> Case:
        n_words = n_words or number(rng, 5, 7)
        bos, eos = rng.permutation(n_words)[:2].tolist()

        def draw() -> list[Any]:
            table = rng.normal(0, 1.2, size=(11, n_words))
            table[:, eos] += end
            step = codec.Source(_STEP.format(table=table.round(4).tolist(), n=len(table)))
            state = [torch.tensor([[float(start + number(rng, 0, 40))]]), torch.zeros(1, 2)]
            return [step, state, bos, eos, beam, max_length]

        inputs = draw()
        while _least_gap(*inputs) < 1e-3:
            inputs = draw()
        return Case(group, inputs, title=title, **more)

    n, never = number(rng, 4, 6), -20.0
    yield case("greedy", 1, n, "a beam of 1", end=never)
    yield case("greedy", 1, 9, "a beam of 1, a longer translation", end=never)
    yield case("values", 2, n, "a beam of 2", end=never)
    yield case("values", 3, n + 1, "a beam of 3", end=never)
    yield case("values", 4, n, "a beam of 4", end=never)
    yield case("values", 3, 2, "a short limit", end=never)
    yield case("states", 2, 7, "long hypotheses: states follow them", end=never)
    yield case("states", 3, 8, "another start", end=never, start=11)
    yield case("states", 5, 6, "a beam of 5", end=never, n_words=7)
    yield case("ends", 2, n + 1, "some end, a beam of 2", end=-0.5)
    yield case("ends", 3, n + 2, "some end, a beam of 3")
    yield case("ends", 4, n + 1, "some end, a beam of 4", end=-0.5)
    yield case("ends", 2, 8, "all end early", end=3.0)
    yield case("ends", 3, 6, "none ends", end=never)
    yield case("ends", 2, 1, "a limit of one token")
    yield case("ends", 6, 4, "more hypotheses than tokens", n_words=4)
    yield case("ends", 1, 8, "the end comes first", end=20.0)
    table = rng.normal(size=(5, 6))
    bos, eos = rng.permutation(6)[:2].tolist()
    table[:3, eos] = 8.0, -20.0, 20.0
    step = codec.Source(_TIMED_STEP.format(table=table.round(4).tolist()))
    inputs = [step, [torch.zeros(1, 1, dtype=torch.long)], bos, eos, 2, 5]
    yield Case("ends", inputs, title="one ends first, and later two at once")
    yield Case("ends", [*inputs[:5], 2], title="at the limit one has ended, and two have not")
    table = rng.normal(0, 0.3, size=(3, 6))
    bos, eos, word = rng.permutation(6)[:3].tolist()
    table[0, word], table[:, eos] = 4.0, (2.0, 20.0, 20.0)
    step = codec.Source(_TIMED_STEP.format(table=table.round(4).tolist()))
    inputs = [step, [torch.zeros(1, 1, dtype=torch.long)], bos, eos, 2, 3]
    yield Case("ends", inputs, title="the first that ends is not the best")
    yield _jump(rng)


def _jump(rng: np.random.Generator) -> Case:
    """With a beam of 3, one, two and then four have ended, so that there are never exactly three.

    Tokens are numbered in the order of `ids`: the end, a better and a worse one, others. The first
    step keeps one of each; the second three that go on from the better one; then both open ones end.
    """
    noise = rng.uniform(0, 0.2, size=(7, 8))
    noise[:3, :] += [[8, 7.5, 3, *[-20] * 5], [4.5, 5, -20, 4, *[-20] * 4], [20, *[0] * 7]]
    ids = rng.permutation(8)
    table = np.empty_like(noise)
    table[:, ids] = noise
    table[3:, ids[0]] = 0.5
    step = codec.Source(_TIMED_STEP.format(table=table.round(4).tolist()))
    bos, state = int(ids[-1]), [torch.zeros(1, 1, dtype=torch.long)]
    title = "the third and the fourth end in the same step, and one goes on"
    return Case("ends", [step, state, bos, int(ids[0]), 3, number(rng, 5, 6)], title=title)


WRONG = {
    "greedy_in_disguise": """
        Each hypothesis is only extended by its best token. Compare all extensions of all hypotheses,
        and keep the k best: one may have two children, another none.

        - best = total.flatten().topk(min(beam, total.numel()))
        + best = total.flatten().topk(min(beam, total.numel()))
        + if len(alive) > 1:
        +     only = total.masked_fill(total < total.max(dim=1, keepdim=True).values, -torch.inf)
        +     best = only.flatten().topk(len(alive))
        """,
    "ignores_the_past": """
        Extensions are compared by their last token alone. Add the log-probability of the hypothesis
        that they extend.

        - total = log_p + torch.tensor([[so_far] for _, so_far in alive])
        + total = log_p
        """,
    "adds_logits": """
        Logits are added up. They are not comparable between steps: turn them into log-probabilities
        first.

        - log_p = torch.log_softmax(logits[:, -1], dim=-1)  # (n, |V|)
        + log_p = logits[:, -1]
        """,
    "states_in_old_order": """
        The states do not follow their hypotheses. After each step a hypothesis may extend another
        one: reorder all tensors of the state by the rows that were extended.

        - alive, state = survivors, [part[rows] for part in state]
        + alive, state = survivors, [part[torch.arange(len(rows)) % len(part)] for part in state]
        """,
    "keeps_the_end": """
        The translations contain </s>. It only says that a hypothesis is over; leave it out.

        - ended.append((alive[row][0], value))
        + ended.append(([*alive[row][0], token], value))
        """,
    "probability_without_end": """
        The probability of </s> is missing. Ending there is a decision like any other.

        - ended.append((alive[row][0], value))
        + ended.append(alive[row])
        """,
    "stops_with_the_first": """
        The search stops with the first hypothesis that ends. Another one may be better: go on until
        k have ended.

        - if len(ended) >= beam:
        + if ended:
        """,
    "adds_the_unfinished": """
        Hypotheses that have not ended are returned, although k others have. They are only returned
        at max_length.

        -     alive = []
        -     break
        +     break
        """,
    "drops_the_unfinished": """
        At max_length the hypotheses that have not ended are lost. Return them, too: if none ends,
        there would be no translation at all.

        - return sorted(ended + alive, key=lambda pair: -pair[1])
        + return sorted(ended, key=lambda pair: -pair[1])
        """,
    "unsorted": """
        The translations are returned in the order in which they ended. The most probable comes
        first.

        - return sorted(ended + alive, key=lambda pair: -pair[1])
        + return ended + alive
        """,
    "beam_shrinks": """
        The beam shrinks with each hypothesis that ends. Every step takes the k best candidates,
        however many hypotheses have ended before.

        - best = total.flatten().topk(min(beam, total.numel()))
        + best = total.flatten().topk(min(beam - len(ended), total.numel()))
        """,
    "beam_is_topped_up": """
        A step goes on until it has k hypotheses that have not ended. It takes the k best candidates,
        and those that end are among these k.

        - best = total.flatten().topk(min(beam, total.numel()))
        + best = total.flatten().sort(descending=True)
        ...
        + if len(survivors) == beam:
        +     break
          row, token = divmod(index, total.shape[1])
        """,
    "one_step_too_many": """
        There is one step too many. max_length is the number of steps, and writing </s> is one of
        them.

        - for _ in range(max_length):
        + for _ in range(max_length + 1):
        """,
    "never_stops_at_k": """
        The search goes on although k hypotheses have ended. Stop there, and forget those that have
        not.

        - if len(ended) >= beam:
        + if not alive:
        """,
    "returns_only_k": """
        At most k translations are returned. Return all that have ended, and at max_length those that
        have not as well.

        - return sorted(ended + alive, key=lambda pair: -pair[1])
        + return sorted(ended + alive, key=lambda pair: -pair[1])[:beam]
        """,
    "keeps_the_k_best_that_ended": """
        Of the hypotheses that have ended, only the k best are returned. More than k may have ended,
        since several can finish in the last step: return all of them.

        - alive = []
        - break
        + ended, alive = sorted(ended, key=lambda pair: -pair[1])[:beam], []
        + break
        """,
    "keeps_the_old_state": """
        The new state that `step` returns is not used: at every step the decoder knows nothing but
        the last token. Keep the new state, and reorder that.

        - logits, state = step(y, state)
        + logits, _ = step(y, state)
        """,
    "fewer_candidates_than_k": """
        A beam that is wider than the number of candidates fails in topk. In the first step there
        are only |V| of them: take all.

        raises RuntimeError

        - best = total.flatten().topk(min(beam, total.numel()))
        + best = total.flatten().topk(beam)
        """,
    "stops_at_exactly_k": """
        The search goes on if more than k hypotheses have ended. Two may end in the same step, so that
        there are never exactly k: ask for k or more, >=.

        - if len(ended) >= beam:
        + if len(ended) == beam or not alive:
        """,
    "worst_first": """
        The hypotheses come in ascending order. The most probable one comes first.

        - return sorted(ended + alive, key=lambda pair: -pair[1])
        + return sorted(ended + alive, key=lambda pair: pair[1])
        """,
    "adds_probabilities": """
        Probabilities are added up: the logarithm is missing. The probability of a sentence is a
        product, so add their logarithms.

        - log_p = torch.log_softmax(logits[:, -1], dim=-1)  # (n, |V|)
        + log_p = torch.softmax(logits[:, -1], dim=-1)  # (n, |V|)
        """,
    "only_the_first_state": """
        Only the first tensor of the state is put in the order of the survivors. All of them belong
        to the hypotheses: reorder each.

        - alive, state = survivors, [part[rows] for part in state]
        + alive, state = survivors, [state[0][rows], *(part[: len(rows)] for part in state[1:])]
        """,
    "divides_by_the_length": """
        The log-probabilities are divided by the length. That is for ranking, in another exercise:
        here they stay sums.

        - return sorted(ended + alive, key=lambda pair: -pair[1])
        + scored = [(ids, value / max(len(ids), 1)) for ids, value in ended + alive]
        + return sorted(scored, key=lambda pair: -pair[1])
        """,
    "ends_beside_the_beam": """
        A step looks at 2k candidates: k that go on survive, and those that end are set aside beside
        them. It takes the k best candidates, and those that end are among these k.

        - best = total.flatten().topk(min(beam, total.numel()))
        + best = total.flatten().topk(min(2 * beam, total.numel()))
        ...
        - else:
        + elif len(rows) < beam:
        """,
}

FURTHER = """
Keep a list of (ids, log-probability) for the n hypotheses that are alive, and the state with n rows. In
a step: the last token of each as y, (n, 1); log_softmax of the logits plus the sums so far, (n, |V|);
`flatten().topk(...)`. An index i of the flat tensor is the token i % |V| of hypothesis i // |V|. Those
with eos go to the ended ones; for the others collect the new ids, the sum, and the row, and index all
tensors of the state with these rows.
"""

RIGHT = {
    "sorts_all_extensions": """
        def beam_search(step, state, bos, eos, beam, max_length):
            alive, ended = [([], 0.0)], []
            for _ in range(max_length):
                y = [[ids[-1]] if ids else [bos] for ids, _ in alive]
                logits, state = step(torch.tensor(y), state)
                log_p = F.log_softmax(logits[:, 0], dim=1).tolist()
                extensions = [
                    (sum_ + p, row, token)
                    for row, ((_, sum_), ps) in enumerate(zip(alive, log_p))
                    for token, p in enumerate(ps)
                ]
                extensions = sorted(extensions, reverse=True)[:beam]
                ended += [(alive[row][0], s) for s, row, token in extensions if token == eos]
                going = [e for e in extensions if e[2] != eos]
                alive = [(alive[row][0] + [token], s) for s, row, token in going]
                state = [part[[row for _, row, _ in going]] for part in state]
                if len(ended) >= beam or not alive:
                    return sorted(ended, key=lambda pair: pair[1], reverse=True)
            return sorted(ended + alive, key=lambda pair: pair[1], reverse=True)
        """,
    "with_tensors": """
        def beam_search(step, state, bos, eos, beam, max_length):
            ids, sums, ended = torch.full((1, 1), bos), torch.zeros(1), []
            for _ in range(max_length):
                logits, state = step(ids[:, -1:], state)
                total = sums[:, None] + logits[:, -1] - logits[:, -1].logsumexp(-1, keepdim=True)
                values, where = total.flatten().topk(min(beam, total.numel()))
                rows, tokens = where // total.shape[1], where % total.shape[1]
                over = tokens == eos
                for row, value in zip(rows[over], values[over]):
                    ended.append((ids[row, 1:].tolist(), value.item()))
                rows, sums = rows[~over], values[~over]
                ids = torch.cat([ids[rows], tokens[~over, None]], dim=1)
                state = [part.index_select(0, rows) for part in state]
                if len(ended) >= beam or len(ids) == 0:
                    break
            else:
                ended += [(row[1:], s) for row, s in zip(ids.tolist(), sums.tolist())]
            return sorted(ended, key=lambda pair: -pair[1])
        """,
    "recursion": """
        def beam_search(step, state, bos, eos, beam, max_length):

            def search(alive, state, ended, left):
                if left == 0 or not alive or len(ended) >= beam:
                    found = ended + (alive if left == 0 and len(ended) < beam else [])
                    return sorted(found, key=lambda pair: -pair[1])
                y = torch.tensor([[(ids or [bos])[-1]] for ids, _ in alive])
                logits, state = step(y, state)
                log_p = logits.squeeze(1).log_softmax(dim=-1)
                log_p = log_p + torch.tensor([s for _, s in alive]).unsqueeze(1)
                values, order = log_p.view(-1).sort(descending=True)
                new, rows, over = [], [], []
                for s, i in zip(values[:beam].tolist(), order[:beam].tolist()):
                    row, token = i // log_p.shape[1], i % log_p.shape[1]
                    if token == eos:
                        over.append((alive[row][0], s))
                    else:
                        new.append((alive[row][0] + [token], s))
                        rows.append(row)
                return search(new, [part[rows] for part in state], ended + over, left - 1)

            return search([([], 0.0)], state, [], max_length)
        """,
}

EQUIVALENT = {
    "the sum with (1, 1) has the two axes again": """
        -        log_p = torch.log_softmax(logits[:, -1], dim=-1)  # (n, |V|)
        +        log_p = torch.log_softmax(logits[:, -1], dim=-1).squeeze()  # (n, |V|)
        """,
    "the axis has size 1": """
        -        log_p = torch.log_softmax(logits[:, -1], dim=-1)  # (n, |V|)
        +        log_p = torch.log_softmax(logits[:, 0], dim=-1)  # (n, |V|)
        """,
    "the same numbers: sums are contiguous, and as many as log-probabilities and logits": """
        -        best = total.flatten().topk(min(beam, total.numel()))
        +        best = total.view(total.flatten().shape).topk(min(beam, total.numel()))

        -        best = total.flatten().topk(min(beam, total.numel()))
        +        best = total.flatten().topk(min(beam, log_p.numel()))

        -        best = total.flatten().topk(min(beam, total.numel()))
        +        best = total.flatten().topk(min(beam, logits.numel()))

        -            row, token = divmod(index, total.shape[1])
        +            row, token = divmod(index, log_p.shape[1])
        """,
    "hypotheses and states are reordered alike, and the results are sorted": """
        -        for value, index in zip(best.values.tolist(), best.indices.tolist()):
        +        for value, index in list(zip(best.values.tolist(), best.indices.tolist()))[::-1]:
        """,
    "a pair has two entries": """
        -    return sorted(ended + alive, key=lambda pair: -pair[1])
        +    return sorted(ended + alive, key=lambda pair: -pair[-1])
        """,
}
