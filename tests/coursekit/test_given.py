"""The given block of 06: it does what BERT needs, and earns nothing in 05."""

from pathlib import Path

import torch

from autograder.authoring.try_answer import try_sources
from autograder.course.layout import Course
from autograder.course.reference import definitions
from coursekit import set_seed
from coursekit.given import BertBlock, padding_mask

ROOT = Path(__file__).parents[2]
SIZES = {"vocab_size": 30, "d_model": 12, "n_heads": 3, "d_ff": 20, "n_blocks": 2}


def test_an_encoder_with_the_given_block_computes_what_the_course_s_own_computes():
    path = ROOT / "solutions/06_bert/06_bert.ipynb"
    ours, given = definitions(path), definitions(path)
    given["TransformerBlock"], given["padding_mask"] = BertBlock, padding_mask
    set_seed(0)
    encoder = ours["BertEncoder"](**SIZES).eval()
    other = given["BertEncoder"](**SIZES).eval()
    other.load_state_dict(encoder.state_dict())
    ids = torch.randint(30, (3, 7))
    segments = torch.zeros_like(ids)
    mask = torch.arange(7) < torch.tensor([7, 1, 4])[:, None]
    for one, two in zip(encoder(ids, segments, mask), other(ids, segments, mask), strict=True):
        real = mask if one.dim() == 3 else slice(None)
        assert torch.allclose(one[real], two[real], atol=1e-5)


def test_the_given_block_earns_no_points_in_assignment_05():
    sources = {
        "padding_mask": "from coursekit.given import padding_mask as given\n"
        "def padding_mask(mask):\n    return given(mask)",
        "MultiHeadAttention": "from coursekit.given import _Attention\n"
        "class MultiHeadAttention(_Attention):\n    pass",
        "TransformerBlock": "from coursekit.given import BertBlock\n"
        "class TransformerBlock(BertBlock):\n    pass",
    }
    verdicts = try_sources(Course(ROOT), "05_transformer_block", sources)
    assert {name: verdict.points for name, verdict in verdicts.items()} == dict.fromkeys(sources, 0)
