"""generate: a table in place of a model, whose rows depend on what has been read, and how often."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import VALUE_ERROR, number
from .common import some_ids

POINTS = {"values": 2, "cache": 1, "ends": 2}

#: The next token depends on the last one, on the number of tokens read, and on the number of steps.
_STEP = (
    "lambda ids, cache: (lambda read, steps: (torch.eye({n})[(7 * int(ids[0, -1]) + 3 * read + 5 * steps"
    " + {shift}) % {n}], (read, steps)))((cache or (0, 0))[0] + ids.shape[1], (cache or (0, 0))[1] + 1)"
)
#: The sum of all ids read so far decides.
_SUM = (
    "lambda ids, cache: (lambda total: (torch.eye({n})[(total + {shift}) % {n}], total))"
    "((0 if cache is None else cache) + int(ids.sum()))"
)
#: Takes only so many steps, with an id as an index.
_FEW = (
    "lambda ids, cache: (torch.eye({n})[(ids[0, -1] + {shift}) % {n}], (cache or 0) + 1)"
    " if (cache or 0) < {most} else 1 / 0"
)
_BEST = codec.Source("lambda logits: int(logits.argmax())")
_NEXT = codec.Source("lambda logits: (int(logits.argmax()) + 1) % len(logits)")


def _written(n: int, shift: int, prompt: list[int], steps: int, add: int = 0) -> list[int]:
    """What the step of _STEP writes without an end."""
    last, read, new = prompt[-1], len(prompt), []
    for step in range(1, steps + 1):
        last = ((7 * last + 3 * read + 5 * step + shift) % n + add) % n
        new.append(last)
        read += 1
    return new


def cases(rng: np.random.Generator) -> Iterator[Case]:
    n_tokens = 101

    def shift() -> int:
        return number(rng, 1, 90)

    def step(text: str, by: int, most: int) -> codec.Source:
        return codec.Source(text.format(n=n_tokens, shift=by, most=most))

    def case(
        group: str, by: int, prompt: list[int], n: int, end: int, most: int, **more: Any
    ) -> Case:
        text, choose = more.pop("text", _STEP), more.pop("choose", _BEST)
        return Case(group, [step(text, by, n), prompt, n, choose, end, most], **more)

    never = n_tokens + 5  # an id that is never chosen
    n = number(rng, 4, 6)
    yield case(
        "values", shift(), some_ids(rng, 3, high=90), n, never, 50, title="after three tokens"
    )
    yield case(
        "values", shift(), some_ids(rng, 1, high=90), n + 2, never, 50, title="after one token"
    )
    prompt = some_ids(rng, 1, high=90) * 2
    written = _written(n_tokens, 0, prompt, 1)[0]
    title = "the first that is written has the id 0, and the prompt has a token twice"
    yield case("values", n_tokens - written, prompt, n, never, 50, title=title)
    title = "the tokens that choose wants"
    prompt = some_ids(rng, 2, high=90)
    yield case("values", shift(), prompt, n, never, 50, choose=_NEXT, title=title)
    prompt = some_ids(rng, 4, high=90)
    title = "a model that adds up all it has read"
    yield case("cache", shift(), prompt, n, never, 50, text=_SUM, title=title)
    prompt = some_ids(rng, 5, high=90)
    title = "each token is read once: the step counts them"
    yield case("cache", shift(), prompt, n, never, 50, title=title)

    prompt, title = some_ids(rng, 2, high=90), "no step whose result nobody needs"
    yield case("cache", shift(), prompt, n, never, 50, text=_FEW, title=title)

    for where in itertools.count(2):  # an end that comes after two tokens or more
        by, prompt = shift(), some_ids(rng, 3, high=90)
        new = _written(n_tokens, by, prompt, 6)
        if len(set(new)) == 6:
            yield case("ends", by, prompt, 9, new[2 + where % 2], 50, title="the end comes early")
            break
    by, prompt = shift(), some_ids(rng, 2, high=90)
    first = _written(n_tokens, by, prompt, 1)[0]
    yield case("ends", by, prompt, 5, first, 50, title="the end comes first")
    prompt = some_ids(rng, 3, high=90)
    by = n_tokens - _written(n_tokens, 0, prompt, 1)[0]
    yield case("ends", by, prompt, 5, 0, 50, title="the end has the id 0, and comes first")
    yield case("ends", shift(), some_ids(rng, 3, high=90), 9, never, 3 + n - 2, title="max_length")
    yield case("ends", shift(), some_ids(rng, 4, high=90), n, never, 4, title="no room for a token")
    prompt, title = some_ids(rng, 4, high=90), "no token is wanted, so no step is taken"
    yield case("ends", shift(), prompt, 0, never, 50, text=_FEW, title=title)
    new = prompt
    while prompt[1] in new:
        by, prompt = shift(), some_ids(rng, 3, high=90)
        new = _written(n_tokens, by, prompt, n)
    title = "the end stands in the prompt, too"
    yield case("ends", by, prompt, n, prompt[1], 50, title=title)

    yield case("ends", shift(), [], n, never, 50, title="an empty prompt", judge=VALUE_ERROR)
    long = some_ids(rng, n + 3, high=90)
    yield case("ends", shift(), long, 3, never, n, title="a prompt too long", judge=VALUE_ERROR)
    title = "a prompt too long, and nothing to write"
    yield case("ends", shift(), long, 0, never, n, title=title, judge=VALUE_ERROR)


WRONG = {
    "reads_everything_again": """
        Each step reads the whole text again, although the cache has it already. After the prompt,
        read the new token alone.

        - unread = [token]
        + unread = [*prompt, *new]
        """,
    "one_step_more": """
        There is one step too many: after the last token has been chosen it is read, and nobody needs what
        comes out. Take a step only before a token is chosen.

        raises ZeroDivisionError

        - logits, cache = step(torch.tensor([unread]), cache)
        - token = choose(logits)
        + if not new:
        +     logits, cache = step(torch.tensor([unread]), cache)
        + token = choose(logits)
        ...
        - new.append(token)
        + new.append(token)
        + logits, cache = step(torch.tensor([[token]]), cache)
        """,
    "drops_the_cache": """
        The cache that a step returns is thrown away, so every token is read as if nothing had come
        before it. Pass it to the next step.

        - logits, cache = step(torch.tensor([unread]), cache)
        + logits, _ = step(torch.tensor([unread]), cache)
        """,
    "prompt_token_by_token": """
        The prompt is read token by token. It can be read in one step, which is what makes long
        prompts cheap.

        - unread, cache = list(prompt), None
        + unread, cache = [prompt[-1]], None
        + for token in prompt[:-1]:
        +     _, cache = step(torch.tensor([[token]]), cache)
        """,
    "last_token_of_the_prompt_only": """
        Only the last token of the prompt is read. The model should know all of it.

        - unread, cache = list(prompt), None
        + unread, cache = [prompt[-1]], None
        """,
    "returns_the_end": """
        The result contains the token that ends a text. Leave it out.

        - if token == end:
        -     break
        - new.append(token)
        + new.append(token)
        + if token == end:
        +     break
        """,
    "returns_the_prompt": """
        The prompt is part of the result. Return the new tokens only.

        - return new
        + return [*prompt, *new]
        """,
    "ignores_the_end": """
        Writing goes on after the end of the text. Stop when `end` is chosen.

        - if token == end:
        -     break
        """,
    "ignores_choose": """
        The most probable token is always taken. `choose` decides which one it is.

        - token = choose(logits)
        + token = int(logits.argmax())
        """,
    "max_length_for_the_new": """
        max_length is applied to the new tokens alone. Prompt and new tokens together may have so
        many.

        - while len(new) < min(n, max_length - len(prompt)):
        + while len(new) < min(n, max_length):
        """,
    "ignores_max_length": """
        The text grows beyond max_length, where a model has no positions left.

        - while len(new) < min(n, max_length - len(prompt)):
        + while len(new) < n:
        """,
    "one_too_few": """
        One token too few is written.

        - while len(new) < min(n, max_length - len(prompt)):
        + while len(new) < min(n, max_length - len(prompt)) - 1:
        """,
    "empty_prompt_starts_anyway": """
        A prompt without a token should raise a ValueError: there is nothing to go on from.

        - if not 0 < len(prompt) <= max_length:
        + if len(prompt) == 0:
        +     return []
        + if not len(prompt) <= max_length:
        """,
    "long_prompt_is_cut": """
        A prompt that is longer than max_length should raise a ValueError. Cutting it silently answers
        another question than the one that was asked.

        - if not 0 < len(prompt) <= max_length:
        + prompt = prompt[-max_length:]
        + if not prompt:
        """,
    "reads_for_nothing": """
        The prompt is read although no token may be written. Take a step only if there is a token to
        choose.

        raises ZeroDivisionError

        - while len(new) < min(n, max_length - len(prompt)):
        -     logits, cache = step(torch.tensor([unread]), cache)
        -     token = choose(logits)
        + most = min(n, max_length - len(prompt))
        + logits, cache = step(torch.tensor([unread]), cache)
        + while len(new) < most:
        +     token = choose(logits)
        ...
        - unread = [token]
        + if len(new) < most:
        +     logits, cache = step(torch.tensor([[token]]), cache)
        """,
    "full_prompt_refused": """
        A prompt of exactly max_length tokens raises a ValueError. It is as long as it may be:
        nothing is written after it.

        raises ValueError

        - if not 0 < len(prompt) <= max_length:
        + if not 0 < len(prompt) < max_length:
        """,
}

FURTHER = """
Before the loop: what is still unread is the prompt, and the cache is None. In the loop: one step with
what is unread and the cache; choose a token; stop if it is the end; append it, and it is what is unread
now. The loop runs while there are fewer than n new tokens and fewer than max_length in all.
"""

RIGHT = {
    "for_loop": """
        def generate(step, prompt, n, choose, end, max_length):
            if len(prompt) == 0 or len(prompt) > max_length:
                raise ValueError("prompt")
            ids, cache, written = torch.tensor(prompt).unsqueeze(0), None, []
            for _ in range(min(n, max_length - len(prompt))):
                logits, cache = step(ids, cache)
                token = choose(logits)
                if token == end:
                    return written
                written.append(token)
                ids = torch.tensor([[token]])
            return written
        """,
    "generator_function": """
        def generate(step, prompt, n, choose, end, max_length):
            if not prompt or len(prompt) > max_length:
                raise ValueError("the prompt does not fit")

            def tokens():
                logits, cache = step(torch.tensor([list(prompt)]), None)
                while True:
                    token = choose(logits)
                    yield token
                    logits, cache = step(torch.tensor([[token]]), cache)

            room = min(n, max_length - len(prompt))
            found = []
            if room > 0:
                for token in tokens():
                    if token == end:
                        break
                    found.append(token)
                    if len(found) == room:
                        break
            return found
        """,
}

EQUIVALENT = {
    "the prompt is only read": """
        -    unread, cache = list(prompt), None
        +    unread, cache = prompt, None
        """,
    "there is one token more in each round, beginning with none": """
        -    while len(new) < min(n, max_length - len(prompt)):
        +    while len(new) != min(n, max_length - len(prompt)):
        """,
}
