"""Pretrained encoders: any BERT gives transformers' numbers in the course's encoder; what is wrong
with a folder is said in one sentence, and nothing that could run code is opened."""

import json
import pickle
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForPreTraining, BertModel, BertTokenizerFast

from autograder.course.reference import Solution
from coursekit import load_pretrained
from coursekit.data import DamagedFile, DataError, FetchError
from coursekit.pretrained import fill, names
from coursekit.text import pad_batch

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
NOTEBOOK = Path(__file__).parents[2] / "solutions/06_bert/06_bert.ipynb"


def tiny(folder, kind=BertModel, seed=0, tokens=19, **sizes):
    """A random BERT, saved as transformers does."""
    torch.manual_seed(seed)
    shape = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(
        vocab_size=tokens, max_position_embeddings=12, **{"intermediate_size": 16, **shape, **sizes}
    )
    make_pooler = {} if kind is BertForPreTraining else {"add_pooling_layer": "pooler" not in sizes}
    sizes.pop("pooler", None)
    model = kind(config, **make_pooler).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    model.save_pretrained(folder)
    words = [f"word{n}" for n in range(tokens - len(SPECIAL))]
    (folder / "vocab.txt").write_text("\n".join([*SPECIAL, *words]) + "\n", "utf-8")
    return model


def change(folder, **settings):
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **settings}), "utf-8")


def change_weights(folder, change_them):
    path = folder / "model.safetensors"
    weights = load_file(path)
    change_them(weights)
    save_file(weights, path)


def outputs_of_the_course(folder, ids, segments, mask):
    encoder = Solution(NOTEBOOK).definitions["make_encoder"](load_pretrained(folder))
    with torch.no_grad():
        return encoder(ids, segments, mask)


@pytest.mark.parametrize(
    "sizes",
    [
        {},
        {"num_attention_heads": 1, "num_hidden_layers": 1},
        {"hidden_size": 24, "num_attention_heads": 6, "num_hidden_layers": 3},
        {"intermediate_size": 5, "type_vocab_size": 3},
        {"hidden_size": 12, "num_attention_heads": 4, "num_hidden_layers": 11},
    ],
)
@pytest.mark.parametrize("kind", [BertModel, BertForPreTraining])
def test_the_courses_encoder_gives_the_numbers_of_transformers(tmp_path, kind, sizes):
    model = tiny(tmp_path, kind, **sizes)
    ids, mask = pad_batch([[2, 7, 8, 9, 3, 11, 3], [2, 5, 3], [2, 6, 7, 8, 9, 10, 11, 12, 3]])
    segments = (torch.arange(ids.shape[1]) > 4).long().expand_as(ids) * mask
    vectors, pooled = outputs_of_the_course(tmp_path, ids, segments, mask)
    with torch.no_grad():
        theirs = getattr(model, "bert", model)(
            ids, attention_mask=mask.long(), token_type_ids=segments
        )
    assert torch.allclose(vectors[mask], theirs.last_hidden_state[mask], atol=1e-4)
    assert torch.allclose(pooled, theirs.pooler_output, atol=1e-4)


def test_our_own_weights_give_the_numbers_of_transformers():
    from coursekit.data.paths import shipped

    assert "imdb" in names()
    model = BertModel.from_pretrained(
        shipped("pretrained/imdb/config.json").parent, dtype=torch.float32
    ).eval()
    pretrained = load_pretrained("imdb")
    ids, mask = pad_batch([[2, *range(100, 140), 3], [2, 500, 3]])
    encoder = Solution(NOTEBOOK).definitions["make_encoder"](pretrained)
    with torch.no_grad():
        vectors, pooled = encoder(ids, torch.zeros_like(ids), mask)
        theirs = model(ids, attention_mask=mask.long())
    assert torch.allclose(vectors[mask], theirs.last_hidden_state[mask], atol=1e-4)
    assert torch.allclose(pooled, theirs.pooler_output, atol=1e-4)


@pytest.mark.parametrize("lengths", [[1], [4], [10], [11], [40], [90], [2, 25, 10, 60], [0, 3]])
def test_06_scores_a_long_text_by_the_mean_of_its_parts_each_weighted_by_its_tokens(
    tmp_path, lengths
):
    tiny(tmp_path)  # has 12 positions, so that 10 tokens are a part; 06 reads four of them
    functions, pretrained = Solution(NOTEBOOK).definitions, load_pretrained(tmp_path)
    draw = torch.Generator().manual_seed(0)
    texts = [torch.randint(5, 19, (n,), generator=draw).tolist() for n in lengths]
    cut = [text if len(text) <= 40 else text[:10] + text[-30:] for text in texts]
    whole = functions["make_model"]("imdb", pretrained, seed=0).eval()
    rows = [functions["shorten"]("imdb", text, pretrained) for text in texts]
    assert rows == [[2, *text, 3] for text in cut]
    scores = functions["predict_scores"](whole, rows, batch_size=3)
    for text, score in zip(cut, scores):
        parts = [text[start : start + 10] for start in range(0, len(text), 10)]
        alone = functions["predict_scores"](whole.model, [[2, *part, 3] for part in parts], 1)
        weights = torch.tensor([float(len(part)) for part in parts])
        wanted = (alone * weights).sum() / max(1, len(text))
        assert torch.allclose(score, wanted, atol=1e-5)


def test_06_reads_one_part_of_a_long_text_in_training_and_long_parts_more_often(tmp_path):
    tiny(tmp_path)
    functions, pretrained = Solution(NOTEBOOK).definitions, load_pretrained(tmp_path)
    whole = functions["make_model"]("imdb", pretrained, seed=0)
    text = [*range(5, 15), *range(15, 17)]  # a part of ten tokens and one of two
    ids, mask = pad_batch([[2, *text, 3], [2, 7, 3]])
    read = []
    whole.model.forward = lambda ids, mask: read.append((ids, mask)) or ids[:, 1].float()
    scores = torch.stack([whole.train()(ids, mask) for _ in range(200)])
    assert all(len(parts) == 2 for parts, _ in read)
    assert set(scores[:, 0].tolist()) == {5.0, 15.0}  # the parts' first tokens
    assert set(scores[:, 1].tolist()) == {7.0}
    assert 140 <= (scores[:, 0] == 5).sum() <= 190  # ten of twelve


def test_a_model_without_a_pooler_loads_and_keeps_the_encoders_own(tmp_path):
    model = tiny(tmp_path, pooler=False)
    ids, mask = pad_batch([[2, 7, 8, 3]])
    vectors, _ = outputs_of_the_course(tmp_path, ids, torch.zeros_like(ids), mask)
    with torch.no_grad():
        theirs = model(ids, attention_mask=mask.long()).last_hidden_state
    assert torch.allclose(vectors, theirs, atol=1e-4)


def test_old_names_of_the_normalization_are_understood(tmp_path):
    model = tiny(tmp_path)

    def grow_old(weights):
        for name in [name for name in weights if "LayerNorm" in name]:
            old = name.replace("LayerNorm.weight", "LayerNorm.gamma")
            weights[old.replace("LayerNorm.bias", "LayerNorm.beta")] = weights.pop(name)

    change_weights(tmp_path, grow_old)
    ids, mask = pad_batch([[2, 7, 8, 3]])
    vectors, _ = outputs_of_the_course(tmp_path, ids, torch.zeros_like(ids), mask)
    with torch.no_grad():
        assert torch.allclose(vectors, model(ids).last_hidden_state, atol=1e-4)


def test_half_precision_is_widened_and_the_vocabulary_numbered(tmp_path):
    tiny(tmp_path)
    change_weights(
        tmp_path, lambda weights: weights.update({k: v.half() for k, v in weights.items()})
    )
    pretrained = load_pretrained(tmp_path)
    assert {tensor.dtype for tensor in pretrained.weights.values()} == {torch.float32}
    assert pretrained.index["[MASK]"] == 4
    assert pretrained.tokens[pretrained.index["word3"]] == "word3"
    assert pretrained.lowercase
    assert "2 blocks of 2 heads, 8 wide; 19 tokens" in repr(pretrained)


def test_a_cased_model_says_so(tmp_path):
    tiny(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}', "utf-8")
    assert not load_pretrained(tmp_path).lowercase


def test_a_model_in_the_mirror_is_found_by_its_name(tmp_path, monkeypatch):
    folder = tmp_path / "pretrained" / "someone" / "small-bert"
    folder.mkdir(parents=True)
    tiny(folder)
    monkeypatch.setenv("COURSEKIT_MIRROR", str(tmp_path))
    assert load_pretrained("someone/small-bert").config["hidden_size"] == 8


WRONG = {
    "another model's vocabulary": (
        lambda f: (f / "vocab.txt").write_text("\n".join([*SPECIAL, *map(str, range(40))])),
        "has 45 tokens, but the model knows 19: this is the vocabulary of another model",
    ),
    "a vocabulary without special tokens": (
        lambda f: (f / "vocab.txt").write_text("the\na\n"),
        "this is not the vocabulary of a BERT",
    ),
    "a missing tensor": (
        lambda f: change_weights(f, lambda w: w.pop("encoder.layer.1.output.dense.bias")),
        "has no encoder.layer.1.output.dense.bias, which a BERT of 2 layers needs",
    ),
    "more layers than said": (
        lambda f: change(f, num_hidden_layers=1),
        "has more layers than the 1 of config.json",
    ),
    "another width": (
        lambda f: change(f, hidden_size=16),
        r"has the shape \(19, 8\) in .*, but config.json asks for \(19, 16\)",
    ),
    "another architecture": (
        lambda f: change(f, model_type="gpt2"),
        "a model of type 'gpt2'; the course's encoder is a BERT",
    ),
    "another activation": (lambda f: change(f, hidden_act="relu"), "a BERT with hidden_act 'relu'"),
    "heads that do not divide": (
        lambda f: change(f, num_attention_heads=3),
        "3 heads, which do not divide the width 8",
    ),
    "no size": (lambda f: change(f, hidden_size="wide"), "gives no hidden_size"),
    "no configuration": (lambda f: (f / "config.json").unlink(), "has no config.json"),
    "a damaged configuration": (
        lambda f: (f / "config.json").write_text("{"),
        "config.json is damaged",
    ),
    "cut weights": (
        lambda f: (f / "model.safetensors").write_bytes(
            (f / "model.safetensors").read_bytes()[:-100]
        ),
        "model.safetensors is damaged or incomplete",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit_is_named_in_one_sentence(tmp_path, what):
    tiny(tmp_path)
    spoil, sentence = WRONG[what]
    spoil(tmp_path)
    with pytest.raises(DataError, match=sentence) as caught:
        load_pretrained(tmp_path)
    assert "\n" not in str(caught.value)


class _Harmful:
    def __reduce__(self):
        return Path.write_text, (Path("ran_code"), "")


def test_pickled_weights_are_never_opened(tmp_path, monkeypatch):
    tiny(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    (tmp_path / "pytorch_model.bin").write_bytes(pickle.dumps(_Harmful()))
    with pytest.raises(DataError, match=r"pickled weights only.*has model\.safetensors"):
        load_pretrained(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(pickle.dumps(_Harmful()))
    with pytest.raises(DamagedFile):
        load_pretrained(tmp_path)
    assert not (tmp_path / "ran_code").exists()


def test_without_a_network_a_published_model_gives_one_sentence(monkeypatch):
    import huggingface_hub

    def offline(*args, **kwargs):
        raise huggingface_hub.errors.LocalEntryNotFoundError("no network")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", offline)
    with pytest.raises(FetchError, match="connect to the internet, or put its files into"):
        load_pretrained("bert-base-uncased")


def test_a_folder_that_is_not_there_is_named():
    with pytest.raises(DataError, match="There is no folder no/such/folder"):
        load_pretrained("no/such/folder")


def test_filling_checks_names_and_shapes_before_it_copies_anything():
    module = torch.nn.Linear(2, 3)
    before = module.weight.clone()
    right = {"weight": torch.ones(3, 2), "bias": torch.zeros(3)}
    with pytest.raises(DataError, match="bias of the Linear got no weights"):
        fill(module, {"weight": torch.ones(3, 2)})
    with pytest.raises(DataError, match=r"it has no pooler\.weight"):
        fill(module, {**right, "pooler.weight": torch.ones(1)})
    with pytest.raises(DataError, match=r"bias has the shape \(4,\) in the weights, but \(3,\)"):
        fill(module, {**right, "bias": torch.zeros(4)})
    assert torch.equal(module.weight, before)
    assert fill(module, {"weight": torch.ones(3, 2)}, may_lack="bias") == ["bias"]
    assert torch.equal(module.weight, torch.ones(3, 2))


def test_a_tensor_with_two_names_is_filled_by_one_of_them():
    module = torch.nn.Module()
    module.inner = torch.nn.Linear(2, 3)
    module.both = torch.nn.Sequential(module.inner, torch.nn.ReLU())
    weights = {"inner.weight": torch.ones(3, 2), "inner.bias": torch.zeros(3)}
    assert fill(module, weights) == []
    assert torch.equal(module.both[0].weight, torch.ones(3, 2))
    with pytest.raises(
        DataError, match=r"inner\.bias and both\.0\.bias of the Module got no weights"
    ):
        fill(module, {"inner.weight": torch.ones(3, 2)})


def saved_by_todays_transformers(folder, **settings):
    """A tiny BERT with its tokenizer, without `vocab.txt`."""
    tiny(folder)
    tokenizer = BertTokenizerFast(**settings, vocab=vocabulary(folder))
    tokenizer.save_pretrained(folder)
    (folder / "vocab.txt").unlink()
    assert (folder / "tokenizer.json").is_file()


def vocabulary(folder):
    return {token: i for i, token in enumerate((folder / "vocab.txt").read_text().split())}


def test_a_tokenizer_without_vocab_txt_is_read(tmp_path):
    tiny(tmp_path)
    tokens = load_pretrained(tmp_path).tokens
    saved_by_todays_transformers(tmp_path)
    loaded = load_pretrained(tmp_path)
    assert loaded.tokens == tokens
    assert loaded.lowercase


def test_a_cased_tokenizer_without_vocab_txt_says_so(tmp_path):
    saved_by_todays_transformers(tmp_path, do_lower_case=False)
    assert not load_pretrained(tmp_path).lowercase


def test_weights_in_several_files_are_read(tmp_path):
    model = tiny(tmp_path)
    whole = load_pretrained(tmp_path).weights
    (tmp_path / "model.safetensors").unlink()
    model.save_pretrained(tmp_path, max_shard_size="2KB")
    assert len(list(tmp_path.glob("model-*.safetensors"))) > 1
    parts = load_pretrained(tmp_path).weights
    assert parts.keys() == whole.keys()
    assert all(torch.equal(parts[name], whole[name]) for name in whole)


def test_several_files_that_no_index_lists_are_read_if_all_are_there(tmp_path):
    shards(tmp_path, lambda index: None)
    whole = load_pretrained(tmp_path).weights
    (tmp_path / "model.safetensors.index.json").unlink()
    parts = load_pretrained(tmp_path).weights
    assert parts.keys() == whole.keys()
    assert all(torch.equal(parts[name], whole[name]) for name in whole)
    files = sorted(tmp_path.glob("model-*.safetensors"))
    files[1].rename(tmp_path / "model-00001-of-00002.safetensors")
    with pytest.raises(DataError, match="files of several models"):
        load_pretrained(tmp_path)
    (tmp_path / "model-00001-of-00002.safetensors").unlink()
    with pytest.raises(DamagedFile, match=f"has {len(files) - 1} of the {len(files)} files"):
        load_pretrained(tmp_path)


@pytest.mark.parametrize("name", ["model.fp16.safetensors", "pytorch_model.safetensors"])
def test_weights_under_another_name_are_named(tmp_path, name):
    tiny(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / name)
    with pytest.raises(DataError, match=f"no model.safetensors, but {name}; call the file"):
        load_pretrained(tmp_path)


def test_a_byte_order_mark_changes_nothing(tmp_path):
    saved_by_todays_transformers(tmp_path)
    before = load_pretrained(tmp_path)
    for path in tmp_path.glob("*.json"):
        path.write_text("\ufeff" + path.read_text("utf-8"), "utf-8")
    assert load_pretrained(tmp_path).tokens == before.tokens
    (tmp_path / "vocab.txt").write_text("\ufeff" + "\n".join(before.tokens), "utf-8")
    assert load_pretrained(tmp_path).tokens == before.tokens


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (lambda t: t.to(torch.int8), "as int8: its weights are quantized"),
        (lambda t: t.to(torch.int64), "as int64: its weights are quantized"),
        (lambda t: t.to(torch.float8_e4m3fn), "as float8_e4m3fn: its weights are quantized"),
        (lambda t: t * float("nan"), "NaN or infinity in"),
        (lambda t: t + float("inf"), "NaN or infinity in"),
    ],
)
def test_weights_that_are_no_numbers_or_quantized_are_refused(tmp_path, value, sentence):
    tiny(tmp_path)
    name = "encoder.layer.0.output.dense.weight"
    change_weights(tmp_path, lambda weights: weights.update({name: value(weights[name])}))
    with pytest.raises(DataError, match=sentence) as caught:
        load_pretrained(tmp_path)
    assert name in str(caught.value)


def test_weights_of_16_bits_and_whole_numbers_that_are_not_trained_are_read(tmp_path):
    tiny(tmp_path)
    ids = {"embeddings.position_ids": torch.arange(12)}
    change_weights(tmp_path, lambda weights: weights.update(ids))
    change_weights(
        tmp_path, lambda weights: weights.update({n: t.bfloat16() for n, t in weights.items()})
    )
    weights = load_pretrained(tmp_path).weights
    assert {tensor.dtype for tensor in weights.values()} == {torch.float32}


def test_any_number_of_layers_is_answered_at_once(tmp_path):
    tiny(tmp_path)
    change(tmp_path, num_hidden_layers=10**12)
    with pytest.raises(DataError, match=r"has no encoder\.layer\.2\..*of 1000000000000 layers"):
        load_pretrained(tmp_path)


def shards(folder, change_map):
    tiny(folder).save_pretrained(folder, max_shard_size="2KB")
    (folder / "model.safetensors").unlink()
    path = folder / "model.safetensors.index.json"
    index = json.loads(path.read_text("utf-8"))
    change_map(index)
    path.write_text(json.dumps(index), "utf-8")


@pytest.mark.parametrize(
    ("change_map", "sentence"),
    [
        (lambda index: index.update(weight_map=None), "does not say where"),
        (lambda index: index["weight_map"].update(x="../model.safetensors"), "does not say where"),
        (lambda index: index["weight_map"].update(x="model-9.safetensors"), "has no model-9"),
        (
            lambda index: index["weight_map"].update(x=min(index["weight_map"].values())),
            "has no x; download",
        ),
    ],
)
def test_what_is_wrong_with_several_files_is_said(tmp_path, change_map, sentence):
    shards(tmp_path, change_map)
    with pytest.raises(DataError, match=sentence):
        load_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("tokenizer_config.json", "null", "no settings by name"),
        ("tokenizer_config.json", "[1]", "no settings by name"),
        ("tokenizer_config.json", '{"do_lower_case": [true]}', "not true or false"),
        ("tokenizer_config.json", '{"strip_accents": false}', "strip_accents False"),
        ("tokenizer_config.json", '{"do_lower_case": false, "strip_accents": true}', "strip_acc"),
        ("tokenizer_config.json", '{"tokenize_chinese_chars": false}', "Chinese"),
        ("config.json", "null", "no settings by name"),
        ("config.json", "[]", "no settings by name"),
        ("tokenizer.json", "[" * 100_000, "damaged"),
    ],
)
def test_settings_that_are_none_or_not_the_courses_are_said(tmp_path, file, content, sentence):
    tiny(tmp_path)
    (tmp_path / file).write_text(content, "utf-8")
    with pytest.raises(DataError, match=sentence):
        load_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("change_it", "sentence"),
    [
        (lambda said: said["model"].update(type="BPE"), "not the tokenizer of a BERT"),
        (lambda said: said.update(model=None), "not the tokenizer of a BERT"),
        (lambda said: said.update(normalizer=None), "with the normalizer None"),
        (lambda said: said["normalizer"].update(strip_accents=False), "strip_accents False"),
        (lambda said: said["model"]["vocab"].update(word0=99), "number its tokens from 0"),
        (lambda said: said["model"]["vocab"].update(word0=6), "one number|number its tokens"),
        (lambda said: said["model"]["vocab"].update(word0=None), "number its tokens"),
    ],
)
def test_what_is_wrong_with_a_tokenizer_is_said(tmp_path, change_it, sentence):
    saved_by_todays_transformers(tmp_path)
    (tmp_path / "tokenizer_config.json").unlink()
    path = tmp_path / "tokenizer.json"
    said = json.loads(path.read_text("utf-8"))
    change_it(said)
    path.write_text(json.dumps(said), "utf-8")
    with pytest.raises(DataError, match=sentence):
        load_pretrained(tmp_path)
