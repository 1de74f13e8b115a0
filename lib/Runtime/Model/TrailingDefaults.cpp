//===- TrailingDefaults.cpp - Models as old versions state them -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrailingDefaults.h"

#include "nnhal/Backend/SignatureTable.h"

#include <algorithm>
#include <cstring>

namespace nnhal::rt {

namespace {

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
  const Signature *signature = signatureOf(operation.type);
  if (!signature)
    return inputs.size();
  std::vector<OperandType> types;
  types.reserve(inputs.size());
  for (uint32_t index : inputs)
    types.push_back(subgraph.operands[index].type);
  std::vector<const InputRow *> rows = inputRowsOf(*signature, types);
  // Both dilations are taken away, or none (I-076, I-077).
  size_t kept = inputs.size();
  for (size_t count = rows.size(); count > 0; --count) {
    const InputRow &row = *rows[count - 1];
    if (row.presence != InputPresence::trailing || !row.defaultValue ||
        !isScalarConstant(model, subgraph.operands[inputs[count - 1]],
                          *row.defaultValue))
      break;
    if (!row.isJoined)
      kept = count - 1;
  }
  return kept;
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
