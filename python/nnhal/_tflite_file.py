"""The file behind an interpreter of nnhal.tflite."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import Model, _native, load
from .errors import Error

Array = np.ndarray[Any, Any]
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

# By the names of the file format. Elements of other types are no arrays.
TYPES: dict[str, type[np.generic]] = {
    "FLOAT32": np.float32, "FLOAT16": np.float16, "FLOAT64": np.float64, "INT8": np.int8, "INT16": np.int16,
    "INT32": np.int32, "INT64": np.int64, "UINT8": np.uint8, "UINT16": np.uint16, "UINT32": np.uint32,
    "UINT64": np.uint64, "BOOL": np.bool_, "COMPLEX64": np.complex64, "COMPLEX128": np.complex128,
    "STRING": np.bytes_,
}

# A FlatBuffer has less than 2 GiB, those outputs included that are added behind it.
_PRESERVABLE_SIZE = (1 << 31) - (1 << 24)


class Subgraph:
    """The tensors and operators of a subgraph."""

    def __init__(self, facts: Mapping[str, Any], content: bytes) -> None:
        self._content = content
        self.tensors: list[dict[str, Any]] = facts["tensors"]
        self.inputs: list[int] = facts["inputs"]
        self.outputs: list[int] = facts["outputs"]
        self.operators: list[dict[str, Any]] = facts["operators"]

    def dtype(self, index: int) -> type[np.generic]:
        return TYPES.get(self.tensors[index]["type"], np.void)

    def constant(self, index: int, shape: Sequence[int]) -> Array | None:
        """The value of a constant tensor; None for another one and for what is stored in another form."""
        place = self.tensors[index]["constant"]
        dtype = np.dtype(self.dtype(index))
        if place is None or self.tensors[index]["is_sparse"] or dtype.itemsize == 0:
            return None
        offset, size = place
        if size != dtype.itemsize * int(np.prod(shape, dtype=np.int64)):
            return None
        return np.frombuffer(self._content, dtype, size // dtype.itemsize, offset).reshape(shape)

    def intermediates(self) -> list[int]:
        """The results of operators that are numbers and no outputs."""
        written = dict.fromkeys(index for operator in self.operators for index in operator["outputs"])
        known = {*self.inputs, *self.outputs}
        return [index for index in written if 0 <= index < len(self.tensors) and index not in known
                and not self.tensors[index]["is_variable"] and np.dtype(self.dtype(index)).kind in "fiub"]


class File:
    """A .tflite file as it was when an interpreter was made of it, whatever becomes of its path."""

    def __init__(self, content: bytes, path: str = "", stamp: tuple[int, ...] = ()) -> None:
        facts = _native.read_tflite(content)
        self.content = content
        self._path = path
        self._stamp = stamp
        self.subgraphs = [Subgraph(one, content) for one in facts["subgraphs"]]
        self.main = self.subgraphs[0]
        self.signatures: dict[str, dict[str, Any]] = {one["key"]: one for one in facts["signatures"]}
        self._main_index = 0
        self._signature: str | None = None

    def of_signature(self, key: str) -> File:
        """The same file with the subgraph of a signature for the main one, and for the only one."""
        index = self.signatures[key]["subgraph"]
        if index >= len(self.subgraphs):
            raise ValueError(f"signature {key} is of subgraph {index}, and the model has {len(self.subgraphs)}")
        file = copy.copy(self)
        file.main = self.subgraphs[index]
        file.subgraphs = [file.main]
        file._main_index = index
        file._signature = key
        return file

    @classmethod
    def open(cls, path: Path) -> File:
        given = os.fsdecode(path)
        try:
            # The folder of the process may be another one when the model is compiled.
            absolute = os.path.abspath(given)
            with open(absolute, "rb") as file:
                # The stamp comes first, so that what is written meanwhile makes another one.
                stamp = _stamp(os.fstat(file.fileno()))
                return cls(file.read(), absolute, stamp)
        except OSError:
            raise ValueError(f"Could not open '{given}'.") from None

    def load(self, **options: Any) -> Model:
        """Compiles the content that was read.

        Caches know a model by its path, too, which is given while that has the content.
        """
        options["signature"] = self._signature
        if self._is_at_path():
            try:
                model = load(self._path, **options)
            except Error:
                if self._is_at_path():
                    raise
            else:
                # Compiling takes long enough for a file to change.
                if self._is_at_path():
                    return model
        return load(self.content, **options)

    def load_with(self, results: Sequence[int], **options: Any) -> Model:
        """Compiles the content with `results` for outputs, too."""
        content = _native.tflite_with_outputs(self.content, self._main_index, [*self.main.outputs, *results])
        return load(content, signature=self._signature, **options)

    def find_results(self, **options: Any) -> list[int]:
        """The intermediate results that the main subgraph can have for outputs, too.

        As a rule it can have all. nnhal-reference, which compiles nothing, finds
        those that it cannot: results of a type that the HAL does not have.
        """
        if len(self.content) > _PRESERVABLE_SIZE:
            raise ValueError(f"the intermediate results of a file of {len(self.content)} bytes cannot be preserved, "
                             f"which takes one of {_PRESERVABLE_SIZE} at most")
        kept = {name: options[name] for name in ("shapes", "plugins") if name in options}

        def can_give(results: list[int]) -> bool:
            try:
                self.load_with(results, device="nnhal-reference", **kept)
            except Error:
                # Without results the model itself is refused.
                if not results:
                    raise
                return False
            return True

        def search(results: list[int]) -> list[int]:
            half = len(results) // 2
            parts = (results[:half], results[half:]) if half else ()
            return [index for part in parts for index in (part if can_give(part) else search(part))]

        found = self.main.intermediates()
        if can_give(found):
            return found
        can_give([])
        return search(found)

    def _is_at_path(self) -> bool:
        # Other names than that stand for other formats.
        if not self._path.endswith(".tflite"):
            return False
        try:
            return _stamp(os.stat(self._path)) == self._stamp
        except OSError:
            return False


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
