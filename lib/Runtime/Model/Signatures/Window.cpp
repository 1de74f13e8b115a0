//===- Window.cpp - Forms of the Window operations ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Window.h"
#include "Runtime/Support/Errors.h"

#include "../Rules/Checks.h"
#include "WindowReader.h"

#include <cmath>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

static Result<PoolForm> readPool(Reader &reader) {
  // Pools have 7 or 8 inputs in the implicit form, 10 or 11 in the explicit one
  // (M-089).
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({7, 8, 10, 11}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  PoolForm form;
  WindowParams &params = form.params;
  size_t at = 1;
  NNHAL_ASSIGN_OR_RETURN(Padding padding,
                         readPadding(reader, at, reader.inputCount() < 10));
  NNHAL_ASSIGN_OR_RETURN(params.strides, readExtent(reader, at, "stride"));
  // An absent window must not make stated pads look too large.
  NNHAL_ASSIGN_OR_RETURN(
      params.window,
      readExtent(reader, at, "window", std::numeric_limits<int32_t>::max()));
  NNHAL_ASSIGN_OR_RETURN(params.activation, reader.activation(at++));
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, readLayout(reader, at));
  form.input = activationInput(reader, form.isNchw);
  params.pads = resolvePads(padding, spatialExtent(form.input), params.window,
                            params.strides);
  return form;
}

Result<PoolForm> nnhal::rt::decodePool(const OperationView &operation) {
  Reader reader(operation);
  return readPool(reader);
}

/// Facts of a pool whose rule is \p rule.
static Result<OperationFacts> poolFacts(
    const OperationView &operation,
    Result<TensorType> (*rule)(const TensorType &, const WindowParams &)) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(PoolForm form, readPool(reader));
  requireForType(reader, sinceFirst, reader.inputType(0));
  NNHAL_ASSIGN_OR_RETURN(TensorType result, rule(form.input, form.params));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts> pool2DFacts(const OperationView &operation) {
  return poolFacts(operation, pool2D);
}

static Result<OperationFacts> l2Pool2DFacts(const OperationView &operation) {
  return poolFacts(operation, l2Pool2D);
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

/// One extent of a result: input \p index is it, or is the factor by which it
/// differs from \p input (M-199).
static Result<int64_t> readSize(Reader &reader, size_t index,
                                std::string_view axis, int64_t input) {
  if (reader.inputType(index) == OperandType::INT32) {
    NNHAL_ASSIGN_OR_RETURN(int32_t size,
                           reader.int32(index, fmt::format("result {}", axis)));
    if (size < 1) // resize C4
      return badData("result {} {} must be positive", axis, size);
    return reader.isComplete() ? int64_t(size) : unknownExtent;
  }
  reader.require(HalVersion::V1_2);
  NNHAL_ASSIGN_OR_RETURN(
      float scale,
      reader.real(index, fmt::format("{} scale", axis), reader.inputType(0)));
  if (!reader.isComplete() || !rules::isKnown(input))
    return unknownExtent;
  float size = std::floor(float(input) * scale);
  if (!(size >= 1.0f) || size >= 0x1p31f) // resize C7
    return badData("{} scale {} gives {} elements, expected 1 to 2147483647",
                   axis, scale, size);
  return int64_t(size);
}

static Result<ResizeForm> readResize(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  ResizeForm form;
  size_t count = reader.inputCount();
  size_t at = 3;
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, readLayout(reader, at));
  if (count > 4) {
    reader.require(HalVersion::V1_3);
    NNHAL_ASSIGN_OR_RETURN(form.alignCorners,
                           reader.boolean(4, "align corners"));
  }
  if (count > 5) {
    NNHAL_ASSIGN_OR_RETURN(form.halfPixelCenters,
                           reader.boolean(5, "half pixel centers"));
  }
  if (reader.inputType(1) != reader.inputType(2)) // resize C6
    return badData("width type {} differs from height type {}",
                   nameOf(reader.inputType(1)), nameOf(reader.inputType(2)));
  Extent2D input = spatialExtent(activationInput(reader, form.isNchw));
  // The width comes before the height (M-197).
  NNHAL_ASSIGN_OR_RETURN(form.size.width,
                         readSize(reader, 1, "width", input.width));
  NNHAL_ASSIGN_OR_RETURN(form.size.height,
                         readSize(reader, 2, "height", input.height));
  form.input = activationInput(reader, form.isNchw);
  return form;
}

Result<ResizeForm> nnhal::rt::decodeResize(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({3, 4, 5, 6}));
  return readResize(reader);
}

static Result<OperationFacts> resizeFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(ResizeForm form, readResize(reader));
  requireForType(reader, sinceFirst, reader.inputType(0));
  // An operand that is not TENSOR_FLOAT32 came with HAL 1.2 (M-198).
  if (reader.inputType(0) != OperandType::TENSOR_FLOAT32)
    reader.require(HalVersion::V1_2);
  TensorType result = form.input;
  if (result.isRanked && result.rank() == 4) {
    result.dimensions[1] = form.size.height;
    result.dimensions[2] = form.size.width;
  }
  NNHAL_RETURN_IF_ERROR(checkResize(form.input, result, form.alignCorners,
                                    form.halfPixelCenters));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

static Result<OperationFacts>
resizeBilinearFacts(const OperationView &operation) {
  Reader reader(operation);
  // Layout and both flags may be left out (M-196).
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({3, 4, 5, 6}));
  return resizeFacts(reader);
}

static Result<OperationFacts>
resizeNearestNeighborFacts(const OperationView &operation) {
  Reader reader(operation);
  // The layout is mandatory, both flags may be left out (M-203).
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({4, 5, 6}));
  reader.require(HalVersion::V1_2);
  return resizeFacts(reader);
}

std::span<const Row> signatures::windowRows() {
  static constexpr Row rows[] = {
      {OperationType::AVERAGE_POOL_2D, pool2DFacts},
      {OperationType::MAX_POOL_2D, pool2DFacts},
      {OperationType::L2_POOL_2D, l2Pool2DFacts},
      {OperationType::RESIZE_BILINEAR, resizeBilinearFacts},
      {OperationType::RESIZE_NEAREST_NEIGHBOR, resizeNearestNeighborFacts},
  };
  return rows;
}
