"""Writes NAME.json, the RELU of an input of unknown rank, and NAME.npy."""

import json
import struct
import sys

name = sys.argv[1]
operand = {"type": "TENSOR_FLOAT32", "dimensions": []}
model = {
    "halVersion": "1.3",
    "main": {
        "operands": [operand | {"lifetime": "SUBGRAPH_INPUT"},
                     operand | {"lifetime": "SUBGRAPH_OUTPUT"}],
        "operations": [{"type": "RELU", "inputs": [0], "outputs": [1]}],
        "inputIndexes": [0],
        "outputIndexes": [1],
    },
}
with open(name + ".json", "w") as file:
    json.dump(model, file)
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 2), }"
header = header.ljust(117) + b"\n"
with open(name + ".npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    file.write(struct.pack("<4f", -1, 2, -3, 4))
