"""denoising_batch: noise on the source alone; the language token starts what the decoder reads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import EXACT
from .common import languages, sentences

POINTS = {"values": 2, "noise": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, lengths: list[int], p: float, k: int, title: str = "", **more) -> Case:
        language, _, eos = languages(rng)
        generator = codec.Drawn(int(rng.integers(10_000)), count=int(rng.integers(1, 9)))
        inputs = [sentences(rng, *lengths), language, eos, p, k, generator]
        return Case(group, inputs, title=title, judge=EXACT | more)

    n = int(rng.integers(5, 8))
    yield case("values", [3], 0.0, 0, "one sentence, no noise")
    yield case("values", [n, 2, n - 1], 0.0, 0, "three sentences, no noise")
    yield case("noise", [12], 0.4, 3, "one long sentence")
    yield case("noise", [n + 6, 9, 11], 0.3, 3)
    language, _, eos = languages(rng)
    same = sentences(rng, 12)[0]
    drawn = codec.Drawn(int(rng.integers(10_000)), count=int(rng.integers(1, 9)))
    inputs = [[same, [*same]], language, eos, 0.4, 3, drawn]
    title = "the same sentence twice, each with noise of its own"
    yield Case("noise", inputs, title=title, judge=EXACT)
    yield case("noise", [10, 3, 12], 0.0, 4, "no word is dropped", keeps_generators=True)
    yield case("noise", [14, 12, 13], 0.5, 0, "the order stays")
    yield case("edges", [0, 20], 0.4, 4, "a sentence without words")
    yield case("edges", [1, 1], 0.2, 2, "single words")


WRONG = {
    "noise_on_the_target": """
        The noise is on the target: the model would learn to write broken sentences. It reads the
        broken sentence and writes the right one.

        - return translation_batch(noisy, sentences, language, eos)
        + return translation_batch(sentences, noisy, language, eos)
        """,
    "noise_on_both": """
        Source and target are the same broken sentence: the model learns to copy. The target is the
        sentence as it was.

        - return translation_batch(noisy, sentences, language, eos)
        + return translation_batch(noisy, noisy, language, eos)
        """,
    "no_noise": """
        The source is the sentence itself, so copying word by word is all there is to learn. Add
        noise to it.

        - return translation_batch(noisy, sentences, language, eos)
        + return translation_batch(sentences, sentences, language, eos)
        """,
    "token_in_the_source": """
        The language token is in the source. It tells the decoder which language to write, so it
        comes first in what the decoder reads, in place of <s>.

        - return translation_batch(noisy, sentences, language, eos)
        + return translation_batch([[language, *ids] for ids in noisy], sentences, language, eos)
        """,
    "starts_and_ends_swapped": """
        The language token and </s> are exchanged: the decoder reads the language token first, and
        </s> ends source and target.

        - return translation_batch(noisy, sentences, language, eos)
        + return translation_batch(noisy, sentences, eos, language)
        """,
    "same_noise_for_all": """
        Every sentence gets the same random numbers, since the generator is set back each time. Let
        it go on.

        - noisy = [add_noise(ids, p, k, generator) for ids in sentences]
        + state = generator.get_state()
        + noisy = [add_noise(ids, p, k, generator.set_state(state)) for ids in sentences]
        """,
    "own_generator": """
        The noise comes from a generator of your own, with the same seed for every sentence. Pass
        on the one that you are given: it goes on drawing from sentence to sentence.

        - noisy = [add_noise(ids, p, k, generator) for ids in sentences]
        + noisy = [add_noise(s, p, k, torch.Generator().manual_seed(0)) for s in sentences]
        """,
    "add_noise_draws_for_all": """
        This function is right, but your add_noise draws n numbers the second time, too. It should
        draw one for each word that is left: otherwise the next sentence gets other numbers.

        - noisy = [add_noise(ids, p, k, generator) for ids in sentences]
        + noisy = []
        + for ids in sentences:
        +     state = generator.get_state()
        +     noisy.append(add_noise(ids, p, k, generator))
        +     generator.set_state(state)
        +     torch.rand(2 * len(ids), generator=generator)
        """,
    "eos_twice": """
        </s> comes twice: translation_batch already ends every sentence with it. Pass the words
        alone.

        - return translation_batch(noisy, sentences, language, eos)
        + return translation_batch(noisy, [[*ids, eos] for ids in sentences], language, eos)
        """,
    "only_shuffles": """
        Words only change places, none is dropped: p is not passed on.

        - noisy = [add_noise(ids, p, k, generator) for ids in sentences]
        + noisy = [add_noise(ids, 0, k, generator) for ids in sentences]
        """,
    "only_drops": """
        Words are dropped, but none changes its place: k is not passed on.

        - noisy = [add_noise(ids, p, k, generator) for ids in sentences]
        + noisy = [add_noise(ids, p, 0, generator) for ids in sentences]
        """,
    "noise_drawn_twice": """
        Noise is added twice, once for the source and once more for the target. The target is the
        sentence as it was: from it the model learns what was broken.

        - return translation_batch(noisy, sentences, language, eos)
        + broken = [add_noise(ids, p, k, generator) for ids in sentences]
        + return translation_batch(noisy, broken, language, eos)
        """,
    "add_noise_skips_draws": """
        This function is right, but with k = 0 your add_noise draws no numbers for the keys. It
        should draw one for each word that is left all the same: otherwise the next sentence gets
        other numbers.

        - noisy = [add_noise(ids, p, k, generator) for ids in sentences]
        + noisy = []
        + for ids in sentences:
        +     state = generator.get_state()
        +     noisy.append(add_noise(ids, p, k, generator))
        +     if k == 0:
        +         generator.set_state(state)
        +         torch.rand(len(ids), generator=generator)
        """,
    "token_in_the_target": """
        The language token is part of the target sentence, so the decoder reads it twice and has to
        write it. translation_batch puts it in front of what the decoder reads: pass it as the
        beginning, and nothing else.

        - return translation_batch(noisy, sentences, language, eos)
        + return translation_batch(noisy, [[language, *ids] for ids in sentences], language, eos)
        """,
    "eos_twice_in_the_source": """
        </s> is at the end of the source twice: translation_batch already ends every source with it.
        Pass the noisy words alone.

        - return translation_batch(noisy, sentences, language, eos)
        + return translation_batch([[*ids, eos] for ids in noisy], sentences, language, eos)
        """,
    "eos_twice_on_both_sides": """
        </s> comes twice, at the end of the source and of the target: translation_batch already ends
        both with it. Pass the words alone.

        - return translation_batch(noisy, sentences, language, eos)
        + ended = [[*ids, eos] for ids in sentences]
        + return translation_batch([[*ids, eos] for ids in noisy], ended, language, eos)
        """,
}

RIGHT = {
    "loop": """
        def denoising_batch(sentences, language, eos, p, k, generator):
            sources, targets = [], []
            for sentence in sentences:
                sources.append(add_noise(sentence, p, k, generator))
                targets.append(sentence)
            return translation_batch(sources, targets, bos=language, eos=eos)
        """,
    "pads_itself": """
        def denoising_batch(sentences, language, eos, p, k, generator):
            source, mask = pad_batch([add_noise(s, p, k, generator) + [eos] for s in sentences])
            y_in, _ = pad_batch([[language] + s for s in sentences])
            y_out, _ = pad_batch([s + [eos] for s in sentences])
            return source, mask, y_in, y_out
        """,
    "replaces_the_first_token": """
        def denoising_batch(sentences, language, eos, p, k, generator):
            noisy = list(map(lambda ids: add_noise(ids, p, k, generator), sentences))
            source, mask, y_in, y_out = translation_batch(noisy, sentences, 1, eos)
            y_in[:, 0] = language
            return source, mask, y_in, y_out
        """,
}

EQUIVALENT = {}
