//===- TrailingDefaults.cpp - Models as old versions state them -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrailingDefaults.h"

#include <algorithm>
#include <cstring>

namespace nnhal::rt {

namespace {

/// The optional inputs of one form of an operation.
struct Tail {
  OperationType operation;
  /// The index of the first optional input.
  uint32_t start;
  uint32_t count;
  int32_t defaults[3];
  /// This form has an operand of formType at formInput; 0 when there is one
  /// form only.
  uint32_t formInput = 0;
  OperandType formType = OperandType::INT32;
};

constexpr Tail tails[] = {
    // Pools end with the layout (I-075).
    {OperationType::AVERAGE_POOL_2D, 10, 1, {0}, 7, OperandType::INT32},
    {OperationType::AVERAGE_POOL_2D, 7, 1, {0}, 7, OperandType::BOOL},
    {OperationType::L2_POOL_2D, 10, 1, {0}, 7, OperandType::INT32},
    {OperationType::L2_POOL_2D, 7, 1, {0}, 7, OperandType::BOOL},
    {OperationType::MAX_POOL_2D, 10, 1, {0}, 7, OperandType::INT32},
    {OperationType::MAX_POOL_2D, 7, 1, {0}, 7, OperandType::BOOL},
    // Convolutions end with layout and dilations (I-076, I-077).
    {OperationType::CONV_2D, 10, 3, {0, 1, 1}, 7, OperandType::INT32},
    {OperationType::CONV_2D, 7, 3, {0, 1, 1}, 7, OperandType::BOOL},
    {OperationType::DEPTHWISE_CONV_2D, 11, 3, {0, 1, 1}, 8, OperandType::INT32},
    {OperationType::DEPTHWISE_CONV_2D, 8, 3, {0, 1, 1}, 8, OperandType::BOOL},
    // Operations of blocks end with the layout (I-078).
    {OperationType::DEPTH_TO_SPACE, 2, 1, {0}},
    {OperationType::SPACE_TO_DEPTH, 2, 1, {0}},
    {OperationType::BATCH_TO_SPACE_ND, 2, 1, {0}},
    {OperationType::SPACE_TO_BATCH_ND, 3, 1, {0}},
    // Normalizations end with the axis (I-079).
    {OperationType::L2_NORMALIZATION, 1, 1, {-1}},
    {OperationType::LOCAL_RESPONSE_NORMALIZATION, 5, 1, {-1}},
    {OperationType::SOFTMAX, 2, 1, {-1}},
    // Resizes end with layout, align corners and half-pixel centers (I-080).
    {OperationType::RESIZE_BILINEAR, 3, 3, {0, 0, 0}},
    {OperationType::RESIZE_NEAREST_NEIGHBOR, 4, 2, {0, 0}},
};

/// Whether an operand is an inline scalar of this value; only those count
/// (I-081).
bool isScalarConstant(const Model &model, const Operand &operand,
                      int32_t value) {
  if (operand.lifetime != OperandLifeTime::CONSTANT_COPY)
    return false;
  Result<std::span<const std::byte>> bytes = constantBytes(model, operand);
  if (!bytes.isOk())
    return false;
  if (operand.type == OperandType::BOOL && (*bytes).size() == 1)
    return ((*bytes)[0] != std::byte(0)) == (value != 0);
  int32_t stated;
  if (operand.type != OperandType::INT32 || (*bytes).size() != sizeof stated)
    return false;
  std::memcpy(&stated, (*bytes).data(), sizeof stated);
  return stated == value;
}

/// Returns the number of inputs of \p operation that are not trailing defaults.
size_t countWithoutDefaults(const Model &model, const Subgraph &subgraph,
                            const Operation &operation) {
  const std::vector<uint32_t> &inputs = operation.inputs;
  auto isInRange = [&](uint32_t index) {
    return index < subgraph.operands.size();
  };
  if (!std::ranges::all_of(inputs, isInRange))
    return inputs.size();
  for (const Tail &tail : tails) {
    if (tail.operation != operation.type || inputs.size() <= tail.start ||
        inputs.size() > tail.start + tail.count)
      continue;
    if (tail.formInput != 0 &&
        subgraph.operands[inputs[tail.formInput]].type != tail.formType)
      continue;
    size_t count = inputs.size();
    while (count > tail.start &&
           isScalarConstant(model, subgraph.operands[inputs[count - 1]],
                            tail.defaults[count - 1 - tail.start]))
      --count;
    // Dilations come in pairs (I-076, I-077).
    bool hasDilations = operation.type == OperationType::CONV_2D ||
                        operation.type == OperationType::DEPTHWISE_CONV_2D;
    if (hasDilations && count == tail.start + 2)
      count = inputs.size();
    return count;
  }
  return inputs.size();
}

/// Removes the operands marked in \p isRemoved and renumbers the others.
void removeOperands(Subgraph &subgraph, const std::vector<bool> &isRemoved) {
  std::vector<uint32_t> newIndex(subgraph.operands.size());
  uint32_t kept = 0;
  for (size_t index = 0; index < subgraph.operands.size(); ++index) {
    newIndex[index] = kept;
    if (isRemoved[index])
      continue;
    if (kept != index)
      subgraph.operands[kept] = std::move(subgraph.operands[index]);
    ++kept;
  }
  // An index that was out of range must stay so.
  auto renumber = [&](std::vector<uint32_t> &indices) {
    for (uint32_t &index : indices)
      if (index < newIndex.size())
        index = newIndex[index];
  };
  subgraph.operands.resize(kept);
  for (Operation &operation : subgraph.operations) {
    renumber(operation.inputs);
    renumber(operation.outputs);
  }
  renumber(subgraph.inputIndexes);
  renumber(subgraph.outputIndexes);
}

/// Counts how often each operand is named, by anything.
std::vector<size_t> countUses(const Subgraph &subgraph) {
  std::vector<size_t> uses(subgraph.operands.size());
  auto count = [&](const std::vector<uint32_t> &indices) {
    for (uint32_t index : indices)
      if (index < uses.size())
        ++uses[index];
  };
  for (const Operation &operation : subgraph.operations) {
    count(operation.inputs);
    count(operation.outputs);
  }
  count(subgraph.inputIndexes);
  count(subgraph.outputIndexes);
  return uses;
}

void removeTrailingDefaults(const Model &model, Subgraph &subgraph) {
  std::vector<size_t> uses = countUses(subgraph);
  std::vector<bool> isRemoved(subgraph.operands.size());
  bool removesAny = false;
  for (Operation &operation : subgraph.operations) {
    size_t count = countWithoutDefaults(model, subgraph, operation);
    for (size_t position = count; position < operation.inputs.size();
         ++position) {
      uint32_t index = operation.inputs[position];
      Operand &operand = subgraph.operands[index];
      // An operand that is no longer read has a consumer less (I-082).
      if (operand.numberOfConsumers > 0)
        --operand.numberOfConsumers;
      if (--uses[index] == 0)
        isRemoved[index] = removesAny = true;
    }
    operation.inputs.resize(count);
  }
  if (removesAny)
    removeOperands(subgraph, isRemoved);
}

} // namespace

void removeTrailingDefaults(Model &model) {
  removeTrailingDefaults(model, model.main);
  for (Subgraph &subgraph : model.referenced)
    removeTrailingDefaults(model, subgraph);
}

} // namespace nnhal::rt
