"""What students of Colab, Kaggle, Deepnote and VS Code write in honest notebooks, by name.

Each is a cell, or the beginning of one, that fails, waits or says something where a notebook is
graded. None of it may cost a point.
"""

#: Lines after which the cell defines something that counts.
LINES = {
    "pip": "!pip install sentencepiece; pip uninstall -y torch",
    "pip_magic": "%pip install -q wandb kaggle",
    "pip_by_subprocess": (
        "import subprocess, sys\n"
        "subprocess.check_call([sys.executable, '-m', 'pip', 'install', 'einops'])"
    ),
    "conda": "!conda install -y numpy",
    "apt": "!apt-get -qq install -y graphviz",
    "graphics_card": "!nvidia-smi",
    "list": "!ls",
    "list_kept": "files = !ls /\nlen(files)",
    "failing_command": "!false\n!exit 3",
    "wget": "!wget -q https://example.org/data.zip\n!unzip -o data.zip",
    "curl": "!curl -O https://example.org/data.zip",
    "git": "!git clone https://github.com/example/course.git\n%cd course",
    "mkdir": "!mkdir -p data/raw && echo made > data/raw/x.txt",
    "background": "!sleep 1 &",
    "system": "get_ipython().system('ls -l')",
    "getoutput": "listing = get_ipython().getoutput('ls')",
    "sx": "%sx ls",
    "vs_code_export": "get_ipython().run_line_magic('matplotlib', 'inline')",
    "drive": "from google.colab import drive\ndrive.mount('/content/drive')",
    "drive_forced": (
        "from google.colab import drive; drive.mount('/content/drive', force_remount=True)\n"
        "%cd /content/drive/MyDrive/nlp\nimport os; os.chdir('/content/drive/MyDrive/nlp')"
    ),
    "upload": "from google.colab import files\nuploaded = files.upload()",
    "colab": "import google.colab",
    "colab_output": "from google.colab import output\noutput.enable_custom_widget_manager()",
    "colab_form": "#@title Settings { run: 'auto' }\nrate = 0.1 #@param {type: 'number'}",
    "colab_secret": "from google.colab import userdata\nkey = userdata.get('HF_TOKEN')",
    "colab_guarded": (
        "try:\n    import google.colab\n    IN_COLAB = True\nexcept ImportError:\n    IN_COLAB = False"
    ),
    "kaggle": "import kaggle\nfrom kaggle_secrets import UserSecretsClient",
    "kaggle_walk": (
        "import os\nfor folder, _, names in os.walk('/kaggle/input'):\n"
        "    for name in names:\n        print(os.path.join(folder, name))"
    ),
    "kaggle_data": "import pandas as pd\nframe = pd.read_csv('/kaggle/input/train.csv')\nframe.head()",
    "deepnote": "import deepnote_toolkit\ndeepnote_toolkit.set_notebook_path('x')",
    "missing_package": "import wandb\nwandb.init(project='nlp')",
    "missing_in_a_list": "import json, wandb, math",
    "widget": "%matplotlib widget",
    "notebook_backend": "%matplotlib notebook",
    "autoreload": "%load_ext autoreload\n%autoreload 2",
    "tensorboard": "%load_ext tensorboard\n%tensorboard --logdir runs",
    "unknown_extension": "%load_ext foo",
    "unknown_magic": "%no_such_magic x",
    "config": "%config InlineBackend.figure_format = 'retina'",
    "retina_dpi": "import matplotlib\nmatplotlib.rcParams['figure.dpi'] = 120",
    "missing_style": "import matplotlib.pyplot as plt\nplt.style.use('seaborn')",
    "every_expression": (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "InteractiveShell.ast_node_interactivity = 'all'\n1\n2\n"
        "InteractiveShell.ast_node_interactivity = 'last_expr'"
    ),
    "timeit": "%timeit -n 1 -r 1 sum(range(10))",
    "time_line": "%time total = sum(range(10))",
    "display": "display([1, 2])",
    "show": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
    "clear": "from IPython.display import clear_output\nprint(1)\nclear_output(wait=True)",
    "notebook_bar": "from tqdm.notebook import tqdm\nfor i in tqdm(range(3)): pass",
    "trange": "from tqdm.notebook import trange\nfor i in trange(3): pass",
    "asks": "name = input('your name: ')",
    "password": "from getpass import getpass\ntoken = getpass()",
    "restart": "import os\nos.kill(os.getpid(), 9)",  # Colab's advice after an install
    "exit": "exit()",
    "quit": "quit()",
    "sys_exit": "import sys\nsys.exit()",
    "sys_exit_1": "import sys\nsys.exit('no GPU')",
    "raises_exit": "raise SystemExit",
    "no_warnings": "import warnings\nwarnings.filterwarnings('ignore')",
    "cuda_default": "import torch\ntorch.set_default_device('cuda')",
    "cuda": "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\nx = torch.ones(2).to('cuda')",
    "cuda_wanted": "import torch\nassert torch.cuda.is_available(), 'change the runtime type'",
    "cuda_guarded": "import torch\nif torch.cuda.is_available(): torch.ones(1).cuda()",
    "cuda_name": "import torch\ntorch.cuda.get_device_name(0)",
    "mps": "import torch\nx = torch.ones(2, device='mps')",
    "reload": "import importlib, coursekit\nimportlib.reload(coursekit)",
    "nested_loop": "import nest_asyncio\nnest_asyncio.apply()",
    "awaits": "import asyncio\nawait asyncio.sleep(0)",
    "runs_a_loop": "import asyncio\nasyncio.run(asyncio.sleep(0))",
    "own_assert": "assert 1 == 2, 'my own test'",
    "undefined": "print(not_defined_yet)",
    "wrong_file": "text = open('my_notes.txt').read()",
    "returns": "return 1",
    "debugger_always": "%pdb on\n1 / 0",
    "breakpoint": "breakpoint()",
    "trace": "import pdb; pdb.set_trace()",
    "after_the_fact": "1 / 0\n%debug",
    "reset": "%reset -f",
    "windows_lines": "x = 1\r\ny = 2\r\n",
    "future": "from __future__ import annotations\ndef typed(x: Undefined) -> Unknown: return x",
    "warnings_as_errors": "import warnings\nwarnings.simplefilter('error')",
    "warnings_again": "import warnings\nwarnings.resetwarnings()",
    "arguments": "import argparse\nargparse.ArgumentParser().parse_args()",
    "workers": (
        "from torch.utils.data import DataLoader\n"
        "for batch in DataLoader(list(range(9)), batch_size=3, num_workers=2): pass"
    ),
    "pool": "from multiprocessing import Pool\nwith Pool(2) as pool: pool.map(abs, [-1, 2])",
    "hub": "from huggingface_hub import snapshot_download\nsnapshot_download('bert-base-uncased')",
    "jit": "import torch\n@torch.jit.script\ndef double(x): return 2 * x",
    "shadowed": "list = str = len = print = type = dict = range = 3",
    "unshadowed": "del list, str, len, print, type, dict, range",
    "recursion": "def deep(n): return deep(n + 1)\ndeep(0)",
    "multiprocessing": "import multiprocessing as mp\nmp.set_start_method('spawn')\nmp.set_start_method('fork')",
    "deletes_its_work": "import shutil\nshutil.rmtree('runs')",
    "nltk": "import nltk\nnltk.download('punkt')",
    "help": "len?",
    "who": "%whos",
    "env": "%env WANDB_MODE=offline",
    "html": "from IPython.display import HTML\nHTML('<b>done</b>')",
}

#: Cells of their own: a cell magic takes the whole cell.
CELLS = {
    "pip_without_mark": "pip install --upgrade torch",
    "bash": "%%bash\nls\nexit 1",
    "shell": "%%sh\necho 1",
    "script": "%%script false\n1",
    "writefile": "%%writefile helper.py\ndef helped(): return 1",
    "unknown_cell_magic": "%%no_such_magic\nx",
    "timeit_cell": "%%timeit -n 1 -r 1\nsum(range(10))",
    "html_cell": "%%html\n<b>x</b>",
    "javascript": "%%javascript\nalert(1)",
    "latex": "%%latex\n$x$",
    "syntax": "for i in range(3)\n    print(i)",
}

#: Beginnings of cells that run the rest of the cell.
AROUND = {
    "time": "%%time",
    "capture": "%%capture",
    "capture_named": "%%capture output",
    "capture_install": "%%capture\n!pip install x\nimport wandb",
}

#: Cells after which only a new kernel can go on.
ENDS = {
    "leaves": "import os\nos._exit(0)",
    "crashes": "import ctypes\nctypes.string_at(0)",
}
