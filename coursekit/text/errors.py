"""The error of `coursekit.text`."""


class TextError(ValueError):
    """Raised with one sentence when text, a vocabulary or a batch cannot be made."""
