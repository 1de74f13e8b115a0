"""Fails unless two .npy files of floats are infinite or no numbers in the same places and close elsewhere.

usage: same-floats.py A.npy B.npy

A tolerance that is relative to the largest value would be infinite. Some value has to be
infinite or no number, and most have to be finite.
"""
import math
import pathlib
import struct
import sys

BOUND = 1e-4


def floats(path):
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", f"{path} is no .npy file of version 1"
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    assert b"'<f4'" in data[:start], f"{path} has no floats"
    return struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


def same(a, b):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= BOUND


def main():
    first, second = (floats(path) for path in sys.argv[1:])
    if len(first) != len(second):
        sys.exit(f"{len(first)} floats are compared with {len(second)}")
    finite = sum(map(math.isfinite, first))
    if finite == len(first) or 2 * finite < len(first):
        sys.exit(f"{finite} of {len(first)} values are finite")
    wrong = [place for place in range(len(first)) if not same(first[place], second[place])]
    if wrong:
        sys.exit(f"{len(wrong)} values differ, the first at {wrong[0]}: {first[wrong[0]]} and {second[wrong[0]]}")


if __name__ == "__main__":
    main()
