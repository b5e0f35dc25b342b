"""The exam bank: its form, and that every number and formula of an answer is computed again."""

import pytest
from checkout import ROOT

from autograder.errors import AuthorError
from autograder.guide.exam_bank import prove, prove_bank, read_bank, shown_number

BANK = read_bank(ROOT / "guide")
QUESTIONS = [one for several in BANK.values() for one in several]
ONE = """\
# Exam questions on 07

## Two and two
*easy · 2 points*
What is 2 + 2, and its square root?
### Answer
4 and 2.00.
### Marking
1 point each.
### Check
```python
says("4", 2 + 2)
says("2.00", 4 ** 0.5)
```
"""


@pytest.fixture
def bank_of(tmp_path):
    """Reads a bank of one file."""

    def read(text):
        (tmp_path / "exam").mkdir(exist_ok=True)
        (tmp_path / "exam" / "07_topic.md").write_text(text, "utf-8")
        return read_bank(tmp_path)

    return read


def test_a_wrong_number_in_an_answer_is_refused(bank_of):
    assert prove_bank(bank_of(ONE)) == 1
    with pytest.raises(AuthorError, match=r"Two and two: the check fails: 5 is 4\."):
        prove_bank(bank_of(ONE.replace("4 and", "5 and").replace('says("4"', 'says("5"')))
    with pytest.raises(AuthorError, match="the text '4' is not there"):
        prove_bank(bank_of(ONE.replace("4 and", "Four and")))
    with pytest.raises(AuthorError, match=r"2\.01 is 2"):
        prove_bank(bank_of(ONE.replace("2.00", "2.01")))


def test_a_question_that_lacks_a_part_is_a_sentence(bank_of):
    with pytest.raises(AuthorError, match="there is no section ### Marking"):
        bank_of(ONE.replace("### Marking", "### Check"))
    with pytest.raises(AuthorError, match=r"write a line such as \*medium · 6 points\*"):
        bank_of(ONE.replace("easy", "nice"))
    with pytest.raises(AuthorError, match="two questions called 'Two and two'"):
        bank_of(ONE + ONE[ONE.index("## ") :])


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.69", 0.69), ("1,024", 1024), ("-3/8", -0.375), ("−0.5", -0.5), ("12.5%", 12.5)],
)
def test_numbers_are_read_as_they_are_written(text, value):
    assert shown_number(text)[0] == value


def test_a_share_is_compared_in_percent():
    assert prove("a sum", "It is 12.5%.", 'says("12.5%", 1 / 8)') == ["12.5%"]
    with pytest.raises(AuthorError, match="a sum: the check fails"):
        prove("a sum", "It is 12.5%.", "assert 1 == 2")
