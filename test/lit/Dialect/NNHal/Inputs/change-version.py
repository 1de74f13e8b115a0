"""Changes the version of the dialect that bytecode states from 2.0 to 77.0.

usage: change-version.py FROM.mlirbc TO.mlirbc
"""

import pathlib
import sys

source, target = map(pathlib.Path, sys.argv[1:])
data = source.read_bytes()
# A section of two numbers: id 7 (dialect versions), 2 bytes long; a number n below 128 is 2n + 1.
before, after = bytes([7, 2 * 2 + 1, 2 * 2 + 1, 1]), bytes([7, 2 * 2 + 1, 2 * 77 + 1, 1])
if data.count(before) != 1:
    sys.exit(f"found {data.count(before)} sections with version 2.0")
target.write_bytes(data.replace(before, after))
