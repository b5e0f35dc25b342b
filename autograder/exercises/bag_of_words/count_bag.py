"""How often a text has each word of the vocabulary; the cases are those of `binary_bag`."""

from autograder.exercises.bag_of_words.common import bag_cases

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
