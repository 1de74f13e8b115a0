//===- OperationMutations.cpp - Operations that do not fit their graph ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Legal.h"
#include "ModelMutator.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::mutations;
using rt::Operand;
using rt::OperandLifeTime;
using rt::Operation;
using rt::OperationType;
using rt::Subgraph;

/// Codes just outside of each range. 10000 is OEM_OPERATION.
static constexpr uint32_t wrongOperations[] = {102, 9999, 10001, UINT32_MAX};

static bool isWritten(const Operand &operand) {
  return operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
         operand.lifetime == OperandLifeTime::SUBGRAPH_OUTPUT;
}

/// Moves one operation before what it reads, or behind what reads it.
static void mutateOrder(ModelMutator &mutator, size_t index) {
  const Subgraph &original = mutator.original();
  const Operation &operation = original.operations[index];
  auto isRead = [&](uint32_t operand) {
    return original.operands[operand].numberOfConsumers > 0;
  };
  auto isResult = [&](uint32_t operand) {
    return isWritten(original.operands[operand]);
  };
  bool isReader = std::ranges::any_of(operation.inputs, isResult);
  bool isWriter = std::ranges::any_of(operation.outputs, isRead);
  if (isReader)
    mutator.refuse(Kind::executionOrder,
                   fmt::format("operation {} first", index),
                   [&](Subgraph &graph) {
                     auto begin = graph.operations.begin();
                     auto it = begin + ptrdiff_t(index);
                     std::rotate(begin, it, it + 1);
                   });
  if (isWriter)
    mutator.refuse(Kind::executionOrder,
                   fmt::format("operation {} last", index),
                   [&](Subgraph &graph) {
                     auto it = graph.operations.begin() + ptrdiff_t(index);
                     std::rotate(it, it + 1, graph.operations.end());
                   });
}

/// Adds an operand like \p original that nobody reads or writes.
static uint32_t addTemporary(Subgraph &graph, uint32_t original) {
  Operand copy = graph.operands[original];
  copy.numberOfConsumers = 0;
  copy.lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
  graph.operands.push_back(copy);
  return uint32_t(graph.operands.size() - 1);
}

/// A second operation that writes one of the results, and of the others copies.
static void addWriter(ModelMutator &mutator, size_t index, size_t output) {
  mutator.refuse(Kind::operandAddWriter,
                 fmt::format("output {} of operation {}", output, index),
                 [&](Subgraph &graph) {
                   Operation second = graph.operations[index];
                   for (uint32_t input : second.inputs)
                     graph.operands[input].numberOfConsumers += 1;
                   for (size_t i = 0; i < second.outputs.size(); ++i)
                     if (i != output)
                       second.outputs[i] =
                           addTemporary(graph, second.outputs[i]);
                   graph.operations.push_back(std::move(second));
                 });
}

static void mutateIndexes(ModelMutator &mutator, size_t index) {
  const Operation original = mutator.original().operations[index];
  for (uint32_t wrong :
       {uint32_t(mutator.original().operands.size()), UINT32_MAX}) {
    for (size_t i = 0; i < original.inputs.size(); ++i)
      mutator.refuse(
          Kind::operationInputIndex,
          fmt::format("operation {}: input {}: {}", index, i, wrong),
          [&](Subgraph &graph) { graph.operations[index].inputs[i] = wrong; });
    for (size_t i = 0; i < original.outputs.size(); ++i)
      mutator.refuse(
          Kind::operationOutputIndex,
          fmt::format("operation {}: output {}: {}", index, i, wrong),
          [&](Subgraph &graph) { graph.operations[index].outputs[i] = wrong; });
  }
}

static void mutateWriters(ModelMutator &mutator, size_t index) {
  for (size_t i = 0; i < mutator.original().operations[index].outputs.size();
       ++i) {
    addWriter(mutator, index, i);
    mutator.refuse(Kind::operationRemoveWrite,
                   fmt::format("output {} of operation {}", i, index),
                   [&](Subgraph &graph) {
                     uint32_t copy = addTemporary(
                         graph, graph.operations[index].outputs[i]);
                     graph.operations[index].outputs[i] = copy;
                   });
  }
}

static void mutateOperationType(ModelMutator &mutator, size_t index) {
  for (uint32_t type : wrongOperations)
    mutator.refuse(Kind::operationType,
                   fmt::format("operation {}: code {}", index, type),
                   [&](Subgraph &graph) {
                     graph.operations[index].type = OperationType(type);
                   });
}

static void removeOperation(ModelMutator &mutator, size_t index) {
  mutator.refuse(Kind::removeOperation, fmt::format("operation {}", index),
                 [&](Subgraph &graph) {
                   for (uint32_t input : graph.operations[index].inputs)
                     graph.operands[input].numberOfConsumers -= 1;
                   graph.operations.erase(graph.operations.begin() +
                                          ptrdiff_t(index));
                 });
}

static uint32_t addScalar(Subgraph &graph, OperandLifeTime lifetime) {
  Operand operand;
  operand.type = rt::OperandType::INT32;
  operand.lifetime = lifetime;
  operand.numberOfConsumers =
      lifetime == OperandLifeTime::SUBGRAPH_INPUT ? 1 : 0;
  graph.operands.push_back(operand);
  return uint32_t(graph.operands.size() - 1);
}

static void changeArguments(ModelMutator &mutator, size_t index) {
  const Operation original = mutator.original().operations[index];
  for (size_t i = 0; i < original.inputs.size(); ++i)
    mutator.mutate(
        Kind::removeOperationInput,
        mayLoseInput(original, i) ? Expected::either : Expected::invalid,
        fmt::format("operation {}: input {}", index, i), [&](Subgraph &graph) {
          std::vector<uint32_t> &inputs = graph.operations[index].inputs;
          graph.operands[inputs[i]].numberOfConsumers -= 1;
          inputs.erase(inputs.begin() + ptrdiff_t(i));
        });
  // The operand stays, and nobody writes it any more (B-029).
  for (size_t i = 0; i < original.outputs.size(); ++i)
    mutator.refuse(
        Kind::removeOperationOutput,
        fmt::format("operation {}: output {}", index, i), [&](Subgraph &graph) {
          std::vector<uint32_t> &outputs = graph.operations[index].outputs;
          outputs.erase(outputs.begin() + ptrdiff_t(i));
        });
  mutator.mutate(Kind::addOperationInput,
                 mayGainInput(original) ? Expected::either : Expected::invalid,
                 fmt::format("operation {}", index), [&](Subgraph &graph) {
                   uint32_t added =
                       addScalar(graph, OperandLifeTime::SUBGRAPH_INPUT);
                   graph.operations[index].inputs.push_back(added);
                   graph.inputIndexes.push_back(added);
                 });
  mutator.refuse(Kind::addOperationOutput, fmt::format("operation {}", index),
                 [&](Subgraph &graph) {
                   uint32_t added =
                       addScalar(graph, OperandLifeTime::SUBGRAPH_OUTPUT);
                   graph.operations[index].outputs.push_back(added);
                   graph.outputIndexes.push_back(added);
                 });
}

void mutations::mutateOperations(ModelMutator &mutator) {
  for (size_t i = 0; i < mutator.original().operations.size(); ++i) {
    mutateOrder(mutator, i);
    mutateWriters(mutator, i);
    mutateOperationType(mutator, i);
    mutateIndexes(mutator, i);
    removeOperation(mutator, i);
    changeArguments(mutator, i);
  }
}

/// Takes \p operand out of \p indexes, and counts on without it.
static void forget(std::vector<uint32_t> &indexes, uint32_t operand) {
  std::erase(indexes, operand);
  for (uint32_t &index : indexes)
    index -= index > operand;
}

/// Whether the graph may be legal without \p operand.
static bool mayBeRemoved(const Subgraph &graph, uint32_t operand) {
  bool isUsed = false;
  for (const Operation &operation : graph.operations) {
    for (size_t i = 0; i < operation.inputs.size(); ++i)
      if (operation.inputs[i] == operand) {
        isUsed = true;
        if (mayLoseInput(operation, i))
          return true;
      }
    for (uint32_t output : operation.outputs)
      if (output == operand) {
        isUsed = true;
        if (mayLoseOutput(operation.type))
          return true;
      }
  }
  return !isUsed;
}

void mutations::removeAndAddOperands(ModelMutator &mutator) {
  for (uint32_t i = 0; i < mutator.original().operands.size(); ++i)
    mutator.mutate(Kind::removeOperand,
                   mayBeRemoved(mutator.original(), i) ? Expected::either
                                                       : Expected::invalid,
                   fmt::format("operand {}", i), [&](Subgraph &graph) {
                     graph.operands.erase(graph.operands.begin() +
                                          ptrdiff_t(i));
                     for (Operation &operation : graph.operations) {
                       forget(operation.inputs, i);
                       forget(operation.outputs, i);
                     }
                     forget(graph.inputIndexes, i);
                     forget(graph.outputIndexes, i);
                   });
}
