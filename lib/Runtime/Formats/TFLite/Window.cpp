//===- Window.cpp - Import of pooling and resizing ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "OperationBuilder.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

Result<int32_t> paddingScheme(schema::Padding padding) {
  switch (padding) {
  case schema::Padding::SAME:
    return 1;
  case schema::Padding::VALID:
    return 2;
  }
  return badData("has unknown padding {}", int(padding));
}

Status importPool2D(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::Pool2DOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t scheme, paddingScheme(options->padding()));
  return OperationBuilder(op, op.row.type)
      .input(0)
      .int32(scheme)
      .int32(options->stride_w())
      .int32(options->stride_h())
      .int32(options->filter_width())
      .int32(options->filter_height())
      .activation(options->activation())
      .keepsQuantizationOf(0)
      .finish();
}

/// RESIZE_BILINEAR of signed bytes. TensorFlow Lite rounds halves of them away
/// from 0 as they are stored, where the HAL rounds up: the stored numbers are
/// resized as floats, which QUANTIZE rounds like TensorFlow Lite.
static Status resizeSignedBytes(Operator &op, const std::vector<int32_t> &size,
                                bool alignCorners, bool halfPixelCenters) {
  Composition c(op);
  Shape shape = op.shape(0);
  uint32_t numbers = c.stored(/*zeroPoint=*/0);
  shape[1] = uint32_t(size[0]);
  shape[2] = uint32_t(size[1]);
  uint32_t resized = c.realTemporary(shape);
  std::vector<uint32_t> operands = {numbers, c.int32(size[1]),
                                    c.int32(size[0])};
  if (alignCorners || halfPixelCenters)
    operands.insert(operands.end(), {c.boolean(false), c.boolean(alignCorners),
                                     c.boolean(halfPixelCenters)});
  c.addTo(OperationType::RESIZE_BILINEAR, std::move(operands), {resized});
  return c.finishStored(resized, shape, /*zeroPoint=*/0);
}

/// M-196, M-203: width before height; the flags need HAL 1.3.
static Status importResize(Operator &op, bool alignCorners,
                           bool halfPixelCenters) {
  // Both flags together are refused (M-200).
  if (alignCorners && halfPixelCenters)
    return badData("align_corners and half_pixel_centers are both set");
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> size, op.integers(1));
  if (size.size() != 2)
    return badData("size has {} values, expected 2", size.size());
  if (op.row.type == OperationType::RESIZE_BILINEAR &&
      op.input(0).type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED &&
      op.shape(0).size() == 4 && size[0] > 0 && size[1] > 0 &&
      op.output(0).scale == op.input(0).scale &&
      op.output(0).zeroPoint == op.input(0).zeroPoint)
    return resizeSignedBytes(op, size, alignCorners, halfPixelCenters);
  OperationBuilder builder(op, op.row.type);
  builder.input(0).int32(size[1]).int32(size[0]);
  bool hasFlags = alignCorners || halfPixelCenters;
  if (hasFlags || op.row.type == OperationType::RESIZE_NEAREST_NEIGHBOR)
    builder.boolean(false);
  if (hasFlags)
    builder.boolean(alignCorners).boolean(halfPixelCenters);
  return builder.keepsQuantizationOf(0).finish();
}

Status importResizeBilinear(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ResizeBilinearOptions>());
  return importResize(op, options->align_corners(),
                      options->half_pixel_centers());
}

Status importResizeNearestNeighbor(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ResizeNearestNeighborOptions>());
  return importResize(op, options->align_corners(),
                      options->half_pixel_centers());
}

} // namespace nnhal::rt::tflite
