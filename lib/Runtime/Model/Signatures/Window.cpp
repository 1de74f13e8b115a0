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
  PoolForm form;
  WindowParams &params = form.params;
  NNHAL_ASSIGN_OR_RETURN(Padding padding, readPadding(reader));
  NNHAL_ASSIGN_OR_RETURN(params.strides, readExtent(reader, "stride"));
  // An absent window must not make stated pads look too large.
  NNHAL_ASSIGN_OR_RETURN(
      params.window,
      readExtent(reader, "window", std::numeric_limits<int32_t>::max()));
  NNHAL_ASSIGN_OR_RETURN(params.activation, reader.activation());
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout());
  form.input = activationInput(reader, form.isNchw);
  params.pads = resolvePads(padding, spatialExtent(form.input), params.window,
                            params.strides);
  return form;
}

Result<PoolForm> nnhal::rt::decodePool(const OperationView &operation) {
  Reader reader(operation);
  return readPool(reader);
}

using PoolRule = Result<TensorType> (*)(const TensorType &,
                                        const WindowParams &);

template <PoolRule rule>
static Result<OperationFacts> poolFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(PoolForm form, readPool(reader));
  NNHAL_ASSIGN_OR_RETURN(TensorType result, rule(form.input, form.params));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

/// One extent of a result: input \p axis is it, or is the factor by which it
/// differs from \p input (M-199).
static Result<int64_t> readSize(Reader &reader, std::string_view axis,
                                int64_t input) {
  if (reader.inputType(reader.indexOf(axis)) == OperandType::INT32) {
    NNHAL_ASSIGN_OR_RETURN(int32_t size, reader.int32(axis));
    if (size < 1) // resize C4
      return badData("result {} {} must be positive", axis, size);
    return reader.isComplete() ? int64_t(size) : unknownExtent;
  }
  reader.require(HalVersion::V1_2);
  NNHAL_ASSIGN_OR_RETURN(float scale, reader.real(axis));
  if (!reader.isComplete() || !rules::isKnown(input))
    return unknownExtent;
  float size = std::floor(float(input) * scale);
  if (!(size >= 1.0f) || size >= 0x1p31f) // resize C7
    return badData("{} scale {} gives {} elements, expected 1 to 2147483647",
                   axis, scale, size);
  return int64_t(size);
}

static Result<ResizeForm> readResize(Reader &reader) {
  ResizeForm form;
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout());
  NNHAL_ASSIGN_OR_RETURN(form.alignCorners, reader.boolean("align corners"));
  NNHAL_ASSIGN_OR_RETURN(form.halfPixelCenters,
                         reader.boolean("half pixel centers"));
  if (reader.inputType(1) != reader.inputType(2)) // resize C6
    return badData("width type {} differs from height type {}",
                   nameOf(reader.inputType(1)), nameOf(reader.inputType(2)));
  Extent2D input = spatialExtent(activationInput(reader, form.isNchw));
  NNHAL_ASSIGN_OR_RETURN(form.size.width,
                         readSize(reader, "width", input.width));
  NNHAL_ASSIGN_OR_RETURN(form.size.height,
                         readSize(reader, "height", input.height));
  form.input = activationInput(reader, form.isNchw);
  return form;
}

Result<ResizeForm> nnhal::rt::decodeResize(const OperationView &operation) {
  Reader reader(operation);
  return readResize(reader);
}

static Result<OperationFacts> resizeFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(ResizeForm form, readResize(reader));
  TensorType result = form.input;
  if (result.isRanked && result.rank() == 4) {
    result.dimensions[1] = form.size.height;
    result.dimensions[2] = form.size.width;
  }
  NNHAL_RETURN_IF_ERROR(checkResize(form.input, result, form.alignCorners,
                                    form.halfPixelCenters));
  return factsOf(reader, fromNhwc(std::move(result), form.isNchw));
}

std::span<const Row> signatures::windowRows() {
  static constexpr Row rows[] = {
      {OperationType::AVERAGE_POOL_2D, poolFacts<pool2D>},
      {OperationType::MAX_POOL_2D, poolFacts<pool2D>},
      {OperationType::L2_POOL_2D, poolFacts<l2Pool2D>},
      {OperationType::RESIZE_BILINEAR, resizeFacts},
      {OperationType::RESIZE_NEAREST_NEIGHBOR, resizeFacts},
  };
  return rows;
}
