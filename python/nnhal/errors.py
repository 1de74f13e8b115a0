"""The statuses of the HAL as exceptions.

Each family of statuses is one class, and `nnhal.Error` is the base of all. A
status that has a counterpart among Python's own exceptions is that, too:

>>> issubclass(InvalidArgumentError, ValueError)
True
>>> issubclass(MissedDeadlineError, TimeoutError)
True
"""

import warnings

__all__ = ["Error", "DeviceUnavailableError", "GeneralFailureError", "OutputInsufficientSizeError",
           "InvalidArgumentError", "MissedDeadlineError", "ResourceExhaustedError", "DeadObjectError",
           "CompileWarning"]


class Error(Exception):
    """A failure of the runtime; `status` is the HAL's name of it."""

    status = "GENERAL_FAILURE"

    @property
    def is_transient(self) -> bool:
        """Whether the same call may succeed later.

        >>> from_status("MISSED_DEADLINE_TRANSIENT", "the deadline has passed").is_transient
        True
        """
        return self.status.endswith("_TRANSIENT")


class DeviceUnavailableError(Error):
    """The device is gone for now, or the compiler is not installed."""


class GeneralFailureError(Error, RuntimeError):
    """The work failed for a reason that no other argument cures."""


class OutputInsufficientSizeError(Error, ValueError):
    """An array for an output is too small."""


class InvalidArgumentError(Error, ValueError):
    """An argument, a model or a file is wrong; the message says which."""


class MissedDeadlineError(Error, TimeoutError):
    """The time of an execution or a preparation has passed."""


class ResourceExhaustedError(Error, MemoryError):
    """There is no memory or no place in a queue."""


class DeadObjectError(Error, ConnectionError):
    """The process of the device has died; load the model again."""


class CompileWarning(UserWarning):
    """The compiler or the cache warns of something."""


_FAMILIES: dict[str, type[Error]] = {
    "DEVICE_UNAVAILABLE": DeviceUnavailableError,
    "GENERAL_FAILURE": GeneralFailureError,
    "OUTPUT_INSUFFICIENT_SIZE": OutputInsufficientSizeError,
    "INVALID_ARGUMENT": InvalidArgumentError,
    "MISSED_DEADLINE": MissedDeadlineError,
    "RESOURCE_EXHAUSTED": ResourceExhaustedError,
    "DEAD_OBJECT": DeadObjectError,
}


def from_status(status: str, message: str) -> Error:
    """The exception for a status of the HAL.

    >>> from_status("INVALID_ARGUMENT", "input 0 is missing")
    InvalidArgumentError('input 0 is missing')
    """
    family = status.removesuffix("_TRANSIENT").removesuffix("_PERSISTENT")
    error = _FAMILIES.get(family, Error)(message)
    error.status = status
    return error


def warn(text: str) -> None:
    """Passes a warning of the module on."""
    warnings.warn(text, CompileWarning, stacklevel=4)
