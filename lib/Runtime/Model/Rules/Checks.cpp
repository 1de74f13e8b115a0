//===- Checks.cpp - Checks that rules share -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <string>

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

//===----------------------------------------------------------------------===//
// TensorType
//===----------------------------------------------------------------------===//

TensorType TensorType::of(const Operand &operand) {
  TensorType result;
  result.type = operand.type;
  result.isRanked = !operand.dimensions.empty();
  // The bytes of a constant are there, so that its extents are known: one of 0
  // says that the constant has no elements.
  bool isKnownZero = isConstant(operand.lifetime);
  for (uint32_t extent : operand.dimensions)
    result.dimensions.push_back(extent == 0 && !isKnownZero ? unknownExtent
                                                            : int64_t(extent));
  result.scale = operand.scale;
  result.zeroPoint = operand.zeroPoint;
  if (const auto *channels =
          std::get_if<SymmPerChannelQuantParams>(&operand.extraParams))
    result.channelQuant = *channels;
  return result;
}

static std::string extentText(int64_t extent) {
  return isKnown(extent) ? std::to_string(extent) : "?";
}

std::string nnhal::rt::shapeText(const TensorType &type) {
  if (!type.isRanked)
    return "unknown rank";
  if (type.dimensions.empty())
    return "rank 0";
  std::string text;
  for (int64_t extent : type.dimensions) {
    if (!text.empty())
      text += 'x';
    text += extentText(extent);
  }
  return text;
}

/// The HAL counts extents in 32 bits; sums and products of rules rely on it.
static Status checkExtents(std::string_view name, const TensorType &type) {
  constexpr int64_t bound = std::numeric_limits<uint32_t>::max();
  for (size_t i = 0; i < type.dimensions.size(); ++i)
    if (type.dimensions[i] > bound)
      return badData("{} dimension {} is {}, above {}", name, i,
                     type.dimensions[i], bound);
  return Status::ok();
}

static Status checkStatedQuantization(const TensorType &inferred,
                                      const TensorType &stated,
                                      std::string_view name) {
  if (inferred.isQuantizationFree || !isQuantized(inferred.type))
    return Status::ok();
  if (inferred.scale != stated.scale ||
      inferred.zeroPoint != stated.zeroPoint) // stated C4
    return badData("{} has scale {} and zero point {}, expected scale {} and "
                   "zero point {}",
                   name, stated.scale, stated.zeroPoint, inferred.scale,
                   inferred.zeroPoint);
  return Status::ok();
}

Status nnhal::rt::checkStated(const TensorType &inferred,
                              const TensorType &stated, std::string_view name) {
  if (inferred.type != stated.type) // stated C1
    return badData("{} type {} is not the expected {}", name,
                   nameOf(stated.type), nameOf(inferred.type));
  NNHAL_RETURN_IF_ERROR(checkExtents(name, inferred)); // stated C5
  if (inferred.isRanked && stated.isRanked) {
    if (inferred.rank() != stated.rank()) // stated C2
      return badData("{} shape {} has rank {}, expected shape {}", name,
                     shapeText(stated), stated.rank(), shapeText(inferred));
    for (size_t i = 0; i < inferred.dimensions.size(); ++i) {
      int64_t expected = inferred.dimensions[i], found = stated.dimensions[i];
      if (isKnown(expected) && isKnown(found) && expected != found) // stated C3
        return badData("{} dimension {} is {}, expected {}", name, i, found,
                       expected);
    }
  }
  return checkStatedQuantization(inferred, stated, name);
}

float nnhal::rt::applyActivation(FusedActivation activation, float value) {
  switch (activation) {
  case FusedActivation::none:
    return value;
  case FusedActivation::relu:
    return std::max(value, 0.0f);
  case FusedActivation::relu1:
    return std::min(std::max(value, -1.0f), 1.0f);
  case FusedActivation::relu6:
    return std::min(std::max(value, 0.0f), 6.0f);
  }
  return value;
}

Result<Extent2D> nnhal::rt::extent2D(std::string_view name, Ints values) {
  NNHAL_RETURN_IF_ERROR(checkInts(name, values, 2));
  return Extent2D{values[0], values[1]};
}

Result<Pads2D> nnhal::rt::pads2D(Ints values) {
  NNHAL_RETURN_IF_ERROR(checkInts("pads", values, 4));
  return Pads2D{values[0], values[1], values[2], values[3]};
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

bool rules::isAsymmetric(OperandType type) {
  return type == OperandType::TENSOR_QUANT8_ASYMM ||
         type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
}

bool rules::isFloat(OperandType type) {
  return type == OperandType::TENSOR_FLOAT32 ||
         type == OperandType::TENSOR_FLOAT16;
}

Status rules::checkOperand(std::string_view name, const TensorType &operand,
                           OperandTypes types, RankBounds bounds) {
  if (std::ranges::find(types, operand.type) == types.end()) {
    std::string list;
    for (OperandType type : types)
      list += (list.empty() ? "" : ", ") + nameOf(type);
    return badData("{} type {} is not among {}", name, nameOf(operand.type),
                   list);
  }
  if (!operand.isRanked)
    return Status::ok();
  if (operand.rank() < bounds.low)
    return badData("{} rank {} is below {}", name, operand.rank(), bounds.low);
  if (operand.rank() > bounds.high)
    return badData("{} rank {} is above {}", name, operand.rank(), bounds.high);
  return checkExtents(name, operand);
}

Status rules::checkSameType(std::string_view name, const TensorType &type,
                            std::string_view otherName,
                            const TensorType &other) {
  if (type.type == other.type)
    return Status::ok();
  return badData("{} type {} differs from {} type {}", name, nameOf(type.type),
                 otherName, nameOf(other.type));
}

Status rules::checkSameExtent(std::string_view name, int64_t lhs,
                              std::string_view otherName, int64_t rhs) {
  if (!isKnown(lhs) || !isKnown(rhs) || lhs == rhs)
    return Status::ok();
  return badData("{} {} differs from {} {}", name, lhs, otherName, rhs);
}

Status rules::checkSameShape(std::string_view name, const TensorType &type,
                             std::string_view otherName,
                             const TensorType &other) {
  if (!type.isRanked || !other.isRanked)
    return Status::ok();
  auto matches = [](int64_t lhs, int64_t rhs) {
    return !isKnown(lhs) || !isKnown(rhs) || lhs == rhs;
  };
  if (std::ranges::equal(type.dimensions, other.dimensions, matches))
    return Status::ok();
  return badData("{} shape {} differs from {} shape {}", name, shapeText(type),
                 otherName, shapeText(other));
}

Status rules::checkPositive(std::string_view name, int64_t value) {
  if (!isKnown(value) || value > 0)
    return Status::ok();
  return badData("{} {} must be positive", name, value);
}

Status rules::checkPositive(std::string_view name, Extent2D extent) {
  if (extent.height < 1)
    return badData("{} height {} must be positive", name, extent.height);
  if (extent.width < 1)
    return badData("{} width {} must be positive", name, extent.width);
  return Status::ok();
}

Status rules::checkActivation(FusedActivation activation) {
  if (activation >= FusedActivation::none &&
      activation <= FusedActivation::relu6)
    return Status::ok();
  return badData("fused activation {} is outside [0, 3]", int32_t(activation));
}

Status rules::checkInts(std::string_view name, Ints values, int64_t count) {
  if (int64_t(values.size()) != count)
    return badData("{} has {} elements, expected {}", name, values.size(),
                   count);
  for (int64_t value : values)
    if (value != int64_t(int32_t(value)))
      return badData("{} element {} does not fit 32 bits", name, value);
  return Status::ok();
}

Result<int64_t> rules::resolveAxis(std::string_view name, int64_t axis,
                                   int64_t rank) {
  if (axis < -rank || axis >= rank)
    return badData("{} {} is outside [{}, {})", name, axis, -rank, rank);
  return axis < 0 ? axis + rank : axis;
}

Status rules::checkAxis(const TensorType &input, int64_t axis) {
  if (!input.isRanked)
    return Status::ok();
  return resolveAxis("axis", axis, input.rank()).status();
}

/// The extent of two that broadcast; nullopt when they do not.
static std::optional<int64_t> broadcastExtents(int64_t lhs, int64_t rhs) {
  if (lhs == rhs || rhs == 1)
    return lhs;
  if (lhs == 1)
    return rhs;
  if (!isKnown(lhs))
    return rhs;
  if (!isKnown(rhs))
    return lhs;
  return std::nullopt;
}

Result<std::vector<int64_t>> rules::broadcastShapes(const TensorType &lhs,
                                                    const TensorType &rhs) {
  const TensorType &longer = lhs.rank() >= rhs.rank() ? lhs : rhs;
  const TensorType &shorter = lhs.rank() >= rhs.rank() ? rhs : lhs;
  std::vector<int64_t> result = longer.dimensions;
  size_t offset = longer.dimensions.size() - shorter.dimensions.size();
  for (size_t i = 0; i < shorter.dimensions.size(); ++i) {
    std::optional<int64_t> extent =
        broadcastExtents(result[offset + i], shorter.dimensions[i]);
    if (!extent)
      return badData("shapes {} and {} do not broadcast", shapeText(lhs),
                     shapeText(rhs));
    result[offset + i] = *extent;
  }
  return result;
}

TensorType rules::withShape(const TensorType &type,
                            std::vector<int64_t> dimensions) {
  TensorType result = type;
  result.isRanked = true;
  result.dimensions = std::move(dimensions);
  return result;
}

TensorType rules::withoutRank(const TensorType &type) {
  TensorType result = type;
  result.isRanked = false;
  result.dimensions.clear();
  return result;
}

TensorType rules::withFreeQuantization(TensorType type) {
  type.isQuantizationFree = isQuantized(type.type);
  return type;
}

TensorType rules::withPrescribedQuantization(TensorType type, float scale,
                                             int32_t unsignedZeroPoint,
                                             int32_t signedZeroPoint) {
  if (!isAsymmetric(type.type))
    return type;
  type.scale = scale;
  type.zeroPoint = type.type == OperandType::TENSOR_QUANT8_ASYMM
                       ? unsignedZeroPoint
                       : signedZeroPoint;
  return type;
}

Result<int64_t> rules::multiplyExtents(int64_t lhs, int64_t rhs) {
  if (!isKnown(lhs) || !isKnown(rhs))
    return unknownExtent;
  constexpr int64_t bound = std::numeric_limits<uint32_t>::max();
  if (lhs > bound || rhs > bound || (rhs != 0 && lhs > bound / rhs))
    return badData("{} times {} elements exceed {}", lhs, rhs, bound);
  return lhs * rhs;
}

Result<int64_t> rules::elementCount(std::string_view name,
                                    const TensorType &type) {
  if (!type.isRanked)
    return unknownExtent;
  int64_t count = 1;
  for (int64_t extent : type.dimensions) {
    Result<int64_t> product = multiplyExtents(count, extent);
    if (!product.isOk())
      return std::move(product).takeStatus().withContext(name);
    count = *product;
    if (!isKnown(count))
      return unknownExtent;
  }
  return count;
}

Result<int64_t> rules::windowedExtent(const Axis &axis) {
  if (!isKnown(axis.input) || !isKnown(axis.window))
    return unknownExtent;
  int64_t padded = axis.input + axis.head + axis.tail;
  if (axis.window > padded)
    return badData("{} {} {} exceeds padded input {} {}", axis.windowName,
                   axis.axisName, axis.window, axis.axisName, padded);
  return (padded - axis.window) / axis.stride + 1;
}

static Status checkPad(std::string_view name, int64_t pad, int64_t window) {
  if (pad < 0)
    return badData("pad {} {} must not be negative", name, pad);
  if (isKnown(window) && pad >= window)
    return badData("pad {} {} must be below the window's {}", name, pad,
                   window);
  return Status::ok();
}

Status rules::checkPads(const Pads2D &pads, int64_t height, int64_t width) {
  NNHAL_RETURN_IF_ERROR(checkPad("top", pads.top, height));
  NNHAL_RETURN_IF_ERROR(checkPad("bottom", pads.bottom, height));
  NNHAL_RETURN_IF_ERROR(checkPad("left", pads.left, width));
  return checkPad("right", pads.right, width);
}
