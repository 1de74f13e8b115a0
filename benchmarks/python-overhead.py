#!/usr/bin/python3
"""What a call from Python adds to an execution.

usage: PYTHONPATH=BUILD-DIR/python benchmarks/python-overhead.py [--rounds=N] MODEL...

In each round executions without anything of Python (Model.time()), calls and
calls with the caller's outputs take turns, so that what else the machine does
meets all of them. Printed are microseconds: the median of each, and the median
of the differences within a round.
"""

import sys
import time

import nnhal
import numpy as np

CALLS = 200


def median(values):
    return float(np.median(values)) * 1e6


def timed(call, *args, **keywords):
    """The seconds of one call, the best guess that a loop of them gives."""
    begin = time.perf_counter()
    for _ in range(CALLS):
        call(*args, **keywords)
    return (time.perf_counter() - begin) / CALLS


def measure(path, rounds):
    model = nnhal.load(path)
    random = np.random.default_rng(1)
    arguments = [(random.random(one.shape) * 100).astype(one.dtype) for one in model.inputs if not one.is_state]
    if any(one.is_state for one in model.inputs):
        sys.exit(f"error: {path} has states")
    out = [np.empty(one.shape, one.dtype) for one in model.outputs]
    plain, calls, reused = [], [], []
    for _ in range(rounds):
        plain.append(float(np.mean(model.time(*arguments, repeat=CALLS))))
        calls.append(timed(model, *arguments))
        reused.append(timed(model, *arguments, out=out))
    plain, calls, reused = map(np.array, (plain, calls, reused))
    print(f"{path}: execute {median(plain):.2f}, call {median(calls):.2f} (adds {median(calls - plain):.2f}), "
          f"call with out= {median(reused):.2f} (adds {median(reused - plain):.2f}); "
          f"{model.statistics.copied_bytes} bytes copied")


def main(arguments):
    rounds = 50
    if arguments and arguments[0].startswith("--rounds="):
        rounds = int(arguments.pop(0).removeprefix("--rounds="))
    if not arguments:
        sys.exit(__doc__)
    for path in arguments:
        measure(path, rounds)


main(sys.argv[1:])
