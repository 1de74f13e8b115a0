"""Writes FILE, a model of ROUNDS convolutions of 1x1 with a sum of their input,
then convolutions and pools of 3x3, on an image of ROWSxCOLUMNSxCHANNELS, of
floats and of bytes."""

import json
import pathlib
import random
import sys

path, extents, rounds = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
rows, columns, channels = (int(extent) for extent in extents.split("x"))
operands, operations = [], []
draw = random.Random(rows * columns)


def operand(type, dimensions, lifetime, **more):
    operands.append({"type": type, "dimensions": dimensions, "lifetime": lifetime} | more)
    return len(operands) - 1


def scalar(value):
    return operand("INT32", [], "CONSTANT_COPY", value=[value])


class Kind:
    """The operands of one type."""

    def __init__(self, type, scale):
        self.type, self.scale = type, scale

    def image(self, lifetime="TEMPORARY_VARIABLE"):
        quantization = {"scale": self.scale, "zeroPoint": 128} if self.scale else {}
        return operand(self.type, [1, rows, columns, channels], lifetime, **quantization)

    def weights(self, dimensions):
        count = dimensions[0] * dimensions[1] * dimensions[2] * dimensions[3]
        if not self.scale:
            values = [draw.uniform(-0.25, 0.25) for _ in range(count)]
            return operand(self.type, dimensions, "CONSTANT_COPY", value=values)
        values = [draw.randrange(256) for _ in range(count)]
        return operand(self.type, dimensions, "CONSTANT_COPY", value=values, scale=0.002, zeroPoint=128)

    def bias(self):
        if not self.scale:
            return operand(self.type, [channels], "CONSTANT_COPY",
                           value=[draw.uniform(-1, 1) for _ in range(channels)])
        return operand("TENSOR_INT32", [channels], "CONSTANT_COPY", scale=self.scale * 0.002,
                       value=[draw.randrange(-1000, 1000) for _ in range(channels)])

    def apply(self, operation, inputs, lifetime="TEMPORARY_VARIABLE"):
        result = self.image(lifetime)
        operations.append({"type": operation, "inputs": inputs, "outputs": [result]})
        return result


same, one, none, relu6, three = scalar(1), scalar(1), scalar(0), scalar(3), scalar(3)
inputs, outputs = [], []
for kind in (Kind("TENSOR_FLOAT32", 0), Kind("TENSOR_QUANT8_ASYMM", 0.05)):
    image = kind.image("SUBGRAPH_INPUT")
    inputs.append(image)
    for _ in range(rounds):
        product = kind.apply("CONV_2D", [image, kind.weights([channels, 1, 1, channels]), kind.bias(),
                                         same, one, one, none])
        image = kind.apply("ADD", [product, image, relu6])
    outputs += [
        kind.apply("CONV_2D", [image, kind.weights([channels, 3, 3, channels]), kind.bias(),
                               same, one, one, none], "SUBGRAPH_OUTPUT"),
        kind.apply("DEPTHWISE_CONV_2D", [image, kind.weights([1, 3, 3, channels]), kind.bias(),
                                         same, one, one, one, relu6], "SUBGRAPH_OUTPUT"),
        kind.apply("MAX_POOL_2D", [image, same, one, one, three, three, none], "SUBGRAPH_OUTPUT"),
        kind.apply("AVERAGE_POOL_2D", [image, same, one, one, three, three, none], "SUBGRAPH_OUTPUT")]
path.write_text(json.dumps({
    "halVersion": "1.3",
    "main": {"operands": operands, "operations": operations, "inputIndexes": inputs,
             "outputIndexes": outputs}}))
