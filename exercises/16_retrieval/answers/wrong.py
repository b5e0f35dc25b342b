# %% inverted_index: a list of documents that have the word, one entry for each time | each_occurrence
def inverted_index(documents):
    index = {}
    for i, words in enumerate(documents):
        for word in words:
            index.setdefault(word, []).append((i, list(words).count(word)))
    return index


# %% inverted_index: only says that the word is there | no_counts
def inverted_index(documents):
    index = {}
    for i, words in enumerate(documents):
        for word in set(words):
            if word not in index:
                index[word] = []
            index[word].append((i, 1))
    return index


# %% bm25_scores: the idf of a textbook | classic_idf
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    if len(lengths) == 0:
        raise ValueError("empty")
    mean = sum(lengths) / len(lengths)
    scores = torch.zeros(len(lengths))
    for w in query:
        for d, tf in index.get(w, []):
            idf = math.log(len(lengths) / len(index[w]))
            scores[d] += idf * tf / (tf + k1 * (1 - b + b * lengths[d] / mean))
    return scores


# %% bm25_scores: the k1 + 1 of the formula on many pages | factor_of_the_book
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    N = len(lengths)
    if N == 0:
        raise ValueError("empty")
    avgdl = sum(lengths) / N
    scores = torch.zeros(N)
    for q in query:
        if q in index:
            n = len(index[q])
            idf = math.log((N - n + 0.5) / (n + 0.5) + 1)
            for d, f in index[q]:
                scores[d] += idf * f * (k1 + 1) / (f + k1 * (1 - b + b * lengths[d] / avgdl))
    return scores


# %% ranking_scores: any hit counts | hit_instead_of_recall
def ranking_scores(rankings, relevant, k):
    hits = mrr = 0
    for r, right in zip(rankings, relevant):
        if not right:
            raise ValueError
        hits += any(d in right for d in r[:k])
        for i, d in enumerate(r):
            if d in right:
                mrr += 1 / (i + 1)
                break
    return hits / len(rankings), mrr / len(rankings)


# %% ranking_scores: cuts the ranking before both | rank_within_k
def ranking_scores(rankings, relevant, k):
    recall, mrr = [], []
    for ranking, right in zip(rankings, relevant):
        if not right:
            raise ValueError
        top = list(ranking)[:k]
        recall.append(len(set(top) & set(right)) / len(right))
        mrr.append(max([1 / (top.index(d) + 1) for d in right if d in top], default=0.0))
    return sum(recall) / len(recall), sum(mrr) / len(mrr)


# %% ndcg: two to the power of the grade | exponential_gains
def ndcg(gains, scores, k):
    k = min(k, gains.size(1))
    g = 2**gains - 1
    w = 1 / torch.log2(torch.arange(k).to(gains.dtype) + 2)
    top = g.gather(1, scores.topk(k).indices)
    dcg, best = (top * w).sum(1), (g.topk(k).values * w).sum(1)
    return torch.where(best > 0, dcg / best.clamp(min=1e-9), torch.zeros_like(best)).mean().item()


# %% ndcg: sorts what was found | ideal_of_the_found
def ndcg(gains, scores, k):
    total = 0.0
    for g, s in zip(gains, scores):
        found = g[s.argsort(descending=True)][:k]
        w = 1 / torch.log2(torch.arange(len(found)) + 2.0)
        ideal = (found.sort(descending=True).values * w).sum()
        total += float((found * w).sum() / ideal) if ideal > 0 else 0.0
    return total / len(gains)


# %% info_nce: forgets that a paragraph may come twice | repeated_are_negatives
def info_nce(Q, P, numbers, temperature, hard=None):
    everything = P if hard is None else torch.cat([P, hard])
    return F.cross_entropy(Q @ everything.T / temperature, torch.arange(len(Q)))


# %% info_nce: times the temperature | multiplied_by_temperature
def info_nce(Q, P, numbers, temperature, hard=None):
    S = (Q @ P.T) * temperature
    same = numbers.unsqueeze(0) == numbers.unsqueeze(1)
    same.fill_diagonal_(False)
    S = S.masked_fill(same, float("-inf"))
    if hard is not None:
        S = torch.cat([S, Q @ hard.T / temperature], dim=1)
    return F.cross_entropy(S, torch.arange(len(Q)))


# %% hard_negatives: any paragraph but the right one | keeps_other_answers
def hard_negatives(ranking, paragraphs, positive, answers, n):
    result = []
    for d in ranking:
        if d != positive and len(result) < n:
            result.append(d)
    return result


# %% hard_negatives: joins the words and looks for the text | letters
def hard_negatives(ranking, paragraphs, positive, answers, n):
    texts = [" ".join(words) for words in paragraphs]
    right = [" ".join(words) for words in answers if words]
    return [d for d in ranking if d != positive and all(a not in texts[d] for a in right)][:n]


# %% top_inner_products: counts within the block | numbers_of_the_block
def top_inner_products(queries, blocks, k):
    values = torch.zeros(len(queries), 0, dtype=queries.dtype)
    places = torch.zeros(len(queries), 0, dtype=torch.long)
    for block in blocks:
        values = torch.cat([values, queries @ block.T], 1)
        places = torch.cat([places, torch.arange(len(block)).repeat(len(queries), 1)], 1)
        order = values.argsort(dim=1, descending=True)[:, :k]
        values, places = values.gather(1, order), places.gather(1, order)
    return values, places


# %% fuse_rankings: enumerate from 0 | ranks_from_zero
def fuse_rankings(rankings, c=60):
    sums = {}
    for ranking in rankings:
        for i, d in enumerate(ranking):
            sums[d] = sums.get(d, 0) + 1 / (c + i)
    return sorted(sums, key=lambda d: (-sums[d], d))


# %% fuse_rankings: sorted by the sum alone | ties_as_they_come
def fuse_rankings(rankings, c=60):
    sums = Counter()
    for ranking in rankings:
        for rank, d in enumerate(ranking, start=1):
            sums[d] += 1 / (c + rank)
    return [d for d, _ in sums.most_common()]


# %% choose_answer: compares the spans' scores | raw_scores
def choose_answer(retrieval, nulls, spans, weight, threshold):
    best, result = threshold, ("", -1)
    for i, (r, row) in enumerate(zip(retrieval, spans)):
        for score, text in row:
            total = weight * r + (1 - weight) * score
            if total > best:
                best, result = total, (text, i)
    return result


# %% choose_answer: weight on the reader | weights_exchanged
def choose_answer(retrieval, nulls, spans, weight, threshold):
    best, result = -math.inf, ("", -1)
    for i in range(len(spans)):
        for score, text in spans[i]:
            total = weight * (score - nulls[i]) + (1 - weight) * retrieval[i]
            if total > best:
                best, result = total, (text, i)
    return result if best > threshold else ("", -1)


# %% inverted_index: the count comes first | count_first
def inverted_index(documents):
    index = {}
    for number, words in enumerate(documents):
        for word in set(words):
            index.setdefault(word, []).append((words.count(word), number))
    return index


# %% bm25_scores: no parentheses | parentheses_missing
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    N = len(lengths)
    if N == 0:
        raise ValueError("empty")
    avg = sum(lengths) / N
    out = torch.zeros(N)
    for w in query:
        post = index.get(w, [])
        idf = math.log(1 + (N - len(post) + 0.5) / (len(post) + 0.5))
        for d, c in post:
            out[d] += idf * c / (c + k1 * 1 - b + b * lengths[d] / avg)
    return out


# %% ranking_scores: divides by what can be found | recall_of_what_fits
def ranking_scores(rankings, relevant, k):
    recall, mrr = 0, 0
    for r, rel in zip(rankings, relevant):
        if not rel:
            raise ValueError
        recall += len(set(r[:k]) & set(rel)) / min(k, len(rel))
        mrr += next((1 / i for i, d in enumerate(r, 1) if d in rel), 0)
    return recall / len(rankings), mrr / len(rankings)


# %% ranking_scores: looks for the first one noted | first_of_the_relevant
def ranking_scores(rankings, relevant, k):
    recall, mrr = 0, 0
    for r, rel in zip(rankings, relevant):
        if not rel:
            raise ValueError
        recall += len(set(r[:k]) & set(rel)) / len(rel)
        if rel[0] in r:
            mrr += 1 / (list(r).index(rel[0]) + 1)
    return recall / len(rankings), mrr / len(rankings)


# %% ndcg: adds up before dividing | summed_before_dividing
def ndcg(gains, scores, k):
    k = min(k, gains.shape[1])
    w = 1 / torch.log2(torch.arange(k, dtype=gains.dtype) + 2)
    top = gains.gather(1, scores.argsort(1, descending=True)[:, :k])
    best = gains.sort(1, descending=True).values[:, :k]
    d, i = (top * w).sum(), (best * w).sum()
    return (d / i).item() if i > 0 else 0.0


# %% hard_negatives: a loop over the first n | cut_too_early
def hard_negatives(ranking, paragraphs, positive, answers, n):
    out = []
    for d in ranking[:n]:
        if d == positive:
            continue
        text = " " + " ".join(paragraphs[d]) + " "
        if any(" " + " ".join(a) + " " in text for a in answers):
            continue
        out.append(d)
    return out[:n]


# %% hard_negatives: compares windows of any length | found_everywhere
def hard_negatives(ranking, paragraphs, positive, answers, n):
    def has(words, answer):
        for i in range(len(words) - len(answer) + 1):
            if list(words[i : i + len(answer)]) == list(answer):
                return True
        return False

    return [d for d in ranking if d != positive and not any(has(paragraphs[d], a) for a in answers)][:n]


# %% top_inner_products: puts the blocks together | all_at_once
def top_inner_products(queries, blocks, k):
    S = queries @ torch.cat(list(blocks)).T
    return S.topk(k, dim=1)


# %% top_inner_products: a block's number times its length | equal_blocks
def top_inner_products(queries, blocks, k):
    values, numbers = [], []
    for i, block in enumerate(blocks):
        v, j = (queries @ block.T).topk(min(k, len(block)), dim=1)
        values.append(v)
        numbers.append(j + i * len(block))
    V, J = torch.cat(values, 1), torch.cat(numbers, 1)
    top, where = V.topk(min(k, V.shape[1]), dim=1)
    return top, J.gather(1, where)


# %% fuse_rankings: behind the last one | missing_as_last
def fuse_rankings(rankings, c=60):
    docs = sorted({d for r in rankings for d in r})
    s = {}
    for d in docs:
        s[d] = sum(1 / (c + (r.index(d) + 1 if d in r else len(r) + 1)) for r in rankings)
    return sorted(docs, key=lambda d: (-s[d], d))


# %% fuse_rankings: one from each in turn | interleaved
def fuse_rankings(rankings, c=60):
    out = []
    for i in range(max(map(len, rankings), default=0)):
        for r in rankings:
            if i < len(r) and r[i] not in out:
                out.append(r[i])
    return out


# %% choose_answer: one null score for all | largest_null
def choose_answer(retrieval, nulls, spans, weight, threshold):
    best, text, where = threshold, "", -1
    for i, row in enumerate(spans):
        for s, t in row:
            total = (1 - weight) * (s - max(nulls)) + weight * retrieval[i]
            if total > best:
                best, text, where = total, t, i
    return text, where


# %% choose_answer: begins at zero | starts_at_zero
def choose_answer(retrieval, nulls, spans, weight, threshold):
    best, text, where = 0, "", -1
    for i, row in enumerate(spans):
        for s, t in row:
            total = (1 - weight) * (s - nulls[i]) + weight * retrieval[i]
            if total > best and total > threshold:
                best, text, where = total, t, i
    return text, where


# %% hard_negatives: trusts the answers to find the right one | keeps_the_right_one
def hard_negatives(ranking, paragraphs, positive, answers, n):
    def has(words, answer):
        size = len(answer)
        return size > 0 and any(list(words[i : i + size]) == list(answer) for i in range(len(words)))

    return [d for d in ranking if not any(has(paragraphs[d], a) for a in answers)][:n]


# %% top_inner_products: one matrix of all blocks | collects_the_blocks
def top_inner_products(queries, blocks, k):
    everything = torch.cat([block for block in blocks], dim=0)
    S = queries @ everything.T
    values, numbers = S.sort(dim=1, descending=True)
    return values[:, :k], numbers[:, :k]


# %% top_inner_products: makes room for the best, once all vectors are counted | reads_twice
def top_inner_products(queries, blocks, k):
    total = sum(block.shape[0] for block in blocks)
    size = min(k, total)
    best = torch.full((len(queries), size), float("-inf"), dtype=queries.dtype)
    where = torch.zeros(len(queries), size, dtype=torch.long)
    start = 0
    for block in blocks:
        S = torch.cat([best, queries @ block.T], dim=1)
        J = torch.cat([where, torch.arange(start, start + len(block)).repeat(len(queries), 1)], dim=1)
        best, i = S.topk(size, dim=1)
        where = J.gather(1, i)
        start += len(block)
    return best, where


# %% top_inner_products: begins with the first block | first_block_apart
def top_inner_products(queries, blocks, k):
    S = queries @ blocks[0].T
    best, where = S.topk(min(k, S.shape[1]), dim=1)
    start = len(blocks[0])
    for block in blocks[1:]:
        S = torch.cat([best, queries @ block.T], dim=1)
        J = torch.arange(start, start + len(block)).expand(len(queries), -1)
        best, i = S.topk(min(k, S.shape[1]), dim=1)
        where = torch.cat([where, J], dim=1).gather(1, i)
        start += len(block)
    return best, where


# %% ranking_scores: 1 / (i + 1) with ranks from 1 | one_too_deep
def ranking_scores(rankings, relevant, k):
    recall, rr = [], []
    for r, right in zip(rankings, relevant):
        if not right:
            raise ValueError("nothing to find")
        recall.append(sum(d in right for d in r[:k]) / len(right))
        ranks = [i for i, d in enumerate(r, start=1) if d in right]
        rr.append(1 / (min(ranks) + 1) if ranks else 0.0)
    return sum(recall) / len(recall), sum(rr) / len(rr)


# %% ranking_scores: forgets to stop at the first | sum_of_all_ranks
def ranking_scores(rankings, relevant, k):
    recall = rr = 0.0
    for r, right in zip(rankings, relevant):
        if not right:
            raise ValueError("nothing to find")
        recall += sum(d in right for d in r[:k]) / len(right)
        for i, d in enumerate(r):
            if d in right:
                rr += 1 / (i + 1)
    return recall / len(rankings), rr / len(rankings)


# %% ndcg: counts ranks from 1 and adds 2 | discount_one_ahead
def ndcg(gains, scores, k):
    k = min(k, gains.shape[1])
    w = torch.tensor([1 / math.log2(r + 2) for r in range(1, k + 1)], dtype=gains.dtype)
    top = gains.gather(1, scores.topk(k, dim=1).indices) @ w
    best = gains.topk(k, dim=1).values @ w
    return torch.where(best > 0, top / best.clamp(min=1e-9), torch.zeros_like(best)).mean().item()


# %% hard_negatives: a paragraph must have all answers to fall out | all_answers
def hard_negatives(ranking, paragraphs, positive, answers, n):
    def has(words, answer):
        size = len(answer)
        return any(list(words[i : i + size]) == list(answer) for i in range(len(words) - size + 1))

    right = [a for a in answers if a]
    return [d for d in ranking if d != positive and not all(has(paragraphs[d], a) for a in right)][:n]


# %% choose_answer: takes the first span for the best one | first_span_only
def choose_answer(retrieval, nulls, spans, weight, threshold):
    best, text, where = threshold, "", -1
    for i, row in enumerate(spans):
        if not row:
            continue
        score, answer = row[0]
        total = weight * retrieval[i] + (1 - weight) * (score - nulls[i])
        if total > best:
            best, text, where = total, answer, i
    return text, where


# %% bm25_scores: N is the size of the index, the number of words | size_of_the_index
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


# %% bm25_scores: N is the size of the index, also in the mean | size_of_the_index_and_mean
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    if not lengths:
        raise ValueError("no documents")
    N = len(index)
    average = sum(lengths) / max(N, 1)
    scores = torch.zeros(len(lengths))
    for word in query:
        n = len(index.get(word, []))
        idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        for d, c in index.get(word, []):
            scores[d] += idf * c / (c + k1 * (1 - b + b * lengths[d] / average))
    return scores


# %% bm25_scores: N is the number of words in all documents | words_in_all
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    if not lengths:
        raise ValueError("no documents")
    N = sum(lengths)
    average = N / len(lengths)
    scores = [0.0] * len(lengths)
    for word in query:
        found = index.get(word, [])
        idf = math.log(1 + (N - len(found) + 0.5) / (len(found) + 0.5))
        for d, c in found:
            scores[d] += idf * c / (c + k1 * (1 - b + b * lengths[d] / average))
    return torch.tensor(scores)


# %% bm25_scores: N is the number of documents in the index | empty_documents_not_counted
def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
    if not lengths:
        raise ValueError("no documents")
    N = len({d for postings in index.values() for d, _ in postings})
    average = sum(lengths) / len(lengths)
    scores = torch.zeros(len(lengths))
    for word in query:
        n = len(index.get(word, []))
        idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        for d, c in index.get(word, []):
            scores[d] += idf * c / (c + k1 * (1 - b + b * lengths[d] / average))
    return scores


# %% hard_negatives: appends first and compares afterwards, so n = 0 never stops | all_for_none
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


# %% hard_negatives: counts n down to 0, beginning below it | all_for_none
def hard_negatives(ranking, paragraphs, positive, answers, n):
    kept = []
    for d in ranking:
        words = list(paragraphs[d])
        if d == positive or any(a and any(words[i : i + len(a)] == list(a) for i in range(len(words))) for a in answers):
            continue
        kept.append(d)
        n -= 1
        if n == 0:
            break
    return kept


# %% hard_negatives: appends first and stops with one for n = 0 | one_for_none
def hard_negatives(ranking, paragraphs, positive, answers, n):
    kept = []
    for d in ranking:
        if d == positive:
            continue
        words = list(paragraphs[d])
        if any(a and any(words[i : i + len(a)] == list(a) for i in range(len(words))) for a in answers):
            continue
        kept.append(d)
        if len(kept) >= n:
            return kept
    return kept


# %% hard_negatives: stops when there are more than n | one_too_many
def hard_negatives(ranking, paragraphs, positive, answers, n):
    kept = []
    for d in ranking:
        if len(kept) > n:
            break
        if d == positive:
            continue
        words = list(paragraphs[d])
        if any(a and any(words[i : i + len(a)] == list(a) for i in range(len(words))) for a in answers):
            continue
        kept.append(d)
    return kept


# %% hard_negatives: reads on until there are n | reads_on
def hard_negatives(ranking, paragraphs, positive, answers, n):
    kept, i = [], 0
    while len(kept) < n:
        d = ranking[i]
        i += 1
        words = list(paragraphs[d])
        if d == positive or any(a and any(words[j : j + len(a)] == list(a) for j in range(len(words))) for a in answers):
            continue
        kept.append(d)
    return kept


# %% top_inner_products: keeps only as many as this block has | as_many_as_this_block
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


# %% top_inner_products: keeps only as many as this block has, skips empty ones | as_many_as_this_block
def top_inner_products(queries, blocks, k):
    best = torch.empty(len(queries), 0, dtype=queries.dtype)
    where = torch.empty(len(queries), 0, dtype=torch.long)
    first = 0
    for block in blocks:
        if not len(block):
            continue
        best = torch.cat([best, queries @ block.T], dim=1)
        where = torch.cat([where, torch.arange(first, first + len(block)).expand(len(queries), -1)], dim=1)
        best, kept = best.topk(min(k, len(block)), dim=1)
        where = where.gather(1, kept)
        first += len(block)
    return best, where


# %% top_inner_products: k becomes the size of the smallest block | smallest_block_decides
def top_inner_products(queries, blocks, k):
    best = torch.empty(len(queries), 0, dtype=queries.dtype)
    where = torch.empty(len(queries), 0, dtype=torch.long)
    first = 0
    for block in blocks:
        k = min(k, len(block))
        best = torch.cat([best, queries @ block.T], dim=1)
        where = torch.cat([where, torch.arange(first, first + len(block)).expand(len(queries), -1)], dim=1)
        best, kept = best.topk(k, dim=1)
        where = where.gather(1, kept)
        first += len(block)
    return best, where


# %% top_inner_products: k becomes the size of the first block | first_block_decides
def top_inner_products(queries, blocks, k):
    best = None
    first = 0
    for block in blocks:
        scores = queries @ block.T
        ids = torch.arange(first, first + len(block)).expand(len(queries), -1)
        if best is None:
            k = min(k, len(block))
        else:
            scores, ids = torch.cat([best, scores], 1), torch.cat([where, ids], 1)
        best, kept = scores.topk(k, dim=1)
        where = ids.gather(1, kept)
        first += len(block)
    return best, where


# %% bm25_scores: the size of the index wherever N stands | size_of_the_index_everywhere
# - N = len(lengths)
# + N = len(index)


# %% inverted_index: one counter for all | counter_not_emptied
def inverted_index(documents):
    index, counter = {}, Counter()
    for i, words in enumerate(documents):
        for word in words:
            counter[word] += 1
        for word in counter:
            index.setdefault(word, []).append((i, counter[word]))
    return index


# %% inverted_index: the largest count first | sorted_by_count
def inverted_index(documents):
    index = {}
    for i, words in enumerate(documents):
        for word, count in Counter(words).items():
            index.setdefault(word, []).append((i, count))
    for postings in index.values():
        postings.sort(key=lambda p: p[1], reverse=True)
    return index


# %% hard_negatives: all in place of any, where there are answers | all_of_some_answers
def hard_negatives(ranking, paragraphs, positive, answers, n):
    def has(words, answer):
        runs = [list(words[i : i + len(answer)]) for i in range(len(words) - len(answer) + 1)]
        return len(answer) > 0 and list(answer) in runs

    found = []
    for d in ranking:
        bad = len(answers) > 0 and all(has(paragraphs[d], answer) for answer in answers)
        if d != positive and not bad:
            found.append(d)
    return found[:n]


# %% top_inner_products: begins with minus infinity | filled_up
def top_inner_products(queries, blocks, k):
    best = torch.full((len(queries), k), -math.inf, dtype=queries.dtype)
    where, seen = torch.full((len(queries), k), -1), 0
    for block in blocks:
        ids = torch.arange(seen, seen + len(block)).repeat(len(queries), 1)
        best, order = torch.cat([best, queries @ block.T], dim=1).topk(k, dim=1)
        where = torch.cat([where, ids], dim=1).gather(1, order)
        seen += len(block)
    return best, where


# %% top_inner_products: the first k of the best of each block | cut_without_comparing
def top_inner_products(queries, blocks, k):
    values = torch.zeros(len(queries), 0, dtype=queries.dtype)
    numbers, seen = torch.zeros(len(queries), 0, dtype=torch.int64), 0
    for block in blocks:
        new, order = (queries @ block.T).sort(dim=1, descending=True)
        values = torch.cat([values, new[:, :k]], dim=1)
        numbers = torch.cat([numbers, order[:, :k] + seen], dim=1)
        seen += len(block)
    return values[:, :k], numbers[:, :k]


# %% inverted_index: a posting with count 1 | each_occurrence_counts_one
def inverted_index(documents):
    index = {}
    for number, words in enumerate(documents):
        for word in words:
            index.setdefault(word, []).append((number, 1))
    return index


# %% inverted_index: asks where the document stands | first_of_equal_documents
def inverted_index(documents):
    index = {}
    for words in documents:
        for word, count in Counter(words).items():
            index.setdefault(word, []).append((documents.index(words), count))
    return index


# %% top_inner_products: a matrix of all blocks | collects_the_blocks
def top_inner_products(queries, blocks, k):
    everything = torch.cat(list(blocks))
    products = queries @ everything.T
    return tuple(products.topk(min(k, products.shape[1]), dim=1))


# %% top_inner_products: one product after the other in a list | collects_products
def top_inner_products(queries, blocks, k):
    products = torch.cat([queries @ block.T for block in blocks], dim=1)
    return tuple(products.topk(min(k, products.shape[1]), dim=1))


# %% top_inner_products: the best of each block, and the best of these | collects_the_best_of_each_block
def top_inner_products(queries, blocks, k):
    parts, start = [], 0
    for block in blocks:
        scores = queries @ block.T
        top = scores.topk(min(k, scores.shape[1]))
        parts.append((top.values, top.indices + start))
        start += block.shape[0]
    v = torch.cat([p[0] for p in parts], 1)
    i = torch.cat([p[1] for p in parts], 1)
    top = v.topk(min(k, v.shape[1]))
    return top.values, i.gather(1, top.indices)


# %% info_nce: equal rows of P are the same paragraph | compares_vectors
def info_nce(Q, P, numbers, temperature, hard=None):
    scores = Q @ P.T / temperature
    for i in range(len(P)):
        for j in range(len(P)):
            if i != j and torch.equal(P[i], P[j]):
                scores = scores.masked_fill(F.one_hot(torch.tensor(i * len(P) + j), len(P) ** 2).view(len(P), -1).bool(), -math.inf)
    if hard is not None:
        scores = torch.cat([scores, Q @ hard.T / temperature], 1)
    return F.cross_entropy(scores, torch.arange(len(Q)))


# %% top_inner_products: the best of each block, merged | collects_the_best_of_each_block
def top_inner_products(queries, blocks, k):
    tops, start = [], 0
    for block in blocks:
        found = torch.einsum("bd,nd->bn", queries, block).topk(min(k, len(block)), dim=1)
        tops.append((found.values, found.indices + start))
        start += len(block)
    V, J = (torch.cat(t, dim=1) for t in zip(*tops))
    V, order = V.sort(dim=1, descending=True)
    return V[:, :k], J.gather(1, order)[:, :k]
