"""usage: rename-matrices.py FROM.spv TO.spv

Writes the module FROM with the instructions of SPV_NV_cooperative_matrix in the
place of those of SPV_KHR_cooperative_matrix, so that a validator from before
that extension checks everything else: types, layouts, the memory model and
where values are known. What the older extension does not have is checked here:
which matrices are factors and which are sums, and the signs of integers.
"""
import struct
import sys

CAPABILITY, EXTENSION, TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_POINTER = 17, 10, 20, 21, 22, 32
CONSTANT_TRUE, CONSTANT_FALSE, CONSTANT = 41, 42, 43
TYPE, LOAD, STORE, MULTIPLY = 4456, 4457, 4458, 4459
OLDER = 5358 - 4456
ALL_SIGNED = 0xF


def text_of(name):
    data = name.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return list(struct.unpack(f"<{len(data) // 4}I", data))


with open(sys.argv[1], "rb") as file:
    content = file.read()
words = struct.unpack(f"<{len(content) // 4}I", content)
header, instructions, at = list(words[:5]), [], 5
while at < len(words):
    count = words[at] >> 16
    instructions.append((words[at] & 0xFFFF, list(words[at + 1:at + count])))
    at += count

constants = {operands[1]: operands[2] for opcode, operands in instructions if opcode == CONSTANT}
bytes_ = {operands[0] for opcode, operands in instructions if opcode == TYPE_INT and operands[1] == 8}
uses = {operands[0]: constants[operands[5]] for opcode, operands in instructions if opcode == TYPE}
elements = {operands[0]: operands[1] for opcode, operands in instructions if opcode == TYPE}
type_of = {operands[1]: operands[0] for opcode, operands in instructions
           if len(operands) > 1 and operands[0] in uses and opcode != TYPE}
boolean = next((operands[0] for opcode, operands in instructions if opcode == TYPE_BOOL), None)
is_new = boolean is None
if is_new:
    boolean = header[3]
    header[3] += 1
is_column, is_row = header[3], header[3] + 1
header[3] += 2
constants_of_layout = [(CONSTANT_TRUE, [boolean, is_column]), (CONSTANT_FALSE, [boolean, is_row])]

result, known, same = [], {}, {}
for opcode, operands in instructions:
    if opcode in (TYPE_INT, TYPE_FLOAT) and is_new:
        result += [(TYPE_BOOL, [boolean]), *constants_of_layout]
        is_new = False
    if opcode == CAPABILITY and operands == [6022]:
        operands = [5357]
    elif opcode == EXTENSION and operands == text_of("SPV_KHR_cooperative_matrix"):
        operands = text_of("SPV_NV_cooperative_matrix")
    elif opcode == TYPE:
        # Without its use a factor is the same type on both sides, and types are declared once.
        form = tuple(operands[1:5])
        if form in known:
            same[operands[0]] = known[form]
            continue
        known[form] = operands[0]
        opcode, operands = opcode + OLDER, operands[:5]
    elif opcode in (LOAD, STORE):
        pointer = 2 if opcode == LOAD else 0
        first, layout, stride, rest = (operands[:3], *operands[3:5], operands[5:]) if opcode == LOAD else (
            operands[:2], *operands[2:4], operands[4:])
        opcode, operands = opcode + OLDER, [*first, stride, is_column if constants[layout] else is_row, *rest]
    elif opcode == MULTIPLY:
        found = [uses[type_of[value]] for value in operands[2:5]] + [uses[operands[0]]]
        assert found == [0, 1, 2, 2], f"a product of matrices of the uses {found}"
        signs = operands[5] if len(operands) > 5 else 0
        is_of_bytes = elements[type_of[operands[2]]] in bytes_
        assert signs == (ALL_SIGNED if is_of_bytes else 0), f"a product of integers with the signs {signs:#x}"
        opcode, operands = opcode + OLDER, operands[:5]
    result.append((opcode, operands))
    if opcode == TYPE_BOOL:
        result += constants_of_layout


def words_of(opcode, operands):
    if opcode == TYPE_POINTER:
        operands = [*operands[:2], same.get(operands[2], operands[2])]
    elif opcode >= CONSTANT and operands:
        operands = [same.get(operands[0], operands[0]), *operands[1:]]
    return [(len(operands) + 1) << 16 | opcode, *operands]


with open(sys.argv[2], "wb") as file:
    written = [*header, *(word for each in result for word in words_of(*each))]
    file.write(struct.pack(f"<{len(written)}I", *written))
