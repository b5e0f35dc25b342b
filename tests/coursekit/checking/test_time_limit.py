"""Processor time decides, not how busy the machine is; what hangs has a limit of its own."""

import threading
import time

import pytest

from coursekit.checking.time_limit import PATIENCE, Clocks, TimeUp, Watch, time_limit


class Machine:
    """A thread on a machine whose clocks stand still until it is told what happens."""

    def __init__(self):
        self.thread = self.process = self.queued = self.wall = 0.0

    def watch(self, seconds=10.0, tick=0.25):
        names = ("thread", "process", "queued", "wall")
        watch = Watch(seconds, tick, Clocks(*[lambda n=n: getattr(self, n) for n in names]))
        assert watch.look() == ""
        return watch

    def passes(self, watch, seconds, thread=0.0, others=0.0, queued=0.0, tick=0.25):
        """What the watch says while seconds pass, in which shares of the time go to the threads."""
        for _ in range(round(seconds / tick)):
            self.wall += tick
            self.thread += thread * tick
            self.process += (thread + others) * tick
            self.queued += queued * tick
            if reason := watch.look():
                return reason
        return ""


def test_computing_ends_after_its_processor_time():
    machine = Machine()
    watch = machine.watch()
    assert machine.passes(watch, 9.75, thread=1.0) == ""
    assert machine.passes(watch, 0.25, thread=1.0) == "no answer after 10 seconds of computing"


def test_a_starved_thread_has_as_long_as_it_needs():
    machine = Machine()
    watch = machine.watch()
    assert machine.passes(watch, 900, thread=0.01, queued=0.99) == ""
    assert machine.passes(watch, 0.5, thread=1.0) == ""
    assert machine.passes(watch, 2, thread=1.0) == "no answer after 10 seconds of computing"


def test_waiting_for_other_threads_is_not_idle_even_if_they_are_starved():
    machine = Machine()
    watch = machine.watch()
    assert machine.passes(watch, 100, others=1.0) == ""
    assert machine.passes(watch, 100, others=0.1, queued=0.9) == ""


def test_what_hangs_ends_once_it_was_idle_long_enough():
    machine = Machine()
    watch = machine.watch()
    assert machine.passes(watch, PATIENCE * 10 - 0.25, thread=0.0) == ""
    assert machine.passes(watch, 0.25) == "no answer after 30 seconds"


def test_what_hangs_on_a_busy_machine_ends_too():
    machine = Machine()
    watch = machine.watch()
    assert machine.passes(watch, 300, queued=0.5) == "no answer after 30 seconds"
    assert machine.wall == 60


def test_a_process_that_was_stopped_has_not_been_idle():
    machine = Machine()
    watch = machine.watch()
    machine.wall += 3600
    assert watch.look() == ""


@pytest.mark.parametrize("error", [TimeUp, KeyError])
@pytest.mark.parametrize("wait", [lambda: time.sleep(10_000), threading.Event().wait])
def test_a_wait_is_interrupted_with_the_exception_of_the_caller(error, wait):
    with pytest.raises(error, match=r"no answer after 0\.3 seconds"), time_limit(0.1, error):
        wait()


def test_after_an_inner_limit_the_outer_one_counts_again():
    def one_in_another():
        with time_limit(0.05):
            with time_limit(60):
                pass
            while True:
                pass

    with pytest.raises(TimeUp, match="computing"):
        one_in_another()


def test_off_the_main_thread_nothing_is_limited():
    done = []

    def work():
        with time_limit(0):
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done
