"""Count bags weighted by ln((1 + N) / (1 + df)); the cases have words in every text and in none."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from .common import draw_counts

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, d in ((1, 4), (3, 5), (int(rng.integers(4, 7)), int(rng.integers(6, 9)))):
        n_texts = int(rng.integers(20, 200))
        frequency = torch.from_numpy(rng.integers(1, n_texts, size=d))
        counts = draw_counts(rng, n, d) + torch.eye(n, d) * 2
        if n > 3:  # a very long text: float16 would round this count
            counts[0, 0] = 2 * int(rng.integers(1024, 1500)) + 1
        yield Case("values", [counts, frequency, n_texts])
    n_texts = int(rng.integers(20, 200))
    everywhere = torch.tensor([n_texts, n_texts // 2, 1])
    counts = draw_counts(rng, 2, 3) + 2
    title = "a word that is in every text has weight 0"
    # a difference of two logarithms is 0 up to rounding
    yield Case("edges", [counts, everywhere, n_texts], title=title, judge={"atol": 1e-5})
    never = torch.tensor([0, n_texts // 3, 0])
    yield Case("edges", [counts, never, n_texts], title="a word that is in no text")
    yield Case("edges", [torch.zeros(2, 3), never, n_texts], title="texts without known words")


FURTHER = """
The idf is one number per word, shape (|V|,), from `df` and `n_texts` alone; check it on paper for a
word with df = n_texts, where it is 0. Multiplied by `counts`, (M, |V|), it is broadcast over the rows.
"""

WRONG = {
    "uses_the_batch_size": """
        N is taken from the rows of `counts`. Use n_texts, the size of the training collection.

        - idf = torch.log((1 + n_texts) / (1 + df))
        + idf = torch.log((1 + len(counts)) / (1 + df))
        """,
    "counts_df_again": """
        df is counted again in `counts`. Use the given one: new texts must not change the weights.

        + df = (counts > 0).sum(dim=0)
          idf = torch.log((1 + n_texts) / (1 + df))
        """,
    "forgets_term_frequency": """
        The term frequency is missing: a word that occurs twice in a text weighs twice as much.

        - return counts * idf
        + return (counts > 0) * idf
        """,
    "does_not_smooth": """
        The 1 + in numerator and denominator is missing: a word that is in no text divides by 0.

        - idf = torch.log((1 + n_texts) / (1 + df))
        + idf = torch.log(n_texts / df)
        """,
    "inverts_the_fraction": """
        The weights have the wrong sign, as with the fraction upside down: rare words should weigh
        more than frequent ones.

        - idf = torch.log((1 + n_texts) / (1 + df))
        + idf = torch.log((1 + df) / (1 + n_texts))
        """,
    "has_another_base": """
        This is the logarithm to base 2. The formula's ln is the natural one, `torch.log`.

        - idf = torch.log((1 + n_texts) / (1 + df))
        + idf = torch.log2((1 + n_texts) / (1 + df))
        """,
    "adds_one_to_the_fraction": """
        The first 1 is added to the whole fraction. It belongs in the numerator, in parentheses:
        (1 + n_texts) / (1 + df).

        - idf = torch.log((1 + n_texts) / (1 + df))
        + idf = torch.log(1 + n_texts / (1 + df))
        """,
    "adds_one": """
        1 is added to every idf, as in scikit-learn. Here a word in every text has weight 0.

        - return counts * idf
        + return counts * (idf + 1)
        """,
    "divides_by_length": """
        The counts are divided by the text's length. Here the term frequency is the plain count.

        - return counts * idf
        + return counts / counts.sum(dim=1, keepdim=True).clamp(min=1) * idf
        """,
    "raises_zero_to_one": """
        Only a df of 0 is raised to 1, so no word divides by 0, but the 1 + in numerator and
        denominator is missing: it belongs to every word.

        - idf = torch.log((1 + n_texts) / (1 + df))
        + idf = torch.log(n_texts / df.clamp(min=1))
        """,
    "smooths_below_only": """
        The 1 is added to df, but not to N: a word that is in every text gets a negative weight
        instead of 0. Add 1 in the numerator as well.

        - idf = torch.log((1 + n_texts) / (1 + df))
        + idf = torch.log(n_texts / (1 + df))
        """,
    "forgets_the_logarithm": """
        The logarithm is missing: a word that is in every text should get ln 1 = 0, not 1.

        - idf = torch.log((1 + n_texts) / (1 + df))
        + idf = (1 + n_texts) / (1 + df)
        """,
    "dampens_the_counts": """
        The logarithm of the counts is taken too, as in another variant. Here the term frequency is
        the plain count; only the fraction is under the logarithm.

        - return counts * idf
        + return torch.log(1 + counts) * idf
        """,
    "has_base_ten": """
        This is the logarithm to base 10. The formula's ln is the natural one, to base e:
        `torch.log`.

        - idf = torch.log((1 + n_texts) / (1 + df))
        + idf = torch.log10((1 + n_texts) / (1 + df))
        """,
    "normalizes_the_rows": """
        Each row is divided by its length, as in scikit-learn. Here the products are left as they
        are.

        - return counts * idf
        + return torch.nn.functional.normalize(counts * idf, dim=1)
        """,
    "takes_one_plus_the_logarithm": """
        The term frequency is 1 + ln(count) here, another variant. In this formula it is the plain
        count; only the fraction is under the logarithm.

        - return counts * idf
        + return torch.where(counts > 0, 1 + counts.clamp(min=1).log(), 0.0) * idf
        """,
    "counts_both_again": """
        df and N are counted again in `counts`. Use the given ones, those of the training
        collection: new texts must not change the weights.

        - idf = torch.log((1 + n_texts) / (1 + df))
        + df = (counts > 0).sum(dim=0)
        + idf = torch.log((1 + len(counts)) / (1 + df))
        """,
}

RIGHT = {
    "loop": """
        def tfidf(counts, df, n_texts):
            result = counts.clone()
            for j, frequency in enumerate(df):
                result[:, j] *= torch.log((1 + n_texts) / (1 + frequency))
            return result
        """,
    "matrix": """
        def tfidf(counts, df, n_texts):
            return counts @ torch.diag(-torch.log((1 + df) / (1 + n_texts)))
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "the division gives floats in any case": """
         def tfidf(counts: torch.Tensor, df: torch.Tensor, n_texts: int) -> torch.Tensor:
        +    df = df.float()
             idf = torch.log((1 + n_texts) / (1 + df))
        """,
    "the weight of a single word broadcasts": """
        -    idf = torch.log((1 + n_texts) / (1 + df))
        +    idf = torch.log((1 + n_texts) / (1 + df)).squeeze()
        """,
}
