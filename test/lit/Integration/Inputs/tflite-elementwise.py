"""Writes DIR/model.json, operations of nnhal.tflite that compute each element by
itself, and DIR/*.bin, its inputs. The options of nnhal-run that name these go to
DIR/inputs. What the operations yield is exact, unless APPROXIMATE is given."""

import json
import pathlib
import random
import struct
import sys

folder = pathlib.Path(sys.argv[1])
extents = [int(extent) for extent in sys.argv[2].split("x")]
isApproximate = len(sys.argv) > 3
operands, operations, inputs, outputs, names = [], [], [], [], []
draw = random.Random(len(extents))
FIXED, FLOAT, INT, LONG, TRUTH = "TENSOR_QUANT16_SYMM", "TENSOR_FLOAT32", "TENSOR_INT32", "nnhal.tflite:0", "TENSOR_BOOL8"


def operand(type, dimensions, lifetime, **more):
    operands.append({"type": type, "dimensions": dimensions, "lifetime": lifetime} | more)
    return len(operands) - 1


def value(type):
    if isApproximate:
        return draw.uniform(0.01, 9)
    if type == FLOAT:
        return draw.choice([draw.uniform(-9, 9), draw.randrange(-99, 99) + 0.5, draw.choice([1e20, -1e20, 40000.0])])
    if type == TRUTH:
        return draw.choice([0, 1])
    bits = {FIXED: 15, INT: 31, LONG: 63}[type]
    return draw.choice([draw.randrange(-(1 << bits), 1 << bits), -(1 << bits), (1 << bits) - 1, draw.randrange(-9, 9)])


def tensor(type, dimensions, scale=0):
    count = 1
    for extent in dimensions:
        count *= extent
    code = {FIXED: "h", FLOAT: "f", INT: "i", LONG: "q", TRUTH: "B"}[type]
    (folder / f"{len(inputs)}.bin").write_bytes(struct.pack(f"<{count}{code}", *[value(type) for _ in range(count)]))
    names.append(f"--input={len(inputs)}={folder}/{len(inputs)}.bin")
    inputs.append(operand(type, dimensions, "SUBGRAPH_INPUT", **({"scale": scale} if scale else {})))
    return inputs[-1]


def option(type, number):
    return operand(type, [], "CONSTANT_COPY", value=[number])


def compute(number, ins, type, options=(), scale=0):
    result = operand(type, extents, "SUBGRAPH_OUTPUT", **({"scale": scale} if scale else {}))
    operations.append({"type": f"nnhal.tflite:{number}", "inputs": list(ins) + list(options), "outputs": [result]})
    outputs.append(result)


def write():
    model = {"halVersion": "1.3", "extensionNameToPrefix": [{"name": "nnhal.tflite", "prefix": 1}],
             "main": {"operands": operands, "operations": operations, "inputIndexes": inputs, "outputIndexes": outputs}}
    (folder / "model.json").write_text(json.dumps(model))
    (folder / "inputs").write_text(" ".join(names))


row, each = extents[-1:], [1] * (len(extents) - 1) + extents[-1:]
EXP, LOG, SIN, COS, TANH, LOGISTIC = 47, 73, 66, 108, 28, 14
if isApproximate:
    x = tensor(FLOAT, extents)
    for number in (SIN, COS, TANH, LOGISTIC, EXP, LOG):
        compute(number, [x], FLOAT)
    write()
    raise SystemExit
ADD, MUL, SUB, SQUARED_DIFFERENCE = 0, 18, 41, 99
MAXIMUM, MINIMUM, XOR, COMPARISONS = 55, 57, 160, (58, 61, 62, 63, 71, 72)
# Of each number its own scale, or a power of two that is shifted by.
for scales in ((0.0013, 0.0021, 0.0047), (2**-12, 2**-9, 2**-9), (0.3, 0.001, 0.00002)):
    a, b = tensor(FIXED, extents, scales[0]), tensor(FIXED, row, scales[1])
    for activation in range(4):
        for number in (ADD, SUB, MUL):
            compute(number, [a, b], FIXED, [option("INT32", activation)], scales[2])
    compute(SQUARED_DIFFERENCE, [a, b], FIXED, scale=scales[2])
    for number in (19, 20, 21, 101, 114):
        compute(number, [a], FIXED, scale=scales[2])
    for alpha in (0.1, 3.0, -0.5):
        compute(98, [a], FIXED, [option("FLOAT32", alpha)], scales[2])
    compute(6, [a], FLOAT)
same = tensor(FIXED, extents, 0.5), tensor(FIXED, each, 0.5)
compute(101, same[:1], FIXED, scale=0.5)
for type, scale in ((FIXED, 0.5), (INT, 0), (LONG, 0), (FLOAT, 0), (TRUTH, 0)):
    pair = same if type == FIXED else (tensor(type, extents), tensor(type, each))
    for number in COMPARISONS:
        compute(number, pair, TRUTH)
    compute(123, [tensor(TRUTH, row), *pair], type, scale=scale)
    shape = operand("TENSOR_INT32", [len(extents)], "CONSTANT_COPY", value=extents)
    compute(130, [pair[1], shape], type, scale=scale)
    if type == TRUTH:
        continue
    for number in (MAXIMUM, MINIMUM):
        compute(number, pair, type, scale=scale)
    if type in (FIXED, INT):
        compute(XOR, pair, type, scale=scale)
    if type == FIXED:
        continue
    compute(SQUARED_DIFFERENCE, pair, type)
    for activation in range(4):
        for number in (ADD, SUB, MUL):
            compute(number, pair, type, [option("INT32", activation)])
    for number in (59, 92, 101):
        compute(number, pair[:1], type)
    if type != LONG:
        compute(158, pair[:1], type)
    for target, code in ((INT, 2), (LONG, 4), (FLOAT, 0)):
        if type != FLOAT:
            compute(53, pair[:1], target, [option("INT32", 2), option("INT32", code)])
    if type == FLOAT:
        for number in (8, 19, 20, 21, 75, 76, 104, 116, 152):
            compute(number, pair[:1], type)
        compute(98, pair[:1], type, [option("FLOAT32", 0.1)])
        compute(114, pair[:1], FIXED, scale=0.37)
write()
