"""Runs neural networks: TensorFlow Lite files, models of NN HAL / NNAPI, and what NNHal has compiled of them.

>>> model = nnhal.load("small_cnn.tflite")
>>> model.inputs
(Tensor(name='image', shape=(1, 32, 32, 3), dtype=float32),)
>>> image = numpy.zeros((1, 32, 32, 3), numpy.float32)
>>> probabilities, = model(image)
>>> probabilities.shape
(1, 10)

Arrays are neither copied on their way in nor out (`model.statistics` counts the
bytes that had to be). The interpreter lock is free while a model is compiled and
while it runs, and everything may be used from any number of threads at once. A
failure is an exception of `nnhal.errors`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

import numpy as np

from . import _native
from ._native import Burst, Execution, Fence, Stream
from .errors import (CompileWarning, DeadObjectError, DeviceUnavailableError, Error, GeneralFailureError,
                     InvalidArgumentError, MissedDeadlineError, OutputInsufficientSizeError, ResourceExhaustedError)

__version__: str = _native.__version__

__all__ = ["load", "compile", "evaluate", "read_picture", "lite", "tflite", "Model", "Tensor", "MemoryUse", "Statistics", "Ranked", "Fence", "Execution", "Stream", "Burst",
           "Error", "DeviceUnavailableError", "GeneralFailureError", "OutputInsufficientSizeError",
           "InvalidArgumentError", "MissedDeadlineError", "ResourceExhaustedError", "DeadObjectError",
           "CompileWarning"]

# A file, or a model in memory.
Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Tensor:
    """An input or an output of a model.

    An extent that only an execution knows is None. Elements of an extension's
    type that does not say which numbers they are, are bytes along one dimension
    more.
    """

    name: str
    index: int
    dtype: np.dtype[Any]
    shape: tuple[int | None, ...]
    #: The HAL's name of the type.
    type: str
    #: Of a quantized tensor: value = scale * (stored - zero_point).
    scale: float
    zero_point: int
    #: The scales of a tensor that has one for each channel.
    scales: list[float]
    #: Whether the tensor is a state that an execution hands on to the next.
    is_state: bool

    def __repr__(self) -> str:
        quantized = f", scale={self.scale:.6g}, zero_point={self.zero_point}" if self.scale else ""
        state = ", is_state=True" if self.is_state else ""
        return f"Tensor(name={self.name!r}, shape={self.shape}, dtype={self.dtype}{quantized}{state})"


class MemoryUse(NamedTuple):
    """The bytes of a model beside the arguments of its executions; 0 for what is not known."""

    #: Intermediate results of one execution.
    arena: int
    #: What no plan of the arena can undercut.
    arena_lower_bound: int
    #: Code and constants.
    artifact: int


class Statistics(NamedTuple):
    """What a model did so far."""

    executions: int
    #: Bytes that were copied because an input was not contiguous, not aligned, of another byte order, or no array.
    converted_bytes: int
    #: Bytes that the runtime copied between the memory of arguments and where the code finds them.
    staged_bytes: int
    #: Seconds of reading the model, and of compiling it or finding it in the cache.
    load_seconds: float
    compile_seconds: float
    #: Whether the code came from the cache.
    was_cached: bool

    @property
    def copied_bytes(self) -> int:
        """All bytes of arguments that were copied."""
        return self.converted_bytes + self.staged_bytes


class Ranked(NamedTuple):
    """An element of an output among the highest."""

    #: Its place in the output.
    place: int
    #: The real number that it stands for.
    value: float
    #: What it stands for; empty where nobody says.
    label: str


def read_picture(path: str | os.PathLike[str]) -> Array:
    """The pixels of a JPEG or PNG file, as uint8 with shape (height, width, 3).

    A photo is turned as its camera was held, if the JPEG file says so.

    >>> read_picture("missing.png")
    Traceback (most recent call last):
    nnhal.errors.InvalidArgumentError: cannot open 'missing.png': No such file or directory
    """
    return _native.read_picture(os.fspath(path))


def _colors(numbers: float | Sequence[float] | None) -> list[float] | None:
    if numbers is None:
        return None
    given = [float(numbers)] * 3 if isinstance(numbers, (int, float)) else [float(number) for number in numbers]
    if len(given) != 3:
        raise ValueError(f"{len(given)} numbers, and not 1 or 3")
    return given


def _source(source: Source) -> Any:
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else source


def _options(options: Mapping[str, Any], paths: Sequence[str] = ("cache_dir", "state_dir", "service")) -> dict[str, Any]:
    given = {name: value for name, value in options.items() if value is not None}
    for name in paths:
        if name in given:
            given[name] = os.fspath(given[name])
    if "plugins" in given:
        given["plugins"] = [os.fspath(path) for path in given["plugins"]]
    if "shapes" in given:
        given["shapes"] = {str(key): [int(extent) for extent in shape] for key, shape in given["shapes"].items()}
    return given


class Model(_native.Model):
    """A model that is ready to run. `nnhal.load` makes one.

    A call takes an array for each input, by position, by name or as a dictionary
    by names, and returns the list of outputs:

    >>> model = nnhal.load("small_cnn.tflite")
    >>> image = numpy.zeros((1, 32, 32, 3), numpy.float32)
    >>> numpy.array_equal(model(image), model(image=image))
    True
    >>> numpy.array_equal(model(image), model({"image": image}))
    True

    An input may be an array of NumPy, anything with a buffer or with DLPack,
    which stay where they are, or a list or a number. None omits an optional
    input. A state that is not given has its initial value; see `stream`.

    `out=[array, ...]` has the outputs written to arrays of the caller, None among
    them to a new one; `timeout=` bounds an execution in seconds:

    >>> result = numpy.empty((1, 10), numpy.float32)
    >>> model(image, out=[result])[0] is result
    True
    >>> model(image, timeout=0)
    Traceback (most recent call last):
    nnhal.errors.MissedDeadlineError: the deadline had passed before the execution began
    """

    def __init__(self, source: Source, **options: Any) -> None:
        super().__init__(_source(source), _options(options))

    @property
    def device(self) -> str:
        """The device that executes; "auto" for several."""
        return self._device

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The inputs in their order, states last."""
        return tuple(Tensor(*facts) for facts in self._inputs)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The outputs in the order of the lists that calls return."""
        return tuple(Tensor(*facts) for facts in self._outputs)

    @property
    def memory(self) -> MemoryUse:
        """What the model takes of memory.

        >>> nnhal.load("small_cnn.tflite").memory.arena > 0
        True
        """
        return MemoryUse(*self._memory)

    @property
    def statistics(self) -> Statistics:
        """What the model did, and what it had to copy.

        >>> model = nnhal.load("small_cnn.tflite")
        >>> image = numpy.zeros((1, 32, 32, 3), numpy.float32)
        >>> _ = model(image)
        >>> model.statistics.copied_bytes
        0
        >>> _ = model(image[:, ::-1])
        >>> model.statistics.copied_bytes
        12288
        """
        return Statistics(*self._statistics)

    @property
    def labels(self) -> tuple[list[str], ...]:
        """For each output what its elements stand for, where that is packed with the file; empty otherwise.

        >>> nnhal.load("small_cnn.tflite").labels
        ([],)
        """
        return tuple(self._labels)

    @property
    def value_labels(self) -> tuple[list[str], ...]:
        """For each output the labels of the classes whose numbers its values are, as of a detector; empty otherwise.

        >>> nnhal.load("small_cnn.tflite").value_labels
        ([],)
        """
        return tuple(self._value_labels)

    def prepare_picture(self, picture: str | os.PathLike[str] | Array, *, input: str | int = 0,
                        mean: float | Sequence[float] | None = None, deviation: float | Sequence[float] | None = None,
                        crop: float | None = None) -> Array:
        """What a picture, a file or an array of `read_picture`, becomes as an input.

        All of it is resized, or with `crop` the square in the middle with that
        part of the shorter side. Values are normalized, (value - mean) / deviation,
        as the arguments or the model's metadata say, otherwise to [-1, 1]; an
        input of 8 bits takes them as they are where no argument says otherwise.

        >>> model = nnhal.load("small_cnn.tflite")
        >>> grey = numpy.full((48, 64, 3), 255, numpy.uint8)
        >>> model.prepare_picture(grey).max()
        1.0
        >>> model.prepare_picture(grey, mean=0, deviation=[255, 255, 85]).max()
        3.0
        """
        pixels = read_picture(picture) if isinstance(picture, (str, os.PathLike)) else picture
        return self._prepare_picture(pixels, self._index(input, self.inputs, "input"), _colors(mean),
                                     _colors(deviation), crop)

    def top(self, values: Array, count: int = 5, *, output: str | int = 0,
            labels: Sequence[str] | str | os.PathLike[str] | None = None) -> list[Ranked]:
        """The highest values of an output, with the labels of the model, of `labels` or of the lines of that file.

        Labels are of places along the last dimension. Of an output whose values
        are numbers of classes (`value_labels`) it has the first ones, in their
        order, with the labels of their classes.

        >>> model = nnhal.load("small_cnn.tflite")
        >>> model.top(numpy.array([[0.25, 0.5, 0.25]]), 2, labels=["cat", "dog", "cup"])
        [Ranked(place=1, value=0.5, label='dog'), Ranked(place=0, value=0.25, label='cat')]
        """
        index = self._index(output, self.outputs, "output")
        stored = np.asarray(values)
        tensor = self.outputs[index]
        reals = stored.reshape(-1).astype(np.float64)
        if tensor.scale and stored.dtype.kind != "f":
            reals = tensor.scale * (reals - tensor.zero_point)
        if labels is None and (classes := self._value_labels[index]):
            return [Ranked(place, float(value), classes[int(value)] if 0 <= value < len(classes) else "")
                    for place, value in enumerate(reals[:count])]
        names = self._labels[index] if labels is None else labels
        if isinstance(names, (str, os.PathLike)):
            names = _native.read_lines(os.fspath(names))
        if names and (not stored.shape or len(names) != stored.shape[-1]):
            if labels is not None:
                raise ValueError(f"{len(names)} labels for an output of shape {stored.shape}")
            names = []
        order = np.argsort(-np.where(np.isnan(reals), -np.inf, reals), kind="stable")[:count]
        return [Ranked(int(place), float(reals[place]), names[place % len(names)] if names else "") for place in order]

    @staticmethod
    def _index(key: str | int, tensors: Sequence[Tensor], what: str) -> int:
        for tensor in tensors:
            if key == tensor.name or key == tensor.index:
                return tensor.index
        raise ValueError(f"no {what} {key!r}; there are: {', '.join(repr(tensor.name) for tensor in tensors)}")

    async def run_async(self, *args: Any, **keywords: Any) -> list[Array]:
        """Executes once on a thread of the device, and lets the event loop go on meanwhile.

        >>> model = nnhal.load("small_cnn.tflite")
        >>> image = numpy.zeros((1, 32, 32, 3), numpy.float32)
        >>> async def both():
        ...     return await asyncio.gather(model.run_async(image), model.run_async(image))
        >>> len(asyncio.run(both()))
        2
        """
        return await self._launch(*args, **keywords)

    def launch(self, *args: Any, wait_for: Sequence[Fence] | None = None, timeout_after_fences: float | None = None,
               **keywords: Any) -> Execution:
        """Executes once on a thread of the device, which begins at once.

        With `wait_for` it begins when all of these fences have signaled, and
        `timeout_after_fences` bounds, in seconds, the time from then on. The
        shapes of all outputs have to be known then. The inputs stay as they are
        until the end.

        >>> model = nnhal.load("small_cnn.tflite")
        >>> image = numpy.zeros((1, 32, 32, 3), numpy.float32)
        >>> ready = nnhal.Fence()
        >>> execution = model.launch(image, wait_for=[ready])
        >>> execution.done
        False
        >>> ready.signal()
        >>> execution.result()[0].shape
        (1, 10)
        """
        if wait_for is None and timeout_after_fences is None:
            return self._launch(*args, **keywords)
        return self._launch_fenced(list(wait_for or ()), timeout_after_fences, *args, **keywords)

    def stream(self) -> Stream:
        """Executions that keep the states of the model: each begins with those that the last one left."""
        return Stream(self)

    def burst(self) -> Burst:
        """Executions over queues in shared memory, which cost little even in another process.

        >>> model = nnhal.load("small_cnn.tflite")
        >>> image = numpy.zeros((1, 32, 32, 3), numpy.float32)
        >>> with model.burst() as run:
        ...     numpy.array_equal(run(image), model(image))
        True
        """
        return Burst(self)

    def time(self, *args: Any, repeat: int = 1) -> list[float]:
        """The seconds of each of `repeat` executions alone, without anything of Python.

        >>> len(nnhal.load("small_cnn.tflite").time(numpy.zeros((1, 32, 32, 3), numpy.float32), repeat=3))
        3
        """
        return self._time(repeat, *args)

    def explain(self, json: bool = False) -> str:
        """What becomes of each operation: which device takes it, or why none does, and how it was compiled.

        How it was compiled is known of a model that was not found in a cache.

        >>> nnhal.load("small_cnn.tflite", device="nnhal-reference").explain().splitlines()[0]
        'operation 0 CONV_2D: nnhal-reference'
        """
        return self._explain(json)

    @contextmanager
    def trace(self, path: str | os.PathLike[str]) -> Iterator[None]:
        """Writes what happens inside of a `with` to a file for ui.perfetto.dev.

        The model was loaded with trace=True.

        >>> model = nnhal.load("small_cnn.tflite", trace=True)
        >>> with model.trace("trace.json"):
        ...     _ = model(numpy.zeros((1, 32, 32, 3), numpy.float32))
        >>> "traceEvents" in json.loads(pathlib.Path("trace.json").read_text())
        True
        """
        self._begin_trace()
        try:
            yield
        finally:
            self._write_trace(os.fspath(path))


def load(source: Source, *, device: str | Sequence[str] = "nnhal-cpu", threads: int = 1,
         cache_dir: str | os.PathLike[str] | None = None, service: str | os.PathLike[str] | None = None,
         shapes: Mapping[str | int, Sequence[int]] | None = None, signature: str | None = None,
         plugins: Sequence[str | os.PathLike[str]] = (),
         required: bool = False, rounding: str = "double", preference: str = "fast-single-answer",
         priority: str = "medium", compile_after: int | None = None,
         state_dir: str | os.PathLike[str] | None = None, trace: bool = False) -> Model:
    """Makes a model ready to run.

    `source` is a path or the bytes of a .tflite, .json or .mlir model, or of a
    .nncache, which is machine code that runs with your rights: load only those
    that you trust.

    device: a device's name, "auto" for all, or a list of those among which the
        model is divided; nnhal-reference steps in for the others of a list that
        has it, unless `required`.
    threads: of one execution; 0 for as many as the machine runs at once.
    cache_dir: a folder for compiled models, from which a later load takes this
        one without the compiler. state_dir is where the device remembers which
        entries it has written (docs/Using/Caching.md).
    service: the socket of an nnhal-service, whose devices execute.
    shapes: the extents of inputs that the model leaves open, by name or index.
    signature: the signature of a .tflite file whose subgraph is loaded, in place
        of the first one.
    compile_after: executions before the model is compiled in the background.
    rounding, preference, priority, plugins: as the options of nnhal-run.
    trace: keep what Model.trace() writes.

    >>> nnhal.load("small_cnn.tflite", device="nnhal-reference").device
    'nnhal-reference'
    >>> nnhal.load("missing.tflite")
    Traceback (most recent call last):
    nnhal.errors.InvalidArgumentError: cannot open 'missing.tflite': No such file or directory
    """
    return Model(source, devices=[device] if isinstance(device, str) else list(device), threads=threads,
                 cache_dir=cache_dir, service=service, shapes=shapes, signature=signature, plugins=plugins,
                 required=required, rounding=rounding, preference=preference, priority=priority,
                 compile_after=compile_after, state_dir=state_dir, trace=trace)


def compile(source: Source, artifact: str | os.PathLike[str], *, target: str = "", target_triple: str = "",
            target_cpu: str = "", target_features: str = "", rounding: str = "double",
            shapes: Mapping[str | int, Sequence[int]] | None = None, signature: str | None = None) -> None:
    """Compiles a model to the file `artifact`, which loads without the compiler.

    target: "vulkan" or "cuda" for a GPU, "cpu,vulkan" for both in one artifact;
        processors without it. target_triple, target_cpu and target_features
        name another processor than this one.
    shapes, signature: as for nnhal.load.

    >>> nnhal.compile("small_cnn.tflite", "small_cnn.nncache")
    >>> nnhal.load("small_cnn.nncache").outputs[0].name
    'probabilities'
    """
    options = {"devices": ["nnhal-cpu"], "target": target, "target_triple": target_triple, "target_cpu": target_cpu,
               "target_features": target_features, "rounding": rounding, "shapes": shapes,
               "signature": signature}
    _native.compile(_source(source), os.fspath(artifact), _options(options))


# These modules look at this one, and so come last.
from . import lite, tflite  # noqa: E402
from .evaluation import evaluate  # noqa: E402
