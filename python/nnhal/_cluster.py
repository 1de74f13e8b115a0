"""Parts of an evaluation on the workers of Dask distributed."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

from . import _shards
from ._shards import Found, Part, Stranger, Work
from .errors import DeadObjectError, GeneralFailureError

# Not imported by its name: a checker of types would read all of it.
distributed: Any = importlib.import_module("distributed")

# Seconds between two looks at what has ended.
PAUSE = 0.01


class _Content:
    """Brings a model to each worker: a plug-in of workers, which those that come later have, too."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.name = f"nnhal-{_shards.content_key(content)}"

    def setup(self, worker: Any) -> None:
        """Called when the plug-in or the worker is new."""
        _shards.contents[self.name] = self._content

    def teardown(self, worker: Any) -> None:
        """Called when the plug-in is taken away."""
        _shards.contents.pop(self.name, None)


class Cluster:
    """Executes parts on the workers of a scheduler, however often workers die.

    What the workers of one kind of machine need is compiled once, and travels
    under the name of its content.
    """

    def __init__(self, scheduler: Any, source: bytes, compile_options: dict[str, Any] | None, timeout: float) -> None:
        """Without `compile_options` the source itself is sent, for a device that takes it on every machine."""
        self._owned = distributed.Client(scheduler, set_as_default=False) if isinstance(scheduler, str) else None
        self._client = self._owned or scheduler
        self._source = source
        self._compile_options = compile_options
        self._timeout = timeout
        # Contents and their names by the kind of machine; "" stands for every kind.
        self._contents: dict[str, bytes] = {}
        self._names: dict[str, str] = {}
        # What is submitted.
        self._pending: dict[Any, tuple[int, Part]] = {}
        self.compile_seconds = 0.0

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *unused: object) -> None:
        self._client.cancel(list(self._pending))
        for name in set(self._names.values()):
            # Another evaluation may have taken the same content away, or a worker dies meanwhile.
            with contextlib.suppress(ValueError, OSError):
                self._client.unregister_worker_plugin(name)
        if self._owned:
            self._owned.close()

    @property
    def worker_count(self) -> int:
        """How many workers there are now."""
        return len(self._client.nthreads())

    def _insist(self, call: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Makes a call that all workers answer, again when one dies meanwhile."""
        end = time.monotonic() + self._timeout
        while True:
            try:
                return call(*arguments, **keywords)
            except OSError as error:
                if self._client.status != "running" or time.monotonic() > end:
                    raise DeadObjectError(f"the scheduler does not answer: {error}") from error
                time.sleep(PAUSE)

    def _prepare(self, kind: str) -> None:
        """Sends what a kind of machine needs, again where another evaluation has taken the same content away."""
        if kind not in self._contents:
            content = self._compile(kind)
            if content is None:
                return
            self._contents[kind] = content
        plugin = _Content(self._contents[kind])
        self._insist(self._client.register_worker_plugin, plugin, plugin.name)
        self._names[kind] = plugin.name

    def _compile(self, kind: str) -> bytes | None:
        """Compiles here if this is such a machine, otherwise on one of them; None if there is none any more."""
        if self._compile_options is None:
            return self._source
        begin = time.monotonic()
        if kind == _shards.kind_of_machine():
            content = _shards.compile_here(self._source, self._compile_options)
        else:
            kinds = self._insist(self._client.run, _shards.kind_of_machine)
            of_kind = [worker for worker, other in kinds.items() if other == kind]
            if not of_kind:
                return None
            content = self._insist(self._client.run, _shards.compile_here, self._source, self._compile_options,
                                   workers=of_kind[:1])[of_kind[0]]
        self.compile_seconds += time.monotonic() - begin
        return content

    def run(self, work: Work, parts: Iterator[tuple[int, Part]], done: Callable[[int, Found], None]) -> None:
        """Executes all parts, each a place and what is there, and calls `done` as they end, in any order."""
        self._prepare(_shards.kind_of_machine() if self._compile_options is not None else "")
        last = time.monotonic()
        while self._fill(work, parts):
            ended = [future for future in self._pending if future.status != "pending"]
            for future in ended:
                begin, part = self._pending.pop(future)
                answer = self._answer(future, begin, part)
                if isinstance(answer, Found):
                    done(begin, answer)
                    continue
                if isinstance(answer, Stranger):
                    self._prepare("" if self._compile_options is None else answer.kind)
                self._submit(work, begin, part)
            if ended:
                last = time.monotonic()
            elif time.monotonic() - last > self._timeout:
                raise DeadObjectError(f"no part has ended for {self._timeout:g} s; the scheduler has "
                                      f"{self.worker_count} workers")
            else:
                time.sleep(PAUSE)

    def _submit(self, work: Work, begin: int, part: Part) -> None:
        future = self._client.submit(_shards.execute_named, dict(self._names), work, begin, part, pure=False)
        self._pending[future] = (begin, part)

    def _fill(self, work: Work, parts: Iterator[tuple[int, Part]]) -> bool:
        """Submits a few parts for each thread: enough to keep it busy, and no data set in the scheduler's memory.

        Returns whether there is anything to wait for.
        """
        room = max(4, 3 * sum(self._client.nthreads().values())) - len(self._pending)
        for following in itertools.islice(parts, max(0, room)):
            self._submit(work, *following)
        return bool(self._pending)

    def _answer(self, future: Any, begin: int, part: Part) -> Found | Stranger | None:
        """What a part has found; None where a worker has died with it."""
        status = future.status
        if status not in ("finished", "error"):
            return None
        try:
            # Executed again meanwhile, where the worker has died that had it.
            answer: Found | Stranger = future.result(timeout=self._timeout)
            return answer
        except distributed.KilledWorker as error:
            last = begin + len(part) - 1
            raise GeneralFailureError(f"samples {begin} to {last} were on {error.allowed_failures + 1} workers that "
                                      "died; the scheduler's setting distributed.scheduler.allowed-failures is "
                                      f"{error.allowed_failures}") from error
        except (OSError, distributed.CancelledError, distributed.TimeoutError):
            # What a part itself has raised it would raise again elsewhere.
            if status == "error":
                raise
            return None
