"""Figures: what they show, what they refuse, and that they leave matplotlib alone."""

import base64
import warnings

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from coursekit.evaluation import Score, accuracy_by, compare_models
from coursekit.figures import (
    FigureError,
    attention_map,
    decisive_words,
    labels_figure,
    ladder_figure,
    learning_curves,
    model_bars,
    phenomenon_bars,
    phenomenon_heatmap,
    position_heatmap,
    project_words,
    show,
    style,
    word_weights,
)
from coursekit.training import History

WORDS = ["the", "driver", "exceeded", "the", "speed", "limit"]


@pytest.fixture(autouse=True)
def _clean_figures():
    before = dict(plt.rcParams)
    yield
    plt.close("all")
    assert dict(plt.rcParams) == before, "a figure changed matplotlib's settings"


def drawn(ax):
    """Render, so that what only fails or warns while drawing does so here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.ravel(ax)[0].figure.canvas.draw()
    return ax


def texts(ax):
    return [text.get_text() for text in ax.texts]


def history(epochs=3):
    numbers = [0.5 + 0.1 * i for i in range(epochs)]
    return History(numbers, numbers, numbers, numbers, [1.0] * epochs, best_epoch=min(2, epochs))


def phenomena(shift=0):
    groups = ["plain", "word_order"] * 4
    return accuracy_by(groups, [1, 0, 1, 1, shift, 1, 0, 0], [1] * 8)


def test_learning_curves_show_loss_and_accuracy_with_the_kept_epoch():
    axes = drawn(learning_curves(history(), title="It learns"))
    assert [ax.get_ylabel() for ax in axes] == ["loss", "accuracy"]
    assert axes[0].get_title(loc="left") == "It learns"
    train, validation, best = axes[0].lines
    assert train.get_linestyle() == "--"
    assert list(validation.get_xdata()) == [1, 2, 3]
    assert list(best.get_xdata()) == [2]


def test_learning_curves_of_several_models_have_one_color_each():
    axes = drawn(learning_curves({"bag": history(2), "attention": history(1).to_dict()}))
    legend = [text.get_text() for text in axes[-1].get_legend().get_texts()]
    assert legend == ["bag", "attention", "training", "validation", "weights kept"]


def test_learning_curves_without_validation_or_on_one_axes():
    alone = drawn(learning_curves(History([0.5, 0.4], [0.7, 0.8], seconds=[1.0, 1.0])))
    assert [len(ax.lines) for ax in alone] == [1, 1]
    _, ax = plt.subplots()
    assert learning_curves(history(), ax=ax)[0] is ax


@pytest.mark.parametrize("wrong", [{}, [1, 2], {"bag": 3}, History(), {"bag": History()}])
def test_learning_curves_refuse_what_is_no_history(wrong):
    with pytest.raises(FigureError):
        learning_curves(wrong)


def dots(ax):
    return list(ax.lines[0].get_xdata())


def test_model_bars_put_a_dot_at_each_accuracy_on_an_axis_that_is_zoomed_in():
    results = {"bag": 0.8, "block": (0.82, 0.75, 0.84), "$odd$": Score("x", 10, 9, 0.9, 0.8, 0.93)}
    ax = drawn(model_bars(results, title="Better than counting"))
    assert dots(ax) == [0.8, 0.82, 0.9]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["bag", "block", "$odd$"]
    assert "80.0%" in texts(ax)
    low, high = ax.get_xlim()
    assert 0.6 < low < 0.75
    assert 0.93 < high < 1.05


def test_model_bars_show_every_interval_and_the_line_of_chance():
    ax = drawn(model_bars({"guess": 0.5, "bag": (0.8, 0.75, 0.84)}, chance=0.5))
    low, high = ax.get_xlim()
    assert low < 0.5
    assert high > 0.84
    assert " chance" in texts(ax)


@pytest.mark.parametrize("accuracy", [0, 0.003, 0.5, 0.999, 1])
def test_the_axis_of_model_bars_has_ticks_for_any_accuracy(accuracy):
    ax = drawn(model_bars({"model": float(accuracy)}))
    ticks = ax.get_xticks()
    assert len(ticks) >= 3
    assert ticks[0] <= accuracy + 1e-9
    assert ticks[-1] >= accuracy - 1e-9
    assert ticks[0] >= -1e-9
    assert ticks[-1] <= 1 + 1e-9


def test_model_bars_take_a_comparison():
    ax = drawn(model_bars(compare_models({"a": [1, 1, 0], "b": [1, 1, 1]}, [1, 1, 1])))
    assert dots(ax) == [pytest.approx(2 / 3), 1.0]


def ladder(rungs=("majority", "bag", "encoder")):
    def rung(place):
        return {
            size: {"labels": n, "accuracy": a, "low": a - 0.02, "high": a + 0.02}
            for size, n, a in [("all", 5000, 0.6 + 0.01 * place), ("100", 100, 0.5)]
        }

    return {"data": "reviews", "rungs": {name: rung(i) for i, name in enumerate(rungs)}}


def test_the_ladder_has_a_dot_for_each_rung_that_was_measured_with_this_size():
    results = ladder()
    del results["rungs"]["bag"]["all"]
    ax = drawn(ladder_figure(results, title="Upwards"))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["majority", "encoder"]
    assert dots(ax) == pytest.approx([0.6, 0.62])
    few = drawn(ladder_figure(results, ["bag"], size="100"))
    assert [label.get_text() for label in few.get_yticklabels()] == ["bag"]


def test_the_lines_over_the_labels_go_from_few_to_many_and_the_best_is_named_first():
    ax = drawn(labels_figure(ladder(), title="More helps"))
    assert all(list(line.get_xdata()) == [100, 5000] for line in ax.lines)
    assert ax.get_xscale() == "log"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["100", "5,000"]
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["encoder", "bag", "majority"]
    _, own = plt.subplots()
    assert labels_figure(ladder(), ["bag"], ax=own) is own


def test_more_lines_than_colors_differ_in_their_dashes():
    ax = drawn(labels_figure(ladder([f"rung {i}" for i in range(13)])))
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == 13


@pytest.mark.parametrize("figure", [ladder_figure, labels_figure])
def test_the_ladder_refuses_what_it_does_not_hold(figure):
    with pytest.raises(FigureError, match="no results of the ladder"):
        figure({"sst2": 3})
    with pytest.raises(FigureError, match="'bags' was not measured; measured are majority; bag"):
        figure(ladder(), ["bags"])
    with pytest.raises(FigureError, match="size '7'"):
        ladder_figure(ladder(), size="7")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({}, "no results"),
        (None, "no results"),
        ({"bag": (0.9, 0.95, 0.8)}, "low <= accuracy"),
        ({"bag": 85.0}, "fractions"),
        ({"bag": (0.9, 0.8)}, "Score"),
        ({"bag": "good"}, "Score"),
    ],
)
def test_model_bars_refuse_what_is_no_accuracy(wrong, sentence):
    with pytest.raises(FigureError, match=sentence):
        model_bars(wrong)


def test_phenomenon_bars_stand_side_by_side_for_each_model():
    ax = drawn(phenomenon_bars({"bag": phenomena(), "attention": phenomena(1)}, title="Order"))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["plain (4)", "word order (4)"]
    assert len(ax.patches) == 4
    drawn(phenomenon_bars(phenomena(), chance=None))


def test_phenomena_that_are_not_highlighted_are_pale():
    ax = drawn(phenomenon_bars(phenomena(), highlight="word_order"))
    plain, word_order = (bar.get_alpha() for bar in ax.patches)
    assert plain < 0.5 < word_order
    both = drawn(phenomenon_bars(phenomena(), highlight=["plain", "word_order"]))
    assert len({bar.get_alpha() for bar in both.patches}) == 1
    with pytest.raises(FigureError, match="no phenomenon 'irony' to highlight: plain, word_order"):
        phenomenon_bars(phenomena(), highlight="irony")


def test_the_phenomenon_heat_map_has_a_row_per_model():
    ax = drawn(phenomenon_heatmap({"bag": phenomena(), "attention": phenomena(1)}))
    assert ax.images[0].get_array().shape == (2, 2)
    assert texts(ax) == ["50", "50", "75", "50"]


def test_models_judged_on_other_phenomena_do_not_share_a_figure():
    other = accuracy_by(["irony"], [1], [1])
    with pytest.raises(FigureError, match="same phenomena"):
        phenomenon_heatmap({"bag": phenomena(), "attention": other})


def test_decisive_words_put_the_largest_weight_on_top():
    ax = drawn(decisive_words(["bad", "great", "$5"], torch.tensor([-2.0, 3.0, 0.5])))
    assert [bar.get_width() for bar in ax.patches] == [3.0, 0.5, -2.0]
    assert texts(ax)[::2] == ["great", "$5", "bad"]


@pytest.mark.parametrize(
    ("words", "weights", "sentence"),
    [
        (["a"], [1, 2], "1 words but 2 weights"),
        (["a"] * 61, range(61), "at most 60"),
        (["a"], [float("nan")], "finite"),
        (["a"], [[1.0]], "1 axis"),
        ([], [], "not be empty"),
    ],
)
def test_decisive_words_refuse_what_they_cannot_draw(words, weights, sentence):
    with pytest.raises(FigureError, match=sentence):
        decisive_words(words, weights)


def test_an_attention_map_has_the_words_on_both_axes():
    weights = torch.eye(6).requires_grad_()
    ax = drawn(attention_map(weights, WORDS, titles="each word looks at itself"))
    assert [label.get_text() for label in ax.get_yticklabels()] == WORDS
    assert [label.get_text() for label in ax.get_xticklabels()] == WORDS
    assert ax.images[0].get_array().tolist() == np.eye(6).tolist()


def test_heads_are_drawn_side_by_side_on_one_scale():
    weights = np.random.default_rng(0).random((5, 2, 12))
    axes = drawn(attention_map(weights, ["a", "$b_1$"], [f"word{i}" for i in range(12)]))
    assert [ax.get_title(loc="left") for ax in axes] == [f"head {i}" for i in range(1, 6)]
    assert len({ax.images[0].get_clim() for ax in axes}) == 1


def test_an_attention_map_of_one_query_or_of_zeros_is_drawn():
    drawn(attention_map([[0.2, 0.8]], ["[query]"], ["good", "film"]))
    drawn(attention_map(torch.zeros(1, 1, dtype=torch.float16), ["film"]))
    _, ax = plt.subplots()
    assert attention_map([[1.0]], ["film"], ax=ax) is ax


def test_an_attention_map_says_which_shape_it_expected():
    with pytest.raises(FigureError, match=r"\(6, 6\), but have \(4, 4\)"):
        attention_map(torch.eye(4), WORDS)
    with pytest.raises(FigureError, match=r"3 axes.*\(2,\)"):
        attention_map([0.5, 0.5], ["a"])
    with pytest.raises(FigureError, match="2 maps but 1 titles"):
        attention_map(torch.zeros(2, 6, 6), WORDS, titles="one")
    with pytest.raises(FigureError, match="cannot hold 2 heads"):
        attention_map(torch.zeros(2, 6, 6), WORDS, ax=plt.subplots()[1])


def test_projected_words_keep_groups_apart():
    vectors = np.random.default_rng(0).normal(size=(8, 20))
    vectors[:4] += 9
    ax = drawn(project_words(vectors, list("abcdefgh"), ["x"] * 4 + ["y"] * 4))
    left, right = (points.get_offsets()[:, 0] for points in ax.collections)
    assert left.max() < right.min() or right.max() < left.min()
    assert sorted(texts(ax)) == list("abcdefgh")
    assert "% of the variance" in ax.get_xlabel()


def test_an_axis_with_little_variance_shows_less_than_one_percent():
    vectors = np.array([[0.0, 0.0], [10.0, 0.3], [20.0, 0.0]])
    assert "(<1%)" in drawn(project_words(vectors, list("abc"))).get_ylabel()


def test_labels_do_not_cover_each_other_when_there_is_room():
    vectors = np.random.default_rng(1).normal(size=(25, 2))
    ax = drawn(project_words(vectors, [f"word{i}" for i in range(25)]))
    boxes = [text.get_window_extent() for text in ax.texts]
    overlaps = sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert overlaps <= 1


def test_the_order_of_the_words_does_not_change_the_projection():
    vectors, words = np.random.default_rng(2).normal(size=(6, 4)), list("abcdef")
    first = project_words(vectors, words).collections[0].get_offsets()
    turned = project_words(vectors[::-1], words[::-1]).collections[0].get_offsets()
    assert np.allclose(first, turned[::-1])


def test_equal_vectors_are_projected_to_one_point():
    drawn(project_words(np.ones((3, 2)), list("abc")))


@pytest.mark.parametrize(
    ("vectors", "words", "groups", "sentence"),
    [
        (np.zeros((1, 5)), ["a"], None, "at least 2"),
        (np.zeros((3, 5)), ["a"], None, "3 word vectors but 1 words"),
        (np.zeros((2, 5)), ["a", "b"], ["x"], "2 words but 1 groups"),
        (np.zeros(5), ["a"], None, "2 axes"),
        (np.full((2, 2), np.inf), ["a", "b"], None, "finite"),
        ([[1, 2], [3]], ["a", "b"], None, "rows of one length"),
    ],
)
def test_a_projection_refuses_what_does_not_fit(vectors, words, groups, sentence):
    with pytest.raises(FigureError, match=sentence):
        project_words(vectors, words, groups)


def test_position_encodings_have_positions_in_rows():
    ax = drawn(position_heatmap(torch.randn(20, 10)))
    assert ax.images[0].get_array().shape == (20, 10)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("dimension", "position")
    with pytest.raises(FigureError, match=r"2 axes.*\(1, 20, 10\)"):
        position_heatmap(torch.randn(1, 20, 10))


def test_word_weights_escape_the_words_and_read_as_text():
    shown = word_weights(["<script>", "great"], torch.tensor([-1.0, 2.0]), title="a < b")
    html = shown._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "a &lt; b" in html
    assert repr(shown) == "a < b\n<script>(-1.00) great(+2.00)"


def test_word_weights_tell_the_sides_apart_without_color():
    html = word_weights(["bad", "great"], [-1, 1])._repr_html_()
    assert "dashed" in html
    assert "solid" in html
    assert "solid" not in word_weights(["a", "b"], [0.2, 0.8])._repr_html_()


def test_the_same_limit_makes_two_texts_comparable():
    full = word_weights(["a"], [2.0])._repr_html_()
    half = word_weights(["a"], [1.0], limit=2.0)._repr_html_()
    assert "rgb(86, 180, 233)" in full.split("</span>")[0]
    assert "rgb(86, 180, 233)" not in half.split("</span>")[0]
    assert word_weights(["a"], [0.0])._repr_html_()


def test_word_weights_refuse_padding_and_nan():
    with pytest.raises(FigureError, match="2 words but 3 weights; leave out"):
        word_weights(["a", "b"], [1, 2, 3])
    with pytest.raises(FigureError, match="finite"):
        word_weights(["a"], [float("inf")])
    with pytest.raises(FigureError, match="limit"):
        word_weights(["a"], [1.0], limit=0)


def test_the_style_holds_inside_its_block_only():
    with style():
        assert plt.rcParams["figure.dpi"] == 110


def test_showing_figures_turned_on_by_the_first_one_stays_on():
    # A notebook's backend turns it on when it is loaded, which the first figure does.
    with style():
        plt.ion()
    try:
        assert plt.isinteractive()
    finally:
        plt.ioff()


def test_a_figure_is_shown_with_its_alternative_text_and_closed(monkeypatch):
    shown = []
    monkeypatch.setattr(
        "coursekit.figures.display.display", lambda data, raw: shown.append((data, raw))
    )
    plt.subplots(figsize=(2, 1))
    show('A line that\nrises to "5" & stays')
    ((data, raw),) = shown
    assert raw
    assert data["text/html"].startswith('<img alt="A line that rises to &quot;5&quot; &amp; stays"')
    picture = base64.b64decode(data["text/html"].split("base64,")[1].split('"')[0])
    assert picture.startswith(b"\x89PNG")
    assert not plt.get_fignums()


def test_no_figure_and_no_description_are_refused():
    with pytest.raises(FigureError, match="draw one first"):
        show("a line")
    plt.subplots(figsize=(2, 1))
    with pytest.raises(FigureError, match="Describe the figure"):
        show("  ")


def test_nothing_is_rendered_while_an_answer_is_graded_again(monkeypatch):
    monkeypatch.setenv("COURSEKIT_NO_FIGURES", "1")
    monkeypatch.setattr("coursekit.figures.display.display", pytest.fail)
    plt.subplots(figsize=(2, 1))
    show("a line")
    assert not plt.get_fignums()
