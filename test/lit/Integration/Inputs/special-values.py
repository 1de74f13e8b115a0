"""Writes DIR/model.json, operations that order numbers, and DIR/a.bin and
DIR/b.bin, each pair of numbers whose order is special."""

import json
import math
import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[1])
special = [math.nan, -math.nan, 0.0, -0.0, math.inf, -math.inf, 1.0, -1.0, 6.0, 1e-42, -3e9]
pairs = [(a, b) for a in special for b in special]
for name, column in (("a", 0), ("b", 1)):
    values = [pair[column] for pair in pairs]
    (folder / f"{name}.bin").write_bytes(struct.pack(f"<{len(values)}f", *values))

operands, operations = [], []


def operand(type, lifetime, **more):
    dimensions = [1, 1, len(pairs), 1] if type.startswith("TENSOR") else []
    operands.append({"type": type, "dimensions": dimensions, "lifetime": lifetime} | more)
    return len(operands) - 1


def constant(type, value, **more):
    return operand(type, "CONSTANT_COPY", value=[value], **more)


def operation(type, inputs, result="TENSOR_FLOAT32", **more):
    operations.append({"type": type, "inputs": inputs,
                       "outputs": [operand(result, "SUBGRAPH_OUTPUT", **more)]})


a = operand("TENSOR_FLOAT32", "SUBGRAPH_INPUT")
b = operand("TENSOR_FLOAT32", "SUBGRAPH_INPUT")
for type in ("RELU", "RELU1", "RELU6"):
    operation(type, [a])
for type in ("MAXIMUM", "MINIMUM"):
    operation(type, [a, b])
for activation in (1, 2, 3):
    operation("ADD", [a, constant("TENSOR_FLOAT32", -0.0, dimensions=[1]),
                      constant("INT32", activation)])
    # There is one product for each element: the order of sums has no part.
    operation("CONV_2D", [a, constant("TENSOR_FLOAT32", 1.0, dimensions=[1, 1, 1, 1]),
                          constant("TENSOR_FLOAT32", 0.0, dimensions=[1]),
                          *(constant("INT32", number) for number in (2, 1, 1, activation))])
operation("CAST", [a], "TENSOR_INT32")
operation("CAST", [a], "TENSOR_QUANT8_ASYMM", scale=0.5, zeroPoint=3)
operation("QUANTIZE", [a], "TENSOR_QUANT8_ASYMM", scale=0.5, zeroPoint=3)
joined = operand("TENSOR_FLOAT32", "TEMPORARY_VARIABLE", dimensions=[1, 1, len(pairs), 3])
operations.append({"type": "CONCATENATION", "inputs": [a, b, a, constant("INT32", 3)], "outputs": [joined]})
for type in ("ARGMAX", "ARGMIN"):
    operation(type, [joined, constant("INT32", -1)], "TENSOR_INT32", dimensions=[1, 1, len(pairs)])
model = {"halVersion": "1.3",
         "main": {"operands": operands, "operations": operations, "inputIndexes": [a, b],
                  "outputIndexes": [output for each in operations for output in each["outputs"] if output != joined]}}
(folder / "model.json").write_text(json.dumps(model))
