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

/// M-196, M-203: width before height; the flags need HAL 1.3.
static Status importResize(Operator &op, bool alignCorners,
                           bool halfPixelCenters) {
  // Both flags together are refused (M-200).
  if (alignCorners && halfPixelCenters)
    return badData("align_corners and half_pixel_centers are both set");
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> size, op.integers(1));
  if (size.size() != 2)
    return badData("size has {} values, expected 2", size.size());
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
