"""What a notebook sets elsewhere decides about no answer, and is as it was afterwards."""

import collections
import contextlib
import json
import os
import random
import signal
import statistics
import time
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
import torch._subclasses.fake_tensor
import torch.utils.flop_counter
from torch import nn

from coursekit.checking import codec
from coursekit.checking.defined_state import DefinedState
from coursekit.checking.run_cases import run_cases

#: Each alone as a cell of a notebook whose answers are right, and all of them together.
CELLS = """
random.seed = 42
np.random.seed = 42
plt.close = "all"; plt.get_fignums = None
sys.setrecursionlimit = sys.getrecursionlimit = 10_000
warnings.warn = lambda *a, **k: None
warnings.catch_warnings = None
os.environ = dict(os.environ)
os.environ.update(TZ="Asia/Tokyo"), time.tzset()
collections.Counter.most_common = lambda self, n=None: []
statistics.mean = lambda x: 0
decimal.getcontext().rounding = decimal.ROUND_UP
decimal.getcontext().traps[decimal.Inexact] = True
np.set_printoptions(override_repr=lambda a: "array") if "override_repr" in np.get_printoptions() else None
torch.backends.mkldnn.matmul.fp32_precision = "bf16"
torch.backends.fp32_precision = "tf32"
from torch.optim.optimizer import register_optimizer_step_post_hook as hook; hook(lambda o, a, k: [p.data.zero_() for g in o.param_groups for p in g["params"]])
torch.autograd.graph.saved_tensors_hooks(lambda t: t * 0, lambda t: t).__enter__()
torch.utils.flop_counter.FlopCounterMode(display=False).__enter__()
torch._subclasses.fake_tensor.FakeTensorMode().__enter__()
np.random.set_bit_generator(np.random.PCG64(1))
np.random.set_bit_generator(np.random.MT19937(1)), np.random.standard_normal()
np.random = 42
np.random = np.random.default_rng(0)
np.linalg = np.fft = None
torch.Generator = torch.Generator().manual_seed(0)
torch.random = random
torch.manual_seed = 3
torch.random.manual_seed = 3
random.random = lambda: 0.5
random.getstate, random.setstate = 1, 2
np.random.get_state = np.random.set_state = None
np.random.rand = np.ones
torch.rand = torch.ones
torch.randn = torch.zeros
torch.get_rng_state = torch.set_rng_state = 0
del random.shuffle
random.Random.shuffle = 7
torch.equal = lambda a, b: True
torch.cat = torch.stack
torch.from_numpy = "numpy"
torch.zeros_like = torch.ones_like
torch.arange = np.arange
torch.no_grad = False
torch.float32 = torch.float64
torch.nn = None
torch.Tensor.__eq__ = lambda self, other: True
torch.Tensor.__repr__ = lambda self: f"{tuple(self.shape)}"
torch.Tensor.__bool__ = lambda self: True
torch.Tensor.sum = lambda self: 0
torch.Tensor.clone = lambda self: self
nn.Module.__call__ = lambda self, x: x
nn.Linear.forward = lambda self, x: x
nn.Linear = nn.Identity
nn.functional.softmax = nn.functional.log_softmax
torch.autograd.grad = 1
np.array_equal = np.isclose = lambda *a, **k: True
np.ascontiguousarray = np.frombuffer = 3
np.exp = np.log
time.perf_counter = time.monotonic = time.thread_time = time.process_time = 1
time.time = lambda: 0
signal.signal = signal.setitimer = 5
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
json.dumps = json.loads = 1
json.JSONEncoder.default = 3
math.prod = math.isfinite = 0
math.pi = 3
re.sub = base64.b64encode = 1
copy.deepcopy = 2
functools.reduce = 1
builtins.list = [1, 2]
builtins.len = builtins.max = builtins.isinstance = 3
builtins.print = lambda *a: None
builtins.setattr = builtins.getattr = builtins.next = None
del builtins.sorted
torch.set_default_dtype(torch.float64)
torch.set_default_device("meta")
torch.device("meta").__enter__()
torch.set_grad_enabled(False)
torch.no_grad().__enter__()
mode = torch.inference_mode(); mode.__enter__()
mode = torch.autocast("cpu", dtype=torch.bfloat16); mode.__enter__()
torch.use_deterministic_algorithms(True)
torch.set_anomaly_enabled(True)
torch.set_num_threads(2)
torch.set_float32_matmul_precision("medium")
torch.set_flush_denormal(True)
torch.set_printoptions(precision=1, sci_mode=True)
nn.modules.module.register_module_forward_hook(lambda *a: torch.zeros(1))
torch.backends.cuda.enable_math_sdp(False); torch.backends.cuda.enable_flash_sdp(False)
np.seterr(all="raise")
np.seterrcall(print)
np.set_printoptions(precision=1, suppress=True)
np.set_printoptions(legacy="1.13")
np.setbufsize(16)
warnings.simplefilter("error")
warnings.filterwarnings("error", message=".*")
sys.setrecursionlimit(len(inspect.stack()) + 150)
sys.set_int_max_str_digits(640) if sys.version_info >= (3, 11) else None
os.chdir("/")
os.environ.clear()
os.environ["COURSEKIT_MAX_STEPS"] = "0"
decimal.getcontext().prec = 2
torch.manual_seed(1), np.random.seed(1), random.seed(1)
""".strip().splitlines()


class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, 2)

    def forward(self, x):
        return nn.functional.softmax(self.linear(x) + torch.zeros(2), dim=-1)


def draws(n):
    numbers = [random.random() for _ in range(n)]
    random.shuffle(numbers)
    return numbers, np.random.rand(n), torch.rand(n), torch.randn(n)


def texts(x):
    import decimal

    deep = decimal.Decimal(1) / 3
    return str(x), repr(np.array([1 / 3, 1e6])), json.dumps({"a": [1.5]}), str(deep)


def numbers(x):
    flat = np.exp(np.array([1000.0, -1000.0]))  # warns
    ones = torch.ones(3)
    attention = nn.functional.scaled_dot_product_attention(x[None], x[None], x[None])
    return flat, ones, x.clone() * 1e-40, x.sum(), bool((x == x).all()), attention


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def counts(words):
    hour = time.strftime("%H", time.localtime(0))
    return collections.Counter(words).most_common(), statistics.mean(map(len, words)), hour


def trains(x):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(x).exp().sum().backward()
    optimizer.step()
    return model.weight.detach(), x @ x.mT


def shows(x):
    plt.figure()
    warnings.warn("careful", stacklevel=1)
    return 2 * x


def place(_):
    return os.getcwd(), "HOME" in os.environ, os.environ.get("COURSEKIT_MAX_STEPS")


def plain(x):
    return sorted(x), len(x), max(x), list(x), int("9" * 1000) % 7


X = codec.encode(torch.tensor([[0.5, -1.0, 2.0]]))
LAYER = {"args": [3], "names": ["size"], "seed": 1, "then": [["__call__", [X], {}]]}
ASKED = [
    (Layer, LAYER),
    (Layer, {**LAYER, "gradient": "all"}),
    (Layer, {**LAYER, "state": {"linear.bias": codec.encode(torch.tensor([1.0, 2.0]))}}),
    (draws, {"args": [4], "names": ["n"], "seed": 2}),
    (texts, {"args": [X], "names": ["x"], "seed": 3}),
    (numbers, {"args": [X], "names": ["x"], "seed": 4}),
    (counts, {"args": [["a", "b", "a"]], "names": ["words"], "seed": 4}),
    (trains, {"args": [X], "names": ["x"], "seed": 4}),
    (shows, {"args": [X], "names": ["x"], "seed": 4}),
    (depth, {"args": [500], "names": ["n"], "seed": 4}),
    (place, {"args": [1], "names": ["_"], "seed": 4}),
    (plain, {"args": [[3, 1]], "names": ["x"], "seed": 4}),
]


def outcomes(**how):
    return [outcome for thing, case in ASKED for outcome in run_cases(thing, [case], **how)]


class Notebook:
    """Names of a notebook; at the end, what its cells have set is forgotten.

    A class, since contextlib needs names that some cells change.
    """

    def __enter__(self):
        names = (
            "base64 builtins collections copy decimal functools inspect json math os random re signal"
            " statistics sys"
        )
        self.mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        self.generator = np.random.get_bit_generator()
        self.state = DefinedState()
        self.state.__enter__()
        imported = {name: __import__(name) for name in names.split()}
        self.state.runs(bool)  # from here on, code may set anything
        others = {"np": np, "torch": torch, "nn": nn, "plt": plt, "time": time}
        return {**imported, **others, "warnings": warnings}

    def __exit__(self, *error):
        self.state.__exit__(*error)
        np.random.set_bit_generator(self.generator)
        signal.pthread_sigmask(signal.SIG_SETMASK, self.mask)


@pytest.fixture(scope="module")
def untouched():
    found = outcomes()
    assert [outcome["status"] for outcome in found] == ["value"] * len(ASKED)
    return found


def test_there_are_many_cells():
    assert len(CELLS) > 70


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_changes_no_outcome(cell, untouched):
    with Notebook() as names:
        exec(cell, names)
        found = outcomes()
    assert found == untouched


@pytest.mark.parametrize("cell", CELLS)
def test_running_cases_in_the_notebooks_state_leaves_the_generators_as_they_were(cell):
    bit_generator = np.random.get_bit_generator
    read = random.getstate, lambda: bit_generator().state, torch.get_rng_state
    with Notebook() as names:
        exec(cell, names)
        before = [one() for one in read]
        with contextlib.suppress(Exception):  # `check` does without this run where it fails
            outcomes(as_it_was=True)
        after = [one() for one in read]
    assert str(before[:2]) == str(after[:2])
    assert before[2].equal(after[2])


def test_an_equal_dictionary_is_not_taken_for_the_environment():
    own = os.environ
    with Notebook() as names:
        exec("os.environ = dict(os.environ)", names)
        with DefinedState():
            assert os.environ is own
        assert type(os.environ) is dict  # the notebook's, until it ends
    assert os.environ is own


def test_all_cells_together_change_no_outcome(untouched):
    settings = [cell for cell in CELLS if "(" in cell.partition("=")[0] or "mode" in cell]
    replaced = [cell for cell in CELLS if cell not in settings]
    code = [compile(cell, "<cell>", "exec") for cell in settings + replaced]
    with Notebook() as names:
        for cell in code:
            try:
                exec(cell, names)
            except Exception:
                continue
        found = outcomes()
    assert found == untouched
