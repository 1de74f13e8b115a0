//===- WindowShapes.cpp - Shapes of pooling and resizing ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

Result<std::vector<Shape>> pool2DShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::Pool2DOptions>());
  const Shape &data = op.shape(0);
  if (data.size() != 4)
    return badData("input 0 has shape {}, expected rank 4", toString(data));
  if (options->padding() != schema::Padding::SAME &&
      options->padding() != schema::Padding::VALID)
    return badData("has unknown padding {}", int(options->padding()));
  if (options->stride_w() < 1 || options->stride_h() < 1)
    return badData("stride {}x{} is not positive", options->stride_h(),
                   options->stride_w());
  if (options->filter_width() < 1 || options->filter_height() < 1)
    return badData("window {}x{} is not positive", options->filter_height(),
                   options->filter_width());
  int64_t height = windowExtent(options->padding(), data[1],
                                options->filter_height(), options->stride_h());
  int64_t width = windowExtent(options->padding(), data[2],
                               options->filter_width(), options->stride_w());
  if (height < 1 || width < 1)
    return badData("window {}x{} exceeds the input {}x{}",
                   options->filter_height(), options->filter_width(), data[1],
                   data[2]);
  std::vector<int64_t> dimensions = {data[0], height, width, data[3]};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> resizeShape(Operator &op) {
  const Shape &data = op.shape(0);
  if (data.size() != 4)
    return badData("input 0 has shape {}, expected rank 4", toString(data));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> size, op.integers(1));
  if (size.size() != 2)
    return badData("size has {} values, expected 2", size.size());
  std::vector<int64_t> dimensions = {data[0], size[0], size[1], data[3]};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

} // namespace nnhal::rt::tflite
