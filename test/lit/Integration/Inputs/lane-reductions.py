"""Writes DIR/model.json, reductions along the last axis of rows of LENGTH, and
DIR/0.bin to DIR/4.bin, inputs whose results no order of joining changes."""

import json
import math
import pathlib
import random
import struct
import sys

folder, length = pathlib.Path(sys.argv[1]), int(sys.argv[2])
draw = random.Random(length)
operands, operations, inputs = [], [], []


def operand(type, dimensions, lifetime, **more):
    if type.startswith("TENSOR_QUANT8"):
        more |= {"scale": 0.5, "zeroPoint": 3}
    operands.append({"type": type, "dimensions": dimensions, "lifetime": lifetime} | more)
    return len(operands) - 1


def tensor(type, code, rows):
    (folder / f"{len(inputs)}.bin").write_bytes(
        b"".join(struct.pack(f"<{length}{code}", *row) for row in rows))
    inputs.append(operand(type, [2, len(rows) // 2, length], "SUBGRAPH_INPUT"))
    return inputs[-1]


def reductions(types, source, axes=(2,)):
    result = [extent for axis, extent in enumerate(operands[source]["dimensions"])
              if axis not in axes] or [1]
    for type in types:
        axis = operand("TENSOR_INT32", [len(axes)], "CONSTANT_COPY", value=list(axes))
        keep = operand("INT32" if type == "MEAN" else "BOOL", [], "CONSTANT_COPY", value=[0])
        output = operand(operands[source]["type"], result, "SUBGRAPH_OUTPUT")
        operations.append({"type": type, "inputs": [source, axis, keep], "outputs": [output]})


def special():
    """Infinities, and NaNs nearly everywhere; zeros would have a sign."""
    values = [draw.choice((math.nan, -math.nan, math.inf, -math.inf, 1.5, -2.0, 1e-3, 7.0))
              for _ in range(length)]
    return [value if draw.random() < 0.3 else math.nan for value in values]


def signs():
    """A few factors of two among ones."""
    values = [draw.choice((1.0, -1.0)) for _ in range(length)]
    values[draw.randrange(length)] *= 8.0
    values[draw.randrange(length)] *= 0.5
    return values


def integers():
    return [float(draw.randint(-7, 7)) for _ in range(length)]


for type, code in (("TENSOR_FLOAT32", "f"), ("TENSOR_FLOAT16", "e")):
    rows = [special() for _ in range(4)] + [[math.nan] * length, integers()[:-1] + [8.0]]
    reductions(("REDUCE_MAX", "REDUCE_MIN"), tensor(type, code, rows))
    exact = tensor(type, code, [signs() for _ in range(3)] + [integers() for _ in range(3)])
    reductions(("REDUCE_SUM", "REDUCE_PROD", "MEAN"), exact)
    for axes in ((0, 2), (0, 1, 2)):
        reductions(("REDUCE_SUM",), exact, axes)
rows = [[draw.randint(0, 255) for _ in range(length)] for _ in range(6)]
bytes = tensor("TENSOR_QUANT8_ASYMM", "B", rows)
for axes in ((2,), (1, 2)):
    reductions(("REDUCE_MAX", "REDUCE_MIN", "MEAN"), bytes, axes)
model = {"halVersion": "1.3",
         "main": {"operands": operands, "operations": operations, "inputIndexes": inputs,
                  "outputIndexes": [output for each in operations for output in each["outputs"]]}}
(folder / "model.json").write_text(json.dumps(model))
