"""Training every model of the course: `fit`, `predict`, `set_seed`, `pick_device`."""

from coursekit.training.errors import TrainingError
from coursekit.training.fitting import fit
from coursekit.training.history import History
from coursekit.training.machine import pick_device, set_seed
from coursekit.training.predicting import predict
from coursekit.training.settings import GRADING_STEPS, fewer_when_graded

__all__ = [
    "GRADING_STEPS",
    "History",
    "TrainingError",
    "fewer_when_graded",
    "fit",
    "pick_device",
    "predict",
    "set_seed",
]
