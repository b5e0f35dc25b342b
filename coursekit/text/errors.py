"""The error of `coursekit.text`."""


class TextError(ValueError):
    """Tokens, a vocabulary or a batch cannot be made; the message is one sentence that says why."""
