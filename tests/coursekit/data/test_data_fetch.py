"""Fetching: every way a file can arrive, and every way it can fail to."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pooch
import pytest
from toy_data import DEV, TEST, TRAIN, ZIP, leftovers, zipped

from coursekit.data import DamagedFile, DataError, FetchError, load
from coursekit.data import registry as registry_module

FILE = "sst2-glue/train.tsv"


def sentence_of(error: pytest.ExceptionInfo[DataError]) -> str:
    """The message, after seeing to it that it is one sentence on one line."""
    text = str(error.value)
    assert text.endswith(".")
    assert "\n" not in text
    assert "Traceback" not in text
    return text


def make_mirror(folder: Path, **changes: bytes | None) -> Path:
    contents = {"train": TRAIN, "dev": DEV, "test": TEST} | changes
    names = {"train": FILE, "dev": "sst2-glue/dev.tsv", "test": "sst-stsa/stsa.binary.test"}
    for key, content in contents.items():
        if content is not None:
            path = folder / names[key]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return folder


# --- from public addresses


def test_a_file_comes_from_its_first_address_and_stays_in_the_cache(toy, server, cache):
    toy(f"{server.address}/a", f"{server.address}/b")
    server.answers["/a"] = TRAIN
    first = load("sst2")
    assert first.texts == ["a fine film", "a dull film", "the wit never runs dry"]
    assert first.labels == [1, 0, 1]
    assert load("sst2") == first
    assert server.asked == ["/a"]
    assert leftovers(cache) == [FILE]


def test_files_in_the_cache_are_readable_for_others(toy, server, cache):
    toy(f"{server.address}/a")
    server.answers["/a"] = TRAIN
    load("sst2")
    assert (cache / FILE).stat().st_mode & 0o444 == 0o444


@pytest.mark.parametrize(
    "bad",
    [404, 500, ("cut", TRAIN), ("short", TRAIN), TRAIN.replace(b"fine", b"poor"), b"<html>"],
    ids=["missing", "server error", "cut", "short", "wrong checksum", "login page"],
)
def test_the_second_address_is_tried_when_the_first_fails(toy, server, cache, bad):
    toy(f"{server.address}/a", f"{server.address}/b")
    server.answers |= {"/a": bad, "/b": TRAIN}
    assert len(load("sst2")) == 3
    assert server.asked == ["/a", "/b"]
    assert leftovers(cache) == [FILE]


def test_the_second_address_is_tried_when_the_first_server_is_gone(toy, server, gone, cache):
    toy(f"{gone}/a", f"{server.address}/b")
    server.answers["/b"] = TRAIN
    assert len(load("sst2")) == 3
    assert leftovers(cache) == [FILE]


def test_no_network_is_one_sentence_that_offers_a_way_out(toy, gone, cache):
    toy(f"{gone}/a", f"{gone}/b")
    with pytest.raises(FetchError) as error:
        load("sst2")
    text = sentence_of(error)
    assert text.startswith("No network: sst2-glue/train.tsv")
    assert "COURSEKIT_MIRROR" in text
    assert '"reviews"' in text
    assert leftovers(cache) == []


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (404, "answered with error 404"),
        (("cut", TRAIN), "broke off before the end|incomplete file"),
        (("short", TRAIN), "sent an incomplete file"),
        (TRAIN.replace(b"fine", b"poor"), "or one with the wrong checksum"),
    ],
    ids=["missing", "cut", "short", "wrong checksum"],
)
def test_a_failed_fetch_says_why_and_leaves_nothing_behind(toy, server, cache, bad, said):
    toy(f"{server.address}/a")
    server.answers["/a"] = bad
    with pytest.raises(FetchError, match=said) as error:
        load("sst2")
    assert "try again later" in sentence_of(error)
    assert leftovers(cache) == []


def test_a_server_that_stays_silent_is_given_up(toy, server, cache, monkeypatch):
    import socket

    monkeypatch.setattr("coursekit.data.fetch.TIMEOUT", (0.2, 0.2))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        toy(f"http://127.0.0.1:{silent.getsockname()[1]}/a", f"{server.address}/b")
        server.answers["/b"] = TRAIN
        assert len(load("sst2")) == 3
    assert leftovers(cache) == [FILE]


def test_a_file_is_taken_from_the_archive_that_holds_it_when_its_addresses_fail(toy, server, cache):
    toy(f"{server.address}/a", zip_addresses=(f"{server.address}/zip",))
    server.answers["/zip"] = ZIP
    assert len(load("sst2")) == 3
    assert len(load("sst2", "validation")) == 2
    assert server.asked == ["/a", "/zip"]
    assert leftovers(cache) == ["sst2-glue/SST-2.zip", "sst2-glue/dev.tsv", FILE]


def test_an_archive_whose_member_is_not_as_published_is_refused(toy, server, cache, monkeypatch):
    other = zipped({"SST-2/train.tsv": TRAIN.replace(b"fine", b"poor"), "SST-2/dev.tsv": DEV})
    monkeypatch.setattr("toy_data.ZIP", other)
    toy(zip_addresses=(f"{server.address}/zip",))
    server.answers["/zip"] = other
    with pytest.raises(DamagedFile, match=r"SST-2\.zip does not contain SST-2/train\.tsv") as error:
        load("sst2")
    sentence_of(error)
    assert FILE not in leftovers(cache)


# --- the cache


def test_a_damaged_file_in_the_cache_is_fetched_again(toy, server, cache):
    toy(f"{server.address}/a")
    server.answers["/a"] = TRAIN
    load("sst2")
    (cache / FILE).write_bytes(TRAIN[:-20])
    assert len(load("sst2")) == 3
    assert (cache / FILE).read_bytes() == TRAIN
    assert server.asked == ["/a", "/a"]


def test_a_damaged_file_in_the_cache_is_removed_when_it_cannot_be_fetched_again(toy, gone, cache):
    toy(f"{gone}/a")
    (cache / FILE).parent.mkdir(parents=True)
    (cache / FILE).write_bytes(b"half a fi")
    with pytest.raises(FetchError):
        load("sst2")
    assert leftovers(cache) == []


def test_a_file_in_the_cache_needs_no_network(toy, server, cache):
    toy(f"{server.address}/a")
    server.answers["/a"] = TRAIN
    load("sst2")
    server.answers.clear()
    assert len(load("sst2")) == 3


def test_a_full_disk_is_said_with_the_room_needed(toy, server, cache, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    toy(f"{server.address}/a")
    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", full)
    with pytest.raises(FetchError, match=r"The disk is full: .* needs 71 bytes") as error:
        load("sst2")
    assert "COURSEKIT_CACHE" in sentence_of(error)
    assert leftovers(cache) == []


def test_a_cache_that_cannot_be_written_to_is_said(toy, server, tmp_path, monkeypatch):
    toy(f"{server.address}/a")
    server.answers["/a"] = TRAIN
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("COURSEKIT_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(FetchError, match="is not writable") as error:
        load("sst2")
    assert "COURSEKIT_CACHE" in sentence_of(error)


def test_several_processes_may_fetch_the_same_file_at_once(toy, server, cache):
    registry = toy(f"{server.address}/a")
    server.answers["/a"], server.together = ("together", TRAIN), threading.Barrier(3)
    script = (
        "import sys, pathlib\n"
        "from coursekit.data import load, registry\n"
        "registry.REGISTRY = pathlib.Path(sys.argv[1])\n"
        "print(len(load('sst2')))\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(registry)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(Path(registry_module.__file__).parents[2])},
        )
        for _ in range(3)
    ]
    for process in processes:
        out, err = process.communicate()
        assert out.strip() == "3", err
    assert len(server.asked) == 3  # they were indeed at it together
    assert leftovers(cache) == [FILE]
    assert (cache / FILE).read_bytes() == TRAIN


def test_several_threads_may_fetch_the_same_file_at_once(toy, server, cache):
    toy(f"{server.address}/a")
    server.answers["/a"], server.together = ("together", TRAIN), threading.Barrier(4)
    lengths: list[int] = []
    threads = [threading.Thread(target=lambda: lengths.append(len(load("sst2")))) for _ in "1234"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lengths == [3] * 4
    assert len(server.asked) == 4
    assert leftovers(cache) == [FILE]


# --- a mirror on a classroom server


def test_a_mirror_server_is_asked_instead_of_the_public_addresses(toy, server, cache, monkeypatch):
    toy(f"{server.address}/public")
    server.answers |= {f"/data/{FILE}": TRAIN, "/public": TRAIN}
    monkeypatch.setenv("COURSEKIT_MIRROR", f"{server.address}/data/")
    assert len(load("sst2")) == 3
    assert server.asked == [f"/data/{FILE}"]
    assert leftovers(cache) == [FILE]


def test_a_mirror_server_may_have_the_archive_instead(toy, server, monkeypatch):
    toy()
    server.answers["/sst2-glue/SST-2.zip"] = ZIP
    monkeypatch.setenv("COURSEKIT_MIRROR", server.address)
    assert len(load("sst2", "validation")) == 2


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (404, "error 404"),
        (("cut", TRAIN), "broke off before the end|incomplete file"),
        (TRAIN[::-1], "or one with the wrong checksum"),
    ],
    ids=["missing", "cut", "wrong checksum"],
)
def test_what_is_wrong_with_a_mirror_server_is_said(toy, server, cache, monkeypatch, bad, said):
    toy()
    server.answers[f"/{FILE}"] = bad
    monkeypatch.setenv("COURSEKIT_MIRROR", server.address)
    with pytest.raises(FetchError, match=said) as error:
        load("sst2")
    assert f"the mirror {server.address}" in sentence_of(error)
    assert leftovers(cache) == []


def test_a_mirror_server_that_is_gone_is_named(toy, server, gone, cache, monkeypatch):
    toy(f"{server.address}/public")
    monkeypatch.setenv("COURSEKIT_MIRROR", gone)
    with pytest.raises(FetchError, match="could not be reached") as error:
        load("sst2")
    assert sentence_of(error).count("could not be reached") == 1
    assert gone in str(error.value)
    assert server.asked == []
    assert leftovers(cache) == []


# --- a mirror folder


def test_a_mirror_folder_is_read_in_place(toy, tmp_path, cache, monkeypatch):
    toy()
    monkeypatch.setenv("COURSEKIT_MIRROR", str(make_mirror(tmp_path / "mirror")))
    assert len(load("sst2")) == 3
    assert load("sst2", "test").labels == [1, 0]
    assert leftovers(cache) == []


def test_a_mirror_folder_without_the_file_is_said(toy, tmp_path, monkeypatch):
    toy()
    monkeypatch.setenv("COURSEKIT_MIRROR", str(make_mirror(tmp_path / "mirror", train=None)))
    with pytest.raises(FetchError, match="has no such file") as error:
        load("sst2")
    assert f"{tmp_path / 'mirror'} cannot provide {FILE} (or sst2-glue/SST-2.zip)" in str(
        error.value
    )
    assert sentence_of(error).count("no such file") == 1


def test_a_damaged_file_in_a_mirror_folder_is_said_and_left_alone(toy, tmp_path, monkeypatch):
    toy()
    folder = make_mirror(tmp_path / "mirror", train=TRAIN[:-9])
    monkeypatch.setenv("COURSEKIT_MIRROR", str(folder))
    with pytest.raises(DamagedFile, match=f"{folder / FILE} is damaged") as error:
        load("sst2")
    sentence_of(error)
    assert (folder / FILE).read_bytes() == TRAIN[:-9]


def test_a_mirror_folder_that_does_not_exist_is_said(toy, tmp_path, monkeypatch):
    toy()
    monkeypatch.setenv("COURSEKIT_MIRROR", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="which does not exist") as error:
        load("sst2")
    sentence_of(error)


def test_a_filled_cache_serves_as_a_mirror(toy, server, cache, tmp_path, monkeypatch):
    toy(f"{server.address}/a")
    server.answers["/a"] = TRAIN
    load("sst2")
    monkeypatch.setenv("COURSEKIT_MIRROR", str(cache))
    monkeypatch.setenv("COURSEKIT_CACHE", str(tmp_path / "another"))
    assert len(load("sst2")) == 3
    assert server.asked == ["/a"]
