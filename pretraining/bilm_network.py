import torch
from torch import nn


class WordFromLetters(nn.Module):
    def __init__(self, n_letters, dim, widths=(1, 2, 3, 4), n_filters=64, letter_dim=16):
        super().__init__()
        self.letters = nn.Embedding(n_letters, letter_dim, padding_idx=0)
        self.filters = nn.ModuleList(nn.Linear(w * letter_dim, n_filters) for w in widths)
        self.project = nn.Linear(n_filters * len(widths), dim)
        self.widths = tuple(widths)

    def forward(self, letters):
        E, real = self.letters(letters), (letters != 0).unsqueeze(-1)
        maxima = []
        for width, layer in zip(self.widths, self.filters):
            padded = nn.functional.pad(E, (0, 0, 0, width - 1))
            windows = padded.unfold(1, width, 1).transpose(2, 3).flatten(2)
            maxima.append(torch.relu(layer(windows)).masked_fill(~real, 0.0).amax(dim=1))
        return self.project(torch.cat(maxima, dim=1))


class BidirectionalLanguageModel(nn.Module):
    def __init__(self, n_letters, n_words, dim):
        super().__init__()
        self.words = WordFromLetters(n_letters, dim)
        self.forwards = nn.ModuleList(nn.LSTM(dim, dim, batch_first=True) for _ in range(2))
        self.backwards = nn.ModuleList(nn.LSTM(dim, dim, batch_first=True) for _ in range(2))
        self.output = nn.Linear(dim, n_words)

    def read(self, X, mask):
        length = mask.sum(dim=1, keepdim=True)
        place = torch.arange(X.shape[1]).expand(mask.shape)
        back = torch.where(mask, length - 1 - place, place)[..., None].expand(X.shape)
        layers = [torch.cat([X, X], dim=-1)]
        A, B = X, X.gather(1, back)
        for i, (ahead, behind) in enumerate(zip(self.forwards, self.backwards)):
            A, B = (ahead(A)[0], behind(B)[0]) if i == 0 else (A + ahead(A)[0], B + behind(B)[0])
            layers.append(torch.cat([A, B.gather(1, back)], dim=-1))
        return torch.stack(layers)
