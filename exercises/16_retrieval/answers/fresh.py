# %% inverted_index: a posting for each occurrence, not one for each document
def inverted_index(documents):
    index = {}
    for number, words in enumerate(documents):
        for word in words:
            index.setdefault(word, []).append((number, words.count(word)))
    return index


# %% inverted_index: documents without words get no number
def inverted_index(documents):
    postings = {}
    number = 0
    for doc in documents:
        if not doc:
            continue
        for word, count in Counter(doc).items():
            if word not in postings:
                postings[word] = []
            postings[word].append((number, count))
        number += 1
    return postings


# %% inverted_index: counts in the whole collection
def inverted_index(documents):
    total = Counter(word for doc in documents for word in doc)
    return {
        word: [(i, total[word]) for i, doc in enumerate(documents) if word in doc]
        for word in total
    }


# %% bm25_scores: N is the size of the index, the number of words
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    if len(lengths) == 0:
        raise ValueError("no documents")
    N = len(index)
    average = sum(lengths) / len(lengths)
    scores = torch.zeros(len(lengths))
    for word in query:
        postings = index.get(word, [])
        n_w = len(postings)
        idf = math.log(1 + (N - n_w + 0.5) / (n_w + 0.5))
        for d, c in postings:
            scores[d] += idf * c / (c + k1 * (1 - b + b * lengths[d] / average))
    return scores


# %% bm25_scores: a word that is twice in the question counts once
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    n_docs = len(lengths)
    if n_docs == 0:
        raise ValueError("a collection without documents has no mean length")
    result = [0.0] * n_docs
    mean_length = sum(lengths) / n_docs
    for term in set(query):
        if term not in index:
            continue
        df = len(index[term])
        weight = math.log1p((n_docs - df + 0.5) / (df + 0.5))
        for doc, tf in index[term]:
            norm = 1 - b + b * lengths[doc] / mean_length
            result[doc] += weight * tf / (tf + k1 * norm)
    return torch.tensor(result)


# %% bm25_scores: parentheses, k1 multiplies only the first part of the length
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    if not lengths:
        raise ValueError
    L = torch.tensor(lengths, dtype=torch.float32)
    K = k1 * (1 - b) + b * L / L.mean().clamp(min=1e-9)
    out = torch.zeros(len(L))
    for w in query:
        if w in index:
            docs = torch.tensor([d for d, _ in index[w]])
            c = torch.tensor([float(c) for _, c in index[w]])
            n = len(docs)
            idf = math.log(1 + (len(L) - n + 0.5) / (n + 0.5))
            out[docs] += idf * c / (c + K[docs])
    return out


# %% ranking_scores: divides by k (precision), not by the number of relevant ones
def ranking_scores(rankings, relevant, k):
    recall, mrr = 0.0, 0.0
    for ranking, right in zip(rankings, relevant):
        if not right:
            raise ValueError("nothing is relevant")
        recall += len(set(ranking[:k]) & set(right)) / k
        for rank, doc in enumerate(ranking, start=1):
            if doc in right:
                mrr += 1 / rank
                break
    return recall / len(rankings), mrr / len(rankings)


# %% ranking_scores: reciprocal rank only among the first k
def ranking_scores(rankings, relevant, k):
    recalls, reciprocal = [], []
    for found, wanted in zip(rankings, relevant):
        wanted = set(wanted)
        if len(wanted) == 0:
            raise ValueError("no relevant document")
        top = list(found)[:k]
        recalls.append(sum(d in wanted for d in top) / len(wanted))
        places = [i for i, d in enumerate(top) if d in wanted]
        reciprocal.append(1 / (places[0] + 1) if places else 0.0)
    return sum(recalls) / len(recalls), sum(reciprocal) / len(reciprocal)


# %% ranking_scores: no break, so the last relevant one counts
def ranking_scores(rankings, relevant, k):
    n = len(rankings)
    r_sum = rr_sum = 0
    for i in range(n):
        if len(relevant[i]) == 0:
            raise ValueError("question without a relevant document")
        hits = 0
        rr = 0
        for j in range(len(rankings[i])):
            if rankings[i][j] in relevant[i]:
                rr = 1 / (j + 1)
                if j < k:
                    hits += 1
        r_sum += hits / len(relevant[i])
        rr_sum += rr
    return r_sum / n, rr_sum / n


# %% ndcg: the ideal order of the k documents found, not of all
def ndcg(gains, scores, k):
    k = min(k, gains.shape[1])
    top = scores.topk(k, dim=1).indices
    found = gains.gather(1, top)
    ideal = found.sort(dim=1, descending=True).values
    discount = torch.log2(torch.arange(2, k + 2).float())
    dcg = (found / discount).sum(dim=1)
    best = (ideal / discount).sum(dim=1)
    return torch.where(best > 0, dcg / best.clamp(min=1e-12), torch.zeros_like(dcg)).mean().item()


# %% ndcg: 2 ** g - 1 as gains
def ndcg(gains, scores, k):
    def dcg(g):
        ranks = torch.arange(1, g.shape[0] + 1)
        return ((2**g - 1) / torch.log2(ranks + 1.0)).sum().item()

    total = 0.0
    for g, s in zip(gains, scores):
        order = s.argsort(descending=True)[:k]
        ideal = g.sort(descending=True).values[:k]
        if dcg(ideal) > 0:
            total += dcg(g[order]) / dcg(ideal)
    return total / len(gains)


# %% ndcg: rows without a grade are left out of the mean
def ndcg(gains, scores, k):
    values = []
    for row in range(gains.shape[0]):
        ranked = [gains[row, j].item() for j in torch.argsort(scores[row], descending=True)]
        ideal = sorted(ranked, reverse=True)
        a = sum(g / math.log2(r + 2) for r, g in enumerate(ranked[:k]))
        b = sum(g / math.log2(r + 2) for r, g in enumerate(ideal[:k]))
        if b > 0:
            values.append(a / b)
    return sum(values) / len(values) if values else 0.0


# %% info_nce: repeated paragraphs get the score 0, not minus infinity
def info_nce(Q, P, numbers, temperature, hard=None):
    scores = Q @ P.T / temperature
    same = numbers.unsqueeze(0) == numbers.unsqueeze(1)
    same = same & ~torch.eye(len(Q), dtype=torch.bool)
    scores = scores.masked_fill(same, 0.0)
    if hard is not None:
        scores = torch.cat([scores, Q @ hard.T / temperature], dim=1)
    return F.cross_entropy(scores, torch.arange(len(Q)))


# %% info_nce: hard negatives are not divided by the temperature
def info_nce(Q, P, numbers, temperature, hard=None):
    B = Q.shape[0]
    logits = (Q @ P.transpose(0, 1)) / temperature
    for i in range(B):
        for j in range(B):
            if i != j and numbers[i] == numbers[j]:
                logits[i, j] = -float("inf")
    if hard is not None:
        logits = torch.hstack((logits, Q @ hard.transpose(0, 1)))
    return -logits.log_softmax(dim=1).diagonal().mean()


# %% info_nce: softmax down the columns
def info_nce(Q, P, numbers, temperature, hard=None):
    everything = P if hard is None else torch.cat([P, hard])
    scores = torch.einsum("id,jd->ij", Q, everything) / temperature
    b = len(Q)
    repeated = (numbers[:, None] == numbers[None, :]) & ~torch.eye(b).bool()
    scores[:, :b] = scores[:, :b].masked_fill(repeated, float("-inf"))
    log_p = F.log_softmax(scores, dim=0)
    return -log_p[range(b), range(b)].mean()


# %% hard_negatives: looks for the answer as a piece of the joined text
def hard_negatives(ranking, paragraphs, positive, answers, n):
    texts = [" ".join(a) for a in answers if a]
    result = []
    for number in ranking:
        if number == positive:
            continue
        body = " ".join(paragraphs[number])
        if not any(text in body for text in texts):
            result.append(number)
    return result[:n]


# %% hard_negatives: misses an answer at the end of the paragraph
def hard_negatives(ranking, paragraphs, positive, answers, n):
    def contains(words, answer):
        if len(answer) == 0:
            return False
        for start in range(len(words) - len(answer)):
            if list(words[start : start + len(answer)]) == list(answer):
                return True
        return False

    keep = [
        i for i in ranking if i != positive and not any(contains(paragraphs[i], a) for a in answers)
    ]
    return keep[:n]


# %% hard_negatives: stops after n, but takes one for n = 0
def hard_negatives(ranking, paragraphs, positive, answers, n):
    negatives = []
    for p in ranking:
        words = list(paragraphs[p])
        bad = p == positive
        for a in answers:
            m = len(a)
            if m > 0 and any(words[s : s + m] == list(a) for s in range(len(words) - m + 1)):
                bad = True
        if bad:
            continue
        negatives.append(p)
        if len(negatives) == n:
            break
    return negatives


# %% top_inner_products: collects all blocks
def top_inner_products(queries, blocks, k):
    vectors = torch.cat(list(blocks))
    scores = queries @ vectors.T
    values, numbers = scores.topk(min(k, scores.shape[1]), dim=1)
    return values, numbers


# %% top_inner_products: takes all blocks to be as long as this one
def top_inner_products(queries, blocks, k):
    best = queries.new_empty(len(queries), 0)
    numbers = torch.empty(len(queries), 0, dtype=torch.long)
    for i, block in enumerate(blocks):
        new = queries @ block.T
        ids = torch.arange(len(block)) + i * len(block)
        best = torch.cat([best, new], dim=1)
        numbers = torch.cat([numbers, ids.expand(len(queries), -1)], dim=1)
        best, places = best.topk(min(k, best.shape[1]), dim=1)
        numbers = numbers.gather(1, places)
    return best, numbers


# %% top_inner_products: keeps only as many as this block has
def top_inner_products(queries, blocks, k):
    offset = 0
    values = numbers = None
    for block in blocks:
        scores = queries @ block.T
        ids = torch.arange(offset, offset + block.shape[0]).repeat(queries.shape[0], 1)
        offset += block.shape[0]
        keep = min(k, scores.shape[1])
        if values is not None:
            scores = torch.cat((values, scores), 1)
            ids = torch.cat((numbers, ids), 1)
        values, where = torch.topk(scores, keep, dim=1)
        numbers = torch.gather(ids, 1, where)
    return values, numbers


# %% fuse_rankings: ranks from 0
def fuse_rankings(rankings, c=60):
    sums = {}
    for ranking in rankings:
        for rank, doc in enumerate(ranking):
            sums[doc] = sums.get(doc, 0) + 1 / (c + rank)
    return sorted(sums, key=lambda d: (-sums[d], d))


# %% fuse_rankings: of equal sums the larger number first (reverse turns both)
def fuse_rankings(rankings, c=60):
    total = Counter()
    for r in rankings:
        for position, document in enumerate(r, start=1):
            total[document] += 1 / (c + position)
    ordered = sorted(((score, doc) for doc, score in total.items()), reverse=True)
    return [doc for _, doc in ordered]


# %% fuse_rankings: a document that is not in a ranking gets the rank after its last
def fuse_rankings(rankings, c=60):
    documents = {d for ranking in rankings for d in ranking}

    def score(d):
        s = 0.0
        for ranking in rankings:
            ranking = list(ranking)
            rank = ranking.index(d) + 1 if d in ranking else len(ranking) + 1
            s += 1 / (c + rank)
        return s

    return sorted(documents, key=lambda d: (-score(d), d))


# %% choose_answer: parentheses, the weight does not multiply null
def choose_answer(retrieval, nulls, spans, weight, threshold):
    best = ("", -1)
    best_total = threshold
    for i, (r, null, candidates) in enumerate(zip(retrieval, nulls, spans)):
        for score, text in candidates:
            total = (1 - weight) * score - null + weight * r
            if total > best_total:
                best_total = total
                best = (text, i)
    return best


# %% choose_answer: begins with 0, so negative totals never win
def choose_answer(retrieval, nulls, spans, weight, threshold):
    top, answer, where = 0.0, "", -1
    for p in range(len(retrieval)):
        for s, text in spans[p]:
            t = (1 - weight) * (s - nulls[p]) + weight * retrieval[p]
            if t > top:
                top, answer, where = t, text, p
    if top > threshold:
        return answer, where
    return "", -1


# %% choose_answer: a total equal to the threshold is enough
def choose_answer(retrieval, nulls, spans, weight, threshold):
    totals = [
        ((1 - weight) * (score - nulls[i]) + weight * retrieval[i], text, i)
        for i in range(len(spans))
        for score, text in spans[i]
    ]
    if not totals:
        return "", -1
    total, text, number = max(totals, key=lambda t: t[0])
    if total < threshold:
        return "", -1
    return text, number
