"""Numbers and examples in the text of 06 are those of the files they come from."""

from __future__ import annotations

import json
import re

import pytest
from quoted_numbers import (
    ROOT,
    cells_of,
    is_shown_as,
    results,
    text_of,
)


@pytest.mark.parametrize("assignment", ["06_bert"])
def test_what_a_notebook_says_of_its_ladder_was_measured(assignment):
    text = text_of(assignment)

    def accuracy(data: str, rung: str) -> float:
        return 100 * results(f"ladder_{data}")["rungs"][rung]["all"]["accuracy"]

    figures = "\n".join(cell.source for cell in cells_of(assignment) if cell.cell_type == "code")
    sst2 = re.search(r"the fine-tuned encoder is first with ([\d.]+)%", figures)
    imdb = re.search(r"with all labels, it is ([\d.]+)% against ([\d.]+)%", text)
    assert sst2
    assert imdb
    assert is_shown_as(sst2[1], accuracy("sst2", "encoder, fine-tuned"))
    assert is_shown_as(imdb[1], accuracy("imdb", "encoder, fine-tuned"))
    assert is_shown_as(imdb[2], accuracy("imdb", "DAN, vectors of 02"))


def test_06_the_numbers_about_more_pretraining_were_measured():
    text = text_of("06_bert")
    stages = list(results("tokens_read")["stages"].values())
    scores = {
        size: [
            results("ladder_sst2")["rungs"]["encoder, random weights"][size]["accuracy"],
            *(stage["rungs"]["encoder, fine-tuned"][size]["accuracy"] for stage in stages),
        ]
        for size in ("1000", "10000")
    }
    shown = re.search(
        r"alone are worth (\d) points, and all the .* another (\d);.* about (\d)\.", text
    )
    assert shown
    (no, start, *_, end), (none, begun, *_, last) = scores["1000"], scores["10000"]
    assert is_shown_as(shown.group(1), 100 * (start - no))
    assert is_shown_as(shown.group(2), 100 * (end - start))
    assert is_shown_as(shown.group(3), 100 * (begun - none))
    assert is_shown_as(shown.group(3), 100 * (last - begun))
    losses = re.search(
        r"tokens is still ([\d.]+)\. .* falls to ([\d.]+) at 12 million and to ([\d.]+) at 72 million",
        text,
    )
    assert losses
    assert all(is_shown_as(a, stage["masked"]) for a, stage in zip(losses.groups(), stages[1:]))


def test_06_the_numbers_about_the_teacher_were_measured():
    text = text_of("06_bert")
    once, taught = (
        results("ladder_sst2")["rungs"][rung]
        for rung in ("encoder, fine-tuned", "encoder, distilled")
    )
    points = re.search(
        r"With a hundred labels of SST-2, distillation is worth (\d+) points, with a thousand (\d), and "
        r"with all of them still (\d)",
        text,
    )
    assert points
    for number, size in zip(points.groups(), ("100", "1000", "all")):
        gain = 100 * (taught[size]["accuracy"] - once[size]["accuracy"])
        assert is_shown_as(number, gain)
    assert "with 1,000 labels the student is as good as the same encoder without a teacher" in text
    assert taught["1000"]["accuracy"] > once["all"]["accuracy"] - 0.005
    before, after = once["1000"]["challenge"], taught["1000"]["challenge"]
    for kind in ("contrast", "comparison", "word_order"):
        percent = re.search(rf"`{kind}`.{{0,7}} from (\d+)% to (\d+)%", text)
        assert percent
        for number, found in zip(percent.groups(), (before, after)):
            assert is_shown_as(number, 100 * found[kind][0])
    imdb = re.search(r"with all 25,000 labels, it is ([\d.]+)% instead of ([\d.]+)%", text)
    assert imdb
    for number, rung in zip(imdb.groups(), ("encoder, distilled", "encoder, fine-tuned")):
        measured = results("ladder_imdb")["rungs"][rung]["all"]["accuracy"]
        assert is_shown_as(number, 100 * measured)
    unseen = re.search(r"gets (\d+)% of `unseen` right", text)
    assert unseen
    assert is_shown_as(unseen[1], 100 * after["unseen"][0])


def test_06_the_numbers_about_what_labels_have_to_show_were_measured():
    text = text_of("06_bert")
    rungs = results("ladder_reviews")["rungs"]
    once, taught = (rungs[f"encoder, {kind}"]["1000"] for kind in ("fine-tuned", "distilled"))
    reviews = re.search(r"all 1,000 test reviews: ([\d.]+)% instead of ([\d.]+)%", text)
    kinds = re.search(r"(\d+)% of `negation` and (\d+)% of `thwarted` right", text)
    without = re.search(r"Without a teacher, the same labels led to (\d+)% and (\d+)%", text)
    irony = re.search(r"`irony` remains, with (\d+)% after SST-2 and (\d+)% after", text)
    assert reviews
    assert kinds
    assert without
    assert irony
    sst2 = results("ladder_sst2")["rungs"]["encoder, distilled"]["1000"]["challenge"]
    for number, found in (
        *zip(reviews.groups(), (taught["accuracy"], once["accuracy"])),
        *zip(kinds.groups(), (taught["challenge"][kind][0] for kind in ("negation", "thwarted"))),
        *zip(without.groups(), (once["challenge"][kind][0] for kind in ("negation", "thwarted"))),
        *zip(irony.groups(), (sst2["irony"][0], taught["challenge"]["irony"][0])),
    ):
        assert is_shown_as(number, 100 * found)


def test_06_what_it_says_about_the_teacher_is_in_its_card_and_its_training():
    text = text_of("06_bert")
    training = json.loads(
        (ROOT / "data/pretrained/imdb-distilled/training.json").read_text("utf-8")
    )
    said = re.search(r"(\d+) million tokens of IMDb's training and unlabeled reviews", text)
    rank = re.search(r"\*\*rank\*\* (\d+): it keeps (\d+)% of the sum of squares", text)
    assert said
    assert rank
    assert int(said[1]) == round(training["tokens"] / 1e6)
    assert int(rank[1]) == training["rank"]
    assert is_shown_as(rank[2], 100 * training["kept"])
    card = " ".join((ROOT / "data/pretrained/CARD.md").read_text("utf-8").split())
    teacher = re.search(r"nothing but IMDb's labels, it gets (\d+)% and (\d+)%", text)
    assert teacher
    assert f"negation {teacher[1]}%" in card
    assert f"thwarted {teacher[2]}%" in card
    alone = re.search(r"without a teacher, our encoder gets ([\d.]+)% with 1,000 labels", text)
    assert alone
    assert f"on those of SST-2) gave 78.4%, {alone[1]}%" in card
    megabytes = re.search(r"\*\*adapter\*\* of ([\d.]+) MB", text)
    assert megabytes
    size = (ROOT / "data/pretrained/imdb-distilled/adapter_model.safetensors").stat().st_size
    assert is_shown_as(megabytes[1], size / 1e6)
