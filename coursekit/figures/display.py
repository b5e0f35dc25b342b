"""Display of a figure in a notebook, with alternative text for readers who cannot see it."""

from __future__ import annotations

import base64
import html
import io
import os

import matplotlib.pyplot as plt
from IPython.display import display

from coursekit.figures.style import FigureError


def show(alt: str) -> None:
    """Display the current matplotlib figure and close it.

    Like ``plt.show()``, but the image has an alternative text, which screen readers read aloud and
    which is shown where the image is missing. Where the environment variable COURSEKIT_NO_FIGURES is
    set, as while an answer is graded again, the figure is closed and nothing is rendered.

    Parameters
    ----------
    alt : str
        What is drawn and what one sees in it, in one or two sentences.

    Raises
    ------
    FigureError
        There is no figure, or `alt` is empty.
    """
    if not isinstance(alt, str) or not alt.strip():
        raise FigureError('Describe the figure for readers who cannot see it: show("...").')
    if not plt.get_fignums():
        raise FigureError("There is no figure to show; draw one first, in the same cell.")
    figure = plt.gcf()
    if os.environ.get("COURSEKIT_NO_FIGURES"):
        plt.close(figure)
        return
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=figure.dpi, bbox_inches="tight")
    plt.close(figure)
    source = "data:image/png;base64," + base64.b64encode(picture.getvalue()).decode()
    text = html.escape(" ".join(alt.split()))
    image = f'<img alt="{text}" src="{source}" style="max-width: 100%; background: white">'
    display({"text/html": image, "text/plain": alt}, raw=True)
