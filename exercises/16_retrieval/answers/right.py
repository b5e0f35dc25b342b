# %% inverted_index: marks every word of every document
def inverted_index(documents):
    index = {}
    for i in range(len(documents)):
        seen = []
        for word in documents[i]:
            if word in seen:
                d, c = index[word].pop()
                index[word].append((d, c + 1))
            else:
                seen.append(word)
                if word not in index:
                    index[word] = []
                index[word].append((i, 1))
    return index


# %% inverted_index: sorts all pairs and groups them
def inverted_index(documents):
    pairs = sorted((word, i) for i, words in enumerate(documents) for word in words)
    counted = Counter(pairs)
    index = {}
    for (word, i), count in sorted(counted.items()):
        index[word] = index.get(word, []) + [(i, count)]
    return index


# %% bm25_scores: a dictionary of sums, a tensor at the end
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    n_docs = len(lengths)
    if not n_docs:
        raise ValueError("there are no documents")
    avg = sum(lengths) / n_docs

    def weight(word):
        df = len(index[word])
        return math.log((n_docs - df + 0.5) / (df + 0.5) + 1)

    sums = Counter()
    for word in query:
        if word in index:
            for d, tf in index[word]:
                sums[d] += weight(word) * tf / (tf + k1 * (1 - b) + k1 * b * lengths[d] / avg)
    scores = torch.zeros(n_docs)
    for d, value in sums.items():
        scores[d] = value
    return scores


# %% ranking_scores: looks each relevant document up
def ranking_scores(rankings, relevant, k):
    recalls, reciprocals = [], []
    for ranking, right in zip(rankings, relevant):
        if len(right) == 0:
            raise ValueError("nothing to find")
        ranking = list(ranking)
        ranks = [ranking.index(d) + 1 for d in right if d in ranking]
        recalls.append(sum(r <= k for r in ranks) / len(right))
        reciprocals.append(1 / min(ranks) if ranks else 0.0)
    return sum(recalls) / len(recalls), sum(reciprocals) / len(reciprocals)


# %% ndcg: one question at a time, with a helper
def ndcg(gains, scores, k):
    def discounted(row):
        row = row[:k]
        return (row / torch.log2(torch.arange(len(row)) + 2.0)).sum()

    values = []
    for g, s in zip(gains, scores):
        ideal = discounted(g.sort(descending=True)[0])
        got = discounted(g[s.sort(descending=True)[1]])
        values.append(float(got / ideal) if ideal > 0 else 0.0)
    return sum(values) / len(values)


# %% info_nce: log-softmax by hand
def info_nce(Q, P, numbers, temperature, hard=None):
    scores = (Q @ P.T) / temperature
    B = Q.shape[0]
    if hard is not None:
        scores = torch.cat((scores, (Q @ hard.T) / temperature), dim=-1)
    keep = torch.ones_like(scores, dtype=torch.bool)
    for i in range(B):
        for j in range(B):
            if i != j and int(numbers[i]) == int(numbers[j]):
                keep[i, j] = False
    top = scores.max(dim=1, keepdim=True).values
    exponentials = torch.where(keep, (scores - top).exp(), torch.zeros_like(scores))
    log_sum = exponentials.sum(dim=1).log() + top.squeeze(1)
    return (log_sum - scores[torch.arange(B), torch.arange(B)]).mean()


# %% hard_negatives: windows made with zip
def hard_negatives(ranking, paragraphs, positive, answers, n):
    kept = []
    for d in ranking:
        text = paragraphs[d]
        bad = d == positive
        for answer in answers:
            windows = zip(*(text[i:] for i in range(len(answer))))
            bad = bad or tuple(answer) in list(windows)
        if not bad:
            kept.append(d)
    return kept[:n]


# %% top_inner_products: all values of a block, one topk per query
def top_inner_products(queries, blocks, k):
    rows = [(torch.empty(0, dtype=queries.dtype), torch.empty(0, dtype=torch.long)) for _ in queries]
    start = 0
    for block in blocks:
        new = []
        for q, (v, i) in zip(queries, rows):
            v = torch.cat([v, block @ q])
            i = torch.cat([i, start + torch.arange(len(block))])
            order = torch.argsort(v, descending=True)[:k]
            new.append((v[order], i[order]))
        rows = new
        start += len(block)
    return torch.stack([v for v, _ in rows]), torch.stack([i for _, i in rows])


# %% fuse_rankings: a loop over all documents
def fuse_rankings(rankings, c=60):
    documents = set()
    for ranking in rankings:
        documents |= set(ranking)
    scores = {}
    for d in documents:
        score = 0
        for ranking in rankings:
            if d in ranking:
                score += 1 / (c + 1 + list(ranking).index(d))
        scores[d] = score
    order = sorted(documents)
    order.sort(key=lambda d: scores[d], reverse=True)
    return order


# %% choose_answer: keeps a running best per paragraph
def choose_answer(retrieval, nulls, spans, weight, threshold):
    best_total, best = None, ("", -1)
    for i, row in enumerate(spans):
        for score, text in row:
            margin = score - nulls[i]
            total = margin + weight * (retrieval[i] - margin)
            if best_total is None or total > best_total:
                best_total, best = total, (text, i)
    if best_total is None or best_total <= threshold:
        return "", -1
    return best


# %% ranking_scores: NumPy
def ranking_scores(rankings, relevant, k):
    import numpy as np
    rec, rr = [], []
    for r, rel in zip(rankings, relevant):
        if len(rel) == 0:
            raise ValueError("nothing relevant")
        hit = np.isin(np.array(list(r), dtype=int), np.array(list(rel), dtype=int))
        rec.append(hit[:k].sum() / len(set(rel)))
        rr.append(1 / (1 + hit.argmax()) if hit.any() else 0.0)
    return float(np.mean(rec)), float(np.mean(rr))


# %% hard_negatives: sets of n-grams
def hard_negatives(ranking, paragraphs, positive, answers, n):
    wanted = {tuple(a) for a in answers if len(a)}
    sizes = {len(a) for a in wanted}
    found = []
    for d in ranking:
        if len(found) >= n:
            break
        words = paragraphs[d]
        grams = {tuple(words[i : i + s]) for s in sizes for i in range(len(words))}
        if d != positive and not grams & wanted:
            found.append(d)
    return found


# %% fuse_rankings: two stable sorts
def fuse_rankings(rankings, c=60):
    s = Counter()
    for r in rankings:
        for i, d in enumerate(r, start=1):
            s[d] += 1 / (c + i)
    return sorted(sorted(s), key=s.get, reverse=True)


# %% choose_answer: the threshold is the first best
def choose_answer(retrieval, nulls, spans, weight, threshold):
    best, result = threshold, ("", -1)
    for i, (r, null, row) in enumerate(zip(retrieval, nulls, spans)):
        for s, t in row:
            total = (1 - weight) * (s - null) + weight * r
            if total > best:
                best, result = total, (t, i)
    return result


# %% bm25_scores: one document after the other
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    N = len(lengths)
    if N < 1:
        raise ValueError("no documents")
    mean = sum(lengths) / N
    table = {w: dict(index.get(w, [])) for w in query}

    def part(w, d):
        c = table[w].get(d, 0)
        if c == 0:
            return 0.0
        n = len(table[w])
        return math.log1p((N - n + 0.5) / (n + 0.5)) * c / (c + k1 * ((1 - b) + b * lengths[d] / mean))

    return torch.tensor([sum((part(w, d) for w in query), 0.0) for d in range(N)], dtype=torch.float32)


# %% info_nce: the lowest number in place of minus infinity
def info_nce(Q, P, numbers, temperature, hard=None):
    docs = torch.cat([P, hard], 0) if hard is not None else P
    extra = torch.full((len(docs) - len(P),), numbers.min() - 1, dtype=numbers.dtype)
    ids = torch.cat([numbers, extra])
    S = torch.matmul(Q, docs.transpose(0, 1)).div(temperature)
    block = numbers.view(-1, 1).eq(ids.view(1, -1))
    block[torch.arange(len(Q)), torch.arange(len(Q))] = False
    S = S.masked_fill(block, torch.finfo(S.dtype).min)
    return F.nll_loss(F.log_softmax(S, dim=-1), torch.arange(len(Q)))


# %% ndcg: float32 weights and a matrix product, NaN turned into 0
def ndcg(gains, scores, k):
    k = min(k, gains.size(1))
    w = 1 / torch.log2(2.0 + torch.arange(k))
    got = torch.take_along_dim(gains, scores.topk(k, dim=1).indices, dim=1) @ w
    return torch.nan_to_num(got / (gains.topk(k, dim=1).values @ w)).mean().item()
