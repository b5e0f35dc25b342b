"""GPTClassifier, on tiny models: the last real token, dropout, both losses and their gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import TO_EVAL, draw_ids, lengths_mask, linear, normal, number

POINTS = {"scores": 2, "loss": 2, "dropout": 1, "edges": 1}

#: A model without blocks: the mean of the token embeddings that a token may attend to, squashed.
_TINY = " ".join(
    """type("TinyGPT", (torch.nn.Module,), {{
    "states": lambda self, ids, mask=None, cache=None: (lambda W: (
        ((W / W.sum(dim=-1, keepdim=True).clamp(min=1)) @ self.tokens(ids)).tanh(), []))(
        torch.ones(2 * [ids.shape[1]]).tril() if mask is None
        else mask.reshape(*mask.shape[:-2], *(2 * [ids.shape[1]])).float()),
    "forward": lambda self, ids, mask=None: self.states(ids)[0] @ self.tokens.weight.T,
    "__init__": lambda self: [
        torch.nn.Module.__init__(self),
        setattr(self, "tokens", torch.nn.Embedding.from_pretrained(torch.zeros({n}, {d}), False)),
    ] and None,
}})()""".split()
)
#: The same, but the states of ids that it has just read are NaN: dropout would give other ones.
_ONCE = " ".join(
    """(lambda Tiny: type("TinyGPT", (Tiny,), {{
    "last": torch.zeros(0),
    "states": lambda self, ids, mask=None, cache=None: (
        (Tiny.states(self, ids, mask, cache)[0] * float("nan"), []) if torch.equal(self.last, ids)
        else setattr(self, "last", ids.clone()) or Tiny.states(self, ids, mask, cache)),
    }})())(type(TINY))""".split()
).replace("TINY", _TINY)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        lengths: list[int],
        title: str,
        n_classes: int = 2,
        method: str = "__call__",
        lm_weight: float | None = None,
        dropout: float = 0.0,
        hooks: dict[str, Any] | None = None,
        zero: bool = False,
        model: str = _TINY,
        later: tuple[Any, ...] = (),
        **more: Any,
    ) -> Case:
        """A call, and with `later` another one, with other ids and the lengths and labels reversed.

        With `zero`, texts begin with the id 0, and padding has other ids.
        """
        n, d = number(rng, 7, 9), number(rng, 3, 4)
        state = {"gpt.tokens.weight": normal(rng, n, d, scale=1.2)}
        state |= linear(rng, "output", d, n_classes) | (hooks or {})
        labels = torch.from_numpy(rng.permutation(n_classes)[np.arange(len(lengths)) % n_classes])

        def call(method: str, lengths: list[int], labels: torch.Tensor, *weight: float) -> tuple:
            mask = lengths_mask(lengths)
            ids = draw_ids(rng, n, *mask.shape, low=1)
            ids = ids * (torch.arange(mask.shape[1]) > 0) if zero else ids * mask
            return (method, ids, mask, labels, *weight) if method == "loss" else (method, ids, mask)

        then = [call(method, lengths, labels, *([] if lm_weight is None else [lm_weight]))]
        if later:
            then.append(call(later[0], lengths[::-1], labels.flip(0), *later[1:]))
        sizes = [codec.Source(model.format(n=n, d=d)), d, n_classes, dropout]
        return Case(group, sizes, state=state, then=then, title=title, **more)

    n = number(rng, 3, 5)
    yield case("scores", [n], "one text")
    yield case("scores", [n, 2, n + 1], "texts of different lengths", n_classes=3)
    title = "the mask says what is padding, not the ids"
    yield case("scores", [n, 2], title, zero=True)
    yield case("scores", [n, 2], "one batch after another", later=("__call__",))
    yield case("scores", [n, 4], "what training changes", gradient="all")

    weight = number(rng, 2, 9) / 10
    yield case("loss", [n, 3], "both losses", method="loss")
    yield case("loss", [4, n + 1, 2], "with another weight", 3, "loss", weight)
    yield case("loss", [n, 2], "the task alone", method="loss", lm_weight=0.0)
    yield case("loss", [n, 2], title, method="loss", zero=True)
    title = "one batch after another, with another weight"
    yield case("loss", [n, 2], title, 2, "loss", weight, later=("loss", weight + 0.5))
    yield case("loss", [n, 3], "what training changes", 2, "loss", weight, gradient="all")
    title = "states that are NaN if a batch is read twice: both losses need the same ones"
    yield case("loss", [n, 2], title, method="loss", model=_ONCE)

    # calls on the class go in training mode unless a hook switches
    title = "dropout is off in evaluation"
    yield case("dropout", [n, 2], title, dropout=0.5, hooks=TO_EVAL)
    title = "the loss in evaluation"
    off = {"training": False, "dropout.training": False}
    yield case("dropout", [n, 2], title, 2, "loss", weight, dropout=1.0, hooks=off)
    tiny = codec.Source(_TINY.format(n=7, d=3))
    yield Case("dropout", [tiny, 3, 2], title="the default dropout", then=[(".dropout.p",)])
    title = "all states are dropped: the bias remains"
    yield case("dropout", [n, 2], title, n_classes=3, dropout=1.0)
    title = "the language model's loss knows no dropout here"
    yield case("dropout", [n, 2], title, 2, "loss", weight, dropout=1.0)

    yield case("edges", [1, n], "a text of one token")
    yield case("edges", [1, 1], "nothing to predict", 2, "loss", weight)


WRONG = {
    "first_token": """
        The state of the first token is read. It has seen nothing but itself: read that of the last
        real token.

        - last = H[torch.arange(len(H)), mask.sum(dim=1) - 1]
        + last = H[:, 0]
        """,
    "last_position": """
        The state at the last position is read, which is padding in shorter texts. Read that of the
        last real token, mask.sum(dim=1) - 1.

        - last = H[torch.arange(len(H)), mask.sum(dim=1) - 1]
        + last = H[:, -1]
        """,
    "one_beyond_the_last": """
        The index is one too high: with n tokens the last one is at n - 1. Where the longest text
        wraps around to the first token this goes unnoticed.

        - last = H[torch.arange(len(H)), mask.sum(dim=1) - 1]
        + last = H[torch.arange(len(H)), mask.sum(dim=1) % mask.shape[1]]
        """,
    "one_before_the_last": """
        The state of the last real token but one is read. The last one is that of *extract*, which alone has
        seen the whole text: with n real tokens it is at n - 1.

        - last = H[torch.arange(len(H)), mask.sum(dim=1) - 1]
        + last = H[torch.arange(len(H)), mask.sum(dim=1) - 2]
        """,
    "column_before_the_last": """
        The last position but one is read in all texts. Where the last real token stands differs from text to
        text: count the real tokens of each.

        - last = H[torch.arange(len(H)), mask.sum(dim=1) - 1]
        + last = H[:, max(H.shape[1] - 2, 0)]
        """,
    "padding_mask_for_attention": """
        The mask of the padding goes to the GPT, which takes it for a mask of attention, (T, T). It needs
        none: it is causal, and the padding stands behind the last real token.

        raises RuntimeError

        - H, _ = self.gpt.states(ids)
        - return self._classify(H, mask)
        + H, _ = self.gpt.states(ids, mask)
        + return self._classify(H, mask)
        ...
        - H, _ = self.gpt.states(ids)
        - task = F.cross_entropy(self._classify(H, mask), labels)
        + H, _ = self.gpt.states(ids, mask)
        + task = F.cross_entropy(self._classify(H, mask), labels)
        """,
    "mean_of_all": """
        The mean of all states is read. GPT reads the state of the last real token.

        - last = H[torch.arange(len(H)), mask.sum(dim=1) - 1]
        + last = (H * mask.unsqueeze(-1)).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        """,
    "without_dropout": """
        The dropout is missing on the state of the last token.

        - return self.output(self.dropout(last))
        + return self.output(last)
        """,
    "dropout_on_the_scores": """
        The dropout acts on the scores. It belongs on the state, before the linear layer.

        - return self.output(self.dropout(last))
        + return self.dropout(self.output(last))
        """,
    "reads_the_states_twice": """
        The states are read twice, once for each loss. With dropout in the GPT the second ones are others,
        and it takes twice as long: read them once, and compute both losses from them.

        - task = F.cross_entropy(self._classify(H, mask), labels)
        + task = F.cross_entropy(self(ids, mask), labels)
        """,
    "task_only": """
        The language model's loss is missing.

        - return task + lm_weight * next_token_loss(H @ self.gpt.tokens.weight.T, ids, mask)
        + return task
        """,
    "weights_the_task": """
        λ belongs to the loss of the language model, not to that of the task.

        - return task + lm_weight * next_token_loss(H @ self.gpt.tokens.weight.T, ids, mask)
        + return lm_weight * task + next_token_loss(H @ self.gpt.tokens.weight.T, ids, mask)
        """,
    "shares_of_one": """
        The two losses are mixed with λ and 1 - λ. The loss of the task is not weighted.

        - return task + lm_weight * next_token_loss(H @ self.gpt.tokens.weight.T, ids, mask)
        + language = next_token_loss(H @ self.gpt.tokens.weight.T, ids, mask)
        + return (1 - lm_weight) * task + lm_weight * language
        """,
    "ignores_the_weight": """
        `lm_weight` is ignored: λ is always 0.5.

        - return task + lm_weight * next_token_loss(H @ self.gpt.tokens.weight.T, ids, mask)
        + return task + 0.5 * next_token_loss(H @ self.gpt.tokens.weight.T, ids, mask)
        """,
    "padding_is_predicted": """
        The language model is asked to predict padding, too. Only real tokens count.

        - return task + lm_weight * next_token_loss(H @ self.gpt.tokens.weight.T, ids, mask)
        + everything = torch.ones_like(mask)
        + return task + lm_weight * next_token_loss(H @ self.gpt.tokens.weight.T, ids, everything)
        """,
    "frozen": """
        The model gets no gradient: its states are detached. Fine-tuning trains all of it.

        - H, _ = self.gpt.states(ids)
        - return self._classify(H, mask)
        + with torch.no_grad():
        +     H, _ = self.gpt.states(ids)
        + return self._classify(H, mask)
        ...
        - H, _ = self.gpt.states(ids)
        - task = F.cross_entropy(self._classify(H, mask), labels)
        + H = self.gpt.states(ids)[0].detach()
        + task = F.cross_entropy(self._classify(H, mask), labels)
        """,
    "probabilities": """
        These are probabilities. The scores are wanted, without a softmax: cross_entropy applies it.

        - return self.output(self.dropout(last))
        + return self.output(self.dropout(last)).softmax(dim=-1)
        """,
    "dropout_on_all_states": """
        The dropout acts on all states, so those for the loss of the language model lose numbers,
        too. It acts on the state of the last real token alone.

        - return self._classify(H, mask)
        + return self._classify(self.dropout(H), mask)
        ...
        - return self.output(self.dropout(last))
        + return self.output(last)
        ...
        - H, _ = self.gpt.states(ids)
        - task = F.cross_entropy(self._classify(H, mask), labels)
        + H = self.dropout(self.gpt.states(ids)[0])
        + task = F.cross_entropy(self._classify(H, mask), labels)
        """,
}

FURTHER = """
forward: H, _ = self.gpt.states(ids); the last real token of text b is at mask[b].sum() - 1;
H[torch.arange(B), those] is (B, d); dropout, output. loss: F.cross_entropy of these scores, plus
lm_weight times next_token_loss of H @ self.gpt.tokens.weight.T, ids and mask.
"""

RIGHT = {
    "gathers": """
        - last = H[torch.arange(len(H)), mask.sum(dim=1) - 1]
        + at = (mask.sum(dim=1) - 1).view(-1, 1, 1).expand(-1, 1, H.shape[-1])
        + last = H.gather(1, at).squeeze(1)
        """,
    "row_by_row": """
        class GPTClassifier(nn.Module):
            def __init__(self, gpt, d_model, n_classes, dropout=0.1):
                super().__init__()
                self.gpt, self.dropout = gpt, nn.Dropout(dropout)
                self.output = nn.Linear(d_model, n_classes)

            def forward(self, ids, mask):
                return self.scores(self.gpt.states(ids)[0], mask)

            def scores(self, H, mask):
                rows = [H[b, int(n) - 1] for b, n in enumerate(mask.sum(dim=1))]
                return self.output(self.dropout(torch.stack(rows)))

            def loss(self, ids, mask, labels, lm_weight=0.5):
                H, _ = self.gpt.states(ids)
                log_p = self.scores(H, mask).log_softmax(dim=1)
                task = -log_p[torch.arange(len(labels)), labels].mean()
                logits = torch.einsum("bld,vd->blv", H, self.gpt.tokens.weight)
                return task + lm_weight * next_token_loss(logits, ids, mask)
        """,
}

EQUIVALENT = {
    "True is 1 in every type": "every edit: given dtype",
    "padding comes at the end, and every text has a token": "every edit: lengths for mask, constant corner",
}
