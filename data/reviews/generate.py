"""Write the splits of the data set `reviews`.

Run ``python data/reviews/generate.py`` to rewrite train.tsv, validation.tsv and test.tsv next to
this file, byte for byte the same on every machine; with ``--check`` nothing is written, and the
exit status is 1 when a file differs from what would be written.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from itertools import takewhile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from engine import Writer, read_frames
from frames import CLAUSES, LONG, PLAIN
from turns import COMPARISON, CONTRAST, NEGATION, THWARTED
from wording import IRONY, NEUTRAL, WORD_ORDER
from world import WORLD

FOLDER = Path(__file__).resolve().parent
SEED = 20240501
SIZES = {"train": 10000, "validation": 1000, "test": 1000}
SHARES = {  # of every split, in percent
    "plain": 40,
    "negation": 14,
    "contrast": 10,
    "neutral_words": 10,
    "long": 9,
    "comparison": 6,
    "thwarted": 5,
    "word_order": 4,
    "irony": 2,
}
TITLES = read_frames(WORLD)["title", 0]
CASTS = [re.sub(r"^an? | ?{.*", "", cast) for cast in read_frames(WORLD)["cast", 0]]
SHORTEST, LONGEST = 6, 45  # tokens
MOST_USES = 8  # of one sentence in its split
NEGATORS = re.compile(
    r"\b(not|no|never|nothing|nobody|none|nor|neither|nowhere|hardly|without|cannot|but)\b|n't\b"
)
AT_HOME = re.compile(
    r"\b(couch|flight|laptop|hotel room|tablet|friend's place|parents' house|night train|rented"
    r"|sittings)"
)
IN_COMPANY = re.compile(
    r"\b(theater|row|sold out|audience|strangers|people were|ticket|screening|walked out"
    r"|left (?:early|long))\b"
)
OUT = re.compile(r"\b(theater|drive-in|big screen|front row|screening|festival|opening night)\b")
VISIT = re.compile(
    r"\b(saw|watched|caught|rented|picked|brought|to see) (it|[A-Z][a-z]+|The [A-Z])\b"
)
# Words that may come twice in one review without sounding careless.
REPEATABLE = frozenset(
    """about after again another because before being could every first found
    from have into just last more most only other over scene should still story than that their
    them then there these they thing this thought time under very were what when where which while
    with would year your music part minutes hours plays people watched ending second""".split()
)


def tokens(text: str) -> list[str]:
    """Split a review into words and punctuation marks."""
    return re.findall(r"[\w'-]+|[^\w\s]", text)


def sentences(text: str) -> list[str]:
    """Split a review into the lower-cased sentences that no two splits may share."""
    return [part for part in (s.strip(' "').lower() for s in re.split(r"[.!?]", text)) if part]


def decorate(text: str, rng: random.Random) -> str:
    """Vary the typography: an exclamation mark, a numeral, no capitals, another word for film."""
    draw = rng.random()
    if draw < 0.07:
        text = re.sub(r"\.$", "!", text)
    elif draw < 0.09:
        text = re.sub(r"\.$", "...", text)
    elif draw < 0.12:
        text = text.removesuffix(".")
    if rng.random() < 0.3:
        for word, numeral in (("two hours", "2 hours"), ("ninety minutes", "90 minutes")):
            text = text.replace(word, numeral)
    return text.lower() if rng.random() < 0.1 else text


def reads_well(text: str, phenomenon: str) -> bool:
    """Tell whether a review has the right size, no clumsy repetition, and keeps its promise."""
    length = len(tokens(text))
    low, high = (28, LONGEST) if phenomenon == "long" else (SHORTEST, 38)
    if not low <= length <= high or not 1 <= len(sentences(text)) <= 3:
        return False
    if phenomenon == "plain" and NEGATORS.search(text.lower()):
        return False
    if AT_HOME.search(text) and IN_COMPANY.search(text):
        return False
    if "turned it off" in text and OUT.search(text):
        return False
    if len(VISIT.findall(text)) > 1:
        return False
    if phenomenon != "comparison" and sum(title in text for title in TITLES) > 1:
        return False
    if phenomenon != "long" and (
        sum(cast in text.lower() for cast in CASTS) > 1
        or any(part.count(" and ") > 2 for part in sentences(text))
    ):
        return False
    if re.search(
        r"(film|movie|picture|one) (is|was|is simply|was simply) an? [\w-]+ (film|movie)\b", text
    ):
        return False
    if phenomenon == "word_order":
        return True
    counts = Counter(w for w in re.findall(r"[a-z'-]+", text.lower()) if len(w) > 3)
    return not any(n > 1 and w not in REPEATABLE for w, n in counts.items())


def one_or_two(writer: Writer, phenomenon: str, sign: int, rng: random.Random) -> list[tuple]:
    """Write a review, or for `word_order` a pair that differs in the order of its words."""
    writer.begin()
    if phenomenon != "word_order":
        text = decorate(writer.tidy(writer.expand("{" + phenomenon + "}", sign)), rng)
        return [(text, sign)]
    frame = rng.choice(writer.table["pair", 0])
    bound: dict[str, str] = {}
    for name in re.findall(r"{(\w+)}", frame):
        bound.setdefault(name, writer.name(name, sign))
    wraps = [wrap for wrap in writer.table["wrap", 0] if not ("?" in frame and "{PRE}" in wrap)]
    wrap = writer.expand(writer.pick(wraps).replace("{WO}", "@"), sign)
    style = rng.getrandbits(32)
    pair = []
    for side, label in zip(frame.split(" || "), (1, -1), strict=True):
        clause = re.sub(r"{(\w+)}", lambda hit: bound[hit[1]], side)
        text = decorate(writer.tidy(wrap.replace("@", clause)), random.Random(style))
        pair.append((text, label))
    return pair


def generate() -> dict[str, list[tuple[str, int, str]]]:
    """Write all reviews; return (text, label, phenomenon) by split."""
    rng = random.Random(SEED)
    table = read_frames(
        WORLD,
        CLAUSES,
        PLAIN,
        LONG,
        NEGATION,
        CONTRAST,
        THWARTED,
        COMPARISON,
        IRONY,
        NEUTRAL,
        WORD_ORDER,
    )
    writer = Writer(table, rng)
    owner: dict[str, str] = {}  # sentence -> the split that has it
    uses: Counter[str] = Counter()
    seen: set[str] = set()
    result: dict[str, list[tuple[str, int, str]]] = {split: [] for split in SIZES}
    for phenomenon, share in SHARES.items():
        open_slots = {
            (split, sign): size * share // 200 for split, size in SIZES.items() for sign in (1, -1)
        }
        while slots := [key for key, left in open_slots.items() if left]:
            # Drawn in proportion to what is missing, so that no split gets the first choice.
            split, sign = rng.choices(slots, [open_slots[key] for key in slots])[0]
            made = one_or_two(writer, phenomenon, sign, rng)
            parts = [sentence for text, _ in made for sentence in sentences(text)]
            if (
                any(text.lower() in seen or not reads_well(text, phenomenon) for text, _ in made)
                or any(owner.get(s, split) != split or uses[s] >= MOST_USES for s in parts)
                or len({text for text, _ in made}) < len(made)
            ):
                continue
            owner.update(dict.fromkeys(parts, split))
            uses.update(parts)
            for text, label in made:
                seen.add(text.lower())
                open_slots[split, label] -= 1
                result[split].append((text, int(label > 0), phenomenon))
    for rows in result.values():
        rng.shuffle(rows)
    return result


def as_tsv(rows: list[tuple[str, int, str]]) -> str:
    """Lay rows out as the file that is shipped."""
    body = [f"{text}\t{label}\t{phenomenon}\n" for text, label, phenomenon in rows]
    return "".join(["text\tlabel\tphenomenon\n", *body])


def main(arguments: list[str] | None = None) -> int:
    """Write or check the files; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if a file is stale"
    )
    check = parser.parse_args(arguments).check
    stale = 0
    for split, rows in generate().items():
        path, new = FOLDER / f"{split}.tsv", as_tsv(rows).encode()
        if not check:
            path.write_bytes(new)
            continue
        old = path.read_bytes() if path.exists() else b""
        if old != new:
            stale = 1
            was, now = old.decode(errors="replace").split("\n"), new.decode().split("\n")
            pairs = zip(was, now, strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            print(f"{path.name} is stale from line {same + 1} on; run data/reviews/generate.py.")
    return stale


if __name__ == "__main__":
    sys.exit(main())
