"""Lists of library functions that keep no state, so that their results depend on arguments alone.

Random generators do not count: they are seeded before every case.
"""

from __future__ import annotations

import builtins
import functools
import sys

#: Names by which code may bind or change anything.
DYNAMIC = {
    *("exec", "eval", "compile", "globals", "locals", "vars", "setattr", "delattr", "getattr"),
    *("get_ipython", "open", "input", "breakpoint", "memoryview"),
    *("__import__", "__builtins__", "__build_class__", "__loader__", "__spec__", "exit", "quit"),
}
#: The built-in names that a function may use: all but `DYNAMIC`, and those whose results differ
#: between processes.
BUILTINS = {name for name in dir(builtins) if not name.startswith("_")} - DYNAMIC - {"id", "dir"}

#: Modules that a submission may import, with what is below them.
_MODULES = {
    *("torch", "numpy", "math", "coursekit", "matplotlib", "seaborn", "sklearn", "scipy", "pandas"),
    *("collections", "itertools", "functools", "typing", "random", "re", "string", "time"),
    *("dataclasses", "heapq", "bisect", "statistics", "operator", "copy", "unicodedata", "json"),
    *("warnings", "tqdm", "abc", "enum", "numbers", "fractions", "textwrap", "pathlib", "os"),
    *("datetime", "contextlib", "importlib", "einops", "__future__", "sys", "IPython", "logging"),
    *("tokenizers", "safetensors", "transformers"),
}
#: Modules and names whose functions all depend on their arguments alone.
_PURE = {
    *("math", "itertools", "collections", "heapq", "bisect", "statistics", "re", "string"),
    *("unicodedata", "typing", "dataclasses", "fractions", "textwrap", "coursekit", "copy"),
    *("torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.linalg", "torch.special"),
    *("numpy.linalg", "numpy.random.default_rng", "scipy.special", "scipy.sparse", "random.Random"),
    *("functools.reduce", "functools.partial", "functools.wraps"),
    *("scipy.sparse.linalg", "numpy.testing", "json.loads", "json.dumps", "torch.Generator"),
    *("torch.optim", "tokenizers", "safetensors.safe_open", "torch.random.fork_rng", "numpy"),
    *("operator.itemgetter", "operator.mul", "operator.add", "random", "numpy.random"),
}
#: Stateless names of torch that are neither operations on tensors nor classes of `torch.nn`.
_TORCH_MORE = {
    *("tensor", "no_grad", "enable_grad", "inference_mode", "is_tensor", "Tensor", "manual_seed"),
    *("finfo", "iinfo", "cartesian_prod", "einsum", "split", "stft", "norm", "unique"),
    *("block_diag", "cdist", "meshgrid", "tensordot", "unique_consecutive", "Size", "inf", "nan"),
    *("broadcast_shapes", "broadcast_tensors", "chain_matmul", "FloatTensor", "LongTensor", "pi"),
    *("BoolTensor", "newaxis", "is_floating_point", "get_default_dtype", "device", "atleast_1d"),
    *("atleast_2d", "autograd.grad", "e"),
}
#: Names of `sys` that a submission may use outside of its functions.
OF_SYS = {"sys.stdout", "sys.stderr", "sys.version", "sys.version_info", "sys.maxsize", "sys"}
#: Exceptions to these: names that do keep state.
_KEEP = {
    *("re.purge", "coursekit.check", "coursekit.checking", "coursekit.load", "random.seed"),
    *("numpy.lib", "torch.from_file"),
    *("numpy.set_printoptions", "numpy.seterr", "numpy.seterrcall", "numpy.save", "numpy.load"),
    *("numpy.setbufsize", "numpy.errstate", "numpy.fromfile", "numpy.savetxt", "numpy.loadtxt"),
    *("numpy.savez", "numpy.savez_compressed", "numpy.memmap", "numpy.genfromtxt", "numpy.info"),
    *("numpy.get_printoptions", "numpy.geterr", "numpy.show_config", "numpy.array2string"),
    *("numpy.seterrobj", "numpy.set_string_function", "numpy.lookfor", "numpy.DataSource"),
}


def may_import(path: str) -> bool:
    """Tell whether a submission that imports this module can still be analysed."""
    return path.partition(".")[0] in _MODULES


@functools.cache
def is_stateless(path: str) -> bool:
    """Tell whether a function, class or value keeps no state, by its dotted name."""
    parts = path.split(".")
    starts = {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
    if path in sys.modules or starts & _KEEP:
        return False  # a module as a value could be anything by its next use
    if starts & _PURE:
        return not any(part.startswith("_") for part in parts)
    if parts[0] == "torch":
        return _is_of_torch(parts[1:])
    return False


def _is_of_torch(parts: list[str]) -> bool:
    try:
        import torch  # a course without it need not have it
    except ImportError:
        return False
    if ".".join(parts) in _TORCH_MORE:
        return True
    if len(parts) > 1 and parts[0] == "Tensor":
        return not parts[1].startswith("_")
    if len(parts) == 1:  # the operations on tensors, and the types of their elements
        name = parts[0]
        operation = hasattr(torch._C._VariableFunctions, name) and not name.startswith("_")
        return operation or isinstance(getattr(torch, name, None), torch.dtype)
    if parts[0] == "nn" and len(parts) == 2:
        return isinstance(getattr(torch.nn, parts[1], None), type)
    return False


def sets_something(path: str) -> bool:
    """Tell whether a dotted name of a library is a setting, or changes one."""
    module, _, name = path.rpartition(".")
    if module.startswith(("matplotlib", "coursekit", "seaborn")) or name == "set_num_threads":
        return False
    return (
        name.startswith(("set_", "seterr", "register_module", "use_"))
        or name
        in ("environ", "chdir", "putenv", "filterwarnings", "simplefilter", "modules", "path")
        or path in ("torch.inference_mode", "warnings.showwarning")
    )
