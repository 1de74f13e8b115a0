//===- Window.cpp - Import of pooling and resizing ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

Status importPool2D(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::Pool2DOptions>());
  return OperationBuilder(op, op.row.type)
      .input(0)
      .int32(options->padding() == schema::Padding::SAME ? 1 : 2)
      .int32(options->stride_w())
      .int32(options->stride_h())
      .int32(options->filter_width())
      .int32(options->filter_height())
      .activation(options->activation())
      .keepsQuantizationOf(0)
      .finish();
}

/// M-196, M-203: width before height; the flags need HAL 1.3.
static Status importResize(Operator &op, bool alignCorners,
                           bool halfPixelCenters) {
  // Both flags together are refused (M-200).
  if (alignCorners && halfPixelCenters)
    return badData("align_corners and half_pixel_centers are both set");
  const Shape &shape = op.outputShapes[0];
  OperationBuilder builder(op, op.row.type);
  builder.input(0).int32(int32_t(shape[2])).int32(int32_t(shape[1]));
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
