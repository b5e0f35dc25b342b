"""Error of `coursekit.text`."""


class TextError(ValueError):
    """Error in making tokens, a vocabulary or a batch; the message says why in one sentence."""
