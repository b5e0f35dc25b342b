import collections
import http
import json
import math

import numpy as np
import pytest
import torch

from coursekit.checking import codec


def there_and_back(value):
    return codec.decode(json.loads(json.dumps(codec.encode(value))))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        -(2**70),
        1.5,
        "größer",
        [1, [2]],
        (1, (2, "a")),
        {1, 2},
        {"a": 1, 2: (3,)},
        [],
    ],
)
def test_python_values_come_back_equal_and_of_the_same_type(value):
    again = there_and_back(value)
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinite_floats_survive_json(value):
    assert there_and_back(value) == value


def test_nan_survives_json():
    assert math.isnan(there_and_back(math.nan))


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64, torch.bool]
)
def test_tensors_come_back_bit_for_bit(dtype):
    tensor = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
    again = there_and_back(tensor)
    assert again.dtype == dtype
    assert torch.equal(again, tensor)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
def test_a_non_contiguous_tensor_arrives_non_contiguous(dtype):
    tensor = torch.arange(6).to(dtype).reshape(2, 3).T
    again = there_and_back(tensor)
    assert torch.equal(again, tensor)
    assert not again.is_contiguous()


def test_empty_and_scalar_arrays_keep_their_shape():
    assert there_and_back(np.zeros((0, 3), np.float32)).shape == (0, 3)
    assert there_and_back(torch.tensor(2.5)).shape == ()


def test_a_generator_travels_as_its_seed():
    again = there_and_back(torch.Generator().manual_seed(7))
    expected = torch.randn(3, generator=torch.Generator().manual_seed(7))
    assert torch.equal(torch.randn(3, generator=again), expected)


def test_a_generator_that_has_drawn_numbers_goes_on_from_there():
    again = there_and_back(codec.Drawn(7, 3))
    expected = torch.rand(5, generator=torch.Generator().manual_seed(7))
    assert torch.equal(torch.rand(2, generator=again), expected[3:])
    assert codec.encode(codec.Drawn(7)) == codec.encode(torch.Generator().manual_seed(7))


def test_a_function_travels_as_its_source():
    square = there_and_back(codec.Source("lambda x: x ** 2"))
    assert square(3) == 9


def test_an_object_of_the_students_own_is_only_described():
    class Liar:
        def __eq__(self, other):
            return True

        def __repr__(self):
            raise ValueError("no")

    view = codec.decode_views(codec.encode(Liar()))
    assert isinstance(view, codec.OtherView)
    assert "Liar" in view.type


def test_a_tensor_elsewhere_than_on_the_cpu_is_described_with_its_device():
    view = codec.decode_views(codec.encode(torch.zeros(2, device="meta")))
    assert view.type == "torch.Tensor (float32, on meta)"


def test_values_too_large_or_too_deep_are_refused():
    with pytest.raises(codec.PlainDataError, match="MiB"):
        codec.encode(np.zeros(70 * 2**20, np.uint8))
    deep = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(codec.PlainDataError, match="deep"):
        codec.encode(deep)


@pytest.mark.parametrize(
    "data",
    [
        {"$tensor": {"dtype": "float32", "shape": [3], "data": "AAAA"}},
        {"$tensor": {"dtype": "object", "shape": [1], "data": "AAAAAA=="}},
        {"$tensor": {"dtype": "float32", "shape": [-1], "data": "AAAAAA=="}},
        {"$tensor": None},
        {"$dict": [[1]]},
        {"$unknown": 1},
        {},
        {"$float": "abc"},
        {"$array": {"dtype": "float32", "shape": [1], "data": "not base64!"}},
    ],
)
def test_malformed_data_from_a_submission_is_refused_not_run(data):
    with pytest.raises(codec.PlainDataError):
        codec.decode_views(data)


def test_views_never_evaluate_a_source():
    view = codec.decode_views({"$source": "1 / 0"})
    assert isinstance(view, codec.OtherView)


def test_a_dictionary_whose_keys_all_have_the_same_hash_is_refused():
    keys = [{"$int": str(i * (2**61 - 1))} for i in range(1000)]
    with pytest.raises(codec.PlainDataError, match="the same hash"):
        codec.decode_views({"$dict": [[key, 0] for key in keys], "type": "dict"})
    pairs = {**{i: i for i in range(1000)}, **{str(i): i for i in range(1000)}, (1, -1): 2, 0.5: 1}
    assert codec.decode_views(codec.encode(pairs)) == pairs


def test_what_is_derived_from_a_built_in_type_is_what_it_contains():
    class Words(list):
        def __iter__(self):
            raise RuntimeError

    class Scores(dict):
        pass

    class Number(int):
        __repr__ = __add__ = None

    pair = collections.namedtuple("pair", "a b")(1, 2.0)
    for value, plain in (
        (Words("ab"), ["a", "b"]),
        (pair, (1, 2.0)),
        (Number(3), 3),
        (Number(2**70), 2**70),
        (type("Share", (float,), {})(0.5), 0.5),
        (type("Text", (str,), {"__str__": None})("a"), "a"),
        (type("Group", (set,), {})({1, 2}), {1, 2}),
        (http.HTTPStatus.OK, 200),
        ([Words([pair])], [[(1, 2.0)]]),
    ):
        assert codec.encode(value) == codec.encode(plain), plain
    for kind in (collections.Counter, collections.OrderedDict, Scores):
        assert codec.decode_views(codec.encode(kind({"a": 1}))) == {"a": 1}
    assert codec.decode_views(codec.encode(collections.defaultdict(int, a=1))) == {"a": 1}
