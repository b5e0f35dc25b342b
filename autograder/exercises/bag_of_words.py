"""Cases and misconceptions of 01_bag_of_words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
import torch
import torch.nn.functional as F

from autograder.course.exercise import Case, Exercise
from coursekit.checking import codec

# Some words lie inside others (art, party; long, along): counting is by word, not by letters.
_WORDS = (
    "a the this is it and with but film movie plot cast scene music ending art party star start"
    " long along great greater bad good dull fun just bit while awesome Great Bad ! , ."
).split()
# None of these lies inside another, and all are in lower case.
_PLAIN_WORDS = "the this film movie plot scene music ending long great good bad dull fun".split()


def _text(rng: np.random.Generator, length: int, words: list[str] | None = None) -> list[str]:
    return [str(word) for word in rng.choice(words or _WORDS, size=length)]


def _texts(rng: np.random.Generator, n: int, words: list[str] | None = None) -> list[list[str]]:
    return [_text(rng, int(rng.integers(3, 9)), words) for _ in range(n)]


def _some_words(rng: np.random.Generator, n: int) -> list[str]:
    return [str(word) for word in rng.choice(_WORDS, size=n, replace=False)]


def _plain_words(rng: np.random.Generator, n: int) -> list[str]:
    return [str(word) for word in rng.choice(_PLAIN_WORDS, size=n, replace=False)]


def _vocabulary(rng: np.random.Generator, n: int) -> dict[str, int]:
    return {word: index for index, word in enumerate(_some_words(rng, n))}


def _normal(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.normal(size=shape), dtype=np.float32))


def _counts(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    return torch.from_numpy(rng.poisson(0.7, size=shape).astype(np.float32))


def _generator(rng: np.random.Generator) -> torch.Generator:
    return torch.Generator().manual_seed(int(rng.integers(1000)))


def _labels(rng: np.random.Generator, n: int) -> torch.Tensor:
    """Both classes, more of the positive one."""
    labels = (rng.random(n) < 0.6).astype(np.int64)
    labels[:2] = [1, 0]
    return torch.from_numpy(rng.permutation(labels))


# 1. document_frequency ------------------------------------------------------------------------


def _document_frequency_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (2, 4, int(rng.integers(5, 8))):
        yield Case("values", [_texts(rng, n, _some_words(rng, 8))])
    word, other = _some_words(rng, 2)
    repeated = [[word] * int(rng.integers(2, 5)), [word, other, word]]
    yield Case("values", [repeated], title="a word several times in one text")
    cased = [["Great", "film"], ["great", "Film"], ["great", *_text(rng, 2)]]
    yield Case("values", [cased], title="words are taken as they are, upper case too")
    inside = [["party", *_text(rng, 2, ["long", "the"])], ["art"], ["along"]]
    yield Case("values", [inside], title="a word that lies inside another word")
    yield Case("edges", [[[], _plain_words(rng, 3), []]], title="texts without words")
    yield Case("edges", [[]], title="no texts at all")


document_frequency = Exercise(
    "document_frequency", points={"values": 2, "edges": 1}, cases=_document_frequency_cases
)


@document_frequency.misconception(
    "You count every occurrence. A text that says a word three times still is one text: look at"
    " each text's different words."
)
def counts_occurrences(texts):
    return dict(Counter(word for text in texts for word in text))


@document_frequency.misconception(
    "This is the share of the texts. The document frequency is their number, a whole number."
)
def gives_shares(texts):
    found = Counter(word for text in texts for word in set(text))
    return {word: count / len(texts) for word, count in found.items()}


@document_frequency.misconception(
    "Upper and lower case are mixed up here: take the words as they come. Lower-casing is the"
    " tokenizer's business."
)
def lower_cases(texts):
    return dict(Counter(word for text in texts for word in {w.lower() for w in text}))


@document_frequency.misconception(
    "The word is searched in the text's letters, so `art` is found inside `party`. Compare whole"
    " words."
)
def finds_inside_words(texts):
    words = {word for text in texts for word in text}
    return {word: sum(word in " ".join(text) for text in texts) for word in words}


@document_frequency.misconception(
    "Every word has the count 1. The count has to go on from text to text, not start anew."
)
def forgets_to_add(texts):
    return {word: 1 for text in texts for word in text}


@document_frequency.alternative
def document_frequency_loop(texts):
    frequency = {}
    for text in texts:
        seen = []
        for word in text:
            if word not in seen:
                seen.append(word)
                frequency[word] = frequency.get(word, 0) + 1
    return frequency


@document_frequency.alternative
def document_frequency_comprehension(texts):
    words = set().union(*map(set, texts))
    return {word: sum(word in text for text in texts) for word in words}


# 2. build_vocabulary --------------------------------------------------------------------------


def _build_vocabulary_cases(rng: np.random.Generator) -> Iterator[Case]:
    ordered = {"order": True}
    words = _some_words(rng, 7)
    yield Case("values", [_texts(rng, 4, words)], judge=ordered)
    # Here the number of texts and the number of occurrences order the words differently.
    often, wide = _some_words(rng, 2)
    spread = [[often] * int(rng.integers(4, 7)), [wide], [wide], [often, wide]]
    yield Case("values", [spread], title="often in few texts", judge=ordered)
    tied = sorted(_some_words(rng, 5), reverse=True)
    once = [tied[:3], tied[3:], tied]
    yield Case("values", [once], title="all equally frequent", judge=ordered)
    for least in (2, 3):
        texts = _texts(rng, 6, words)
        yield Case("limits", [texts], {"min_count": least}, judge=ordered)
    exact = [[words[0]] * 3, [words[1]] * 2, [words[2]]]
    title = "a word seen exactly min_count times stays"
    yield Case("limits", [exact], {"min_count": 2}, title=title, judge=ordered)
    largest = int(rng.integers(2, 5))
    yield Case("limits", [_texts(rng, 5, words)], {"max_size": largest}, judge=ordered)
    yield Case("limits", [exact], {"max_size": 50}, title="room for more words", judge=ordered)
    yield Case("limits", [[[], []]], title="texts without words", judge=ordered)


build_vocabulary = Exercise(
    "build_vocabulary", points={"values": 2, "limits": 2}, cases=_build_vocabulary_cases
)


@build_vocabulary.misconception(
    "Words that are equally frequent come in the order of their first appearance. Ties are broken"
    " alphabetically, so that the same words give the same vocabulary in whatever order the texts"
    " come."
)
def breaks_ties_by_appearance(texts, min_count=1, max_size=None):
    found = Counter(word for text in texts for word in text).most_common(max_size)
    return {word: i for i, (word, count) in enumerate(found) if count >= min_count}


@build_vocabulary.misconception(
    "The words are ordered by the number of texts they occur in. Here every occurrence counts,"
    " also the second one in the same text."
)
def orders_by_texts(texts, min_count=1, max_size=None):
    found = Counter(word for text in texts for word in set(text))
    kept = sorted((-count, word) for word, count in found.items() if count >= min_count)
    return {word: i for i, (_, word) in enumerate(kept[:max_size])}


@build_vocabulary.misconception(
    "A word seen exactly min_count times is lost: min_count is the smallest count that stays."
)
def min_count_is_excluded(texts, min_count=1, max_size=None):
    found = Counter(word for text in texts for word in text)
    # With the default of 1 nothing is left out, as in most code with this mistake.
    kept = [(-n, word) for word, n in found.items() if n > min_count or min_count == 1]
    return {word: i for i, (_, word) in enumerate(sorted(kept)[:max_size])}


@build_vocabulary.misconception(
    "The first word has the index 1. Indices are positions in a tensor, and those start at 0."
)
def starts_at_one(texts, min_count=1, max_size=None):
    found = Counter(word for text in texts for word in text)
    kept = sorted((-count, word) for word, count in found.items() if count >= min_count)
    return {word: i for i, (_, word) in enumerate(kept[:max_size], start=1)}


@build_vocabulary.misconception(
    "The rarest words come first. The most frequent word has the index 0."
)
def rarest_first(texts, min_count=1, max_size=None):
    found = Counter(word for text in texts for word in text)
    kept = sorted((count, word) for word, count in found.items() if count >= min_count)
    return {word: i for i, (_, word) in enumerate(kept[:max_size])}


@build_vocabulary.misconception(
    "Each word is followed by its count. In a vocabulary it is followed by its index: 0 for the"
    " first word, 1 for the second."
)
def gives_counts(texts, min_count=1, max_size=None):
    found = Counter(word for text in texts for word in text)
    kept = sorted((-count, word) for word, count in found.items() if count >= min_count)
    return {word: -count for count, word in kept[:max_size]}


@build_vocabulary.misconception(
    "Equally frequent words come from Z to A: turning the whole order around to get falling counts"
    " turns the alphabet around too."
)
def breaks_ties_backwards(texts, min_count=1, max_size=None):
    found = Counter(word for text in texts for word in text)
    kept = [(count, word) for word, count in found.items() if count >= min_count]
    return {word: i for i, (_, word) in enumerate(sorted(kept, reverse=True)[:max_size])}


@build_vocabulary.alternative
def build_vocabulary_two_sorts(texts, min_count=1, max_size=None):
    counts = {}
    for text in texts:
        for word in text:
            counts[word] = counts.get(word, 0) + 1
    words = sorted(counts)
    words.sort(key=counts.get, reverse=True)  # a stable sort keeps the alphabet among equals
    vocabulary = {}
    for word in words:
        if counts[word] < min_count or len(vocabulary) == max_size:
            break
        vocabulary[word] = len(vocabulary)
    return vocabulary


@build_vocabulary.alternative
def build_vocabulary_numpy(texts, min_count=1, max_size=None):
    every = np.array([word for text in texts for word in text], dtype=object)
    if not len(every):
        return {}
    words, counts = np.unique(every, return_counts=True)  # unique sorts alphabetically
    order = np.argsort(-counts, kind="stable")[:max_size]
    return {str(words[i]): n for n, i in enumerate(order) if counts[i] >= min_count}


# 3. binary_bag and 4. count_bag ---------------------------------------------------------------


def _bag_cases(rng: np.random.Generator) -> Iterator[Case]:
    exact = {"dtype": "exact"}
    for size, length in ((4, 5), (8, 9), (int(rng.integers(9, 14)), 12)):
        vocabulary = _vocabulary(rng, size)
        known = [*_text(rng, length, list(vocabulary)), list(vocabulary)[1]]
        yield Case("values", [known, vocabulary], judge=exact)
    vocabulary = _vocabulary(rng, 6)
    word = list(vocabulary)[int(rng.integers(1, 6))]
    again = [word] * int(rng.integers(2, 5))
    yield Case("values", [again, vocabulary], title="one word several times", judge=exact)
    inside = {"art": 0, "party": 1, "long": 2, "along": 3, "star": 4}
    text = [["party", "along"], ["party"], ["along", "party", "along"]][int(rng.integers(3))]
    title = "a word that lies inside another word"
    yield Case("values", [text, inside], title=title, judge=exact)
    # From here on no known word comes twice.
    words = _plain_words(rng, 12)
    vocabulary, absent = {word: index for index, word in enumerate(words[:6])}, words[6:]
    mixed = [str(word) for word in rng.permutation(words[3:9])]
    yield Case("unknown", [mixed, vocabulary], title="some words are unknown", judge=exact)
    strange = _text(rng, 4, absent)
    yield Case("unknown", [strange, vocabulary], title="every word is unknown", judge=exact)
    yield Case("unknown", [[], vocabulary], title="a text without words", judge=exact)


binary_bag = Exercise("binary_bag", points={"values": 2, "unknown": 1}, cases=_bag_cases)


@binary_bag.misconception(
    "Words are counted. In a binary bag a word is there or not: 1 or 0, however often it comes."
)
def binary_counts(tokens, vocabulary):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        if token in vocabulary:
            x[vocabulary[token]] += 1
    return x


@binary_bag.misconception(
    "An unknown word sets the first component, which belongs to another word. It has none of its"
    " own: leave it out."
)
def binary_unknown_is_first(tokens, vocabulary):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        x[vocabulary.get(token, 0)] = 1
    return x


@binary_bag.misconception(
    "An unknown word sets the last component, which belongs to another word. It has none of its"
    " own: leave it out."
)
def binary_unknown_is_last(tokens, vocabulary):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        x[vocabulary.get(token, -1)] = 1
    return x


@binary_bag.misconception(
    "A word outside the vocabulary stops the function: it has no index to look up. Leave such words"
    " out before you ask for their index."
)
def binary_stops_at_unknown(tokens, vocabulary):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        x[vocabulary[token]] = 1
    return x


@binary_bag.misconception(
    "These are the indices of the words. A bag has one component for each word of the vocabulary,"
    " so its shape is (D,) for every text."
)
def binary_gives_indices(tokens, vocabulary):
    return torch.tensor([vocabulary[t] for t in tokens if t in vocabulary], dtype=torch.float32)


@binary_bag.misconception(
    "The word is searched in the text's letters, so `art` is found inside `party`. Compare whole"
    " words."
)
def binary_finds_inside_words(tokens, vocabulary):
    text = " ".join(tokens)
    return torch.tensor([float(word in text) for word in vocabulary])


@binary_bag.misconception(
    "These are whole numbers. Weights are real numbers, so let the bag hold real numbers (float32)"
    " too."
)
def binary_integers(tokens, vocabulary):
    return torch.tensor([int(word in tokens) for word in vocabulary])


@binary_bag.alternative
def binary_bag_comprehension(tokens, vocabulary):
    present = set(tokens)
    return torch.tensor([1.0 if word in present else 0.0 for word in vocabulary])


@binary_bag.alternative
def binary_bag_one_hot(tokens, vocabulary):
    known = torch.tensor([vocabulary[t] for t in tokens if t in vocabulary], dtype=torch.long)
    one_hot = F.one_hot(known, len(vocabulary)).float()
    return one_hot.max(dim=0).values if len(known) else torch.zeros(len(vocabulary))


count_bag = Exercise("count_bag", points={"values": 2, "unknown": 1}, cases=_bag_cases)


@count_bag.misconception(
    "A word that comes several times has the component 1. Its component is the number of times it"
    " comes. (Setting is not adding, and indexing with a list that holds an index twice also adds"
    " only once.)"
)
def count_is_binary(tokens, vocabulary):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        if token in vocabulary:
            x[vocabulary[token]] = 1
    return x


@count_bag.misconception(
    "An unknown word is counted for the first word of the vocabulary. It has no component of its"
    " own: leave it out."
)
def count_unknown_is_first(tokens, vocabulary):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        x[vocabulary.get(token, 0)] += 1
    return x


@count_bag.misconception(
    "An unknown word is counted for the last word of the vocabulary. It has no component of its"
    " own: leave it out."
)
def count_unknown_is_last(tokens, vocabulary):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        x[vocabulary.get(token, -1)] += 1
    return x


@count_bag.misconception(
    "A word outside the vocabulary stops the function: it has no index to look up. Leave such words"
    " out before you count."
)
def count_stops_at_unknown(tokens, vocabulary):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        x[vocabulary[token]] += 1
    return x


@count_bag.misconception(
    "The counts are divided by the length of the text. Keep the plain counts here."
)
def count_gives_shares(tokens, vocabulary):
    counts = torch.tensor([float(tokens.count(word)) for word in vocabulary])
    return counts / max(1, len(tokens))


@count_bag.misconception(
    "The word is searched in the text's letters, so `art` is found inside `party`. Compare whole"
    " words."
)
def count_finds_inside_words(tokens, vocabulary):
    text = " ".join(tokens)
    return torch.tensor([float(text.count(word)) for word in vocabulary])


@count_bag.alternative
def count_bag_index_add(tokens, vocabulary):
    known = torch.tensor([vocabulary[t] for t in tokens if t in vocabulary], dtype=torch.long)
    return torch.zeros(len(vocabulary)).index_add(0, known, torch.ones(len(known)))


@count_bag.alternative
def count_bag_counter(tokens, vocabulary):
    counts = Counter(tokens)
    return torch.tensor([float(counts[word]) for word in vocabulary])


# 5. tfidf -------------------------------------------------------------------------------------


def _tfidf_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, d in ((1, 4), (3, 5), (int(rng.integers(4, 7)), int(rng.integers(6, 9)))):
        n_texts = int(rng.integers(20, 200))
        frequency = torch.from_numpy(rng.integers(1, n_texts, size=d))
        counts = _counts(rng, n, d) + torch.eye(n, d) * 2
        yield Case("values", [counts, frequency, n_texts])
    n_texts = int(rng.integers(20, 200))
    everywhere = torch.tensor([n_texts, n_texts // 2, 1])
    counts = _counts(rng, 2, 3) + 1
    title = "a word that is in every text weighs nothing"
    yield Case("edges", [counts, everywhere, n_texts], title=title)
    never = torch.tensor([0, n_texts // 3, 0])
    yield Case("edges", [counts, never, n_texts], title="a word that is in no text")
    yield Case("edges", [torch.zeros(2, 3), never, n_texts], title="texts without known words")


tfidf = Exercise("tfidf", points={"values": 2, "edges": 1}, cases=_tfidf_cases)


@tfidf.misconception(
    "N is taken from the rows of `counts`. It should be n_texts, the size of the collection in"
    " which df was counted: one text alone must get the same numbers as among others."
)
def uses_the_batch_size(counts, df, n_texts):
    return counts * torch.log((1 + len(counts)) / (1 + df))


@tfidf.misconception(
    "The document frequency is counted again in `counts`. Use the df that is given: it comes from"
    " the training texts, and texts to be judged later must not change it."
)
def counts_df_again(counts, df, n_texts):
    return counts * torch.log((1 + n_texts) / (1 + (counts > 0).sum(dim=0)))


@tfidf.misconception(
    "Both numbers are taken from `counts`: N from its rows, df from its columns. Use the n_texts and"
    " the df that are given. They come from the training texts and stay the same for every text"
    " that is judged later."
)
def counts_everything_again(counts, df, n_texts):
    return counts * torch.log((1 + len(counts)) / (1 + (counts > 0).sum(dim=0)))


@tfidf.misconception(
    "How often a word is in the text plays no part. Term frequency is the count: a word that comes"
    " twice weighs twice as much."
)
def forgets_term_frequency(counts, df, n_texts):
    return (counts > 0) * torch.log((1 + n_texts) / (1 + df))


@tfidf.misconception(
    "Without the 1 + above and below the line a word that is in no text divides by 0."
)
def does_not_smooth(counts, df, n_texts):
    return counts * torch.log(n_texts / df)


@tfidf.misconception(
    "The fraction is upside down: rare words should weigh more than frequent ones."
)
def turns_the_fraction_over(counts, df, n_texts):
    return counts * torch.log((1 + df) / (1 + n_texts))


@tfidf.misconception("This is a logarithm to another base. ln is the natural one.")
def uses_log10(counts, df, n_texts):
    return counts * torch.log10((1 + n_texts) / (1 + df))


@tfidf.misconception(
    "Here 1 is added to every idf, as scikit-learn does. In this formula a word that is in every"
    " text weighs 0."
)
def adds_one(counts, df, n_texts):
    return counts * (torch.log((1 + n_texts) / (1 + df)) + 1)


@tfidf.misconception("The logarithm is missing: this multiplies by the fraction itself.")
def forgets_the_logarithm(counts, df, n_texts):
    return counts * ((1 + n_texts) / (1 + df))


@tfidf.misconception(
    "The counts are divided by the length of the text. Term frequency is the plain count here."
)
def divides_by_length(counts, df, n_texts):
    shares = counts / counts.sum(dim=1, keepdim=True).clamp(min=1)
    return shares * torch.log((1 + n_texts) / (1 + df))


@tfidf.alternative
def tfidf_loop(counts, df, n_texts):
    result = counts.clone()
    for j, frequency in enumerate(df.tolist()):
        result[:, j] *= math.log((1 + n_texts) / (1 + frequency))
    return result


@tfidf.alternative
def tfidf_matrix(counts, df, n_texts):
    weights = math.log(1 + n_texts) - torch.log1p(df.float())
    return counts @ torch.diag(weights)


# 6. decide ------------------------------------------------------------------------------------


def _decide_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, d in ((4, 3), (8, 5), (12, int(rng.integers(6, 9)))):
        counts, w = _counts(rng, n, d), _normal(rng, d)
        scores = counts @ w
        # Between the scores, so that both classes come out, far from rounding.
        w_0 = -(scores.min() + scores.max()) / 2 - 0.01
        yield Case("values", [counts, w, w_0])
    counts, w = _counts(rng, 6, 4), _normal(rng, 4)
    low = torch.tensor(-float((counts @ w).max()) - 0.2)
    yield Case("values", [counts, w, low], title="a large negative bias")
    small = torch.tensor([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    near = torch.tensor([0.25, -0.25, 0.5])[torch.from_numpy(rng.permutation(3))]
    title = "scores between 0 and 1 are positive"
    yield Case("values", [small, near, torch.tensor(0.125)], title=title)
    # Halves and small whole numbers are exact, so these scores are exactly 0.
    tie = torch.tensor(rng.integers(2, 5) / 2, dtype=torch.float32)
    even = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    yield Case("edges", [even, torch.stack([-tie, tie]), tie], title="a score of exactly 0")
    yield Case("edges", [torch.zeros(3, 2), _normal(rng, 2), torch.tensor(0.0)], title="empty bags")
    single = _normal(rng, 1)
    title = "texts without words are judged by the bias"
    yield Case("edges", [torch.zeros(2, 1), single, single.abs()[0] + 1], title=title)


decide = Exercise("decide", points={"values": 2, "edges": 1}, cases=_decide_cases)


@decide.misconception("The bias w_0 plays no part. It is added to every text's score.")
def forgets_the_bias(X, w, w_0):
    return (X @ w > 0).long()


@decide.misconception(
    "A score of exactly 0 counts as positive. The rule asks for more than 0: at 0 the class is 0."
)
def includes_zero(X, w, w_0):
    return (X @ w + w_0 >= 0).long()


@decide.misconception("These are True and False. The classes are the whole numbers 0 and 1.")
def gives_booleans(X, w, w_0):
    return X @ w + w_0 > 0


@decide.misconception(
    "These are the scores themselves. The classes are the whole numbers 0 and 1: which side of 0 is"
    " each score on?"
)
def gives_scores(X, w, w_0):
    return X @ w + w_0


@decide.misconception(
    "The score is compared with 0.5. That is the middle for probabilities; for scores it is 0."
)
def compares_with_a_half(X, w, w_0):
    return (X @ w + w_0 > 0.5).long()


@decide.misconception("The classes are -1 and 1 here. This course calls the negative class 0.")
def gives_signs(X, w, w_0):
    return torch.sign(X @ w + w_0).long()


@decide.misconception(
    "The score is compared with w_0. The rule w_0 + w.x > 0 compares w.x with minus w_0."
)
def compares_with_the_bias(X, w, w_0):
    return (X @ w > w_0).long()


@decide.alternative
def decide_loop(X, w, w_0):
    classes = []
    for x in X:
        score = float(w_0) + sum(float(a) * float(b) for a, b in zip(x, w))
        classes.append(1 if score > 0 else 0)
    return torch.tensor(classes)


@decide.alternative
def decide_einsum(X, w, w_0):
    return torch.where(torch.einsum("nd,d->n", X, w) > -w_0, 1, 0)


# 7. sigmoid -----------------------------------------------------------------------------------


def _sigmoid_cases(rng: np.random.Generator) -> Iterator[Case]:
    exact = {"dtype": "exact", "properties": {"at_least": 0, "at_most": 1}}
    for shape in ((3,), (2, 3), (int(rng.integers(2, 4)), 2, 2)):
        yield Case("values", [_normal(rng, *shape) * 2], judge=exact)
    yield Case("values", [_normal(rng)], title="a single number, shape ()", judge=exact)
    yield Case("values", [torch.zeros(2)], title="at 0 it is 0.5", judge=exact)
    far = torch.tensor([-1000.0, -100.0, 100.0, 1000.0]) + _normal(rng, 4)
    yield Case("stability", [far], title="scores far from 0", judge=exact)
    half = (_normal(rng, 4) + torch.tensor([-12.0, -1.0, 1.0, 12.0])).half()
    yield Case("stability", [half], title="half precision (float16)", judge=exact)


sigmoid = Exercise("sigmoid", points={"values": 2, "stability": 2}, cases=_sigmoid_cases)


@sigmoid.misconception(
    "For a large score exp overflows to infinity, and infinity / infinity is NaN. Write it so that"
    " exp only sees numbers that are not positive."
)
def overflows(z):
    return torch.exp(z) / (1 + torch.exp(z))


@sigmoid.misconception(
    "It falls where it should rise. A large score should have a probability near 1: look at the"
    " sign in the exponent."
)
def falls(z):
    return 1 / (1 + torch.exp(z))


@sigmoid.misconception(
    "Negative scores are treated like positive ones: the absolute value protects exp, but the side"
    " that z lies on must still decide which of the two forms is used."
)
def forgets_the_side(z):
    return 1 / (1 + torch.exp(-z.abs()))


@sigmoid.misconception(
    "This is a softmax: the numbers share one probability among them. The sigmoid looks at each"
    " number alone."
)
def is_a_softmax(z):
    return torch.softmax(z.reshape(-1), dim=0).reshape(z.shape)


@sigmoid.misconception(
    "Close: the sigmoid can be written with tanh, but of half the score. This one is too steep."
)
def tanh_of_the_whole(z):
    return 0.5 * (1 + torch.tanh(z))


@sigmoid.misconception(
    "tanh runs from -1 to 1. A probability lies between 0 and 1, and at the score 0 it is 0.5."
)
def is_tanh(z):
    return torch.tanh(z)


@sigmoid.alternative
def sigmoid_one_sided(z):
    return 1 / (1 + torch.exp(-z))


@sigmoid.alternative
def sigmoid_tanh(z):
    return 0.5 * (1 + torch.tanh(0.5 * z))


@sigmoid.alternative
def sigmoid_torch(z):
    return torch.sigmoid(z)


# 8. negative_log_likelihood -------------------------------------------------------------------


def _negative_log_likelihood_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (3, 5, int(rng.integers(6, 12))):
        yield Case("values", [_normal(rng, n) * 2, _labels(rng, n)])
    positive = torch.ones(2, dtype=torch.int64)
    yield Case("values", [_normal(rng, 2) * 2, positive], title="only positive texts")
    yield Case("values", [_normal(rng, 2) * 2, 0 * positive], title="only negative texts")
    one = torch.tensor([int(rng.integers(0, 2))])
    yield Case("values", [torch.zeros(1), one], title="a score of 0 costs ln 2")
    far = torch.tensor([1000.0, -1000.0, 300.0]) + _normal(rng, 3)
    title = "far from 0, and right"
    yield Case("stability", [far, torch.tensor([1, 0, 1])], title=title)
    title = "far from 0, and wrong"
    yield Case("stability", [far, torch.tensor([0, 1, 0])], title=title)


negative_log_likelihood = Exercise(
    "negative_log_likelihood",
    points={"values": 3, "stability": 2},
    cases=_negative_log_likelihood_cases,
)


@negative_log_likelihood.misconception(
    "Far from 0 the loss is infinite. Either a probability was rounded to exactly 0 before its"
    " logarithm, or exp saw a large positive number. Neither can happen in the text's last form,"
    " with the maximum and the absolute value."
)
def logs_rounded_probabilities(scores, y):
    p = torch.sigmoid(scores)
    return -torch.where(y == 1, torch.log(p), torch.log(1 - p)).mean()


@negative_log_likelihood.misconception(
    "Probabilities are computed first. Far from 0 they round to exactly 0 or 1, and the term that"
    " should drop out becomes 0 times minus infinity, which is NaN. Take the formula that starts"
    " from the score."
)
def multiplies_zero_by_infinity(scores, y):
    p = torch.sigmoid(scores)
    return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()


@negative_log_likelihood.misconception(
    "The absolute value is missing: in every text exp sees minus the score. That is right for one"
    " sign of the score and overflows for the other."
)
def forgets_the_absolute_value(scores, y):
    return (scores.clamp(min=0) - y * scores + torch.log1p(torch.exp(-scores))).mean()


@negative_log_likelihood.misconception(
    "The absolute value is missing: where the model is right, exp grows without limit. It should see"
    " minus the size of the score, whatever its sign."
)
def is_wrong_where_the_model_is_right(scores, y):
    against = torch.where(y == 1, -scores, scores)
    return (against.clamp(min=0) + torch.log1p(torch.exp(-against))).mean()


@negative_log_likelihood.misconception(
    "The absolute value is missing: where the model is wrong, exp grows without limit. It should see"
    " minus the size of the score, whatever its sign."
)
def is_wrong_where_the_model_is_wrong(scores, y):
    against = torch.where(y == 1, -scores, scores)
    return (against.clamp(min=0) + torch.log1p(torch.exp(against))).mean()


@negative_log_likelihood.misconception(
    "Cutting probabilities off near 0 and 1 hides how wrong a very wrong score is: at -1000 the"
    " loss should be 1000. Take the formula that starts from the score."
)
def clamps_probabilities(scores, y):
    p = torch.sigmoid(scores).clamp(1e-7, 1 - 1e-7)
    return -torch.where(y == 1, torch.log(p), torch.log(1 - p)).mean()


@negative_log_likelihood.misconception(
    "This is the sum over the texts. Take the mean, so that the number does not grow with N."
)
def sums(scores, y):
    return torch.where(y == 1, F.softplus(-scores), F.softplus(scores)).sum()


@negative_log_likelihood.misconception(
    "The two classes are swapped: a large score should be cheap for y = 1 and dear for y = 0."
)
def swaps_the_classes(scores, y):
    return torch.where(y == 1, F.softplus(scores), F.softplus(-scores)).mean()


@negative_log_likelihood.misconception(
    "The minus is missing. Logarithms of probabilities are negative, so the negative log-likelihood"
    " is never below 0."
)
def forgets_the_minus(scores, y):
    return -torch.where(y == 1, F.softplus(-scores), F.softplus(scores)).mean()


@negative_log_likelihood.misconception(
    "Texts of the class 0 cost nothing here. They pay minus the log of 1 - p."
)
def forgets_the_negatives(scores, y):
    return (y * F.softplus(-scores)).mean()


@negative_log_likelihood.misconception(
    "This gives one loss per text. The result is a single number, their mean."
)
def does_not_average(scores, y):
    return torch.where(y == 1, F.softplus(-scores), F.softplus(scores))


@negative_log_likelihood.alternative
def nll_library(scores, y):
    return F.binary_cross_entropy_with_logits(scores, y.float())


@negative_log_likelihood.alternative
def nll_max(scores, y):
    cost = scores.clamp(min=0) - scores * y + torch.log1p(torch.exp(-scores.abs()))
    return cost.mean()


@negative_log_likelihood.alternative
def nll_signs(scores, y):
    signs = 2 * y.float() - 1
    return -F.logsigmoid(signs * scores).mean()


# 9. gradient ----------------------------------------------------------------------------------


def _gradient_cases(rng: np.random.Generator) -> Iterator[Case]:
    def problem(n: int, d: int) -> list[torch.Tensor]:
        return [_normal(rng, n, d), _labels(rng, n), _normal(rng, d), _normal(rng)]

    for n, d in ((3, 2), (5, 4), (int(rng.integers(6, 10)), 5)):
        yield Case("values", [*problem(n, d), 0.0], title="without L2")
    X, y, w, w_0 = problem(4, 3)
    yield Case("values", [X, y, w, w_0 + 2, 0.0], title="a large bias")
    for n, d in ((4, 3), (int(rng.integers(5, 9)), 4)):
        yield Case("l2", [*problem(n, d), float(np.round(rng.uniform(0.2, 2), 2))])
    X, y, w, w_0 = problem(4, 3)
    yield Case("l2", [0 * X, y, w, w_0, 0.5], title="empty bags: only L2 pulls at w")


gradient = Exercise("gradient", points={"values": 3, "l2": 2}, cases=_gradient_cases)


@gradient.misconception(
    "The bias is pulled towards 0 too. L2 belongs to the words' weights w only: a bias does not"
    " overfit, and punishing it would favor one class."
)
def penalizes_the_bias(X, y, w, w_0, l2):
    error = torch.sigmoid(X @ w + w_0) - y
    return X.T @ error / len(y) + l2 * w, error.mean() + l2 * w_0


@gradient.misconception(
    "The errors are summed. The loss is a mean over the N texts, and so is its gradient."
)
def sums_over_texts(X, y, w, w_0, l2):
    error = torch.sigmoid(X @ w + w_0) - y
    return X.T @ error + l2 * w, error.sum()


@gradient.misconception("The bias has the mean, but w the sum: the 1/N stands before both sums.")
def sums_for_w_only(X, y, w, w_0, l2):
    error = torch.sigmoid(X @ w + w_0) - y
    return X.T @ error + l2 * w, error.mean()


@gradient.misconception(
    "L2's pull is divided by N too. Only the loss is a mean over the texts; l2/2 ||w||^2 is added to"
    " it once, outside the mean."
)
def divides_l2_too(X, y, w, w_0, l2):
    error = torch.sigmoid(X @ w + w_0) - y
    return (X.T @ error + l2 * w) / len(y), error.mean()


@gradient.misconception(
    "The pull of L2 is half as strong as it should be: the derivative of a square brings a 2, which"
    " cancels the half."
)
def halves_l2(X, y, w, w_0, l2):
    error = torch.sigmoid(X @ w + w_0) - y
    return X.T @ error / len(y) + l2 / 2 * w, error.mean()


@gradient.misconception(
    "The sign is wrong: the gradient points where the loss grows. The error is p - y, not y - p."
)
def points_downhill(X, y, w, w_0, l2):
    error = y - torch.sigmoid(X @ w + w_0)
    return X.T @ error / len(y) + l2 * w, error.mean()


@gradient.misconception("l2 plays no part: the term l2/2 ||w||^2 adds something to w's gradient.")
def forgets_l2(X, y, w, w_0, l2):
    error = torch.sigmoid(X @ w + w_0) - y
    return X.T @ error / len(y), error.mean()


@gradient.misconception(
    "The pull of L2 is twice too strong: in l2/2 ||w||^2 the half cancels the 2 of the derivative."
)
def doubles_l2(X, y, w, w_0, l2):
    error = torch.sigmoid(X @ w + w_0) - y
    return X.T @ error / len(y) + 2 * l2 * w, error.mean()


@gradient.misconception(
    "The bias w_0 is missing from the score, so the probabilities are not the model's."
)
def leaves_the_bias_out(X, y, w, w_0, l2):
    error = torch.sigmoid(X @ w) - y
    return X.T @ error / len(y) + l2 * w, error.mean()


@gradient.misconception(
    "Scores are compared with the labels. The error is p - y, with the probability p = sigmoid of"
    " the score."
)
def forgets_the_sigmoid(X, y, w, w_0, l2):
    error = X @ w + w_0 - y
    return X.T @ error / len(y) + l2 * w, error.mean()


@gradient.misconception(
    "L2's part is added to every component as one number, the size of w. Each weight is pulled by"
    " its own size: l2 times that weight."
)
def adds_the_penalty_itself(X, y, w, w_0, l2):
    error = torch.sigmoid(X @ w + w_0) - y
    return X.T @ error / len(y) + l2 / 2 * (w**2).sum(), error.mean()


@gradient.alternative
def gradient_autograd(X, y, w, w_0, l2):
    w, w_0 = w.clone().requires_grad_(), w_0.clone().requires_grad_()
    loss = F.binary_cross_entropy_with_logits(X @ w + w_0, y.float()) + l2 / 2 * (w @ w)
    return torch.autograd.grad(loss, (w, w_0))


@gradient.alternative
def gradient_loop(X, y, w, w_0, l2):
    for_w, for_bias = l2 * w, torch.tensor(0.0)
    for x, label in zip(X, y.tolist()):
        p = torch.sigmoid(w_0 + torch.dot(w, x))
        for_w = for_w + (p - label) * x / len(X)
        for_bias = for_bias + (p - label) / len(X)
    return for_w, for_bias


# 10. minibatches ------------------------------------------------------------------------------


def _minibatches_cases(rng: np.random.Generator) -> Iterator[Case]:
    must = {"kind": "shuffled", "must_shuffle": True, "keeps_generators": True}
    for _ in range(2):
        size = int(rng.integers(4, 7))
        yield Case("values", [4 * size, size, _generator(rng)], judge=must)
    size = int(rng.integers(5, 8))
    left = 3 * size + int(rng.integers(1, size - 1))
    title = "n is no multiple of the batch size"
    yield Case("edges", [left, size, _generator(rng)], title=title, judge=must)
    title = "one batch holds everything"
    yield Case("edges", [int(rng.integers(10, 15)), 32, _generator(rng)], title=title, judge=must)
    title = "batches of one"
    yield Case("edges", [int(rng.integers(9, 13)), 1, _generator(rng)], title=title, judge=must)


minibatches = Exercise("minibatches", points={"values": 2, "edges": 1}, cases=_minibatches_cases)


@minibatches.misconception(
    "The numbers come in their old order. Shuffle them before cutting: data sets are often sorted,"
    " and then a batch would hold texts of one class only."
)
def does_not_shuffle(n, batch_size, generator):
    return list(torch.arange(n).split(batch_size))


@minibatches.misconception(
    "The last, shorter batch is missing, so some texts are not seen in this epoch."
)
def drops_the_last(n, batch_size, generator):
    order = torch.randperm(n, generator=generator)
    full = n // batch_size
    return [order[i * batch_size : (i + 1) * batch_size] for i in range(full)]


@minibatches.misconception(
    "Numbers are drawn with replacement: some come twice, others never. In an epoch each text comes"
    " exactly once."
)
def draws_with_replacement(n, batch_size, generator):
    return list(torch.randint(n, (n,), generator=generator).split(batch_size))


@minibatches.misconception(
    "Each batch is drawn on its own, so some numbers come twice, others never, and the last batch is"
    " as long as the rest. Shuffle all numbers once, then cut."
)
def draws_each_batch_alone(n, batch_size, generator):
    starts = range(0, n, batch_size)
    return [torch.randint(n, (batch_size,), generator=generator) for _ in starts]


@minibatches.misconception(
    "Each batch is drawn on its own, so some numbers come twice, others never, and there is no short"
    " batch for the rest. Shuffle all numbers once, then cut."
)
def draws_whole_batches_alone(n, batch_size, generator):
    return [torch.randint(n, (batch_size,), generator=generator) for _ in range(n // batch_size)]


@minibatches.misconception(
    "The `generator` plays no part: the order is drawn from the one that everybody shares. Hand it on"
    " to the function that shuffles."
)
def ignores_generator(n, batch_size, generator):
    return list(torch.randperm(n).split(batch_size))


@minibatches.misconception(
    "batch_size is used as the number of batches. It says how many texts are in one batch."
)
def takes_size_for_number(n, batch_size, generator):
    return list(torch.randperm(n, generator=generator).chunk(batch_size))


@minibatches.misconception(
    "The batches are shuffled, but each one still holds texts that are neighbors. Shuffle the texts"
    " first, then cut."
)
def shuffles_the_batches(n, batch_size, generator):
    batches = torch.arange(n).split(batch_size)
    order = torch.randperm(len(batches), generator=generator)
    return [batches[i] for i in order.tolist()]


@minibatches.alternative
def minibatches_slices(n, batch_size, generator):
    order = torch.randperm(n, generator=generator)
    return [order[start : start + batch_size] for start in range(0, n, batch_size)]


@minibatches.alternative
def minibatches_sorted_noise(n, batch_size, generator):
    order = torch.rand(n, generator=generator).argsort().tolist()
    batches = []
    while order:
        batches.append(torch.tensor(order[:batch_size]))
        order = order[batch_size:]
    return batches


# 11. train_logistic_regression ----------------------------------------------------------------


def _problem(rng: np.random.Generator, n: int, d: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Texts of which about three in four are positive, with noise, sorted by class."""
    X = rng.poisson(0.8, size=(n, d))
    score = (X - 0.8) @ np.linspace(1.5, -1.5, d) + 1.2 + rng.logistic(size=n) / 2
    y = (score > 0).astype(np.int64)
    y[:3] = [0, 1, 0]
    order = np.argsort(y, kind="stable")
    return torch.from_numpy(X[order].astype(np.float32)), torch.from_numpy(y[order])


# Stands in for X: a batch that comes back later (not twice in a row: that is one step) is all 1.
_REMEMBERS_BATCHES = (
    "type('RemembersBatches', (), dict(seen=[], shape=({n}, 2), __len__=lambda X: {n},"
    " __getitem__=lambda X, batch: (X.seen.append(b)"
    " if X.seen[-1:] != [b := sorted(torch.arange({n})[batch].tolist())] else None,"
    " torch.full((len(b), 2), float(X.seen.count(b) > 1)))[1]))()"
)


def _training_cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(n: int, *settings: float) -> list[object]:
        return [*_problem(rng, n, 3), *settings, _generator(rng)]

    # One batch holds everything, so the order does not matter and every step can be compared.
    exactly = {"rtol": 1e-3, "atol": 1e-4, "keeps_generators": True}
    for epochs, l2 in ((1, 0.0), (3, 0.0), (int(rng.integers(4, 8)), 0.3)):
        given = inputs(int(rng.integers(9, 14)), epochs, 50, 0.5, l2)
        yield Case("steps", given, title="one batch holds every text", judge=exactly)
    # With L2 there is one best w and w_0; any order of the texts leads close to it.
    closely = {"rtol": 0.0, "atol": 0.1, "keeps_generators": True}
    given = inputs(int(rng.integers(52, 60)), 100, 20, 0.2, 0.2)
    yield Case("learning", given, title="mini-batches to the end", judge=closely)
    # Small steps, far from the end: their number counts, the order of the texts hardly does.
    given = inputs(int(rng.integers(56, 65)), 4, 4, 0.04, 0.1)
    yield Case("learning", given, title="a short training in many small batches", judge=closely)
    # By chance alone, ten texts hardly ever meet again.
    n, lr = 10 * int(rng.integers(3, 6)), float(np.round(rng.uniform(0.3, 0.9), 2))
    rows = codec.Source(_REMEMBERS_BATCHES.format(n=n))
    given = [rows, torch.ones(n, dtype=torch.int64), 4, 10, lr, 0.0, _generator(rng)]
    title = "X is all 0, but 1 in a batch that an earlier epoch had too; it is no tensor"
    yield Case("learning", given, title=title, judge=exactly)


train_logistic_regression = Exercise(
    "train_logistic_regression", points={"steps": 3, "learning": 3}, cases=_training_cases
)


@train_logistic_regression.misconception(
    "The weights walk uphill: the gradient points where the loss grows, so step against it."
)
def climbs(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for batch in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w + step * (X[batch].T @ error / len(batch) + l2 * w)
            w_0 = w_0 + step * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "w_0 stays at 0. The gradient has two parts: the bias takes a step as well."
)
def never_moves_the_bias(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for batch in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - step * (X[batch].T @ error / len(batch) + l2 * w)
    return w, w_0


@train_logistic_regression.misconception(
    "Training ends after the first epoch. Is the `return` indented too far, inside the loop?"
)
def returns_after_one_epoch(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for batch in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - step * (X[batch].T @ error / len(batch) + l2 * w)
            w_0 = w_0 - step * error.mean()
        return w, w_0
    return w, w_0


@train_logistic_regression.misconception(
    "Every step uses the same batch, the first texts. Inside the loop take X[batch] and y[batch]."
)
def always_the_first_texts(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    first = slice(0, batch_size)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for _ in range(0, len(y), batch_size):
            error = torch.sigmoid(X[first] @ w + w_0) - y[first]
            w = w - step * (X[first].T @ error / len(y[first]) + l2 * w)
            w_0 = w_0 - step * error.mean()
    return w, w_0


@train_logistic_regression.misconception("l2 plays no part in training. Hand it on to `gradient`.")
def trains_without_l2(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for batch in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - step * (X[batch].T @ error / len(batch))
            w_0 = w_0 - step * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "The step w takes is already made when the step of w_0 is computed. Compute both gradients at"
    " the same place, then take both steps."
)
def steps_one_after_the_other(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for batch in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - step * (X[batch].T @ error / len(batch) + l2 * w)
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w_0 = w_0 - step * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "Each epoch starts again from 0, so only the last one counts. Make w and w_0 before the loop."
)
def starts_again(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
        step = lr * (1 - epoch / epochs)
        for batch in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - step * (X[batch].T @ error / len(batch) + l2 * w)
            w_0 = w_0 - step * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "The learning rate plays no part: each step is the gradient times lr."
)
def forgets_the_learning_rate(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = 1 - epoch / epochs
        for batch in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - step * (X[batch].T @ error / len(batch) + l2 * w)
            w_0 = w_0 - step * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "All steps have the same size. They should shrink: epoch 0 takes the whole lr, and each later"
    " epoch a smaller share of it."
)
def never_shrinks_the_step(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for _ in progress(range(epochs)):
        for batch in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - lr * (X[batch].T @ error / len(batch) + l2 * w)
            w_0 = w_0 - lr * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "The step is one epoch ahead of its time: in the first epoch, number 0, it is the whole lr, and"
    " in the last one a small share of it, not 0."
)
def shrinks_one_epoch_early(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = lr * (1 - (epoch + 1) / epochs)
        for batch in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - step * (X[batch].T @ error / len(batch) + l2 * w)
            w_0 = w_0 - step * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "The steps shrink too fast: what was shrunk in one epoch is shrunk again in the next. Compute"
    " each epoch's step from the lr that was given."
)
def shrinks_what_is_shrunk(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        lr = lr * (1 - epoch / epochs)
        for batch in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - lr * (X[batch].T @ error / len(batch) + l2 * w)
            w_0 = w_0 - lr * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "Training starts somewhere at random. Here it starts with all weights and the bias at 0."
)
def starts_at_random(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.randn(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for batch in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - step * (X[batch].T @ error / len(batch) + l2 * w)
            w_0 = w_0 - step * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "The batches are drawn once, before the loop over the epochs, so the same texts stay together to"
    " the end. Draw new ones in every epoch."
)
def draws_the_batches_once(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    batches = torch.randperm(len(y), generator=generator).split(batch_size)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for batch in batches:
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - step * (X[batch].T @ error / len(batch) + l2 * w)
            w_0 = w_0 - step * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "There are no mini-batches: each epoch takes a single step with all texts. Take one step for"
    " every batch, with X[batch] and y[batch]."
)
def takes_all_texts_at_once(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        error = torch.sigmoid(X @ w + w_0) - y
        w = w - step * (X.T @ error / len(y) + l2 * w)
        w_0 = w_0 - step * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "Each batch takes its step with the gradient of all texts. A step looks only at its batch: "
    "X[batch] and y[batch]."
)
def steps_with_all_texts(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for _ in torch.randperm(len(y), generator=generator).split(batch_size):
            error = torch.sigmoid(X @ w + w_0) - y
            w = w - step * (X.T @ error / len(y) + l2 * w)
            w_0 = w_0 - step * error.mean()
    return w, w_0


@train_logistic_regression.misconception(
    "The `generator` plays no part: the batches are drawn from the one that everybody shares. Hand it"
    " on, here and in your `minibatches`."
)
def trains_without_generator(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for batch in torch.randperm(len(y)).split(batch_size):
            error = torch.sigmoid(X[batch] @ w + w_0) - y[batch]
            w = w - step * (X[batch].T @ error / len(batch) + l2 * w)
            w_0 = w_0 - step * error.mean()
    return w, w_0


@train_logistic_regression.alternative
def train_with_autograd(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w = torch.zeros(X.shape[1], requires_grad=True)
    w_0 = torch.zeros((), requires_grad=True)
    optimizer = torch.optim.SGD([{"params": [w], "weight_decay": l2}, {"params": [w_0]}], lr=lr)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for group in optimizer.param_groups:
            group["lr"] = step
        order = torch.randperm(len(y), generator=generator)
        for start in range(0, len(y), batch_size):
            batch = order[start : start + batch_size]
            optimizer.zero_grad()
            scores = X[batch] @ w + w_0
            F.binary_cross_entropy_with_logits(scores, y[batch].float()).backward()
            optimizer.step()
    return w.detach(), w_0.detach()


@train_logistic_regression.alternative
def train_with_one_vector(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    # Other numbers are drawn than in the reference, and w_0 is one more component of w.
    decay = torch.cat([torch.zeros(1), torch.full((X.shape[1],), float(l2))])
    w = torch.zeros(X.shape[1] + 1)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        for batch in torch.rand(len(y), generator=generator).argsort().split(batch_size):
            rows = torch.cat([torch.ones(len(batch), 1), X[batch]], dim=1)
            error = torch.sigmoid(rows @ w) - y[batch]
            w = w - step * (error @ rows / len(batch) + decay * w)
    return w[1:], w[0]


# 12. decisive_words ---------------------------------------------------------------------------


def _decisive_words_cases(rng: np.random.Generator) -> Iterator[Case]:
    def weights(n: int) -> torch.Tensor:
        """Distinct, n // 2 of them negative, more strongly so than the others are positive."""
        sizes = rng.permutation(np.arange(1, n + 1)) / 4 + rng.uniform(0, 0.2, size=n)
        signs = np.where(np.arange(n) < n // 2, -1.5, 1)
        return torch.from_numpy(rng.permutation(sizes * signs).astype(np.float32))

    for n, k in ((4, 1), (8, 3), (12, int(rng.integers(3, 6)))):
        yield Case("values", [weights(n), _vocabulary(rng, n), k])
    yield Case("edges", [weights(3), _vocabulary(rng, 3), 8], title="fewer than k words")
    # Asked in this way a wrong number of words does not push itself before a wrong order.
    title = "k is 0: both lists are empty"
    yield Case("edges", [weights(4), _vocabulary(rng, 4), 0], title=title, then=[("count", [])])


decisive_words = Exercise(
    "decisive_words", points={"values": 2, "edges": 1}, cases=_decisive_words_cases
)


@decisive_words.misconception(
    "The two lists are swapped: the first holds the words with the largest weights."
)
def swaps_the_lists(w, vocabulary, k):
    ranked = sorted(vocabulary, key=lambda word: -w[vocabulary[word]].item())
    return ranked[::-1][:k], ranked[:k]


@decisive_words.misconception(
    "The strongest word comes first in both lists: the second list starts with the most negative"
    " weight."
)
def weakest_negative_first(w, vocabulary, k):
    ranked = sorted(vocabulary, key=lambda word: -w[vocabulary[word]].item())
    return ranked[:k], ranked[max(0, len(ranked) - k) :]


@decisive_words.misconception(
    "With k = 0 a list holds all words: `[-0:]` starts at 0, where the list begins. Count from the"
    " front."
)
def takes_all_for_zero(w, vocabulary, k):
    ranked = sorted(vocabulary, key=lambda word: -w[vocabulary[word]].item())
    return ranked[:k], ranked[-k:][::-1]


@decisive_words.misconception(
    "These are indices. Turn them back into words: the vocabulary leads from the word to its index."
)
def gives_word_indices(w, vocabulary, k):
    order = torch.argsort(w, descending=True).tolist()
    return order[:k], order[::-1][:k]


@decisive_words.misconception(
    "Sizes are compared without their signs. A strongly negative weight is no positive word."
)
def ignores_the_sign(w, vocabulary, k):
    ranked = sorted(vocabulary, key=lambda word: -abs(w[vocabulary[word]].item()))
    return ranked[:k], ranked[::-1][:k]


@decisive_words.misconception(
    "The order is that of the vocabulary, which is sorted by count. Sort by weight."
)
def keeps_the_vocabulary_order(w, vocabulary, k):
    words = list(vocabulary)
    positive = [word for word in words if w[vocabulary[word]] > 0]
    negative = [word for word in words if w[vocabulary[word]] < 0]
    return positive[:k], negative[:k]


@decisive_words.alternative
def decisive_words_topk(w, vocabulary, k):
    words, k = list(vocabulary), min(k, len(vocabulary))
    high, low = w.topk(k).indices, (-w).topk(k).indices
    return [words[i] for i in high.tolist()], [words[i] for i in low.tolist()]


@decisive_words.alternative
def decisive_words_pairs(w, vocabulary, k):
    pairs = sorted((w[index].item(), word) for word, index in vocabulary.items())
    return [word for _, word in reversed(pairs)][:k], [word for _, word in pairs[:k]]
