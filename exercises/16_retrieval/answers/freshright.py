# %% inverted_index: sorts all pairs and groups them
def inverted_index(documents):
    from itertools import groupby

    pairs = sorted((word, number) for number, words in enumerate(documents) for word in words)
    index = {}
    for (word, number), group in groupby(pairs):
        index[word] = [*index.get(word, []), (number, sum(1 for _ in group))]
    return index


# %% bm25_scores: a matrix of counts in numpy, all documents at once
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    import numpy as np

    N = len(lengths)
    if N == 0:
        raise ValueError("there is no document")
    known = [w for w in query if w in index]
    counts = np.zeros((len(known), N))
    for row, w in enumerate(known):
        numbers, c = zip(*index[w])
        counts[row, list(numbers)] = c
    ell = np.asarray(lengths, dtype=float)
    relative = ell / ell.mean() if ell.sum() > 0 else np.zeros(N)
    n_w = (counts > 0).sum(axis=1, keepdims=True)
    idf = np.log((N + 1) / (n_w + 0.5))
    share = np.divide(counts, counts + k1 * (1 - b + b * relative), out=np.zeros_like(counts), where=counts > 0)
    return torch.from_numpy((idf * share).sum(axis=0)).float()


# %% ranking_scores: with torch.isin and cumulative sums
def ranking_scores(rankings, relevant, k):
    table = []
    for ranking, right in zip(rankings, relevant):
        if not len(right):
            raise ValueError("a question without a relevant document has no recall")
        hit = torch.isin(torch.tensor(list(ranking), dtype=torch.long), torch.tensor(list(right)))
        seen = hit.double().cumsum(0)
        recall = seen[:k][-1].item() / len(set(right)) if len(hit) else 0.0
        before = (seen == 0).sum().item()
        table.append((recall, 1 / (before + 1) if before < len(hit) else 0.0))
    recalls, reciprocals = zip(*table)
    return math.fsum(recalls) / len(table), math.fsum(reciprocals) / len(table)


# %% ndcg: discounts by place for all documents, with natural logarithms (the base cancels)
def ndcg(gains, scores, k):
    n = gains.shape[1]
    weights = [1 / math.log(r + 2) if r < k else 0.0 for r in range(n)]
    discount = torch.tensor(weights, dtype=torch.float64)
    place = scores.argsort(dim=1, descending=True).argsort(dim=1)  # the rank of each document
    dcg = (gains.double() * discount[place]).sum(dim=1)
    ideal = gains.double().sort(dim=1, descending=True).values @ discount
    return float((dcg / ideal.masked_fill(ideal == 0, 1.0)).mean())


# %% info_nce: a loop over the questions, logsumexp of those that are left
def info_nce(Q, P, numbers, temperature, hard=None):
    losses = []
    for i, q in enumerate(Q):
        others = numbers != numbers[i]
        candidates = [P[i : i + 1], P[others]]
        if hard is not None:
            candidates.append(hard)
        s = torch.cat(candidates).mv(q).div(temperature)
        losses.append(s.logsumexp(0) - s[0])
    return torch.stack(losses).mean()


# %% hard_negatives: strings with a separator on both sides, lazily with islice
def hard_negatives(ranking, paragraphs, positive, answers, n):
    from itertools import islice

    def text(words):
        return "\n" + "".join(word + "\n" for word in words)

    wanted = [text(a) for a in answers if len(a)]
    good = (i for i in ranking if i != positive and not any(a in text(paragraphs[i]) for a in wanted))
    return list(islice(good, n))


# %% top_inner_products: a heap for each query
def top_inner_products(queries, blocks, k):
    import heapq

    heaps = [[] for _ in queries]
    start = 0
    for block in blocks:
        products = queries.matmul(block.t()).tolist()
        for heap, row in zip(heaps, products):
            for j, value in enumerate(row):
                item = (value, -(start + j))
                if len(heap) < k:
                    heapq.heappush(heap, item)
                else:
                    heapq.heappushpop(heap, item)
        start += block.shape[0]
    ordered = [sorted(heap, reverse=True) for heap in heaps]
    shape = (len(queries), min(k, start))
    values = torch.tensor([[v for v, _ in row] for row in ordered], dtype=queries.dtype).reshape(shape)
    numbers = torch.tensor([[-m for _, m in row] for row in ordered], dtype=torch.long).reshape(shape)
    return values, numbers


# %% fuse_rankings: exact fractions, two stable sorts
def fuse_rankings(rankings, c=60):
    from fractions import Fraction

    sums = {}
    for ranking in rankings:
        for rank, number in zip(range(1, len(ranking) + 1), ranking):
            sums[number] = sums.get(number, Fraction(0)) + Fraction(1, c + rank)
    result = sorted(sums)
    result.sort(key=sums.get, reverse=True)
    return result


# %% choose_answer: drops what is not above the threshold, then a stable sort
def choose_answer(retrieval, nulls, spans, weight, threshold):
    good = []
    for number, some in enumerate(spans):
        base = weight * retrieval[number] - (1 - weight) * nulls[number]
        good += [((1 - weight) * score + base, text, number) for score, text in some]
    good = [item for item in good if item[0] > threshold]
    good.sort(key=lambda item: -item[0])
    return good[0][1:] if good else ("", -1)
