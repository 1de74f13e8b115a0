//===- Model.cpp - The NN HAL 1.3 model -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Model.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <limits>

namespace nnhal::rt {

namespace {

constexpr bool Scalar = false;
constexpr bool Tensor = true;

constexpr OperandTypeInfo operandTypes[] = {
#define NNHAL_OPERAND_TYPE(NAME, CODE, SINCE, KIND, ELEMENT_SIZE)              \
  {OperandType::NAME, #NAME, HalVersion::SINCE, KIND, ELEMENT_SIZE},
#include "nnhal/Runtime/OperandTypes.def"
};

constexpr OperationInfo operations[] = {
#define NNHAL_OPERATION(NAME, CODE, SINCE, FAMILY)                             \
  {OperationType::NAME, #NAME, HalVersion::SINCE, OperationFamily::FAMILY},
#include "nnhal/Runtime/Operations.def"
};

// Codes 0 to 15 and 0 to 101 are without gaps, so a row's index is its code;
// the OEM types follow.
constexpr bool rowsAreDense() {
  for (size_t index = 0; index < std::size(operations); ++index)
    if (uint32_t(operations[index].type) != index)
      return false;
  for (size_t index = 0; index < 16; ++index)
    if (uint32_t(operandTypes[index].type) != index)
      return false;
  return true;
}
static_assert(rowsAreDense(), "the tables are in code order");
// There are 16 fundamental types, 2 of OEM, and 102 operations.
static_assert(std::size(operandTypes) == 16 + 2);
static_assert(std::size(operations) == operationCount && operationCount == 102);

} // namespace

std::string_view toString(HalVersion version) {
  switch (version) {
  case HalVersion::V1_0:
    return "1.0";
  case HalVersion::V1_1:
    return "1.1";
  case HalVersion::V1_2:
    return "1.2";
  case HalVersion::V1_3:
    return "1.3";
  }
  return "unknown version";
}

std::optional<HalVersion> parseHalVersion(std::string_view text) {
  for (HalVersion version :
       {HalVersion::V1_0, HalVersion::V1_1, HalVersion::V1_2, HalVersion::V1_3})
    if (text == toString(version))
      return version;
  return std::nullopt;
}

std::span<const OperandTypeInfo> allOperandTypes() { return operandTypes; }

std::span<const OperationInfo> allOperations() { return operations; }

const OperandTypeInfo *lookUp(OperandType type) {
  if (uint32_t(type) < 16)
    return &operandTypes[uint32_t(type)];
  for (const OperandTypeInfo &info : std::span(operandTypes).subspan(16))
    if (info.type == type)
      return &info;
  return nullptr;
}

const OperandTypeInfo *lookUpOperandType(std::string_view name) {
  const auto *row =
      std::ranges::find(operandTypes, name, &OperandTypeInfo::name);
  return row == std::end(operandTypes) ? nullptr : row;
}

const OperationInfo *lookUp(OperationType type) {
  return uint32_t(type) < std::size(operations) ? &operations[uint32_t(type)]
                                                : nullptr;
}

const OperationInfo *lookUpOperation(std::string_view name) {
  const auto *row = std::ranges::find(operations, name, &OperationInfo::name);
  return row == std::end(operations) ? nullptr : row;
}

bool isTensor(OperandType type) {
  const OperandTypeInfo *info = lookUp(type);
  return info && info->isTensor;
}

bool isScalar(OperandType type) {
  const OperandTypeInfo *info = lookUp(type);
  return info && !info->isTensor;
}

bool isQuantized(OperandType type) {
  switch (type) {
  case OperandType::TENSOR_QUANT8_ASYMM:
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
  case OperandType::TENSOR_QUANT8_SYMM:
  case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
  case OperandType::TENSOR_QUANT16_ASYMM:
  case OperandType::TENSOR_QUANT16_SYMM:
    return true;
  default:
    return false;
  }
}

std::string nameOf(OperandType type) {
  if (const OperandTypeInfo *info = lookUp(type))
    return std::string(info->name);
  return fmt::format("code {}", uint32_t(type));
}

std::string nameOf(OperationType type) {
  if (const OperationInfo *info = lookUp(type))
    return std::string(info->name);
  if (type == OperationType::OEM_OPERATION)
    return "OEM_OPERATION";
  return fmt::format("code {}", uint32_t(type));
}

std::string_view toString(OperandLifeTime lifetime) {
  switch (lifetime) {
  case OperandLifeTime::TEMPORARY_VARIABLE:
    return "TEMPORARY_VARIABLE";
  case OperandLifeTime::SUBGRAPH_INPUT:
    return "SUBGRAPH_INPUT";
  case OperandLifeTime::SUBGRAPH_OUTPUT:
    return "SUBGRAPH_OUTPUT";
  case OperandLifeTime::CONSTANT_COPY:
    return "CONSTANT_COPY";
  case OperandLifeTime::CONSTANT_REFERENCE:
    return "CONSTANT_REFERENCE";
  case OperandLifeTime::NO_VALUE:
    return "NO_VALUE";
  case OperandLifeTime::SUBGRAPH:
    return "SUBGRAPH";
  }
  return "unknown lifetime";
}

std::optional<uint32_t> byteSizeOf(const Operand &operand) {
  const OperandTypeInfo *info = lookUp(operand.type);
  if (!info || info->elementSize == 0)
    return std::nullopt;
  if (!info->isTensor)
    return info->elementSize;
  if (operand.dimensions.empty())
    return std::nullopt;
  uint64_t size = info->elementSize;
  for (uint32_t dimension : operand.dimensions) {
    // Both factors are below 2^32 here, so the product fits.
    size *= dimension;
    if (size == 0 || size > std::numeric_limits<uint32_t>::max())
      return std::nullopt;
  }
  return static_cast<uint32_t>(size);
}

void computeConsumers(Subgraph &subgraph) {
  for (Operand &operand : subgraph.operands)
    operand.numberOfConsumers = 0;
  for (const Operation &operation : subgraph.operations)
    for (uint32_t input : operation.inputs)
      if (input < subgraph.operands.size())
        ++subgraph.operands[input].numberOfConsumers;
}

Result<std::span<const std::byte>> constantBytes(const Model &model,
                                                 const Operand &operand) {
  const DataLocation &location = operand.location;
  std::span<const std::byte> bytes;
  if (operand.lifetime == OperandLifeTime::CONSTANT_COPY) {
    if (location.poolIndex != 0)
      return badData("pool index {} of a CONSTANT_COPY operand must be 0",
                     location.poolIndex);
    bytes = std::as_bytes(std::span(model.operandValues));
  } else if (operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE) {
    if (location.poolIndex >= model.pools.size())
      return badData("pool index {} is not below the number of pools, {}",
                     location.poolIndex, model.pools.size());
    NNHAL_ASSIGN_OR_RETURN(bytes,
                           model.pools[location.poolIndex].memory.bytes());
  } else {
    return badData("an operand of lifetime {} has no constant bytes",
                   toString(operand.lifetime));
  }
  if (uint64_t(location.offset) + location.length > bytes.size())
    return badData("constant at offset {} of length {} exceeds the {} bytes "
                   "that hold it",
                   location.offset, location.length, bytes.size());
  return bytes.subspan(location.offset, location.length);
}

} // namespace nnhal::rt
