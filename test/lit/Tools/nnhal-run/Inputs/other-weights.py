"""other-weights.py MODEL OTHER: writes MODEL, a .tflite file, to OTHER with other
weights: bytes and floats of every constant of 64 bytes and more are changed,
and nothing else is."""

import random
import struct
import sys

FLOAT32, FLOAT16, UINT8, INT8 = 0, 1, 3, 9
LEAST_SIZE = 64


class Table:
    """A table of a FlatBuffer, by the numbers of its fields."""

    def __init__(self, data, place):
        self.data, self.place = data, place
        self.fields = place - struct.unpack_from("<i", data, place)[0]

    def at(self, field):
        """The place of a field's value, or None."""
        size, = struct.unpack_from("<H", self.data, self.fields)
        if 4 + 2 * field >= size:
            return None
        offset, = struct.unpack_from("<H", self.data, self.fields + 4 + 2 * field)
        return self.place + offset if offset else None

    def vector(self, field):
        """The place of a vector's first element, and how many there are."""
        place = self.at(field)
        if place is None:
            return 0, 0
        place += struct.unpack_from("<I", self.data, place)[0]
        return place + 4, struct.unpack_from("<I", self.data, place)[0]

    def tables(self, field):
        first, count = self.vector(field)
        for place in range(first, first + 4 * count, 4):
            yield Table(self.data, place + struct.unpack_from("<I", self.data, place)[0])


def change(data, place, size, kind, chosen):
    if kind in (FLOAT32, FLOAT16):
        for low in range(place, place + size, 4 if kind == FLOAT32 else 2):
            data[low] ^= chosen.getrandbits(4)
    else:
        # Neither the least nor the largest number becomes another, or is made.
        for byte in range(place, place + size):
            if data[byte] not in (0, 0x7F, 0x80, 0xFF) and data[byte] ^ 1 not in (0, 0x7F, 0x80, 0xFF):
                data[byte] ^= chosen.getrandbits(1)


def main():
    with open(sys.argv[1], "rb") as file:
        data = bytearray(file.read())
    model = Table(data, struct.unpack_from("<I", data)[0])
    kinds = {}
    for graph in model.tables(2):
        for tensor in graph.tables(0):
            kind, buffer = tensor.at(1), tensor.at(2)
            if buffer is not None:
                kinds[struct.unpack_from("<I", data, buffer)[0]] = data[kind] if kind is not None else FLOAT32
    chosen = random.Random(1)
    changed = 0
    for index, buffer in enumerate(model.tables(4)):
        place, size = buffer.vector(0)
        if size >= LEAST_SIZE and kinds.get(index) in (FLOAT32, FLOAT16, UINT8, INT8):
            change(data, place, size, kinds[index], chosen)
            changed += 1
    with open(sys.argv[2], "wb") as file:
        file.write(data)
    print(f"{changed} constants have other values")


main()
