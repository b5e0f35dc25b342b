"""top_inner_products: blocks of any size, also from a generator, numbers across blocks, few vectors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import number
from .common import steps

POINTS = {"values": 2, "blocks": 2, "edges": 1}
#: Primes above all numbers of `steps`, so that products of the two differ, divided by a power of 2.
LENGTHS = torch.tensor(
    [37, 53, 71, 97, 127, 163, 199, 239, 283, 331, 379, 431, 487, 547], dtype=torch.float32
).div(128)
#: Counts the bytes of all tensors of the process.
_BYTES = (
    "sum({{t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in gc.get_objects()"
    " if type(t) is torch.Tensor and t.layout == torch.strided}}.values())"
)
#: A hundred blocks of ten vectors. Before the last one comes, the tensors are counted: the products of
#: all blocks would be 12 kB more than at first, the best two of each 7 kB, and those of one block 1 kB.
_COUNTED = (
    "(lambda gc, held: (block for i in range(100)"
    " if i % 99 or (gc.collect(), held.append(BYTES)) and held[-1] < held[0] + 4000"
    " or (_ for _ in ()).throw(MemoryError('after 99 blocks, more than '"
    " f'{{10 if held[-1] > held[0] + 10000 else 4}} kB of tensors are held; for the best two of each"
    " query 72 bytes are enough'))"
    " for block in [(torch.arange({d} * 10 * i, {d} * 10 * (i + 1)).view(10, {d}) * {factor} % 5003) / 8]))"
    "(__import__('gc'), [])"
).replace("BYTES", _BYTES)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def queries(n: int, d: int) -> torch.Tensor:
        """Queries that pick out one component each, so that products are exact, and differ."""
        found = torch.zeros(n, d)
        for row in found:
            row[number(rng, 0, d - 1)] = 1.0 if rng.random() < 0.7 else -2.0
        return found

    def cut(vectors: torch.Tensor, *sizes: int) -> list[torch.Tensor]:
        return [part.clone() for part in vectors.split(list(sizes))]

    def once(blocks: list[torch.Tensor], overwrite: bool = False) -> codec.Source:
        """A generator of the blocks, which may overwrite each when the next one is asked for."""
        rows = [block.tolist() for block in blocks]
        if not overwrite:
            return codec.Source(f"(torch.tensor(rows) for rows in {rows})")
        twice = "for block in [torch.tensor(rows)] for turn in (1, 2)"
        return codec.Source(
            f"(block for rows in {rows} {twice} if turn == 1 or block.neg_() is None)"
        )

    d = number(rng, 3, 5)
    N = number(rng, 9, 14)
    vectors = steps(rng, N, d)
    yield Case("values", [queries(1, d), cut(vectors, 4, N - 4), 3], title="one query, two blocks")
    yield Case("values", [queries(3, d), [vectors], 4], title="one block")
    yield Case(
        "values", [queries(4, d), cut(vectors - 20, 5, N - 5), 3], title="vectors far from 0"
    )
    yield Case(
        "values",
        [queries(2, d).double(), cut(vectors.double(), 3, N - 3), 1],
        title="the best one, float64",
    )
    long = vectors * LENGTHS[:N, None]  # exact, and no two products are equal
    yield Case("values", [queries(3, d), cut(long, 6, N - 6), 2], title="short and long vectors")

    sizes = (2, 5, 1, N - 8)
    yield Case(
        "blocks", [queries(3, d), cut(vectors, *sizes), 4], title="blocks of different sizes"
    )
    yield Case(
        "blocks", [queries(2, d), cut(vectors, *[1] * N), 3], title="a block for each vector"
    )
    yield Case("blocks", [queries(2, d), cut(vectors, 4, 0, N - 4), 3], title="an empty block")
    ahead = torch.cat([vectors[: N - 4], vectors[N - 4 :] + 40])
    positive = queries(3, d).abs()
    yield Case("blocks", [positive, cut(ahead, 4, 4, N - 8), 6], title="the best come last")
    yield Case(
        "blocks", [positive, cut(ahead.flip(0), 4, 4, N - 8), 6], title="the best come first"
    )

    blocks = cut(steps(rng, N, d), 3, 4, N - 7)
    yield Case("blocks", [positive, once(blocks), 4], title="blocks from a generator")
    blocks = cut(steps(rng, 12, d), 4, 4, 4)
    yield Case(
        "blocks",
        [queries(3, d), once(blocks, overwrite=True), 5],
        title="each block overwritten when the next one comes",
    )

    counted = codec.Source(_COUNTED.format(d=d, factor=number(rng, 1000, 5000)))
    title = "a hundred blocks; at the end it is counted how much is held of the earlier ones"
    yield Case("blocks", [queries(3, d), counted, 2], title=title)

    yield Case(
        "edges", [queries(2, d), cut(vectors, 4, N - 4), N + 3], title="k beyond the vectors"
    )
    yield Case("edges", [queries(2, d), cut(vectors, 2, N - 2), N], title="all of them")
    yield Case("edges", [queries(2, d), [vectors[:1]], 3], title="a collection of one")
    yield Case(
        "edges",
        [queries(number(rng, 1, 3), d), cut(vectors, 3, N - 3), 5],
        title="k beyond the first block",
    )


WRONG = {
    "numbers_of_the_block": """
        The numbers start again from 0 in every block. They should go on: the first vector of a
        block has as its number how many came before.

        - numbers = torch.arange(first, first + len(block)).expand(len(queries), -1)
        + numbers = torch.arange(len(block)).expand(len(queries), -1)
        """,
    "equal_blocks": """
        The number of the block was multiplied by its length, which is right only if all blocks are
        equally long. Add up the lengths of the blocks before it.

        - for block in blocks:
        + for i, block in enumerate(blocks):
        -     numbers = torch.arange(first, first + len(block)).expand(len(queries), -1)
        +     numbers = (torch.arange(len(block)) + i * len(block)).expand(len(queries), -1)
        """,
    "counts_the_block_first": """
        The first vector of a block gets the number that the first of the *next* block should have:
        the length was added too early.

        - numbers = torch.arange(first, first + len(block)).expand(len(queries), -1)
        + numbers = torch.arange(len(block)).expand(len(queries), -1) + first + len(block)
        """,
    "places_for_numbers": """
        After a block, the numbers are places among the candidates, not those of the vectors. Take
        the numbers along: `gather` them with what `topk` found.

        - where = where.gather(1, kept)
        + where = kept
        """,
    "best_of_each_block": """
        The best k of every block are returned, one block after the other. Only the best k of all
        are wanted, the best first.

        def top_inner_products(queries, blocks, k):
            values, numbers, first = [], [], 0
            for block in blocks:
                found = (queries @ block.mT).topk(min(k, len(block)), dim=1)
                values.append(found.values)
                numbers.append(found.indices + first)
                first += len(block)
            return torch.cat(values, dim=1), torch.cat(numbers, dim=1)
        """,
    "last_block_only": """
        Only the vectors of the last block were compared. Keep the best so far beside each new
        block.

        - best = torch.cat([best, queries @ block.mT], dim=1)
        - where = torch.cat([where, numbers], dim=1)
        + best = queries @ block.mT
        + where = numbers
        """,
    "first_block_decides": """
        As many as the first block can give are kept, so a small first block leaves too few. How
        many there are to choose from grows with every block.

        - best, kept = best.topk(min(k, best.shape[1]), dim=1)
        + k = min(k, len(block)) if first == 0 else k
        + best, kept = best.topk(k, dim=1)
        """,
    "smallest": """
        The smallest inner products were kept. The largest are wanted.

        - best, kept = best.topk(min(k, best.shape[1]), dim=1)
        + best, kept = best.topk(min(k, best.shape[1]), dim=1, largest=False)
        """,
    "cosine": """
        The vectors were scaled to length 1. These are inner products: a longer vector gets a larger
        one.

        - best = torch.cat([best, queries @ block.mT], dim=1)
        + best = torch.cat([best, F.normalize(queries, dim=1) @ F.normalize(block, dim=1).mT], dim=1)
        """,
    "distances": """
        These are distances, negated. Here the inner product decides.

        - best = torch.cat([best, queries @ block.mT], dim=1)
        + best = torch.cat([best, -torch.cdist(queries, block)], dim=1)
        """,
    "absolute": """
        The sign is lost: a strongly negative inner product means unlike, not alike.

        - best = torch.cat([best, queries @ block.mT], dim=1)
        + best = torch.cat([best, (queries @ block.mT).abs()], dim=1)
        """,
    "breaks_for_few": """
        With fewer vectors than k, `topk` raises an error. Then all of them are wanted.

        raises RuntimeError

        - best, kept = best.topk(min(k, best.shape[1]), dim=1)
        + best, kept = best.topk(k, dim=1)
        """,
    "collects_the_blocks": """
        All blocks were collected before the first product. The next block may take the place of the
        one before, and all together may not fit into memory: multiply with each as it comes, keep
        the k best so far and forget the block.

        def top_inner_products(queries, blocks, k):
            matrix = torch.cat(list(blocks))
            found = (queries @ matrix.mT).topk(min(k, len(matrix)), dim=1)
            return found.values, found.indices
        """,
    "collects_products": """
        The products of all blocks were collected, and the largest taken at the end. For a large
        collection they do not fit into memory: after each block keep only the k best so far of each
        query.

        raises MemoryError

        def top_inner_products(queries, blocks, k):
            products = torch.cat([queries @ block.mT for block in blocks], dim=1)
            found = products.topk(min(k, products.shape[1]), dim=1)
            return found.values, found.indices
        """,
    "collects_the_best_of_each_block": """
        The k best of every block were collected, and the best of them taken at the end. Of many
        blocks these are many, too: after each block keep only the k best so far.

        raises MemoryError

        def top_inner_products(queries, blocks, k):
            values, numbers, first = [], [], 0
            for block in blocks:
                found = (queries @ block.mT).topk(min(k, len(block)), dim=1)
                values.append(found.values)
                numbers.append(found.indices + first)
                first += len(block)
            values, numbers = torch.cat(values, dim=1), torch.cat(numbers, dim=1)
            best = values.topk(min(k, values.shape[1]), dim=1)
            return best.values, numbers.gather(1, best.indices)
        """,
    "reads_twice": """
        The blocks were read twice, say, to count the vectors first. A generator gives each block
        once: for the second reading nothing is left. Count while you multiply.

        - best = queries.new_empty(len(queries), 0)
        - where = torch.empty(len(queries), 0, dtype=torch.long)
        + N = sum(len(block) for block in blocks)
        + k = min(k, N)
        + best = queries.new_full((len(queries), k), -math.inf)
        + where = torch.zeros(len(queries), k, dtype=torch.long)
        """,
    "needs_a_list": """
        Only a list has a length. Blocks may come from a generator: take them in a `for` loop.

        raises TypeError

        - for block in blocks:
        + for i in range(len(blocks)):
        +     block = blocks[i]
        """,
    "first_block_apart": """
        Only a list has a first element. Blocks may come from a generator: take them all in one
        `for` loop, which begins with nothing found.

        raises TypeError

        - best = queries.new_empty(len(queries), 0)
        - where = torch.empty(len(queries), 0, dtype=torch.long)
        - first = 0
        - for block in blocks:
        + best, where = (queries @ blocks[0].mT).topk(min(k, len(blocks[0])), dim=1)
        + first = len(blocks[0])
        + for block in blocks[1:]:
        """,
    "all_at_once": """
        All blocks were put together first, although the next one may take the place of the one
        before: multiply with each as it comes. (And with fewer vectors than k, `topk` raises an
        error. Then all of them are wanted.)

        def top_inner_products(queries, blocks, k):
            found = (queries @ torch.cat(list(blocks)).mT).topk(k, dim=1)
            return found.values, found.indices
        """,
    "unordered": """
        The right ones, but not in order: the largest inner product comes first.

        - return best, where
        + return best.flip(1), where.flip(1)
        """,
    "exchanged": """
        The two results are exchanged: values first, then numbers.

        - return best, where
        + return where, best
        """,
    "as_many_as_this_block": """
        As many as *this* block has vectors are kept, so after a small one the best so far are lost. There
        are more to choose from: the best so far and those of the block together.

        - best, kept = best.topk(min(k, best.shape[1]), dim=1)
        + best, kept = best.topk(min(k, len(block) or k, best.shape[1]), dim=1)
        """,
    "smallest_block_decides": """
        After a small block fewer are kept for all that follow, since k itself has become smaller. Leave k
        alone: how many there are to choose from grows with every block.

        - best, kept = best.topk(min(k, best.shape[1]), dim=1)
        + k = min(k, len(block) or k)
        + best, kept = best.topk(min(k, best.shape[1]), dim=1)
        """,
    "filled_up": """
        Where there are fewer vectors than k, places with minus infinity fill the result up. It has
        min(k, N) columns.

        - best = queries.new_empty(len(queries), 0)
        - where = torch.empty(len(queries), 0, dtype=torch.long)
        + best = queries.new_full((len(queries), k), -math.inf)
        + where = torch.full((len(queries), k), -1)
        """,
    "cut_without_comparing": """
        The best k of every block stand one behind the other, and the first k of them are returned.
        Compare those of all blocks: the best may come later.

        def top_inner_products(queries, blocks, k):
            values, numbers, first = [], [], 0
            for block in blocks:
                found = (queries @ block.mT).topk(min(k, len(block)), dim=1)
                values.append(found.values)
                numbers.append(found.indices + first)
                first += len(block)
            return torch.cat(values, dim=1)[:, :k], torch.cat(numbers, dim=1)[:, :k]
        """,
}

RIGHT = {
    "heap": """
        def top_inner_products(queries, blocks, k):
            kept = [[] for _ in range(len(queries))]
            first = 0
            for block in blocks:
                for row, scores in zip(kept, queries @ block.T):
                    row.extend((s, first + i) for i, s in enumerate(scores.tolist()))
                    row.sort(reverse=True)
                    del row[k:]
                first += len(block)
            values = torch.tensor([[s for s, _ in row] for row in kept], dtype=queries.dtype)
            return values, torch.tensor([[i for _, i in row] for row in kept])
        """,
    "lists": """
        def top_inner_products(queries, blocks, k):
            values, numbers, start = None, None, 0
            for block in blocks:
                if not len(block):
                    continue
                part = torch.einsum("bd,nd->bn", queries, block)
                top = part.topk(min(k, part.shape[-1]))
                v, i = top.values, top.indices + start
                if values is not None:
                    v, i = torch.cat((values, v), 1), torch.cat((numbers, i), 1)
                order = v.argsort(dim=1, descending=True)[:, :k]
                values, numbers = v.gather(1, order), i.gather(1, order)
                start += len(block)
            return values, numbers
        """,
}

FURTHER = """
Keep two tensors: the best values so far, (B, at most k), and their numbers. For each block, append its inner
products and numbers with `torch.cat(..., dim=1)`, take `topk` of the values, and `gather` the numbers with the
indices that it returns.
"""

EQUIVALENT = {
    "Nothing is trained through a search.": "every edit: detached, without gradient",
    "It is empty at first, or all of its rows are equal.": """
             best = queries.new_empty(len(queries), 0)
        +    best = best[:1].expand_as(best)
             where = torch.empty(len(queries), 0, dtype=torch.long)

             where = torch.empty(len(queries), 0, dtype=torch.long)
        +    where = where[:1].expand_as(where)
             first = 0

                 numbers = torch.arange(first, first + len(block)).expand(len(queries), -1)
        +        numbers = numbers[:1].expand_as(numbers)
                 best = torch.cat([best, queries @ block.mT], dim=1)

        -    best = queries.new_empty(len(queries), 0)
        +    best = -queries.new_empty(len(queries), 0)
        """,
    "`torch.cat` leaves out an empty vector.": """
        -    best = queries.new_empty(len(queries), 0)
        +    best = queries.new_empty(0)

        -    where = torch.empty(len(queries), 0, dtype=torch.long)
        +    where = torch.empty(0, dtype=torch.long)

        -    best = queries.new_empty(len(queries), 0)
        +    best = queries.new_empty(len(queries), 0).squeeze()

        -    where = torch.empty(len(queries), 0, dtype=torch.long)
        +    where = torch.empty(len(queries), 0, dtype=torch.long).squeeze()
        """,
    "`torch.cat` takes the wider dtype.": """
        -    best = queries.new_empty(len(queries), 0)
        +    best = queries.new_empty(len(queries), 0).half()

        -    where = torch.empty(len(queries), 0, dtype=torch.long)
        +    where = torch.empty(len(queries), 0, dtype=torch.bool)
        """,
    "Numbers may be of any type of integers.": """
        -    return best, where
        +    return best, where.int()
        """,
    "`best` has a row for each query.": """
        -    where = torch.empty(len(queries), 0, dtype=torch.long)
        +    where = torch.empty(len(best), 0, dtype=torch.long)

        -        numbers = torch.arange(first, first + len(block)).expand(len(queries), -1)
        +        numbers = torch.arange(first, first + len(block)).expand(len(best), -1)
        """,
}
