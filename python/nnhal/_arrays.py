"""What becomes an argument of an execution beside arrays of NumPy."""

from typing import Any

import numpy as np

from .errors import from_status

Array = np.ndarray[Any, Any]


def _refuse(text: str) -> Exception:
    return from_status("INVALID_ARGUMENT", text)


def _from_exporter(value: Any) -> Array | None:
    """An array over the memory of a value that lends it, or None."""
    try:
        return np.asarray(memoryview(value))
    except TypeError:
        pass
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    if hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
        return np.asarray(value)
    return None


def as_array(value: Any, dtype: np.dtype[Any], label: str) -> tuple[Array, int]:
    """The value of the input called `label` as an array, and the bytes that were copied for it.

    A buffer and a tensor that speaks DLPack stay where they are; a number and a
    list are converted.

    >>> as_array([1, 2], np.dtype("<f4"), "input 0")
    (array([1., 2.], dtype=float32), 8)
    >>> as_array(memoryview(b"ab"), np.dtype("u1"), "input 0")
    (array([97, 98], dtype=uint8), 0)
    """
    try:
        lent = _from_exporter(value)
    except (BufferError, RuntimeError, ValueError) as error:
        raise _refuse(f"{label} cannot be read where it is: {error}") from error
    if lent is not None:
        return lent, 0
    try:
        found = np.asarray(value)
    except ValueError as error:
        raise _refuse(f"{label} is no array: {error}") from error
    if found.dtype.kind not in "biuf":
        raise _refuse(f"{label} is no array: {type(value).__name__}")
    if dtype.kind in "iu" and found.dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        if found.size and (found.min() < bounds.min or found.max() > bounds.max):
            raise _refuse(f"{label} has a value beyond {bounds.min} to {bounds.max}")
    elif not np.can_cast(found.dtype, dtype, "same_kind"):
        raise _refuse(f"{label} is an array of {found.dtype}, and the model takes {dtype}")
    made = found.astype(dtype)
    return made, made.nbytes


def as_target(value: Any, dtype: np.dtype[Any], label: str) -> Array:
    """The array of the caller that the output called `label` is written to.

    >>> as_target(bytearray(2), np.dtype("u1"), "output 0")
    array([0, 0], dtype=uint8)
    """
    target = value if isinstance(value, np.ndarray) else _from_exporter(value)
    if target is None:
        raise _refuse(f"{label} cannot be written to {type(value).__name__}")
    if target.dtype != dtype:
        raise _refuse(f"{label} is of {dtype}, and the array of {target.dtype}")
    if not target.flags.c_contiguous or not target.flags.aligned or not target.flags.writeable:
        raise _refuse(f"{label} is written in place: the array has to be contiguous, aligned and writable")
    return target
