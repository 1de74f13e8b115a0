//===- Capabilities.cpp - How fast a device is ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Capabilities.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace nnhal::rt {

namespace {

/// The types whose performance HAL 1.0 and 1.1 call that of quantized values,
/// beside TENSOR_QUANT8_ASYMM (K-027).
constexpr OperandType quantizedGroup[] = {
    OperandType::INT32, OperandType::UINT32, OperandType::TENSOR_INT32,
    OperandType::OEM, OperandType::TENSOR_OEM_BYTE};

[[noreturn]] void die(std::string_view what, OperandType type) {
  fmt::print(stderr, "fatal: {} {}\n", what, nameOf(type));
  std::abort();
}

/// The first entry that is not below \p type.
template <typename Entry>
auto lowerBound(std::span<Entry> performance, OperandType type) {
  return std::ranges::lower_bound(performance, type, {},
                                  &OperandPerformance::type);
}

Status checkNumber(std::string_view owner, std::string_view name, float value) {
  if (value > 0.0f && std::isfinite(value)) // A NaN fails, too.
    return Status::ok();
  return badData("{} of {}: {} must be positive and finite", name, owner,
                 value);
}

Status checkInfo(std::string_view owner, const PerformanceInfo &info) {
  NNHAL_RETURN_IF_ERROR(checkNumber(owner, "execTime", info.execTime));
  return checkNumber(owner, "powerUsage", info.powerUsage);
}

Status checkEntry(std::span<const OperandPerformance> entries, size_t index) {
  OperandType type = entries[index].type;
  if (type == OperandType::SUBGRAPH)
    return badData("entry {}: SUBGRAPH has no performance", index);
  if (!lookUp(type))
    return badData("entry {}: {} is not an operand type of the HAL", index,
                   nameOf(type));
  if (index > 0 && entries[index - 1].type >= type)
    return badData("entry {}: {} must not follow {}", index, nameOf(type),
                   nameOf(entries[index - 1].type));
  return checkInfo(nameOf(type), entries[index].info);
}

bool isOf(HalVersion version, OperandType type) {
  const OperandTypeInfo *info = lookUp(type);
  return info && info->since <= version;
}

bool hasUniformFloats(const Capabilities &capabilities) {
  return lookUp(capabilities.operandPerformance, OperandType::FLOAT32) ==
         lookUp(capabilities.operandPerformance, OperandType::TENSOR_FLOAT32);
}

bool hasUniformQuantizedGroup(const Capabilities &capabilities) {
  PerformanceInfo quantized =
      lookUp(capabilities.operandPerformance, OperandType::TENSOR_QUANT8_ASYMM);
  return std::ranges::all_of(quantizedGroup, [&](OperandType type) {
    return lookUp(capabilities.operandPerformance, type) == quantized;
  });
}

} // namespace

Status validateCapabilities(const Capabilities &capabilities) {
  NNHAL_RETURN_IF_ERROR(
      checkInfo("relaxedFloat32toFloat16PerformanceScalar",
                capabilities.relaxedFloat32toFloat16PerformanceScalar));
  NNHAL_RETURN_IF_ERROR(
      checkInfo("relaxedFloat32toFloat16PerformanceTensor",
                capabilities.relaxedFloat32toFloat16PerformanceTensor));
  for (size_t i = 0; i < capabilities.operandPerformance.size(); ++i)
    NNHAL_RETURN_IF_ERROR(checkEntry(capabilities.operandPerformance, i)
                              .withContext("operandPerformance"));
  NNHAL_RETURN_IF_ERROR(checkInfo("ifPerformance", capabilities.ifPerformance));
  return checkInfo("whilePerformance", capabilities.whilePerformance);
}

std::vector<OperandPerformance>
nonExtensionOperandPerformance(PerformanceInfo info, HalVersion version) {
  std::vector<OperandPerformance> performance;
  for (const OperandTypeInfo &row : allOperandTypes())
    if (row.since <= version && row.type != OperandType::SUBGRAPH)
      performance.push_back({row.type, info});
  std::ranges::sort(performance, {}, &OperandPerformance::type);
  return performance;
}

Capabilities uniformCapabilities(PerformanceInfo info) {
  return {info, info, nonExtensionOperandPerformance(info), info, info};
}

void update(std::span<OperandPerformance> performance, OperandType type,
            PerformanceInfo info) {
  auto entry = lowerBound(performance, type);
  if (entry == performance.end() || entry->type != type)
    die("no performance to update of", type);
  entry->info = info;
}

PerformanceInfo lookUp(std::span<const OperandPerformance> performance,
                       OperandType type) {
  if (type == OperandType::SUBGRAPH)
    die("there is no performance of", type);
  auto entry = lowerBound(performance, type);
  if (entry == performance.end() || entry->type != type)
    return {};
  return entry->info;
}

PerformanceInfo performanceOf(const Capabilities &capabilities,
                              const Model &model, const Subgraph &subgraph,
                              const Operation &operation) {
  if (operation.type == OperationType::IF)
    return capabilities.ifPerformance;
  if (operation.type == OperationType::WHILE)
    return capabilities.whilePerformance;
  if (operation.inputs.empty())
    return {};
  OperandType type = subgraph.operands[operation.inputs.front()].type;
  if (type == OperandType::SUBGRAPH) // An extension operation may begin so.
    return {};
  if (model.relaxComputationFloat32toFloat16) {
    if (type == OperandType::FLOAT32)
      return capabilities.relaxedFloat32toFloat16PerformanceScalar;
    if (type == OperandType::TENSOR_FLOAT32)
      return capabilities.relaxedFloat32toFloat16PerformanceTensor;
  }
  return lookUp(capabilities.operandPerformance, type);
}

bool isCompliantWith(const Capabilities &capabilities, HalVersion version) {
  if (version >= HalVersion::V1_2)
    return true;
  if (capabilities.relaxedFloat32toFloat16PerformanceScalar !=
          capabilities.relaxedFloat32toFloat16PerformanceTensor ||
      !hasUniformFloats(capabilities) ||
      !hasUniformQuantizedGroup(capabilities))
    return false;
  // HAL 1.1 states relaxed floats beside the strict ones (K-026); in 1.0 both
  // are one number (K-025).
  return version == HalVersion::V1_1 ||
         capabilities.relaxedFloat32toFloat16PerformanceTensor ==
             lookUp(capabilities.operandPerformance,
                    OperandType::TENSOR_FLOAT32);
}

Capabilities12 toCapabilities12(const Capabilities &capabilities) {
  Capabilities12 result = {
      capabilities.relaxedFloat32toFloat16PerformanceScalar,
      capabilities.relaxedFloat32toFloat16PerformanceTensor,
      {}};
  std::ranges::copy_if(capabilities.operandPerformance,
                       std::back_inserter(result.operandPerformance),
                       [](const OperandPerformance &entry) {
                         return isOf(HalVersion::V1_2, entry.type);
                       });
  return result;
}

Capabilities11 toCapabilities11(const Capabilities &capabilities) {
  return {
      lookUp(capabilities.operandPerformance, OperandType::TENSOR_FLOAT32),
      lookUp(capabilities.operandPerformance, OperandType::TENSOR_QUANT8_ASYMM),
      capabilities.relaxedFloat32toFloat16PerformanceTensor};
}

Capabilities10 toCapabilities10(const Capabilities &capabilities) {
  Capabilities11 newer = toCapabilities11(capabilities);
  return {newer.float32Performance, newer.quantized8Performance};
}

Capabilities toCapabilities(const Capabilities12 &capabilities) {
  Capabilities result;
  result.relaxedFloat32toFloat16PerformanceScalar =
      capabilities.relaxedFloat32toFloat16PerformanceScalar;
  result.relaxedFloat32toFloat16PerformanceTensor =
      capabilities.relaxedFloat32toFloat16PerformanceTensor;
  result.operandPerformance = capabilities.operandPerformance;
  return result;
}

Capabilities toCapabilities(const Capabilities11 &capabilities) {
  Capabilities result;
  result.relaxedFloat32toFloat16PerformanceScalar =
      capabilities.relaxedFloat32toFloat16Performance;
  result.relaxedFloat32toFloat16PerformanceTensor =
      capabilities.relaxedFloat32toFloat16Performance;
  // The types of HAL 1.1 are the two of floats and the quantized group.
  result.operandPerformance = nonExtensionOperandPerformance(
      capabilities.quantized8Performance, HalVersion::V1_1);
  for (OperandType type : {OperandType::FLOAT32, OperandType::TENSOR_FLOAT32})
    update(result.operandPerformance, type, capabilities.float32Performance);
  return result;
}

Capabilities toCapabilities(const Capabilities10 &capabilities) {
  return toCapabilities(Capabilities11{capabilities.float32Performance,
                                       capabilities.quantized8Performance,
                                       capabilities.float32Performance});
}

} // namespace nnhal::rt
