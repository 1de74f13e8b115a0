"""Writes FILE, a model of the reductions of a picture of ROWSxCOLUMNSxCHANNELS
to its channels, and to one element, of every type that each operation takes."""

import json
import pathlib
import sys

path, extents = pathlib.Path(sys.argv[1]), [1, *map(int, sys.argv[2].split("x"))]
operands, operations, inputs, outputs = [], [], [], []


def operand(type, dimensions, lifetime, **more):
    operands.append({"type": type, "dimensions": dimensions, "lifetime": lifetime} | more)
    return len(operands) - 1


def quantization(type):
    return {"scale": 0.05, "zeroPoint": 3} if "QUANT8" in type else {}


REAL = ["TENSOR_FLOAT32", "TENSOR_FLOAT16"]
QUANTIZED = ["TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"]
TYPES = {"MEAN": REAL + QUANTIZED, "REDUCE_SUM": REAL, "REDUCE_MAX": REAL + QUANTIZED,
         "REDUCE_MIN": REAL + QUANTIZED, "REDUCE_ALL": ["TENSOR_BOOL8"], "REDUCE_ANY": ["TENSOR_BOOL8"]}
no_int = operand("INT32", [], "CONSTANT_COPY", value=[0])
no_bool = operand("BOOL", [], "CONSTANT_COPY", value=[0])
axes = [operand("TENSOR_INT32", [len(dims)], "CONSTANT_COPY", value=dims) for dims in ([1, 2], [0, 1, 2, 3])]
images = {type: operand(type, extents, "SUBGRAPH_INPUT", **quantization(type))
          for type in REAL + QUANTIZED + ["TENSOR_BOOL8"]}
for name, types in TYPES.items():
    for type in types:
        for reduced, shape in zip(axes, ([1, extents[3]], [1])):
            result = operand(type, shape, "SUBGRAPH_OUTPUT", **quantization(type))
            keep = no_int if name == "MEAN" else no_bool
            operations.append({"type": name, "inputs": [images[type], reduced, keep], "outputs": [result]})
            outputs.append(result)
path.write_text(json.dumps({"halVersion": "1.3", "main": {
    "operands": operands, "operations": operations, "inputIndexes": list(images.values()), "outputIndexes": outputs}}))
