"""Fixtures: an empty cache, a toy registry, servers, and the real data when there are any."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import toy_data
from toy_data import DEV, TEST, TRAIN, Server, checksum

from coursekit.data import registry as registry_module

MIRROR = os.environ.get("COURSEKIT_MIRROR", "")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has an empty cache of its own, no mirror, and no proxy in between."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("COURSEKIT_CACHE", str(folder))
    monkeypatch.delenv("COURSEKIT_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return folder


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def gone() -> str:
    """The address of a server that is no longer there."""
    stopped = Server()
    stopped.stop()
    return stopped.address


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Path]]:
    """Put a toy "sst2" in place of the registry; call it with the addresses of train.tsv."""

    def install(*addresses: str, zip_addresses: tuple[str, ...] = ()) -> Path:
        def entry(content: bytes, **more: object) -> dict[str, object]:
            facts = {"checksum": checksum(content), "bytes": len(content)}
            return facts | {"addresses": [], "fallback": "sst2-glue/SST-2.zip"} | more

        sst2 = {
            "title": "a toy",
            "description": "a few lines",
            "license": "CC0 1.0",
            "citation": "none",
            "splits": {
                "train": ["sst2-glue/train.tsv"],
                "validation": ["sst2-glue/dev.tsv"],
                "test": ["sst-stsa/stsa.binary.test"],
            },
            "files": {
                "sst2-glue/train.tsv": entry(
                    TRAIN, addresses=list(addresses), member="SST-2/train.tsv"
                ),
                "sst2-glue/dev.tsv": entry(DEV, member="SST-2/dev.tsv"),
                "sst-stsa/stsa.binary.test": entry(TEST, fallback=None),
                "sst2-glue/SST-2.zip": entry(
                    toy_data.ZIP, addresses=list(zip_addresses), fallback=None
                ),
            },
        }
        path = tmp_path / "registry.json"
        path.write_text(json.dumps({"sst2": sst2}), encoding="utf-8")
        monkeypatch.setattr(registry_module, "REGISTRY", path)
        registry_module.registry.cache_clear()
        return path

    yield install
    registry_module.registry.cache_clear()


@pytest.fixture(scope="session")
def real_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests on real data, so that IMDb is prepared once."""
    return tmp_path_factory.mktemp("real-cache")


@pytest.fixture
def real_data(real_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The mirror with the real data; the test is skipped without it."""
    if not MIRROR or MIRROR.startswith("http"):
        pytest.skip("Real data are tested when COURSEKIT_MIRROR names a folder that has them.")
    monkeypatch.setenv("COURSEKIT_MIRROR", MIRROR)
    monkeypatch.setenv("COURSEKIT_CACHE", str(real_cache))
    return Path(MIRROR)
