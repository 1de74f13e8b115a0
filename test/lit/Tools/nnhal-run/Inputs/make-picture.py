"""A PNG file of 32 x 32 pixels, and the input of a classifier that it becomes.

usage: make-picture.py PNG NPY
"""

import struct
import sys
import zlib

SIDE = 32
rows = [[(5 * x, 7 * y, 3 * (x + y)) for x in range(SIDE)] for y in range(SIDE)]


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


pixels = b"".join(b"\0" + bytes(color for pixel in row for color in pixel) for row in rows)
with open(sys.argv[1], "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)) +
               chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))


def single(value):
    """The number of 32 bits next to value."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (1, {SIDE}, {SIDE}, 3), }}"
header += " " * (117 - len(header)) + "\n"
with open(sys.argv[2], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    for row in rows:
        for pixel in row:
            file.write(struct.pack("<3f", *(single(single(color - 127.5) / 127.5) for color in pixel)))
