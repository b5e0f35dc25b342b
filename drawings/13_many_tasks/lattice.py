"""The lattice of three words and three labels, without the forbidden step from O to I."""

from autograder.authoring.canvas import Canvas

_WORDS = ("to", "Tallinn", "Chess")
_LABELS = ("O", "B", "I")
_BEST = ("O", "B", "I")


def draw() -> Canvas:
    canvas = Canvas(460, 210)
    place = {
        (t, label): (90 + 150 * t, 40 + 56 * k)
        for t in range(len(_WORDS))
        for k, label in enumerate(_LABELS)
    }
    for t in range(len(_WORDS) - 1):
        for before in _LABELS:
            for after in _LABELS:
                if (before, after) == ("O", "I") or (t == 0 and before == "I"):
                    continue
                (x, y), (u, v) = place[t, before], place[t + 1, after]
                best = (before, after) == (_BEST[t], _BEST[t + 1])
                color = "orange" if best else "gray"
                canvas.line((x + 16, y), (u - 16, v), color=color, head=best)
    for (t, label), (x, y) in place.items():
        gone = (t, label) == (0, "I")
        fill = "orange" if _BEST[t] == label else ("gray" if gone else "white")
        canvas.circle(x, y, 15, label, fill=fill)
    for t, word in enumerate(_WORDS):
        canvas.text(90 + 150 * t, 190, word, size=12)
    return canvas
