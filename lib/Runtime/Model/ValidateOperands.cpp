//===- ValidateOperands.cpp - Structural rules of operands ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Validation.h"

#include "Runtime/Support/Errors.h"

#include <cmath>
#include <limits>

namespace nnhal::rt::validation {

namespace {

/// The rule of section A.3 about the operand-level scale and zero point of a
/// type.
struct QuantizationRule {
  enum Scale { zero, notNegative, positive, anything } scale;
  int32_t zeroPointMin = 0;
  int32_t zeroPointMax = 0;
};

QuantizationRule quantizationRuleOf(OperandType type) {
  switch (type) {
  // TENSOR_INT32 may have a scale, of 0 or more.
  case OperandType::TENSOR_INT32:
    return {QuantizationRule::notNegative};
  // The zero point of unsigned bytes is one of them.
  case OperandType::TENSOR_QUANT8_ASYMM:
    return {QuantizationRule::positive, 0, 255};
  // The zero point of signed bytes is one of them.
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
    return {QuantizationRule::positive, -128, 127};
  // The zero point of unsigned 16-bit values is one of them.
  case OperandType::TENSOR_QUANT16_ASYMM:
    return {QuantizationRule::positive, 0, 65535};
  // Symmetric types have a scale and zero point 0.
  case OperandType::TENSOR_QUANT8_SYMM:
  case OperandType::TENSOR_QUANT16_SYMM:
    return {QuantizationRule::positive};
  // OEM operands may have any scale and zero point.
  case OperandType::OEM:
  case OperandType::TENSOR_OEM_BYTE:
    return {QuantizationRule::anything, std::numeric_limits<int32_t>::min(),
            std::numeric_limits<int32_t>::max()};
  // All other types have neither scale nor zero point (A-034, A-035, A-042,
  //
  default:
    return {QuantizationRule::zero};
  }
}

Status checkType(const Context &context, const Operand &operand) {
  HalVersion version = context.version;
  if (isExtension(operand.type)) {
    // Extension types came with HAL 1.2.
    if (version < HalVersion::V1_2)
      return badData("extension types need HAL 1.2, the model is validated as "
                     "{}",
                     toString(version));
    // The model declares the prefix of an extension type (B-008).
    if (!context.hasExtensionPrefix(uint32_t(operand.type)))
      return badData("extension prefix {} of type code {} is not among the {} "
                     "of the model",
                     uint32_t(operand.type) >> 16, uint32_t(operand.type),
                     context.model.extensionNameToPrefix.size());
    return Status::ok();
  }
  const OperandTypeInfo *info = lookUp(operand.type);
  // The type is one of the HAL (B-011).
  if (!info)
    return badData("code {} is not an operand type", uint32_t(operand.type));
  if (info->since > version)
    return badData("type {} needs HAL {}, the model is validated as {}",
                   info->name, toString(info->since), toString(version));
  return Status::ok();
}

Status checkDimensions(const Operand &operand, HalVersion version) {
  const OperandTypeInfo *info = lookUp(operand.type);
  if (!info)
    return Status::ok(); // Only its registration knows an extension type.
  // A scalar has no dimensions (B-012).
  if (!info->isTensor) {
    if (!operand.dimensions.empty())
      return badData("scalar {} must not have dimensions, found {}", info->name,
                     operand.dimensions.size());
    return Status::ok();
  }
  // A tensor of unknown rank needs HAL 1.2 (B-013).
  if (operand.dimensions.empty() && version < HalVersion::V1_2)
    return badData("{} of unknown rank needs HAL 1.2, the model is validated "
                   "as {}",
                   info->name, toString(version));
  // Unknown dimensions do not count, so that no later value of them can make
  // the product smaller.
  uint64_t size = info->elementSize;
  for (uint32_t dimension : operand.dimensions) {
    size *= dimension ? dimension : 1;
    if (size > std::numeric_limits<uint32_t>::max())
      return badData("dimensions [{}] of {} exceed {} bytes",
                     fmt::join(operand.dimensions, ", "), info->name,
                     std::numeric_limits<uint32_t>::max());
  }
  return Status::ok();
}

Status checkQuantization(const Operand &operand) {
  QuantizationRule rule = quantizationRuleOf(operand.type);
  // Comparisons are phrased so that a NaN fails them.
  switch (rule.scale) {
  case QuantizationRule::zero:
    if (!(operand.scale == 0.0f))
      return badData("scale {} of {} must be 0", operand.scale,
                     nameOf(operand.type));
    break;
  case QuantizationRule::notNegative:
    if (!(operand.scale >= 0.0f))
      return badData("scale {} of {} must not be negative", operand.scale,
                     nameOf(operand.type));
    break;
  case QuantizationRule::positive:
    if (!(operand.scale > 0.0f))
      return badData("scale {} of {} must be positive", operand.scale,
                     nameOf(operand.type));
    break;
  case QuantizationRule::anything:
    return Status::ok();
  }
  if (std::isinf(operand.scale))
    return badData("scale {} of {} must be finite", operand.scale,
                   nameOf(operand.type));
  if (operand.zeroPoint < rule.zeroPointMin ||
      operand.zeroPoint > rule.zeroPointMax) {
    if (rule.zeroPointMin == rule.zeroPointMax)
      return badData("zero point {} of {} must be {}", operand.zeroPoint,
                     nameOf(operand.type), rule.zeroPointMin);
    return badData("zero point {} of {} must be from {} to {}",
                   operand.zeroPoint, nameOf(operand.type), rule.zeroPointMin,
                   rule.zeroPointMax);
  }
  return Status::ok();
}

Status checkChannelScales(const Operand &operand) {
  const auto *params =
      std::get_if<SymmPerChannelQuantParams>(&operand.extraParams);
  if (!params)
    return badData("{} needs per-channel scales", nameOf(operand.type));
  // The channel dimension is one of the operand's.
  if (params->channelDim >= operand.dimensions.size())
    return badData("channel dimension {} must be below the rank, {}",
                   params->channelDim, operand.dimensions.size());
  uint32_t channels = operand.dimensions[params->channelDim];
  // The extent of the channel dimension is known.
  if (channels == 0)
    return badData("dimension {}, the channel dimension, must be known",
                   params->channelDim);
  // Each channel has a scale.
  if (params->scales.size() != channels)
    return badData("{} per-channel scales do not match the {} channels",
                   params->scales.size(), channels);
  // Every scale is positive; NaN fails the comparison.
  for (size_t channel = 0; channel < channels; ++channel) {
    float scale = params->scales[channel];
    if (!(scale > 0.0f) || std::isinf(scale))
      return badData("scale {} of channel {} must be positive and finite",
                     scale, channel);
  }
  return Status::ok();
}

Status checkExtraParams(const Operand &operand) {
  if (operand.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
    return checkChannelScales(operand);
  if (std::holds_alternative<std::monostate>(operand.extraParams) ||
      operand.type == OperandType::OEM ||
      operand.type == OperandType::TENSOR_OEM_BYTE)
    return Status::ok();
  bool hasChannelScales =
      std::holds_alternative<SymmPerChannelQuantParams>(operand.extraParams);
  // Operands of extension types may have a blob, but no scales of channels
  //
  if (isExtension(operand.type) && !hasChannelScales)
    return Status::ok();
  // Only per-channel types have extra parameters of the HAL.
  return badData("{} must not have {}", nameOf(operand.type),
                 hasChannelScales ? "per-channel scales" : "extension data");
}

Status checkRegion(const DataLocation &location, uint64_t available,
                   std::string_view holder) {
  // The sum has 64 bits: two 32-bit numbers cannot overflow it.
  uint64_t end = uint64_t(location.offset) + location.length;
  if (end > available)
    return badData("offset {} plus length {} exceeds the {} bytes of {}",
                   location.offset, location.length, available, holder);
  return Status::ok();
}

Status checkConstantLength(const Operand &operand) {
  const OperandTypeInfo *info = lookUp(operand.type);
  // Constants of OEM and extension types may have any length (B-018).
  if (!info || info->elementSize == 0 ||
      operand.type == OperandType::TENSOR_OEM_BYTE)
    return Status::ok();
  // A constant tensor is fully specified (B-019).
  if (info->isTensor && operand.dimensions.empty())
    return badData("a constant {} must have a known rank", info->name);
  uint64_t expected = byteSizeOf(operand).value_or(0);
  if (operand.location.length != expected)
    return badData("length {} of a constant {} must be {}",
                   operand.location.length, info->name, expected);
  return Status::ok();
}

Status checkConstant(const Model &model, const Operand &operand) {
  const DataLocation &location = operand.location;
  if (operand.lifetime == OperandLifeTime::CONSTANT_COPY) {
    // Values by copy are not in a pool (B-015).
    if (location.poolIndex != 0)
      return badData("pool index {} of a CONSTANT_COPY must be 0",
                     location.poolIndex);
    // A value by copy lies within the bytes of the model (B-016).
    NNHAL_RETURN_IF_ERROR(
        checkRegion(location, model.operandValues.size(), "operandValues"));
  } else {
    // The pool of a constant exists, and the constant lies within it (B-017).
    if (location.poolIndex >= model.pools.size())
      return badData("pool index {} must be below the number of pools, {}",
                     location.poolIndex, model.pools.size());
    NNHAL_RETURN_IF_ERROR(
        checkRegion(location, model.pools[location.poolIndex].memory.size(),
                    fmt::format("pool {}", location.poolIndex)));
  }
  return checkConstantLength(operand);
}

Status checkLifetime(const Model &model, const Operand &operand) {
  const DataLocation &location = operand.location;
  bool isSubgraphType = operand.type == OperandType::SUBGRAPH;
  if (isSubgraphType != (operand.lifetime == OperandLifeTime::SUBGRAPH)) {
    if (uint32_t(operand.lifetime) > uint32_t(OperandLifeTime::SUBGRAPH))
      return badData("lifetime {} is unknown", uint32_t(operand.lifetime));
    // The type is SUBGRAPH exactly when the lifetime is (B-022).
    return badData("lifetime {} does not fit type {}",
                   toString(operand.lifetime), nameOf(operand.type));
  }
  switch (operand.lifetime) {
  case OperandLifeTime::CONSTANT_COPY:
  case OperandLifeTime::CONSTANT_REFERENCE:
    return checkConstant(model, operand);
  case OperandLifeTime::TEMPORARY_VARIABLE:
  case OperandLifeTime::SUBGRAPH_INPUT:
  case OperandLifeTime::SUBGRAPH_OUTPUT:
  case OperandLifeTime::NO_VALUE:
    // Only constants and graphs have a location (B-020).
    if (location != DataLocation())
      return badData("a {} must not have a location, found pool index {}, "
                     "offset {}, length {}",
                     toString(operand.lifetime), location.poolIndex,
                     location.offset, location.length);
    return Status::ok();
  // A graph is named by its offset alone (B-021).
  case OperandLifeTime::SUBGRAPH:
    if (location.poolIndex != 0 || location.length != 0)
      return badData("pool index {} and length {} of a SUBGRAPH must be 0",
                     location.poolIndex, location.length);
    if (location.offset >= model.referenced.size())
      return badData("subgraph {} must be below the number of referenced "
                     "subgraphs, {}",
                     location.offset, model.referenced.size());
    return Status::ok();
  }
  // Other codes are not lifetimes (B-024).
  return badData("lifetime {} is unknown", uint32_t(operand.lifetime));
}

/// numberOfConsumers counts how often operations read the operand (B-027).
Status checkConsumers(const Subgraph &subgraph) {
  std::vector<uint64_t> consumers(subgraph.operands.size());
  for (const Operation &operation : subgraph.operations)
    for (uint32_t input : operation.inputs)
      if (input < consumers.size())
        ++consumers[input];
  for (size_t index = 0; index < consumers.size(); ++index)
    if (subgraph.operands[index].numberOfConsumers != consumers[index])
      return badData("operand {}: numberOfConsumers {} must be {}, the number "
                     "of operation inputs that name it",
                     index, subgraph.operands[index].numberOfConsumers,
                     consumers[index]);
  return Status::ok();
}

} // namespace

Status checkOperand(const Context &context, const Operand &operand) {
  NNHAL_RETURN_IF_ERROR(checkType(context, operand));
  NNHAL_RETURN_IF_ERROR(checkDimensions(operand, context.version));
  NNHAL_RETURN_IF_ERROR(checkQuantization(operand));
  NNHAL_RETURN_IF_ERROR(checkExtraParams(operand));
  return checkLifetime(context.model, operand);
}

Status checkOperands(const Context &context, const Subgraph &subgraph) {
  for (size_t index = 0; index < subgraph.operands.size(); ++index) {
    Status status = checkOperand(context, subgraph.operands[index]);
    if (!status.isOk())
      return std::move(status).withContext(fmt::format("operand {}", index));
  }
  return checkConsumers(subgraph);
}

} // namespace nnhal::rt::validation
