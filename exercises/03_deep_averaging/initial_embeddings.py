"""initial_embeddings: vectors numbered differently from the words; row 0 of the vectors matters."""

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import EXACT, normal

POINTS = {"values": 2, "edges": 1}

_WORDS = "a ! it bad fun great movie banana awesome hahaha reader referee enthralling".split()


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, n_words: int, n_known: int, n_others: int, k: int, title: str = ""
    ) -> Case:
        """Of n_words words n_known have a vector, as have n_others that are not in the list."""
        named = [str(w) for w in rng.permutation(_WORDS)]
        words, others = named[:n_words], named[n_words : n_words + n_others]
        known = [*words[:n_known], *others]  # so one of the words is in row 0, if any is known
        known[1:] = [str(w) for w in rng.permutation(known[1:])]
        words = ["<pad>", "<unk>", *(str(w) for w in rng.permutation(words))]
        index = {word: row for row, word in enumerate(known)}
        random = normal(rng, len(words), k)
        return Case(group, [words, index, normal(rng, len(known), k), random], title=title)

    yield case("values", 4, 2, 2, 2)
    yield case("values", 6, 4, 3, 3)
    yield case("values", int(rng.integers(7, 9)), 3, 4, 3)
    yield case("edges", 4, 0, 3, 2, "no word has a vector")
    yield case("edges", 5, 5, 0, 3, "every word has a vector")
    yield case("edges", 4, 2, 2, 1, "vectors of one number")
    words, index, _, random = case("edges", 3, 2, 2, 3).args
    padded = [words, {**index, "<pad>": len(index)}, normal(rng, len(index) + 1, 3), random]
    title = "there is a vector for <pad>, but the padding is zeros all the same"
    yield Case("edges", padded, title=title)
    words, index, matrix, random = case("edges", 4, 3, 1, 2).args
    title = "vectors in double precision, random numbers in float32"
    double = [words, index, matrix.double(), random]
    yield Case("edges", double, title=title, judge=EXACT)
    words, index, matrix, random = case("edges", 4, 3, 1, 2).args
    title = "random numbers in double precision, vectors in float32"
    yield Case("edges", [words, index, matrix, random.double()], title=title, judge=EXACT)


FURTHER = """
Start from a copy of `random`, set row 0 to zeros, and go through the words from number 1 on with
`enumerate`: if the word is in `index`, its row becomes the row of `matrix` that `index` names.
"""

WRONG = {
    "changes_random": """
        `random` itself is changed: the rows are written into it, directly or by a second name for the
        same tensor, as `R = random` makes one. Start from a copy: random.clone().

        - R = random.clone()
        + R = random
        """,
    "padding_is_random": """
        The row of the padding is not zeros. `words[0]` is no word, so its vector must not add
        anything.

        - R[0] = 0.0
        - for i, word in enumerate(words[1:], start=1):
        + for i, word in enumerate(words):
        """,
    "padding_gets_a_vector": """
        Where there is a vector for <pad>, it is copied into row 0. The row of the padding is
        always zeros: set it last, or start the loop at word 1.

        - for i, word in enumerate(words[1:], start=1):
        + for i, word in enumerate(words):
        """,
    "others_are_zeros": """
        Words without a vector get zeros, so they all start with the same vector. Give each its
        own row of `random`.

        - R = random.clone()
        + R = torch.zeros_like(random)
        """,
    "takes_row_i": """
        Row i of `matrix` is used for word i, but the two number their words differently. Look up
        the word's row with `index`.

        - R[i] = matrix[index[word]]
        + R[i] = matrix[i]
        """,
    "takes_row_i_as_far_as_it_goes": """
        Row i of `matrix` is used for word i, and a word whose number is beyond its end stays random.
        But the two number their words differently: look up the word's row with `index`.

        - if word in index:
        -     R[i] = matrix[index[word]]
        + if word in index and i < len(matrix):
        +     R[i] = matrix[i]
        """,
    "follows_the_matrix": """
        The vectors are written to the rows they have in `matrix`. The result follows `words`:
        row i belongs to words[i].

        - R[i] = matrix[index[word]]
        + R[index[word]] = matrix[index[word]]
        """,
    "loses_the_first_vector": """
        The word whose vector is in row 0 gets a random one: the row 0 counts as False in an
        `if`. Ask whether the word is `in index`.

        - if word in index:
        + if index.get(word):
        """,
    "takes_dtype_of_vectors": """
        The result has the dtype of `matrix`. It should have that of `random`: stored vectors may
        have another precision than the model.

        - R = random.clone()
        + R = random.clone().to(matrix.dtype)
        """,
    "zeros_the_next_vector": """
        The vectors are written to the rows they have in `matrix`, and row 0 is set to zeros
        afterwards, with a word's vector in it. The result follows `words`: row i is for words[i].

        def initial_embeddings(words, index, matrix, random):
            R = random.clone()
            for word in words:
                if word in index:
                    R[index[word]] = matrix[index[word]]
            R[0] = 0.0
            return R
        """,
    "unknown_is_zeros": """
        Row 1, the unknown word, is zeros. Only the padding, row 0, is; the unknown word has no
        vector and keeps its row of `random`, like any other word without one.

        - R[0] = 0.0
        + R[:2] = 0.0
        """,
    "counts_the_random_rows": """
        The rows of `random` are used up one after the other. Row i of `random` is for word i, so a
        word without a vector gets the row of its own number.

        - R = random.clone()
        - R[0] = 0.0
        + R = torch.zeros_like(random)
        + used = 0
          for i, word in enumerate(words[1:], start=1):
              if word in index:
                  R[i] = matrix[index[word]]
        +     else:
        +         R[i] = random[used]
        +         used += 1
        """,
    "looks_up_every_word": """
        A word without a vector raises a KeyError: `index` has no row for it. Ask first whether the
        word is `in index`; if it is not, its row of `random` stays.

        raises KeyError

        - if word in index:
        -     R[i] = matrix[index[word]]
        + R[i] = matrix[index[word]]
        """,
    "always_float32": """
        The result is float32 whatever comes in. It should have the dtype of `random`.

        - R = random.clone()
        + R = random.float().clone()
        """,
}

RIGHT = {
    "stack": """
        def initial_embeddings(words, index, matrix, random):
            rows = [
                matrix[index[word]].to(random.dtype) if word in index else random[i]
                for i, word in enumerate(words)
            ]
            return torch.stack([torch.zeros_like(random[0]), *rows[1:]])
        """,
    "where": """
        def initial_embeddings(words, index, matrix, random):
            rows = torch.tensor([index.get(word, -1) for word in words])
            known = (rows >= 0)[:, None]
            R = torch.where(known, matrix[rows.clamp(min=0)].to(random.dtype), random)
            return R * (torch.arange(len(words)) > 0)[:, None]
        """,
}

EQUIVALENT = {
    "Assigning a row converts it to the dtype of `random`.": """
          ) -> torch.Tensor:
        +     matrix = matrix.float()
              R = random.clone()

          ) -> torch.Tensor:
        +     matrix = matrix.double()
              R = random.clone()
        """,
    "words[1] is the unknown word, which has no vector.": """
        - for i, word in enumerate(words[1:], start=1):
        + for i, word in list(enumerate(words[1:], start=1))[1:]:
        """,
    "Each word has a row of its own.": """
        - for i, word in enumerate(words[1:], start=1):
        + for i, word in list(enumerate(words[1:], start=1))[::-1]:
        """,
    "A row of one number can be assigned as a number.": """
        - R[i] = matrix[index[word]]
        + R[i] = matrix[index[word]].squeeze()
        """,
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "The vocabulary has its padding, and there are vectors: neither is empty.": "every edit: constant corner",
}
