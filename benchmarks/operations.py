#!/usr/bin/env python3
"""What an operation takes for each element, by type: where a lowering is slow.

usage: benchmarks/operations.py BUILD-DIR [--only=REGEX] [--beside=BUILD-DIR]

Each line is a model of one operation on the device nnhal-cpu, one thread: its
best execution and what that is for each element of the larger of inputs and
outputs. With --beside, which names the build of another revision, processes of
both take turns, and the last column is its best time over that of BUILD-DIR.
A form that fails is printed with the reason, and the exit status is 1.

  --only=REGEX     forms whose name, such as CONV_2D.f16, has a match
  --beside=DIR     another build
  --rounds=N       processes of each build for a form (2)
  --repeat=N       executions in each process (8)
  --verify         compare each form with nnhal-reference, and time nothing: pools and
                   contractions of bytes to the byte, others within the tolerance of
                   docs/Devices/TestCases.md
"""
import argparse
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TYPES = {"f32": "TENSOR_FLOAT32", "f16": "TENSOR_FLOAT16", "u8": "TENSOR_QUANT8_ASYMM",
         "s8": "TENSOR_QUANT8_ASYMM_SIGNED", "i32": "TENSOR_INT32", "bool": "TENSOR_BOOL8"}
FLOATS = ("f32", "f16")
BYTES = ("u8", "s8")
# Their arithmetic on bytes is that of integers.
EXACT = re.compile(r"(POOL_2D|CONV_2D|FULLY_CONNECTED).*\.[us]8")
PICTURE = (1, 64, 64, 64)
ROWS = (4096, 64)


class Model:
    """One operation of the element type KIND, in the JSON of docs/Using/ModelJson.md."""

    def __init__(self, kind):
        self.kind = kind
        self.operands, self.inputs, self.outputs = [], [], []

    def add(self, kind, dimensions, lifetime, **more):
        self.operands.append({"type": kind, "dimensions": list(dimensions), "lifetime": lifetime,
                              **more})
        return len(self.operands) - 1

    def tensor(self, dimensions, lifetime, kind=None, scale=0.5, zero=3, **more):
        kind = kind or self.kind
        if kind in BYTES:
            more |= {"scale": scale, "zeroPoint": zero}
        return self.add(TYPES[kind], dimensions, lifetime, **more)

    def input(self, dimensions, kind=None, **more):
        self.inputs.append(self.tensor(dimensions, "SUBGRAPH_INPUT", kind, **more))
        return self.inputs[-1]

    def output(self, dimensions, kind=None, **more):
        self.outputs.append(self.tensor(dimensions, "SUBGRAPH_OUTPUT", kind, **more))
        return self.outputs[-1]

    def number(self, value):
        return self.add("INT32", [], "CONSTANT_COPY", value=[value])

    def numbers(self, *values):
        return [self.number(value) for value in values]

    def truth(self, value):
        return self.add("BOOL", [], "CONSTANT_COPY", value=[int(value)])

    def real(self, value):
        return self.add("FLOAT16" if self.kind == "f16" else "FLOAT32", [], "CONSTANT_COPY",
                        value=[value])

    def list(self, values, rows=None):
        shape = [rows, len(values) // rows] if rows else [len(values)]
        return self.add("TENSOR_INT32", shape, "CONSTANT_COPY", value=list(values))

    def weights(self, dimensions, is_computed):
        if is_computed:
            return self.input(dimensions, scale=0.25, zero=0)
        count, draw = math.prod(dimensions), random.Random(1)
        values = [draw.randint(-8, 8) / 8 if self.kind in FLOATS else draw.randint(0, 100)
                  for _ in range(count)]
        return self.tensor(dimensions, "CONSTANT_COPY", scale=0.25, zero=0, value=values)

    def bias(self, channels):
        if self.kind in FLOATS:
            return self.tensor([channels], "CONSTANT_COPY", value=[1] * channels)
        return self.add("TENSOR_INT32", [channels], "CONSTANT_COPY", value=[5] * channels,
                        scale=0.125)

    def text(self, operation, inputs):
        return json.dumps({
            "halVersion": "1.3", "referenced": [], "extensionNameToPrefix": [],
            "main": {"operands": self.operands, "inputIndexes": self.inputs,
                     "outputIndexes": self.outputs,
                     "operations": [{"type": operation, "inputs": inputs,
                                     "outputs": self.outputs}]}})

    def elements(self):
        def count(indexes):
            return sum(math.prod(self.operands[index]["dimensions"]) for index in indexes)
        return max(count(self.inputs), count(self.outputs))


def unary(operation, kinds, output=None):
    def build(model):
        inputs = [model.input(PICTURE)]
        model.output(PICTURE, **(output or {}).get(model.kind, {}))
        return operation, inputs
    yield operation, kinds, build


def binary(operation, kinds, result=None, has_activation=False):
    def build(model):
        inputs = [model.input(PICTURE), model.input(PICTURE)]
        model.output(PICTURE, result, scale=1.0)
        return operation, inputs + (model.numbers(0) if has_activation else [])
    yield operation, kinds, build


def pools():
    for operation in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"):
        kinds = FLOATS if operation == "L2_POOL_2D" else FLOATS + BYTES
        for window in (2, 3, 7, 64):
            def build(model, operation=operation, window=window):
                is_whole = window == 64
                side = 1 if is_whole else 32
                inputs = [model.input(PICTURE)] + model.numbers(
                    2 if is_whole else 1, 2, 2, window, window, 0)
                model.output([1, side, side, 64])
                return operation, inputs
            yield f"{operation}-{window}x{window}", kinds, build


def contractions():
    """Convolutions of 32x32 pixels and 32 channels, and a product of matrices."""
    side = [1, 32, 32, 32]
    forms = {
        "CONV_2D": (side, [32, 3, 3, 32], lambda m: m.numbers(1, 1, 1, 0)),
        "GROUPED_CONV_2D": (side, [32, 3, 3, 8], lambda m: m.numbers(1, 1, 1, 4, 0) +
                            [m.truth(False)]),
        "DEPTHWISE_CONV_2D": (side, [1, 3, 3, 32], lambda m: m.numbers(1, 1, 1, 1, 0)),
        "TRANSPOSE_CONV_2D": ([1, 16, 16, 32], [32, 3, 3, 32], lambda m: [m.list(side)] +
                              m.numbers(1, 2, 2, 0) + [m.truth(False)]),
        "FULLY_CONNECTED": ([16, 512], [512, 512], lambda m: m.numbers(0))}
    for operation, (inputs, weights, parameters) in forms.items():
        for is_computed in (False, True):
            def build(model, operation=operation, shape=inputs, weights=weights,
                      parameters=parameters, is_computed=is_computed):
                channels = weights[3 if operation == "DEPTHWISE_CONV_2D" else 0]
                operands = [model.input(shape), model.weights(weights, is_computed),
                            model.bias(channels)]
                model.output([16, 512] if operation == "FULLY_CONNECTED" else side, scale=50.0)
                return operation, operands + parameters(model)
            yield operation + ("-by-input" if is_computed else ""), FLOATS + BYTES, build


def odd_contractions():
    """Contractions whose extents are no multiples of what registers hold, and other windows."""
    side = [1, 32, 32, 32]

    def conv(output, weights, shape=None, stride=1, padding=1, more=()):
        return ("CONV_2D", shape or side, weights, output,
                lambda m: m.numbers(padding, stride, stride, 0) +
                ([m.truth(False)] + m.numbers(*more) if more else []))

    def depthwise(output, weights, shape=None, stride=1, multiplier=1, more=()):
        return ("DEPTHWISE_CONV_2D", shape or side, weights, output,
                lambda m: m.numbers(1, stride, stride, multiplier, 0) +
                ([m.truth(False)] + m.numbers(*more) if more else []))
    forms = {
        "CONV_2D-odd": conv([1, 31, 31, 33], [33, 3, 3, 17], [1, 31, 31, 17]),
        "CONV_2D-dilated": conv(side, [32, 3, 3, 32], more=(2, 2)),
        "CONV_2D-from-one": conv([1, 64, 64, 32], [32, 5, 5, 1], [1, 64, 64, 1]),
        "CONV_2D-from-three": conv([1, 64, 64, 32], [32, 3, 3, 3], [1, 128, 128, 3], stride=2),
        "CONV_2D-to-one": conv([1, 32, 32, 1], [1, 3, 3, 32]),
        "CONV_2D-row": conv(side, [32, 1, 7, 32]),
        "CONV_2D-column": conv(side, [32, 7, 1, 32]),
        "CONV_2D-batch": conv([8, 8, 8, 32], [32, 3, 3, 32], [8, 8, 8, 32]),
        "CONV_2D-whole": conv([1, 1, 1, 64], [64, 8, 8, 32], [1, 8, 8, 32], padding=2),
        "CONV_2D-1x1-stride": conv([1, 16, 16, 64], [64, 1, 1, 32], stride=2),
        "DEPTHWISE_CONV_2D-odd": depthwise([1, 31, 31, 17], [1, 3, 3, 17], [1, 31, 31, 17]),
        "DEPTHWISE_CONV_2D-multiplier": depthwise([1, 32, 32, 64], [1, 3, 3, 64], multiplier=2),
        "DEPTHWISE_CONV_2D-from-one": depthwise([1, 64, 64, 8], [1, 10, 8, 8], [1, 64, 64, 1],
                                                multiplier=8),
        "DEPTHWISE_CONV_2D-dilated": depthwise(side, [1, 3, 3, 32], more=(2, 2)),
        "DEPTHWISE_CONV_2D-7x7-stride": depthwise([1, 16, 16, 32], [1, 7, 7, 32], stride=2),
        "DEPTHWISE_CONV_2D-row": depthwise([1, 1, 1024, 32], [1, 1, 9, 32], [1, 1, 1024, 32]),
        "FULLY_CONNECTED-odd": ("FULLY_CONNECTED", [3, 129], [65, 129], [3, 65],
                                lambda m: m.numbers(0)),
        "FULLY_CONNECTED-one": ("FULLY_CONNECTED", [1, 1024], [1001, 1024], [1, 1001],
                                lambda m: m.numbers(0))}
    computed = ("CONV_2D-odd", "DEPTHWISE_CONV_2D-multiplier", "FULLY_CONNECTED-odd")
    for name, is_computed in [(name, False) for name in forms] + [(name, True) for name in computed]:
        operation, shape, weights, output, parameters = forms[name]

        def build(model, operation=operation, shape=shape, weights=weights, output=output,
                  parameters=parameters, is_computed=is_computed):
            operands = [model.input(shape), model.weights(weights, is_computed),
                        model.bias(output[-1])]
            model.output(output, scale=50.0)
            return operation, operands + parameters(model)
        yield name + ("-by-input" if is_computed else ""), FLOATS + BYTES, build


def reductions():
    for axes in ([1, 2], [3], [1]):
        for operation in ("MEAN", "REDUCE_MAX", "REDUCE_SUM"):
            def build(model, operation=operation, axes=axes):
                inputs = [model.input(PICTURE), model.list(axes),
                          model.number(0) if operation == "MEAN" else model.truth(False)]
                model.output([extent for axis, extent in enumerate(PICTURE) if axis not in axes])
                return operation, inputs
            kinds = FLOATS if operation == "REDUCE_SUM" else FLOATS + BYTES
            yield f"{operation}-{'-'.join(map(str, axes))}", kinds, build
    for axis in (1, 3):
        def build(model, axis=axis):
            inputs = [model.input(PICTURE), model.number(axis)]
            model.output([extent for at, extent in enumerate(PICTURE) if at != axis], "i32")
            return "ARGMAX", inputs
        yield f"ARGMAX-{axis}", FLOATS + BYTES + ("i32",), build


def normalizations():
    probabilities = {"u8": {"scale": 1 / 256, "zero": 0}, "s8": {"scale": 1 / 256, "zero": -128}}
    units = {"u8": {"scale": 1 / 128, "zero": 128}, "s8": {"scale": 1 / 128, "zero": 0}}

    def softmax(model):
        inputs = [model.input(ROWS), model.real(1.0)]
        if model.kind in BYTES:
            model.operands[inputs[1]]["type"] = "FLOAT32"
        model.output(ROWS, **probabilities.get(model.kind, {}))
        return "SOFTMAX", inputs
    yield "SOFTMAX", FLOATS + BYTES, softmax

    def log_softmax(model):
        inputs = [model.input(ROWS), model.real(1.0), model.number(-1)]
        model.output(ROWS)
        return "LOG_SOFTMAX", inputs
    yield "LOG_SOFTMAX", FLOATS, log_softmax

    def local(model):
        inputs = [model.input(PICTURE), model.number(5)] + [
            model.real(value) for value in (1.0, 1e-4, 0.75)]
        model.output(PICTURE)
        return "LOCAL_RESPONSE_NORMALIZATION", inputs
    yield "LOCAL_RESPONSE_NORMALIZATION", FLOATS, local
    yield from unary("L2_NORMALIZATION", FLOATS + BYTES, units)
    yield from unary("LOGISTIC", FLOATS + BYTES, probabilities)
    yield from unary("TANH", FLOATS + BYTES, units)


def movements():
    for order in ((0, 2, 1, 3), (0, 3, 1, 2), (0, 2, 3, 1)):
        def build(model, order=order):
            inputs = [model.input(PICTURE), model.list(order)]
            model.output([PICTURE[axis] for axis in order])
            return "TRANSPOSE", inputs
        yield f"TRANSPOSE-{''.join(map(str, order))}", ("f32", "f16", "u8"), build

    def pad(model):
        inputs = [model.input(PICTURE), model.list([0, 0, 1, 1, 1, 1, 0, 0], rows=4)]
        model.output([1, 66, 66, 64])
        return "PAD", inputs
    yield "PAD", FLOATS + BYTES, pad

    def join(model):
        inputs = [model.input(PICTURE), model.input(PICTURE), model.number(3)]
        model.output([1, 64, 64, 128])
        return "CONCATENATION", inputs
    yield "CONCATENATION", FLOATS + BYTES, join

    def gather(model):
        inputs = [model.input([1000, 256]), model.number(0),
                  model.list([row * 37 % 1000 for row in range(1000)])]
        model.output([1000, 256])
        return "GATHER", inputs
    yield "GATHER", FLOATS + BYTES + ("i32",), gather
    for operation in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
        def resize(model, operation=operation):
            inputs = [model.input([1, 32, 32, 64])] + model.numbers(64, 64) + [
                model.truth(False) for _ in range(3)]
            model.output(PICTURE)
            return operation, inputs
        yield operation, FLOATS + BYTES, resize

    def largest(model):
        inputs = [model.input([64, 4096]), model.number(10)]
        model.output([64, 10])
        model.output([64, 10], "i32")
        return "TOPK_V2", inputs
    yield "TOPK_V2", FLOATS + BYTES + ("i32",), largest


def more_movements():
    """Parts, blocks and copies of pictures."""
    half = [1, 32, 32, 64]

    def split(axis):
        def build(model):
            inputs = [model.input(PICTURE)] + model.numbers(axis, 2)
            part = [extent // 2 if at == axis else extent for at, extent in enumerate(PICTURE)]
            model.output(part)
            model.output(part)
            return "SPLIT", inputs
        return build
    yield "SPLIT-3", FLOATS + BYTES, split(3)
    yield "SPLIT-1", FLOATS + BYTES, split(1)

    def strided(model):
        inputs = [model.input(PICTURE)] + [model.list(values) for values in (
            [0, 0, 0, 0], PICTURE, [1, 2, 2, 1])] + model.numbers(0, 0, 0)
        model.output(half)
        return "STRIDED_SLICE", inputs
    yield "STRIDED_SLICE", FLOATS + BYTES, strided

    def plain(operation, output, parameters, name=None, shape=PICTURE):
        def build(model):
            inputs = [model.input(shape)] + parameters(model)
            model.output(output)
            return operation, inputs
        return name or operation, FLOATS + BYTES, build
    yield plain("SLICE", half, lambda m: [m.list([0, 16, 16, 0]), m.list(half)])
    yield plain("SPACE_TO_DEPTH", [1, 32, 32, 256], lambda m: m.numbers(2))
    yield plain("DEPTH_TO_SPACE", [1, 128, 128, 16], lambda m: m.numbers(2))
    yield plain("SPACE_TO_BATCH_ND", [4, 32, 32, 64],
                lambda m: [m.list([2, 2]), m.list([0, 0, 0, 0], rows=2)])
    yield plain("BATCH_TO_SPACE_ND", PICTURE, lambda m: [m.list([2, 2])], shape=[4, 32, 32, 64])
    yield plain("TILE", [1, 64, 128, 64], lambda m: [m.list([1, 1, 2, 1])])
    yield plain("CHANNEL_SHUFFLE", PICTURE, lambda m: m.numbers(4, 3))
    yield plain("RESIZE_BILINEAR", PICTURE, lambda m: m.numbers(64, 64) + [
        m.truth(False), m.truth(False), m.truth(True)], "RESIZE_BILINEAR-half-pixel", half)
    yield plain("RESIZE_NEAREST_NEIGHBOR", PICTURE, lambda m: m.numbers(64, 64) + [
        m.truth(False), m.truth(False), m.truth(True)], "RESIZE_NEAREST_NEIGHBOR-half-pixel", half)

    def lookup(model):
        inputs = [model.input([256], "i32"), model.input([1000, 256])]
        model.operands[inputs[0]] |= {"lifetime": "CONSTANT_COPY",
                                      "value": [row * 37 % 1000 for row in range(256)]}
        model.inputs.pop(0)
        model.output([256, 256])
        return "EMBEDDING_LOOKUP", inputs
    yield "EMBEDDING_LOOKUP", ("f32", "u8", "i32"), lookup


def broadcasts():
    """Elementwise operations of a picture and less, or of several operands."""
    shapes = {"channel": [1, 1, 1, 64], "pixel": [1, 64, 64, 1], "one": [1]}
    for operation in ("ADD", "MUL", "MAXIMUM"):
        for name, shape in shapes.items():
            def build(model, operation=operation, shape=shape):
                inputs = [model.input(PICTURE), model.input(shape)]
                model.output(PICTURE, scale=1.0)
                return operation, inputs + (model.numbers(0) if operation != "MAXIMUM" else [])
            yield f"{operation}-{name}", FLOATS + BYTES, build

    def prelu(model):
        inputs = [model.input(PICTURE), model.weights([1, 1, 64], False)]
        model.output(PICTURE, scale=1.0)
        return "PRELU", inputs
    yield "PRELU", FLOATS + BYTES, prelu

    def select(model):
        inputs = [model.input(PICTURE, "bool"), model.input(PICTURE), model.input(PICTURE)]
        model.output(PICTURE)
        return "SELECT", inputs
    yield "SELECT", FLOATS + BYTES + ("i32",), select

    def quantize(model):
        inputs = [model.input(PICTURE, "f32")]
        model.output(PICTURE)
        return "QUANTIZE", inputs
    yield "QUANTIZE", BYTES, quantize

    def dequantize(model):
        inputs = [model.input(PICTURE)]
        model.output(PICTURE, "f32")
        return "DEQUANTIZE", inputs
    yield "DEQUANTIZE", BYTES, dequantize

    def cast(model):
        inputs = [model.input(PICTURE)]
        model.output(PICTURE, "f32" if model.kind != "f32" else "i32")
        return "CAST", inputs
    yield "CAST", FLOATS + ("u8", "i32"), cast

    def instance(model):
        inputs = [model.input(PICTURE)] + [model.real(value) for value in (1.0, 0.5, 1e-3)]
        model.output(PICTURE)
        return "INSTANCE_NORMALIZATION", inputs + [model.truth(False)]
    yield "INSTANCE_NORMALIZATION", FLOATS, instance


def forms():
    """Name, element types, and what builds the model and says operation and inputs."""
    for operation in ("ADD", "MUL"):
        yield from binary(operation, FLOATS + BYTES + ("i32",), has_activation=True)
    yield from binary("DIV", FLOATS, has_activation=True)
    for operation in ("MAXIMUM", "MINIMUM"):
        yield from binary(operation, FLOATS + BYTES + ("i32",))
    yield from binary("POW", FLOATS)
    yield from binary("LESS", FLOATS + BYTES + ("i32",), result="bool")
    for operation in ("RELU", "RELU6", "HARD_SWISH"):
        yield from unary(operation, FLOATS + BYTES)
    for operation in ("ABS", "EXP", "LOG", "RSQRT", "SIN", "SQRT"):
        yield from unary(operation, FLOATS)
    yield from pools()
    yield from contractions()
    yield from odd_contractions()
    yield from reductions()
    yield from normalizations()
    yield from movements()
    yield from more_movements()
    yield from broadcasts()


def run(build, model, arguments, device="nnhal-cpu"):
    return subprocess.run([build / "bin/nnhal-run", model, "--input=random:1",
                           f"--device={device}", *arguments], capture_output=True, text=True)


def best(build, model, options):
    """Microseconds, or why there are none."""
    result = run(build, model, ["--time=json", "--warmup=1", f"--repeat={options.repeat}"])
    if result.returncode != 0:
        return None, result.stderr.strip()
    return json.loads(result.stdout.splitlines()[-1])["min_us"], None


def time_form(name, elements, model, options):
    builds = [options.build] + ([options.beside] if options.beside else [])
    times = [math.inf] * len(builds)
    for _ in range(options.rounds):
        for index, build in enumerate(builds):
            time, error = best(build, model, options)
            if error:
                print(f"{name}: {error}", flush=True)
                return False
            times[index] = min(times[index], time)
    ratio = f" {times[1] / times[0]:8.2f}" if options.beside else ""
    print(f"{name:36} {times[0]:10.1f} us {times[0] * 1e3 / elements:9.3f} ns{ratio}", flush=True)
    return True


def verify_form(name, model, options):
    if EXACT.match(name):
        outputs = model.parent / "outputs"
        result = run(options.build, model, [f"--output-dir={outputs}"], "nnhal-reference")
        if result.returncode == 0:
            result = run(options.build, model, ["--tolerance=exact",
                                                f"--expect=0={outputs / 'output_0.npy'}"])
    else:
        result = run(options.build, model, ["--verify=reference"])
    print(f"{name}: {'agrees' if result.returncode == 0 else result.stdout + result.stderr}",
          flush=True)
    return result.returncode == 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--beside", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=8)
    parser.add_argument("--verify", action="store_true")
    options = parser.parse_args()
    for build in filter(None, (options.build, options.beside)):
        if not (build / "bin/nnhal-run").exists():
            sys.exit(f"error: {build} has no bin/nnhal-run")
    failures = forms_found = 0
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "model.json"
        for operation, kinds, build in forms():
            for kind in kinds:
                name = f"{operation}.{kind}"
                if not re.search(options.only, name):
                    continue
                forms_found += 1
                model = Model(kind)
                path.write_text(model.text(*build(model)))
                failures += not (verify_form(name, path, options) if options.verify else
                                 time_form(name, model.elements(), path, options))
    if not forms_found:
        sys.exit(f"error: no form matches '{options.only}'")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
