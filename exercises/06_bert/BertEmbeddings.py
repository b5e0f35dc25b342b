"""BertEmbeddings: vectors for token, position and segment; tiny vectors make eps visible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import TO_EVAL, draw_ids, number
from .common import embeddings_state

POINTS = {"values": 2, "norm": 1, "dropout": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        n_texts: int,
        length: int,
        title: str = "",
        d_model: int = 4,
        n_segments: int = 2,
        spare: int = 2,
        scale: float = 30.0,  # so large that eps makes no difference
        dropout: float = 0.0,
        contiguous: bool = True,
        hooks: dict[str, Any] | None = None,
        **more: Any,
    ) -> Case:
        vocab_size, max_length = number(rng, 7, 9), length + spare
        tables = (vocab_size, d_model, max_length, n_segments)
        state = embeddings_state(rng, tables, scale=scale) | (hooks or {})
        # a gradient of row 0 is up to whoever calls it padding: `padding_idx=0` gives it none
        ids = draw_ids(rng, vocab_size, n_texts, length, low=1 if "gradient" in more else 0)
        segments = draw_ids(rng, n_segments, n_texts, length)
        segments[0, 0], segments[0, -1] = 0, n_segments - 1
        segments = segments.sort(dim=1).values  # first all of one text, then of the next
        if not contiguous:
            ids, segments = ids.T.contiguous().T, segments.T.contiguous().T
        options = {"max_length": max_length, "n_segments": n_segments, "dropout": dropout}
        then = [("__call__", ids, segments)]
        # which numbers an unwanted dropout leaves depends on the version of torch
        drawn = () if hooks else ("ignores_dropout_rate",)
        sizes = [vocab_size, d_model]
        return Case(group, sizes, options, title, state, then, undefined=drawn, **more)

    length = number(rng, 3, 5)
    yield case("values", 2, length)
    yield case("values", 3, 3, d_model=3, title="three texts of three tokens")
    yield case("values", 1, length, title="a batch of one")
    yield case("values", 2, length, spare=0, title="as long as there are positions")
    yield case("values", 2, 1, title="texts of one token")
    title = "what training changes"
    yield case("values", 2, 3, title=title, scale=1.0, gradient="all")
    yield case("norm", 2, 3, scale=1e-5, title="tiny vectors: eps must not dominate")
    yield case("norm", 2, 2, n_segments=3, title="three segments")
    yield case("norm", 2, length, contiguous=False, title="tensors that are not contiguous")
    yield case("dropout", 2, 2, dropout=1.0, title="dropout 1 in training: nothing is left")
    title = "dropout 1 in evaluation: nothing is dropped"
    yield case("dropout", 1, 3, dropout=1.0, hooks=TO_EVAL, title=title)
    sizes = [number(rng, 5, 9), 2]
    names = ("positions.num_embeddings", "segments.num_embeddings", "dropout.p")
    reads = [(f".{name}",) for name in names]
    yield Case("dropout", sizes, then=reads, title="default arguments")
    options = {"max_length": number(rng, 10, 20), "n_segments": number(rng, 3, 5)}
    options["dropout"] = number(rng, 3, 6) / 16
    reads = [(".tokens.num_embeddings",), *reads, (".norm.weight",)]
    title = "the sizes of the tables, the dropout, and the normalization's initial weights"
    yield Case("dropout", sizes, options, then=reads, title=title)


WRONG = {
    "without_segments": """
        The segment vectors are not added. Without them the model cannot tell the second text from
        the first.

        - vectors = self.tokens(ids) + self.positions(positions) + self.segments(segments)
        + vectors = self.tokens(ids) + self.positions(positions)
        """,
    "without_positions": """
        The position embeddings are not added. Without them the model cannot see the order of the
        tokens.

        - vectors = self.tokens(ids) + self.positions(positions) + self.segments(segments)
        + vectors = self.tokens(ids) + self.segments(segments)
        """,
    "positions_from_one": """
        The positions are counted from 1. The first position is row 0 of its table; otherwise a
        text of full length needs a row that does not exist.

        - positions = torch.arange(ids.shape[1], device=ids.device)
        + positions = torch.arange(1, ids.shape[1] + 1)
        """,
    "positions_along_the_batch": """
        The positions count the texts of the batch. They should count the tokens within a text,
        along the second axis of ids, (B, L).

        - positions = torch.arange(ids.shape[1], device=ids.device)
        + positions = torch.arange(ids.shape[0])
        """,
    "position_of_the_text": """
        All tokens of a text get the same position, the number of the text in the batch. Positions
        count the tokens within a text, along the second axis of ids, (B, L).

        - positions = torch.arange(ids.shape[1], device=ids.device)
        + positions = torch.arange(ids.shape[0])[:, None]
        """,
    "adds_all_positions": """
        The embeddings of all max_length positions are added, however long the texts are. Take only
        those of the first L positions: ids is (B, L).

        - vectors = self.tokens(ids) + self.positions(positions) + self.segments(segments)
        + vectors = self.tokens(ids) + self.positions.weight + self.segments(segments)
        """,
    "positions_restart": """
        In the second text the positions start again from 0. They count through the whole input,
        [CLS] and [SEP] included; which text a token belongs to is what the segments are for.

        - positions = torch.arange(ids.shape[1], device=ids.device)
        + first = (segments == 0).sum(dim=1, keepdim=True)
        + positions = torch.arange(ids.shape[1]) - first * (segments > 0)
        """,
    "default_epsilon": """
        The normalization uses another eps than 1e-12, which matters where the vectors are tiny.
        The default of nn.LayerNorm is larger.

        - self.norm = nn.LayerNorm(d_model, eps=1e-12)
        + self.norm = nn.LayerNorm(d_model)
        """,
    "sum_not_normalized": """
        The sum is not normalized. `self.norm` is created but never applied.

        - return self.dropout(self.norm(vectors))
        + return self.dropout(vectors)
        """,
    "positions_after_norm": """
        The positions are added after the normalization. All three vectors are added first, and
        their sum is normalized.

        - vectors = self.tokens(ids) + self.positions(positions) + self.segments(segments)
        - return self.dropout(self.norm(vectors))
        + vectors = self.norm(self.tokens(ids) + self.segments(segments))
        + return self.dropout(vectors + self.positions(positions))
        """,
    "scaled_tokens": """
        The vectors of the tokens are multiplied by the square root of d_model, as in the original
        transformer. BERT adds them as they are.

        - vectors = self.tokens(ids) + self.positions(positions) + self.segments(segments)
        + scale = math.sqrt(self.tokens.embedding_dim)
        + vectors = scale * self.tokens(ids) + self.positions(positions) + self.segments(segments)
        """,
    "without_dropout": """
        There is no dropout. `self.dropout` acts on the normalized sum.

        - return self.dropout(self.norm(vectors))
        + return self.norm(vectors)
        """,
    "dropout_before_norm": """
        Dropout acts before the normalization, which then rescales what is left. Normalize first,
        then apply dropout.

        - return self.dropout(self.norm(vectors))
        + return self.norm(self.dropout(vectors))
        """,
    "dropout_in_evaluation": """
        Dropout acts in evaluation, too. eval() switches off every nn.Dropout that the module
        registers as an attribute; F.dropout does not know about it.

        - return self.dropout(self.norm(vectors))
        + return F.dropout(self.norm(vectors), self.dropout.p)
        """,
    "ignores_dropout_rate": """
        The argument `dropout` is not used: nn.Dropout() without a rate drops half of the numbers.

        - self.dropout = nn.Dropout(dropout)
        + self.dropout = nn.Dropout()
        """,
    "other_names": """
        A part is not found. Use the names that the docstring lists under Attributes: the weights
        of a published model are loaded by these names.

        raises AttributeError

        - self.tokens = nn.Embedding(vocab_size, d_model)
        + self.words = nn.Embedding(vocab_size, d_model)
        ...
        - vectors = self.tokens(ids) + self.positions(positions) + self.segments(segments)
        + vectors = self.words(ids) + self.positions(positions) + self.segments(segments)
        """,
}

FURTHER = """
The position ids are the same for each text: `torch.arange(ids.shape[1])`. Their embeddings have
the shape (L, d_model) and broadcast when you add them to the other two, (B, L, d_model).
"""

RIGHT = {
    "one_hot_products": """
        - vectors = self.tokens(ids) + self.positions(positions) + self.segments(segments)
        - return self.dropout(self.norm(vectors))
        + X = F.one_hot(ids, self.tokens.num_embeddings).float() @ self.tokens.weight
        + X = X + F.one_hot(segments, self.segments.num_embeddings).float() @ self.segments.weight
        + X = X + self.positions.weight[None, : ids.shape[1]]
        + X = F.layer_norm(X, X.shape[-1:], self.norm.weight, self.norm.bias, 1e-12)
        + return F.dropout(X, self.dropout.p, self.training)
        """,
    "position_by_position": """
        - positions = torch.arange(ids.shape[1], device=ids.device)
        - vectors = self.tokens(ids) + self.positions(positions) + self.segments(segments)
        - return self.dropout(self.norm(vectors))
        + columns = []
        + for i in range(ids.shape[1]):
        +     x = self.tokens.weight[ids[:, i]] + self.segments.weight[segments[:, i]]
        +     columns.append(self.norm(x + self.positions.weight[i]))
        + return self.dropout(torch.stack(columns, dim=1))
        """,
}

EQUIVALENT = {
    "squeeze changes only texts of one token, where one vector broadcasts to all": """
        -        positions = torch.arange(ids.shape[1], device=ids.device)
        +        positions = torch.arange(ids.shape[1], device=ids.device).squeeze()
        """,
    "ids and segments have the same two axes": """
        -        positions = torch.arange(ids.shape[1], device=ids.device)
        +        positions = torch.arange(segments.shape[1], device=ids.device)
        """,
}
