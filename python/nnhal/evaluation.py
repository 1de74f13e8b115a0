"""How right and how fast a model is over a data set, in this process or on the workers of Dask distributed.

The evaluators and the report are those of nnhal-benchmark (docs/Using/Benchmarking.md).
A sample is judged where it was executed; the judgements are added in the order of
the data set, so that the accuracy is the same to the last bit on one worker, on
many, and when workers die.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Union

import numpy as np

from . import _native, _shards
from ._shards import Found, Part, Work
from .errors import InvalidArgumentError

__all__ = ["evaluate", "photos", "tensors", "Sample", "Files", "Evaluator", "Report", "Progress"]

Array = np.ndarray[Any, Any]
Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]


@dataclass(frozen=True)
class Sample:
    """One item of a data set of the caller.

    >>> Sample([numpy.zeros((1, 32, 32, 3))], expected_class=3).expected_class
    3
    """

    #: An array for each input of the model, states among them.
    inputs: Sequence[Any]
    #: What the outputs should be; None for those that nobody knows.
    expected: Sequence[Array | None] = ()
    #: The place of the right class in the first output.
    expected_class: int | None = None
    #: What messages call it.
    name: str = ""


@dataclass(frozen=True)
class Files:
    """A data set in files. `photos` and `tensors` make one.

    Each worker opens the files itself, so they lie where every machine has them.
    """

    name: str
    #: As in "data" of a description of nnhal-benchmark.
    description: str


def _files(kind: str, name: str, settings: Mapping[str, Any], paths: Sequence[str]) -> Files:
    given = {key: value for key, value in settings.items() if value is not None}
    for key in paths:
        if key in given:
            given[key] = os.path.abspath(given[key])
    for key in ("inputs", "outputs"):
        if key in given:
            given[key] = {str(name): os.path.abspath(path) for name, path in given[key].items()}
    return Files(name, json.dumps({"kind": kind, **given}))


def photos(directory: str | os.PathLike[str], *, ground_truth: str | os.PathLike[str] | None = None,
           labels: str | os.PathLike[str] | None = None, preprocessing: str = "correct", crop: float | None = None,
           mean: float | Sequence[float] | None = None, deviation: float | Sequence[float] | None = None,
           limit: int | None = None, class_offset: int | None = None) -> Files:
    """A folder of photos NAME-N.jpeg; line N + 1 of `ground_truth` has the class of photo N.

    `ground_truth` and `labels` are ground_truth_labels.txt and labels.txt of the
    folder where they are there and nothing else is stated. Settings are those of nnhal-benchmark; `limit` is the number of photos that are used.

    >>> photos("photos", limit=3).name
    'photos correct'
    """
    truths, names = (os.path.join(directory, file) for file in ("ground_truth_labels.txt", "labels.txt"))
    if ground_truth is None and os.path.exists(truths):
        ground_truth = truths
    if labels is None and ground_truth is not None and os.path.exists(names):
        labels = names
    settings = {"directory": directory, "ground_truth": ground_truth, "labels": labels,
                "preprocessing": [preprocessing], "crop": crop, "mean": mean, "deviation": deviation, "limit": limit,
                "class_offset": class_offset}
    name = f"{os.path.basename(os.path.abspath(directory))} {preprocessing}"
    return _files("photos", name, settings, ("directory", "ground_truth", "labels"))


def tensors(directory: str | os.PathLike[str] | None = None, *, inputs: Mapping[str | int, str] | None = None,
            outputs: Mapping[str | int, str] | None = None, input_suffix: str | None = None,
            output_suffix: str | None = None, frames: bool | None = None, limit: int | None = None) -> Files:
    """Inputs and expected outputs in raw or .npy files: those of a folder, or one sample whose files are named.

    >>> tensors(inputs={0: "in.npy"}, outputs={0: "out.npy"}).name
    'tensors'
    """
    settings = {"directory": directory, "inputs": inputs, "outputs": outputs, "input_suffix": input_suffix,
                "output_suffix": output_suffix, "frames": frames, "limit": limit}
    name = os.path.basename(os.path.abspath(directory)) if directory else "tensors"
    return _files("tensors", name, settings, ("directory",))


class Evaluator(Protocol):
    """The interface of a caller's own evaluator. Workers get copies, so it can be pickled."""

    def judge(self, sample: Any, outputs: list[Array]) -> Any:
        """Judges the outputs for one sample; called on workers.

        `sample` has name, expected and expected_class, and inputs where the data set is not in files.
        """

    def finish(self, judgements: list[Any]) -> Mapping[str, float]:
        """Numbers for the report of all judgements in the order of the data set."""


@dataclass(frozen=True)
class Progress:
    """How far an evaluation is."""

    samples_done: int
    samples: int
    workers: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """Seconds for the rest at the pace so far; None before anything is done.

        >>> Progress(samples_done=10, samples=30, workers=2, seconds=4.0).seconds_left
        8.0
        """
        if not self.samples_done:
            return None
        return self.seconds / self.samples_done * (self.samples - self.samples_done)


class Report:
    """The findings of an evaluation."""

    def __init__(self, facts: dict[str, Any], evaluators: list[_native.Evaluator]) -> None:
        self._report = _native.Report(facts, evaluators)
        #: What evaluators found, by key: "top_1".
        self.values: dict[str, float] = dict(self._report.values)
        #: What is not as it has to be.
        self.errors: list[str] = self._report.errors
        #: Over all outputs with an expected one: the sum of mean square errors, and the largest error, in elements.
        self.sum_of_mean_square_errors, self.max_single_error = self._report.differences
        #: The seconds of each execution, in the order of the data set.
        self.latencies: list[float] = facts["latencies"]
        self.samples: int = facts["samples"]

    @property
    def json(self) -> str:
        """The text of the file of nnhal-benchmark, which its --compare and --against read."""
        return self._report.json

    @property
    def page(self) -> str:
        """The HTML page of nnhal-benchmark."""
        return self._report.page

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file that ends in .html, and JSON to another."""
        target = pathlib.Path(path)
        target.write_text(self.page if target.suffix == ".html" else self.json, encoding="utf-8")

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={value:.6g}" for key, value in self.values.items())
        return f"Report({self.samples} samples{', ' if values else ''}{values})"


def _show(progress: Progress) -> None:
    """A line on a terminal."""
    left = f", about {progress.seconds_left:.0f} s left" if progress.seconds_left is not None else ""
    where = f" on {progress.workers} workers" if progress.workers else ""
    end = "\n" if progress.samples_done == progress.samples else ""
    print(f"\r\x1b[K{progress.samples_done} of {progress.samples} samples{where}{left}", end=end, file=sys.stderr,
          flush=True)


def _judges(evaluator: Any, dataset: Any) -> list[Any]:
    """The evaluators as workers take them; None is the one that compares with expected outputs."""
    if evaluator is None:
        first = dataset[0] if not isinstance(dataset, Files) and len(dataset) else None
        knows = json.loads(dataset.description).get("ground_truth") if isinstance(dataset, Files) else (
            first is not None and first.expected_class is not None)
        given: list[Any] = ["top-k"] if knows else []
    else:
        given = list(evaluator) if isinstance(evaluator, (list, tuple)) else [evaluator]
    judges: list[Any] = [None]
    for one in given:
        if isinstance(one, (str, Mapping)):
            text = json.dumps({"kind": one} if isinstance(one, str) else dict(one))
            _native.Evaluator(text)  # What is wrong with it is said before anything is executed.
            judges.append(text)
        elif callable(getattr(one, "judge", None)) and callable(getattr(one, "finish", None)):
            judges.append(one)
        else:
            raise TypeError(f"an evaluator is a name, a dictionary or has judge() and finish(), found {one!r}")
    return judges


def _content(model: Source) -> tuple[bytes, str]:
    """The bytes of a model, and its name in reports."""
    if isinstance(model, (str, os.PathLike)):
        path = pathlib.Path(model)
        try:
            return path.read_bytes(), path.stem
        except OSError as error:
            raise InvalidArgumentError(f"cannot open '{path}': {error.strerror}") from None
    return bytes(model), "model"


def _parts(dataset: Any, count: int, size: int) -> Iterator[tuple[int, Part]]:
    for begin in range(0, count, size):
        places = range(begin, min(begin + size, count))
        yield begin, places if isinstance(dataset, Files) else [dataset[place] for place in places]


def _merge(found: dict[int, Found], judges: list[Any], facts: dict[str, Any]) -> Report:
    """Adds the judgements in the order of the data set, whatever order they came in."""
    ordered = [found[begin] for begin in sorted(found)]
    natives: list[_native.Evaluator] = []
    values: list[tuple[str, float]] = []
    for place, judge in enumerate(judges):
        if judge is None or isinstance(judge, str):
            native = _native.Evaluator(judge)
            for part in ordered:
                for name, judgements in zip(part.names, part.judgements):
                    native.add(name, judgements[place])
            natives.append(native)
        else:
            all_of_it = [judgements[place] for part in ordered for judgements in part.judgements]
            values += [(str(key), float(value)) for key, value in judge.finish(all_of_it).items()]
    machines = sorted({part.machine for part in ordered})
    facts.update(latencies=[latency for part in ordered for latency in part.latencies], values=values,
                 machine=", ".join(machines), device=ordered[0].device, load=ordered[0].load_seconds,
                 arena=ordered[0].arena, artifact=ordered[0].artifact,
                 peak_memory=max(part.peak_memory for part in ordered),
                 time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    return Report(facts, natives)


def evaluate(model: Source, dataset: Files | Sequence[Any], evaluator: Any = None, scheduler: Any = None, *,
             device: str = "nnhal-cpu", threads: int = 1, rounding: str = "double", part_size: int = 16,
             timeout: float = 300.0, progress: bool | Callable[[Progress], None] | None = None) -> Report:
    """Executes a model on every sample of a data set, and judges the outputs.

    dataset: `photos(...)`, `tensors(...)`, or a sequence of objects like `Sample`.
    evaluator: "top-k", "mel-cep-log-f0", "phone-error-rate", a dictionary with
        such a `kind` and what it demands, an object like `Evaluator`, or a list
        of these; top-k for samples with classes if nothing is given. Outputs
        with expected ones are always compared.
    scheduler: the address of a scheduler of Dask distributed, "tcp://host:8786",
        or a distributed.Client; this process executes without one. A model for
        nnhal-cpu is compiled once for each kind of machine, here if this is one,
        and workers need no compiler; other devices get the model as it is. Parts
        of a worker that dies are executed by another; the setting
        distributed.scheduler.allowed-failures says how often.
    device, threads, rounding: as for `load`.
    part_size: how many samples a worker takes at once.
    timeout: seconds after which an evaluation fails if no part has ended.
    progress: called as parts end; True prints a line, and None where stderr is a
        terminal.

    >>> samples = [Sample([numpy.full((1, 32, 32, 3), i / 8)], expected_class=7, name=str(i)) for i in range(8)]
    >>> report = evaluate("small_cnn.tflite", samples)
    >>> report.samples, sorted(report.values)
    (8, ['top_1', 'top_2', 'top_3', 'top_4', 'top_5'])
    """
    source, name = _content(model)
    if part_size < 1:
        raise ValueError(f"part_size: {part_size} is less than 1")
    judges = _judges(evaluator, dataset)
    files = dataset.description if isinstance(dataset, Files) else None
    count = len(_native.DataSet(dataset.description)) if isinstance(dataset, Files) else len(dataset)
    if count == 0:
        raise ValueError("the data set is empty")
    options: dict[str, Any] = {"device": device, "threads": threads}
    is_artifact = isinstance(model, (str, os.PathLike)) and os.fspath(model).endswith(".nncache")
    show = _show if progress or (progress is None and sys.stderr.isatty()) else None
    tell = progress if callable(progress) else show
    found: dict[int, Found] = {}
    begin = time.monotonic()

    def done(place: int, part: Found, workers: int = 0) -> None:
        found[place] = part
        if tell:
            tell(Progress(sum(len(one.names) for one in found.values()), count, workers, time.monotonic() - begin))

    facts: dict[str, Any] = {"model": name, "data": dataset.name if isinstance(dataset, Files) else "samples",
                             "threads": threads, "samples": count, "compile": 0.0}
    parts = _parts(dataset, count, part_size)
    work = Work(options, tuple(judges), files)
    if scheduler is None:
        options["rounding"] = rounding
        key = _shards.content_key(source)
        for place, part in parts:
            done(place, _shards.execute(source, key, work, place, part))
    else:
        from ._cluster import Cluster

        is_compiled = device == "nnhal-cpu" and not is_artifact
        if not is_compiled:
            options["rounding"] = rounding
        with Cluster(scheduler, source, {"rounding": rounding} if is_compiled else None, timeout) as cluster:
            cluster.run(work, parts, lambda place, part: done(place, part, cluster.worker_count))
            facts["compile"] = cluster.compile_seconds
    return _merge(found, judges, facts)
