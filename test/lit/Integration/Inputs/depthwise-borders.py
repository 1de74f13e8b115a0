"""Writes models of depthwise convolutions whose windows cross the border, and their inputs.

usage: depthwise-borders.py FOLDER

Of each model NAME there are NAME.json and NAME.bin. Floats are infinite or no numbers
next to the border, where what lies outside must not be multiplied; bytes have an odd
number of rows, of which the last two overlap those before, and a sum with another
tensor, which they read twice.
"""
import json
import pathlib
import random
import struct
import sys


class Model:
    def __init__(self, name, generator):
        self.name, self.random = name, generator
        self.operands, self.operations, self.inputs, self.data = [], [], [], b""

    def add(self, kind, dimensions, lifetime, **more):
        self.operands.append({"type": kind, "dimensions": dimensions, "lifetime": lifetime, **more})
        return len(self.operands) - 1

    def integer(self, value):
        return self.add("INT32", [], "CONSTANT_COPY", value=[value])

    def operation(self, kind, inputs, output):
        self.operations.append({"type": kind, "inputs": inputs, "outputs": [output]})
        return output

    def write(self, folder):
        output = self.operations[-1]["outputs"][0]
        model = {"halVersion": "1.3", "referenced": [],
                 "main": {"operands": self.operands, "operations": self.operations,
                          "inputIndexes": self.inputs, "outputIndexes": [output]}}
        (folder / f"{self.name}.json").write_text(json.dumps(model))
        (folder / f"{self.name}.bin").write_bytes(self.data)

    def windows(self, image, filter_, bias, pads, stride, dilation, output):
        options = [self.integer(value) for value in (*pads, stride, stride, 1, 0)]
        options += [self.add("BOOL", [], "CONSTANT_COPY", value=[0]), self.integer(dilation),
                    self.integer(dilation)]
        return self.operation("DEPTHWISE_CONV_2D", [image, filter_, bias, *options], output)


def floats(name, generator, shape, size, stride, dilation):
    model = Model(name, generator)
    rows, columns, channels = shape
    reach = (size - 1) * dilation
    pads = [reach // 2, reach - reach // 2] * 2
    out = [1, (rows - 1) // stride + 1, (columns - 1) // stride + 1, channels]
    numbers = [generator.uniform(-1, 1) for _ in range(rows * columns * channels)]
    # Each special number has channels of its own.
    for place, special in ((0, float("inf")), (columns - 1, -float("inf")), (columns * (rows - 1), float("nan")),
                           (columns * rows - 1, float("inf"))):
        numbers[place * channels + generator.randrange(channels)] = special
    image = model.add("TENSOR_FLOAT32", [1, *shape], "SUBGRAPH_INPUT")
    model.inputs, model.data = [image], struct.pack(f"<{len(numbers)}f", *numbers)
    weights = [round(generator.uniform(-1, 1), 3) for _ in range(size * size * channels)]
    filter_ = model.add("TENSOR_FLOAT32", [1, size, size, channels], "CONSTANT_COPY", value=weights)
    bias = model.add("TENSOR_FLOAT32", [channels], "CONSTANT_COPY", value=[0.5] * channels)
    output = model.add("TENSOR_FLOAT32", out, "SUBGRAPH_OUTPUT")
    model.windows(image, filter_, bias, pads, stride, dilation, output)
    return model


def bytes_with_residual(name, generator, shape):
    model = Model(name, generator)
    rows, columns, channels = shape
    count = rows * columns * channels
    quantized = {"scale": 0.0625, "zeroPoint": 3}
    image = model.add("TENSOR_QUANT8_ASYMM_SIGNED", [1, *shape], "SUBGRAPH_INPUT", **quantized)
    model.inputs = [image]
    model.data = bytes(generator.randrange(256) for _ in range(count))
    weights = [generator.randrange(-127, 128) for _ in range(9 * channels)]
    filter_ = model.add("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 3, channels], "CONSTANT_COPY", scale=0.0078125,
                        zeroPoint=0, value=weights)
    bias = model.add("TENSOR_INT32", [channels], "CONSTANT_COPY", scale=0.00048828125, zeroPoint=0,
                     value=[generator.randrange(-500, 500) for _ in range(channels)])
    middle = model.add("TENSOR_QUANT8_ASYMM_SIGNED", [1, *shape], "TEMPORARY_VARIABLE", scale=0.125, zeroPoint=-5)
    model.windows(image, filter_, bias, [1, 1, 1, 1], 1, 1, middle)
    output = model.add("TENSOR_QUANT8_ASYMM_SIGNED", [1, *shape], "SUBGRAPH_OUTPUT", scale=0.15, zeroPoint=1)
    model.operation("ADD", [middle, image, model.integer(0)], output)
    return model


def main():
    folder, generator = pathlib.Path(sys.argv[1]), random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    for model in (floats("even", generator, (9, 16, 16), 3, 1, 1), floats("strided", generator, (11, 13, 24), 3, 2, 1),
                  floats("dilated", generator, (9, 17, 32), 3, 1, 3), floats("wide", generator, (12, 16, 48), 5, 1, 1),
                  floats("large", generator, (57, 64, 32), 3, 1, 1),
                  bytes_with_residual("odd", generator, (33, 28, 64)),
                  bytes_with_residual("narrow", generator, (5, 7, 48))):
        model.write(folder)


if __name__ == "__main__":
    main()
