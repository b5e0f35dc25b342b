"""Messages between the grader, the fork server and its children."""

import os
import socket
import threading

import pytest

from autograder.sandbox.messages import Connection


@pytest.fixture
def pair():
    left, right = map(Connection, socket.socketpair())
    yield left, right
    left.close()
    right.close()


def test_messages_arrive_whole_and_in_order_however_long_they_are(pair):
    left, right = pair
    texts = ["", "ü\n", "x" * 5_000_000, "end"]
    sending = threading.Thread(target=lambda: [left.send(text=text) for text in texts])
    sending.start()
    received = [right.receive()["text"] for _ in texts]
    sending.join()
    assert received == texts


def test_polling_never_waits_and_returns_no_half_message(pair):
    left, right = pair
    assert right.poll() is None
    left.socket.sendall(b'{"signal": 2}\n{"sig')
    assert right.poll() == {"signal": 2}
    assert right.poll() is None
    left.socket.sendall(b'nal": 9}\n')
    assert right.poll() == {"signal": 9}


def test_a_message_cut_off_by_the_end_of_its_sender_is_dropped(pair):
    left, right = pair
    left.socket.sendall(b'{"exercise": "softmax"}\n{"exer')
    left.close()
    assert list(right) == [{"exercise": "softmax"}]
    with pytest.raises(EOFError):
        right.poll()


def test_a_connection_that_was_reset_reads_as_closed(pair):
    left, right = pair
    right.send(signal=2)
    left.close()  # with a message unread: a reset
    with pytest.raises(EOFError):
        right.receive()


def test_connecting_to_a_server_that_is_gone_leaves_no_open_file(tmp_path):
    before = os.listdir("/proc/self/fd")
    with pytest.raises(OSError, match="No such file"):
        Connection.open(str(tmp_path / "server"))
    assert len(os.listdir("/proc/self/fd")) == len(before)
