"""Writes DIR/model.json, transpositions of each type in orders that change the
last axis, and DIR/0.bin to DIR/2.bin, its inputs."""

import itertools
import json
import pathlib
import random
import struct
import sys

folder = pathlib.Path(sys.argv[1])
extents = [int(extent) for extent in sys.argv[2].split("x")]
operands, operations, inputs = [], [], []


def operand(type, dimensions, lifetime, **more):
    if type.startswith("TENSOR_QUANT8"):
        more |= {"scale": 0.5, "zeroPoint": 3}
    operands.append({"type": type, "dimensions": dimensions, "lifetime": lifetime} | more)
    return len(operands) - 1


count = extents[0] * extents[1] * extents[2]
for type, code, most in (("TENSOR_FLOAT32", "f", 1 << 20), ("TENSOR_FLOAT16", "e", 1 << 11),
                         ("TENSOR_QUANT8_ASYMM", "B", 1 << 8)):
    draw = random.Random(most)
    values = [draw.randrange(most) for _ in range(count)]
    (folder / f"{len(inputs)}.bin").write_bytes(struct.pack(f"<{count}{code}", *values))
    inputs.append(operand(type, extents, "SUBGRAPH_INPUT"))
    for order in itertools.permutations(range(3)):
        if order[2] == 2:
            continue
        axes = operand("TENSOR_INT32", [3], "CONSTANT_COPY", value=list(order))
        output = operand(type, [extents[axis] for axis in order], "SUBGRAPH_OUTPUT")
        operations.append({"type": "TRANSPOSE", "inputs": [inputs[-1], axes],
                           "outputs": [output]})
model = {"halVersion": "1.3",
         "main": {"operands": operands, "operations": operations, "inputIndexes": inputs,
                  "outputIndexes": [output for each in operations for output in each["outputs"]]}}
(folder / "model.json").write_text(json.dumps(model))
