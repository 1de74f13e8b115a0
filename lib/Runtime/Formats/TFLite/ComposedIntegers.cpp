//===- ComposedIntegers.cpp - 32-bit integers that are moved --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The HAL moves floats and bytes, but not 32-bit integers. An integer is
// high * 65536 + low; both halves are below 2^24, so that a float32 holds them
// exactly, and what moves them as floats moves the integer.
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

namespace {
/// Integers of one shape as float32.
struct Halves {
  uint32_t high, low;
};
} // namespace

static Halves split(Composition &c, uint32_t integers) {
  const Shape shape = c.shapeOf(integers);
  auto compute = [&](OperationType type, uint32_t lhs, uint32_t rhs) {
    return c.add(type, {lhs, rhs, c.int32(0)}, integers, shape);
  };
  auto asReal = [&](uint32_t from) {
    uint32_t real = c.realTemporary(shape);
    c.addTo(OperationType::CAST, {from}, {real});
    return real;
  };
  uint32_t base = c.integers({1 << 16});
  // DIV of integers rounds down, so that the lower half is not negative.
  uint32_t high = compute(OperationType::DIV, integers, base);
  uint32_t low = compute(OperationType::SUB, integers,
                         compute(OperationType::MUL, high, base));
  return {asReal(high), asReal(low)};
}

/// Output 0 from its halves; \p like is an operand of integers.
static Status finish(Composition &c, Halves halves, uint32_t like) {
  const Shape shape = c.shapeOf(halves.high);
  auto asInteger = [&](uint32_t from) {
    return c.add(OperationType::CAST, {from}, like, shape);
  };
  uint32_t shifted = c.add(
      OperationType::MUL,
      {asInteger(halves.high), c.integers({1 << 16}), c.int32(0)}, like, shape);
  return c.finish(OperationType::ADD,
                  {shifted, asInteger(halves.low), c.int32(0)});
}

/// The axes of \p to that \p from lacks, each of extent 1 and in rising order;
/// nullopt where \p to is not \p from with such axes.
static std::optional<std::vector<int32_t>> insertedAxes(const Shape &from,
                                                        const Shape &to) {
  std::vector<int32_t> axes;
  size_t next = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    if (next < from.size() && from[next] == to[i])
      ++next;
    else if (to[i] == 1)
      axes.push_back(int32_t(i));
    else
      return std::nullopt;
  }
  if (next != from.size())
    return std::nullopt;
  return axes;
}

Status reshapeIntegers(Operator &op) {
  const Shape to = op.outputShapes[0].empty() ? Shape{1} : op.outputShapes[0];
  Composition c(op);
  uint32_t from = c.input(0);
  if (std::optional axes = insertedAxes(c.shapeOf(from), to)) {
    if (axes->empty())
      return c.finish(OperationType::CAST, {from}); // M-151: a copy.
    Shape shape = c.shapeOf(from);
    for (int32_t axis : std::span(*axes).first(axes->size() - 1)) {
      shape.insert(shape.begin() + axis, 1);
      from =
          c.add(OperationType::EXPAND_DIMS, {from, c.int32(axis)}, from, shape);
    }
    return c.finish(OperationType::EXPAND_DIMS, {from, c.int32(axes->back())});
  }
  Halves halves = split(c, from);
  return finish(c, {c.reshape(halves.high, to), c.reshape(halves.low, to)},
                from);
}

Status concatenateIntegers(Operator &op, uint32_t axis) {
  Composition c(op);
  std::vector<uint32_t> high, low;
  for (size_t i = 0; i < op.inputCount(); ++i) {
    Halves halves = split(c, c.input(i));
    high.push_back(halves.high);
    low.push_back(halves.low);
  }
  const Shape &shape = op.outputShapes[0];
  return finish(
      c, {c.concatenate(high, axis, shape), c.concatenate(low, axis, shape)},
      c.input(0));
}

} // namespace nnhal::rt::tflite
