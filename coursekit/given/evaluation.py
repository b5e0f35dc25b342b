"""Given interval and significance test of assignment 01, from `coursekit.evaluation`."""

from coursekit.evaluation import mcnemar, wilson_interval

__all__ = ["mcnemar", "wilson_interval"]
