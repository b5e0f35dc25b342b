"""predict_scores: the model refuses large batches, counts its calls and shows its mode afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import draw_ids, number
from .common import one_line

POINTS = {"values": 1, "padding": 2, "modes": 1, "edges": 1}

# The score is the mean over the real tokens, weighted by position; padding adds its id, as it
# should be 0. The model refuses more than
# `most` texts at once, counts its calls, and stores itself where a step after the call finds it.
# It also switches gradients on, in case an earlier answer switched them off for good.
_TINY_MODEL = """type("TinyModel", (torch.nn.Module,), {{
    "forward": lambda self, ids, mask: (
        torch.where(mask, self.dropout(self.tokens(ids)[..., 0]), ids.float())
        @ (1 + torch.arange(ids.shape[1])).float() / mask.sum(dim=1)
    ) if not self.calls.append(len(ids)) and len(ids) <= {most} else (_ for _ in ()).throw(
        MemoryError(f"{{len(ids)}} texts go through the model together, but batch_size is {most}")
    ),
    "__init__": lambda self: [
        torch.nn.Module.__init__(self),
        setattr(self, "tokens", torch.nn.Embedding.from_pretrained(torch.tensor({table}), False)),
        setattr(self, "dropout", torch.nn.Dropout(1.0)),
        setattr(self, "calls", []),
        setattr(torch.nn, "_model_under_check", self),
        torch.set_grad_enabled(True),
    ] and None,
}})().train({training})"""

_MODES = (
    "new_tensor",
    codec.Source("[part.training for part in torch.nn._model_under_check.modules()]"),
)
_CALLS = ("new_tensor", codec.Source("[len(torch.nn._model_under_check.calls)]"))
# Reads the switch and resets it, so that nothing after the check computes without gradients.
_GRADIENTS_ON = (
    "new_tensor",
    codec.Source("[torch.is_grad_enabled(), torch.set_grad_enabled(True)][:1]"),
)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        lengths: list[int],
        batch_size: int,
        training: bool = False,
        zeros: bool = False,
        **more: Any,
    ) -> Case:
        vocab_size = number(rng, 7, 9)
        table = [[round(float(x), 2)] for x in 1 + rng.normal(size=vocab_size)]
        source = one_line(_TINY_MODEL, most=batch_size, table=table, training=training)
        inputs = [draw_ids(rng, vocab_size, length, low=1).tolist() for length in lengths]
        if zeros:
            for ids in inputs:
                ids[-2] = 0
        return Case(group, [codec.Source(source), inputs, batch_size], **more)

    n = number(rng, 5, 7)
    yield case("values", [n, n, n, n], 2)
    yield case("values", [n, n, n, n, n], 2, title="the last batch is smaller")
    title = "batch_size 1, texts of different lengths: the scores in the order of the inputs"
    yield case("values", [4, 3, n], 1, title=title)
    again = case("values", [4, n, 3], 2)
    model, (one, other, third), size = again.args
    title = "texts that come twice, in other batches"
    yield Case("values", [model, [one, other, [*one], third, [*other]], size], title=title)
    title = "five texts in batches of two: how often is the model called?"
    yield case("values", [n, n, n, n, n], 2, then=[_CALLS], title=title)
    yield case("padding", [n, 3, 4], 3, title="one batch, with padding")
    yield case("padding", [3, n, n + 1, 4, 3], 2, title="batches of different lengths")
    yield case("padding", [3, 4], number(rng, 4, 9), title="fewer texts than batch_size")
    title = "a real token has the id 0: only the lengths tell what is padding"
    yield case("padding", [n, 4], 2, zeros=True, title=title)
    title = "a model in training mode, with dropout 1"
    yield case("modes", [n, 3, 4], 2, training=True, title=title)
    title = "a model in training mode: which modules are in training mode afterwards? 1 for yes"
    yield case("modes", [n, 3], 2, training=True, then=[_MODES], title=title)
    title = "a model in evaluation mode: which modules are in training mode afterwards? 0 for no"
    yield case("modes", [n, 3], 1, then=[_MODES], title=title)
    title = "do the scores carry gradients?"
    yield case("modes", [n, 4], 1, then=[(".requires_grad",)], title=title)
    title = "no texts, in training mode: the shape; which modules train afterwards? 1 for yes"
    yield case("edges", [], n, training=True, then=[(".shape",), _MODES], title=title)
    yield case("edges", [n], 2, title="a single text")
    # The last case, as it switches gradients on again.
    title = "are gradients switched on again afterwards? 1 for yes"
    yield case("modes", [3, 3], 2, then=[_GRADIENTS_ON], title=title)


WRONG = {
    "leaves_dropout_on": """
        The model's dropout is active, so the scores are random. Put the model into evaluation
        mode first.

        - model.eval()
        """,
    "leaves_the_model_in_evaluation": """
        The model is left in evaluation mode, although it was in training mode. Further training
        would silently run without dropout: restore the mode.

        - training = model.training
        ...
        - model.train(training)
        """,
    "always_ends_in_training": """
        The model is put into training mode at the end, whatever its mode was before. Remember
        the mode at the start and restore that one.

        - training = model.training
        ...
        - model.train(training)
        + model.train()
        """,
    "sets_only_the_flag": """
        At the end the model is in training mode, but its layers are not: `model.training = ...`
        sets the flag of the outermost module only. Call `train` with the old mode.

        - model.train(training)
        + model.training = training
        """,
    "ignores_padding": """
        The mask is True everywhere, padding included, so a score depends on how long the other
        texts of the batch are. Pass on the mask of `pad_inputs`.

        - scores.append(model(ids, mask))
        + scores.append(model(ids, torch.ones_like(mask)))
        """,
    "reads_the_mask_from_ids": """
        The mask is computed from the ids: every 0 counts as padding. A real token may have this
        id; only the lengths tell what is padding.

        - scores.append(model(ids, mask))
        + scores.append(model(ids, ids != 0))
        """,
    "loses_the_last_batch": """
        The texts of the last batch have no scores. That batch may be smaller than the others, but
        it counts, too.

        - for start in range(0, len(inputs), batch_size):
        + for start in range(0, len(inputs) - batch_size + 1, batch_size):
        """,
    "loses_the_order": """
        The scores are in another order than the inputs. To sort by length saves padding, but then
        each score has to return to the position of its text.

          model.eval()
        + inputs = sorted(inputs, key=len)
        """,
    "tracks_gradients": """
        The scores still carry the computation graph, which takes a lot of memory. Compute them
        without gradients.

        - with torch.set_grad_enabled(False):
        -     for start in range(0, len(inputs), batch_size):
        -         rows = inputs[start : start + batch_size]
        -         ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
        -         scores.append(model(ids, mask))
        + for start in range(0, len(inputs), batch_size):
        +     rows = inputs[start : start + batch_size]
        +     ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
        +     scores.append(model(ids, mask))
        """,
    "switches_gradients_off_for_good": """
        Gradients are switched off and never on again, so the next training step fails. A `with`
        block restores them when it ends.

        - with torch.set_grad_enabled(False):
        -     for start in range(0, len(inputs), batch_size):
        -         rows = inputs[start : start + batch_size]
        -         ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
        -         scores.append(model(ids, mask))
        + torch.set_grad_enabled(False)
        + for start in range(0, len(inputs), batch_size):
        +     rows = inputs[start : start + batch_size]
        +     ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
        +     scores.append(model(ids, mask))
        """,
    "scores_all_texts_at_once": """
        All texts go through the model together, whatever `batch_size` says. Many texts would
        not fit into memory: split them into batches.

        raises MemoryError

        - for start in range(0, len(inputs), batch_size):
        -     rows = inputs[start : start + batch_size]
        -     ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
        + if inputs:
        +     ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in inputs], 0)
        """,
    "scores_texts_one_by_one": """
        The texts go through the model one at a time. The scores are right, but slow to compute:
        pass `batch_size` texts in each call.

        - for start in range(0, len(inputs), batch_size):
        -     rows = inputs[start : start + batch_size]
        -     ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
        + for row in inputs:
        +     ids, _, mask = pad_inputs([(row, [0] * len(row))], 0)
        """,
    "returns_before_restoring_the_mode": """
        Without texts the function returns before it restores the model's mode.

          model.eval()
        + if not inputs:
        +     return torch.zeros(0)
        """,
    "stays_in_evaluation_after_texts": """
        Where there are texts, the model stays in evaluation mode afterwards, although it was in
        training mode. Further training would silently run without dropout: restore the mode.

        - training = model.training
        - model.eval()
        + if not inputs:
        +     return torch.zeros(0)
        + model.eval()
        ...
        - model.train(training)
        """,
}

FURTHER = """
Remember `model.training`, call `model.eval()`, loop over `range(0, len(inputs), batch_size)`
under `torch.no_grad()`, and at the end call `model.train(...)` with what you remembered.
"""

RIGHT = {
    "one_padded_table": """
        def predict_scores(model, inputs, batch_size):
            if not inputs:
                return torch.zeros(0)
            was_training = model.training
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in inputs], 0)
            batches = zip(ids.split(batch_size), mask.split(batch_size))
            result = torch.cat([model.train(False)(*batch).detach() for batch in batches])
            model.train(was_training)
            return result
        """,
    "sorted_by_length_and_back": """
        def predict_scores(model, inputs, batch_size):
            before = model.training
            model.eval()
            order = sorted(range(len(inputs)), key=lambda i: -len(inputs[i]))
            result = torch.empty(len(inputs))
            with torch.inference_mode():
                while order:
                    batch, order = order[:batch_size], order[batch_size:]
                    rows = [torch.tensor(inputs[i]) for i in batch]
                    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
                    lengths = torch.tensor([len(row) for row in rows])
                    result[batch] = model(ids, torch.arange(ids.shape[1]) < lengths[:, None])
            model.train(before)
            return result
        """,
}

EQUIVALENT = {
    "the segments are not used": """
        -            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
        +            ids, _, mask = pad_inputs([(row, [1] * len(row)) for row in rows], 0)

        -            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
        +            ids, _, mask = pad_inputs([(row, [-1] * len(row)) for row in rows], 0)
        """,
    "there are scores if there are inputs": """
        -    return torch.cat(scores) if scores else torch.zeros(0)
        +    return torch.cat(scores) if inputs else torch.zeros(0)
        """,
    "without texts there is no number": """
        -    return torch.cat(scores) if scores else torch.zeros(0)
        +    return torch.cat(scores) if scores else torch.ones(0)

        -    return torch.cat(scores) if scores else torch.zeros(0)
        +    return torch.cat(scores) if scores else torch.rand(0)
        """,
}
