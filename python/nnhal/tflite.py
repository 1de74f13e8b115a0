"""The calls of TensorFlow Lite's Python interpreter, so that its scripts change one import.

    import tflite_runtime.interpreter as tflite   # or: from tensorflow import lite as tflite
    from nnhal import tflite

>>> from nnhal import tflite
>>> interpreter = tflite.Interpreter(model_path="small_cnn.tflite")
>>> interpreter.allocate_tensors()
>>> details = interpreter.get_input_details()[0]
>>> details["name"], details["shape"].tolist(), details["dtype"] is numpy.float32
('image', [1, 32, 32, 3], True)
>>> interpreter.set_tensor(details["index"], numpy.zeros((1, 32, 32, 3), numpy.float32))
>>> interpreter.invoke()
>>> interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).shape
(1, 10)

A model is compiled by the first allocate_tensors() and by one after a shape has
changed. With NNHAL_CACHE_DIR in the environment, or `cache_dir`, it is compiled
once and then found there. docs/Using/Python.md says what differs.
"""

from __future__ import annotations

import enum
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from . import Model, Stream, load
from ._tflite_file import TYPES, Array, File, Path
from .errors import Error

__all__ = ["Interpreter", "SignatureRunner", "OpResolverType", "DelegateError", "load_delegate", "experimental"]

_NAMES = {np.dtype(element): name for name, element in TYPES.items()}

# What nnhal.load takes beside a model; resize_tensor_input() has the shapes, and
# get_signature_runner() the signature.
_OPTIONS = [name for name in inspect.signature(load).parameters if name not in ("source", "shapes", "signature")]

# The references to an array that nothing outside of an interpreter has: the
# dictionary's and the argument of sys.getrefcount().
_OWN_REFERENCES = 2


class OpResolverType(enum.Enum):
    """Which kernels TensorFlow Lite takes; here the compiler's, whatever is asked."""

    AUTO = 0
    BUILTIN = 1
    BUILTIN_REF = 2
    BUILTIN_WITHOUT_DEFAULT_DELEGATES = 3


class DelegateError(ValueError, OSError):
    """A delegate was asked for. Scripts that go on without one expect either of the bases."""


def load_delegate(library: str, options: Mapping[str, Any] | None = None) -> NoReturn:
    """There are no delegates; `Interpreter(device=...)` says what executes.

    >>> load_delegate("edgetpu.so")
    Traceback (most recent call last):
    nnhal.tflite.DelegateError: Failed to load delegate from edgetpu.so: NNHal has devices in the place of delegates
    """
    raise DelegateError(f"Failed to load delegate from {library}: NNHal has devices in the place of delegates")


class experimental:
    """The names that TensorFlow has in `tf.lite.experimental`.

    >>> experimental.OpResolverType is OpResolverType
    True
    """

    OpResolverType = OpResolverType
    load_delegate = staticmethod(load_delegate)


class _Graph:
    """The methods of the object inside of TensorFlow Lite's interpreter that scripts call."""

    def __init__(self, file: File) -> None:
        self._file = file

    def NumTensors(self, subgraph_index: int = 0) -> int:
        return len(self._file.subgraphs[subgraph_index].tensors)

    def NumNodes(self) -> int:
        return len(self._file.main.operators)

    def NodeName(self, node_index: int) -> str:
        return str(self._node(node_index)["name"])

    def NodeInputs(self, node_index: int) -> Array:
        return np.array(self._node(node_index)["inputs"], dtype=np.int32)

    def NodeOutputs(self, node_index: int) -> Array:
        return np.array(self._node(node_index)["outputs"], dtype=np.int32)

    def _node(self, node_index: int) -> dict[str, Any]:
        if not 0 <= node_index < self.NumNodes():
            raise ValueError(f"Invalid node index {node_index}: the model has {self.NumNodes()} nodes")
        return self._file.main.operators[node_index]


class Interpreter:
    """TensorFlow Lite's `Interpreter` over a model of NNHal.

    `device`, `cache_dir` and the other options are those of `nnhal.load`;
    `num_threads` is its `threads`.

    >>> Interpreter(model_path="missing.tflite")
    Traceback (most recent call last):
    ValueError: Could not open 'missing.tflite'.
    """

    def __init__(self, model_path: Path | None = None, model_content: bytes | None = None,
                 experimental_delegates: Sequence[Any] | None = None, num_threads: int | None = None,
                 experimental_op_resolver_type: OpResolverType = OpResolverType.AUTO,
                 experimental_preserve_all_tensors: bool = False,
                 experimental_disable_delegate_clustering: bool = False,
                 experimental_default_delegate_latest_features: bool = False, **options: Any) -> None:
        for name in options:
            if name not in _OPTIONS:
                raise TypeError(f"Interpreter() got an unexpected keyword argument '{name}'; options of NNHal are: "
                                f"{', '.join(_OPTIONS)}")
        if not isinstance(experimental_op_resolver_type, OpResolverType):
            raise ValueError(f"Unrecognized passed in op resolver type: {experimental_op_resolver_type}")
        if not model_path and not model_content:
            raise ValueError("`model_path` or `model_content` must be specified.")
        if model_path and model_content:
            raise ValueError("Can't both provide `model_path` and `model_content`")
        if experimental_delegates:
            raise ValueError("NNHal has devices in the place of delegates: Interpreter(device=...)")
        if num_threads is not None:
            if not isinstance(num_threads, int):
                raise ValueError("type of num_threads should be int")
            if num_threads < 1:
                raise ValueError("num_threads should >= 1")
            # As in TensorFlow Lite, no more than a hint.
            if options.get("device", "nnhal-cpu") == "nnhal-cpu":
                options["threads"] = num_threads
        if os.environ.get("NNHAL_CACHE_DIR"):
            options.setdefault("cache_dir", os.environ["NNHAL_CACHE_DIR"])
        self._begin(File.open(model_path) if model_path else File(bytes(model_content or b"")), options,
                    experimental_preserve_all_tensors)

    def _begin(self, file: File, options: dict[str, Any], preserves: bool) -> None:
        self._options = options
        self._file = file
        self._interpreter = _Graph(file)
        self._preserves = preserves
        # Those of other subgraphs, which signatures name, by subgraph.
        self._others: dict[int, Interpreter] = {}
        # The outputs of the model that was compiled, as tensors of the file.
        self._results = self._file.main.outputs
        self._model: Model | None = None
        # By position among the inputs.
        self._shapes: dict[int, list[int]] = {}
        self._loaded_shapes: dict[int, list[int]] = {}
        # By the index of the tensor.
        self._values: dict[int, Array] = {}
        # Executes a model with states.
        self._stream: Stream | None = None
        self._is_allocated = False

    def allocate_tensors(self) -> None:
        """Makes the model ready for the shapes of its inputs."""
        self._ensure_safe()
        if self._model is None or self._shapes != self._loaded_shapes:
            self._compile()
        elif self._is_allocated:
            return
        self._values = {index: np.zeros(self._shape_of(index), self._file.main.dtype(index))
                        for index in dict.fromkeys([*self._file.main.inputs, *self._results])}
        for index, value in self._values.items():
            constant = self._file.main.constant(index, value.shape)
            if constant is not None:
                value[...] = constant
        self._is_allocated = True

    def get_tensor_details(self, subgraph_index: int = 0) -> list[dict[str, Any]]:
        """The details of all tensors of a subgraph.

        >>> Interpreter("small_cnn.tflite").get_tensor_details(1)
        Traceback (most recent call last):
        ValueError: subgraph_index is out of range: 1 for the model, which has 1 subgraphs.
        """
        self._checked_subgraph(subgraph_index)
        return [self._get_tensor_details(index, subgraph_index)
                for index in range(self._interpreter.NumTensors(subgraph_index))]

    def num_subgraphs(self) -> int:
        """The number of subgraphs, of which the first is executed and refers to the others."""
        return len(self._file.subgraphs)

    def get_input_details(self) -> list[dict[str, Any]]:
        """The details of the inputs: name, index, shape, shape_signature, dtype and quantization."""
        return [self._get_tensor_details(index) for index in self._file.main.inputs]

    def get_output_details(self) -> list[dict[str, Any]]:
        """The details of the outputs."""
        return [self._get_tensor_details(index) for index in self._file.main.outputs]

    def set_tensor(self, tensor_index: int, value: Any) -> None:
        """Copies a value to an input.

        >>> interpreter = Interpreter("small_cnn.tflite")
        >>> interpreter.allocate_tensors()
        >>> interpreter.set_tensor(0, numpy.zeros((1, 32, 32, 3)))
        Traceback (most recent call last):
        ValueError: Cannot set tensor: Got value of type FLOAT64 but expected type FLOAT32 for input 0, name: image 
        """
        index = self._checked(tensor_index)
        given = np.asarray(value)
        expected = self._file.main.dtype(index)
        if given.dtype != expected:
            raise ValueError(f"Cannot set tensor: Got value of type {_NAMES.get(given.dtype, 'NOTYPE')} but expected "
                             f"type {self._file.main.tensors[index]['type']} for input {index}, name: "
                             f"{self._file.main.tensors[index]['name']} ")
        shape = self._shape_of(index)
        if given.ndim != len(shape):
            raise ValueError(f"Cannot set tensor: Dimension mismatch. Got {given.ndim} but expected {len(shape)} for "
                             f"input {index}.")
        for dimension, (found, wanted) in enumerate(zip(given.shape, shape)):
            if found != wanted:
                raise ValueError(f"Cannot set tensor: Dimension mismatch. Got {found} but expected {wanted} for "
                                 f"dimension {dimension} of input {index}.")
        if index not in self._file.main.inputs:
            raise ValueError(f"Cannot set tensor: tensor {index} is no input, and NNHal has compiled the others")
        if not self._is_allocated:
            raise ValueError("Cannot set tensor: Tensor is unallocated. Try calling allocate_tensors() first")
        np.copyto(self._values[index], given)

    def resize_tensor_input(self, input_index: int, tensor_size: Any, strict: bool = False) -> None:
        """Gives an input another shape from the next allocate_tensors() on.

        With `strict` only extents change that the file leaves open. Tensors that
        are computed have shapes that follow from those of the inputs, whatever
        is given for them.

        >>> Interpreter("small_cnn.tflite").resize_tensor_input(0, 5)
        Traceback (most recent call last):
        ValueError: Shape should be 1D instead of 0.
        """
        self._ensure_safe()
        index = self._checked(input_index)
        extents = np.array(tensor_size, dtype=np.int32)
        if extents.ndim != 1:
            raise ValueError(f"Shape should be 1D instead of {extents.ndim}.")
        shape = [int(extent) for extent in extents]
        if any(extent < 0 for extent in shape):
            raise ValueError(f"tensor {index} cannot have the shape {shape}")
        present = self._shape_of(index)
        tensor = self._file.main.tensors[index]
        signature = tensor["shape_signature"] or present
        if strict:
            if len(shape) != len(present):
                raise RuntimeError(f"Attempting to resize tensor {index} from rank {len(present)} to {len(shape)}")
            for dimension, (found, wanted, stated) in enumerate(zip(present, shape, signature)):
                if found != wanted and stated != -1:
                    raise RuntimeError(f"Attempting to resize dimension {dimension} of tensor {index} with value "
                                       f"{found} to {wanted}. ResizeInputTensorStrict only allows mutating unknown "
                                       "dimensions identified by -1.")
        if shape == present:
            return
        if index in self._file.main.inputs:
            self._shapes[self._file.main.inputs.index(index)] = shape
        elif tensor["constant"] is not None:
            raise RuntimeError(f"Attempting to resize a fixed-size tensor: tensor {index} is a constant of shape "
                               f"{present}, and cannot have {shape}")
        self._is_allocated = False

    def invoke(self) -> None:
        """Executes the model on the inputs that were set."""
        self._ensure_safe()
        self._run()

    def get_tensor(self, tensor_index: int, subgraph_index: int = 0) -> Array:
        """A copy of an input, an output or a constant; or of an intermediate result that is preserved."""
        index = self._checked(tensor_index, subgraph_index)
        if subgraph_index == 0:
            return self._value(index).copy()
        subgraph = self._file.subgraphs[subgraph_index]
        constant = subgraph.constant(index, subgraph.tensors[index]["shape"])
        if constant is None:
            raise ValueError(f"Tensor data is null: tensor {index} of subgraph {subgraph_index} is no constant, and "
                             "compiled models keep other values of the main subgraph alone")
        return constant.copy()

    def tensor(self, tensor_index: int) -> Callable[[], Array]:
        """A function that returns a view of an input or an output.

        No view may live when the model is allocated or executes.
        """
        index = self._checked(tensor_index)
        return lambda: self._value(index).view()

    def reset_all_variables(self) -> None:
        """Gives the states of the model their initial values again."""
        if self._stream is not None:
            self._stream.reset()

    def get_signature_list(self) -> dict[str, dict[str, list[str]]]:
        """The names of inputs and outputs by signature."""
        return {key: {"inputs": [*one["inputs"]], "outputs": [*one["outputs"]]}
                for key, one in self._get_full_signature_list().items()}

    def _get_full_signature_list(self) -> dict[str, dict[str, dict[str, int]]]:
        return {key: {"inputs": dict(sorted(one["inputs"].items())), "outputs": dict(sorted(one["outputs"].items()))}
                for key, one in self._file.signatures.items()}

    def get_signature_runner(self, signature_key: str | None = None) -> SignatureRunner:
        """A function over the names of a signature; of the only one without a key.

        >>> Interpreter("small_cnn.tflite").get_signature_runner()
        Traceback (most recent call last):
        ValueError: SignatureRunner requires a signature_key parameter if the model has 0 signatures
        """
        signatures = self._file.signatures
        if signature_key is None:
            if len(signatures) != 1:
                raise ValueError("SignatureRunner requires a signature_key parameter if the model has "
                                 f"{len(signatures)} signatures")
            signature_key = next(iter(signatures))
        if signature_key not in signatures:
            raise ValueError(f'Invalid signature_key provided: "{signature_key}".')
        return SignatureRunner(self, signature_key)

    def _for_signature(self, signature_key: str) -> Interpreter:
        """The interpreter of the subgraph of a signature, which all signatures of that subgraph share."""
        subgraph = self._file.signatures[signature_key]["subgraph"]
        if subgraph == 0:
            return self
        if subgraph not in self._others:
            other = Interpreter.__new__(Interpreter)
            other._begin(self._file.of_signature(signature_key), self._options, self._preserves)
            self._others[subgraph] = other
        return self._others[subgraph]

    def _ensure_safe(self) -> None:
        """Refuses to go on while a view of tensor() lives."""
        for index in self._values:
            if sys.getrefcount(self._values[index]) > _OWN_REFERENCES:
                raise RuntimeError("There is at least 1 reference to internal data in the interpreter in the form of a "
                                   "numpy array or slice. Be sure to only hold the function returned from tensor() if "
                                   "you are using raw data access.")

    def _compile(self) -> None:
        """Compiles for the shapes of the inputs."""
        options = {**self._options, "shapes": {str(position): shape for position, shape in self._shapes.items()}}
        try:
            if self._preserves:
                preserved = self._file.find_results(**options)
                self._model = self._file.load_with(preserved, **options)
                self._results = [*self._file.main.outputs, *preserved]
            else:
                self._model = self._file.load(**options)
        except Error as error:
            raise RuntimeError(str(error)) from error
        self._loaded_shapes = {position: list(shape) for position, shape in self._shapes.items()}
        self._stream = self._model.stream() if any(one.is_state for one in self._model.inputs) else None

    def _checked_subgraph(self, subgraph_index: int) -> None:
        if not 0 <= subgraph_index < self.num_subgraphs():
            raise ValueError(f"subgraph_index is out of range: {subgraph_index} for the model, which has "
                             f"{self.num_subgraphs()} subgraphs.")

    def _checked(self, tensor_index: Any, subgraph_index: int = 0) -> int:
        index = int(tensor_index)
        self._checked_subgraph(subgraph_index)
        count = self._interpreter.NumTensors(subgraph_index)
        if index < 0 or index >= count:
            raise ValueError(f"Invalid tensor index {index} exceeds max tensor index {count}")
        return index

    def _shape_of(self, index: int) -> list[int]:
        """The shape of a tensor now: that of the model for an input or output, otherwise that of the file."""
        stated = [int(extent) for extent in self._file.main.tensors[index]["shape"]]
        if index in self._file.main.inputs:
            position = self._file.main.inputs.index(index)
            if position in self._shapes:
                return self._shapes[position]
            if self._model is None:
                return stated
            known = self._model.inputs[position]
        elif index in self._results and self._model is not None:
            if index in self._values and self._is_allocated:
                return list(self._values[index].shape)
            known = self._model.outputs[self._results.index(index)]
        else:
            return stated
        shape = [0 if extent is None else extent for extent in known.shape]
        # A tensor of the HAL has a dimension where the file has a scalar.
        return stated if shape == [1] and not stated else shape

    def _get_ops_details(self) -> list[dict[str, Any]]:
        return [self._get_op_details(index) for index in range(self._interpreter.NumNodes())]

    def _get_op_details(self, op_index: int) -> dict[str, Any]:
        inputs, outputs = self._interpreter.NodeInputs(op_index), self._interpreter.NodeOutputs(op_index)
        return {
            "index": int(op_index),
            "op_name": self._interpreter.NodeName(op_index),
            "inputs": inputs,
            "outputs": outputs,
            # An optional input that is left out is -1.
            "operand_types": [self._file.main.dtype(self._checked(index)) for index in inputs if index != -1],
            "result_types": [self._file.main.dtype(self._checked(index)) for index in outputs if index != -1],
        }

    def _get_tensor_details(self, tensor_index: int, subgraph_index: int = 0) -> dict[str, Any]:
        index = self._checked(tensor_index, subgraph_index)
        subgraph = self._file.subgraphs[subgraph_index]
        tensor = subgraph.tensors[index]
        scales, zero_points = tensor["scales"], tensor["zero_points"]
        shape = tensor["shape"] if subgraph_index else self._shape_of(index)
        one = len(scales) == 1 and len(zero_points) == 1
        return {
            "name": tensor["name"],
            "index": index,
            "shape": np.array(shape, dtype=np.int32),
            "shape_signature": np.array(tensor["shape_signature"] or shape, dtype=np.int32),
            "dtype": subgraph.dtype(index),
            "quantization": (float(scales[0]), int(zero_points[0])) if one else (0.0, 0),
            "quantization_parameters": {
                "scales": np.array(scales, dtype=np.float32),
                "zero_points": np.array(zero_points, dtype=np.int32),
                "quantized_dimension": tensor["quantized_dimension"],
            },
            "sparsity_parameters": {},
        }

    def _value(self, index: int) -> Array:
        value = self._values.get(index)
        if value is not None and self._is_allocated:
            return value
        constant = self._file.main.constant(index, self._shape_of(index))
        if constant is not None:
            return constant
        if self._stream is not None and self._file.main.tensors[index]["is_variable"]:
            state = self._stream.states.get(self._file.main.tensors[index]["name"])
            if state is not None:
                return state
        if not self._is_allocated:
            raise ValueError("Tensor data is null. Run allocate_tensors() first")
        reason = "it cannot be preserved" if self._preserves else (
            "compiled models keep none without experimental_preserve_all_tensors=True")
        raise ValueError(f"Tensor data is null: tensor {index} is an intermediate result, and {reason}")

    def _run(self) -> None:
        model = self._model
        if model is None or not self._is_allocated:
            raise RuntimeError("Invoke called on model that is not ready.")
        arguments = [np.atleast_1d(self._values[index]) for index in self._file.main.inputs]
        try:
            results = (self._stream or model)(*arguments)
        except Error as error:
            raise RuntimeError(str(error)) from error
        for index, result in zip(self._results, results):
            self._values[index] = self._result(index, result)

    def _result(self, index: int, result: Array) -> Array:
        """An output in the shape and the type of the file."""
        dtype = np.dtype(self._file.main.dtype(index))
        if result.shape == (1,) and not self._file.main.tensors[index]["shape"]:
            result = result.reshape(())
        # The HAL has no indices of 64 bits.
        return result if result.dtype == dtype else result.astype(dtype)


class SignatureRunner:
    """Executes an interpreter by the names of a signature."""

    def __init__(self, interpreter: Interpreter, signature_key: str) -> None:
        self._interpreter = interpreter._for_signature(signature_key)
        self._signature_key = signature_key
        signature = interpreter._file.signatures[signature_key]
        self._inputs: dict[str, int] = signature["inputs"]
        self._outputs: dict[str, int] = signature["outputs"]

    def __call__(self, **values: Any) -> dict[str, Array]:
        """Executes on the inputs `values`, whose shapes they take, and returns the outputs by name."""
        if len(values) != len(self._inputs):
            raise ValueError("Invalid number of inputs provided for running a SignatureRunner, expected "
                             f"{len(self._inputs)} vs provided {len(values)}")
        interpreter = self._interpreter
        for name, value in values.items():
            if name not in self._inputs:
                raise ValueError(f"Invalid Input name ({name}) for SignatureRunner")
            interpreter.resize_tensor_input(self._inputs[name], np.asarray(value).shape)
        interpreter.allocate_tensors()
        for name, value in values.items():
            interpreter.set_tensor(self._inputs[name], value)
        interpreter.invoke()
        return {name: interpreter.get_tensor(index) for name, index in self._outputs.items()}

    def get_input_details(self) -> dict[str, dict[str, Any]]:
        """The details of the inputs by name."""
        return {name: self._interpreter._get_tensor_details(index) for name, index in self._inputs.items()}

    def get_output_details(self) -> dict[str, dict[str, Any]]:
        """The details of the outputs by name."""
        return {name: self._interpreter._get_tensor_details(index) for name, index in self._outputs.items()}
