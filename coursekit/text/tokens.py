"""Tokenization of text into words and punctuation."""

import re
import unicodedata

from coursekit.forbidden import require_allowed
from coursekit.text.errors import TextError

# Marks that belong to the letter before them. `\w` leaves them out, so without this list an
# accent typed as its own character, or a vowel sign in Hindi or Thai, would cut a word in two.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u0670"
    "\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
_LETTER = rf"[\w{_MARKS}]"
_END = r"(?!['-]?\w)"
# Short endings that English glues to a word. They become tokens of their own ("it's" gives
# "it", "'s"), as in text that was tokenized before, so that "movie's" still counts as "movie".
_ENDING = rf"'(?:s|re|ve|ll|d|m){_END}"

_TOKEN = re.compile(
    rf"{_LETTER}+(?:(?!{_ENDING})['-]{_LETTER}+|(?<=\d)[.,](?=\d){_LETTER}+)*"
    rf"|{_ENDING}"
    r"|\.\.\.|--"
    # One symbol, with whatever changes the look of an emoji (skin, color, joined people).
    r"|[^\w\s](?:[\ufe0f\U0001f3fb-\U0001f3ff]|\u200d[^\w\s])*"
)
# "does n't" is how treebanks write "doesn't".
_SPLIT_NOT = re.compile(rf"(?<={_LETTER})\s+(?=n't{_END})")
_BREAK = re.compile(r"<br\s*/?>")
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}
_BRACKET = re.compile("|".join(_BRACKETS))

_REPLACE = str.maketrans(
    {
        # Typographic quotes and dashes, and the bytes that old Windows files left in their place.
        **dict.fromkeys("\u2018\u2019\u02bc\u00b4\u201b\uff07\x91\x92", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\x93\x94", '"'),
        **dict.fromkeys("\u2010\u2011", "-"),
        **dict.fromkeys("\u2013\u2014\u2015\x96\x97", " -- "),
        "\u2026": "...",
        "\x85": "...",
        # Characters nobody sees.
        **dict.fromkeys("\u00ad\u200b\u2060\ufeff\x00", None),
    }
)


def tokenize(text: str) -> list[str]:
    """Split a text into lower-case words and punctuation.

    A word keeps its inner apostrophes and hyphens ("don't", "o'neill", "well-made", "3.5");
    the endings 's, 're, 've, 'll, 'd and 'm are tokens of their own; every other symbol is a
    token, and so are "..." and "--". Accented and non-Latin letters are letters. Line breaks
    written as `<br />` count as spaces, typographic quotes as straight ones.

    Text that was tokenized before ("it does n't work -lrb- yet -rrb- ") gives the same tokens as
    the sentence it was made from, so a model sees the same words in every data set. Tokenizing
    the tokens joined by spaces changes nothing.

    Parameters
    ----------
    text : str
        Any string; it may be empty.

    Returns
    -------
    list of str
        The tokens in order; empty when the text holds nothing but spaces.

    Raises
    ------
    TextError
        If `text` is not a string.

    Examples
    --------
    >>> tokenize("It's a well-made film, but I didn't laugh!")
    ['it', "'s", 'a', 'well-made', 'film', ',', 'but', 'i', "didn't", 'laugh', '!']
    """
    require_allowed("coursekit.text.tokenize")
    if not isinstance(text, str):
        raise TextError(
            f"tokenize reads one text (a str), but got {type(text).__name__}; "
            "for many texts write [tokenize(text) for text in texts]."
        )
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_REPLACE)
        # Lower-casing can take a composed letter apart again (the Turkish dotted I does).
        text = unicodedata.normalize("NFC", text.lower())
    else:
        text = text.lower()
    # The tests with `in` are much cheaper than the substitutions, and most texts need none.
    if "<br" in text:
        text = _BREAK.sub(" ", text)
    if "_" in text:
        text = text.replace("_", " ")
    if "'" in text:
        text = _SPLIT_NOT.sub("", text.replace("''", '"'))
    if "``" in text:
        text = text.replace("``", '"')
    if "b-" in text:
        text = _BRACKET.sub(lambda match: _BRACKETS[match[0]], text)
    if "\\" in text:
        text = text.replace("\\/", "/").replace("\\*", "*")
    if ".." in text:
        text = re.sub(r"\.{2,}", "...", text)
    if "--" in text:
        text = re.sub(r"-{2,}", " -- ", text)
    return _TOKEN.findall(text)
