"""unsupervised_loss: four parts, each with its own weight in the cases, so that a missing one shows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from .common import languages, sentences

POINTS = {"values": 3, "training": 1, "edges": 1}
#: Like `common.TRANSLATE`; each case has a factor of its own, so that the first one does not serve for all.
_TRANSLATE = (
    "lambda sentences, language: [[({factor} * i + language) % 83 + 4"
    " + 100 * torch.is_grad_enabled() for i in ids][::-1] for ids in sentences]"
)
#: A number that depends on every token, on its position, and on which of the four tensors has it.
_LOSS = (
    "lambda source, mask, y_in, y_out: torch.ones(1, requires_grad={trained}).sum() * sum("
    "(weight * (t * torch.arange(1, t.shape[1] + 1)).sum() % 997) / {divisor}"
    " for weight, t in ((1, source), (3, mask.long()), (7, y_in), (13, y_out)))"
)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        first: list[int],
        second: list[int],
        p: float,
        k: int,
        title: str = "",
        part: tuple[str, ...] = (),
        falling: bool | None = None,
        **more,
    ) -> Case:
        a, b, eos = languages(rng)
        if falling is not None:  # noise is drawn for the first key, not for the smaller one
            a, b = sorted((a, b), reverse=falling)
        generator = codec.Drawn(int(rng.integers(10_000)), count=int(rng.integers(1, 9)))
        both = {a: sentences(rng, *first), b: sentences(rng, *second)}
        factor, divisor = int(rng.integers(2, 41)), int(rng.integers(50, 151))
        tests = {"trained": True}
        if part:  # gradients pass the loss of a single batch: that of one language and one kind
            token = (a, b)[part[0] == "second"]
            is_copy = "torch.equal(source, y_out)"
            kind = is_copy if part[1] == "denoising" else f"(not {is_copy})"
            tests = {"trained": f"(int(y_in[0, 0]) == {token} and {kind})"}
        loss = codec.Source(_LOSS.format(divisor=divisor, **tests))
        translate = codec.Source(_TRANSLATE.format(factor=factor))
        return Case(group, [loss, translate, both, eos, p, k, generator], title=title, **more)

    n = int(rng.integers(5, 8))
    yield case("values", [3], [2], 0.0, 0, "a sentence of each language, no noise")
    yield case("values", [n, 2], [3, n], 0.0, 0, "two sentences of each language, no noise")
    yield case("values", [n, 9], [10, n], 0.0, 3, "words change places", falling=True)
    yield case("values", [n, 9, 12], [10, n, 11], 0.4, 3, falling=False)
    yield case("values", [n + 1, 2], [4, n, 1, 9], 0.3, 2, "more sentences of one language")
    read = [(".requires_grad",), ("item",)]
    for part in itertools.product(("first", "second"), ("denoising", "translation")):
        title = f"gradients of the {part[0]} language's {part[1]}"
        yield case("training", [n], [3, 4], 0.0, 0, title, part, then=read)
    title = "the training step: backward"
    yield case("training", [n], [3, 5], 0.0, 0, title, then=[("backward",), ("item",)])
    yield case("edges", [0, 3], [n], 0.2, 3, "a sentence without words")
    yield case("edges", [1], [1], 0.5, 2, "single words")


FURTHER = """
`first, second = sentences` gives the two language tokens. Go through (first, second) and (second,
first): in each round add the loss of one denoising_batch and of one back_translation_batch;
`loss(*batch)` unpacks the four tensors.
"""

WRONG = {
    "denoising_only": """
        The back-translation is missing: the model would learn two languages, and never to get from
        one to the other.

        - total = total + loss(*back_translation_batch(translate, ids, language, other, eos))
        """,
    "back_translation_only": """
        The denoising is missing. Without it the model may write anything that can be translated
        back.

        - total = total + loss(*denoising_batch(ids, language, eos, p, k, generator))
        """,
    "one_language_only": """
        Only one of the languages is used. Each learns from the other: go in both directions.

        - for language, other in ((first, second), (second, first)):
        + for language, other in ((first, second),):
        """,
    "mean": """
        This is the mean of the four losses. The text asks for their sum.

        - return total
        + return total / 4
        """,
    "tokens_swapped": """
        The two language tokens are exchanged in the back-translation: the sentences are translated
        into their own language, and the decoder is told to write the other one.

        - total = total + loss(*back_translation_batch(translate, ids, language, other, eos))
        + total = total + loss(*back_translation_batch(translate, ids, other, language, eos))
        """,
    "translates_into_the_same": """
        In the back-translation both tokens are the language itself, so the sentences are translated
        into the language that they are in. The other one is the other key of `sentences`.

        - total = total + loss(*back_translation_batch(translate, ids, language, other, eos))
        + total = total + loss(*back_translation_batch(translate, ids, language, language, eos))
        """,
    "noise_on_translations": """
        The noise is for the denoising only. The translations of the machine are noisy enough, and
        here the reference leaves them as they are.

        - total = total + loss(*back_translation_batch(translate, ids, language, other, eos))
        + noisy = lambda s, to: [add_noise(t, p, k, generator) for t in translate(s, to)]
        + total = total + loss(*back_translation_batch(noisy, ids, language, other, eos))
        """,
    "a_number": """
        No gradient flows from the result back to the model, so it cannot learn. Add up the losses as
        tensors, without .item() and outside of torch.no_grad().

        - return total
        + return torch.tensor(total.item())
        """,
    "adds_up_numbers": """
        The losses become numbers before they are added up, so no gradient flows from the result
        back to the model. Add up the tensors, without .item().

        - total = torch.zeros(())
        - for language, other in ((first, second), (second, first)):
        -     ids = sentences[language]
        -     total = total + loss(*denoising_batch(ids, language, eos, p, k, generator))
        -     total = total + loss(*back_translation_batch(translate, ids, language, other, eos))
        + total = 0.0
        + for language, other in ((first, second), (second, first)):
        +     ids = sentences[language]
        +     total += loss(*denoising_batch(ids, language, eos, p, k, generator)).item()
        +     total += loss(*back_translation_batch(translate, ids, language, other, eos)).item()
        """,
    "mean_of_languages": """
        The sum is divided by the number of languages. The text asks for the sum of all four losses.

        - return total
        + return total / 2
        """,
    "last_language_only": """
        Only the losses of the second language are left: those of the first are overwritten. Add up
        all four.

        - total = total + loss(*denoising_batch(ids, language, eos, p, k, generator))
        + total = loss(*denoising_batch(ids, language, eos, p, k, generator))
        """,
    "back_translates_noise": """
        The sentences are broken before they are translated, and the broken ones are the targets of
        the back-translation. The noise is for the denoising only; `ids` are the real sentences.

        - total = total + loss(*back_translation_batch(translate, ids, language, other, eos))
        + ids = [add_noise(row, p, k, generator) for row in ids]
        + total = total + loss(*back_translation_batch(translate, ids, language, other, eos))
        """,
    "denoises_with_the_other_token": """
        In the denoising the decoder begins with the token of the other language. It should write
        the language of the sentence.

        - total = total + loss(*denoising_batch(ids, language, eos, p, k, generator))
        + total = total + loss(*denoising_batch(ids, other, eos, p, k, generator))
        """,
    "fixed_tokens": """
        The tokens of the languages are fixed numbers here. Take those that you are given: the keys
        of `sentences`.

        raises KeyError

        - for language, other in ((first, second), (second, first)):
        + for language, other in ((2, 3), (3, 2)):
        """,
    "calls_backward_itself": """
        The gradients are computed here already. The training loop calls `backward` on the loss that it
        gets, and a second time is an error: return the loss only.

        raises RuntimeError

        - return total
        + total.backward()
        + return total
        """,
    "order_of_the_tokens": """
        The languages come in the order of their tokens. Take the order of the keys of `sentences`:
        it decides which random numbers each of them gets.

        - first, second = sentences
        + first, second = sorted(sentences)
        """,
}

RIGHT = {
    "four_lines": """
        def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
            (a, A), (b, B) = sentences.items()
            denoise_a = loss(*denoising_batch(A, a, eos, p, k, generator))
            denoise_b = loss(*denoising_batch(B, b, eos, p, k, generator))
            into_a = loss(*back_translation_batch(translate, A, a, b, eos))
            into_b = loss(*back_translation_batch(translate, B, b, a, eos))
            return denoise_a + denoise_b + into_a + into_b
        """,
    "stack": """
        def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
            tokens, losses = list(sentences), []
            for i in range(2):
                here, there = tokens[i], tokens[1 - i]
                batch = denoising_batch(sentences[here], here, eos, p, k, generator)
                losses.append(loss(*batch))
            for here, there in zip(tokens, reversed(tokens)):
                batch = back_translation_batch(translate, sentences[here], here, there, eos)
                losses.append(loss(*batch))
            return torch.stack(losses).sum()
        """,
    "generator_expression": """
        def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
            def batches():
                for language, ids in sentences.items():
                    (other,) = set(sentences) - {language}
                    yield denoising_batch(ids, language, eos, p, k, generator)
                    yield back_translation_batch(translate, ids, language, other, eos)

            return sum(loss(*batch) for batch in batches())
        """,
}

EQUIVALENT = {
    "There are always the sentences of two languages.": "every edit: constant corner",
    "0 is 0 in any form": """
        -    total = torch.zeros(())
        +    total = torch.zeros(()).half()

        -    total = torch.zeros(())
        +    total = torch.zeros(()).item()
        """,
    "the sum so far is needed for nothing else": """
        -        total = total + loss(*denoising_batch(ids, language, eos, p, k, generator))
        +        total += loss(*denoising_batch(ids, language, eos, p, k, generator))

        -        total = total + loss(*denoising_batch(ids, language, eos, p, k, generator))
        +        total = total.add_(loss(*denoising_batch(ids, language, eos, p, k, generator)))

        -        total = total + loss(*back_translation_batch(translate, ids, language, other, eos))
        +        total += loss(*back_translation_batch(translate, ids, language, other, eos))

        -        total = total + loss(*back_translation_batch(translate, ids, language, other, eos))
        +        total = total.add_(loss(*back_translation_batch(translate, ids, language, other, eos)))
        """,
}
