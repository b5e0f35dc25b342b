"""Given parts of 09 for 11 and 14: batches, BLEU with one reference, encoder and decoder.

The translator is another one than 09 asks for: it has GRUs only, and parameters of its own. So
whoever copies it from here into 09 has not solved 09.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from coursekit.forbidden import require_allowed
from coursekit.text import pad_batch


def translation_batch(
    sources: Sequence[list[int]], targets: Sequence[list[int]], bos: int, eos: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return pairs of sentences as tensors.

    Parameters
    ----------
    sources, targets : sequence of list of int
        The token ids of B sentences each, without special tokens.
    bos, eos : int
        The ids of <s> and </s>.

    Returns
    -------
    source, mask : torch.Tensor
        (B, L), int64 and bool: the sources with eos, and where they are not padding.
    y_in, y_out : torch.Tensor
        (B, T), int64: the targets behind bos, and before eos.

    Raises
    ------
    ValueError
        There is not one target for each source.
    """
    require_allowed("coursekit.given.translation_batch")
    if len(targets) != len(sources):
        raise ValueError(f"there are {len(sources)} sources, but {len(targets)} targets")
    source, mask = pad_batch([[*words, eos] for words in sources])
    framed, real = pad_batch([[bos, *words, eos] for words in targets])
    y_in = framed[:, :-1].masked_fill(~real[:, 1:], 0)  # eos is an input of no position
    return source, mask, y_in, framed[:, 1:]


def clipped_matches(
    hypothesis: Sequence[str | int], references: Sequence[Sequence[str | int]], n: int
) -> tuple[int, int]:
    """Count the n-grams of a translation that occur in a reference, and all its n-grams.

    Parameters
    ----------
    hypothesis : sequence of str or int
        The tokens of the translation, words or ids.
    references : sequence of sequence of str or int
        Those of one or more right translations.
    n : int
        The number of tokens in an n-gram.

    Returns
    -------
    matches, total : int
    """
    require_allowed("coursekit.given.clipped_matches")
    return _matches(hypothesis, references, n)


def corpus_bleu(
    hypotheses: Sequence[Sequence[str | int]],
    references: Sequence[Sequence[Sequence[str | int]]],
    max_n: int = 4,
) -> float:
    """Compute the BLEU of a test set, 0 to 100, with one reference each (Papineni et al. 2002).

    Parameters
    ----------
    hypotheses : sequence of sequence of str or int
        The translations, each a sequence of tokens.
    references : sequence of sequence of sequence of str or int
        For each of them a single reference.
    max_n : int
        Must be 4.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Another number of references, or another `max_n`.
    """
    require_allowed("coursekit.given.corpus_bleu")
    if max_n != 4 or len(hypotheses) != len(references):
        raise ValueError("the given BLEU has n-grams up to 4 and one reference for each sentence")
    pairs = [(h, *_only(several)) for h, several in zip(hypotheses, references, strict=True)]
    logs = []
    for n in range(1, 5):
        found, total = map(sum, zip(*(_matches(h, [r], n) for h, r in pairs), strict=True))
        if not found:
            return 0.0
        logs.append(math.log(found) - math.log(total))
    longer = sum(len(r) for _, r in pairs) / sum(len(h) for h, _ in pairs)
    return 100 * math.exp(sum(logs) / 4) * math.exp(-max(longer - 1, 0))


def _only(references: Sequence[Sequence[str | int]]) -> Sequence[Sequence[str | int]]:
    """Return the references after checking that there is exactly one."""
    if len(references) != 1:
        raise ValueError("the given BLEU compares with one reference for each sentence")
    return references


def _matches(
    hypothesis: Sequence[str | int], references: Sequence[Sequence[str | int]], n: int
) -> tuple[int, int]:
    """Return the clipped number of n-grams that occur in a reference, and of all n-grams."""
    own, *theirs = (
        Counter(zip(*(tokens[i:] for i in range(n)), strict=False))
        for tokens in (hypothesis, *references)
    )
    found = (min(count, max(one[gram] for one in theirs)) for gram, count in own.items())
    return sum(found), sum(own.values())


class TranslationEncoder(nn.Module):
    """Encoder that reads a sentence in both directions, with GRUs (Bahdanau et al. 2015).

    Calling it with token ids and their mask, both (B, L), returns the states, (B, L, 2d), and the
    decoder's first state, (B, d).

    Parameters
    ----------
    n_words : int
        The size of the vocabulary.
    d_e, d : int
        The dimensions of a word vector and of a state in each direction.
    """

    def __init__(self, n_words: int, d_e: int, d: int) -> None:
        require_allowed("coursekit.given.TranslationEncoder")
        super().__init__()
        self.both_ways = nn.GRU(d_e, d, bidirectional=True, batch_first=True)
        self.embedding, self.first = nn.Embedding(n_words, d_e), nn.Linear(d, d)

    def forward(
        self, source: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return states, (B, L, 2d), and first decoder state, (B, d), of texts, (B, L)."""
        X = pack_padded_sequence(self.embedding(source), mask.sum(1).cpu(), True, False)
        states, ends = self.both_ways(X)
        H, _ = pad_packed_sequence(states, True, total_length=source.shape[1])
        return H, self.first(ends.sum(0)).tanh()


def translation_loss(logits: torch.Tensor, y_out: torch.Tensor, padding: int = 0) -> torch.Tensor:
    """Return the mean negative log-likelihood of the right next words.

    Parameters
    ----------
    logits : torch.Tensor
        (B, T, V)
    y_out : torch.Tensor
        (B, T), the right words.
    padding : int
        Where `y_out` is that, there is nothing to predict.

    Returns
    -------
    torch.Tensor
        Of shape ().
    """
    require_allowed("coursekit.given.translation_loss")
    return F.cross_entropy(logits.transpose(1, 2), y_out, ignore_index=padding)


def greedy_decode(
    step: Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]],
    s: torch.Tensor,
    bos: int,
    eos: int,
    max_length: int,
) -> list[list[int]]:
    """Translate sentences by taking the most likely word at each step.

    Parameters
    ----------
    step : callable
        Maps the previous words, (B, 1), and the state to logits, (B, 1, V), and the next state.
    s : torch.Tensor
        (B, d), the first state.
    bos, eos : int
        The ids of <s> and </s>.
    max_length : int
        The most words of a translation.

    Returns
    -------
    list of list of int
        The words of each translation, without bos and eos.
    """
    require_allowed("coursekit.given.greedy_decode")
    words = torch.full((len(s), 1), bos)
    while words.shape[1] <= max_length and not (words == eos).any(dim=1).all():
        logits, s = step(words[:, -1:], s)
        words = torch.cat([words, logits[:, -1].argmax(dim=-1, keepdim=True)], dim=1)
    rows = words[:, 1:].tolist()
    return [row[: row.index(eos)] if eos in row else row for row in rows]


class LuongAttention(nn.Module):
    """Attention with the score "general" of Luong et al. (2015).

    Calling it with the decoder's states, (B, T, d_s), the encoder's, (B, L, d_h), and their mask,
    (B, L), returns the context vectors, (B, T, d_h), and the weights, (B, T, L).

    Parameters
    ----------
    d_s, d_h : int
        The dimensions of the decoder's and of the encoder's states.
    kind : str
        Must be "general".

    Raises
    ------
    ValueError
        Another kind.
    """

    def __init__(self, d_s: int, d_h: int, kind: str) -> None:
        require_allowed("coursekit.given.LuongAttention")
        if kind != "general":
            raise ValueError('the given attention has one score: pass "general"')
        super().__init__()
        self.query = nn.Linear(d_s, d_h)

    def forward(
        self, S: torch.Tensor, H: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the contexts, (B, T, d_h), and weights, (B, T, L), of S over H."""
        a = (self.query(S) @ H.mT).where(mask.unsqueeze(1), -torch.inf).softmax(dim=-1)
        return a @ H, a


class AttentionDecoder(nn.Module):
    """Decoder that attends to the source at every step (Luong et al. 2015).

    Calling it with the words before, (B, T), the state, (B, d), the encoder's states, (B, L, 2d), and
    their mask returns the logits, (B, T, V), the last state and the weights, (B, T, L).

    Parameters
    ----------
    n_words : int
        The size of the vocabulary.
    d_e, d : int
        The dimensions of a word vector and of a state.
    attention : nn.Module
        The attention, from d to 2d.
    """

    def __init__(self, n_words: int, d_e: int, d: int, attention: nn.Module) -> None:
        require_allowed("coursekit.given.AttentionDecoder")
        super().__init__()
        self.embedding, self.output = nn.Embedding(n_words, d_e), nn.Linear(d, n_words)
        self.attention, self.states = attention, nn.GRU(d_e, d, batch_first=True)
        self.of_context, self.of_state = nn.Linear(2 * d, d), nn.Linear(d, d)

    def forward(
        self, y: torch.Tensor, s: torch.Tensor, H: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return logits, (B, T, V), the last state and attention weights, (B, T, L)."""
        S, last = self.states(self.embedding(y), s.unsqueeze(0))
        context, a = self.attention(S, H, mask)
        return self.output((self.of_context(context) + self.of_state(S)).tanh()), last.squeeze(0), a
