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


def add_mean_of_product(shape, reduced, result):
    """The mean of the image times factors of SHAPE."""
    factors = operand("TENSOR_FLOAT32", shape, "SUBGRAPH_INPUT")
    product = operand("TENSOR_FLOAT32", extents, "TEMPORARY_VARIABLE")
    mean = operand("TENSOR_FLOAT32", result, "SUBGRAPH_OUTPUT")
    operations.append({"type": "MUL", "inputs": [images["TENSOR_FLOAT32"], factors, no_int], "outputs": [product]})
    operations.append({"type": "MEAN", "inputs": [product, reduced, no_int], "outputs": [mean]})
    inputs.append(factors)
    outputs.append(mean)


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
# What is multiplied before its mean is computed with it, in one loop: by each channel's factor, by a mask of rows, and
# by an image.
for shape in ([1, 1, 1, extents[3]], [1, extents[1], 1, 1], extents):
    for reduced, result in zip(axes, ([1, extents[3]], [1])):
        add_mean_of_product(shape, reduced, result)
# Means and deviations of each channel.
normalized = operand("TENSOR_FLOAT32", extents, "SUBGRAPH_OUTPUT")
numbers = [operand("FLOAT32", [], "CONSTANT_COPY", value=[value]) for value in (1.5, 0.25, 0.001)]
operations.append({"type": "INSTANCE_NORMALIZATION", "inputs": [images["TENSOR_FLOAT32"], *numbers, no_bool],
                   "outputs": [normalized]})
outputs.append(normalized)
path.write_text(json.dumps({"halVersion": "1.3", "main": {
    "operands": operands, "operations": operations, "inputIndexes": [*images.values(), *inputs], "outputIndexes": outputs}}))
