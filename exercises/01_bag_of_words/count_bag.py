"""How often a text has each word of the vocabulary; the cases are those of `binary_bag`."""

from .common import bag_cases

POINTS = {"values": 2, "unknown": 1}

cases = bag_cases

WRONG = {
    "adds_only_once": """
        A repeated word has the component 1: `x[indices] += 1` adds only once for each index.

        - return torch.bincount(indices, minlength=len(vocabulary)).float()
        + x = torch.zeros(len(vocabulary))
        + x[indices] += 1
        + return x
        """,
    "unknown_is_first": """
        An unknown word is counted for the first word of the vocabulary. Skip unknown words.

        - known = [vocabulary[token] for token in tokens if token in vocabulary]
        + known = [vocabulary.get(token, 0) for token in tokens]
        """,
    "unknown_is_last": """
        An unknown word is counted in the last component: index -1 is that of the last word. Skip unknown
        words.

        - return torch.bincount(indices, minlength=len(vocabulary)).float()
        + x = torch.bincount(indices, minlength=len(vocabulary)).float()
        + x[-1] += len(tokens) - len(known)
        + return x
        """,
    "stops_at_unknown": """
        A word outside the vocabulary raises a KeyError: it has no index. Skip unknown words.

        raises KeyError

        - known = [vocabulary[token] for token in tokens if token in vocabulary]
        + known = [vocabulary[token] for token in tokens]
        """,
    "gives_integers": """
        These are integers. Weights are real numbers, so the bag is float32 too.

        - return torch.bincount(indices, minlength=len(vocabulary)).float()
        + return torch.bincount(indices, minlength=len(vocabulary))
        """,
    "forgets_minlength": """
        The bag ends at the text's largest index. Give `bincount` a minlength: bags have shape (|V|,).

        - return torch.bincount(indices, minlength=len(vocabulary)).float()
        + return torch.bincount(indices).float()
        """,
    "loses_the_first_word": """
        The first word of the vocabulary is never counted: its index is 0, and 0 is False in an
        `if`. Ask whether the token is `in vocabulary`.

        - known = [vocabulary[token] for token in tokens if token in vocabulary]
        + known = [vocabulary[token] for token in tokens if vocabulary.get(token)]
        """,
    "counts_inside_words": """
        The word is searched for in the joined text: `art` is found in `party`. Compare whole words.

        def count_bag(tokens, vocabulary):
            text = " ".join(tokens)
            return torch.tensor([float(text.count(word)) for word in vocabulary])
        """,
    "divides_by_the_length": """
        The counts are divided by the number of words in the text. A count bag says how often a word
        occurs, not what fraction of the text it makes up.

        - return torch.bincount(indices, minlength=len(vocabulary)).float()
        + return torch.bincount(indices, minlength=len(vocabulary)).float() / max(len(tokens), 1)
        """,
}

RIGHT = {
    "index_add": """
        def count_bag(tokens, vocabulary):
            known = torch.tensor([vocabulary[t] for t in tokens if t in vocabulary]).long()
            return torch.zeros(len(vocabulary)).index_add(0, known, torch.ones(len(known)))
        """,
    "counter": """
        def count_bag(tokens, vocabulary):
            counts = Counter(tokens)
            return torch.tensor([float(counts[word]) for word in vocabulary])
        """,
}

EQUIVALENT = {
    "the order of the words does not matter": """
        -    known = [vocabulary[token] for token in tokens if token in vocabulary]
        +    known = [vocabulary[token] for token in list(tokens)[::-1] if token in vocabulary]
        """,
}
