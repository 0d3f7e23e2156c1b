"""Work that lasts: in a process of its own, with progress, and an end that can be had at any time.

A process can be killed, whatever it is doing; a thread cannot. So a function of `work` runs in one, tells how far it is
through a pipe, and sends back what it made. One process is kept warm (it has loaded what all work needs), because
people who drop a file want to see something at once; a process that did its work waits for the next.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from dataclasses import dataclass, replace
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Literal

from discreet.errors import DiscreetError, InternalFault, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

__all__ = ["Failure", "Job", "WorkerPool"]


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, in the command line's sentence; `field` is the option that it is about, where it is about one.

    `not_safe` where the answer is that something cannot be made safe: no mistake, but an answer.
    """

    sentence: str
    field: str | None = None
    not_safe: bool = False

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Return the sentence for an error."""
        from discreet.errors import NotSafe

        if isinstance(error, ParameterError):
            return cls(str(error), error.parameter)
        if isinstance(error, DiscreetError):
            return cls(str(error), not_safe=isinstance(error, NotSafe))
        if isinstance(error, MemoryError):
            return cls("there is not enough memory for this; raise the support, or use a machine with more memory")
        if isinstance(error, OSError):
            return cls(f"the system refused: {error.strerror or type(error).__name__}")
        return cls(str(InternalFault.from_unexpected(error)))

    def at(self, place: str | None) -> Failure:
        """Return the same, about `place` where it is about no option."""
        return self if self.field is not None or place is None else replace(self, field=place)

    def without(self, text: str) -> Failure:
        """Return the same with a text left out of its sentence: the folder that uploads are kept in is no help."""
        return replace(self, sentence=self.sentence.replace(text, ""))


class Job:
    """One piece of work: how far it is, and how it ended."""

    def __init__(self, title: str) -> None:
        """Keep what is given."""
        self.title = title
        self.state: Literal["running", "done", "failed", "cancelled"] = "running"
        self.done: float | None = None
        self.words = ""
        self.failure: Failure | None = None
        self._started = time.monotonic()
        self._ended: float | None = None
        self._kill: Callable[[], None] = lambda: None
        self._ending = Lock()

    @property
    def running(self) -> bool:
        """Whether it is under way."""
        return self.state == "running"

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran."""
        return (self._ended or time.monotonic()) - self._started

    @property
    def estimate(self) -> str:
        """How long it will last, as far as that can be said."""
        if self.done is None or self.done <= 0 or self.seconds < 1:
            return f"{self.seconds:.0f} s so far"
        left = self.seconds / self.done - self.seconds
        return f"about {left:.0f} s left" if left < 90 else f"about {left / 60:.0f} min left"  # noqa: PLR2004

    def cancel(self) -> None:
        """End it now, unless it has ended."""
        with self._ending:
            if self.state == "running":
                self._end("cancelled")
                self._kill()

    def fail(self, failure: Failure) -> None:
        """Note what went wrong, unless it has ended."""
        with self._ending:
            if self.state == "running":
                self._end("failed", failure)

    def finish(self, result: Any, then: Callable[[Any], None]) -> None:  # whatever was made
        """Hand on what was made, unless it was cancelled: a result that nobody waits for must not turn up later."""
        with self._ending:
            if self.state == "running":
                then(result)
                self._end("done")

    def _end(self, state: Literal["done", "failed", "cancelled"], failure: Failure | None = None) -> None:
        self.failure, self._ended, self.state = failure, time.monotonic(), state

    def works_in(self, process: multiprocessing.process.BaseProcess) -> None:
        """Note which process to end when it is cancelled."""
        with self._ending:
            self._kill = process.kill
            if self.state == "cancelled":  # before there was a process
                process.kill()


class WorkerPool:
    """Processes for jobs, one of them warm."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._context = multiprocessing.get_context("spawn")
        self._lock = Lock()
        self._spare: _Worker | None = None
        self._closed = False
        self._busy: set[_Worker] = set()

    def warm_up(self) -> None:
        """See to it that a process is ready, unless there is one."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = _Worker(self._context)

    def start(
        self,
        job: Job,
        function: Callable[..., Any],
        *arguments: Any,  # whatever the work takes
        then: Callable[[Any], None],
        ended: Callable[[], None],
    ) -> None:
        """Run `function(report, *arguments)`; `then` is called with the result, `ended` however it ended."""
        Thread(target=self._see_through, args=(job, function, arguments, then, ended), daemon=True).start()

    def _see_through(
        self,
        job: Job,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        then: Callable[[Any], None],
        ended: Callable[[], None],
    ) -> None:
        with self._lock:
            worker, self._spare = self._spare or _Worker(self._context), None
            self._busy.add(worker)
        job.works_in(worker.process)
        answered = False
        try:
            for kind, value in worker.run(function, arguments):
                if kind == "report":
                    job.done, job.words = value
                elif kind == "result":
                    job.finish(value, then)
                else:
                    job.fail(value)
            answered = True
        except (EOFError, OSError):  # the process is gone
            job.fail(Failure("the work ended without an answer, perhaps for want of memory"))
        except Exception as error:  # noqa: BLE001 - the result could not be taken: that, too, is told
            job.fail(Failure.of(error))
        finally:
            self._put_back(worker, fit=answered and job.state != "cancelled")
            ended()
            self.warm_up()

    def _put_back(self, worker: _Worker, *, fit: bool) -> None:
        """Keep a process that did its work for the next piece of it, and end all others."""
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
    """A process that waits for work, one piece after the other."""

    def __init__(self, context: Any) -> None:  # multiprocessing keeps its types apart
        """Keep what is given."""
        self._pipe, theirs = context.Pipe()
        self.process: multiprocessing.process.BaseProcess = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:  # pairs
        """Yield what the work says, up to its result or its failure."""
        self._pipe.send((function, arguments))
        while True:
            kind, value = self._pipe.recv()
            yield kind, value
            if kind != "report":
                return


_LEAST_PAUSE = 0.1
"""Seconds between two reports; more of them nobody could read."""


def _serve(pipe: Connection) -> None:
    """Wait for work in a process of its own, do it, send what came of it, and wait again."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends this
    from discreet.workbench.jobs import patterns as pattern_jobs

    pattern_jobs.load()
    last = 0.0

    def report(done: float | None, words: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _LEAST_PAUSE:
            last = time.monotonic()
            pipe.send(("report", (done, words)))

    while True:
        try:
            function, arguments = pipe.recv()
            answer = ("result", function(report, *arguments))
        except EOFError:
            return  # nobody has any work
        except BaseException as error:  # noqa: BLE001 - every fault becomes a sentence
            answer = ("failure", Failure.of(error))
        pipe.send(answer)
        del function, arguments, answer  # rows may be large
