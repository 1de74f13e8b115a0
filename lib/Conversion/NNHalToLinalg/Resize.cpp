//===- Resize.cpp - Resizing of any type and shape ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/WindowAxes.h"

#include "nnhal/Backend/Signatures/Window.h"

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
  ImageLayout layout;
  Pixel image;
  ResizeAxis rows, columns;
  bool alignCorners = false;
  bool halfPixelCenters = false;

  Pixel outputExtents() const {
    return {image.batch, rows.output, columns.output, image.channel};
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
  for (size_t i = 3; i < op.inputCount(); ++i)
    if (!op.isConstant(i))
      return op.fail("the " +
                     Twine(i == 3   ? "layout"
                           : i == 4 ? "flag for aligned corners"
                                    : "flag for half pixel centers") +
                     " is not constant");
  FailureOr<rt::ResizeForm> form = op.decoded(rt::decodeResize(op.view()));
  if (failed(form))
    return failure();
  resize.alignCorners = form->alignCorners;
  resize.halfPixelCenters = form->halfPixelCenters;
  resize.layout = {form->isNchw};
  resize.input = op.input(0);
  resize.image = resize.layout.extents(resize.input);
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

//===----------------------------------------------------------------------===//
// RESIZE_BILINEAR
//===----------------------------------------------------------------------===//

namespace {
/// Two neighbours in the input on one axis, and the weight of the upper one.
struct Neighbours {
  Scalar lower, upper, weight;
};
} // namespace

static Neighbours neighboursOf(const Resize &resize, const ResizeAxis &axis,
                               Scalar index) {
  Scalar source = resize.halfPixelCenters
                      ? (index.toF32() + 0.5) * axis.step - 0.5
                      : index.toF32() * axis.step;
  // The source of an output pixel is never left of the image (M-201).
  source = max(source, 0.0);
  Scalar last = axis.input - 1;
  Scalar lower = min(source.toIndex(), last);
  return {lower, min(lower + 1, last), source - lower.toF32()};
}

static LogicalResult lowerResizeBilinear(OperationLowering &op) {
  Resize resize;
  if (failed(readResize(op, resize)))
    return failure();
  const Tensor &input = resize.input;
  auto element = [&](Indices indices) {
    Pixel at = resize.layout.pixel(indices);
    Neighbours y = neighboursOf(resize, resize.rows, at.row);
    Neighbours x = neighboursOf(resize, resize.columns, at.column);
    // Quantized values mean the same on both sides (M-202), so that they are
    // interpolated as they are. Half is rounded up.
    auto read = [&](Scalar row, Scalar column) {
      auto from = resize.layout.indices({at.batch, row, column, at.channel});
      return input.isFloat() ? input.real(from) : input.integer(from).toF32();
    };
    Scalar above = 1.0 - y.weight, before = 1.0 - x.weight;
    Scalar value = read(y.lower, x.lower) * above * before +
                   read(y.upper, x.lower) * y.weight * before +
                   read(y.lower, x.upper) * above * x.weight +
                   read(y.upper, x.upper) * y.weight * x.weight;
    if (input.isFloat())
      return op.encode(value, op.outputType());
    return op.encodeInteger(floor(value + 0.5).toI32(), op.outputType());
  };
  op.setOutput(op.define(
      op.outputType(), resize.layout.indices(resize.outputExtents()), element));
  return success();
}

//===----------------------------------------------------------------------===//
// RESIZE_NEAREST_NEIGHBOR
//===----------------------------------------------------------------------===//

/// The nearest input index of output \p index (M-204).
static Scalar nearestOf(const Resize &resize, const ResizeAxis &axis,
                        Scalar index) {
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
  auto element = [&](Indices indices) {
    Pixel at = resize.layout.pixel(indices);
    at.row = nearestOf(resize, resize.rows, at.row);
    at.column = nearestOf(resize, resize.columns, at.column);
    return resize.input.stored(resize.layout.indices(at));
  };
  op.setOutput(op.define(
      op.outputType(), resize.layout.indices(resize.outputExtents()), element));
  return success();
}

static constexpr GeneralLoweringRow rows[] = {
    {OperationType::RESIZE_BILINEAR, lowerResizeBilinear},
    {OperationType::RESIZE_NEAREST_NEIGHBOR, lowerResizeNearestNeighbor},
};

std::span<const GeneralLoweringRow> nnhal::generalResizeRows() { return rows; }
