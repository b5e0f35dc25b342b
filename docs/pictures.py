"""Makes the pictures of the guides: a failing check, and the report on the demo class.

    autograder demo 04 && python docs/pictures.py

Both are what the program shows, in a browser without a window (`chromium` on PATH).
"""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from PIL import Image

FOLDER = Path(__file__).parent / "pictures"
ROOT = Path(__file__).resolve().parent.parent
#: A plausible answer to an exercise of 04.
ANSWER = """
def masked_softmax(r: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return torch.softmax(r, dim=-1) * mask
"""
_PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ background: #fff; color: #111; font: 14px/1.45 "DejaVu Sans", sans-serif; margin: 14px; }}
pre {{ background: #f5f5f5; border: 1px solid #e0e0e0; padding: 8px 12px; margin: 0 0 8px; }}
pre, code {{ font: 13px/1.45 "DejaVu Sans Mono", monospace; }}
</style><pre>{answer}</pre><pre>check(masked_softmax)</pre>{verdict}"""
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--force-device-scale-factor=1.5"),
)
_COLORS = 64  # enough for text and a few colors, and a third of the size


def main() -> None:
    """Write both pictures."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "check.html"
        page.write_text(check_page(), "utf-8")
        take(page, FOLDER / "check.png", width=860, height=700, trim=True)
    command = [sys.executable, "-m", "autograder", "report", "04", "--folder", "demo"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    report = ROOT / "demo" / "reports" / "04_attention.html"
    take(report, FOLDER / "report.png", width=1000, height=900)


def check_page() -> str:
    """A page with the answer, its check, and what the check shows in a notebook."""
    import torch

    from coursekit.checking import stored_recordings
    from coursekit.checking.html import VerdictView
    from coursekit.checking.run_cases import run_cases
    from coursekit.checking.verdict import judge

    names = {"torch": torch}
    exec(ANSWER, names)
    exercise = stored_recordings.find("masked_softmax")
    verdict = judge(exercise, run_cases(names["masked_softmax"], exercise["cases"]))
    return _PAGE.format(
        answer=html.escape(textwrap.dedent(ANSWER).strip()),
        verdict=VerdictView(verdict)._repr_html_(),
    )


def take(page: Path, picture: Path, width: int, height: int, trim: bool = False) -> None:
    """Photograph a page as a small PNG; `trim` cuts off what is blank below."""
    browser = shutil.which("chromium") or sys.exit("install chromium, then run this again.")
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.png"
        command = [browser, *_FLAGS, f"--user-data-dir={folder}/profile"]
        command += [f"--window-size={width},{height}", f"--screenshot={raw}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=300, env=os.environ)
        image = Image.open(raw).convert("RGB")
    if trim:
        ground = Image.new("RGB", image.size, image.getpixel((0, 0)))
        lowest = _difference(image, ground)[3]
        image = image.crop((0, 0, image.width, min(image.height, lowest + 20)))
    image.quantize(_COLORS, dither=Image.Dither.NONE).save(picture, optimize=True)
    print(f"written: {picture.relative_to(ROOT)}, {picture.stat().st_size / 1000:.0f} kB")


def _difference(image: Image.Image, ground: Image.Image) -> tuple[int, int, int, int]:
    from PIL import ImageChops

    return ImageChops.difference(image, ground).getbbox() or (0, 0, *image.size)


if __name__ == "__main__":
    main()
