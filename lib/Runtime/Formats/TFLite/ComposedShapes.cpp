//===- ComposedShapes.cpp - Shapes of operators of several operations -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

/// \p dimensions as the shape of the only output.
static Result<std::vector<Shape>> single(std::span<const int64_t> dimensions) {
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

/// Inputs \p first and after have the type of input 0 and shape \p expected.
static Status expectAlike(Operator &op, size_t first, const Shape &expected) {
  for (size_t i = first; i < op.inputCount(); ++i) {
    if (!op.hasInput(i) || !op.input(i).shape)
      return badData("input {} is missing", i);
    if (op.shape(i) != expected)
      return badData("input {} has shape {}, expected {}", i,
                     toString(op.shape(i)), toString(expected));
    if (op.input(i).type != op.input(0).type)
      return badData("input {} has type {}, but input 0 has type {}", i,
                     nameOf(op.input(i).sourceType),
                     nameOf(op.input(0).sourceType));
  }
  return Status();
}

Result<std::vector<Shape>> addNShape(Operator &op) {
  NNHAL_RETURN_IF_ERROR(expectAlike(op, 1, op.shape(0)));
  return std::vector<Shape>{op.shape(0)};
}

Result<std::vector<Shape>> selectV2Shape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(Shape values, broadcast(op.shape(1), op.shape(2)));
  NNHAL_ASSIGN_OR_RETURN(Shape shape, broadcast(op.shape(0), values));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> oneHotShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::OneHotOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t depth, op.integer(1));
  for (size_t i : {2, 3})
    if (elementCount(op.shape(i)) != 1u)
      return badData("input {} has shape {}, expected a scalar", i,
                     toString(op.shape(i)));
  std::vector<int64_t> dimensions = op.dimensions(0);
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), dimensions.size() + 1));
  dimensions.insert(dimensions.begin() + axis, depth);
  return single(dimensions);
}

Result<std::vector<Shape>> packShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::PackOptions>());
  NNHAL_RETURN_IF_ERROR(expectAlike(op, 1, op.shape(0)));
  std::vector<int64_t> dimensions = op.dimensions(0);
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), dimensions.size() + 1));
  dimensions.insert(dimensions.begin() + axis, int64_t(op.inputCount()));
  return single(dimensions);
}

Result<std::vector<Shape>> unpackShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::UnpackOptions>());
  Shape shape = op.shape(0);
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis, Operator::normalizeAxis(options->axis(), shape.size()));
  if (shape[axis] != op.outputCount())
    return badData("dimension {} has size {}, but there are {} outputs", axis,
                   shape[axis], op.outputCount());
  shape.erase(shape.begin() + axis);
  return std::vector<Shape>(op.outputCount(), shape);
}

Result<std::vector<std::vector<int64_t>>> splitExtents(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> sizes, op.integers(1));
  NNHAL_ASSIGN_OR_RETURN(int32_t stated, op.integer(2));
  std::vector<int64_t> dimensions = op.dimensions(0);
  NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                         Operator::normalizeAxis(stated, dimensions.size()));
  if (sizes.size() != op.outputCount())
    return badData("has {} sizes, but {} outputs", sizes.size(),
                   op.outputCount());
  if (std::count(sizes.begin(), sizes.end(), -1) > 1)
    return badData("sizes have more than one -1");
  int64_t extent = dimensions[axis], known = 0;
  for (int32_t size : sizes)
    known += size == -1 ? 0 : size;
  std::vector<std::vector<int64_t>> parts;
  int64_t total = 0;
  for (int64_t size : sizes) {
    dimensions[axis] = size == -1 ? extent - known : size;
    total += dimensions[axis];
    parts.push_back(dimensions);
  }
  if (total != extent)
    return badData("sizes need {} elements, but dimension {} has {}", total,
                   axis, extent);
  return parts;
}

Result<std::vector<Shape>> splitVShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::vector<int64_t>> parts,
                         splitExtents(op));
  std::vector<Shape> shapes;
  for (const std::vector<int64_t> &dimensions : parts) {
    NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Result<std::vector<Shape>> gatherNdShape(Operator &op) {
  const Shape &data = op.shape(0), &indices = op.shape(1);
  if (indices.empty() || indices.back() > data.size())
    return badData("indices of shape {} do not point into shape {}",
                   toString(indices), toString(data));
  std::vector<int64_t> dimensions(indices.begin(), indices.end() - 1);
  dimensions.insert(dimensions.end(), data.begin() + indices.back(),
                    data.end());
  return single(dimensions);
}

Result<std::vector<Shape>> broadcastToShape(Operator &op) {
  if (!op.isConstant(1))
    return badData("input 1 must be a constant");
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> given, op.integers(1));
  std::vector<int64_t> dimensions(given.begin(), given.end());
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  NNHAL_ASSIGN_OR_RETURN(Shape both, broadcast(op.shape(0), shape));
  if (both != shape)
    return badData("shape {} does not broadcast to {}", toString(op.shape(0)),
                   toString(shape));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> mirrorPadShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::MirrorPadOptions>());
  if (!op.isConstant(1))
    return badData("input 1 must be a constant");
  NNHAL_ASSIGN_OR_RETURN(std::vector<Shape> shapes, padShape(op));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> paddings, op.integers(1));
  int64_t skip = options->mode() == schema::MirrorPadMode::REFLECT ? 1 : 0;
  for (size_t i = 0; i < op.shape(0).size(); ++i)
    for (int64_t padding : {paddings[2 * i], paddings[2 * i + 1]})
      if (padding > int64_t(op.shape(0)[i]) - skip)
        return badData("padding {} of dimension {} exceeds its {} elements",
                       padding, i, op.shape(0)[i] - skip);
  return shapes;
}

} // namespace nnhal::rt::tflite
