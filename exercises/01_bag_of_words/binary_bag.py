"""Which words of the vocabulary a text has; it repeats words, or has substrings or unknown ones."""

from .common import bag_cases

POINTS = {"values": 2, "unknown": 1}

cases = bag_cases

WRONG = {
    "counts_words": """
        Words are counted. In a binary bag a component is 1 or 0, however often the word occurs.

        - x[[vocabulary[token] for token in tokens if token in vocabulary]] = 1.0
        + for token in tokens:
        +     if token in vocabulary:
        +         x[vocabulary[token]] += 1
        """,
    "unknown_is_first": """
        An unknown word sets the first component, which is another word's. Skip unknown words.

        - x[[vocabulary[token] for token in tokens if token in vocabulary]] = 1.0
        + x[[vocabulary.get(token, 0) for token in tokens]] = 1.0
        """,
    "unknown_is_last": """
        An unknown word sets the last component: index -1 is that of the last word. Skip unknown
        words.

        - x[[vocabulary[token] for token in tokens if token in vocabulary]] = 1.0
        + x[[vocabulary.get(token, -1) for token in tokens]] = 1.0
        """,
    "stops_at_unknown": """
        A word outside the vocabulary raises a KeyError: it has no index. Skip unknown words.

        raises KeyError

        - x[[vocabulary[token] for token in tokens if token in vocabulary]] = 1.0
        + x[[vocabulary[token] for token in tokens]] = 1.0
        """,
    "gives_indices": """
        These are indices. A bag has one component for each word of the vocabulary: shape (|V|,).

        def binary_bag(tokens, vocabulary):
            return torch.tensor([vocabulary[token] for token in tokens if token in vocabulary])
        """,
    "finds_inside_words": """
        The word is searched for in the joined text: `art` is found in `party`. Compare whole words.

        def binary_bag(tokens, vocabulary):
            text = " ".join(tokens)
            return torch.tensor([float(word in text) for word in vocabulary])
        """,
    "gives_integers": """
        These are integers. Weights are real numbers, so the bag is float32 too.

        - x = torch.zeros(len(vocabulary))
        + x = torch.zeros(len(vocabulary), dtype=torch.long)
        """,
    "one_component_per_token": """
        There is one component per token of the text. The bag has one per word of the vocabulary:
        begin with len(vocabulary) zeros.

        - x = torch.zeros(len(vocabulary))
        - x[[vocabulary[token] for token in tokens if token in vocabulary]] = 1.0
        - return x
        + return torch.tensor([float(token in vocabulary) for token in tokens])
        """,
    "loses_the_first_word": """
        The first word of the vocabulary is never found: its index is 0, and 0 is False in an `if`.
        Ask whether the token is `in vocabulary`.

        - x[[vocabulary[token] for token in tokens if token in vocabulary]] = 1.0
        + x[[vocabulary[token] for token in tokens if vocabulary.get(token)]] = 1.0
        """,
}

RIGHT = {
    "comprehension": """
        def binary_bag(tokens, vocabulary):
            present = set(tokens)
            return torch.tensor([1.0 if word in present else 0.0 for word in vocabulary])
        """,
    "loop": """
        def binary_bag(tokens, vocabulary):
            bag = torch.zeros(len(vocabulary))
            for token in tokens:
                if token in vocabulary:
                    bag[vocabulary[token]] = 1
            return bag
        """,
}

EQUIVALENT = {
    "the order of the words does not matter": """
        -    x[[vocabulary[token] for token in tokens if token in vocabulary]] = 1.0
        +    x[[vocabulary[token] for token in list(tokens)[::-1] if token in vocabulary]] = 1.0
        """,
}
