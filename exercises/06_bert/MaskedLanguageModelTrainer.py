"""MaskedLanguageModelTrainer: steps of a tiny encoder and head, whose modes show; nothing selected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import draw_ids, lengths_mask, normal, number
from .common import one_line

POINTS = {"loss": 1, "step": 2, "mode": 1}

# An encoder without blocks: a token's vector and the mean over the real ones. Outside training its
# vectors are half as long. Its weights are zeros until a case sets them. The pooled vectors have one of
# their own, which gets no gradient from this loss, as in BERT.
_ENCODER = """type("TinyEncoder", (torch.nn.Module,), {{
    "forward": lambda self, ids, segments, mask: (
        E := self.embeddings.tokens(ids) + self.embeddings.segments(segments),
        M := torch.where(mask[..., None], E, 0.0).sum(dim=1, keepdim=True) / mask.sum(dim=1)[:, None, None],
        H := torch.tanh(E + M) * (1.0 if self.training else 0.5),
        (H, H[:, 0] * self.pooler),
    )[-1],
    "__init__": lambda self: [
        torch.nn.Module.__init__(self),
        setattr(self, "embeddings", torch.nn.ModuleDict({{
            "tokens": torch.nn.Embedding.from_pretrained(torch.zeros({n}, {d}), False),
            "segments": torch.nn.Embedding.from_pretrained(torch.zeros(2, {d}), False),
        }})),
        setattr(self, "pooler", torch.nn.Parameter(torch.zeros({d}))),
    ] and None,
}})()"""

# A head of one bias per token, whose scores are half as large outside training.
_HEAD = """type("TinyHead", (torch.nn.Module,), {{
    "forward": lambda self, H, table: (H @ table.T + self.bias) * (1.0 if self.training else 0.5),
    "__init__": lambda self: [
        torch.nn.Module.__init__(self),
        setattr(self, "bias", torch.nn.Parameter(torch.zeros({n}))),
    ] and None,
}})()"""

_WEIGHTS = ((".encoder.embeddings.tokens.weight",), (".head.bias",))
_SEGMENTS = (".encoder.embeddings.segments.weight",)


def _batch(
    rng: np.random.Generator, n_words: int, lengths: list[int], selected: int
) -> tuple[torch.Tensor, ...]:
    """A masked batch in which `selected` real tokens have a label.

    Each kind comes up, as far as there are so many: the first selected token is masked (id 1) and
    has the label 0, the second stays as it is, the third is replaced.
    """
    mask = lengths_mask(lengths)
    ids = draw_ids(rng, n_words, *mask.shape, low=2) * mask
    segments = draw_ids(rng, 2, *mask.shape) * mask
    segments[:, 1] = 1
    inputs, labels = ids.clone(), torch.full_like(ids, -100)
    places = rng.permutation(np.argwhere(mask.numpy())).tolist()
    for i, at in enumerate(map(tuple, places[:selected])):
        labels[at] = 0 if i == 0 else ids[at]
        if i % 3 != 1:
            inputs[at] = 1 if i % 3 == 0 else (ids[at] - 1) % (n_words - 2) + 2
    return inputs, segments, mask, labels


def cases(rng: np.random.Generator) -> Iterator[Case]:
    torch.optim.SGD([torch.zeros(1)], lr=0.1)  # the first optimizer imports a lot: not in a case

    def case(
        group: str,
        title: str,
        *batches: tuple[list[int], int],
        reads: tuple[tuple[str, ...], ...] = (),
        training: tuple[bool, bool] = (True, True),
    ) -> Case:
        n_words, d_model = number(rng, 7, 9), number(rng, 3, 4)
        encoder, head = (
            codec.Source(one_line(text, n=n_words, d=d_model)) for text in (_ENCODER, _HEAD)
        )
        state: dict[str, Any] = {
            "encoder.embeddings.tokens.weight": normal(rng, n_words, d_model),
            "encoder.embeddings.segments.weight": normal(rng, 2, d_model),
            "head.bias": normal(rng, n_words),
            "encoder.training": training[0],
            "head.training": training[1],
        }
        lr = float(rng.integers(30, 60)) / 1000
        # where nothing is selected, a step returns at once: its tokens are in every vocabulary, since
        # the second call of a case may get them with another object
        known = [n_words if selected else 7 for _, selected in batches]
        steps = [("step", *_batch(rng, n, *batch)) for n, batch in zip(known, batches)]
        return Case(group, [encoder, head, lr], title=title, state=state, then=[*steps, *reads])

    n = number(rng, 5, 7)
    yield case("loss", "two texts of the same length", ([n, n], 4))
    yield case("loss", "padding", ([n, 3, n - 1], 5))
    yield case("loss", "one text, one selected token", ([n], 1))
    yield case("loss", "nearly all tokens are selected", ([n, 3], n + 2))
    yield case("loss", "no token is selected", ([n, 3], 0))
    yield case("step", "the weights after one step", ([n, 3], 4), reads=_WEIGHTS)
    yield case("step", "the segments' vectors after one step", ([n, 3], 4), reads=(_SEGMENTS,))
    yield case("step", "two steps", ([n, n], 5), ([n, n], 3), reads=_WEIGHTS)
    title = "three steps on batches of different sizes"
    yield case("step", title, ([n, 3], 4), ([n], 3), ([4, n, 3], 6), reads=_WEIGHTS)
    title = "a step, a batch in which no token is selected, another step"
    yield case("step", title, ([n, 4], 4), ([n, 3], 0), ([n, 4], 3), reads=_WEIGHTS)
    title = "a step, then a batch in which no token is selected"
    yield case("step", title, ([n, 4], 4), ([n, 3], 0), reads=_WEIGHTS)
    for training, title in (
        ((False, False), "both were in evaluation mode, in which their results are halved"),
        ((True, False), "the head was in evaluation mode, in which its scores are halved"),
        ((False, True), "the encoder was in evaluation mode, in which its vectors are halved"),
    ):
        yield case("mode", title, ([n, 4], 4), reads=_WEIGHTS, training=training)


WRONG = {
    "predicts_every_token": """
        The loss is taken at every position, as if each token that the model reads were its own
        label. Most are visible, so the model is rewarded for copying. Only the selected positions
        count, those whose label is not -100.

        - scores = self.head(H[selected], self.encoder.embeddings.tokens.weight)
        - loss = F.cross_entropy(scores, labels[selected])
        + scores = self.head(H, self.encoder.embeddings.tokens.weight)
        + targets = torch.where(selected, labels, inputs)
        + loss = F.cross_entropy(scores.flatten(0, 1), targets.flatten())
        """,
    "predicts_every_real_token": """
        The loss is taken at every real position, as if each token that the model reads were its
        own label. Most are visible, so the model is rewarded for copying. Only the selected
        positions count, those whose label is not -100.

        - scores = self.head(H[selected], self.encoder.embeddings.tokens.weight)
        - loss = F.cross_entropy(scores, labels[selected])
        + scores = self.head(H[mask], self.encoder.embeddings.tokens.weight)
        + loss = F.cross_entropy(scores, torch.where(selected, labels, inputs)[mask])
        """,
    "divides_by_all_positions": """
        The sum over the selected positions is divided by the number of all positions, so the loss
        and its gradient are several times too small. Divide by the number of selected ones.

        - if not selected.any():
        -     return 0.0
        ...
        - loss = F.cross_entropy(scores, labels[selected])
        + loss = F.cross_entropy(scores, labels[selected], reduction="sum") / labels.numel()
        """,
    "divides_by_real_positions": """
        The sum over the selected positions is divided by the number of all real tokens, so the
        loss and its gradient are several times too small. Divide by the number of selected ones.

        - if not selected.any():
        -     return 0.0
        ...
        - loss = F.cross_entropy(scores, labels[selected])
        + loss = F.cross_entropy(scores, labels[selected], reduction="sum") / mask.sum()
        """,
    "divides_by_all_real_tokens": """
        The loss and its gradient are several times too small: the sum over the selected positions
        is divided by the number of all real tokens. Divide by the number of selected ones.

        - loss = F.cross_entropy(scores, labels[selected])
        + loss = F.cross_entropy(scores, labels[selected], reduction="sum") / mask.sum()
        """,
    "sums_the_losses": """
        The losses are added up. Take their mean over the selected positions, or a batch with more
        of them gets a larger gradient.

        - loss = F.cross_entropy(scores, labels[selected])
        + loss = F.cross_entropy(scores, labels[selected], reduction="sum")
        """,
    "averages_the_texts": """
        This is the mean of the texts' losses, so a token counts more in a text with few selected
        ones. Take one mean over all selected positions of the batch.

        - loss = F.cross_entropy(scores, labels[selected])
        + each = F.cross_entropy(scores, labels[selected], reduction="none")
        + rows = selected.nonzero()[:, 0]
        + loss = torch.stack([each[rows == row].mean() for row in rows.unique()]).mean()
        """,
    "counts_only_masks": """
        Only the selected tokens that were changed count here. One selected token in ten stays as it
        is, and has a label all the same: the positions are those whose label is not -100.

        - selected = labels != -100
        + selected = (labels != -100) & (labels != inputs)
        """,
    "leaves_out_token_0": """
        A selected token with the id 0 does not count. 0 is a token like any other; only -100 says
        that there is no label.

        - selected = labels != -100
        + selected = labels > 0
        """,
    "predicts_minus_100": """
        -100 is no token, so there is no score for it. `F.cross_entropy` leaves out the label -100
        only as long as its `ignore_index` is not changed; or select the positions yourself.

        raises IndexError

        - if not selected.any():
        -     return 0.0
        ...
        - scores = self.head(H[selected], self.encoder.embeddings.tokens.weight)
        - loss = F.cross_entropy(scores, labels[selected])
        + scores = self.head(H, self.encoder.embeddings.tokens.weight)
        + loss = F.cross_entropy(scores.flatten(0, 1), labels.flatten(), ignore_index=0)
        """,
    "predicts_token_0_elsewhere": """
        -100 has become the label 0, so at every position that is not selected the model learns to
        predict the token 0. -100 says that there is no label: leave these positions out.

        - if not selected.any():
        -     return 0.0
        ...
        - scores = self.head(H[selected], self.encoder.embeddings.tokens.weight)
        - loss = F.cross_entropy(scores, labels[selected])
        + scores = self.head(H, self.encoder.embeddings.tokens.weight)
        + loss = F.cross_entropy(scores.flatten(0, 1), labels.clamp(min=0).flatten())
        """,
    "nan_without_labels": """
        If no token is selected, the loss is a mean over nothing, which is NaN, and the step makes
        NaN of every weight. In that case return 0.0 before anything changes.

        - if not selected.any():
        -     return 0.0
        """,
    "steps_without_labels": """
        If no token is selected, the loss is 0, but the optimizer still takes a step: it remembers
        earlier gradients, and decays the weights. Return before that.

        - if not selected.any():
        -     return 0.0
        ...
        - loss = F.cross_entropy(scores, labels[selected])
        + loss = F.cross_entropy(scores, labels[selected], reduction="sum")
        + loss = loss / selected.sum().clamp(min=1)
        """,
    "no_zero_grad": """
        The gradients of earlier batches are still there: `backward()` adds to `.grad`. Call
        `zero_grad()` once per step, before `backward()`.

        - self.optimizer.zero_grad()
        """,
    "steps_before_backward": """
        The weights do not change. Is `step()` called, and is there a gradient when it is? It is
        computed by `backward()`, has to be there at `step()`, and is erased by `zero_grad()`.

        - self.optimizer.zero_grad()
        - loss.backward()
        - self.optimizer.step()
        + self.optimizer.zero_grad()
        + self.optimizer.step()
        + loss.backward()
        """,
    "one_step_late": """
        Each step uses the gradients of the batch before: `step()` comes before `backward()`, and
        the old gradients are erased only after it.

        - self.optimizer.zero_grad()
        - loss.backward()
        - self.optimizer.step()
        + self.optimizer.step()
        + self.optimizer.zero_grad()
        + loss.backward()
        """,
    "stays_in_evaluation_mode": """
        Encoder and head are trained in the mode they happen to be in. After a look at predictions
        that is evaluation mode, without dropout: call `train()` on both first.

        - self.encoder.train()
        - self.head.train()
        """,
    "head_stays_in_evaluation_mode": """
        Only the encoder is put into training mode. The head is a module of its own, with a mode of
        its own: call `train()` on it, too.

        - self.head.train()
        """,
    "encoder_stays_in_evaluation_mode": """
        Only the head is put into training mode. The encoder, where the dropout is, stays in the
        mode it was in: call `train()` on it, too.

        - self.encoder.train()
        """,
    "detaches_the_table": """
        The token embeddings get a gradient as inputs only. They are the head's table as well:
        pass the parameter itself, not a detached copy of it.

        - scores = self.head(H[selected], self.encoder.embeddings.tokens.weight)
        + scores = self.head(H[selected], self.encoder.embeddings.tokens.weight.detach())
        """,
    "trains_the_head_only": """
        The encoder's vectors are detached, or computed without gradients, so only the head and its
        table learn. In pretraining everything learns.

        - scores = self.head(H[selected], self.encoder.embeddings.tokens.weight)
        + scores = self.head(H[selected].detach(), self.encoder.embeddings.tokens.weight)
        """,
    "reads_only_the_selected": """
        The encoder gets the selected positions as its mask, so it can attend to nothing else. The
        mask that it wants says which tokens are real.

        - H, _ = self.encoder(inputs, segments, mask)
        + H, _ = self.encoder(inputs, segments, selected)
        """,
    "loss_after_the_step": """
        The loss is computed again after the step, with the new weights. Return the one that the
        gradients come from.

        - return loss.item()
        + with torch.no_grad():
        +     H, _ = self.encoder(inputs, segments, mask)
        +     scores = self.head(H[selected], self.encoder.embeddings.tokens.weight)
        +     return F.cross_entropy(scores, labels[selected]).item()
        """,
    "returns_a_tensor": """
        The loss comes as a tensor, which keeps the whole graph of the step alive. What is wanted is
        a plain number, as `.item()` gives it.

        - return loss.item()
        + return loss
        """,
}

RIGHT = {
    "scores_at_every_position": """
        - selected = labels != -100
        - if not selected.any():
        + if (labels == -100).all():
        ...
        - scores = self.head(H[selected], self.encoder.embeddings.tokens.weight)
        - loss = F.cross_entropy(scores, labels[selected])
        + scores = self.head(H, self.encoder.embeddings.tokens.weight)
        + loss = F.cross_entropy(scores.transpose(1, 2), labels)
        """,
    "log_probabilities": """
        - self.encoder.train()
        - self.head.train()
        + for part in (self.encoder, self.head):
        +     part.train()
          H, _ = self.encoder(inputs, segments, mask)
        - scores = self.head(H[selected], self.encoder.embeddings.tokens.weight)
        - loss = F.cross_entropy(scores, labels[selected])
        - self.optimizer.zero_grad()
        - loss.backward()
        - self.optimizer.step()
        - return loss.item()
        + rows, columns = selected.nonzero(as_tuple=True)
        + scores = self.head(H, self.encoder.embeddings.tokens.weight)
        + log_p = torch.log_softmax(scores, dim=-1)
        + loss = -sum(log_p[b, i, labels[b, i]] for b, i in zip(rows, columns)) / len(rows)
        + loss.backward()
        + self.optimizer.step()
        + self.optimizer.zero_grad()
        + return float(loss)
        """,
}

FURTHER = """
First make `selected = labels != -100`, and leave at once if nothing is selected. Then in the order of
the text: `train()` twice, vectors, scores of `H[selected]`, one `F.cross_entropy` with
`labels[selected]`, and the three calls zero_grad, backward, step. Keep the loss and return its `.item()`.
"""

EQUIVALENT = {
    "the constructor is given, and its decay is AdamW's default": """
        -        parameters = [*encoder.parameters(), *head.parameters()]
        +        parameters = [*head.parameters(), *encoder.parameters()]

        -        self.optimizer = torch.optim.AdamW(parameters, lr=lr, weight_decay=0.01)
        +        self.__dict__["optimizer"] = torch.optim.AdamW(parameters, lr=lr, weight_decay=0.01)

        -        self.optimizer = torch.optim.AdamW(parameters, lr=lr, weight_decay=0.01)
        +        self.optimizer = torch.optim.AdamW(parameters, lr=lr)
        """,
    "the step only hands the mask on; pad_inputs is asked how it is made": """
             ) -> float:
        +        mask = inputs != 0
                 selected = labels != -100

             ) -> float:
        +        mask = mask & (inputs != 0)
                 selected = labels != -100
        """,
    "pad_inputs puts the padding at the end": """
             ) -> float:
        +        mask = torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)
                 selected = labels != -100
        """,
    "no label is below -100": """
        -        selected = labels != -100
        +        selected = labels > -100
        """,
    "a tensor of one number is as good as the number": """
        -        loss = F.cross_entropy(scores, labels[selected])
        +        loss = F.cross_entropy(scores, labels[selected]).reshape(1)
        """,
}
