#!/usr/bin/env python3
"""Writes the names of the functions that compilations reach, for the linker.

usage: lib/MLIR/order.py NM REACHED OUTPUT ARCHIVE...

A linker that has the names (--symbol-ordering-file) lays these functions side by
side, an eighth of the library, in place of a few in each of its pages. REACHED, which
scripts/order-compiler writes, has them as groups in the order in which they were
called first. Of a function it has 24 bits of a checksum of its name: a hundredth of
the names' size, and one of 700 other functions is taken along by chance. The names are
those of the ARCHIVEs, read by NM, and functions of a group keep the order there.
"""
import base64
import pathlib
import subprocess
import sys
import textwrap
import zlib

# A group, so that the numbers of one are close enough together to be kept in 15 bits each.
GROUP = 1024


def number_of(name):
    """The 24 bits that stand for the function `name`."""
    return zlib.crc32(name.encode()) >> 8


def encode(groups):
    """The text of groups of numbers: distances of sorted numbers, seven bits a byte, the
    last byte of one with its highest bit clear."""
    paragraphs = []
    for group in groups:
        data = bytearray()
        last = 0
        for number in sorted(group):
            distance, last = number - last, number
            while distance > 127:
                data.append(distance & 127 | 128)
                distance >>= 7
            data.append(distance)
        paragraphs.append(textwrap.fill(base64.b64encode(zlib.compress(data, 9)).decode(), 120))
    return "\n\n".join(paragraphs) + "\n"


def decode(text):
    """The group of each number in the text that encode() makes."""
    groups = {}
    for place, paragraph in enumerate(text.strip().split("\n\n")):
        last = distance = bits = 0
        for byte in zlib.decompress(base64.b64decode(paragraph)):
            distance |= (byte & 127) << bits
            bits += 7
            if byte < 128:
                last += distance
                distance = bits = 0
                groups.setdefault(last, place)
    return groups


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    nm, reached, output, *archives = sys.argv[1:]
    groups = decode(pathlib.Path(reached).read_text(encoding="ascii"))
    # Members without symbols are warnings.
    listing = subprocess.run([nm, "--no-sort", "--defined-only", "--format=posix", *archives], check=True, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    names = {}
    for line in listing.splitlines():
        name, _, rest = line.partition(" ")
        if rest[:1] in ("t", "T", "w", "W") and (place := groups.get(number_of(name))) is not None:
            names.setdefault(name, place)
    pathlib.Path(output).write_text("".join(f"{name}\n" for name in sorted(names, key=names.get)), encoding="ascii")


if __name__ == "__main__":
    main()
