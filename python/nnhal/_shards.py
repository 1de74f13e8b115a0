"""The worker of an evaluation: executes a model on a part of a data set, and judges the outputs."""

from __future__ import annotations

import hashlib
import os
import platform
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, TypeVar, Union

import numpy as np

import nnhal

from . import _native

Kept = TypeVar("Kept")
# An evaluator's description in JSON, None for the differences from expected outputs, or an object of the caller.
Judge = Union[str, None, Any]
# Samples of the caller, or the places of samples in files.
Part = Union[Sequence[Any], range]


@dataclass(frozen=True)
class Work:
    """Settings that all parts of an evaluation share."""

    #: The keywords of nnhal.load().
    options: dict[str, Any]
    judges: tuple[Judge, ...]
    #: The data set in files as nnhal-benchmark describes it; None for samples of the caller.
    files: str | None


@dataclass
class Found:
    """The findings of one part."""

    names: list[str] = field(default_factory=list)
    #: For each sample what each judge found.
    judgements: list[list[Any]] = field(default_factory=list)
    #: The seconds of each execution.
    latencies: list[float] = field(default_factory=list)
    device: str = ""
    machine: str = ""
    load_seconds: float = 0.0
    arena: int = 0
    artifact: int = 0
    peak_memory: int = 0


@dataclass(frozen=True)
class Stranger:
    """The answer of a machine for which nothing has been compiled."""

    kind: str


def kind_of_machine() -> str:
    """Equal for machines that execute the same machine code.

    >>> kind_of_machine() == kind_of_machine()
    True
    """
    return f"{nnhal.__version__} {_native.host_identity()}"


def content_key(content: bytes) -> str:
    """The name of bytes that are sent.

    >>> content_key(b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(content).hexdigest()


class _Shelf:
    """The last few things that were made, by what they were made of."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._kept: OrderedDict[Any, Any] = OrderedDict()

    def find(self, key: Any, make: Callable[[], Kept]) -> Kept:
        # One thread makes it, and the others wait: a compilation is not done twice.
        with self._lock:
            if key not in self._kept:
                self._kept[key] = make()
                while len(self._kept) > self._room:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            kept: Kept = self._kept[key]
            return kept


# Models that a scheduler has sent to this worker, by their names.
contents: dict[str, bytes] = {}
_models = _Shelf(4)
_files = _Shelf(16)


def _machine_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def _peak_memory() -> int:
    with open("/proc/self/status", encoding="utf-8") as lines:
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


def _sample_of(model: nnhal.Model, given: Any, place: int) -> _native.Sample:
    """The sample for the runtime; arrays get the types of the model's inputs."""
    inputs = [np.ascontiguousarray(value, tensor.dtype) for value, tensor in zip(given.inputs, model.inputs)]
    inputs += [np.asarray(value) for value in given.inputs[len(inputs):]]
    expected = [None if value is None else np.ascontiguousarray(value) for value in given.expected]
    return _native.Sample(model, given.name or f"sample {place}", inputs, expected, given.expected_class)


def _judge(judges: Sequence[Judge], given: Any, sample: _native.Sample, runner: _native.Runner) -> list[Any]:
    found: list[Any] = []
    for judge in judges:
        if judge is None or isinstance(judge, str):
            found.append(_files.find(("judge", judge), lambda: _native.Evaluator(judge)).judge(sample, runner))
        else:
            found.append(judge.judge(given if given is not None else sample, runner.outputs()))
    return found


def execute(content: bytes, key: str, work: Work, begin: int, part: Part) -> Found:
    """Loads the model `content` whose name is `key`, and executes and judges the samples from `begin` on."""
    model = _models.find((key, repr(sorted(work.options.items()))), lambda: nnhal.load(content, **work.options))
    files = work.files and _files.find(work.files, lambda: _native.DataSet(work.files or ""))
    runner, found = _native.Runner(model), Found(device=model.device, machine=_machine_name())
    for offset, given in enumerate(part):
        mine = None if files else given
        sample = files.load(given, model) if files else _sample_of(model, given, begin + offset)
        found.latencies += runner.run(sample)
        found.judgements.append(_judge(work.judges, mine, sample, runner))
        found.names.append(sample.name)
    found.load_seconds = model.statistics.load_seconds + model.statistics.compile_seconds
    found.arena, found.artifact = model.memory.arena, model.memory.artifact
    found.peak_memory = _peak_memory()
    return found


def execute_named(names: dict[str, str], work: Work, begin: int, part: Part) -> Found | Stranger:
    """Executes a part by the content whose name is for this kind of machine, or for every kind, which is ""."""
    kind = kind_of_machine()
    name = names.get(kind) or names.get("")
    content = contents.get(name) if name else None
    if name is None or content is None:
        return Stranger(kind)
    return execute(content, name, work, begin, part)


def compile_here(source: bytes, options: dict[str, Any]) -> bytes:
    """The artifact of a model for this machine."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.nncache")
        nnhal.compile(source, path, **options)
        with open(path, "rb") as file:
            return file.read()
