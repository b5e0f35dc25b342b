"""back_translation_batch: the machine's sentence is read, the real one is written, no gradient."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import EXACT, VALUE_ERROR
from .common import TRANSLATE, languages, sentences

POINTS = {"values": 2, "no gradient": 1, "edges": 1}
#: The same, whatever the gradients do.
_WORDS = codec.Source(
    "lambda sentences, language: [[(5 * i + language) % 71 + 4 for i in ids] + [4] for ids in sentences]"
)
#: Of a sentence of odd and one of even length, one gets one word and the other none.
_SHORT = codec.Source(
    "lambda sentences, language: [ids[: (len(ids) + language) % 2] for ids in sentences]"
)
_LOSES = codec.Source("lambda sentences, language: [[language] for ids in sentences[1:]]")


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, translate: codec.Source, lengths: list[int], title: str = "", **more
    ) -> Case:
        language, other, eos = languages(rng)
        inputs = [translate, sentences(rng, *lengths), language, other, eos]
        return Case(group, inputs, title=title, judge=EXACT | more)

    n = int(rng.integers(4, 7))
    yield case("values", _WORDS, [2], "one sentence")
    yield case("values", _WORDS, [n, 2, n + 1])
    yield case("values", _WORDS, [n, n], "sentences of the same length")
    title = "a translator that writes other words while gradients are on"
    yield case("no gradient", TRANSLATE, [3], title)
    yield case("no gradient", TRANSLATE, [n, 1, n - 1])
    yield case("edges", _SHORT, [n, n + 1], "translations of one word or none")
    yield case("edges", _WORDS, [0, n], "a sentence without words")
    yield case("edges", _LOSES, [2, 3], "a translator that loses a sentence", **VALUE_ERROR)


WRONG = {
    "learns_to_write_its_own": """
        The machine's translation is the target: the model learns to write its own mistakes. It
        should read them, and write the real sentence.

        - return translation_batch(translations, sentences, language, eos)
        + return translation_batch(sentences, translations, other, eos)
        """,
    "wrong_language_token": """
        The decoder is told to write the other language, but its target is the real sentence. Start
        with the token of that sentence's language.

        - return translation_batch(translations, sentences, language, eos)
        + return translation_batch(translations, sentences, other, eos)
        """,
    "translates_into_the_same": """
        The sentences are translated into their own language. Ask for the other one.

        - translations = translate(sentences, other)
        + translations = translate(sentences, language)
        """,
    "with_gradient": """
        The translations are made with gradients on, which costs time and memory for nothing: no
        gradient can pass through the choice of a word. Use `with torch.no_grad():`.

        - with torch.no_grad():
        -     translations = translate(sentences, other)
        + translations = translate(sentences, other)
        """,
    "no_translation": """
        The source is the sentence itself. Translate it into the other language first.

        - return translation_batch(translations, sentences, language, eos)
        + return translation_batch(sentences, sentences, language, eos)
        """,
    "batch_without_translating_all": """
        All sentences get the translation of the first one. Translate all of them, in one call.

        - translations = translate(sentences, other)
        + translations = translate(sentences[:1], other) * len(sentences)
        """,
    "sides_exchanged": """
        The two sides are exchanged: the real sentence is read, and the machine's translation is to
        be written. The model would learn to write the machine's mistakes.

        - return translation_batch(translations, sentences, language, eos)
        + return translation_batch(sentences, translations, language, eos)
        """,
    "goes_back_again": """
        The translations are translated back, so the source is in the language of the target. The
        source is the translation itself.

        - translations = translate(sentences, other)
        + translations = translate(translate(sentences, other), language)
        """,
    "token_in_the_source": """
        The token of the other language is in the source. The encoder reads words alone; only the
        decoder begins with a token.

        - return translation_batch(translations, sentences, language, eos)
        + return translation_batch([[other, *ids] for ids in translations], sentences, language, eos)
        """,
    "leaves_gradients_off": """
        Gradients are switched off, and stay off: nothing that runs afterwards can be trained. Switch them
        off for the translation only, `with torch.no_grad():`.

        - with torch.no_grad():
        -     translations = translate(sentences, other)
        + torch.set_grad_enabled(False)
        + translations = translate(sentences, other)
        """,
    "tokens_exchanged": """
        The two tokens are exchanged, in both places. The sentences are in `language`: translate them
        into `other`, and start what the decoder reads with `language`, since it writes the real
        sentences.

        - translations = translate(sentences, other)
        + translations = translate(sentences, language)
        - return translation_batch(translations, sentences, language, eos)
        + return translation_batch(translations, sentences, other, eos)
        """,
    "leaves_out_empty_translations": """
        Sentences whose translation is empty are left out. The batch has all sentences: the source of
        such a one is </s> alone, and the model still writes the real sentence.

        - return translation_batch(translations, sentences, language, eos)
        + if len(translations) != len(sentences):
        +     raise ValueError("there is not one translation for each sentence")
        + both = [(made, real) for made, real in zip(translations, sentences) if made]
        + return translation_batch([m for m, _ in both], [s for _, s in both], language, eos)
        """,
    "zip_hides_what_is_missing": """
        If translations are missing, the sentences without one are left out silently: zip stops at
        the shorter list. Pass both lists on as they are; translation_batch raises the ValueError.

        - return translation_batch(translations, sentences, language, eos)
        + pairs = list(zip(translations, sentences))
        + return translation_batch([t for t, _ in pairs], [s for _, s in pairs], language, eos)
        """,
}

RIGHT = {
    "decorator": """
        @torch.no_grad()
        def back_translation_batch(translate, sentences, language, other, eos):
            return translation_batch(translate(sentences, other), sentences, language, eos)
        """,
    "switches_gradients": """
        def back_translation_batch(translate, sentences, language, other, eos):
            with torch.set_grad_enabled(False):
                sources = translate(sentences, other)
            return translation_batch(sources, sentences, bos=language, eos=eos)
        """,
    "inference_mode": """
        def back_translation_batch(translate, sentences, language, other, eos):
            with torch.inference_mode():
                sources = [list(ids) for ids in translate(sentences, other)]
            if len(sources) != len(sentences):
                raise ValueError("a translation is missing")
            source, mask = pad_batch([ids + [eos] for ids in sources])
            y_in, _ = pad_batch([[language] + ids for ids in sentences])
            y_out, _ = pad_batch([ids + [eos] for ids in sentences])
            return source, mask, y_in, y_out
        """,
}

EQUIVALENT = {}
