"""Three documents, and the postings of their words."""

from autograder.authoring.canvas import Canvas

_DOCUMENTS = (("a", "b", "a"), ("b",), ("c", "b"))


def draw() -> Canvas:
    canvas = Canvas(460, 170)
    canvas.text(72, 18, "documents", size=11)
    canvas.text(330, 18, "postings: (document, count)", size=11)
    for i, words in enumerate(_DOCUMENTS):
        y = 30 + 44 * i
        canvas.text(18, y + 14, str(i), size=11)
        for j, word in enumerate(words):
            canvas.box(32 + 36 * j, y, 32, 28, word, fill="blue")
    for i, word in enumerate("abc"):
        y = 30 + 44 * i
        canvas.box(200, y, 32, 28, word, fill="blue")
        found = [(n, words.count(word)) for n, words in enumerate(_DOCUMENTS) if word in words]
        for j, (number, count) in enumerate(found):
            canvas.box(246 + 66 * j, y, 58, 28, f"({number}, {count})", fill="orange")
    return canvas
