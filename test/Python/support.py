"""Models of the tests and scratch folders."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import nnhal
import numpy as np

MODELS = pathlib.Path(__file__).resolve().parent.parent / "Models"
SMALL_CNN = MODELS / "small_cnn.tflite"


def image(seed=1):
    """An input of small_cnn.tflite."""
    return np.random.default_rng(seed).random((1, 32, 32, 3), np.float32)


def addition(kind="TENSOR_FLOAT32", shape=(2, 3), **quantization):
    """The bytes of a model in JSON that adds two tensors."""
    tensor = {"type": kind, "dimensions": list(shape), **quantization}
    return json.dumps({"main": {
        "operands": [{**tensor, "lifetime": "SUBGRAPH_INPUT"}, {**tensor, "lifetime": "SUBGRAPH_INPUT"},
                     {"type": "INT32", "dimensions": [], "lifetime": "CONSTANT_COPY", "value": [0]},
                     {**tensor, "lifetime": "SUBGRAPH_OUTPUT"}],
        "operations": [{"type": "ADD", "inputs": [0, 1, 2], "outputs": [3]}],
        "inputIndexes": [0, 1], "outputIndexes": [3]}}).encode()


def tfliteFile(tensors, operators, codes, inputs, outputs, buffers=(), signatures=(), subgraphs=()):
    """The bytes of a .tflite file, by flatc, from the tables of its schema in JSON; `subgraphs` follow the main one."""
    model = {"version": 3, "operator_codes": codes,
             "subgraphs": [{"tensors": tensors, "inputs": inputs, "outputs": outputs, "operators": operators},
                           *subgraphs],
             "buffers": [{}, *({"data": list(data)} for data in buffers)], "signature_defs": list(signatures)}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.json")
        path.write_text(json.dumps(model))
        subprocess.run([os.environ["NNHAL_FLATC"], "-b", "-o", folder, os.environ["NNHAL_TFLITE_SCHEMA"], path],
                       check=True)
        return next(file for file in path.parent.iterdir() if file != path).read_bytes()


def counter():
    """The bytes of a .tflite file whose output is the sum of all inputs so far: an RNN with a state and the weight 1."""
    tensor = {"shape": [1, 1], "type": "FLOAT32"}
    one = np.float32([1]).tobytes()
    return tfliteFile(
        tensors=[{**tensor, "name": "x"}, {**tensor, "name": "weights", "buffer": 1},
                 {**tensor, "name": "recurrent", "buffer": 2}, {"shape": [1], "name": "bias", "buffer": 3},
                 {**tensor, "name": "state", "is_variable": True}, {**tensor, "name": "y"}],
        operators=[{"inputs": [0, 1, 2, 3, 4], "outputs": [5], "builtin_options_type": "RNNOptions",
                    "builtin_options": {"activation": "NONE"}}],
        codes=[{"deprecated_builtin_code": 24, "builtin_code": "RNN", "version": 1}], inputs=[0], outputs=[5],
        buffers=[one, one, np.float32([0]).tobytes()],
        signatures=[{"signature_key": "count", "inputs": [{"name": "value", "tensor_index": 0}],
                     "outputs": [{"name": "sum", "tensor_index": 5}]}])


class ScratchTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)


class RefusalTest(unittest.TestCase):
    def assertRefused(self, text, function, *args, kind=nnhal.InvalidArgumentError, **keywords):
        with self.assertRaises(kind) as caught:
            function(*args, **keywords)
        self.assertIn(text, str(caught.exception))
        self.assertIsInstance(caught.exception, nnhal.Error)
