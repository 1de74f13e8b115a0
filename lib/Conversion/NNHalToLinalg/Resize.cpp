//===- Resize.cpp - Resizing of any type and shape ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a row or a column comes from is a table where extents are known: an
// operand of the loops over its axis. Channels are read as they lie, so that
// the loop over them is one over vectors.
//
//===----------------------------------------------------------------------===//

#include "Engine/WindowAxes.h"

#include "nnhal/Backend/Signatures/Window.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace nnhal;
using rt::OperandType;
using rt::OperationType;

namespace {
/// One axis, extents as index.
struct ResizeAxis {
  Scalar input, output;
  /// How far the source moves from one output pixel to the next, as f32.
  Scalar step;
};

struct Resize {
  Tensor input;
  Pixel image;
  ResizeAxis rows, columns;
  bool alignCorners = false;
  bool halfPixelCenters = false;

  SmallVector<Scalar, 4> outputExtents() const {
    return indicesOf({image.batch, rows.output, columns.output, image.channel});
  }
};
} // namespace

/// One extent of a result: input \p index is it, or is the factor by which it
/// differs from \p input (M-199).
static Scalar readSize(OperationLowering &op, size_t index, Scalar input) {
  Scalar size = op.scalar(index);
  if (!size.isFloat()) {
    checkAtLeast(op, size.toIndex(), 1);
    return size.toIndex();
  }
  Scalar real = floor(input.toF32() * size.toF32());
  Scalar shown = saturated(real, op.getBuilder().getI32Type());
  op.check(real >= 1.0, FailureReason::negativeExtent, shown, op.index(1));
  op.check(real < 0x1p31, FailureReason::valueTooLarge, shown,
           op.index(0x7fffffff));
  return saturated(real, op.getBuilder().getI32Type()).toIndex();
}

/// Sets how far the source moves from one output pixel to the next (M-201,
/// M-204).
static void setStep(OperationLowering &op, ResizeAxis &axis,
                    bool alignCorners) {
  Scalar input = axis.input.toF32(), output = axis.output.toF32();
  axis.step = input / output;
  if (!alignCorners)
    return;
  Scalar last = (axis.input - 1).toF32() / (axis.output - 1).toF32();
  axis.step = select(axis.output > 1, last, axis.step);
}

static LogicalResult readResize(OperationLowering &op, Resize &resize) {
  for (size_t i = 4; i < op.inputCount(); ++i)
    if (!op.isConstant(i))
      return op.fail("the " +
                     Twine(i == 4 ? "flag for aligned corners"
                                  : "flag for half pixel centers") +
                     " is not constant");
  FailureOr<rt::ResizeForm> form = op.decoded(rt::decodeResize(op.view()));
  if (failed(form))
    return failure();
  resize.alignCorners = form->alignCorners;
  resize.halfPixelCenters = form->halfPixelCenters;
  resize.input = op.input(0);
  resize.image = extentsOf(resize.input);
  checkNotEmpty(op, resize.image);
  resize.rows.input = resize.image.row;
  resize.columns.input = resize.image.column;
  // The width comes before the height (M-197).
  resize.columns.output = readSize(op, 1, resize.image.column);
  resize.rows.output = readSize(op, 2, resize.image.row);
  setStep(op, resize.rows, resize.alignCorners);
  setStep(op, resize.columns, resize.alignCorners);
  return success();
}

namespace {
/// Extents of an axis that are known, with what setStep() computes.
struct KnownAxis {
  int64_t input, output;
  float step;

  KnownAxis(int64_t input, int64_t output, bool alignCorners)
      : input(input), output(output),
        step(alignCorners && output > 1
                 ? static_cast<float>(input - 1) /
                       static_cast<float>(output - 1)
                 : static_cast<float>(input) / static_cast<float>(output)) {}
};
} // namespace

static std::optional<KnownAxis> knownAxis(const Resize &resize,
                                          const ResizeAxis &axis) {
  std::optional<int64_t> input = axis.input.known();
  std::optional<int64_t> output = axis.output.known();
  if (!input || !output || *input < 1 || *output < 1)
    return std::nullopt;
  return KnownAxis(*input, *output, resize.alignCorners);
}

//===----------------------------------------------------------------------===//
// RESIZE_BILINEAR
//===----------------------------------------------------------------------===//

namespace {
/// Two neighbours in the input on one axis, and the weight of the upper one.
struct Neighbours {
  Scalar lower, upper, weight;
};

/// The neighbours of each output index of an axis.
class BilinearAxis {
public:
  BilinearAxis(OperationLowering &op, const Resize &resize,
               const ResizeAxis &axis);

  Neighbours neighboursOf(Scalar index) const;
  Scalar output() const { return axis.output; }
  bool isKnown() const { return lower.get() != nullptr; }
  /// Whether every index is that of the input; false where that is not known.
  bool isIdentity() const { return keepsAll; }

private:
  void makeTables(OperationLowering &op, const KnownAxis &known);

  const Resize &resize;
  const ResizeAxis &axis;
  /// Tables by output index; no tensors where extents are not known.
  Tensor lower, upper, weight;
  bool keepsAll = false;
};
} // namespace

BilinearAxis::BilinearAxis(OperationLowering &op, const Resize &resize,
                           const ResizeAxis &axis)
    : resize(resize), axis(axis) {
  if (std::optional<KnownAxis> known = knownAxis(resize, axis))
    makeTables(op, *known);
}

/// Fills the tables with what neighboursOf() computes otherwise.
void BilinearAxis::makeTables(OperationLowering &op, const KnownAxis &known) {
  SmallVector<int32_t> lowers, uppers;
  SmallVector<float> weights;
  for (int64_t i = 0; i < known.output; ++i) {
    auto index = static_cast<float>(i);
    float source = resize.halfPixelCenters ? (index + 0.5f) * known.step - 0.5f
                                           : index * known.step;
    source = std::max(source, 0.0f);
    int64_t first = std::min(static_cast<int64_t>(source), known.input - 1);
    lowers.push_back(static_cast<int32_t>(first));
    uppers.push_back(
        static_cast<int32_t>(std::min(first + 1, known.input - 1)));
    weights.push_back(source - static_cast<float>(first));
  }
  keepsAll = llvm::equal(lowers, llvm::seq<int32_t>(0, known.input)) &&
             llvm::all_of(weights, [](float number) { return number == 0; });
  lower = op.constantTable(lowers);
  upper = op.constantTable(uppers);
  weight = op.constantTable(weights);
}

Neighbours BilinearAxis::neighboursOf(Scalar index) const {
  if (isKnown())
    return {lower.integer({index}).toIndex(), upper.integer({index}).toIndex(),
            weight.real({index})};
  Scalar source = resize.halfPixelCenters
                      ? (index.toF32() + 0.5) * axis.step - 0.5
                      : index.toF32() * axis.step;
  // The source of an output pixel is never left of the image (M-201).
  source = max(source, 0.0);
  Scalar last = axis.input - 1;
  // The source is not negative, which --nnhal-verify-addresses cannot see of a
  // float.
  Scalar first = clamp(source.toIndex(), last.like(0), last);
  return {first, min(first + 1, last), source - first.toF32()};
}

/// \p input, of f32, with dimension \p dim resized.
static Tensor interpolated(OperationLowering &op, const Tensor &input,
                           const BilinearAxis &axis, int64_t dim) {
  if (axis.isIdentity())
    return input;
  SmallVector<Scalar> extents = input.extents();
  extents[dim] = axis.output();
  return op.define(input.getType(), extents, [&](Indices at) {
    Neighbours place = axis.neighboursOf(at[dim]);
    auto read = [&](Scalar index) {
      SmallVector<Scalar> from(at);
      from[dim] = index;
      return input.real(from);
    };
    return read(place.lower) * (1.0 - place.weight) +
           read(place.upper) * place.weight;
  });
}

static LogicalResult lowerResizeBilinear(OperationLowering &op) {
  Resize resize;
  if (failed(readResize(op, resize)))
    return failure();
  const Tensor &input = resize.input;
  BilinearAxis rows(op, resize, resize.rows);
  BilinearAxis columns(op, resize, resize.columns);
  bool isKnownF32 = input.getType().type == OperandType::TENSOR_FLOAT32 &&
                    rows.isKnown() && columns.isKnown();
  // Rows first, of the input's width: 2 + 2 products for each element in place
  // of 4, with half as many pixels to find.
  if (isKnownF32 &&
      resize.columns.input.known() <= resize.columns.output.known()) {
    op.setOutput(
        interpolated(op, interpolated(op, input, rows, 1), columns, 2));
    return success();
  }
  auto element = [&](Indices indices) {
    Pixel at = pixelAt(indices);
    Neighbours y = rows.neighboursOf(at.row);
    Neighbours x = columns.neighboursOf(at.column);
    // Quantized values mean the same on both sides (M-202), so that they are
    // interpolated as they are. Half is rounded up.
    auto read = [&](Scalar row, Scalar column) {
      auto from = indicesOf({at.batch, row, column, at.channel});
      return input.isFloat() ? input.real(from) : input.integer(from).toF32();
    };
    Scalar above = 1.0 - y.weight, before = 1.0 - x.weight;
    // One product for each pixel, whatever the number of its channels.
    if (isKnownF32)
      return read(y.lower, x.lower) * (above * before) +
             read(y.lower, x.upper) * (above * x.weight) +
             read(y.upper, x.lower) * (y.weight * before) +
             read(y.upper, x.upper) * (y.weight * x.weight);
    Scalar value = read(y.lower, x.lower) * above * before +
                   read(y.upper, x.lower) * y.weight * before +
                   read(y.lower, x.upper) * above * x.weight +
                   read(y.upper, x.upper) * y.weight * x.weight;
    if (input.isFloat())
      return op.encode(value, op.outputType());
    return op.encodeInteger(floor(value + 0.5).toI32(), op.outputType());
  };
  op.setOutput(op.define(op.outputType(), resize.outputExtents(), element));
  return success();
}

//===----------------------------------------------------------------------===//
// RESIZE_NEAREST_NEIGHBOR
//===----------------------------------------------------------------------===//

/// Per output index the nearest input index, which nearestOf() computes
/// otherwise; no tensor where extents are not known.
static Tensor nearestTable(OperationLowering &op, const Resize &resize,
                           const ResizeAxis &axis) {
  std::optional<KnownAxis> known = knownAxis(resize, axis);
  if (!known)
    return {};
  SmallVector<int32_t> table;
  for (int64_t i = 0; i < known->output; ++i) {
    float offset = resize.halfPixelCenters ? 0.5f : 0.0f;
    float source = (static_cast<float>(i) + offset) * known->step;
    source = resize.alignCorners ? std::round(source) : std::floor(source);
    table.push_back(static_cast<int32_t>(std::clamp<int64_t>(
        static_cast<int64_t>(source), 0, known->input - 1)));
  }
  return op.constantTable(table);
}

/// The nearest input index of output \p index (M-204).
static Scalar nearestOf(const Resize &resize, const ResizeAxis &axis,
                        const Tensor &table, Scalar index) {
  if (table.get())
    return table.integer({index}).toIndex();
  Scalar position = index.toF32();
  if (resize.halfPixelCenters)
    position = position + 0.5;
  Scalar source = position * axis.step;
  Scalar nearest = resize.alignCorners ? round(source) : floor(source);
  return clamp(nearest.toIndex(), nearest.toIndex().like(0), axis.input - 1);
}

static LogicalResult lowerResizeNearestNeighbor(OperationLowering &op) {
  Resize resize;
  if (failed(readResize(op, resize)))
    return failure();
  Tensor rows = nearestTable(op, resize, resize.rows);
  Tensor columns = nearestTable(op, resize, resize.columns);
  auto element = [&](Indices indices) {
    Pixel at = pixelAt(indices);
    at.row = nearestOf(resize, resize.rows, rows, at.row);
    at.column = nearestOf(resize, resize.columns, columns, at.column);
    return resize.input.stored(indicesOf(at));
  };
  op.setOutput(op.define(op.outputType(), resize.outputExtents(), element));
  return success();
}

static constexpr LoweringRow rows[] = {
    {OperationType::RESIZE_BILINEAR, lowerResizeBilinear},
    {OperationType::RESIZE_NEAREST_NEIGHBOR, lowerResizeNearestNeighbor},
};

std::span<const LoweringRow> nnhal::resizeRows() { return rows; }
