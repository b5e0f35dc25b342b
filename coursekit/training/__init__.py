"""Training every model of the course: `fit`, `predict`, `initialize`, `set_seed`, `pick_device`."""

from coursekit.training.device import pick_device, set_seed
from coursekit.training.errors import TrainingError
from coursekit.training.fit import fit
from coursekit.training.grading import GRADING_STEPS, fewer_when_graded
from coursekit.training.history import History
from coursekit.training.initial_weights import initialize, ordered_parameters
from coursekit.training.predict import predict

__all__ = [
    "GRADING_STEPS",
    "History",
    "TrainingError",
    "fewer_when_graded",
    "fit",
    "initialize",
    "ordered_parameters",
    "pick_device",
    "predict",
    "set_seed",
]
