//===- WindowAxes.cpp - Windows that move over images ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowAxes.h"

using namespace mlir;
using namespace nnhal;

//===----------------------------------------------------------------------===//
// Pixels
//===----------------------------------------------------------------------===//

SmallVector<Scalar, 4> nnhal::indicesOf(const Pixel &pixel) {
  return {pixel.batch, pixel.row, pixel.column, pixel.channel};
}

Pixel nnhal::pixelAt(Indices indices) {
  return {indices[0], indices[1], indices[2], indices[3]};
}

void nnhal::checkNotEmpty(OperationLowering &op, const Pixel &image) {
  for (Scalar extent : {image.row, image.column, image.channel})
    op.check(extent >= 1, FailureReason::negativeExtent, extent, op.index(1));
}

void nnhal::checkAtLeast(OperationLowering &op, Scalar parameter, int64_t low) {
  op.check(parameter >= double(low), FailureReason::valueTooSmall, parameter,
           op.index(low));
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

static bool isKnown(Scalar value, int64_t number) {
  return value.known() == std::optional<int64_t>(number);
}

/// \p value, which is not negative, over \p divisor, rounded up.
static Scalar roundedUp(Scalar value, Scalar divisor) {
  return isKnown(divisor, 1) ? value : (value + divisor - 1).quotient(divisor);
}

Scalar WindowAxis::start(Scalar index) const {
  Scalar scaled = isKnown(stride, 1) ? index : index * stride;
  // Every window fits into the padded extent, as resolveAxis() makes sure; of a
  // computed stride, the clamp is what --nnhal-verify-addresses can see.
  if (!stride.known())
    scaled =
        clamp(scaled, index.like(0), input + head + tail - effectiveWindow());
  return isKnown(head, 0) ? scaled : scaled - head;
}

Places WindowAxis::inside(Scalar start) const {
  // Without a pad no place lies beyond that end of the input.
  Places places{start.like(0), window};
  if (!isKnown(head, 0))
    places.begin = roundedUp(max(0.0 - start, 0.0), dilation);
  if (!dilation.known())
    places.begin = max(places.begin, 0.0);
  // The tail is smaller than the window, so that windows start in the input.
  if (!isKnown(tail, 0))
    places.end = min(window, roundedUp(input - start, dilation));
  return places;
}

Scalar WindowAxis::placeAt(Scalar start, Scalar place) const {
  Scalar at = start + (isKnown(dilation, 1) ? place : place * dilation);
  return isComputed ? clamp(at, at.like(0), input - 1) : at;
}

Scalar WindowAxis::effectiveWindow() const {
  return isKnown(dilation, 1) ? window : (window - 1) * dilation + 1;
}

void nnhal::resolveAxis(OperationLowering &op, WindowAxis &axis, bool isSame) {
  checkAtLeast(op, axis.window, 1);
  checkAtLeast(op, axis.stride, 1);
  checkAtLeast(op, axis.dilation, 1);
  auto isOpen = [](Scalar parameter) { return !parameter.known(); };
  axis.isComputed =
      llvm::any_of(ArrayRef<Scalar>{axis.window, axis.stride, axis.dilation},
                   isOpen) ||
      (!isSame && (isOpen(axis.head) || isOpen(axis.tail)));
  Scalar window = axis.effectiveWindow();
  if (isSame) {
    Scalar count = roundedUp(axis.input, axis.stride);
    Scalar total =
        max((count - 1) * axis.stride + window - axis.input, op.index(0));
    // The last window starts in the input.
    if (!axis.stride.known())
      total = min(total, window - 1);
    axis.head = total.quotient(op.index(2));
    axis.tail = total - axis.head;
  }
  // Explicit paddings are at least 0 and below the window (M-009).
  for (Scalar pad : {axis.head, axis.tail}) {
    checkAtLeast(op, pad, 0);
    if (!isSame)
      op.check(pad < window, FailureReason::valueTooLarge, pad, window - 1);
  }
  Scalar padded = axis.input + axis.head + axis.tail;
  op.check(window <= padded, FailureReason::windowTooLarge, window, padded);
  // The output has a place for each window that fits into the padded extent
  // (M-006).
  axis.output = (padded - window).quotient(axis.stride) + 1;
}

std::optional<KernelWindow> WindowAxes::known() const {
  KernelWindow window;
  const WindowAxis *axes[] = {&rows, &columns};
  for (auto [i, axis] : llvm::enumerate(axes)) {
    std::optional<int64_t> known[] = {
        axis->stride.known(), axis->dilation.known(), axis->head.known(),
        axis->tail.known(), axis->output.known()};
    if (!llvm::all_of(known, [](auto number) { return number.has_value(); }) ||
        *known[4] < 1)
      return std::nullopt;
    window.strides[i] = *known[0];
    window.dilations[i] = *known[1];
    window.pads[2 * i] = *known[2];
    window.pads[2 * i + 1] = *known[3];
    window.output[i] = *known[4];
  }
  return window;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

FailureOr<int64_t> WindowOperands::readCode(std::string_view name) {
  size_t index = op.indexOf(name);
  if (!op.isConstant(index))
    return op.fail("the " + Twine(name) + " is not constant");
  return op.scalar(index).known().value_or(0);
}

LogicalResult WindowOperands::readPadding(WindowAxes &axes) {
  for (WindowAxis *axis : {&axes.columns, &axes.rows})
    axis->dilation = axis->head = axis->tail = op.index(0);
  axes.rows.dilation = axes.columns.dilation = op.index(1);
  if (op.states("left pad")) {
    axes.columns.head = readInteger("left pad");
    axes.columns.tail = readInteger("right pad");
    axes.rows.head = readInteger("top pad");
    axes.rows.tail = readInteger("bottom pad");
    return success();
  }
  FailureOr<int64_t> code = readCode("padding scheme");
  if (failed(code))
    return failure();
  scheme = *code;
  return success();
}

void WindowOperands::readPair(std::string_view name, Scalar &width,
                              Scalar &height) {
  width = readInteger(std::string(name) + " width");
  height = readInteger(std::string(name) + " height");
}

Scalar WindowOperands::readInteger(std::string_view name) {
  return op.scalar(op.indexOf(name)).toIndex();
}

FailureOr<rt::FusedActivation> WindowOperands::readActivation() {
  FailureOr<int64_t> code = readCode("activation");
  if (failed(code))
    return failure();
  return rt::FusedActivation(*code);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Tensor nnhal::widened(OperationLowering &op, const Tensor &tensor) {
  if (tensor.getType().type != rt::OperandType::TENSOR_FLOAT16)
    return tensor;
  rt::TensorType type = tensor.getType();
  type.type = rt::OperandType::TENSOR_FLOAT32;
  return op.define(type, tensor.extents(),
                   [&](Indices at) { return tensor.real(at); });
}
