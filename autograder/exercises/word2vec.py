"""Cases and misconceptions of 02_word2vec."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import torch
import torch.nn.functional as F

from autograder.course.exercise import Case, Exercise

_EXACT = {"dtype": "exact"}
_WORDS = (
    "king queen man woman film banana where walk walked by a great driver exceeded speed limit"
    " riveting movie interlink dog barked audio"
).split()


def _normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.normal(scale=scale, size=shape), dtype=np.float32))


def _some_words(rng: np.random.Generator, n: int) -> list[str]:
    return [str(word) for word in rng.choice(_WORDS, size=n, replace=False)]


# 1. skip_gram_pairs and 2. cbow_examples ------------------------------------------------------


def _window_cases(rng: np.random.Generator, judge: dict[str, str]) -> Iterator[Case]:
    def text(n: int) -> list[int]:
        """Different words; a number that says nothing about the place."""
        return [int(i) for i in rng.choice(np.arange(1, 30), size=n, replace=False)]

    for n, window in ((5, 1), (7, 2), (int(rng.integers(8, 11)), 3)):
        yield Case("values", [text(n), window], judge=judge)
    a, b, c = text(3)
    title = "the same word several times within a window"
    yield Case("values", [[a, b, a, a, c, b], 2], title=title, judge=judge)
    yield Case("edges", [text(3), 6], title="the window is longer than the text", judge=judge)
    only = [int(rng.integers(1, 30))]
    yield Case("edges", [only, 2], title="a text of one word", judge=judge)
    yield Case("edges", [[], 2], title="an empty text", judge=judge)


skip_gram_pairs = Exercise(
    "skip_gram_pairs",
    points={"values": 2, "edges": 1},
    cases=lambda rng: _window_cases(rng, _EXACT),
)


@skip_gram_pairs.misconception(
    "A neighbor is missing where it is the same word as the center. Leave out the center's place,"
    " not its number: another `the` nearby is a context word."
)
def leaves_out_equal_words(ids, window):
    pairs = [
        (ids[i], ids[j])
        for i in range(len(ids))
        for j in range(max(0, i - window), min(len(ids), i + window + 1))
        if ids[i] != ids[j]
    ]
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


@skip_gram_pairs.misconception(
    "The first column should hold the center, the second the context word. Yours are swapped, so"
    " the pairs also come in another order."
)
def context_first(ids, window):
    pairs = [
        (ids[j], ids[i])
        for i in range(len(ids))
        for j in range(max(0, i - window), min(len(ids), i + window + 1))
        if i != j
    ]
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


@skip_gram_pairs.misconception(
    "Only the words to the right of the center are there. A window reaches to both sides."
)
def only_to_the_right(ids, window):
    pairs = [(a, b) for i, a in enumerate(ids) for b in ids[i + 1 : i + 1 + window]]
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


@skip_gram_pairs.misconception(
    "The last place that the window reaches is missing on the right: the end of a slice or a range"
    " is not included."
)
def one_too_few_on_the_right(ids, window):
    pairs = [
        (ids[i], ids[j])
        for i in range(len(ids))
        for j in range(max(0, i - window), min(len(ids), i + window))
        if i != j
    ]
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


@skip_gram_pairs.misconception(
    "The left neighbors of the first words are lost: a slice whose start is negative counts from the"
    " end of the list. Let it start at 0 at the earliest."
)
def negative_start(ids, window):
    pairs = []
    for i, center in enumerate(ids):
        pairs += [(center, b) for b in ids[i - window : i] + ids[i + 1 : i + 1 + window]]
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


@skip_gram_pairs.misconception(
    "Words at the end are neighbors of words at the beginning: a negative index counts from the end"
    " of the list. The window is cut off at the edges."
)
def goes_around(ids, window):
    pairs = [
        (ids[i], ids[i + d])
        for i in range(len(ids))
        for d in range(-window, window + 1)
        if d != 0 and -len(ids) <= i + d < len(ids)
    ]
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


@skip_gram_pairs.misconception(
    "Each word is paired with itself too. The center is not its own context word."
)
def pairs_with_itself(ids, window):
    pairs = [
        (ids[i], ids[j])
        for i in range(len(ids))
        for j in range(max(0, i - window), min(len(ids), i + window + 1))
    ]
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


@skip_gram_pairs.misconception(
    "Only centers whose whole window fits into the text have pairs. At the edges the window is cut"
    " off, and what is left of it counts."
)
def only_whole_windows(ids, window):
    pairs = [
        (ids[i], ids[j])
        for i in range(window, len(ids) - window)
        for j in range(i - window, i + window + 1)
        if i != j
    ]
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


@skip_gram_pairs.misconception(
    "All pairs are there, but not in the order asked for: the centers in the order of the text, and"
    " for each one its context words from left to right."
)
def both_directions_at_once(ids, window):
    pairs = []
    for i in range(len(ids)):
        for j in range(i + 1, min(len(ids), i + window + 1)):
            pairs += [(ids[i], ids[j]), (ids[j], ids[i])]
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


@skip_gram_pairs.misconception(
    "When there are no pairs, `torch.tensor([])` has the shape (0,) and holds real numbers. Give it"
    " two columns and whole numbers here too."
)
def nothing_has_no_columns(ids, window):
    pairs = [
        (ids[i], ids[j])
        for i in range(len(ids))
        for j in range(max(0, i - window), min(len(ids), i + window + 1))
        if i != j
    ]
    return torch.tensor(pairs)


@skip_gram_pairs.misconception(
    "When there are no pairs, torch cannot see that whole numbers were meant, and makes an empty"
    " tensor of real ones. Say which type you want."
)
def nothing_is_real_numbers(ids, window):
    pairs = [
        (ids[i], ids[j])
        for i in range(len(ids))
        for j in range(max(0, i - window), min(len(ids), i + window + 1))
        if i != j
    ]
    return torch.tensor(pairs).reshape(-1, 2)


@skip_gram_pairs.misconception(
    "The pairs of a word that comes several times are gathered in one place. Go through the text"
    " place by place: each place is a center of its own."
)
def pairs_grouped_by_word(ids, window):
    found = {}
    for i, center in enumerate(ids):
        right = ids[i + 1 : i + 1 + window]
        found.setdefault(center, []).extend(ids[max(0, i - window) : i] + right)
    pairs = [(center, context) for center, contexts in found.items() for context in contexts]
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


@skip_gram_pairs.alternative
def skip_gram_pairs_by_distance(ids, window):
    rows = []
    for i in range(len(ids)):
        for d in range(-window, window + 1):
            if d and 0 <= i + d < len(ids):
                rows.append([ids[i], ids[i + d]])
    return torch.tensor(rows, dtype=torch.int64) if rows else torch.empty(0, 2, dtype=torch.int64)


@skip_gram_pairs.alternative
def skip_gram_pairs_by_mask(ids, window):
    words, place = torch.tensor(ids, dtype=torch.long), torch.arange(len(ids))
    distance = (place[:, None] - place).abs()
    i, j = torch.nonzero((distance > 0) & (distance <= window), as_tuple=True)
    return torch.stack([words[i], words[j]], dim=1)


cbow_examples = Exercise(
    "cbow_examples", points={"values": 2, "edges": 1}, cases=lambda rng: _window_cases(rng, {})
)


@cbow_examples.misconception(
    "The word to be guessed is among its own context words. Then there is nothing left to guess."
)
def context_holds_the_center(ids, window):
    found = [(ids[max(0, i - window) : i + window + 1], ids[i]) for i in range(len(ids))]
    return found if len(ids) > 1 else []


@cbow_examples.misconception("Each tuple should start with the context words; the center is last.")
def center_first(ids, window):
    found = [
        (ids[i], ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]) for i in range(len(ids))
    ]
    return found if len(ids) > 1 else []


@cbow_examples.misconception(
    "A text of one word has no neighbor to guess from, so it gives no example."
)
def keeps_the_lonely_word(ids, window):
    return [
        (ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window], ids[i]) for i in range(len(ids))
    ]


@cbow_examples.misconception(
    "The left neighbors of the first words are lost: a slice whose start is negative counts from the"
    " end of the list. Let it start at 0 at the earliest."
)
def cbow_negative_start(ids, window):
    found = [(ids[i - window : i] + ids[i + 1 : i + 1 + window], ids[i]) for i in range(len(ids))]
    return [(context, center) for context, center in found if context]


@cbow_examples.misconception(
    "Only words whose whole window fits into the text are guessed. At the edges the window is cut"
    " off, and what is left of it counts."
)
def cbow_only_whole_windows(ids, window):
    return [
        (ids[i - window : i] + ids[i + 1 : i + 1 + window], ids[i])
        for i in range(window, len(ids) - window)
    ]


@cbow_examples.misconception(
    "A context word that comes twice is listed once, or left out where it is the same word as the"
    " center. The list has an entry for every place of the window."
)
def each_word_once(ids, window):
    found = []
    for i, center in enumerate(ids):
        context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        context = [w for w in dict.fromkeys(context) if w != center]
        if context:
            found.append((context, center))
    return found


@cbow_examples.misconception(
    "A context word is left out where it is the same word as the center. Leave out the center's"
    " place, not its number."
)
def cbow_leaves_out_equal_words(ids, window):
    found = []
    for i, center in enumerate(ids):
        context = [w for w in ids[max(0, i - window) : i + window + 1] if w != center]
        if context:
            found.append((context, center))
    return found


@cbow_examples.misconception(
    "This has an example for every pair. In CBOW all context words of a center make one example"
    " together."
)
def one_example_per_pair(ids, window):
    return [
        ([word], center)
        for i, center in enumerate(ids)
        for word in ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
    ]


@cbow_examples.misconception(
    "The context words are there, but not from left to right as they stand in the text."
)
def nearest_first(ids, window):
    found = []
    for i, center in enumerate(ids):
        context = []
        for d in range(1, window + 1):
            context += ids[i - d : i - d + 1] if i - d >= 0 else []
            context += ids[i + d : i + d + 1]
        if context:
            found.append((context, center))
    return found


@cbow_examples.misconception(
    "A word that comes several times has only one example, with all its context words together. Each"
    " place of the text is an example of its own."
)
def grouped_by_word(ids, window):
    found = {}
    for i, center in enumerate(ids):
        right = ids[i + 1 : i + 1 + window]
        found.setdefault(center, []).extend(ids[max(0, i - window) : i] + right)
    return [(context, center) for center, context in found.items() if context]


@cbow_examples.misconception(
    "Where a word comes again, its first example is gone: a dictionary keeps one entry for each"
    " word. Each place of the text is an example of its own."
)
def last_example_of_a_word(ids, window):
    found = {}
    for i, center in enumerate(ids):
        found[center] = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
    return [(context, center) for center, context in found.items() if context]


@cbow_examples.alternative
def cbow_examples_places(ids, window):
    examples = []
    for i in range(len(ids)):
        places = [j for j in range(i - window, i + window + 1) if 0 <= j < len(ids) and j != i]
        if places:
            examples.append(([ids[j] for j in places], ids[i]))
    return examples


@cbow_examples.alternative
def cbow_examples_pop(ids, window):
    if len(ids) < 2:
        return []
    examples = []
    for i, center in enumerate(ids):
        first = max(0, i - window)
        context = list(ids[first : i + window + 1])
        context.pop(i - first)
        examples.append((context, center))
    return examples


# 3. softmax_loss and 4. softmax_gradients -----------------------------------------------------


def _softmax_cases(rng: np.random.Generator) -> Iterator[Case]:
    def pair(D: int, K: int, scale: float = 1.0) -> list:
        return [_normal(rng, K, scale=scale), _normal(rng, D, K), int(rng.integers(D))]

    yield Case("values", pair(3, 2), judge=_EXACT)
    yield Case("values", pair(6, 4), judge=_EXACT)
    yield Case("values", pair(int(rng.integers(8, 12)), 5), judge=_EXACT)
    v_c, U, o = pair(5, 3)
    title = "a matrix that is not contiguous"
    yield Case("values", [v_c, U.T.contiguous().mT, o], title=title, judge=_EXACT)
    yield Case("values", pair(1, 3), title="a single word: it is certain", judge=_EXACT)
    v_c, _, o = pair(4, 3)
    U = _normal(rng, 4, 3, scale=0.1)
    U[o] += v_c * 1000 / (v_c @ v_c)
    title = "the true word has a score near 1000"
    yield Case("stability", [v_c, U, o], title=title, judge=_EXACT)
    yield Case("stability", [v_c, U, (o + 1) % 4], title="another word has a score near 1000")
    v_c, U, o = pair(5, 4)
    U[(o + 1) % 5] += v_c * 14 / (v_c @ v_c)
    half = [v_c.half(), U.half(), o]
    yield Case("stability", half, title="half precision, scores up to about 14", judge=_EXACT)


softmax_loss = Exercise("softmax_loss", points={"values": 2, "stability": 2}, cases=_softmax_cases)


@softmax_loss.misconception(
    "This overflows: exp of a large score is infinity. Take the largest score out before exp, as in"
    " the second form of the formula."
)
def naive_softmax(v_c, U, o):
    powers = torch.exp(U @ v_c)
    return -torch.log(powers[o] / powers.sum())


@softmax_loss.misconception(
    "The sum of the exponentials overflows: exp of a large score is infinity, and so is its"
    " logarithm. Take the largest score out before exp and add it back after the logarithm."
)
def log_of_the_naive_sum(v_c, U, o):
    scores = U @ v_c
    return torch.log(torch.exp(scores).sum()) - scores[o]


@softmax_loss.misconception(
    "An unlikely word gets the probability 0 after rounding, and the logarithm of 0 is minus"
    " infinity. Do not go through the probability: start from the scores."
)
def log_of_the_softmax(v_c, U, o):
    return -torch.log(torch.softmax(U @ v_c, dim=0)[o])


@softmax_loss.misconception(
    "A small number added inside the logarithm hides how wrong the model is: the loss of a very"
    " unlikely word stops growing, and all others are a little off."
)
def small_number_in_the_log(v_c, U, o):
    return -torch.log(torch.softmax(U @ v_c, dim=0)[o] + 1e-4)


@softmax_loss.misconception("This is ln p, which is negative. The loss is -ln p.")
def without_the_minus(v_c, U, o):
    return torch.log_softmax(U @ v_c, dim=0)[o]


@softmax_loss.misconception(
    "This is ln p, which is negative. The loss is -ln p. (Afterwards look at large scores: exp of"
    " them is infinity.)"
)
def naive_without_the_minus(v_c, U, o):
    powers = torch.exp(U @ v_c)
    return torch.log(powers[o] / powers.sum())


@softmax_loss.misconception(
    "This is the probability of the true word. The loss is minus its logarithm."
)
def probability_not_loss(v_c, U, o):
    return torch.softmax(U @ v_c, dim=0)[o]


@softmax_loss.misconception(
    "The largest score is taken out of the exponents, but not added back after the logarithm."
)
def does_not_add_back(v_c, U, o):
    scores = U @ v_c
    return torch.log(torch.exp(scores - scores.max()).sum()) - scores[o]


@softmax_loss.misconception(
    "The sum runs over all words but the true one. The true word is one of the D words and belongs"
    " into the sum as well."
)
def sum_without_the_true_word(v_c, U, o):
    scores = U @ v_c
    others = torch.cat([scores[:o], scores[o + 1 :]])
    return torch.logsumexp(others, dim=0) - scores[o]


@softmax_loss.misconception(
    "This is the loss averaged over all D words. Only the true word o counts."
)
def mean_over_all_words(v_c, U, o):
    return -torch.log_softmax(U @ v_c, dim=0).mean()


@softmax_loss.misconception(
    "The loss should keep the precision of its inputs; yours comes back as float32."
)
def softmax_always_float32(v_c, U, o):
    scores = (U @ v_c).float()
    return torch.logsumexp(scores, dim=0) - scores[o]


@softmax_loss.alternative
def softmax_loss_by_hand(v_c, U, o):
    scores = (U * v_c).sum(dim=1)
    m = scores.max()
    return m + torch.log(torch.exp(scores - m).sum()) - scores[o]


@softmax_loss.alternative
def softmax_loss_cross_entropy(v_c, U, o):
    scores = torch.einsum("dk,k->d", U.float(), v_c.float())
    return F.cross_entropy(scores[None], torch.tensor([o])).to(v_c.dtype)


softmax_gradients = Exercise(
    "softmax_gradients", points={"values": 3, "stability": 1}, cases=_softmax_cases
)


@softmax_gradients.misconception(
    "Both have the wrong sign. The error is probability minus truth, p - y."
)
def truth_minus_probability(v_c, U, o):
    errors = -torch.softmax(U @ v_c, dim=0)
    errors[o] += 1
    return U.T @ errors, errors[:, None] * v_c


@softmax_gradients.misconception(
    "The true word is treated like all others. Its error is p - 1: it is the one that y is 1 for."
)
def forgets_the_truth(v_c, U, o):
    p = torch.softmax(U @ v_c, dim=0)
    return U.T @ p, p[:, None] * v_c


@softmax_gradients.misconception(
    "Only the row of the true word has a gradient in yours. Every word's probability is in the"
    " denominator, so every row moves."
)
def only_the_true_row(v_c, U, o):
    errors = torch.softmax(U @ v_c, dim=0)
    errors[o] -= 1
    for_U = torch.zeros_like(U)
    for_U[o] = errors[o] * v_c
    return U.T @ errors, for_U


@softmax_gradients.misconception(
    "The gradient for U should be shaped like U: (D, K), a row for each word."
)
def transposed_table(v_c, U, o):
    errors = torch.softmax(U @ v_c, dim=0)
    errors[o] -= 1
    return U.T @ errors, v_c[:, None] * errors


@softmax_gradients.misconception(
    "The two gradients come in the other order: first the one for v_c, then the one for U."
)
def softmax_gradients_swapped(v_c, U, o):
    errors = torch.softmax(U @ v_c, dim=0)
    errors[o] -= 1
    return errors[:, None] * v_c, U.T @ errors


@softmax_gradients.misconception(
    "exp of a large score is infinity, and infinity divided by infinity is NaN. Take the largest"
    " score out of the exponents; the probabilities stay the same."
)
def naive_probabilities(v_c, U, o):
    powers = torch.exp(U @ v_c)
    errors = powers / powers.sum()
    errors[o] -= 1
    return U.T @ errors, errors[:, None] * v_c


@softmax_gradients.misconception(
    "The gradient for v_c holds only the true word. All words pull on v_c: each row of U counts with"
    " its error."
)
def only_the_true_word_pulls(v_c, U, o):
    errors = torch.softmax(U @ v_c, dim=0)
    errors[o] -= 1
    return errors[o] * U[o], errors[:, None] * v_c


@softmax_gradients.misconception(
    "Both are divided by D. The loss belongs to one pair; its gradient is a sum over the words, not"
    " a mean."
)
def divided_by_the_words(v_c, U, o):
    errors = torch.softmax(U @ v_c, dim=0) / len(U)
    errors[o] -= 1 / len(U)
    return U.T @ errors, errors[:, None] * v_c


@softmax_gradients.misconception(
    "In the gradient for U the errors are multiplied by the rows of U. The other factor of the score"
    " is v_c, the same for every row."
)
def errors_times_own_rows(v_c, U, o):
    errors = torch.softmax(U @ v_c, dim=0)
    errors[o] -= 1
    return U.T @ errors, errors[:, None] * U


@softmax_gradients.misconception(
    "The errors come from a sigmoid of each score. Here the words share one softmax: their"
    " probabilities add up to 1."
)
def sigmoid_in_place_of_softmax(v_c, U, o):
    errors = torch.sigmoid(U @ v_c)
    errors[o] -= 1
    return U.T @ errors, errors[:, None] * v_c


@softmax_gradients.misconception(
    "The gradients should keep the precision of their inputs; yours come back as float32."
)
def softmax_gradients_always_float32(v_c, U, o):
    v_c, U = v_c.float(), U.float()
    errors = torch.softmax(U @ v_c, dim=0)
    errors[o] -= 1
    return U.T @ errors, errors[:, None] * v_c


@softmax_gradients.misconception(
    "Half precision stops the function: the vector of the truth is made in float32, and a product of"
    " two precisions is not defined. Make it in the precision of v_c."
)
def truth_in_float32(v_c, U, o):
    y = torch.zeros(len(U))
    y[o] = 1
    errors = torch.softmax(U @ v_c, dim=0) - y
    return U.T @ errors, errors[:, None] * v_c


@softmax_gradients.alternative
def softmax_gradients_autograd(v_c, U, o):
    v, W = v_c.detach().float().requires_grad_(), U.detach().float().requires_grad_()
    F.cross_entropy((W @ v)[None], torch.tensor([o])).backward()
    return v.grad.to(v_c.dtype), W.grad.to(U.dtype)


@softmax_gradients.alternative
def softmax_gradients_one_hot(v_c, U, o):
    scores = U @ v_c
    powers = torch.exp(scores - scores.max())
    y = F.one_hot(torch.tensor(o), len(U)).to(v_c.dtype)
    errors = powers / powers.sum() - y
    return (errors[:, None] * U).sum(dim=0), torch.outer(errors, v_c)


# 5. noise_distribution ------------------------------------------------------------------------


def _counts(rng: np.random.Generator, n: int, low: int = 1, high: int = 5000) -> torch.Tensor:
    """Falling by about a power law, all different, with none the same as another."""
    return torch.from_numpy(np.sort(rng.choice(np.arange(low, high), n, replace=False))[::-1] + 0)


def _noise_cases(rng: np.random.Generator) -> Iterator[Case]:
    rules = {**_EXACT, "properties": {"sums_to_one": 0, "at_least": 0}}
    yield Case("values", [_counts(rng, 3)], judge=rules)
    yield Case("values", [_counts(rng, int(rng.integers(5, 9)))], judge=rules)
    for power in (1.0, round(float(rng.uniform(0.3, 0.6)), 2)):
        yield Case("values", [_counts(rng, 4)], {"power": power}, judge=rules)
    spare = torch.cat([_counts(rng, 3), torch.zeros(2, dtype=torch.long)])
    title = "power 0: all words that occur are equally likely"
    yield Case("edges", [spare], {"power": 0.0}, title=title, judge=rules)
    yield Case("edges", [spare], title="some words never occur", judge=rules)
    none = torch.zeros(int(rng.integers(2, 5)), dtype=torch.long)
    yield Case("edges", [none], title="no word occurs at all", judge=_EXACT)


noise_distribution = Exercise(
    "noise_distribution", points={"values": 2, "edges": 1}, cases=_noise_cases
)


@noise_distribution.misconception(
    "These do not sum to 1. Divide the powers by the sum of the powers."
)
def powers_only(counts, power=0.75):
    return torch.where(counts > 0, counts.float() ** power, 0.0)


@noise_distribution.misconception(
    "The shares are raised to the power, and then they no longer sum to 1. Normalize after the"
    " power, not before."
)
def normalized_too_early(counts, power=0.75):
    share = counts / counts.sum().clamp(min=1)
    return torch.where(counts > 0, share**power, 0.0)


@noise_distribution.misconception(
    "The argument `power` plays no part: every distribution uses 0.75."
)
def always_three_quarters(counts, power=0.75):
    powers = counts.float() ** 0.75
    return powers / powers.sum() if powers.any() else powers


@noise_distribution.misconception(
    "Words are drawn as often as they occur. Raise the counts to the power first."
)
def as_often_as_they_occur(counts, power=0.75):
    return counts / counts.sum().clamp(min=1)


@noise_distribution.misconception(
    "A word that never occurs is drawn when the power is 0, because 0 to the power of 0 is 1. Set"
    " the probability of such words to 0 yourself."
)
def zero_to_the_zero(counts, power=0.75):
    powers = counts.float() ** power
    return powers / powers.sum() if counts.any() else torch.zeros(len(counts))


@noise_distribution.misconception(
    "When no word occurs, the sum is 0 and 0 / 0 is NaN. Then all probabilities are 0."
)
def nothing_is_nan(counts, power=0.75):
    powers = torch.where(counts > 0, counts.float() ** power, 0.0)
    return powers / powers.sum()


@noise_distribution.misconception(
    "This is a softmax, which takes exp of what you give it. Here each power is divided by their"
    " sum."
)
def softmax_of_powers(counts, power=0.75):
    return torch.softmax(counts.float() ** power, dim=0)


@noise_distribution.alternative
def noise_distribution_loop(counts, power=0.75):
    powers = [n**power if n else 0.0 for n in counts.tolist()]
    total = sum(powers)
    return torch.tensor([p / total if total else 0.0 for p in powers])


@noise_distribution.alternative
def noise_distribution_numpy(counts, power=0.75):
    powers = np.power(counts.numpy().astype(np.float64), power) * (counts.numpy() > 0)
    return torch.from_numpy((powers / max(powers.sum(), 1e-300)).astype(np.float32))


# 6. negative_sampling_loss and 7. negative_sampling_gradients ---------------------------------


def _sampling_cases(rng: np.random.Generator) -> Iterator[Case]:
    def pair(K: int, k: int) -> list[torch.Tensor]:
        return [_normal(rng, K), _normal(rng, K), _normal(rng, k, K)]

    yield Case("values", pair(2, 2), judge=_EXACT)
    yield Case("values", pair(5, 3), judge=_EXACT)
    yield Case("values", pair(int(rng.integers(6, 9)), 5), judge=_EXACT)
    v_c, u_o, U_neg = pair(4, 3)
    title = "negatives that are not contiguous"
    yield Case("values", [v_c, u_o, U_neg.T.contiguous().mT], title=title, judge=_EXACT)
    yield Case("edges", pair(3, 0), title="no negatives", judge=_EXACT)
    v_c, u_o, U_neg = pair(3, 2)
    far = v_c * 1000 / (v_c @ v_c)
    title = "the true word has a score near -1000"
    yield Case("edges", [v_c, -far, U_neg.clone()], title=title, judge=_EXACT)
    U_neg[0] = far
    title = "a negative has a score near 1000"
    yield Case("edges", [v_c, u_o, U_neg], title=title, judge=_EXACT)
    v_c, u_o, U_neg = pair(4, 3)
    u_o, U_neg[1] = v_c * -14 / (v_c @ v_c), v_c * 15 / (v_c @ v_c)
    half = [v_c.half(), u_o.half(), U_neg.half()]
    yield Case("edges", half, title="half precision, scores up to about 15", judge=_EXACT)


negative_sampling_loss = Exercise(
    "negative_sampling_loss", points={"values": 2, "edges": 2}, cases=_sampling_cases
)


@negative_sampling_loss.misconception(
    "The negatives count as real pairs: the minus inside their sigmoid is missing."
)
def negatives_as_real_pairs(v_c, u_o, U_neg):
    return -F.logsigmoid(u_o @ v_c) - F.logsigmoid(U_neg @ v_c).sum()


@negative_sampling_loss.misconception(
    "This overflows where the model is very wrong: the sigmoid is rounded to 0, and its logarithm is"
    " minus infinity. Use the form that starts from the score."
)
def log_of_the_sigmoid(v_c, u_o, U_neg):
    return -torch.log(torch.sigmoid(u_o @ v_c)) - torch.log(torch.sigmoid(-(U_neg @ v_c))).sum()


@negative_sampling_loss.misconception(
    "Where a negative has a large score, 1 - sigmoid is rounded to 0, and its logarithm is minus"
    " infinity. 1 - sigma(s) is sigma(-s): use the form that starts from the score."
)
def log_of_one_minus(v_c, u_o, U_neg):
    return -F.logsigmoid(u_o @ v_c) - torch.log(1 - torch.sigmoid(U_neg @ v_c)).sum()


@negative_sampling_loss.misconception(
    "exp of a large number is infinity, also inside a sigmoid that you write yourself. Use the form"
    " in which exp only sees numbers that are not positive."
)
def log_of_one_plus_exp(v_c, u_o, U_neg):
    return torch.log(1 + torch.exp(-(u_o @ v_c))) + torch.log(1 + torch.exp(U_neg @ v_c)).sum()


@negative_sampling_loss.misconception(
    "The negatives are averaged. Their losses are added up; with no negatives the sum is 0."
)
def mean_of_the_negatives(v_c, u_o, U_neg):
    return -F.logsigmoid(u_o @ v_c) - F.logsigmoid(-(U_neg @ v_c)).mean()


@negative_sampling_loss.misconception(
    "The sign is wrong: a loss is small when the model is right, and never below 0."
)
def log_likelihood(v_c, u_o, U_neg):
    return F.logsigmoid(u_o @ v_c) + F.logsigmoid(-(U_neg @ v_c)).sum()


@negative_sampling_loss.misconception(
    "The sign of the negatives' part is wrong. A logarithm of a sigmoid is never above 0; it is"
    " subtracted for the negatives too, so that each of them makes the loss larger."
)
def plus_before_the_sum(v_c, u_o, U_neg):
    return -F.logsigmoid(u_o @ v_c) + F.logsigmoid(-(U_neg @ v_c)).sum()


@negative_sampling_loss.misconception(
    "The sign of the negatives' part is wrong: it is subtracted too, so that each of them makes the"
    " loss larger. (Afterwards look at large scores: the logarithm of 0 is minus infinity.)"
)
def naive_plus_before_the_sum(v_c, u_o, U_neg):
    return -torch.log(torch.sigmoid(u_o @ v_c)) + torch.log(torch.sigmoid(-(U_neg @ v_c))).sum()


@negative_sampling_loss.misconception(
    "The sign of the true word's part is wrong: the loss has -ln of its sigmoid, which is never"
    " below 0."
)
def minus_of_the_true_word_missing(v_c, u_o, U_neg):
    return F.logsigmoid(u_o @ v_c) - F.logsigmoid(-(U_neg @ v_c)).sum()


@negative_sampling_loss.misconception(
    "The sign is wrong: a loss is small when the model is right, and never below 0. (Afterwards look"
    " at large scores: the logarithm of 0 is minus infinity.)"
)
def naive_log_likelihood(v_c, u_o, U_neg):
    return torch.log(torch.sigmoid(u_o @ v_c)) + torch.log(torch.sigmoid(-(U_neg @ v_c))).sum()


@negative_sampling_loss.misconception(
    "The negatives count as real pairs: the minus inside their sigmoid is missing. (Afterwards look"
    " at large scores: the logarithm of 0 is minus infinity.)"
)
def naive_negatives_as_real_pairs(v_c, u_o, U_neg):
    return -torch.log(torch.sigmoid(u_o @ v_c)) - torch.log(torch.sigmoid(U_neg @ v_c)).sum()


@negative_sampling_loss.misconception(
    "Each negative has a loss of its own in yours. Add them up: the loss of a pair is one number, of"
    " shape ()."
)
def negatives_not_added_up(v_c, u_o, U_neg):
    return -F.logsigmoid(u_o @ v_c) - F.logsigmoid(-(U_neg @ v_c))


@negative_sampling_loss.misconception(
    "The scores of the negatives are added up before the sigmoid. Each negative is a logistic"
    " regression of its own: first the logarithm of its sigmoid, then the sum."
)
def one_sigmoid_for_all(v_c, u_o, U_neg):
    return -F.logsigmoid(u_o @ v_c) - F.logsigmoid(-(U_neg @ v_c).sum())


@negative_sampling_loss.misconception(
    "This is a softmax over the true word and the negatives. Negative sampling asks of each pair by"
    " itself whether it is real, with a sigmoid."
)
def softmax_over_the_drawn(v_c, u_o, U_neg):
    scores = torch.cat([(u_o @ v_c)[None], U_neg @ v_c])
    return torch.logsumexp(scores, dim=0) - scores[0]


@negative_sampling_loss.misconception("The negatives play no part in the loss.")
def only_the_real_pair(v_c, u_o, U_neg):
    return -F.logsigmoid(u_o @ v_c)


@negative_sampling_loss.misconception(
    "The loss should keep the precision of its inputs; yours comes back as float32."
)
def sampling_always_float32(v_c, u_o, U_neg):
    v_c, u_o, U_neg = v_c.float(), u_o.float(), U_neg.float()
    return -F.logsigmoid(u_o @ v_c) - F.logsigmoid(-(U_neg @ v_c)).sum()


@negative_sampling_loss.alternative
def negative_sampling_loss_by_hand(v_c, u_o, U_neg):
    against = torch.cat([-(u_o @ v_c)[None], U_neg @ v_c])
    return (against.clamp(min=0) + torch.log1p(torch.exp(-against.abs()))).sum()


@negative_sampling_loss.alternative
def negative_sampling_loss_cross_entropy(v_c, u_o, U_neg):
    scores = torch.einsum("jk,k->j", torch.cat([u_o[None], U_neg]).float(), v_c.float())
    labels = torch.zeros(len(scores))
    labels[0] = 1.0
    loss = F.binary_cross_entropy_with_logits(scores, labels, reduction="sum")
    return loss.to(v_c.dtype)


negative_sampling_gradients = Exercise(
    "negative_sampling_gradients", points={"values": 3, "edges": 1}, cases=_sampling_cases
)


@negative_sampling_gradients.misconception(
    "All three have the wrong sign. The error is sigmoid minus label."
)
def label_minus_sigmoid(v_c, u_o, U_neg):
    true, drawn = 1 - torch.sigmoid(u_o @ v_c), -torch.sigmoid(U_neg @ v_c)
    return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c


@negative_sampling_gradients.misconception(
    "The error of the true word has the wrong sign. It is sigmoid minus label, and its label is 1,"
    " so it is never above 0."
)
def true_error_with_wrong_sign(v_c, u_o, U_neg):
    true, drawn = 1 - torch.sigmoid(u_o @ v_c), torch.sigmoid(U_neg @ v_c)
    return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c


@negative_sampling_gradients.misconception(
    "The errors of the negatives have the wrong sign. They are sigmoid minus label, and their label"
    " is 0, so they are never below 0."
)
def drawn_errors_with_wrong_sign(v_c, u_o, U_neg):
    true, drawn = torch.sigmoid(u_o @ v_c) - 1, -torch.sigmoid(U_neg @ v_c)
    return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c


@negative_sampling_gradients.misconception(
    "For the negatives the sigmoid of minus their score is used. The minus belongs to the loss; in"
    " the gradient it is gone, and the error is the sigmoid of the score itself."
)
def sigmoid_of_minus_the_score(v_c, u_o, U_neg):
    true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(-(U_neg @ v_c))
    return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c


@negative_sampling_gradients.misconception(
    "The gradient for v_c has a row for each negative. v_c is one vector, (K,): add up what the"
    " negatives do to it."
)
def center_not_summed(v_c, u_o, U_neg):
    true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
    return true * u_o + drawn[:, None] * U_neg, true * v_c, drawn[:, None] * v_c


@negative_sampling_gradients.misconception(
    "The true pair is treated like the negatives. Its label is 1, so its error is sigmoid minus 1."
)
def true_label_zero(v_c, u_o, U_neg):
    true, drawn = torch.sigmoid(u_o @ v_c), torch.sigmoid(U_neg @ v_c)
    return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c


@negative_sampling_gradients.misconception(
    "The negatives are treated like real pairs. Their label is 0, so their error is the sigmoid"
    " itself."
)
def negatives_with_label_one(v_c, u_o, U_neg):
    true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c) - 1
    return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c


@negative_sampling_gradients.misconception(
    "The gradient for v_c holds only the true word. v_c is in every one of the 1 + k scores, and"
    " each negative adds its error times its vector."
)
def center_without_negatives(v_c, u_o, U_neg):
    true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
    return true * u_o, true * v_c, drawn[:, None] * v_c


@negative_sampling_gradients.misconception(
    "In the gradient for v_c the negatives are averaged. Their parts are added up; with no negatives"
    " the sum is 0."
)
def center_with_mean(v_c, u_o, U_neg):
    true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
    return true * u_o + (drawn[:, None] * U_neg).mean(dim=0), true * v_c, drawn[:, None] * v_c


@negative_sampling_gradients.misconception(
    "An outside vector's gradient is its error times the other factor of its score, and that is v_c,"
    " not the outside vector itself."
)
def own_vector_as_factor(v_c, u_o, U_neg):
    true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
    return true * u_o + U_neg.T @ drawn, true * u_o, drawn[:, None] * U_neg


@negative_sampling_gradients.misconception(
    "The gradients come in another order: for v_c, for u_o, for U_neg."
)
def sampling_gradients_swapped(v_c, u_o, U_neg):
    true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
    return true * v_c, true * u_o + U_neg.T @ drawn, drawn[:, None] * v_c


@negative_sampling_gradients.misconception(
    "The errors contain the factor sigma(s)(1 - sigma(s)), the derivative of the sigmoid alone. The"
    " logarithm of the loss cancels it: what is left is sigmoid minus label."
)
def derivative_of_the_sigmoid(v_c, u_o, U_neg):
    p, q = torch.sigmoid(u_o @ v_c), torch.sigmoid(U_neg @ v_c)
    true, drawn = (p - 1) * p * (1 - p), q * q * (1 - q)
    return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c


@negative_sampling_gradients.misconception(
    "The gradient for U_neg should be shaped like U_neg, (k, K), with a row for each negative; yours"
    " adds the rows up."
)
def one_row_for_all_negatives(v_c, u_o, U_neg):
    true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
    return true * u_o + U_neg.T @ drawn, true * v_c, drawn.sum() * v_c


@negative_sampling_gradients.misconception(
    "exp of a large number is infinity, and exp(s) / (1 + exp(s)) becomes NaN. Use a sigmoid that"
    " does not overflow."
)
def sigmoid_that_overflows(v_c, u_o, U_neg):
    p, q = torch.exp(u_o @ v_c), torch.exp(U_neg @ v_c)
    true, drawn = p / (1 + p) - 1, q / (1 + q)
    return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c


@negative_sampling_gradients.alternative
def negative_sampling_gradients_autograd(v_c, u_o, U_neg):
    v, u, negatives = (t.detach().clone().float().requires_grad_() for t in (v_c, u_o, U_neg))
    loss = F.softplus(-(u @ v)) + F.softplus(negatives @ v).sum()
    loss.backward()
    return v.grad.to(v_c.dtype), u.grad.to(v_c.dtype), negatives.grad.to(v_c.dtype)


@negative_sampling_gradients.alternative
def negative_sampling_gradients_stacked(v_c, u_o, U_neg):
    outside = torch.cat([u_o[None], U_neg])
    errors = torch.sigmoid(outside @ v_c)
    errors[0] -= 1
    for_outside = torch.outer(errors, v_c)
    return errors @ outside, for_outside[0], for_outside[1:]


# 8. keep_probabilities ------------------------------------------------------------------------


def _keep_cases(rng: np.random.Generator) -> Iterator[Case]:
    rules = {**_EXACT, "properties": {"at_least": 0, "at_most": 1}}
    for n in (3, int(rng.integers(5, 9))):
        counts = _counts(rng, n, 200, 5000)
        threshold = float(rng.uniform(0.2, 0.9)) * counts.min().item() / counts.sum().item()
        yield Case("values", [counts, threshold], judge=rules)
    counts = torch.cat([_counts(rng, 3, 500, 5000), _counts(rng, 3, 1, 20)])
    threshold = round(float(rng.uniform(0.005, 0.02)), 4)
    yield Case("values", [counts, threshold], title="some words are rare", judge=rules)
    spare = torch.cat([_counts(rng, 3, 500, 5000), torch.zeros(2, dtype=torch.long)])
    yield Case("edges", [spare, 0.01], title="some words never occur", judge=rules)
    none = torch.zeros(int(rng.integers(2, 5)), dtype=torch.long)
    yield Case("edges", [none, 0.01], title="no word occurs at all", judge=rules)


keep_probabilities = Exercise(
    "keep_probabilities", points={"values": 2, "edges": 1}, cases=_keep_cases
)


@keep_probabilities.misconception(
    "These are the probabilities of being dropped. An occurrence stays with the probability"
    " sqrt(t / f)."
)
def probability_to_drop(counts, threshold):
    share = counts / counts.sum().clamp(min=1)
    return 1 - torch.where(counts > 0, torch.sqrt(threshold / share), 1.0).clamp(max=1)


@keep_probabilities.misconception(
    "Rare words get more than 1, which no probability can be. Nothing above 1 may come out."
)
def never_cut_at_one(counts, threshold):
    share = counts / counts.sum().clamp(min=1)
    return torch.where(counts > 0, torch.sqrt(threshold / share), 1.0)


@keep_probabilities.misconception("The square root is missing.")
def without_the_root(counts, threshold):
    share = counts / counts.sum().clamp(min=1)
    return torch.where(counts > 0, threshold / share, 1.0).clamp(max=1)


@keep_probabilities.misconception(
    "The threshold is compared with the counts. f is the share of the text: the count divided by the"
    " sum of all counts."
)
def counts_for_shares(counts, threshold):
    return torch.where(counts > 0, torch.sqrt(threshold / counts), 1.0).clamp(max=1)


@keep_probabilities.misconception(
    "The fraction is upside down: the more frequent a word, the smaller its probability to stay."
)
def upside_down(counts, threshold):
    share = counts / counts.sum().clamp(min=1)
    return torch.where(counts > 0, torch.sqrt(share / threshold), 1.0).clamp(max=1)


@keep_probabilities.misconception(
    "This is the formula of the original C program, sqrt(t/f) + t/f. Here the one of the paper is"
    " asked for: sqrt(t/f), at most 1."
)
def as_the_c_program(counts, threshold):
    ratio = threshold / (counts / counts.sum().clamp(min=1))
    return torch.where(counts > 0, ratio.sqrt() + ratio, 1.0).clamp(max=1)


@keep_probabilities.misconception(
    "A word that never occurs gets 0. There is nothing of it to drop: its probability is 1."
)
def absent_words_get_zero(counts, threshold):
    share = counts / counts.sum().clamp(min=1)
    return torch.where(counts > 0, torch.sqrt(threshold / share), 0.0).clamp(max=1)


@keep_probabilities.misconception(
    "When no word occurs, the shares are 0 / 0, and that is NaN. Then all probabilities are 1."
)
def no_words_is_nan(counts, threshold):
    return torch.sqrt(threshold / (counts / counts.sum())).clamp(max=1)


@keep_probabilities.alternative
def keep_probabilities_loop(counts, threshold):
    total = sum(counts.tolist())
    kept = [min(1.0, math.sqrt(threshold * total / n)) if n else 1.0 for n in counts.tolist()]
    return torch.tensor(kept)


@keep_probabilities.alternative
def keep_probabilities_minimum(counts, threshold):
    allowed = threshold * counts.sum() / counts.clamp(min=1)
    return torch.where(counts == 0, torch.ones(len(counts)), allowed.sqrt().clamp(max=1))


# 9. window_mask -------------------------------------------------------------------------------


def _snippets(rng: np.random.Generator, B: int, T: int) -> list[torch.Tensor]:
    """Reaches from 0 to 3, and sentences of 2 to 4 words."""
    reach = torch.from_numpy(rng.integers(1, 4, size=(B, T)))
    reach[0, 1] = 0
    starts = rng.random((B, T)) < 0.3
    starts[:, T // 2] = True  # a border in the middle, with words of both sides in reach
    starts[:, [T // 2 - 1, T // 2 + 1]] = False
    reach[:, T // 2] = 3
    return [reach, torch.from_numpy(np.cumsum(starts, axis=1) + int(rng.integers(1, 50)))]


def _window_mask_cases(rng: np.random.Generator) -> Iterator[Case]:
    for T in (5, int(rng.integers(6, 9))):
        reach, sentence = _snippets(rng, 1, T)
        title = "all words of one sentence"
        one = torch.full_like(sentence, int(sentence[0, 0]))
        yield Case("values", [reach, one], title=title)
    reach = torch.tensor([[1, 3, 1, 3, 1, 1]]).roll(int(rng.integers(2)), dims=1)
    yield Case("values", [reach, torch.ones_like(reach)], title="reaches that alternate")
    yield Case(
        "values",
        [reach.new_tensor([[3, 3, 3, 1]]).mT, reach.new_zeros(4, 1)],
        title="snippets of one word",
    )
    yield Case("sentences", _snippets(rng, 2, 6), title="two snippets")
    yield Case("sentences", _snippets(rng, 3, 5), title="three snippets")
    reach, sentence = _snippets(rng, 2, 6)
    sentence[1, 4:] = -1
    yield Case("sentences", [reach, sentence], title="padding at the end of a snippet")
    reach, sentence = _snippets(rng, 1, 5)
    yield Case("sentences", [reach, torch.full_like(sentence, -1)], title="nothing but padding")


window_mask = Exercise(
    "window_mask", points={"values": 2, "sentences": 2}, cases=_window_mask_cases
)


@window_mask.misconception(
    "The reach of the context word decides. It is the center, place i, whose window is asked for."
)
def reach_of_the_context(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = (place[:, None] - place).abs()
    near = (distance > 0) & (distance <= reach[:, None, :])
    return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)


@window_mask.misconception(
    "The diagonal is True: each place is in its own window. The distance must be above 0."
)
def with_the_diagonal(reach, sentence):
    place = torch.arange(reach.shape[1])
    near = (place[:, None] - place).abs() <= reach[:, :, None]
    return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)


@window_mask.misconception(
    "Words of different sentences are neighbors in yours. Compare the sentence numbers of the two"
    " places as well."
)
def across_sentences(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = (place[:, None] - place).abs()
    real = (sentence[:, :, None] >= 0) & (sentence[:, None, :] >= 0)
    return (distance > 0) & (distance <= reach[:, :, None]) & real


@window_mask.misconception(
    "A word exactly as far away as the center reaches belongs to the window: at most, not less than."
)
def less_than_the_reach(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = (place[:, None] - place).abs()
    near = (distance > 0) & (distance < reach[:, :, None])
    return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)


@window_mask.misconception(
    "Places of padding are neighbors of each other: -1 equals -1. No word is there, so no pair"
    " either."
)
def padding_is_a_sentence(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = (place[:, None] - place).abs()
    near = (distance > 0) & (distance <= reach[:, :, None])
    return near & (sentence[:, :, None] == sentence[:, None, :])


@window_mask.misconception(
    "Only context words to the right of the center are marked: without the absolute value a distance"
    " to the left is negative."
)
def only_right_neighbors(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = place - place[:, None]
    near = (distance > 0) & (distance <= reach[:, :, None])
    return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)


@window_mask.misconception(
    "Only context words to the left of the center are marked: without the absolute value a distance"
    " to the right is negative."
)
def only_left_neighbors(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = place[:, None] - place
    near = (distance > 0) & (distance <= reach[:, :, None])
    return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)


@window_mask.misconception(
    "All right neighbors are marked, however far away: the distance to them is negative without the"
    " absolute value, so it is below every reach."
)
def distance_with_the_other_sign(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = place[:, None] - place
    near = (distance != 0) & (distance <= reach[:, :, None])
    return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)


@window_mask.misconception(
    "The distances have the shape (T, T), the reaches (B, T). Compared as they are, the reaches stand"
    " above the context words, and with several snippets the shapes do not fit at all. Give the"
    " reaches one dimension more, so that each stands at the row of its center."
)
def reach_not_reshaped(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = (place[:, None] - place).abs()
    near = (distance > 0) & (distance <= reach)
    return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)


@window_mask.misconception(
    "All left neighbors are marked, however far away: the distance to them is negative without the"
    " absolute value, so it is below every reach."
)
def distance_with_a_sign(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = place - place[:, None]
    near = (distance != 0) & (distance <= reach[:, :, None])
    return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)


@window_mask.misconception(
    "The reach of the first snippet is used for all of them: every snippet has reaches of its own."
)
def reach_of_the_first_snippet(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = (place[:, None] - place).abs()
    near = (distance > 0) & (distance <= reach[0][:, None])
    return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)


@window_mask.misconception(
    "A pair is marked as soon as one of the two words reaches the other. Only the reach of the"
    " center, place i, counts."
)
def either_reaches(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = (place[:, None] - place).abs()
    far = torch.maximum(reach[:, :, None], reach[:, None, :])
    near = (distance > 0) & (distance <= far)
    return near & (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)


@window_mask.misconception(
    "A mask holds True and False; yours holds numbers. Leave the result of the comparisons as it is."
)
def mask_of_numbers(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = (place[:, None] - place).abs()
    near = (distance > 0) & (distance <= reach[:, :, None])
    real = (sentence[:, :, None] == sentence[:, None, :]) & (sentence[:, :, None] >= 0)
    return (near & real).float()


@window_mask.alternative
def window_mask_loop(reach, sentence):
    B, T = reach.shape
    mask = torch.zeros(B, T, T, dtype=torch.bool)
    for b in range(B):
        for i in range(T):
            for j in range(T):
                near = i != j and abs(i - j) <= reach[b, i]
                same = sentence[b, i] == sentence[b, j] and sentence[b, i] != -1
                mask[b, i, j] = bool(near and same)
    return mask


@window_mask.alternative
def window_mask_two_sides(reach, sentence):
    place = torch.arange(reach.shape[1])
    first, last = (place - reach)[..., None], (place + reach)[..., None]
    mask = (place >= first) & (place <= last)
    mask = mask & ~torch.eye(reach.shape[1], dtype=torch.bool)
    mask = mask & torch.eq(sentence.unsqueeze(2), sentence.unsqueeze(1))
    return mask.masked_fill((sentence == -1).unsqueeze(2), False)


# 10. skip_gram_step ---------------------------------------------------------------------------


def _step_cases(rng: np.random.Generator) -> Iterator[Case]:
    def batch(B: int, T: int, K: int, M: int) -> list:
        reach = rng.integers(1, 3, size=(B, T, 1))
        distance = np.abs(np.arange(T)[:, None] - np.arange(T))
        mask = torch.from_numpy((distance > 0) & (distance <= reach))
        k = int(rng.choice([n for n in (2, 3, 5, 7) if n != M]))
        vectors = [_normal(rng, B, T, K), _normal(rng, B, T, K), _normal(rng, M, K)]
        return [*vectors, mask, k]

    yield Case("values", batch(1, 4, 2, 3), title="one snippet", judge=_EXACT)
    yield Case("values", batch(2, 4, 3, 4), judge=_EXACT)
    yield Case("values", batch(3, int(rng.integers(3, 6)), 2, 6), judge=_EXACT)
    X, Y, Z, mask, k = batch(2, 5, 3, 4)
    mask[0, 1], mask[1, 3:], mask[1, :, 3:] = False, False, False
    title = "some centers have no pair"
    yield Case("edges", [X, Y, Z, mask, k], title=title, judge=_EXACT)
    X, Y, Z, mask, k = batch(1, 3, 2, 4)
    title = "no pair at all"
    yield Case("edges", [X, Y, Z, torch.zeros_like(mask), k], title=title, judge=_EXACT)
    X, Y, Z, mask, k = batch(2, 4, 3, 4)
    title = "vectors that are not contiguous"
    loose = [t.mT.contiguous().mT for t in (X, Y, Z)]
    yield Case("edges", [*loose, mask, k], title=title, judge=_EXACT)
    X, Y, Z, mask, k = batch(1, 4, 3, 4)
    half = [X.half(), Y.half(), Z.half(), mask, k]
    yield Case("edges", half, title="half precision", judge={**_EXACT, "rtol": 0.02, "atol": 0.02})


skip_gram_step = Exercise("skip_gram_step", points={"values": 4, "edges": 2}, cases=_step_cases)


@skip_gram_step.misconception(
    "The negatives count with the weight 1 each. Their errors carry the weight k p_i / M, with p_i"
    " the number of pairs of the center."
)
def negatives_without_weight(X, Y, Z, mask, k):
    G = (torch.sigmoid(X @ Y.mT) - 1) * mask
    H = torch.sigmoid(X @ Z.T)
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "In the weight of the negatives the number of pairs p_i is missing: a center with four pairs"
    " draws four times as many negatives as one with a single pair, and one without pairs none."
)
def weight_without_pairs(X, Y, Z, mask, k):
    G = (torch.sigmoid(X @ Y.mT) - 1) * mask
    H = torch.sigmoid(X @ Z.T) * (k / len(Z))
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "In the weight of the negatives the division by M is missing: a center meets all M of them, but"
    " should have met only k for each of its pairs."
)
def weight_without_m(X, Y, Z, mask, k):
    G = (torch.sigmoid(X @ Y.mT) - 1) * mask
    H = torch.sigmoid(X @ Z.T) * mask.sum(dim=2, keepdim=True).to(X.dtype) * k
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "p_i, the number of pairs of center i, is counted along the wrong dimension of the mask: a"
    " center's context words stand in its row."
)
def pairs_of_the_context(X, Y, Z, mask, k):
    G = (torch.sigmoid(X @ Y.mT) - 1) * mask
    pairs = mask.sum(dim=1)[:, :, None].to(X.dtype)
    H = torch.sigmoid(X @ Z.T) * (pairs * (k / len(Z)))
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "The real pairs have the error sigmoid minus 1, since their label is 1. Yours have the sigmoid"
    " alone, so real neighbors are pushed apart."
)
def real_pairs_with_label_zero(X, Y, Z, mask, k):
    G = torch.sigmoid(X @ Y.mT) * mask
    H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "The mask has to make the *errors* of the other places 0. Multiplied into the scores it leaves"
    " sigma(0) - 1 = -0.5 there."
)
def masks_the_scores(X, Y, Z, mask, k):
    G = torch.sigmoid((X @ Y.mT) * mask) - 1
    H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "Outside the mask your errors are -1: the label is subtracted after the mask has set the"
    " sigmoids to 0. Subtract first, then mask."
)
def label_taken_after_the_mask(X, Y, Z, mask, k):
    G = torch.sigmoid(X @ Y.mT) * mask - 1
    H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "The mask is not used for the real pairs: all words of a snippet count as neighbors."
)
def without_the_mask(X, Y, Z, mask, k):
    G = torch.sigmoid(X @ Y.mT) - 1
    H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "In the gradient for Y the matrix G must be transposed: the outside word j collects from all"
    " centers i, which stand in its column."
)
def forgets_to_transpose(X, Y, Z, mask, k):
    G = (torch.sigmoid(X @ Y.mT) - 1) * mask
    H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
    return G @ Y + H @ Z, G @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "The gradient for X lacks the negatives. Each center has both: its real neighbors (G) and the"
    " negatives (H)."
)
def centers_without_negatives(X, Y, Z, mask, k):
    G = (torch.sigmoid(X @ Y.mT) - 1) * mask
    H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
    return G @ Y, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "The gradient for Z comes once for each snippet. All snippets share Z, so their parts are added"
    " up to the shape of Z, (M, K)."
)
def one_z_per_snippet(X, Y, Z, mask, k):
    G = (torch.sigmoid(X @ Y.mT) - 1) * mask
    H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
    return G @ Y + H @ Z, G.mT @ X, H.mT @ X


@skip_gram_step.misconception(
    "The gradient for Z is averaged over the snippets. The loss is a sum, so their parts add up."
)
def mean_over_snippets(X, Y, Z, mask, k):
    G = (torch.sigmoid(X @ Y.mT) - 1) * mask
    H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).mean(dim=0)


@skip_gram_step.misconception(
    "All three have the wrong sign: the error is sigmoid minus label. The step against the gradient"
    " is taken later."
)
def step_not_gradient(X, Y, Z, mask, k):
    G = (1 - torch.sigmoid(X @ Y.mT)) * mask
    H = -torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "Half precision is lost on the way: something here turns float16 into float32. Bring all numbers"
    " to the precision of X."
)
def step_always_float32(X, Y, Z, mask, k):
    X, Y, Z = X.float(), Y.float(), Z.float()
    G = (torch.sigmoid(X @ Y.mT) - 1) * mask
    H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True) * (k / len(Z)))
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.misconception(
    "`view` works only for tensors that lie in memory in one piece. `reshape` and `flatten` work for"
    " all."
)
def step_with_view(X, Y, Z, mask, k):
    G = (torch.sigmoid(X @ Y.mT) - 1) * mask
    H = torch.sigmoid(X @ Z.T) * (mask.sum(dim=2, keepdim=True).to(X.dtype) * (k / len(Z)))
    for_Z = H.view(-1, len(Z)).T @ X.view(-1, X.shape[-1])
    return G @ Y + H @ Z, G.mT @ X, for_Z


@skip_gram_step.misconception(
    "Half precision stops the function: the mask is turned into float32, and a product of matrices"
    " in two precisions is not defined. Turn it into the precision of X."
)
def mask_as_float32(X, Y, Z, mask, k):
    G = (torch.sigmoid(X @ Y.mT) - 1) * mask.float()
    H = torch.sigmoid(X @ Z.T) * (mask.float().sum(dim=2, keepdim=True) * (k / len(Z)))
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


@skip_gram_step.alternative
def skip_gram_step_einsum(X, Y, Z, mask, k):
    real = mask.to(X.dtype)
    G = (torch.sigmoid(torch.einsum("bik,bjk->bij", X, Y)) - 1) * real
    weights = real.sum(dim=-1) * k / Z.shape[0]
    H = torch.sigmoid(torch.einsum("bik,mk->bim", X, Z)) * weights[..., None]
    for_X = torch.einsum("bij,bjk->bik", G, Y) + torch.einsum("bim,mk->bik", H, Z)
    for_Y = torch.einsum("bij,bik->bjk", G, X)
    return for_X, for_Y, torch.einsum("bim,bik->mk", H, X)


@skip_gram_step.alternative
def skip_gram_step_autograd(X, Y, Z, mask, k):
    x, y, z = (t.detach().clone().float().requires_grad_() for t in (X, Y, Z))
    loss = -(F.logsigmoid(x @ y.mT) * mask).sum()
    weights = mask.sum(dim=2, keepdim=True) * (k / len(Z))
    loss = loss - (F.logsigmoid(-(x @ z.T)) * weights).sum()
    loss.backward()
    return x.grad.to(X.dtype), y.grad.to(X.dtype), z.grad.to(X.dtype)


@skip_gram_step.alternative
def skip_gram_step_loop(X, Y, Z, mask, k):
    for_X, for_Y, for_Z = torch.zeros_like(X), torch.zeros_like(Y), torch.zeros_like(Z)
    for b in range(len(X)):
        for i in range(X.shape[1]):
            neighbors = torch.nonzero(mask[b, i])[:, 0].tolist()
            for j in neighbors:
                error = torch.sigmoid(X[b, i] @ Y[b, j]) - 1
                for_X[b, i] += error * Y[b, j]
                for_Y[b, j] += error * X[b, i]
            for m in range(len(Z)):
                error = torch.sigmoid(X[b, i] @ Z[m]) * (k * len(neighbors) / len(Z))
                for_X[b, i] += error * Z[m]
                for_Z[m] += error * X[b, i]
    return for_X, for_Y, for_Z


# 11. nearest_words and 12. analogy ------------------------------------------------------------


def _until(rng: np.random.Generator, make: Callable, good: Callable, tries: int = 5000) -> list:
    """The first of many random draws that is as wanted."""
    for _ in range(tries):
        drawn = make(rng)
        if good(*drawn):
            return drawn
    raise AssertionError("no draw was as wanted")


def _unit(V: torch.Tensor) -> torch.Tensor:
    return V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)


def _apart(values: torch.Tensor, gap: float) -> bool:
    """Whether all numbers differ by a good margin, so that rounding orders nothing anew."""
    return len(values) < 2 or bool(values.sort().values.diff().min() > gap)


def _nearest_words_cases(rng: np.random.Generator) -> Iterator[Case]:
    def draw(n: int, K: int) -> Callable:
        def make(rng: np.random.Generator) -> tuple[torch.Tensor, int]:
            lengths = torch.from_numpy(rng.uniform(0.3, 4, size=(n, 1)).astype(np.float32))
            return _unit(_normal(rng, n, K)) * lengths, int(rng.integers(1, n))

        return make

    def good(V: torch.Tensor, i: int) -> bool:
        cosines, dots = _unit(V) @ _unit(V)[i], V @ V[i]
        distances = (V - V[i]).norm(dim=1)
        orders = [cosines.argsort(descending=True), dots.argsort(descending=True)]
        orders.append(distances.argsort())
        first = [order[order != i][0].item() for order in orders]
        return _apart(cosines, 0.02) and first[0] not in first[1:]

    for n, K, wanted in ((4, 2, 2), (6, 3, 3), (int(rng.integers(7, 10)), 4, 1)):
        V, i = _until(rng, draw(n, K), good)
        words = _some_words(rng, n)
        yield Case("values", [words[i], words, V, wanted])
    V, i = _until(rng, draw(5, 3), good)
    words = _some_words(rng, 5)
    yield Case("edges", [words[i], words, V, 8], title="fewer than n other words")
    unknown = next(word for word in _WORDS if word not in words)
    yield Case("edges", [unknown, words, V, 2], title="the word is unknown")
    V, i = _until(rng, draw(4, 3), lambda V, i: good(V, i) and bool((_unit(V) @ V[i] > 0.1).all()))
    V[0] = 0
    title = "one of the vectors is zero"
    yield Case("edges", [words[i], words[:4], V, 3], title=title)
    V, words = _normal(rng, 2, 3), _some_words(rng, 2)
    V[1] = 0
    title = "the word's own vector is zero"
    yield Case("edges", [words[1], words, V, 1], title=title)
    words = _some_words(rng, 4)
    V, i = _until(rng, draw(4, 3), good)
    title, loose = "half precision", {"rtol": 0.02, "atol": 0.01}
    yield Case("edges", [words[i], words[:4], V.half(), 2], title=title, judge=loose)


nearest_words = Exercise(
    "nearest_words", points={"values": 2, "edges": 2}, cases=_nearest_words_cases
)


@nearest_words.misconception(
    "These are dot products, and long vectors have large ones whatever their direction. The cosine"
    " divides by both lengths."
)
def dot_products(word, words, V, n):
    if word not in words:
        return []
    V = V.float()
    scores = V @ V[words.index(word)]
    order = scores.argsort(descending=True).tolist()
    return [(words[i], scores[i].item()) for i in order if words[i] != word][:n]


@nearest_words.misconception(
    "Only one of the two lengths is divided out: the order of the words is right, but the numbers"
    " are not cosines. Divide by both lengths."
)
def one_length_left(word, words, V, n):
    if word not in words:
        return []
    V = V.float()
    scores = (V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)) @ V[words.index(word)]
    order = scores.argsort(descending=True).tolist()
    return [(words[i], scores[i].item()) for i in order if words[i] != word][:n]


@nearest_words.misconception(
    "The word itself is in the list. It is always nearest to itself; leave it out."
)
def with_the_word_itself(word, words, V, n):
    if word not in words:
        return []
    unit = V.float() / V.float().norm(dim=1, keepdim=True).clamp(min=1e-12)
    cosines = unit @ unit[words.index(word)]
    return [(words[i], cosines[i].item()) for i in cosines.argsort(descending=True).tolist()][:n]


@nearest_words.misconception(
    "One word is missing: the list is cut to n while the word itself is still in it. Leave it out"
    " first."
)
def cut_before_leaving_out(word, words, V, n):
    if word not in words:
        return []
    unit = V.float() / V.float().norm(dim=1, keepdim=True).clamp(min=1e-12)
    cosines = unit @ unit[words.index(word)]
    order = cosines.argsort(descending=True).tolist()[:n]
    return [(words[i], cosines[i].item()) for i in order if words[i] != word]


@nearest_words.misconception(
    "The first of the sorted list is left out, whichever word that is. Mostly it is the word itself,"
    " but a vector of zeros is not nearest to itself. Leave out the word, not a rank."
)
def leaves_out_the_first(word, words, V, n):
    if word not in words:
        return []
    unit = V.float() / V.float().norm(dim=1, keepdim=True).clamp(min=1e-12)
    cosines = unit @ unit[words.index(word)]
    order = cosines.argsort(descending=True, stable=True).tolist()
    return [(words[i], cosines[i].item()) for i in order[1 : n + 1]]


@nearest_words.misconception(
    "The farthest words come first. A large cosine means a small angle: sort from the largest on."
)
def farthest_first(word, words, V, n):
    if word not in words:
        return []
    unit = V.float() / V.float().norm(dim=1, keepdim=True).clamp(min=1e-12)
    cosines = unit @ unit[words.index(word)]
    order = cosines.argsort().tolist()
    return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]


@nearest_words.misconception(
    "A vector of zeros is divided by its length 0, and that is NaN. Its cosine counts as 0."
)
def zero_vector_is_nan(word, words, V, n):
    if word not in words:
        return []
    unit = V.float() / V.float().norm(dim=1, keepdim=True)
    cosines = unit @ unit[words.index(word)]
    order = cosines.argsort(descending=True).tolist()
    return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]


@nearest_words.misconception(
    "An unknown word stops the function. It has no vector and so no neighbors: an empty list."
)
def stops_at_an_unknown_word(word, words, V, n):
    unit = V.float() / V.float().norm(dim=1, keepdim=True).clamp(min=1e-12)
    cosines = unit @ unit[words.index(word)]
    order = cosines.argsort(descending=True).tolist()
    return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]


@nearest_words.misconception(
    "The lengths are taken along the wrong dimension: each row is a word's vector, and each row"
    " needs its own length."
)
def lengths_of_columns(word, words, V, n):
    if word not in words:
        return []
    unit = V.float() / V.float().norm(dim=0, keepdim=True).clamp(min=1e-12)
    cosines = unit @ unit[words.index(word)]
    order = cosines.argsort(descending=True).tolist()
    return [(words[i], cosines[i].item()) for i in order if words[i] != word][:n]


@nearest_words.misconception(
    "These are distances, and their order depends on how long the vectors are. The cosine asks for"
    " the direction alone."
)
def euclidean_distances(word, words, V, n):
    if word not in words:
        return []
    distances = (V.float() - V.float()[words.index(word)]).norm(dim=1)
    order = distances.argsort().tolist()
    return [(words[i], distances[i].item()) for i in order if words[i] != word][:n]


@nearest_words.misconception(
    "These are the words alone. Each entry is a tuple of the word and its cosine."
)
def words_without_cosines(word, words, V, n):
    if word not in words:
        return []
    unit = V.float() / V.float().norm(dim=1, keepdim=True).clamp(min=1e-12)
    cosines = unit @ unit[words.index(word)]
    return [words[i] for i in cosines.argsort(descending=True).tolist() if words[i] != word][:n]


@nearest_words.alternative
def nearest_words_sorted(word, words, V, n):
    vectors = {w: vector.float() for w, vector in zip(words, V)}
    if word not in vectors:
        return []
    center = vectors.pop(word)
    found = {w: F.cosine_similarity(center, v, dim=0).item() for w, v in vectors.items()}
    return sorted(found.items(), key=lambda pair: -pair[1])[:n]


@nearest_words.alternative
def nearest_words_topk(word, words, V, n):
    if word not in words:
        return []
    i = words.index(word)
    unit = F.normalize(V.float(), dim=1)
    cosines = torch.mv(unit, unit[i])
    cosines[i] = -2.0
    top = cosines.topk(min(n, len(words) - 1))
    return [(words[j], value) for j, value in zip(top.indices.tolist(), top.values.tolist())]


def _analogy_cases(rng: np.random.Generator) -> Iterator[Case]:
    def best(V: torch.Tensor, target: torch.Tensor, without: list[int], cosine: bool = True) -> int:
        scores = (_unit(V) if cosine else V) @ target
        scores[without] = -torch.inf
        return int(scores.argmax())

    def draw(n: int, K: int) -> Callable:
        def make(rng: np.random.Generator) -> tuple[torch.Tensor]:
            lengths = torch.from_numpy(rng.uniform(0.2, 5, size=(n, 1)).astype(np.float32))
            return (_unit(_normal(rng, n, K)) * lengths,)

        return make

    def good(V: torch.Tensor, alone: bool) -> bool:
        """Whether a=0, b=1, c=2 have an answer of their own, not shared by the usual mistakes."""
        E, inputs = _unit(V), [0, 1, 2]
        target = E[0] - E[1] + E[2]
        scores = E @ target
        right = best(V, target, inputs)
        if not _apart(scores, 0.02) or scores[right] < 0.05:
            return False
        raw = V[0] - V[1] + V[2]
        if alone:  # with all words allowed an input is nearest, as with king and queen
            return best(V, target, []) == 0 and best(V, target, [0]) == 2
        wrong = [best(V, raw, inputs), best(V, raw, inputs, cosine=False)]
        wrong += [best(V, E[0] + E[1] - E[2], inputs), best(V, E[1] - E[0] + E[2], inputs)]
        wrong += [best(V, target, inputs, cosine=False)]
        return right not in wrong and wrong[0] != wrong[1]

    for n, K in ((8, 2), (9, 3), (int(rng.integers(10, 13)), 3)):
        (V,) = _until(rng, draw(n, K), lambda V: good(V, alone=False))
        words = _some_words(rng, n)
        yield Case("values", [*words[:3], words, V])
    for n in (5, 6):
        (V,) = _until(rng, draw(n, 4), lambda V: good(V, alone=True))
        words = _some_words(rng, n)
        title = "one of the three is itself nearest"
        order = torch.from_numpy(rng.permutation(n))
        shuffled = [words[i] for i in order.tolist()]
        yield Case("values", [*words[:3], shuffled, V[order]], title=title)
    (V,) = _until(rng, draw(6, 3), lambda V: good(V, alone=True))
    words = _some_words(rng, 7)
    a, b, c = [words[6], *words[:2]] if rng.random() < 0.5 else [*words[:2], words[6]]
    yield Case("edges", [a, b, c, words[:6], V], title="one of the three words is unknown")
    yield Case("edges", [*words[:3], words[:3], V[:3]], title="there is no other word")

    def another_is_near(V: torch.Tensor) -> bool:
        """Whether the answer stays one when V[4] becomes zero, whose cosine counts as 0."""
        E = _unit(V)
        scores = E @ (E[0] - E[1] + E[2])
        return good(V, alone=True) and bool(scores[[3, 5]].max() > 0.05)

    def all_point_away(V: torch.Tensor) -> bool:
        E, inputs = _unit(V), [0, 1, 2]
        target = E[0] - E[1] + E[2]
        scores = E[3:] @ target
        wrong = [best(V, t, inputs) for t in (E[0] + E[1] - E[2], E[1] - E[0] + E[2])]
        clear = _apart(scores, 0.02) and best(V, target, inputs) not in wrong
        return clear and bool(scores.max() < -0.1)

    # From here on all lengths are 1 (or 0), so that they decide nothing.
    (V,) = _until(rng, draw(5, 3), all_point_away)
    V = _unit(V)
    words = _some_words(rng, 5)
    title = "all other words have a cosine below 0"
    yield Case("edges", [*words[:3], words, V], title=title)
    words = _some_words(rng, 6)
    (V,) = _until(rng, draw(6, 3), another_is_near)
    V = _unit(V)
    V[4] = 0
    yield Case("edges", [*words[:3], words[:6], V], title="one of the vectors is zero")


analogy = Exercise("analogy", points={"values": 2, "edges": 1}, cases=_analogy_cases)


@analogy.misconception(
    "The answer is one of the three words. They are the nearest ones more often than not; they are"
    " not allowed as an answer."
)
def answers_with_an_input(a, b, c, words, V):
    if any(word not in words for word in (a, b, c)) or len(words) < 4:
        return None
    unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
    target = unit[words.index(a)] - unit[words.index(b)] + unit[words.index(c)]
    return words[(unit @ target).argmax()]


@analogy.misconception(
    "Only the first word is excluded. None of the three may be the answer, and the third is often"
    " nearest."
)
def excludes_the_first_only(a, b, c, words, V):
    if any(word not in words for word in (a, b, c)) or len(words) < 4:
        return None
    unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
    similarity = unit @ (unit[words.index(a)] - unit[words.index(b)] + unit[words.index(c)])
    similarity[words.index(a)] = -torch.inf
    return words[similarity.argmax()]


@analogy.misconception(
    "The three words are taken out of the race with a cosine of 0, and that still wins when all"
    " others are below 0. Give them something that nobody can lose against."
)
def excluded_with_zero(a, b, c, words, V):
    if any(word not in words for word in (a, b, c)) or len(words) < 4:
        return None
    unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
    places = [words.index(word) for word in (a, b, c)]
    similarity = unit @ (unit[places[0]] - unit[places[1]] + unit[places[2]])
    similarity[places] = 0
    return words[similarity.argmax()]


@analogy.misconception(
    "The three words are cut out of the list of cosines, but then the places in that shorter list"
    " are no longer those in `words`."
)
def places_of_the_shorter_list(a, b, c, words, V):
    if any(word not in words for word in (a, b, c)) or len(words) < 4:
        return None
    unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
    places = [words.index(word) for word in (a, b, c)]
    target = unit[places[0]] - unit[places[1]] + unit[places[2]]
    others = unit[[i for i in range(len(words)) if i not in places]]
    return words[(others @ target).argmax()]


@analogy.misconception(
    "When there is no word but the three, one of them is the answer in yours. Then there is no"
    " answer: None."
)
def answers_when_none_is_left(a, b, c, words, V):
    if any(word not in words for word in (a, b, c)):
        return None
    unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
    places = [words.index(word) for word in (a, b, c)]
    similarity = unit @ (unit[places[0]] - unit[places[1]] + unit[places[2]])
    similarity[places] = -torch.inf
    return words[similarity.argmax()]


@analogy.misconception("This is a + b - c. Subtract the second word and add the third.")
def subtracts_the_third(a, b, c, words, V):
    if any(word not in words for word in (a, b, c)) or len(words) < 4:
        return None
    unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
    places = [words.index(word) for word in (a, b, c)]
    similarity = unit @ (unit[places[0]] + unit[places[1]] - unit[places[2]])
    similarity[places] = -torch.inf
    return words[similarity.argmax()]


@analogy.misconception(
    "This is b - a + c. In `king - man + woman` the first word is the one that counts with a plus."
)
def first_minus_second(a, b, c, words, V):
    if any(word not in words for word in (a, b, c)) or len(words) < 4:
        return None
    unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
    places = [words.index(word) for word in (a, b, c)]
    similarity = unit @ (unit[places[1]] - unit[places[0]] + unit[places[2]])
    similarity[places] = -torch.inf
    return words[similarity.argmax()]


@analogy.misconception(
    "The vectors are added as they are, so that the longest of the three decides. Bring all vectors"
    " to length 1 first."
)
def adds_raw_vectors(a, b, c, words, V):
    if any(word not in words for word in (a, b, c)) or len(words) < 4:
        return None
    places = [words.index(word) for word in (a, b, c)]
    unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
    similarity = unit @ (V[places[0]] - V[places[1]] + V[places[2]])
    similarity[places] = -torch.inf
    return words[similarity.argmax()]


@analogy.misconception(
    "No length is divided out anywhere, so long vectors win. Bring all vectors to length 1 first."
)
def dot_products_of_raw_vectors(a, b, c, words, V):
    if any(word not in words for word in (a, b, c)) or len(words) < 4:
        return None
    places = [words.index(word) for word in (a, b, c)]
    similarity = V @ (V[places[0]] - V[places[1]] + V[places[2]])
    similarity[places] = -torch.inf
    return words[similarity.argmax()]


@analogy.misconception(
    "A word without a vector stops the function. If one of the three is unknown, the answer is None."
)
def analogy_stops_at_unknown(a, b, c, words, V):
    unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
    places = [words.index(word) for word in (a, b, c)]
    similarity = unit @ (unit[places[0]] - unit[places[1]] + unit[places[2]])
    similarity[places] = -torch.inf
    return words[similarity.argmax()] if len(words) > 3 else None


@analogy.misconception(
    "A vector of zeros becomes NaN when it is divided by its length 0, and NaN counts as the largest"
    " number. Let it stay zeros."
)
def analogy_zero_is_nan(a, b, c, words, V):
    if any(word not in words for word in (a, b, c)) or len(words) < 4:
        return None
    unit = V / V.norm(dim=1, keepdim=True)
    places = [words.index(word) for word in (a, b, c)]
    similarity = unit @ (unit[places[0]] - unit[places[1]] + unit[places[2]])
    similarity[places] = -torch.inf
    return words[similarity.argmax()]


@analogy.misconception("This is the number of the word. Return the word itself.")
def gives_the_number(a, b, c, words, V):
    if any(word not in words for word in (a, b, c)) or len(words) < 4:
        return None
    unit = V / V.norm(dim=1, keepdim=True).clamp(min=1e-12)
    places = [words.index(word) for word in (a, b, c)]
    similarity = unit @ (unit[places[0]] - unit[places[1]] + unit[places[2]])
    similarity[places] = -torch.inf
    return similarity.argmax().item()


@analogy.alternative
def analogy_dictionary(a, b, c, words, V):
    vectors = {word: F.normalize(v, dim=0) for word, v in zip(words, V)}
    if not {a, b, c} <= set(vectors):
        return None
    target = vectors[a] - vectors[b] + vectors[c]
    others = [word for word in words if word not in (a, b, c)]
    return max(others, key=lambda word: (vectors[word] @ target).item(), default=None)


@analogy.alternative
def analogy_sorted(a, b, c, words, V):
    if a not in words or b not in words or c not in words:
        return None
    unit = F.normalize(V, dim=1)
    i, j, k = words.index(a), words.index(b), words.index(c)
    order = F.cosine_similarity(unit, (unit[i] - unit[j] + unit[k])[None], dim=1)
    for place in order.argsort(descending=True).tolist():
        if place not in (i, j, k):
            return words[place]
    return None


# 13. rank_correlation -------------------------------------------------------------------------


def _rank_correlation_cases(rng: np.random.Generator) -> Iterator[Case]:
    def related(n: int, sign: int) -> list[torch.Tensor]:
        """Correlated, not perfectly, and far from a straight line."""
        x = rng.permutation(n) + rng.uniform(0.1, 0.4, size=n)
        y = (x + rng.normal(scale=n / 4, size=n)) * sign
        both = np.exp(x / 2), y**3
        return [torch.from_numpy(np.asarray(values, dtype=np.float32)) for values in both]

    def varied(x: torch.Tensor, y: torch.Tensor) -> bool:
        """Whether a single sort, which gives places and not ranks, would be noticed."""
        r, s = (np.argsort(np.argsort(v.numpy())) for v in (x, y))
        p, q = (np.argsort(v.numpy()) for v in (x, y))
        right = np.corrcoef(r, s)[0, 1]
        return 0.2 < abs(right) < 0.95 and abs(right - np.corrcoef(p, q)[0, 1]) > 0.05

    for n, sign in ((5, 1), (7, -1), (int(rng.integers(8, 13)), int(rng.choice([1, -1])))):
        x, y = _until(rng, lambda rng, n=n, sign=sign: related(n, sign), varied)
        yield Case("values", [x, y])
    for n, sign in ((6, 1), (8, -1)):
        x, y = _until(rng, lambda rng, n=n, sign=sign: related(n, sign), varied)
        order = y.argsort()
        y[order[1:4]] = y[order[1]].item()
        x[x.argsort()[-2:]] = x.max().item()
        yield Case("ties", [x, y], title="with ties")
    x, y = related(5, 1)
    same = torch.full((5,), round(float(rng.uniform(1, 5)), 1))
    yield Case("ties", [x, same], title="one list holds equal numbers only")
    yield Case("ties", [x[:1], y[:1]], title="a single pair")
    yield Case("ties", [x[:0], y[:0]], title="no pairs")


rank_correlation = Exercise(
    "rank_correlation", points={"values": 2, "ties": 2}, cases=_rank_correlation_cases
)


@rank_correlation.misconception(
    "This correlates the numbers themselves (Pearson). Replace them by their ranks first."
)
def pearson(x, y):
    if len(x) < 2:
        return 0.0
    r, s = (v.double() - v.double().mean() for v in (x, y))
    scale = r.norm() * s.norm()
    return (r @ s / scale).item() if scale > 1e-9 else 0.0


@rank_correlation.misconception(
    "`argsort` says which number comes at each place of the sorted list, not at which place each"
    " number comes. Those are two different permutations."
)
def sorts_once(x, y):
    if len(x) < 2 or len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
        return 0.0
    r, s = (torch.argsort(v, stable=True).double() for v in (x, y))
    r, s = r - r.mean(), s - s.mean()
    return (r @ s / (r.norm() * s.norm())).item()


@rank_correlation.misconception(
    "Equal numbers get different ranks, by their place in the list. They share the mean of their"
    " ranks."
)
def breaks_ties_by_place(x, y):
    if len(x) < 2 or len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
        return 0.0
    r, s = (v.argsort(stable=True).argsort(stable=True).double() for v in (x, y))
    r, s = r - r.mean(), s - s.mean()
    return (r @ s / (r.norm() * s.norm())).item()


@rank_correlation.misconception(
    "Equal numbers get the smallest of their ranks. They share the mean: 1, 3.5, 2, 3.5."
)
def smallest_rank_for_ties(x, y):
    if len(x) < 2:
        return 0.0
    r, s = ((v[:, None] > v).sum(dim=1).double() for v in (x, y))
    r, s = r - r.mean(), s - s.mean()
    scale = r.norm() * s.norm()
    return (r @ s / scale).item() if scale > 0 else 0.0


@rank_correlation.misconception(
    "After equal numbers the ranks go on without a gap (1, 2, 2, 3). Equal numbers take up as many"
    " ranks as there are of them and share their mean: 1, 2.5, 2.5, 4."
)
def ranks_without_gaps(x, y):
    if len(x) < 2:
        return 0.0
    r, s = (v.unique(return_inverse=True)[1].double() for v in (x, y))
    r, s = r - r.mean(), s - s.mean()
    scale = r.norm() * s.norm()
    return (r @ s / scale).item() if scale > 0 else 0.0


@rank_correlation.misconception(
    "The short formula with 6 times the sum of squared differences holds only without ties. Use the"
    " correlation of the ranks."
)
def short_formula(x, y):
    n = len(x)
    if n < 2 or len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
        return 0.0
    ranks = []
    for v in (x, y):
        below, equal = (v[:, None] > v).sum(dim=1), (v[:, None] == v).sum(dim=1)
        ranks.append(below + (equal + 1) / 2)
    return 1 - 6 * (ranks[0] - ranks[1]).square().sum().item() / (n * (n**2 - 1))


@rank_correlation.misconception(
    "Where there is no order to agree with (equal numbers only, or fewer than two), the fraction is"
    " 0 / 0, and that is NaN. Return 0.0 then."
)
def no_order_is_nan(x, y):
    ranks = []
    for v in (x, y):
        below, equal = (v[:, None] > v).sum(dim=1), (v[:, None] == v).sum(dim=1)
        ranks.append((below + (equal + 1) / 2).double())
    r, s = (rank - rank.mean() for rank in ranks)
    return (r @ s / (r.norm() * s.norm())).item()


@rank_correlation.misconception(
    "The sign is lost. Lists in opposite orders have a correlation below 0."
)
def without_the_sign(x, y):
    if len(x) < 2:
        return 0.0
    ranks = []
    for v in (x, y):
        below, equal = (v[:, None] > v).sum(dim=1), (v[:, None] == v).sum(dim=1)
        ranks.append((below + (equal + 1) / 2).double())
    r, s = (rank - rank.mean() for rank in ranks)
    scale = r.norm() * s.norm()
    return abs((r @ s / scale).item()) if scale > 0 else 0.0


@rank_correlation.misconception(
    "This counts pairs in the same and in the opposite order (Kendall's tau). Spearman's coefficient"
    " is the correlation of the ranks."
)
def kendall(x, y):
    n = len(x)
    if n < 2:
        return 0.0
    signs = [torch.sign(v[:, None] - v) for v in (x, y)]
    return ((signs[0] * signs[1]).sum() / (n * (n - 1))).item()


@rank_correlation.alternative
def rank_correlation_sorted(x, y):
    def ranks(values):
        order = sorted(values)
        return [order.index(v) + (order.count(v) + 1) / 2 for v in values]

    r, s = ranks(x.tolist()), ranks(y.tolist())
    if not r:
        return 0.0
    mean = (len(r) + 1) / 2
    top = sum((a - mean) * (b - mean) for a, b in zip(r, s))
    bottom = math.sqrt(sum((a - mean) ** 2 for a in r) * sum((b - mean) ** 2 for b in s))
    return top / bottom if bottom else 0.0


@rank_correlation.alternative
def rank_correlation_numpy(x, y):
    rows = []
    for values in (x.numpy(), y.numpy()):
        different, place, n = np.unique(values, return_inverse=True, return_counts=True)
        if len(different) < 2:
            return 0.0
        rows.append((np.cumsum(n) - (n - 1) / 2)[place])
    return float(np.corrcoef(rows[0], rows[1])[0, 1])


# 14. principal_components ---------------------------------------------------------------------


def _principal_components_cases(rng: np.random.Generator) -> Iterator[Case]:
    def cloud(n: int, K: int) -> torch.Tensor:
        """Spread differently along turned axes, around a mean that is not 0."""
        points = _normal(rng, n, K)
        left, _, right = torch.linalg.svd(points - points.mean(dim=0), full_matrices=False)
        sizes = 4.0 * 0.5 ** torch.arange(right.shape[0])
        return left * sizes @ right + _normal(rng, K, scale=2.0)

    def clear(X: torch.Tensor) -> bool:
        """Whether no direction has two largest components of about the same size, and the signs
        by direction and by coordinate disagree somewhere, as do those that come by themselves."""
        centered = X - X.mean(dim=0)
        directions = torch.linalg.svd(centered, full_matrices=False).Vh[:2]
        top = directions.abs().sort(dim=1, descending=True).values
        signs = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True)).sign()
        coordinates = centered @ (directions * signs).T
        by_size = coordinates.gather(0, coordinates.abs().argmax(dim=0, keepdim=True))
        sums = (directions * signs).sum(dim=1)
        apart = coordinates.abs().sort(dim=0, descending=True).values
        return bool(
            (top[:, 0] - top[:, 1] > 0.05).all()
            and (directions.max(dim=1).values > 0.05).all()
            and (directions.min(dim=1).values < -0.05).all()
            and (by_size < 0).any()
            and (signs < 0).any()
            and (sums < -0.1).any()
            and (apart[0] - apart[1] > 0.05).all()
        )

    rules = {"atol": 1e-3, "rtol": 1e-3}
    for n, K, k in ((5, 3, 2), (8, 4, 2), (int(rng.integers(9, 13)), 5, 2)):
        (X,) = _until(rng, lambda rng, n=n, K=K: (cloud(n, K),), clear)
        yield Case("values", [X, k], judge=rules)
    (X,) = _until(rng, lambda rng: (cloud(6, 4),), clear)
    title = "points that are not contiguous"
    yield Case("values", [X.T.contiguous().mT, 1], title=title, judge=rules)
    yield Case("edges", [_normal(rng, 1, 4), 2], title="a single point", judge=rules)
    (X,) = _until(rng, lambda rng: (cloud(3, 5),), clear)
    yield Case("edges", [X, 5], title="more coordinates than points", judge=rules)
    (X,) = _until(rng, lambda rng: (cloud(6, 4),), clear)
    loose = {"dtype": "exact", "rtol": 0.03, "atol": 0.03}
    yield Case("edges", [X.half(), 2], title="half precision", judge=loose)


principal_components = Exercise(
    "principal_components", points={"values": 3, "edges": 1}, cases=_principal_components_cases
)


@principal_components.misconception(
    "The mean is not subtracted. Without it the first direction points to where the points lie, not"
    " along which they differ."
)
def not_centered(X, k):
    points = X.float()
    directions = torch.linalg.svd(points, full_matrices=False).Vh[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    found = points @ (directions * largest.sign()).T
    return F.pad(found, (0, k - found.shape[1])).to(X.dtype)


@principal_components.misconception(
    "The directions are found around the mean, but then the points are projected without subtracting"
    " it."
)
def projects_uncentered_points(X, k):
    centered = X.float() - X.float().mean(dim=0)
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    found = X.float() @ (directions * largest.sign()).T
    return F.pad(found, (0, k - found.shape[1])).to(X.dtype)


@principal_components.misconception(
    "The mean of each point's own numbers is subtracted. The mean of the points is meant, one number"
    " for each dimension."
)
def centers_each_point(X, k):
    centered = X.float() - X.float().mean(dim=1, keepdim=True)
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    found = centered @ (directions * largest.sign()).T
    return F.pad(found, (0, k - found.shape[1])).to(X.dtype)


@principal_components.misconception(
    "The signs are wrong way round: in each direction the entry with the largest absolute value should be"
    " positive."
)
def largest_component_negative(X, k):
    centered = X.float() - X.float().mean(dim=0)
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    found = centered @ (directions * -largest.sign()).T
    return F.pad(found, (0, k - found.shape[1])).to(X.dtype)


@principal_components.misconception(
    "The signs are those that the decomposition happened to give. The entry with the largest"
    " absolute value should be positive. (The largest entry itself is nearly always positive and"
    " decides nothing.)"
)
def signs_as_they_come(X, k):
    centered = X.float() - X.float().mean(dim=0)
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    found = centered @ directions.T
    return F.pad(found, (0, k - found.shape[1])).to(X.dtype)


@principal_components.misconception(
    "One number is subtracted everywhere, the mean of all entries of X. The mean of the points is"
    " meant, one number for each dimension."
)
def centers_by_one_number(X, k):
    centered = X.float() - X.float().mean()
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    found = centered @ (directions * largest.sign()).T
    return F.pad(found, (0, k - found.shape[1])).to(X.dtype)


@principal_components.misconception(
    "The signs follow the coordinates of the points. They should follow the directions: in each of"
    " them the entry with the largest absolute value is positive."
)
def signs_of_the_coordinates(X, k):
    centered = X.float() - X.float().mean(dim=0)
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    found = centered @ directions.T
    largest = found.gather(0, found.abs().argmax(dim=0, keepdim=True))
    found = found * torch.where(largest < 0, -1.0, 1.0)
    return F.pad(found, (0, k - found.shape[1])).to(X.dtype)


@principal_components.misconception(
    "The signs make the sum of each direction positive. It is the entry with the largest absolute value that"
    " should be positive."
)
def signs_of_the_sums(X, k):
    centered = X.float() - X.float().mean(dim=0)
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    directions = directions * directions.sum(dim=1, keepdim=True).sign()
    found = centered @ directions.T
    return F.pad(found, (0, k - found.shape[1])).to(X.dtype)


@principal_components.misconception(
    "These are the directions of smallest spread. `eigh` sorts its eigenvalues from small to large;"
    " the principal directions belong to the largest."
)
def smallest_spread_first(X, k):
    centered = X.float() - X.float().mean(dim=0)
    directions = torch.linalg.eigh(centered.T @ centered).eigenvectors.T[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    found = centered @ (directions * largest.sign()).T
    return F.pad(found, (0, k - found.shape[1])).to(X.dtype)


@principal_components.misconception(
    "All coordinates have the same spread: these are the columns of A, without the singular values."
    " Project the points onto the directions, and the spread shows."
)
def all_spreads_equal(X, k):
    centered = X.float() - X.float().mean(dim=0)
    left, _, directions = torch.linalg.svd(centered, full_matrices=False)
    directions = directions[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    found = left[:, :k] * largest.sign().T
    return F.pad(found, (0, k - found.shape[1])).to(X.dtype)


@principal_components.misconception(
    "Each dimension is divided by its standard deviation. Here the points are only centered; how"
    " much a dimension spreads is what counts."
)
def standardized(X, k):
    centered = X.float() - X.float().mean(dim=0)
    centered = centered / centered.square().mean(dim=0).sqrt().clamp(min=1e-9)
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    found = centered @ (directions * largest.sign()).T
    return F.pad(found, (0, k - found.shape[1])).to(X.dtype)


@principal_components.misconception(
    "With fewer directions than k some columns are missing. The result has k columns all the same,"
    " filled up with zeros."
)
def fewer_columns(X, k):
    centered = X.float() - X.float().mean(dim=0)
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    return (centered @ (directions * largest.sign()).T).to(X.dtype)


@principal_components.misconception(
    "The result should have the precision of X; yours comes back as float32."
)
def components_always_float32(X, k):
    centered = X.float() - X.float().mean(dim=0)
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    found = centered @ (directions * largest.sign()).T
    return F.pad(found, (0, k - found.shape[1]))


@principal_components.misconception(
    "The decomposition does not know half precision. Compute in float32, and bring the result back"
    " to the precision of X at the end."
)
def decomposes_half_precision(X, k):
    centered = X - X.mean(dim=0)
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    found = centered @ (directions * largest.sign()).T
    return F.pad(found, (0, k - found.shape[1]))


@principal_components.misconception(
    "The signs are those that the decomposition happened to give. The entry with the largest"
    " absolute value should be positive. (Afterwards look at half precision and at few points.)"
)
def plain_decomposition(X, k):
    centered = X - X.mean(dim=0)
    return centered @ torch.linalg.svd(centered, full_matrices=False).Vh[:k].T


@principal_components.misconception(
    "One number is subtracted everywhere, the mean of all entries of X. The mean of the points is"
    " meant, one number for each dimension. (Afterwards look at half precision and at few points.)"
)
def plain_with_one_mean(X, k):
    centered = X - X.mean()
    directions = torch.linalg.svd(centered, full_matrices=False).Vh[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    return centered @ (directions * largest.sign()).T


@principal_components.misconception(
    "The mean is not subtracted. Without it the first direction points to where the points lie, not"
    " along which they differ. (Afterwards look at half precision and at few points.)"
)
def plain_not_centered(X, k):
    directions = torch.linalg.svd(X, full_matrices=False).Vh[:k]
    largest = directions.gather(1, directions.abs().argmax(dim=1, keepdim=True))
    return X @ (directions * largest.sign()).T


@principal_components.alternative
def principal_components_eigen(X, k):
    centered = X.double() - X.double().mean(dim=0)
    _, vectors = torch.linalg.eigh(centered.T @ centered)
    vectors = vectors.flip(1)[:, : min(k, *X.shape)]
    result = torch.zeros(len(X), k, dtype=torch.float64)
    for column, direction in enumerate(vectors.T):
        if direction[direction.abs().argmax()] < 0:
            direction = -direction
        result[:, column] = centered @ direction
    return result.to(X.dtype)


@principal_components.alternative
def principal_components_numpy(X, k):
    points = X.detach().to(torch.float64).numpy()
    points = points - points.mean(axis=0)
    left, sizes, directions = np.linalg.svd(points, full_matrices=False)
    signs = [np.sign(row[np.argmax(np.abs(row))]) for row in directions]
    coordinates = (left * sizes * signs)[:, :k]
    wider = np.zeros((len(points), k))
    wider[:, : coordinates.shape[1]] = coordinates
    return torch.from_numpy(wider).to(X.dtype)


# 15. character_ngrams -------------------------------------------------------------------------


def _ngram_word(rng: np.random.Generator, n: int) -> str:
    """Different letters, so that no piece comes twice."""
    return "".join(str(letter) for letter in rng.choice(list("abcdefghijklmnop"), n, replace=False))


def _character_ngrams_cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("values", [_ngram_word(rng, 5)])
    yield Case("values", ["interlink"], title="the word of the lecture")
    yield Case("values", [_ngram_word(rng, int(rng.integers(7, 10)))])
    yield Case("values", [_ngram_word(rng, 6)], {"shortest": 2, "longest": 4})
    a, b = _ngram_word(rng, 2)
    title = "the same piece several times"
    yield Case("edges", ["".join([b, a, a + a, a, b])], title=title)
    yield Case("edges", [_ngram_word(rng, 2)], title="a short word is one of its own pieces")
    yield Case("edges", [""], title="the empty word")


character_ngrams = Exercise(
    "character_ngrams", points={"values": 2, "edges": 1}, cases=_character_ngrams_cases
)


@character_ngrams.misconception(
    "The brackets < and > are missing. They mark where the word begins and ends."
)
def without_brackets(word, shortest=3, longest=6):
    lengths = range(shortest, longest + 1)
    pieces = [word[i : i + n] for n in lengths for i in range(len(word) - n + 1)]
    return list(dict.fromkeys([*pieces, word]))


@character_ngrams.misconception(
    "Only the whole word has its brackets. Put them on first: the pieces at the beginning and at the"
    " end of the word have one of them, too."
)
def pieces_without_brackets(word, shortest=3, longest=6):
    lengths = range(shortest, longest + 1)
    pieces = [word[i : i + n] for n in lengths for i in range(len(word) - n + 1)]
    return list(dict.fromkeys([*pieces, f"<{word}>"]))


@character_ngrams.misconception(
    "The whole word is missing: it is one more piece, however long it is."
)
def without_the_whole_word(word, shortest=3, longest=6):
    marked, lengths = f"<{word}>", range(shortest, longest + 1)
    pieces = [marked[i : i + n] for n in lengths for i in range(len(marked) - n + 1)]
    return list(dict.fromkeys(pieces))


@character_ngrams.misconception(
    "The whole word comes without its brackets. As a piece it is <word>, brackets and all."
)
def whole_word_without_brackets(word, shortest=3, longest=6):
    marked, lengths = f"<{word}>", range(shortest, longest + 1)
    pieces = [marked[i : i + n] for n in lengths for i in range(len(marked) - n + 1)]
    return list(dict.fromkeys([*pieces, word]))


@character_ngrams.misconception(
    "The pieces of `longest` letters are missing: the end of a range is not included."
)
def without_the_longest(word, shortest=3, longest=6):
    marked, lengths = f"<{word}>", range(shortest, longest)
    pieces = [marked[i : i + n] for n in lengths for i in range(len(marked) - n + 1)]
    return list(dict.fromkeys([*pieces, marked]))


@character_ngrams.misconception(
    "The last piece of each length is missing, the one with the closing bracket. A word of L letters"
    " has L - n + 1 pieces of n letters."
)
def without_the_last_piece(word, shortest=3, longest=6):
    marked, lengths = f"<{word}>", range(shortest, longest + 1)
    pieces = [marked[i : i + n] for n in lengths for i in range(len(marked) - n)]
    return list(dict.fromkeys([*pieces, marked]))


@character_ngrams.misconception(
    "The longest pieces and the last piece of each length are missing: twice the end of a range that"
    " is not included."
)
def both_ranges_too_short(word, shortest=3, longest=6):
    marked, lengths = f"<{word}>", range(shortest, longest)
    pieces = [marked[i : i + n] for n in lengths for i in range(len(marked) - n)]
    return list(dict.fromkeys([*pieces, marked]))


@character_ngrams.misconception(
    "The pieces are right, but in alphabetical order. They should come by length, those of one"
    " length from left to right, and the whole word last."
)
def pieces_in_alphabetical_order(word, shortest=3, longest=6):
    marked, lengths = f"<{word}>", range(shortest, longest + 1)
    pieces = [marked[i : i + n] for n in lengths for i in range(len(marked) - n + 1)]
    return sorted({*pieces, marked})


@character_ngrams.misconception(
    "At the end of the word there are pieces that are too short: a slice past the end just gets"
    " shorter."
)
def with_stumps(word, shortest=3, longest=6):
    marked, lengths = f"<{word}>", range(shortest, longest + 1)
    pieces = [marked[i : i + n] for n in lengths for i in range(len(marked))]
    return list(dict.fromkeys([*pieces, marked]))


@character_ngrams.misconception(
    "A piece that comes twice is listed twice (also the whole word of a short word). The pieces are"
    " a set: each one once."
)
def keeps_repetitions(word, shortest=3, longest=6):
    marked, lengths = f"<{word}>", range(shortest, longest + 1)
    pieces = [marked[i : i + n] for n in lengths for i in range(len(marked) - n + 1)]
    return [*pieces, marked]


@character_ngrams.misconception(
    "A short word that is one of its own pieces is listed twice. The pieces are a set: each one"
    " once."
)
def short_word_twice(word, shortest=3, longest=6):
    marked, lengths = f"<{word}>", range(shortest, longest + 1)
    pieces = [marked[i : i + n] for n in lengths for i in range(len(marked) - n + 1)]
    return [*dict.fromkeys(pieces), marked]


@character_ngrams.misconception(
    "The pieces come place by place. They should come by length: all of three letters from left to"
    " right, then all of four."
)
def place_by_place(word, shortest=3, longest=6):
    marked = f"<{word}>"
    pieces = [
        marked[i : i + n]
        for i in range(len(marked))
        for n in range(shortest, longest + 1)
        if i + n <= len(marked)
    ]
    return list(dict.fromkeys([*pieces, marked]))


@character_ngrams.misconception("The whole word comes first. It should be the last piece.")
def whole_word_first(word, shortest=3, longest=6):
    marked, lengths = f"<{word}>", range(shortest, longest + 1)
    pieces = [marked[i : i + n] for n in lengths for i in range(len(marked) - n + 1)]
    return list(dict.fromkeys([marked, *pieces]))


@character_ngrams.misconception(
    "The pieces have always 3 to 6 letters. Use the arguments `shortest` and `longest`."
)
def always_three_to_six(word, shortest=3, longest=6):
    marked = f"<{word}>"
    pieces = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    return list(dict.fromkeys([*pieces, marked]))


@character_ngrams.alternative
def character_ngrams_loop(word, shortest=3, longest=6):
    marked, found = "<" + word + ">", []
    for n in range(shortest, longest + 1):
        start = 0
        while start + n <= len(marked):
            if marked[start : start + n] not in found:
                found.append(marked[start : start + n])
            start += 1
    if marked not in found:
        found.append(marked)
    return found


@character_ngrams.alternative
def character_ngrams_zip(word, shortest=3, longest=6):
    letters = ["<", *word, ">"]
    found = {}
    for n in range(shortest, longest + 1):
        for piece in zip(*(letters[i:] for i in range(n))):
            found.setdefault("".join(piece))
    found.setdefault("".join(letters))
    return [*found]


# 16. subword_vector ---------------------------------------------------------------------------


def _pieces(word: str) -> list[str]:
    marked = f"<{word}>"
    found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    return list(dict.fromkeys([*found, marked]))


def _subword_vector_cases(rng: np.random.Generator) -> Iterator[Case]:
    def table(words: list[str], K: int) -> tuple[dict[str, int], torch.Tensor]:
        every = list(dict.fromkeys(piece for word in words for piece in _pieces(word)))
        every = [every[i] for i in rng.permutation(len(every))]
        return {piece: row for row, piece in enumerate(every)}, _normal(rng, len(every), K)

    def different(K: int) -> list[str]:
        return [_ngram_word(rng, K), _ngram_word(rng, K - 1)]

    for n, K in ((5, 2), (6, int(rng.integers(2, 5)))):
        words = different(n)
        yield Case("values", [words[0], *table(words, K)], judge=_EXACT)
    a, b = _ngram_word(rng, 2)
    word = "".join([b, a, a + a, a, b])
    yield Case("values", [word, *table([word], 2)], title="a piece comes twice", judge=_EXACT)
    words = [_ngram_word(rng, 6)]
    pieces, Z = table(words, 3)
    unseen = words[0] + "qu"
    title = "a word never seen, with some known pieces"
    yield Case("unseen", [unseen, pieces, Z], title=title, judge=_EXACT)
    yield Case("unseen", ["xyz", pieces, Z], title="no known piece", judge=_EXACT)
    yield Case("unseen", ["", pieces, Z], title="the empty word", judge=_EXACT)
    half = [unseen, pieces, Z.half()]
    loose = {**_EXACT, "atol": 0.02}  # sums in another order round differently
    yield Case("unseen", half, title="half precision", judge=loose)


subword_vector = Exercise(
    "subword_vector", points={"values": 2, "unseen": 2}, cases=_subword_vector_cases
)


@subword_vector.misconception(
    "This is the mean of the pieces' vectors. A word's vector is their sum."
)
def mean_of_the_pieces(word, pieces, Z):
    marked = f"<{word}>"
    found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    rows = [pieces[p] for p in dict.fromkeys([*found, marked]) if p in pieces]
    return Z[rows].sum(dim=0) / max(1, len(rows))


@subword_vector.misconception(
    "The mean of no vectors is NaN, and this is the mean of the pieces' vectors. A word's vector is"
    " their sum, and a sum without terms is 0."
)
def mean_and_nan(word, pieces, Z):
    marked = f"<{word}>"
    found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    rows = [pieces[p] for p in dict.fromkeys([*found, marked]) if p in pieces]
    return Z[rows].mean(dim=0)


@subword_vector.misconception(
    "An unknown piece stops the function: it has no row to look up. Unknown pieces add nothing."
)
def stops_at_an_unknown_piece(word, pieces, Z):
    marked = f"<{word}>"
    found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    return Z[[pieces[p] for p in dict.fromkeys([*found, marked])]].sum(dim=0)


@subword_vector.misconception(
    "An unknown piece gets row 0, the vector of another piece. Unknown pieces add nothing."
)
def unknown_piece_is_row_zero(word, pieces, Z):
    marked = f"<{word}>"
    found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    return Z[[pieces.get(p, 0) for p in dict.fromkeys([*found, marked])]].sum(dim=0)


@subword_vector.misconception(
    "Only the piece of the whole word is looked up. Its n-grams belong to the sum as well."
)
def only_the_whole_word(word, pieces, Z):
    marked = f"<{word}>"
    return Z[[pieces[marked]]].sum(dim=0) if marked in pieces else torch.zeros_like(Z[0])


@subword_vector.misconception("The piece of the whole word, <word>, is missing from the sum.")
def subwords_without_the_word(word, pieces, Z):
    marked = f"<{word}>"
    found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    return Z[[pieces[p] for p in dict.fromkeys(found) if p in pieces]].sum(dim=0)


@subword_vector.misconception(
    "A piece that comes twice in the word is added twice. The pieces are a set: use your"
    " `character_ngrams`, which lists each one once."
)
def adds_repetitions(word, pieces, Z):
    marked = f"<{word}>"
    found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    if marked not in found:
        found.append(marked)
    return Z[[pieces[p] for p in found if p in pieces]].sum(dim=0)


@subword_vector.misconception(
    "The vector should keep the precision of Z; yours comes back as float32."
)
def subwords_always_float32(word, pieces, Z):
    marked = f"<{word}>"
    found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    vector = torch.zeros(Z.shape[1])
    for p in dict.fromkeys([*found, marked]):
        if p in pieces:
            vector = vector + Z[pieces[p]]
    return vector


@subword_vector.misconception(
    "These are the vectors of the pieces, one row for each. Add them up to a single vector, (K,)."
)
def pieces_not_added(word, pieces, Z):
    marked = f"<{word}>"
    found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    return Z[[pieces[p] for p in dict.fromkeys([*found, marked]) if p in pieces]]


@subword_vector.misconception(
    "The numbers of each piece are added up among themselves, which gives one number per piece. Add"
    " the pieces to each other: the result has as many numbers as a row of Z."
)
def sums_along_the_rows(word, pieces, Z):
    marked = f"<{word}>"
    found = [marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)]
    rows = [pieces[p] for p in dict.fromkeys([*found, marked]) if p in pieces]
    return Z[rows].sum(dim=1)


@subword_vector.alternative
def subword_vector_loop(word, pieces, Z):
    marked = f"<{word}>"
    found = {marked[i : i + n] for n in range(3, 7) for i in range(len(marked) - n + 1)} | {marked}
    vector = torch.zeros_like(Z[0])
    for piece in sorted(found):
        if piece in pieces:
            vector += Z[pieces[piece]]
    return vector


@subword_vector.alternative
def subword_vector_bag(word, pieces, Z):
    marked = f"<{word}>"
    bag = torch.zeros(len(Z), dtype=Z.dtype)
    for n in (3, 4, 5, 6, len(marked)):
        for i in range(len(marked) - n + 1):
            if marked[i : i + n] in pieces:
                bag[pieces[marked[i : i + n]]] = 1
    return bag @ Z
