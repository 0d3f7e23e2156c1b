"""Work in processes: its result, its progress, its failure, and its end before it is done."""

from __future__ import annotations

import time
from threading import Event
from typing import Any

import pytest

from discreet.errors import DataError, ParameterError
from discreet.transactions.transactions import Transactions
from discreet.workbench.jobs.process import Failure, Job, WorkerPool
from discreet.workbench.jobs.protecting import check_rows
from tests.patience import PATIENCE, wait_until


def double(report, number: int) -> int:
    report(0.5, "halfway")
    time.sleep(0.2)
    return 2 * number


def double_at_once(report, number: int) -> int:
    report(0.5, "halfway")
    return 2 * number


def fail(report, kind: type[Exception]) -> None:  # noqa: ARG001 - all work takes it
    raise kind("people's items") if kind is not ParameterError else ParameterError("k must be 2", parameter="k")


def die(report) -> None:  # noqa: ARG001
    import os
    import signal

    os.kill(os.getpid(), signal.SIGKILL)


def sleep(report) -> None:  # noqa: ARG001
    time.sleep(3600)


def sleep_after_a_word(report) -> None:
    report(None, "asleep")
    time.sleep(3600)


def own_number(report) -> int:  # noqa: ARG001
    import os

    return os.getpid()


@pytest.fixture(scope="module")
def pool():
    made = WorkerPool()
    yield made
    made.close()


def run(pool: WorkerPool, function: Any, *arguments: Any) -> tuple[Job, list[Any]]:
    results, ended = [], Event()
    job = Job("a job", function, *arguments, then=results.append)
    pool.start(job, ended=ended.set)
    assert ended.wait(PATIENCE)
    return job, results


def test_a_result_comes_back_and_progress_was_told(pool: WorkerPool):
    job, results = run(pool, double, 21)
    assert (job.state, results, job.done, job.words) == ("done", [42], 0.5, "halfway")
    job, _ = run(pool, double_at_once, 21)
    assert job.words == "halfway"
    job, _ = run(pool, double_at_once, 21)
    assert job.words == "halfway", "however soon after another job's"


@pytest.mark.parametrize(
    ("kind", "sentence", "field"),
    [
        (ParameterError, "k must be 2", "k"),
        (DataError, "people's items", None),
        (
            KeyError,
            "internal fault (KeyError): this is a fault of discreet, please report it in its issue tracker",
            None,
        ),
        (
            MemoryError,
            "there is not enough memory for this; raise the support, or use a machine with more memory",
            None,
        ),
    ],
)
def test_a_failure_is_a_sentence_and_an_unknown_one_tells_no_items(pool: WorkerPool, kind, sentence, field):
    job, results = run(pool, fail, kind)
    assert (job.state, results) == ("failed", [])
    assert job.failure == Failure(sentence, field)


def test_a_process_that_died_is_told(pool: WorkerPool):
    job, _ = run(pool, die)
    assert job.state == "failed"
    assert "without an answer" in job.failure.sentence


def test_cancelling_ends_the_process_at_once(pool: WorkerPool):
    job, ended = Job("a long job", sleep, then=lambda _: None), Event()
    pool.start(job, ended=ended.set)
    job.cancel()
    assert ended.wait(PATIENCE)
    assert job.state == "cancelled"


def test_cancelling_work_that_is_under_way_ends_it(pool: WorkerPool):
    job, ended = Job("a long job", sleep_after_a_word, then=lambda _: None), Event()
    pool.start(job, ended=ended.set)
    wait_until(lambda: job.words == "asleep")
    job.cancel()
    assert ended.wait(PATIENCE)
    assert job.state == "cancelled"


def test_a_result_that_comes_after_the_end_is_not_taken():
    taken = []
    job = Job("a job", double, 21, then=taken.append)
    job.cancel()
    job.finish(42)
    job.fail(Failure("too late"))
    assert (job.state, job.failure, taken) == ("cancelled", None, [])


def test_a_result_that_cannot_be_taken_is_a_failure(pool: WorkerPool):
    job, ended = Job("a job", double, 21, then=lambda _: {}[1]), Event()
    pool.start(job, ended=ended.set)
    assert ended.wait(PATIENCE)
    assert (job.state, job.failure.sentence) == (
        "failed",
        "internal fault (KeyError): this is a fault of discreet, please report it in its issue tracker",
    )


def test_a_process_is_used_again_until_it_is_cancelled(pool: WorkerPool):
    (first,), (second,) = (run(pool, own_number)[1] for _ in range(2))
    assert first == second
    job, ended = Job("a long job", sleep, then=lambda _: None), Event()
    pool.start(job, ended=ended.set)
    job.cancel()
    assert ended.wait(PATIENCE)
    assert run(pool, own_number)[1] != [first]


def test_an_estimate_is_made_of_what_was_done():
    job = Job("a job", double, 21, then=print)
    assert job.estimate.endswith("so far")
    job._started -= 10  # noqa: SLF001 - ten seconds are long in a test
    job.done = 0.25
    assert job.estimate == "about 30 s left"
    job.done = 0.01  # 990 s and a bit
    assert job.estimate == "about 17 min left"


def test_labels_that_look_alike_are_noted(pool: WorkerPool):
    rows = Transactions.from_rows([["hiv", "a"], ["HIV", "b"], ["a"], ["b"]])
    job, (checked,) = run(pool, check_rows, rows, "50%", ("hiv",))
    assert not checked.safe
    assert [note.startswith("the data also has 'HIV'") for note in job.notes] == [True]
    job, _ = run(pool, check_rows, rows, "50%", ("hiv", "HIV"))
    assert job.notes == ()
