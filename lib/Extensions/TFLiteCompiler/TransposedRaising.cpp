//===- TransposedRaising.cpp - TRANSPOSE_CONV of 16 bits ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transposed convolution of stride s computes an element of the result from
// the weights whose distance to it is a multiple of s. Elements at one
// distance, a phase, are the result of a convolution with these weights in
// reverse order, and the whole is one convolution to s * s times as many
// channels, which then go to their places: those of phase p of the place q are
// at s * q + p.
//
//===----------------------------------------------------------------------===//

#include "ChannelSums.h"
#include "Raiser.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

enum Operand : unsigned {
  outputShape,
  filterOperand,
  imageOperand,
  biasOperand,
  padding,
  strideWidth,
  strideHeight,
  fusedActivation
};

/// One dimension of the convolution.
struct PhaseAxis {
  /// Phases, and weights of each.
  int64_t stride, taps;
  /// Elements of the first window before the image, and windows.
  int64_t low, windows;
  /// The first element of the result among those of all phases.
  int64_t first;
};

/// Reads one operation.
class Transposed : Raiser {
public:
  Transposed(OperationOp op, OpBuilder &builder)
      : Raiser(op, builder), filter(op.getInputs()[filterOperand]),
        result(op->getResult(0)) {
    input = op.getInputs()[imageOperand];
  }

  StringRef whyCalled();
  Value build();

private:
  bool readAxes();
  std::optional<PhaseAxis> readAxis(unsigned axis, Operand stride);
  bool isFaster() const;
  std::vector<uint8_t> phasesOf(ArrayRef<uint8_t> weights) const;

  Value filter, result;
  PhaseAxis lines = {}, columns = {};
  /// The shape of the filter by phases, and its weights.
  Extents ohwi;
  std::vector<uint8_t> weights;
  ChannelSums sums;
  uint32_t activation = 0;
};

/// None where windows do not lie as the result asks.
std::optional<PhaseAxis> Transposed::readAxis(unsigned axis, Operand stride) {
  std::optional<int64_t> step = integer(stride), mode = integer(padding);
  int64_t size = shapeOf(filter)[axis], to = shapeOf(result)[axis];
  constexpr int64_t most = 65535;
  if (!step || *step < 1 || *step > most || !mode || *mode < 0 || *mode > 1 ||
      size < 1 || size > most || to < 1)
    return std::nullopt;
  int64_t before = missingBefore(to, windowsOver(*mode == 0, to, size, *step),
                                 size, *step),
          skipped = before / *step;
  PhaseAxis found = {};
  found.stride = *step;
  found.taps = int64_t(llvm::divideCeil(size, *step));
  found.low = found.taps - 1 - skipped;
  found.windows = (to - 1 + before) / *step - skipped + 1;
  found.first = before - skipped * *step;
  return found.low < 0 ? std::nullopt : std::optional(found);
}

bool Transposed::readAxes() {
  Extents image = shapeOf(input), from = shapeOf(filter), to = resultShape();
  std::optional<int64_t> code = integer(fusedActivation);
  if (image.size() != 4 || from.size() != 4 || to.size() != 4 ||
      image[0] != to[0] || image[3] != from[3] || from[0] != to[3] || !code ||
      !isActivation(*code) || integers(outputShape) != to)
    return false;
  activation = uint32_t(*code);
  std::optional<PhaseAxis> vertical = readAxis(1, strideHeight),
                           horizontal = readAxis(2, strideWidth);
  if (!vertical || !horizontal)
    return false;
  lines = *vertical;
  columns = *horizontal;
  ohwi = {lines.stride * columns.stride * from[0], lines.taps, columns.taps,
          from[3]};
  return true;
}

StringRef Transposed::whyCalled() {
  StringRef why =
      whyProductsAreCalled(input.getType(), filter.getType(), result.getType());
  if (!why.empty())
    return why;
  if (!readAxes())
    return misfit;
  if (elementsOf(shapeOf(input)) == 0 || elementsOf(shapeOf(filter)) == 0)
    return noElements;
  if (!isFaster())
    return "its phases have many more weights than its filter";
  why = sums.readFactors(input, filter, op.getInputs()[biasOperand], result,
                         /*isProduct=*/false);
  if (!why.empty())
    return why;
  std::optional<std::vector<uint8_t>> bytes = constantBytes(filter);
  if (!bytes)
    return computedFilter;
  sums.repeat(lines.stride * columns.stride);
  weights = phasesOf(*bytes);
  return sums.readParts(weights, ohwi[3]);
}

bool Transposed::isFaster() const {
  // Where the stride does not divide the size, phases have weights of zero.
  constexpr int64_t mostGrowth = 4;
  std::optional<int64_t> phased = elementsOf(ohwi);
  return phased && *phased <= mostGrowth * *elementsOf(shapeOf(filter));
}

/// All channels of a phase, then those of the next one; the weights that a
/// phase lacks are 0.
std::vector<uint8_t> Transposed::phasesOf(ArrayRef<uint8_t> weights) const {
  Extents from = shapeOf(filter);
  auto depth = size_t(from[3]);
  std::vector<uint8_t> arranged;
  arranged.reserve(size_t(*elementsOf(ohwi)));
  for (int64_t row = 0; row < ohwi[0] * ohwi[1] * ohwi[2]; ++row) {
    int64_t column = row % columns.taps, line = row / columns.taps % lines.taps;
    int64_t channel = row / columns.taps / lines.taps;
    int64_t phase = channel / from[0];
    int64_t y = phase / columns.stride + lines.stride * (lines.taps - 1 - line),
            x = phase % columns.stride +
                columns.stride * (columns.taps - 1 - column);
    if (y >= from[1] || x >= from[2]) {
      arranged.resize(arranged.size() + depth);
      continue;
    }
    int64_t place = (channel % from[0] * from[1] + y) * from[2] + x;
    ArrayRef<uint8_t> own = weights.slice(size_t(place) * depth, depth);
    arranged.insert(arranged.end(), own.begin(), own.end());
  }
  return arranged;
}

Value Transposed::build() {
  Extents to = resultShape();
  int64_t batches = to[0], channels = to[3];
  Value convolved = sums.build(
      builder, loc,
      typeOf(result, {batches, lines.windows, columns.windows, ohwi[0]}), input,
      weightConstant(builder, loc, ohwi, weights),
      {{1, 1}, {1, 1}, {lines.low, columns.low}, {}}, /*first=*/0, activation);
  Value placed = reshape(convolved, {batches, lines.windows, columns.windows,
                                     lines.stride, columns.stride, channels});
  placed = transpose(placed, {0, 1, 3, 2, 4, 5});
  placed = reshape(placed, {batches, lines.windows * lines.stride,
                            columns.windows * columns.stride, channels});
  if (shapeOf(placed) == to)
    return placed;
  return tflite::SliceOp::create(builder, loc, resultType(), placed,
                                 Extents{0, lines.first, columns.first, 0},
                                 Extents(4, 1));
}

} // namespace

FailureOr<Value> tflite::raiseTransposed(OperationOp op, OpBuilder &builder,
                                         StringRef &why) {
  Transposed transposed(op, builder);
  why = transposed.whyCalled();
  if (!why.empty())
    return failure();
  return transposed.build();
}
