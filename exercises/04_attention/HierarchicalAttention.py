"""HierarchicalAttention: both levels with given parameters; also padded words, sentences, texts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal
from .common import draw_ids, draw_other_ids, no_padding

POINTS = {"attention": 3, "logits": 1, "edges": 2}


def _box(rng: np.random.Generator, batch: int, sentences: int, length: int) -> torch.Tensor:
    """A mask (B, S, L): the first text has a sentence less, and sentences differ in length."""
    lengths = torch.from_numpy(rng.integers(1, length + 1, size=(batch, sentences)))
    lengths[0, 0] = int(rng.integers(1, length))
    lengths[-1, 0] = length
    lengths[0, -1] = 0
    return torch.arange(length) < lengths[..., None]


def _gaps(rng: np.random.Generator, sentences: int, length: int) -> torch.Tensor:
    """A mask (2, S, L) with padding between the words, and a sentence of padding before another."""
    mask = torch.ones(2, sentences, length, dtype=torch.bool)
    mask[:, :, int(rng.integers(1, length - 1))] = False
    mask[0, int(rng.integers(1, sentences - 1))] = False
    return mask


def _lone_words(rng: np.random.Generator, mask: torch.Tensor, n_words: int) -> torch.Tensor:
    """token ids: the last word of a sentence is not its first, which is 0 in the last text."""
    ids = draw_other_ids(rng, mask, n_words)
    ids[0, 0, -1] = ids[0, 0, 0] % (n_words - 1) + 1
    return ids


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, mask: torch.Tensor, *calls: str, title: str = "", **other) -> Case:
        n_words, dim = int(rng.integers(5, 8)), int(rng.integers(2, 4))
        state = {
            "embedding.weight": normal(rng, n_words, dim),
            "word_layer.weight": normal(rng, dim, dim),
            "word_layer.bias": normal(rng, dim),
            "word_v": 2 * normal(rng, dim),
            "sentence_layer.weight": normal(rng, dim, dim),
            "sentence_layer.bias": normal(rng, dim),
            "sentence_v": 2 * normal(rng, dim),
            "output.weight": normal(rng, 1, dim),
            "output.bias": normal(rng, 1),
        }
        if (silent := other.pop("silent", None)) is not None:
            state["embedding.weight"][silent] = 0
        ids = other.pop("ids", draw_ids)(rng, mask, n_words)
        # No later sentence begins with the word that the first one begins with.
        ids[:, 1:, 0] = (ids[:, :1, 0] % (n_words - 1) + 1) * mask[:, 1:, 0]
        then = [(call, ids, mask) for call in calls]
        if (later := other.pop("later", None)) is not None:
            then += [(call, draw_ids(rng, later, n_words), later) for call in calls]
        return Case(group, [n_words, dim], state=state, then=then, title=title, **other)

    # Without padding first, so that a mistake with the mask and one with the sum are told apart.
    full = no_padding(2, 2, int(rng.integers(2, 4)))
    yield case("attention", full, "attention", title="no padding at all")
    yield case("attention", _box(rng, 2, 2, 3), "attention")
    yield case("attention", _box(rng, 2, int(rng.integers(3, 5)), 3), "attention")
    title = "the mask alone says which words are real, whatever their ids"
    mask = _gaps(rng, 3, int(rng.integers(3, 5)))
    yield case("attention", mask, "attention", title=title, ids=draw_other_ids)
    mask = torch.ones(1, 3, 2, dtype=torch.bool)
    mask[0, 0, 1] = mask[0, 2] = False
    title = "a word whose vector is zero, alone in its sentence, is a word"
    same = {"ids": lambda rng, mask, n_words: 2 * mask.long(), "silent": 2}
    yield case("attention", mask, "attention", title=title, **same)
    mask = no_padding(2, int(rng.integers(2, 4)), 3)
    yield case("attention", mask, "attention", "__call__", title="the gradients", gradient="all")
    title, full, more = "one batch after another", no_padding(2, 2, 3), _box(rng, 2, 2, 3)
    yield case("attention", full, "attention", title=title, later=more)
    yield case("logits", full, "__call__", title=title, later=more)
    n_words, dim, mask = int(rng.integers(4, 7)), 2, _box(rng, 2, 3, 3)
    new = {"embedding.weight": normal(rng, n_words, dim)}
    steps = [(".word_v",), (".sentence_v",), ("attention", draw_ids(rng, mask, n_words), mask)]
    title = "a new model: word_v and sentence_v are zeros"
    yield Case("attention", [n_words, dim], state=new, then=steps, title=title)
    yield case("logits", _box(rng, 2, 2, 3), "__call__")
    yield case("logits", _box(rng, 3, int(rng.integers(2, 4)), 2), "__call__")
    mask = torch.zeros(2, 2, int(rng.integers(2, 5)), dtype=torch.bool)
    mask[0, 0, -1] = mask[1, 0, 0] = True
    title = "texts of one word, before it or after it padding"
    yield case("logits", mask, "__call__", title=title, ids=_lone_words)
    single = no_padding(1, 1, int(rng.integers(1, 4)))
    yield case("edges", single, "__call__", title="one text of one sentence")
    yield case("edges", no_padding(1, 2, 1), "attention", title="sentences of one word")
    yield case("edges", no_padding(2, 1, 2), "attention", title="texts of one sentence")
    empty = _box(rng, 3, 2, 3)
    empty[int(rng.integers(1, 3))] = False
    yield case("edges", empty, "attention", title="one text is only padding")
    title = "one text is only padding: its logit is the bias"
    yield case("edges", empty, "__call__", title=title)


FURTHER = """
Work through the shapes: X is (B, S, L, d), its scores (B, S, L). Their weights times X, with a last
axis added to the weights and summed over the words, are the sentence vectors, (B, S, d). The second
level is the same with one axis fewer, and its mask asks whether any word of a sentence is real.
"""

WRONG = {
    "attends_to_padding_words": """
        Padding words get attention: pass the mask on to the softmax over the words.

        - a_words = masked_softmax(torch.tanh(self.word_layer(X)) @ self.word_v, mask)
        + a_words = torch.softmax(torch.tanh(self.word_layer(X)) @ self.word_v, dim=-1)
        """,
    "attends_to_padding_sentences": """
        Sentences that are only padding get attention: the bias inside tanh gives them a score.
        Only sentences with at least one real word take part.

        - a_sentences = masked_softmax(r, mask.any(dim=-1))
        + a_sentences = torch.softmax(r, dim=-1)
        """,
    "only_full_sentences": """
        Only sentences without any padding take part: `all` asks whether every word is real. One
        real word is enough.

        - a_sentences = masked_softmax(r, mask.any(dim=-1))
        + a_sentences = masked_softmax(r, mask.all(dim=-1))
        """,
    "first_position_only": """
        A sentence takes part only if its first position is a real word. Padding can stand before
        the words: ask whether *any* position is real.

        - a_sentences = masked_softmax(r, mask.any(dim=-1))
        + a_sentences = masked_softmax(r, mask[:, :, 0])
        """,
    "empty_sentence_is_nan": """
        A sentence that is only padding gives NaN, and the NaN spreads to the whole text. Your
        `masked_softmax` gives it zeros; do you use it on both levels?

        - a_words = masked_softmax(torch.tanh(self.word_layer(X)) @ self.word_v, mask)
        + r = torch.tanh(self.word_layer(X)) @ self.word_v
        + a_words = torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1)
        ...
        - a_sentences = masked_softmax(r, mask.any(dim=-1))
        + a_sentences = torch.softmax(r.masked_fill(~mask.any(dim=-1), -torch.inf), dim=-1)
        """,
    "forgets_tanh": """
        The tanh is missing. Without it, layer and vector together are only another vector.

        - a_words = masked_softmax(torch.tanh(self.word_layer(X)) @ self.word_v, mask)
        + a_words = masked_softmax(self.word_layer(X) @ self.word_v, mask)
        ...
        - r = torch.tanh(self.sentence_layer(h_sentences)) @ self.sentence_v
        + r = self.sentence_layer(h_sentences) @ self.sentence_v
        """,
    "sums_up_keys": """
        The weighted sums are taken over tanh(Wx + b). That is only the key, for the score; what
        is added up is the vector x itself.

        - h_sentences = (a_words[..., None] * X).sum(dim=2)  # (B, S, d)
        + h_sentences = (a_words[..., None] * torch.tanh(self.word_layer(X))).sum(dim=2)
        ...
        - return a_words, a_sentences, (a_sentences[..., None] * h_sentences).sum(dim=1)
        + keys = torch.tanh(self.sentence_layer(h_sentences))
        + return a_words, a_sentences, (a_sentences[..., None] * keys).sum(dim=1)
        """,
    "one_vector_for_both": """
        The sentences are scored with word_v. They have a vector of their own, sentence_v.

        - r = torch.tanh(self.sentence_layer(h_sentences)) @ self.sentence_v
        + r = torch.tanh(self.sentence_layer(h_sentences)) @ self.word_v
        """,
    "one_layer_for_both": """
        The sentences go through word_layer. They have a layer of their own, sentence_layer.

        - r = torch.tanh(self.sentence_layer(h_sentences)) @ self.sentence_v
        + r = torch.tanh(self.word_layer(h_sentences)) @ self.sentence_v
        """,
    "attend_on_four_axes": """
        `attend` is written for (B, L) and (B, L, d). With (B, S, L) and (B, S, L, d) it mixes up
        the sentences. Write the weighted sum out.

        - h_sentences = (a_words[..., None] * X).sum(dim=2)  # (B, S, d)
        + h_sentences = attend(a_words, X)
        """,
    "averages_the_sentences": """
        The sentence weights are computed, but h does not use them: it is the plain mean of the
        sentence vectors. Take their weighted sum.

        - return a_words, a_sentences, (a_sentences[..., None] * h_sentences).sum(dim=1)
        + return a_words, a_sentences, h_sentences.mean(dim=1)
        """,
    "weights_multiplied": """
        The weights of the words are multiplied by that of their sentence. Return both as they are:
        the words of each sentence have weights that sum to 1.

        - return a_words, a_sentences, (a_sentences[..., None] * h_sentences).sum(dim=1)
        + h = (a_sentences[..., None] * h_sentences).sum(dim=1)
        + return a_words * a_sentences[..., None], a_sentences, h
        """,
    "word_parts_for_both": """
        The sentences are scored with word_layer and word_v. They have a layer and a vector of their
        own, sentence_layer and sentence_v.

        - r = torch.tanh(self.sentence_layer(h_sentences)) @ self.sentence_v
        + r = torch.tanh(self.word_layer(h_sentences)) @ self.word_v
        """,
    "sums_up_word_keys": """
        A sentence's vector is the weighted sum of tanh(Wx + b). That is only the key, for the score; what is
        added up is the word vector x itself.

        - h_sentences = (a_words[..., None] * X).sum(dim=2)  # (B, S, d)
        + h_sentences = (a_words[..., None] * torch.tanh(self.word_layer(X))).sum(dim=2)
        """,
    "sums_up_sentence_keys": """
        The text's vector is the weighted sum of the tanh of the sentences' layer. That is only the key, for
        the score; what is added up is the sentence vector itself.

        - return a_words, a_sentences, (a_sentences[..., None] * h_sentences).sum(dim=1)
        + keys = torch.tanh(self.sentence_layer(h_sentences))
        + return a_words, a_sentences, (a_sentences[..., None] * keys).sum(dim=1)
        """,
    "mask_from_ids": """
        The mask is made from the ids, and the one you are given plays no part. An id does not tell whether a
        position is padding: `mask` does.

        - X = self.embedding(ids)  # (B, S, L, d)
        + X, mask = self.embedding(ids), ids != 0
        """,
    "queries_start_at_random": """
        word_v and sentence_v start with random numbers. With zeros all words, and all sentences, have equal
        weights at first.

        - self.word_v = nn.Parameter(torch.zeros(dim))
        - self.sentence_layer = nn.Linear(dim, dim)
        - self.sentence_v = nn.Parameter(torch.zeros(dim))
        + self.sentence_layer = nn.Linear(dim, dim)
        + self.word_v = nn.Parameter(torch.randn(dim))
        + self.sentence_v = nn.Parameter(torch.randn(dim))
        """,
    "word_keys_without_tanh": """
        The words are scored without tanh: the key of a word is tanh(W x + b), and its score the
        product with word_v.

        - a_words = masked_softmax(torch.tanh(self.word_layer(X)) @ self.word_v, mask)
        + a_words = masked_softmax(self.word_layer(X) @ self.word_v, mask)
        """,
    "sentence_keys_without_tanh": """
        The sentences are scored without tanh: the key of a sentence is tanh(W' h + b'), and its
        score the product with sentence_v.

        - r = torch.tanh(self.sentence_layer(h_sentences)) @ self.sentence_v
        + r = self.sentence_layer(h_sentences) @ self.sentence_v
        """,
    "tanh_of_the_scores": """
        The tanh comes after the product with the query, where it squeezes the score. It belongs to
        the key: tanh(W x + b), then the product.

        - a_words = masked_softmax(torch.tanh(self.word_layer(X)) @ self.word_v, mask)
        + a_words = masked_softmax(torch.tanh(self.word_layer(X) @ self.word_v), mask)
        ...
        - r = torch.tanh(self.sentence_layer(h_sentences)) @ self.sentence_v
        + r = torch.tanh(self.sentence_layer(h_sentences) @ self.sentence_v)
        """,
    "softmax_over_the_whole_text": """
        The words of all sentences share one softmax. Each sentence has its own: the weights of its
        words sum to 1.

        - a_words = masked_softmax(torch.tanh(self.word_layer(X)) @ self.word_v, mask)
        + scores = torch.tanh(self.word_layer(X)) @ self.word_v
        + a_words = masked_softmax(scores.flatten(1), mask.flatten(1)).view(scores.shape)
        """,
}

RIGHT = {
    "attend_on_flat_sentences": """
        - h_sentences = (a_words[..., None] * X).sum(dim=2)  # (B, S, d)
        + h_sentences = attend(a_words.flatten(0, 1), X.flatten(0, 1)).view(*mask.shape[:2], -1)
        ...
        - return a_words, a_sentences, (a_sentences[..., None] * h_sentences).sum(dim=1)
        + return a_words, a_sentences, attend(a_sentences, h_sentences)
        """,
    "loop": """
        -     X = self.embedding(ids)  # (B, S, L, d)
        -     a_words = masked_softmax(torch.tanh(self.word_layer(X)) @ self.word_v, mask)
        -     h_sentences = (a_words[..., None] * X).sum(dim=2)  # (B, S, d)
        -     r = torch.tanh(self.sentence_layer(h_sentences)) @ self.sentence_v
        -     a_sentences = masked_softmax(r, mask.any(dim=-1))
        -     return a_words, a_sentences, (a_sentences[..., None] * h_sentences).sum(dim=1)
        +     a_words, a_sentences = torch.zeros(mask.shape), torch.zeros(mask.shape[:2])
        +     h = torch.zeros(len(ids), self.embedding.embedding_dim)
        +     for b in range(len(ids)):
        +         real, rows = mask[b].any(dim=1), []
        +         for s in real.nonzero()[:, 0]:
        +             X = self.embedding(ids[b, s][mask[b, s]])
        +             a = torch.softmax(torch.tanh(self.word_layer(X)) @ self.word_v, dim=0)
        +             a_words[b, s, mask[b, s]] = a
        +             rows.append(a @ X)
        +         if rows:
        +             H = torch.stack(rows)
        +             a = torch.softmax(torch.tanh(self.sentence_layer(H)) @ self.sentence_v, dim=0)
        +             a_sentences[b, real] = a
        +             h[b] = a @ H
        +     return a_words, a_sentences, h
        """,
}

EQUIVALENT = {
    "No batch is without any word: texts without one are left out before.": "every edit: constant corner",
}
