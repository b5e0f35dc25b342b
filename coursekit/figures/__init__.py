"""Figures of the course, in one style that color-blind readers can read.

Every function draws on the matplotlib axes it is given, or on new ones, and returns them. The
style holds only inside these functions: a notebook's own figures stay as they are, unless it
draws them inside `with style():`.
"""

from coursekit.figures.bars import decisive_words, model_bars, phenomenon_bars
from coursekit.figures.curves import learning_curves
from coursekit.figures.display import show
from coursekit.figures.heatmaps import attention_map, phenomenon_heatmap, position_heatmap
from coursekit.figures.ladder import labels_figure, ladder_figure
from coursekit.figures.projection import label_points, project_words
from coursekit.figures.style import COLORS, FigureError, style
from coursekit.figures.words import WordWeights, word_weights

__all__ = [
    "COLORS",
    "FigureError",
    "WordWeights",
    "attention_map",
    "decisive_words",
    "label_points",
    "labels_figure",
    "ladder_figure",
    "learning_curves",
    "model_bars",
    "phenomenon_bars",
    "phenomenon_heatmap",
    "position_heatmap",
    "project_words",
    "show",
    "style",
    "word_weights",
]
