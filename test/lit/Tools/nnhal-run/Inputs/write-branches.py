"""Writes a model of IFs that nest: write-branches.py DEPTH. Each graph above
the last level adds or multiplies its value and executes one of two graphs of
the next level, by a condition of its own."""

import json
import sys


def operand(type, dimensions, lifetime, **more):
    return {"type": type, "dimensions": dimensions, "lifetime": lifetime, **more}


def make_graph(level, depth, operation):
    count = depth - level
    operands = [operand("TENSOR_BOOL8", [1], "SUBGRAPH_INPUT") for _ in range(count)]
    operands += [
        operand("TENSOR_INT32", [2], "SUBGRAPH_INPUT"),
        operand("TENSOR_INT32", [2], "CONSTANT_COPY", value=[3, level]),
        operand("INT32", [], "CONSTANT_COPY", value=[0]),
        operand("TENSOR_INT32", [2], "SUBGRAPH_OUTPUT"),
    ]
    value, constant, none, output = range(count, count + 4)
    operations = [{"type": operation, "inputs": [value, constant, none], "outputs": [output]}]
    if count:
        operands += [
            operand("SUBGRAPH", [], "SUBGRAPH", value=2 * level),
            operand("SUBGRAPH", [], "SUBGRAPH", value=2 * level + 1),
            operand("TENSOR_INT32", [2], "TEMPORARY_VARIABLE"),
        ]
        then, other, next = range(output + 1, output + 4)
        operations[0]["outputs"] = [next]
        passed = [*range(1, count), next]
        operations.append({"type": "IF", "inputs": [0, then, other, *passed], "outputs": [output]})
    return {
        "operands": operands,
        "operations": operations,
        "inputIndexes": [*range(count + 1)],
        "outputIndexes": [output],
    }


depth = int(sys.argv[1])
referenced = [make_graph(level, depth, operation) for level in range(1, depth + 1) for operation in ("ADD", "MUL")]
json.dump({"main": make_graph(0, depth, "ADD"), "referenced": referenced}, sys.stdout)
