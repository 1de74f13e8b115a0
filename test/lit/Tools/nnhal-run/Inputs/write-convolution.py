"""usage: write-convolution.py TYPE [relaxed]

Prints a model in MLIR: an ADD of TYPE (f16 or f32) and a CONV_2D, with as many
pixels as kernels by tensor cores need, and numbers of channels that no tile
divides.
"""
import random
import sys

element = sys.argv[1]
flag = ", relaxed" if "relaxed" in sys.argv[2:] else ""
random.seed(1)
HEIGHT, WIDTH, CHANNELS, FILTERS, SIDE = 66, 67, 20, 36, 3


def nest(shape):
    if not shape:
        return str(random.randint(-4, 4) / 8)
    return "[" + ", ".join(nest(shape[1:]) for _ in range(shape[0])) + "]"


image = f"tensor<1x{HEIGHT}x{WIDTH}x{CHANNELS}x{element}>"
weights = f"tensor<{FILTERS}x{SIDE}x{SIDE}x{CHANNELS}x{element}>"
biases = f"tensor<{FILTERS}x{element}>"
result = f"tensor<1x{HEIGHT}x{WIDTH}x{FILTERS}x{element}>"
print(f"""nnhal.model @convolution attributes {{hal_version = "1.3"{flag}}} {{
  nnhal.graph @main(%x: {image}) -> {result} {{
    %w = nnhal.constant_copy dense<{nest([FILTERS, SIDE, SIDE, CHANNELS])}> : {weights} -> {weights}
    %b = nnhal.constant_copy dense<{nest([FILTERS])}> : {biases} -> {biases}
    %one = nnhal.constant_copy 1 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %twice = nnhal.operation "ADD"(%x, %x, %none) : ({image}, {image}, i32) -> {image}
    %y = nnhal.operation "CONV_2D"(%twice, %w, %b, %one, %one, %one, %none)
        : ({image}, {weights}, {biases}, i32, i32, i32, i32) -> {result}
    nnhal.return %y : {result}
  }}
}}""")
