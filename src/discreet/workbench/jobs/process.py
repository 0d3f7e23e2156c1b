"""Run long jobs in processes of their own, with progress and immediate cancellation.

A process can be killed, whatever it is doing; a thread cannot. So a job's function runs in a process, reports its
progress through a pipe, and sends back its result. One process is kept warm (it has loaded what all jobs need), so that
a dropped file shows results at once. After a job it waits for the next, and caches the rows that it read: a job names
rows by a `RowsFile`, and its function gets the rows.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
import warnings
from dataclasses import dataclass, replace
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from discreet.errors import DiscreetError, InternalFault, LabelWarning, ParameterError
from discreet.workbench.jobs.rows_cache import RowsCache, RowsFile
from discreet.workbench.typed_words import choices_in, sentence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnContext
    from multiprocessing.process import BaseProcess

    from discreet.workbench.jobs.rows_cache import OnProgress

__all__ = ["Failure", "Job", "WorkerPool"]

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Failure:
    """An error, as a sentence like the command line's; `field` is the option it concerns, if any.

    `choices` are the options that the sentence names, with their values: ways on that a page can offer.
    """

    sentence: str
    field: str | None = None
    choices: tuple[tuple[str, object], ...] = ()

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Return the failure for an exception."""
        if isinstance(error, ParameterError):
            return cls(sentence_of(error), error.parameter, choices_in(error))
        if isinstance(error, InternalFault):
            return cls(str(error))
        if isinstance(error, DiscreetError):
            return cls(sentence_of(error), None, choices_in(error))
        if isinstance(error, MemoryError):
            return cls("there is not enough memory for this; raise the support, or use a machine with more memory")
        if isinstance(error, OSError):
            return cls(f"the system refused: {error.strerror or type(error).__name__}")
        return cls(str(InternalFault.from_unexpected(error)))

    def at(self, place: str | None) -> Failure:
        """Return the same, attributed to `place` if it concerns no option."""
        return self if self.field is not None or place is None else replace(self, field=place)

    def without(self, text: str) -> Failure:
        """Return the same with a text removed from its sentence: the folder of uploads is no help to the user."""
        return replace(self, sentence=self.sentence.replace(text, ""))


class Job(Generic[Made]):
    """One job: a function and its arguments, its progress, and its outcome.

    The function is called with a report function and the arguments, with rows in place of each `RowsFile`. `then` gets
    its result; `notes` are warnings about labels that look like named ones.
    """

    def __init__(
        self, title: str, function: Callable[..., Made], *arguments: object, then: Callable[[Made], None]
    ) -> None:
        self.title = title
        self.page = ""
        """The page that it was started for; empty for what all pages show."""
        self.work = function, arguments
        self._then = then
        self.state: Literal["running", "done", "failed", "cancelled"] = "running"
        self.done: float | None = None
        self.words = ""
        self.notes: tuple[str, ...] = ()
        self.failure: Failure | None = None
        self._started = time.monotonic()
        self._ended: float | None = None
        self._kill: Callable[[], None] = lambda: None
        self._ending = Lock()

    @property
    def running(self) -> bool:
        """Whether it is running."""
        return self.state == "running"

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran."""
        return (self._ended or time.monotonic()) - self._started

    @property
    def estimate(self) -> str:
        """The estimated remaining time, if known."""
        if self.done is None or self.done <= 0 or self.seconds < 1:
            return f"{self.seconds:.0f} s so far"
        left = self.seconds / self.done - self.seconds
        return f"about {left:.0f} s left" if left < 90 else f"about {left / 60:.0f} min left"  # noqa: PLR2004

    def cancel(self) -> None:
        """Cancel it now, unless it has ended."""
        with self._ending:
            if self.state == "running":
                self._end("cancelled")
                self._kill()

    def fail(self, failure: Failure) -> None:
        """Record a failure, unless it has ended."""
        with self._ending:
            if self.state == "running":
                self._end("failed", failure)

    def finish(self, result: Made) -> None:
        """Pass on the result, unless the job was cancelled: a cancelled job's result must not appear later."""
        with self._ending:
            if self.state == "running":
                self._then(result)
                self._end("done")

    def _end(self, state: Literal["done", "failed", "cancelled"], failure: Failure | None = None) -> None:
        self.failure, self._ended, self.state = failure, time.monotonic(), state

    def works_in(self, process: BaseProcess) -> None:
        """Record which process to kill on cancellation."""
        with self._ending:
            self._kill = process.kill
            if self.state == "cancelled":  # before there was a process
                process.kill()


class WorkerPool:
    """Processes for jobs, one of them warm."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._lock = Lock()
        self._spare: _Worker | None = None
        self._closed = False
        self._busy: set[_Worker] = set()

    def warm_up(self) -> None:
        """Start an idle process, unless there is one."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = _Worker(self._context)

    def start(self, job: Job[Any], *, ended: Callable[[], None]) -> None:
        """Run a job; `ended` is called however it ends."""

        def run() -> None:
            try:
                self._run(job)
            finally:
                ended()
                self.warm_up()

        Thread(target=run, daemon=True).start()

    def _run(self, job: Job[Any]) -> None:
        with self._lock:
            worker, self._spare = self._spare or _Worker(self._context), None
            self._busy.add(worker)
        job.works_in(worker.process)
        answered = False
        try:
            for kind, value in worker.answers(job):
                if kind == "report":
                    job.done, job.words = value
                elif kind == "notes":
                    job.notes = value
                elif kind == "result":
                    job.finish(value)
                else:
                    job.fail(value)
            answered = True
        except (EOFError, OSError):  # the process is gone
            job.fail(Failure("the work ended without an answer, perhaps for want of memory"))
        except Exception as error:  # noqa: BLE001 - a result that cannot be received is a failure like any other
            job.fail(Failure.of(error))
        finally:
            self._put_back(worker, fit=answered and job.state != "cancelled")

    def _put_back(self, worker: _Worker, *, fit: bool) -> None:
        """Keep a process for the next job; end it if another is idle already, or if the job was cancelled."""
        with self._lock:
            self._busy.discard(worker)
            if fit and self._spare is None and not self._closed:
                self._spare = worker
                return
        worker.process.kill()

    def close(self) -> None:
        """End every process."""
        with self._lock:
            self._closed = True
            workers = [*self._busy, *([] if self._spare is None else [self._spare])]
            self._spare = None
        for worker in workers:
            worker.process.kill()
            worker.process.join()


class _Worker:
    """A process that runs one job after another."""

    def __init__(self, context: SpawnContext) -> None:
        self._pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def answers(self, job: Job[Any]) -> Iterator[tuple[str, Any]]:
        """Yield a job's progress reports, notes about labels, and finally its result or its failure."""
        self._pipe.send(job.work)
        kind = "report"
        while kind in ("report", "notes"):
            kind, value = self._pipe.recv()
            yield kind, value


_LEAST_PAUSE = 0.1
"""The least number of seconds between two reports; more would be unreadable."""


def _serve(pipe: Connection) -> None:
    """Run jobs in a worker process until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends this process
    import discreet.workbench.jobs.patterns  # noqa: F401 - loads what jobs need, before the first one arrives

    cache, last = RowsCache(), 0.0

    def report(done: float | None, words: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _LEAST_PAUSE:
            last = time.monotonic()
            pipe.send(("report", (done, words)))

    while True:
        try:
            function, arguments = pipe.recv()
        except EOFError:
            return  # the server has ended
        last = 0.0  # the first report of a job is never too early
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", LabelWarning)
            answer = _answer(function, arguments, cache, report)
        notes = dict.fromkeys(str(each.message) for each in caught if issubclass(each.category, LabelWarning))
        pipe.send(("notes", tuple(notes)))
        pipe.send(answer)
        cache.save()


def _answer(
    function: Callable[..., object], arguments: tuple[object, ...], cache: RowsCache, report: OnProgress
) -> tuple[str, object]:
    try:
        named = [cache.rows(each, report) if isinstance(each, RowsFile) else each for each in arguments]
        return "result", function(report, *named)
    except BaseException as error:  # noqa: BLE001 - every error becomes a sentence
        return "failure", Failure.of(error)
