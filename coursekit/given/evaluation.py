"""The interval and the test of 01, as the course's own evaluation has them."""

from coursekit.evaluation import mcnemar, wilson_interval

__all__ = ["mcnemar", "wilson_interval"]
