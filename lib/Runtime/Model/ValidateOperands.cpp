//===- ValidateOperands.cpp - Structural rules of operands ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Validation.h"

#include <cmath>
#include <limits>

namespace nnhal::rt::validation {

namespace {

/// What A.3 says about the operand-level scale and zero point of a type.
struct QuantizationRule {
  enum Scale { zero, notNegative, positive, anything } scale;
  int32_t zeroPointMin = 0;
  int32_t zeroPointMax = 0;
};

QuantizationRule quantizationRuleOf(OperandType type) {
  switch (type) {
  case OperandType::TENSOR_INT32:
    return {QuantizationRule::notNegative};
  case OperandType::TENSOR_QUANT8_ASYMM:
    return {QuantizationRule::positive, 0, 255};
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
    return {QuantizationRule::positive, -128, 127};
  case OperandType::TENSOR_QUANT16_ASYMM:
    return {QuantizationRule::positive, 0, 65535};
  case OperandType::TENSOR_QUANT8_SYMM:
  case OperandType::TENSOR_QUANT16_SYMM:
    return {QuantizationRule::positive};
  case OperandType::OEM:
  case OperandType::TENSOR_OEM_BYTE:
    return {QuantizationRule::anything, std::numeric_limits<int32_t>::min(),
            std::numeric_limits<int32_t>::max()};
  default:
    return {QuantizationRule::zero};
  }
}

Status checkType(const Context &context, const Operand &operand) {
  HalVersion version = context.version;
  if (isExtension(operand.type)) {
    if (version < HalVersion::V1_2)
      return badData("extension types need HAL 1.2, the model is validated as "
                     "{}",
                     toString(version));
    if (!context.hasExtensionPrefix(uint32_t(operand.type))) // B-008
      return badData("extension prefix {} of type code {} is not among the {} "
                     "of the model",
                     uint32_t(operand.type) >> 16, uint32_t(operand.type),
                     context.model.extensionNameToPrefix.size());
    return Status::ok();
  }
  const OperandTypeInfo *info = lookUp(operand.type);
  if (!info) // B-011
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
  if (!info->isTensor) { // B-012
    if (!operand.dimensions.empty())
      return badData("scalar {} must not have dimensions, found {}", info->name,
                     operand.dimensions.size());
    return Status::ok();
  }
  if (operand.dimensions.empty() && version < HalVersion::V1_2) // B-013
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
  if (params->channelDim >= operand.dimensions.size())
    return badData("channel dimension {} must be below the rank, {}",
                   params->channelDim, operand.dimensions.size());
  uint32_t channels = operand.dimensions[params->channelDim];
  if (channels == 0)
    return badData("dimension {}, the channel dimension, must be known",
                   params->channelDim);
  if (params->scales.size() != channels)
    return badData("{} per-channel scales do not match the {} channels",
                   params->scales.size(), channels);
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
  if (isExtension(operand.type) && !hasChannelScales)
    return Status::ok();
  return badData("{} must not have {}", nameOf(operand.type),
                 hasChannelScales ? "per-channel scales" : "extension data");
}

Status checkRegion(const DataLocation &location, uint64_t available,
                   std::string_view holder) {
  // 64 bits: two 32-bit numbers cannot overflow their sum.
  uint64_t end = uint64_t(location.offset) + location.length;
  if (end > available)
    return badData("offset {} plus length {} exceeds the {} bytes of {}",
                   location.offset, location.length, available, holder);
  return Status::ok();
}

Status checkConstantLength(const Operand &operand) {
  const OperandTypeInfo *info = lookUp(operand.type);
  if (!info || info->elementSize == 0 ||
      operand.type == OperandType::TENSOR_OEM_BYTE)
    return Status::ok();                            // B-018: any length.
  if (info->isTensor && operand.dimensions.empty()) // B-019
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
    if (location.poolIndex != 0) // B-015
      return badData("pool index {} of a CONSTANT_COPY must be 0",
                     location.poolIndex);
    NNHAL_RETURN_IF_ERROR(checkRegion(location, model.operandValues.size(),
                                      "operandValues")); // B-016
  } else {
    if (location.poolIndex >= model.pools.size()) // B-017
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
    return badData("lifetime {} does not fit type {}", // B-022
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
    if (location != DataLocation()) // B-020
      return badData("a {} must not have a location, found pool index {}, "
                     "offset {}, length {}",
                     toString(operand.lifetime), location.poolIndex,
                     location.offset, location.length);
    return Status::ok();
  case OperandLifeTime::SUBGRAPH: // B-021
    if (location.poolIndex != 0 || location.length != 0)
      return badData("pool index {} and length {} of a SUBGRAPH must be 0",
                     location.poolIndex, location.length);
    if (location.offset >= model.referenced.size())
      return badData("subgraph {} must be below the number of referenced "
                     "subgraphs, {}",
                     location.offset, model.referenced.size());
    return Status::ok();
  }
  return badData("lifetime {} is unknown", uint32_t(operand.lifetime)); // B-024
}

/// B-027.
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
