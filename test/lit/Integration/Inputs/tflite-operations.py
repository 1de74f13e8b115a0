"""usage: tflite-operations.py DIR EXTENTS KIND

Writes DIR/model.json, operations of nnhal.tflite that become code, and DIR/*.bin,
its inputs. The options of nnhal-run that name these go to DIR/inputs, and with those that expect
the outputs that it has written to DIR to DIR/expected. The kind is
ELEMENTS, functions of each element, APPROXIMATE, those that are not exact, EVERY,
functions of all 65,536 numbers of 16 bits, ROWS, SOFTMAX of the last dimension, MOVED,
operators that move elements of a tensor of three dimensions, REDUCED, those that
join its elements, PLACED, those that use or yield places in it, SUMMED, sums that
go on along it, BITS, functions of bits, RESIZED and POOLED, images of another size
and pools of an image with as many lines, columns and channels, NORMALIZED, rows of
floats that are normalized, which are not exact, CONVOLVED, convolutions of an image
whose channels have weights of their own, CONTRACTED, convolutions and products that
join channels, BYTES, products of bytes, REQUANTIZED, integers of one form in another, BYTE_ROWS, SOFTMAX of rows of bytes,
GROUPED and TRANSPOSED, convolutions in groups
and transposed ones, MULTIPLIED, products of matrices of rows, depth and columns, SHAPED, operators that take shapes which
others compute, CHAINED, such operators between others, or OUTSIDE and ASTRAY, indices of which
some are outside of their dimension."""

import json
import pathlib
import random
import struct
import sys

folder = pathlib.Path(sys.argv[1])
extents = [int(extent) for extent in sys.argv[2].split("x")]
kind = sys.argv[3]
isApproximate = kind in ("APPROXIMATE", "NORMALIZED")
operands, operations, inputs, outputs, names = [], [], [], [], []
draw = random.Random(len(extents))
FIXED, FLOAT, INT, LONG, TRUTH = "TENSOR_QUANT16_SYMM", "TENSOR_FLOAT32", "TENSOR_INT32", "nnhal.tflite:0", "TENSOR_BOOL8"
SIGNED, BYTE, HALF = "TENSOR_QUANT8_ASYMM_SIGNED", "TENSOR_QUANT8_ASYMM", "TENSOR_FLOAT16"
UNSIGNED, WORD, DOUBLE = "nnhal.tflite:1", "nnhal.tflite:2", "nnhal.tflite:4"
WEIGHT, ABOVE = "TENSOR_QUANT8_SYMM", "TENSOR_QUANT16_ASYMM"
CODES = {WEIGHT: "b", ABOVE: "H", FIXED: "h", FLOAT: "f", INT: "i", LONG: "q", TRUTH: "B", SIGNED: "b", BYTE: "B", HALF: "e", UNSIGNED: "I",
         WORD: "H", DOUBLE: "d"}


def operand(type, dimensions, lifetime, **more):
    operands.append({"type": type, "dimensions": dimensions, "lifetime": lifetime} | more)
    return len(operands) - 1


def value(type):
    if isApproximate:
        return draw.uniform(0.01, 9)
    if type == FLOAT:
        return draw.choice([draw.uniform(-9, 9), draw.randrange(-99, 99) + 0.5, draw.choice([1e20, -1e20, 40000.0])])
    if type == TRUTH:
        return draw.choice([0, 1])
    if type in (HALF, DOUBLE):
        return draw.choice([draw.uniform(-9, 9), 0.0, -0.0, 65504.0])
    if type in (BYTE, UNSIGNED, WORD, ABOVE):
        bits = {BYTE: 8, UNSIGNED: 32, WORD: 16, ABOVE: 16}[type]
        return draw.choice([draw.randrange(1 << bits), 0, (1 << bits) - 1, draw.randrange(9)])
    bits = {FIXED: 15, INT: 31, LONG: 63, SIGNED: 7}[type]
    return draw.choice([draw.randrange(-(1 << bits), 1 << bits), -(1 << bits), (1 << bits) - 1, draw.randrange(-9, 9)])


def quantization(type, scale):
    return ({"scale": scale} if scale else {}) | ({"zeroPoint": 3} if type in (SIGNED, BYTE, ABOVE) else {})


def constant(type, numbers, dimensions=None, scale=0):
    # The file format has no numbers of an extension's types.
    stored = list(struct.pack(f"<{len(numbers)}q", *numbers) if type == LONG else numbers)
    return operand(type, dimensions or [len(numbers)], "CONSTANT_COPY", value=stored, **quantization(type, scale))


def tensor(type, dimensions, scale=0, values=None):
    count = 1
    for extent in dimensions:
        count *= extent
    code = CODES[type]
    (folder / f"{len(inputs)}.bin").write_bytes(struct.pack(f"<{count}{code}", *[values() if values else value(type) for _ in range(count)]))
    names.append(f"--input={len(inputs)}={folder}/{len(inputs)}.bin")
    inputs.append(operand(type, dimensions, "SUBGRAPH_INPUT", **quantization(type, scale)))
    return inputs[-1]


def divisors(type, dimensions, scale=0):
    """A constant without a 0, which divides numbers of both signs by both."""
    count = 1
    for extent in dimensions:
        count *= extent
    bits = {FIXED: 15, INT: 31, LONG: 63, SIGNED: 7, BYTE: 8}[type]
    least, most = (0 if type == BYTE else -(1 << bits)), (1 << bits) - 1
    zero = 3 if type in (SIGNED, BYTE) else 0
    numbers = [draw.choice([max(zero - 1, least), zero + 1, zero + 2, zero - 3, zero + 7, least, most]) for _ in range(count)]
    return constant(type, numbers, dimensions, scale)


def option(type, number):
    return operand(type, [], "CONSTANT_COPY", value=[number])


def compute(number, ins, type, options=(), scale=0, shapes=None):
    results = [operand(type, shape, "SUBGRAPH_OUTPUT", **quantization(type, scale))
               for shape in shapes or [extents]]
    operations.append({"type": f"nnhal.tflite:{number}", "inputs": list(ins) + list(options), "outputs": results})
    outputs.extend(results)


def write():
    model = {"halVersion": "1.3", "extensionNameToPrefix": [{"name": "nnhal.tflite", "prefix": 1}],
             "main": {"operands": operands, "operations": operations, "inputIndexes": inputs, "outputIndexes": outputs}}
    (folder / "model.json").write_text(json.dumps(model))
    (folder / "inputs").write_text(" ".join(names))
    expected = [f"--expect={n}={folder}/output_{n}.npy" for n in range(len(outputs))]
    (folder / "expected").write_text(" ".join(names + expected))


EXP, LOG, SIN, COS, TANH, LOGISTIC = 47, 73, 66, 108, 28, 14
ELU, GELU, POW, ATAN2 = 111, 150, 78, 156
ADD, MUL, SUB, SQUARED_DIFFERENCE = 0, 18, 41, 99
MAXIMUM, MINIMUM, XOR, COMPARISONS = 55, 57, 160, (58, 61, 62, 63, 71, 72)
DIV, FLOOR_DIV, FLOOR_MOD, PRELU, HARD_SWISH, NEG = 42, 90, 95, 54, 117, 59
OR, AND, NOT, CAST = 84, 86, 87, 53
SOFTMAX, AVERAGE_POOL, MAX_POOL = 25, 1, 17
MEAN, SUM, PROD, REDUCE_MAX, REDUCE_MIN, ANY, ALL = 40, 74, 81, 82, 89, 91, 140
CONCATENATION, DEPTH_TO_SPACE, SPACE_TO_DEPTH, PAD, TRANSPOSE, SPLIT = 2, 5, 26, 34, 39, 49
RESHAPE, STRIDED_SLICE, TILE = 22, 45, 69
ARG_MAX, ARG_MIN, GATHER, GATHER_ND, ONE_HOT, MATRIX_DIAG, ADD_N, CUMSUM = 56, 79, 36, 107, 85, 113, 106, 128
SHAPE, RANK, ZEROS_LIKE, FILL, BITCAST, RIGHT_SHIFT, SHIFT_LEFT = 77, 110, 93, 94, 159, 161, 207
BATCH_TO_SPACE, SPACE_TO_BATCH, BILINEAR, NEAREST, LOG_SOFTMAX, L2_NORMALIZATION = 37, 38, 23, 97, 50, 11
SELECT_V2, BROADCAST_TO, DEPTHWISE, CONV_2D, FULLY_CONNECTED, BATCH_MATMUL, TRANSPOSE_CONV = 123, 130, 4, 3, 9, 126, 67
QUANTIZE, RELU, RELU_N1_TO_1, RELU6, ABS, RELU_0_TO_1 = 114, 19, 20, 21, 101, 152
PADV2, SLICE, PACK, UNPACK, MIRROR_PAD, SPLIT_V, REVERSE = 60, 65, 83, 88, 100, 102, 105


def every():
    numbers = iter([number for number in range(-32768, 32768)] * 9)
    # Scales below, within and above the powers of two that are shifts.
    for scale in (2**-12, 2**-11, 2**-10, 2**-15, 0.00013, 0.0021, 0.7, 3000.0):
        x = tensor(FIXED, extents, scale, values=lambda: next(numbers))
        compute(LOGISTIC, [x], FIXED, scale=2**-15)
        compute(TANH, [x], FIXED, scale=2**-15)
        for step in (2**-15, 0.05):
            compute(EXP, [x], FIXED, scale=step)
        compute(GELU, [x], FIXED, [option("BOOL", 0)], scale)
        compute(LOG, [x], FIXED, scale=0.0004)
    x = tensor(FIXED, extents, 0.5, values=lambda: next(numbers))
    for divisor in (1, -1, 2, -2, 7, -7, 255, 32767, -32768):
        by = operand(FIXED, [1], "CONSTANT_COPY", value=[divisor], scale=0.5)
        compute(FLOOR_DIV, [x, by], FIXED, scale=0.5)
        compute(FLOOR_MOD, [x, by], FIXED, scale=0.5)
        compute(DIV, [x, by], FIXED, [option("INT32", 0)], 0.07)


def rows():
    for scale in (2**-12, 0.0003, 0.05, 100.0):
        for beta in (1.0, 0.3):
            x = tensor(FIXED, extents, scale)
            y = tensor(FIXED, extents, scale, values=lambda: draw.randrange(-500, 500))
            compute(SOFTMAX, [x], FIXED, [option("FLOAT32", beta)], 2**-15)
            compute(SOFTMAX, [y], FIXED, [option("FLOAT32", beta)], 2**-15)


def byteRows():
    """SOFTMAX of bytes with results of 16 bits, far from the largest of which exponentials are 0."""
    for scale in (3e-8, 0.003, 0.1, 2.0, 500.0):
        for beta in (1.0, 0.3):
            x = tensor(SIGNED, extents, scale)
            y = tensor(SIGNED, extents, scale, values=lambda: draw.choice([-3, 0, 1]))
            for row in (x, y):
                compute(SOFTMAX, [row], ABOVE, [option("FLOAT32", beta)], 2**-16)
                operands[outputs[-1]]["zeroPoint"] = 0


def places(*numbers):
    return operand(INT, [len(numbers)], "CONSTANT_COPY", value=list(numbers))


def moved():
    a, b, c = extents
    for type, scale in ((FIXED, 0.5), (FLOAT, 0), (LONG, 0), (TRUTH, 0)):
        def move(number, ins, *shapes, options=()):
            compute(number, ins, type, [option("INT32", number) for number in options], scale, shapes)
        x, y = tensor(type, extents, scale), tensor(type, [a, 2, c], scale)
        deep = tensor(type, [1, 4, 6, 8], scale)
        one = tensor(type, [1], scale)
        move(TRANSPOSE, [x, places(2, 0, -2)], [c, a, b])
        move(SLICE, [x, places(1, 0, 2), places(a - 1, -1, c - 3)], [a - 1, b, c - 3])
        for begins, ends, steps, masks, shape in (
                # begin, end, ellipsis, new axis and shrink masks, and whether ends are offsets.
                ((1, 0, -1), (a, b, 0), (1, 2, -2), (0, 0, 0, 0, 0, 0), [a - 1, (b + 1) // 2, c // 2]),
                ((0, 0, 2), (0, 0, 3), (1, 1, 1), (0, 0, 1, 2, 4, 0), [a, b, 1]),
                ((5, -1, 0), (9, 1, 2), (1, -1, 1), (1, 3, 0, 0, 0, 0), [a, b, 2]),
                ((0, 1), (1, 2), (1, 1), (0, 0, 0, 1, 0, 1), [1, 2, b, c])):
            compute(STRIDED_SLICE, [x, places(*begins), places(*ends), places(*steps)], type,
                    [option("INT32", mask) for mask in masks[:5]] + [option("BOOL", masks[5])], scale, [shape])
        move(TILE, [x, places(2, 1, 3)], [2 * a, b, 3 * c])
        for axes in ((0,), (-1,), (1, 2)):
            move(REVERSE, [x, places(*axes)], extents)
        move(CONCATENATION, [x, y, x], [a, 2 * b + 2, c], options=(-2, 0))
        for axis in (0, 1, -1):
            packed = [a, b, c]
            packed.insert(axis % 4, 2)
            move(PACK, [x, x], packed, options=(2, axis))
        move(PACK, [one, one, one], [3], options=(3, 0))
        move(SPLIT, [places(1), y], [a, 1, c], [a, 1, c], options=(2,))
        move(SPLIT_V, [x, places(1, -1, 2), places(2)], [a, b, 1], [a, b, c - 3], [a, b, 2], options=(3,))
        move(UNPACK, [y], [a, c], [a, c], options=(2, 1))
        move(DEPTH_TO_SPACE, [deep], [1, 8, 12, 2], options=(2,))
        move(SPACE_TO_DEPTH, [deep], [1, 2, 3, 32], options=(2,))
        around, padded = places(0, 1, 2, 0, 1, 2), [a + 1, b + 2, c + 3]
        move(PAD, [x, around], padded)
        move(MIRROR_PAD, [x, around], padded, options=(0,))
        move(MIRROR_PAD, [x, around], padded, options=(1,))
        value = operand(type, [1], "CONSTANT_COPY", value=[1] + [0] * (7 if type == LONG else 0),
                        **({"scale": scale} if scale else {}))
        move(PADV2, [x, around, value], padded)


def reduced():
    kinds = ((FIXED, 0.5, (MEAN, SUM, REDUCE_MAX, REDUCE_MIN)), (INT, 0, (MEAN, SUM, PROD, REDUCE_MAX, REDUCE_MIN)),
             (LONG, 0, (MEAN, SUM, PROD, REDUCE_MAX, REDUCE_MIN)), (FLOAT, 0, (REDUCE_MAX, REDUCE_MIN)),
             (TRUTH, 0, (ANY, ALL)), (SIGNED, 0.5, (SUM,)), (BYTE, 0.02, (SUM,)))
    for type, scale, numbers in kinds:
        x = tensor(type, extents, scale)
        for axes in ((0,), (1,), (-1,), (1, 0), (2, 0, -1), (0, 1, 2)):
            rest = [extent for axis, extent in enumerate(extents) if axis not in axes and axis - 3 not in axes]
            kept = [1 if axis in axes or axis - 3 in axes else extent for axis, extent in enumerate(extents)]
            for number in numbers:
                if rest:
                    compute(number, [x, places(*axes)], type, [option("BOOL", 0)], scale * 0.7, [rest])
                compute(number, [x, places(*axes)], type, [option("BOOL", 1)], scale * 1.3, [kept])


def pooled():
    height, width, channels = extents
    x, bytes = tensor(FIXED, [2, *extents], 0.01), tensor(SIGNED, [2, *extents], 0.5)
    for isValid in (0, 1):
        for stride, size in (((1, 1), (2, 3)), ((2, 2), (2, 2)), ((2, 3), (3, 2)), ((3, 2), (1, 1)),
                             ((1, 1), (height, width)), ((4, 4), (3, 3))):
            places = [(extent - count) // step + 1 if isValid else -(-extent // step)
                      for extent, count, step in zip((height, width), size, stride)]
            for number, image, type, scale in ((AVERAGE_POOL, x, FIXED, 0.01), (MAX_POOL, x, FIXED, 0.01),
                                               (AVERAGE_POOL, bytes, SIGNED, 0.5)):
                for activation in range(4):
                    options = (isValid, stride[1], stride[0], size[1], size[0], activation)
                    compute(number, [image], type, [option("INT32", value) for value in options], scale,
                            [[2, *places, channels]])


def best():
    """Elements of few numbers, so that several are the best, and first ones that are no numbers."""
    special = [0.0, -0.0, 1.5, float("inf"), float("-inf"), float("nan")]
    for type, numbers in ((FLOAT, special), (SIGNED, (-128, 0, 127)), (BYTE, (0, 127, 128, 255)), (FIXED, (-32768, 5, 32767)),
                          (INT, (-(1 << 31), 0, (1 << 31) - 1)), (TRUTH, (0, 1, 2, 255)), (LONG, (-(1 << 63), 1 << 40, -1))):
        scale = 0.5 if type in (SIGNED, BYTE, FIXED) else 0
        for x in (tensor(type, extents, scale, values=lambda: draw.choice(numbers)), tensor(type, extents, scale)):
            for axis in (0, 1, -1):
                rest = [extent for place, extent in enumerate(extents) if place != axis % 3]
                for number in (ARG_MAX, ARG_MIN):
                    for place in (INT, LONG):
                        compute(number, [x, places(axis)], place, [option("INT32", 2)], shapes=[rest])


def gathered(type, scale):
    a, b, c = extents
    x = tensor(type, extents, scale)
    for index in (INT, LONG, FIXED):
        step = 0.5 if index == FIXED else 0
        for axis, extent in enumerate(extents):
            numbers = [0, extent - 1, extent // 2, 0]
            for shape in ([4], [2, 2], [1, 4, 1]):
                found = [*extents[:axis], *shape, *extents[axis + 1:]]
                # Some are constants, and others computed.
                for indices in (constant(index, numbers, shape, step),
                                tensor(index, shape, step, values=iter(numbers).__next__)):
                    compute(GATHER, [x, indices], type, [option("INT32", axis), option("INT32", 0)], scale, [found])
            # A scalar of the file.
            compute(GATHER, [x, constant(index, [extent - 1], [1], step)], type, [option("INT32", axis - 3), option("INT32", 0)],
                    scale, [[*extents[:axis], *extents[axis + 1:]]])
        # Batches, of which each has indices of its own.
        numbers = [draw.randrange(b) for _ in range(a * 2)]
        for indices in (constant(index, numbers, [a, 2], step), tensor(index, [a, 2], step, values=iter(numbers).__next__)):
            for batch in (1, -1):
                compute(GATHER, [x, indices], type, [option("INT32", 1), option("INT32", batch)], scale, [[a, 2, c]])
        numbers = [draw.randrange(c) for _ in range(a * 2)]
        compute(GATHER, [x, constant(index, numbers, [a, 2], step)], type, [option("INT32", 2), option("INT32", 1)], scale,
                [[a, b, 2]])
        if index == FIXED:
            continue
        for depth in (1, 2, 3):
            numbers = [draw.randrange(extent) for _ in range(6) for extent in extents[:depth]]
            for indices in (constant(index, numbers, [2, 3, depth]),
                            tensor(index, [2, 3, depth], values=iter(numbers).__next__)):
                compute(GATHER_ND, [x, indices], type, scale=scale, shapes=[[2, 3, *extents[depth:]]])


def placed():
    best()
    for type in (FLOAT, FIXED, SIGNED, BYTE, TRUTH, INT, LONG, HALF, DOUBLE):
        scale = 0.5 if type in (SIGNED, BYTE, FIXED) else 0
        if type in (FLOAT, SIGNED, LONG, HALF):
            gathered(type, scale)
        on, off = tensor(type, [1], scale), tensor(type, [1], scale)
        for index in (INT, LONG):
            x = tensor(index, extents[:2], values=lambda: draw.choice([0, 1, 4, 5, -1, 1 << 31 - 1, draw.randrange(5)]))
            for axis, shape in ((0, [5, *extents[:2]]), (1, [extents[0], 5, extents[1]]), (-1, [*extents[:2], 5])):
                compute(ONE_HOT, [x, places(5), on, off], type, [option("INT32", axis)], scale, [shape])
            compute(ONE_HOT, [constant(index, [3]), places(5), on, off], type, [option("INT32", 0)], scale, [[5, 1]])
            compute(ONE_HOT, [constant(index, [3]), places(5), on, off], type, [option("INT32", -1)], scale, [[5]])
        compute(MATRIX_DIAG, [tensor(type, extents, scale)], type, scale=scale, shapes=[[*extents, extents[2]]])
        compute(MATRIX_DIAG, [tensor(type, extents[:1], scale)], type, scale=scale, shapes=[extents[:1] * 2])
        x = tensor(type, extents, scale)
        for number in (INT, LONG):
            compute(SHAPE, [x], number, [option("INT32", 2)], shapes=[[3]])
        compute(RANK, [x], INT, shapes=[[1]])
        compute(ZEROS_LIKE, [x], type, scale=scale)
        compute(FILL, [places(2, 3, 1), on], type, scale=scale, shapes=[[2, 3, 1]])
        compute(SELECT_V2, [tensor(TRUTH, extents), x, tensor(type, extents[-1:], scale)], type, scale=scale)
        compute(BROADCAST_TO, [tensor(type, [extents[1], 1], scale), places(*extents)], type, scale=scale)
        compute(TILE, [x, places(1, 2, 1)], type, scale=scale, shapes=[[extents[0], 2 * extents[1], extents[2]]])
        for dimensions, sizes, margins, shape in (
                ([2, 4, 6, 3], (2, 3), (0, 0, 0, 0), [12, 2, 2, 3]), ([2, 3, 5, 1], (2, 2), (1, 2, 0, 1), [8, 3, 3, 1]),
                ([2, 4, 3], (3,), (1, 1), [6, 2, 3]), ([1, 1, 1, 2], (3, 2), (2, 3, 4, 1), [6, 2, 3, 2])):
            pairs = constant(INT, margins, [len(sizes), 2])
            compute(SPACE_TO_BATCH, [tensor(type, dimensions, scale), places(*sizes), pairs], type, scale=scale, shapes=[shape])
            compute(BATCH_TO_SPACE, [tensor(type, shape, scale), places(*sizes), pairs], type, scale=scale, shapes=[dimensions])


def summed():
    for type in (FLOAT, INT, LONG):
        x, zeros = tensor(type, extents), tensor(type, extents, values=lambda: -0.0 if type == FLOAT else 0)
        for axis in (0, 1, 2, -1):
            for isExclusive in (0, 1):
                for isReverse in (0, 1):
                    for each in (x, zeros):
                        compute(CUMSUM, [each, places(axis)], type, [option("BOOL", isExclusive), option("BOOL", isReverse)])
        for values in ((x,), (zeros, zeros), (x, zeros, tensor(type, extents), x)):
            compute(ADD_N, values, type)


def bits():
    for type in (SIGNED, BYTE, FIXED, INT, UNSIGNED, WORD):
        scale = 0.5 if type in (SIGNED, BYTE, FIXED) else 0
        x, y = (tensor(type, extents, scale), tensor(type, extents[-1:], scale))
        for number in (RIGHT_SHIFT, SHIFT_LEFT):
            for by in (y, tensor(type, extents, scale, values=lambda: draw.randrange(40))):
                compute(number, [x, by], type, scale=scale)
    sizes = ((TRUTH, SIGNED, BYTE), (FIXED, WORD, HALF), (FLOAT, INT, UNSIGNED), (LONG, DOUBLE))
    for types in sizes:
        for type in types:
            x = tensor(type, extents, 0.5 if type in (SIGNED, BYTE, FIXED) else 0)
            for target in types:
                compute(BITCAST, [x], target, scale=0.25 if target in (SIGNED, BYTE, FIXED) else 0)


def resized():
    for type in (FLOAT, FIXED, SIGNED, BYTE, INT):
        scale = 0.5 if type in (SIGNED, BYTE, FIXED) else 0
        x = tensor(type, [2, *extents], scale)
        for size in ((1, 1), (2, 3), (7, 5), (13, 9), (extents[0] * 2, extents[1] * 3), tuple(extents[:2])):
            for options in ((0, 0), (1, 0), (0, 1)):
                for number in ((NEAREST, BILINEAR) if type in (FLOAT, FIXED, SIGNED) else (NEAREST,)):
                    compute(number, [x, places(*size)], type, [option("BOOL", value) for value in options], scale,
                            [[2, *size, extents[2]]])


def windows():
    """Whether there is padding, and size, stride, dilation and number of windows that fit."""
    for isValid in (0, 1):
        for size, stride, dilation in (((3, 3), (1, 1), (1, 1)), ((2, 3), (2, 1), (1, 1)), ((3, 2), (1, 2), (2, 1)),
                                       ((1, 1), (1, 1), (1, 1)), ((3, 3), (2, 2), (1, 2)), ((2, 2), (3, 3), (1, 1))):
            reach = [(count - 1) * step + 1 for count, step in zip(size, dilation)]
            found = [(extent - count) // step + 1 if isValid else -(-extent // step)
                     for extent, count, step in zip(extents, reach, stride)]
            if min(found) >= 1:
                yield isValid, size, stride, dilation, found


def filters(dimensions, axis):
    """Weights of 8 bits, with one scale and with one for each channel, which are those of dimension AXIS."""
    count = 1
    for extent in dimensions:
        count *= extent
    values = [draw.choice([draw.randrange(-127, 128), draw.choice([-127, 127, 0, 1, -1])]) for _ in range(count)]
    # The channel whose sums are the largest.
    for place in range(count if axis == 3 else count // dimensions[0]):
        if axis == 0 or place % dimensions[3] == 0:
            values[place] = 127
    scales = [draw.uniform(0.001, 0.02) for _ in range(dimensions[axis])]
    return (operand("TENSOR_QUANT8_SYMM", dimensions, "CONSTANT_COPY", value=values, scale=0.02),
            operand("TENSOR_QUANT8_SYMM_PER_CHANNEL", dimensions, "CONSTANT_COPY", value=values,
                    channelQuant={"scales": scales, "channelDim": axis}))


def activations():
    """Numbers of 16 bits, large and small ones, and the least of all, and the scale of what is made of them."""
    draws = ((lambda: draw.choice([draw.randrange(-32767, 32767), -32768, 32767]), 0.05), (lambda: draw.randrange(-301, 301), 0.002),
             (lambda: -32768, 0.05))
    for values, scale in draws:
        yield tensor(FIXED, [2, *extents], 0.01, values=values), scale


def noBias():
    return operand(FIXED, [], "NO_VALUE", scale=1)


def biases(channels):
    return noBias(), constant(LONG, [draw.randrange(-99999, 99999) for _ in range(channels)])


def convolved():
    """Numbers of 16 bits and weights of 8 bits, with one scale or one for each channel."""
    channels = extents[2]
    for x, scale in activations():
        for isValid, size, stride, dilation, found in windows():
            pairs = [(by, bias) for by in filters([1, *size, channels], 3) for bias in biases(channels)]
            for activation, (by, bias) in enumerate(pairs):
                options = (isValid, stride[1], stride[0], 1, activation, dilation[1], dilation[0])
                compute(DEPTHWISE, [x, by, bias], FIXED, [option("INT32", value) for value in options], scale,
                        [[2, *found, channels]])


def contracted():
    """The same where all channels are joined, by windows and by matrices. Biases of INT32 make sums that wrap."""
    channels = 7
    for x, scale in activations():
        for isValid, size, stride, dilation, found in windows():
            for by in filters([channels, *size, extents[2]], 0):
                wide = constant(INT, [draw.choice([draw.randrange(-99999, 99999), -(1 << 31), (1 << 31) - 1]) for _ in range(channels)])
                # Results as fine as sums have factors that more than 32 bits round by.
                for activation, (bias, each) in enumerate(zip((*biases(channels), wide, biases(channels)[1]), (scale, scale, scale, 0.0002))):
                    options = (isValid, stride[1], stride[0], activation, dilation[1], dilation[0])
                    compute(CONV_2D, [x, by, bias], FIXED, [option("INT32", value) for value in options], each,
                            [[2, *found, channels]])
            # A filter that the model computes, which is packed when that pays.
            if 2 * found[0] * found[1] < 48 and channels * size[0] * size[1] * extents[2] > 2048:
                continue
            by = tensor(WEIGHT, [channels, *size, extents[2]], 0.02, values=lambda: draw.choice([draw.randrange(-127, 128), -127, 127]))
            for activation, bias in enumerate((*biases(channels), constant(INT, [draw.randrange(-99999, 99999) for _ in range(channels)]))):
                options = (isValid, stride[1], stride[0], activation, dilation[1], dilation[0])
                compute(CONV_2D, [x, by, bias], FIXED, [option("INT32", value) for value in options], scale, [[2, *found, channels]])
        if channels * extents[2] <= 2048:
            by = tensor(WEIGHT, [channels, extents[2]], 0.02, values=lambda: draw.randrange(-127, 128))
            compute(FULLY_CONNECTED, [x, by, noBias()], FIXED, [option("INT32", 1), option("INT32", 0), option("BOOL", 1)], scale,
                    [[2, *extents[:2], channels]])
        for by in filters([channels, extents[2]], 0):
            for activation, bias in enumerate((*biases(channels), constant(INT, [draw.randrange(-99999, 99999) for _ in range(channels)]))):
                for isKept in (0, 1):
                    shape = [2, *extents[:2], channels] if isKept else [2 * extents[0] * extents[1], channels]
                    compute(FULLY_CONNECTED, [x, by, bias], FIXED,
                            [option("INT32", activation), option("INT32", 0), option("BOOL", isKept)], scale, [shape])


def requantized():
    """QUANTIZE of integers of every form to every form, by factors above and below 1, some of which make all 0 or wrap."""
    forms = (SIGNED, BYTE, FIXED, ABOVE, INT)
    for step, other in ((0.03, 0.07), (0.5, 0.5), (1.0, 0.001), (0.25, 0.5), (1.5e-7, 0.0009), (0.001, 1e5), (1e8, 1e-5), (1e-9, 1e9)):
        for source in forms:
            x = tensor(source, extents, step)
            for result in forms:
                compute(QUANTIZE, [x], result, scale=other)


def byteProducts():
    """Functions of all bytes, and FULLY_CONNECTED with a scale for each result channel: many scaled sums are halves."""
    for source in (SIGNED, BYTE):
        for step, other in ((0.03, 0.07), (0.5, 0.5), (1.0, 0.001), (0.25, 0.5), (0.001, 100.0)):
            numbers = iter(range(-128, 128) if source == SIGNED else range(256))
            x = tensor(source, [2, 128], step, values=lambda: next(numbers))
            for number in (RELU, RELU_N1_TO_1, RELU6, RELU_0_TO_1, *((ABS,) if source == SIGNED else ())):
                compute(number, [x], source, scale=other, shapes=[[2, 128]])
            for number in (ELU, LOG, NEG) if source == SIGNED else ():
                compute(number, [x], source, scale=other, shapes=[[2, 128]])
            by = divisors(source, [128], other)
            for activation, scale in enumerate((step / other, 0.3, 9 * step, 1e-35)):
                compute(DIV, [x, by], source, [option("INT32", activation)], scale, [[2, 128]])
            y = tensor(source, [128], other)
            for activation, scale in enumerate((step * other, 0.3 * step * other, 9 * step, 1e-35)):
                compute(MUL, [x, y], source, [option("INT32", activation)], scale, [[2, 128]])
            if source == SIGNED:
                compute(SQUARED_DIFFERENCE, [x, y], source, scale=0.5, shapes=[[2, 128]])
                compute(SQUARED_DIFFERENCE, [y, x], source, scale=step * step, shapes=[[2, 128]])
    channels = 7
    for step in (0.5, 0.0123):
        x = tensor(SIGNED, extents, step, values=lambda: draw.choice([draw.randrange(-128, 128), -128, 127]))
        computed = tensor(WEIGHT, [channels, extents[2]], 0.02, values=lambda: draw.randrange(-127, 128))
        for by in (*filters([channels, extents[2]], 0), computed):
            for activation, bias in enumerate((noBias(), constant(INT, [draw.randrange(-999, 999) for _ in range(channels)]),
                                               constant(INT, [draw.choice((-(1 << 31), (1 << 31) - 1)) for _ in range(channels)]))):
                for isKept in (0, 1):
                    shape = [*extents[:2], channels] if isKept else [extents[0] * extents[1], channels]
                    compute(FULLY_CONNECTED, [x, by, bias], SIGNED,
                            [option("INT32", activation), option("INT32", 0), option("BOOL", isKept)], 0.25 * step, [shape])


def choices(dimensions):
    """Filters with either form of scales, and a bias of each form that they have in turn."""
    channels = dimensions[0]
    wide = constant(INT, [draw.choice([draw.randrange(-99999, 99999), -(1 << 31), (1 << 31) - 1]) for _ in range(channels)])
    one, each = filters(dimensions, 0)
    return enumerate(zip((one, each, each), (*biases(channels), wide)))


def grouped():
    """Convolutions in groups, which have three result channels each."""
    groups = [count for count in range(2, 9) if extents[2] % count == 0]
    for x, scale in list(activations())[:2]:
        for isValid, size, stride, dilation, found in list(windows())[::3]:
            for count in groups:
                for activation, (by, bias) in choices([3 * count, *size, extents[2] // count]):
                    options = (isValid, stride[1], stride[0], activation, dilation[1], dilation[0])
                    compute(CONV_2D, [x, by, bias], FIXED, [option("INT32", value) for value in options], scale,
                            [[2, *found, 3 * count]])


def transposed():
    """Strides below, at and above the size, and results with more lines and columns than windows reach, or fewer."""
    channels = 3
    for x, scale in list(activations())[:2]:
        for size, stride in (((3, 3), (2, 2)), ((3, 2), (1, 2)), ((1, 2), (2, 3)), ((5, 4), (2, 3))):
            for isValid, more in ((1, 0), (0, 0), (0, -1), (1, 1), (0, 2)):
                shape = [2, *[max((extent - 1) * step + count + more if isValid else extent * step + more, 1)
                              for extent, step, count in zip(extents, stride, size)], channels]
                for activation, (by, bias) in choices([channels, *size, extents[2]]):
                    options = (isValid, stride[1], stride[0], activation)
                    compute(TRANSPOSE_CONV, [places(*shape), by, x, bias], FIXED, [option("INT32", value) for value in options],
                            scale, [shape])


def multiplied():
    """Matrices, several of them or one that all products share, each of both stored along either dimension."""
    rows, depth, columns = extents
    for values in (None, lambda: -32768, lambda: draw.randrange(-99, 99)):
        for front, behind, joined in (([], [], []), ([3], [3], [3]), ([1], [2], [2]), ([2, 1], [1, 1], [2, 1]), ([2], [], [2])):
            for isTurned in range(4):
                first, second = isTurned % 2, isTurned // 2
                x = tensor(FIXED, front + ([depth, rows] if first else [rows, depth]), 0.01, values=values)
                y = tensor(FIXED, behind + ([columns, depth] if second else [depth, columns]), 0.02, values=values)
                for scale in (0.0002, 50.0):
                    compute(BATCH_MATMUL, [x, y], FIXED, [option("BOOL", first), option("BOOL", second)], scale,
                            [joined + [rows, columns]])


def step(number, ins, shape, options=(), type=FLOAT):
    results = [operand(type, shape, "TEMPORARY_VARIABLE")]
    operations.append({"type": f"nnhal.tflite:{number}", "inputs": list(ins) + list(options), "outputs": results})
    return results[0]


def shaped():
    """Shapes that are computed from that of a tensor, for operators that take them."""
    a, b, c = extents
    none, two = option("INT32", 0), option("INT32", 2)
    no = option("BOOL", 0)
    for type, code in ((LONG, 4), (INT, 2)):
        x = tensor(FLOAT, extents)
        shape = step(SHAPE, [x], [3], [option("INT32", code)], type)

        def extent(place):
            """One element of the shape, as files take it: begin, end and stride, of which one dimension is left out."""
            ends = [constant(INT, [number]) for number in (place, place + 1, 1)]
            return step(STRIDED_SLICE, [shape, *ends], [1], [none, none, none, none, option("INT32", 1), no], type)

        packed = step(PACK, [extent(2), extent(0), constant(type, [-1])], [3], [option("INT32", 3), none], type)
        compute(RESHAPE, [x, packed], FLOAT, shapes=[[c, a, b]])
        turned = step(GATHER, [shape, constant(type, [2, 1])], [2], [none, none], type)
        joined = step(CONCATENATION, [extent(0), turned], [3], [none, none], type)
        compute(RESHAPE, [x, joined], FLOAT, shapes=[[a, c, b]])
        count = step(PROD, [shape, places(0)], [1], [no], type)
        compute(RESHAPE, [x, step(CAST, [count], [1], [option("INT32", code), two], INT)], FLOAT, shapes=[[a * b * c]])
        # The last row.
        rows = step(SUB, [shape, constant(type, [1])], [3], [none], type)
        begins = step(MUL, [rows, constant(type, [1, 0, 0])], [3], [none], type)
        compute(STRIDED_SLICE, [x, begins, shape, constant(type, [1] * 3)], FLOAT, [none] * 5 + [no], shapes=[[1, b, c]])
        compute(SLICE, [x, begins, constant(type, [-1] * 3)], FLOAT, shapes=[[1, b, c]])
        compute(BROADCAST_TO, [tensor(FLOAT, [c]), shape], FLOAT)
        compute(FILL, [shape, tensor(FLOAT, [1])], FLOAT)
        doubled = step(ADD, [shape, shape], [3], [none], type)
        compute(SHAPE, [step(FILL, [doubled, tensor(FLOAT, [1])], [2 * a, 2 * b, 2 * c])], type, [option("INT32", code)],
                shapes=[[3]])


def chained():
    """Operators between neighbours that they may be fused with."""
    a, b, c = extents
    none = option("INT32", 0)
    y = tensor(FLOAT, [c])

    def between(number, options, shape, type=FLOAT, ins=()):
        """ADD in front of the operator, and MUL behind it."""
        front = step(ADD, [tensor(FLOAT, extents), y], extents, [none])
        behind = step(number, [front, *ins], shape, options, type)
        if type == FLOAT:
            compute(MUL, [behind, tensor(FLOAT, shape[-1:])], FLOAT, [none], shapes=[shape])
        else:
            compute(ADD, [behind, tensor(type, shape[-1:])], type, [none], shapes=[shape])

    axis, no = option("INT32", 1), option("BOOL", 0)
    between(GATHER, [axis, none], [a, 3, c], ins=[places(2, 0, 1)])
    between(GATHER, [axis, none], [a, 3, c], ins=[tensor(INT, [3], values=iter([2, 0, 1]).__next__)])
    between(GATHER_ND, [], [2, c], ins=[constant(INT, [0, 1, a - 1, 0], [2, 2])])
    for place in (0, 1, 2):
        between(CUMSUM, [no, no], extents, ins=[places(place)])
        between(ARG_MAX, [option("INT32", 2)], [extent for other, extent in enumerate(extents) if other != place], INT,
                [places(place)])
    between(MATRIX_DIAG, [], [*extents, c])
    between(ADD_N, [], extents, ins=[tensor(FLOAT, extents)])
    between(BITCAST, [], extents, INT)
    between(ZEROS_LIKE, [], extents)
    between(SHAPE, [option("INT32", 2)], [3], INT)
    picture = tensor(FLOAT, [1, 4, 6, 3])
    for number in (NEAREST, BILINEAR):
        front = step(MUL, [picture, picture], [1, 4, 6, 3], [none])
        large = step(number, [front, places(7, 9)], [1, 7, 9, 3], [no, option("BOOL", 1)])
        compute(ADD, [large, tensor(FLOAT, [3])], FLOAT, [none], shapes=[[1, 7, 9, 3]])
    front = step(MUL, [picture, picture], [1, 4, 6, 3], [none])
    blocks, margins = places(2, 2), constant(INT, [0] * 4, [2, 2])
    apart = step(SPACE_TO_BATCH, [front, blocks, margins], [4, 2, 3, 3])
    moved = step(ADD, [apart, tensor(FLOAT, [3])], [4, 2, 3, 3], [none])
    compute(BATCH_TO_SPACE, [moved, blocks, margins], FLOAT, shapes=[[1, 4, 6, 3]])
    count = step(ADD, [tensor(INT, [a], values=lambda: draw.randrange(5)), places(1)], [a], [none], INT)
    chosen = step(ONE_HOT, [count, places(c), constant(FLOAT, [1.5]), constant(FLOAT, [-0.5])], [a, c], [option("INT32", -1)])
    compute(MUL, [chosen, y], FLOAT, [none], shapes=[[a, c]])


def outside():
    """The first index outside is the one that is reported."""
    indices = tensor(INT, [4], values=iter([1, -3, 2, 1 << 30]).__next__)
    compute(GATHER, [tensor(FLOAT, extents), indices], FLOAT, [option("INT32", 1), option("INT32", 0)],
            shapes=[[extents[0], 4, extents[2]]])


def astray():
    """The same of places in several dimensions."""
    indices = tensor(INT, [4, 2], values=iter([1, 4, 0, -3, 2, 9, 3, 1]).__next__)
    compute(GATHER_ND, [tensor(FLOAT, extents), indices], FLOAT, shapes=[[4, extents[2]]])


def normalized():
    special = [0.0, -0.0, 1e20, -1e20, float("inf"), float("-inf"), float("nan"), 1e-30]
    x, y = tensor(FLOAT, extents), tensor(FLOAT, extents, values=lambda: draw.uniform(-9, 9))
    z = tensor(FLOAT, extents, values=lambda: draw.choice(special))
    zeros = tensor(FLOAT, extents, values=lambda: 0.0)
    for each in (x, y, z, zeros):
        compute(LOG_SOFTMAX, [each], FLOAT)
        compute(L2_NORMALIZATION, [each], FLOAT, [option("INT32", 0)])
        for beta in (1.0, 0.3):
            compute(SOFTMAX, [each], FLOAT, [option("FLOAT32", beta)])


makers = {"POOLED": pooled, "EVERY": every, "ROWS": rows, "MOVED": moved, "REDUCED": reduced, "PLACED": placed, "SUMMED": summed,
          "BITS": bits, "RESIZED": resized, "NORMALIZED": normalized, "OUTSIDE": outside, "ASTRAY": astray, "CHAINED": chained, "CONVOLVED": convolved, "CONTRACTED": contracted, "BYTES": byteProducts, "REQUANTIZED": requantized, "BYTE_ROWS": byteRows, "GROUPED": grouped, "TRANSPOSED": transposed, "MULTIPLIED": multiplied,
          "SHAPED": shaped}
if kind in makers:
    makers[kind]()
    write()
    raise SystemExit
if kind == "SPECIAL":
    # Each number beside each other one.
    infinity = float("inf")
    specials = [0.0, 1.0, 0.5, 2.0, 3.0, 5.5, 7.0, 88.0, 90.0, 1e-40, 1e-7, 1e-5, 1e-3, 0.999999, 1e3, 1e5, 2.0**24 + 2, 1e9,
                1e20, 3.4e38, infinity]
    specials = [sign * number for sign in (1, -1) for number in specials] + [float("nan")]
    pairs = [(a, b) for a in specials for b in specials]
    extents = [len(pairs)]
    x, y = (tensor(FLOAT, extents, values=iter([pair[side] for pair in pairs]).__next__) for side in (0, 1))
    for number in (SIN, COS, TANH, LOGISTIC, EXP, LOG, ELU):
        compute(number, [x], FLOAT)
    for isApproximate in (0, 1):
        compute(GELU, [x], FLOAT, [option("BOOL", isApproximate)])
    compute(POW, [x, y], FLOAT)
    compute(ATAN2, [x, y], FLOAT)
    write()
    raise SystemExit
row, each = extents[-1:], [1] * (len(extents) - 1) + extents[-1:]
if isApproximate:
    x = tensor(FLOAT, extents)
    y = tensor(FLOAT, extents, values=lambda: draw.choice([draw.uniform(-9, 9), draw.uniform(-0.01, 0.01), 90, -90]))
    for number in (SIN, COS, TANH, LOGISTIC, EXP, LOG):
        compute(number, [x], FLOAT)
    compute(ELU, [y], FLOAT)
    for isApproximate in (0, 1):
        compute(GELU, [y], FLOAT, [option("BOOL", isApproximate)])
    compute(POW, [x, x], FLOAT)
    compute(ATAN2, [y, x], FLOAT)
    for number in (MEAN, SUM, PROD):
        for axis, extent in enumerate(extents):
            shape = [1 if other == axis else extent for other, extent in enumerate(extents)]
            compute(number, [x, places(axis)], FLOAT, [option("BOOL", 1)], shapes=[shape])
    write()
    raise SystemExit
# Each number has a scale of its own, or a power of two that is shifted by.
for scales in ((0.0013, 0.0021, 0.0047), (2**-12, 2**-9, 2**-9), (0.3, 0.001, 0.00002)):
    a, b = tensor(FIXED, extents, scales[0]), tensor(FIXED, row, scales[1])
    for activation in range(4):
        for number in (ADD, SUB, MUL):
            compute(number, [a, b], FIXED, [option("INT32", activation)], scales[2])
    compute(SQUARED_DIFFERENCE, [a, b], FIXED, scale=scales[2])
    for number in (19, 20, 21, 101, 114):
        compute(number, [a], FIXED, scale=scales[2])
    for alpha in (0.1, 3.0, -0.5):
        compute(98, [a], FIXED, [option("FLOAT32", alpha)], scales[2])
    compute(6, [a], FLOAT)
    compute(EXP, [a], FIXED, scale=scales[2])
    for number in (TANH, LOGISTIC):
        compute(number, [a], FIXED, scale=2**-15)
    for number in (FLOOR_DIV, FLOOR_MOD):
        compute(number, [a, divisors(FIXED, row, scales[1])], FIXED, scale=scales[2])
    for activation in range(4):
        compute(DIV, [a, divisors(FIXED, row, scales[1])], FIXED, [option("INT32", activation)], scales[2])
    for approximate in (0, 1):
        compute(GELU, [a], FIXED, [option("BOOL", approximate)], scales[2])
    for number in (LOG, NEG):
        compute(number, [a], FIXED, scale=scales[2])
    compute(PRELU, [a, tensor(SIGNED, row, scales[1])], FIXED, scale=scales[2])
for type, scale in ((BYTE, 1), (SIGNED, 1), (UNSIGNED, 0), (WORD, 0)):
    for target, code, step in ((INT, 2, 0), (LONG, 4, 0), (FIXED, 7, 1), (SIGNED, 9, 1), (WORD, 16, 0)):
        compute(CAST, [tensor(type, extents, scale)], target, [option("INT32", 3), option("INT32", code)], step)
same = tensor(FIXED, extents, 0.5), tensor(FIXED, each, 0.5)
compute(101, same[:1], FIXED, scale=0.5)
for type, scale in ((FIXED, 0.5), (INT, 0), (LONG, 0), (FLOAT, 0), (TRUTH, 0)):
    pair = same if type == FIXED else (tensor(type, extents), tensor(type, each))
    for number in COMPARISONS:
        compute(number, pair, TRUTH)
    numbers = pair[0]
    # Reals and truths become bytes by a call.
    narrow = [] if type in (FLOAT, TRUTH) else [(BYTE, 3, 1), (SIGNED, 9, 1), (UNSIGNED, 15, 0)]
    if type == FLOAT:
        far = [2.0**15, 2.0**31, 2.0**63, 1e20, float("inf")]
        some = [0.0, -0.0, 0.3, -1.9, 32767.5, -32768.5, float("nan"), *far, *[-number for number in far]]
        numbers = tensor(FLOAT, extents, values=lambda: draw.choice(some))
    for target, code, step in ((INT, 2, 0), (LONG, 4, 0), (FLOAT, 0, 0), (TRUTH, 6, 0), (FIXED, 7, 1), *narrow):
        compute(CAST, [numbers], target, [option("INT32", 2), option("INT32", code)], step)
    compute(123, [tensor(TRUTH, row), *pair], type, scale=scale)
    shape = operand("TENSOR_INT32", [len(extents)], "CONSTANT_COPY", value=extents)
    compute(130, [pair[1], shape], type, scale=scale)
    if type == TRUTH:
        for number in (OR, AND):
            compute(number, pair, TRUTH)
        compute(NOT, pair[:1], TRUTH)
        continue
    for number in (MAXIMUM, MINIMUM):
        compute(number, pair, type, scale=scale)
    if type in (FIXED, INT):
        compute(XOR, pair, type, scale=scale)
    if type == FIXED:
        continue
    compute(SQUARED_DIFFERENCE, pair, type)
    for activation in range(4):
        for number in (ADD, SUB, MUL):
            compute(number, pair, type, [option("INT32", activation)])
    divisor = pair[1] if type == FLOAT else divisors(type, each)
    for activation in range(4):
        compute(DIV, [pair[0], divisor], type, [option("INT32", activation)])
    compute(FLOOR_DIV, [pair[0], divisor], type)
    if type != FLOAT:
        compute(FLOOR_MOD, [pair[0], divisor], type)
    for number in (59, 92, 101):
        compute(number, pair[:1], type)
    if type != LONG:
        compute(158, pair[:1], type)
    if type == FLOAT:
        for number in (8, 19, 20, 21, 75, 76, 104, 116, 152):
            compute(number, pair[:1], type)
        compute(98, pair[:1], type, [option("FLOAT32", 0.1)])
        compute(PRELU, pair, FLOAT)
        compute(HARD_SWISH, pair[:1], FLOAT)
        compute(114, pair[:1], FIXED, scale=0.37)
write()
