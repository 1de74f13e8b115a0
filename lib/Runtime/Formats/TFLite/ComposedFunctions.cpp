//===- ComposedFunctions.cpp - Functions of reals in several operations ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nnhal::rt::tflite {

namespace {
/// Adds operations on reals of the shape of output 0.
class Functions {
public:
  explicit Functions(Operator &op)
      : c(op), shape(op.outputShapes[0]), file(op.graph.file()) {}

  uint32_t add(OperationType type, std::vector<uint32_t> inputs) {
    uint32_t result = c.realTemporary(shape);
    c.addTo(type, std::move(inputs), {result});
    return result;
  }
  /// Addition, subtraction or multiplication with a number.
  uint32_t with(OperationType type, uint32_t lhs, float rhs) {
    return add(type, {lhs, c.reals({1}, {rhs}), c.int32(0)});
  }
  uint32_t floor(uint32_t value) { return add(OperationType::FLOOR, {value}); }
  /// Where \p lhs compares so with \p rhs.
  uint32_t compare(OperationType type, uint32_t lhs, float rhs) {
    Operand operand;
    operand.type = OperandType::TENSOR_BOOL8;
    operand.dimensions = c.shapeOf(lhs);
    uint32_t result = c.addOperand(std::move(operand));
    c.addTo(type, {lhs, c.reals({1}, {rhs})}, {result});
    return result;
  }
  /// \p value in all elements: SELECT does not broadcast (M-141).
  uint32_t all(float value) {
    size_t count = *elementCount(shape);
    Status status = file.checkConstants(count * sizeof(float));
    if (!status.isOk()) {
      c.fail(std::move(status));
      return 0;
    }
    return c.reals(shape, std::vector<float>(count, value));
  }

  Composition c;
  Shape shape;
  const FileImport &file;
};
} // namespace

/// cos(x) = 1 - 2 sin(x / 2)^2, which is as exact as the sine for any x.
Status importCos(Operator &op) {
  Functions f(op);
  uint32_t sine = f.add(OperationType::SIN,
                        {f.with(OperationType::MUL, f.c.input(0), 0.5f)});
  uint32_t square = f.add(OperationType::MUL, {sine, sine, f.c.int32(0)});
  return f.c.finish(OperationType::ADD,
                    {f.with(OperationType::MUL, square, -2.0f),
                     f.c.reals({1}, {1.0f}), f.c.int32(0)});
}

Status importSign(Operator &op) {
  Functions f(op);
  uint32_t value = f.c.input(0);
  uint32_t notAbove =
      f.add(OperationType::SELECT,
            {f.compare(OperationType::LESS, value, 0), f.all(-1), f.all(0)});
  return f.c.finish(
      OperationType::SELECT,
      {f.compare(OperationType::GREATER, value, 0), f.all(1), notAbove});
}

/// Halves go to the even number.
Status importRound(Operator &op) {
  Functions f(op);
  uint32_t value = f.c.input(0), low = f.floor(value);
  uint32_t fraction = f.add(OperationType::SUB, {value, low, f.c.int32(0)});
  uint32_t even = f.with(OperationType::MUL,
                         f.floor(f.with(OperationType::MUL, low, 0.5f)), 2.0f);
  uint32_t oddness = f.add(OperationType::SUB, {low, even, f.c.int32(0)});
  uint32_t atMostHalf = f.add(
      OperationType::SELECT,
      {f.compare(OperationType::LESS, fraction, 0.5f), f.all(0), oddness});
  uint32_t step = f.add(OperationType::SELECT,
                        {f.compare(OperationType::GREATER, fraction, 0.5f),
                         f.all(1), atMostHalf});
  return f.c.finish(OperationType::ADD, {low, step, f.c.int32(0)});
}

/// Rounds to one of the numbers that a quantized type of the stated range has,
/// whose zero is one of them.
Status importFakeQuant(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::FakeQuantOptions>());
  float min = options->min(), max = options->max();
  int bits = options->num_bits();
  if (!(min <= 0 && max >= 0 && min < max && std::isfinite(max - min)))
    return badData("range {} to {} does not have 0 in it", min, max);
  if (bits < 2 || bits > 16)
    return badData("has {} bits, expected 2 to 16", bits);
  float lowest = options->narrow_range() ? 1 : 0,
        highest = float((1 << bits) - 1);
  float scale = (max - min) / (highest - lowest);
  float zero = std::round(std::clamp(lowest - min / scale, lowest, highest));
  float from = (lowest - zero) * scale, to = (highest - zero) * scale;
  Functions f(op);
  uint32_t clamped = f.add(
      OperationType::MAXIMUM,
      {f.add(OperationType::MINIMUM, {f.c.input(0), f.c.reals({1}, {to})}),
       f.c.reals({1}, {from})});
  uint32_t steps = f.with(OperationType::MUL,
                          f.with(OperationType::SUB, clamped, from), 1 / scale);
  uint32_t rounded = f.floor(f.with(OperationType::ADD, steps, 0.5f));
  return f.c.finish(OperationType::ADD,
                    {f.with(OperationType::MUL, rounded, scale),
                     f.c.reals({1}, {from}), f.c.int32(0)});
}

/// A product with the matrix that has ones where an element is counted.
Status importCumsum(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::CumsumOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t stated, op.integer(1));
  const Shape &shape = op.shape(0);
  NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                         Operator::normalizeAxis(stated, shape.size()));
  uint32_t extent = shape[axis];
  if (extent > maxUnrolled)
    return badData("sums {} elements, at most {} are composed", extent,
                   maxUnrolled);
  // The axis comes last and goes back.
  std::vector<int32_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[axis], order.back());
  Composition c(op);
  uint32_t turned = c.transpose(c.input(0), order);
  Shape turnedShape = c.shapeOf(turned);
  uint32_t rows = *elementCount(shape) / extent;
  NNHAL_RETURN_IF_ERROR(op.graph.file().checkConstants(uint64_t(extent) *
                                                       extent * sizeof(float)));
  std::vector<float> ones(size_t(extent) * extent);
  uint32_t own = options->exclusive() ? 0 : 1;
  for (uint32_t to = 0; to < extent; ++to) {
    float *row = &ones[size_t(to) * extent];
    if (options->reverse())
      std::fill(row + to + 1 - own, row + extent, 1.0f);
    else
      std::fill(row, row + to + own, 1.0f);
  }
  uint32_t sums = c.realTemporary({rows, extent});
  c.addTo(OperationType::FULLY_CONNECTED,
          {c.reshape(turned, {rows, extent}), c.reals({extent, extent}, ones),
           c.reals({extent}, std::vector<float>(extent)), c.int32(0)},
          {sums});
  return c.finish(OperationType::TRANSPOSE,
                  {c.reshape(sums, turnedShape), c.integers(order)});
}

Result<std::vector<Shape>> bucketizeShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::BucketizeOptions>());
  size_t count = elementsOf(options->boundaries()).size();
  if (count < 1 || count > maxUnrolled)
    return badData("has {} boundaries, expected 1 to {}", count, maxUnrolled);
  return sameShape(op);
}

/// How many boundaries each element has reached.
Status importBucketize(Operator &op) {
  if (op.output(0).type != OperandType::TENSOR_INT32)
    return badData("output 0 has type {}, expected INT32",
                   nameOf(op.output(0).sourceType));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::BucketizeOptions>());
  std::span<const float> boundaries = elementsOf(options->boundaries());
  Functions f(op);
  uint32_t value = f.c.input(0);
  // TensorFlow Lite compares integers as reals, too.
  if (op.input(0).type == OperandType::TENSOR_INT32) {
    uint32_t real = f.c.realTemporary(op.shape(0));
    f.c.addTo(OperationType::CAST, {value}, {real});
    value = real;
  }
  Shape shape = f.c.shapeOf(value);
  auto axis = int32_t(shape.size());
  shape.push_back(1);
  value = f.c.add(OperationType::EXPAND_DIMS, {value, f.c.int32(axis)}, value,
                  shape);
  shape.back() = uint32_t(boundaries.size());
  f.shape = shape;
  Operand reached;
  reached.type = OperandType::TENSOR_BOOL8;
  reached.dimensions = shape;
  uint32_t isReached = f.c.addOperand(std::move(reached));
  f.c.addTo(OperationType::GREATER_EQUAL,
            {value,
             f.c.reals({shape.back()}, {boundaries.begin(), boundaries.end()})},
            {isReached});
  uint32_t counted =
      f.add(OperationType::SELECT, {isReached, f.all(1), f.all(0)});
  f.shape = op.outputShapes[0];
  uint32_t count = f.add(OperationType::REDUCE_SUM,
                         {counted, f.c.integers({axis}), f.c.boolean(false)});
  return f.c.finish(OperationType::CAST, {count});
}

} // namespace nnhal::rt::tflite
