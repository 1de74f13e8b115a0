//===- UseMutations.cpp - Operands that do not fit their uses -------------===//
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
using rt::OperandType;
using rt::Subgraph;
using enum rt::OperandLifeTime;

static bool isWrittenKind(OperandLifeTime lifetime) {
  return lifetime == TEMPORARY_VARIABLE || lifetime == SUBGRAPH_OUTPUT;
}

static bool hasKnownSize(const Operand &operand) {
  return rt::byteSizeOf(operand).value_or(0) > 0;
}

/// Takes \p index out of the list of \p graph that its lifetime belongs to.
static void leaveInterface(Subgraph &graph, uint32_t index) {
  OperandLifeTime lifetime = graph.operands[index].lifetime;
  if (lifetime == SUBGRAPH_INPUT)
    std::erase(graph.inputIndexes, index);
  if (lifetime == SUBGRAPH_OUTPUT)
    std::erase(graph.outputIndexes, index);
}

static void changeLifetime(ModelMutator &mutator, uint32_t index,
                           OperandLifeTime lifetime, Expected expected) {
  mutator.mutate(Kind::operandLifetime, expected,
                 fmt::format("operand {}: {}", index, rt::toString(lifetime)),
                 [&](Subgraph &graph) {
                   leaveInterface(graph, index);
                   Operand &operand = graph.operands[index];
                   operand.lifetime = lifetime;
                   operand.location = {};
                   if (lifetime == CONSTANT_COPY)
                     mutator.makeConstant(operand);
                   if (lifetime == SUBGRAPH_INPUT)
                     graph.inputIndexes.push_back(index);
                   if (lifetime == SUBGRAPH_OUTPUT)
                     graph.outputIndexes.push_back(index);
                 });
}

/// Whether all operations that read \p index need its value.
static bool isNeeded(const Subgraph &graph, uint32_t index) {
  bool isRead = false;
  for (const rt::Operation &operation : graph.operations)
    if (std::ranges::find(operation.inputs, index) != operation.inputs.end()) {
      isRead = true;
      if (hasOptionalInputs(operation.type))
        return false;
    }
  return isRead;
}

static void mutateLifetime(ModelMutator &mutator, uint32_t index) {
  const Operand &original = mutator.original().operands[index];
  auto refuse = [&](OperandLifeTime lifetime) {
    changeLifetime(mutator, index, lifetime, Expected::invalid);
  };
  for (uint32_t code : {7u, UINT32_MAX})
    mutator.refuse(Kind::operandLifetime,
                   fmt::format("operand {}: code {}", index, code),
                   [&](Subgraph &graph) {
                     graph.operands[index].lifetime = OperandLifeTime(code);
                   });
  if (original.lifetime == SUBGRAPH) {
    for (OperandLifeTime lifetime :
         {SUBGRAPH_INPUT, TEMPORARY_VARIABLE, NO_VALUE, CONSTANT_COPY})
      refuse(lifetime);
    return;
  }
  refuse(SUBGRAPH);
  if (isWrittenKind(original.lifetime)) {
    // What an operation writes has no value before (B-034, B-045).
    refuse(SUBGRAPH_INPUT);
    refuse(NO_VALUE);
    if (hasKnownSize(original))
      refuse(CONSTANT_COPY);
    return;
  }
  // What nobody writes is not a result (B-029, B-045).
  refuse(TEMPORARY_VARIABLE);
  refuse(SUBGRAPH_OUTPUT);
  if (original.lifetime != NO_VALUE)
    changeLifetime(mutator, index, NO_VALUE,
                   isNeeded(mutator.original(), index) ? Expected::invalid
                                                       : Expected::either);
}

/// Lifetimes that contradict the lists of inputs and outputs, while who writes
/// the operand stays right (B-052 to B-055).
static void mutateInputOutput(ModelMutator &mutator, uint32_t index) {
  const Operand &original = mutator.original().operands[index];
  OperandLifeTime lifetime = SUBGRAPH_OUTPUT;
  switch (original.lifetime) {
  case CONSTANT_COPY:
  case CONSTANT_REFERENCE:
    lifetime = SUBGRAPH_INPUT;
    break;
  case SUBGRAPH_INPUT:
    if (!hasKnownSize(original))
      return;
    lifetime = CONSTANT_COPY;
    break;
  case SUBGRAPH_OUTPUT:
    lifetime = TEMPORARY_VARIABLE;
    break;
  case TEMPORARY_VARIABLE:
    break;
  default:
    return;
  }
  mutator.refuse(Kind::operandInputOutput,
                 fmt::format("operand {}: {}, in the lists as before", index,
                             rt::toString(lifetime)),
                 [&](Subgraph &graph) {
                   Operand &operand = graph.operands[index];
                   operand.lifetime = lifetime;
                   operand.location = {};
                   if (lifetime == CONSTANT_COPY)
                     mutator.makeConstant(operand);
                 });
}

static void mutateConsumers(ModelMutator &mutator, uint32_t index) {
  uint32_t count = mutator.original().operands[index].numberOfConsumers;
  std::vector<uint32_t> counts = {count + 1, UINT32_MAX};
  if (count > 0)
    counts.push_back(count - 1);
  for (uint32_t wrong : counts)
    mutator.refuse(Kind::operandConsumers,
                   fmt::format("operand {}: {} consumers", index, wrong),
                   [&](Subgraph &graph) {
                     graph.operands[index].numberOfConsumers = wrong;
                   });
}

/// Gives \p operand the type \p type, with a shape and quantization that this
/// type has. The location stays.
static void retype(Operand &operand, OperandType type) {
  operand.type = type;
  operand.extraParams = std::monostate();
  if (!rt::isTensor(type)) {
    if (type != OperandType::SUBGRAPH) {
      operand.dimensions.clear();
      operand.scale = 0.0f;
      operand.zeroPoint = 0;
    }
    return;
  }
  if (operand.dimensions.empty())
    operand.dimensions = {1};
  switch (type) {
  case OperandType::TENSOR_INT32:
    operand.zeroPoint = 0;
    break;
  case OperandType::TENSOR_QUANT8_ASYMM:
  case OperandType::TENSOR_QUANT16_ASYMM:
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
  case OperandType::TENSOR_QUANT8_SYMM:
  case OperandType::TENSOR_QUANT16_SYMM:
    if (operand.scale == 0.0f)
      operand.scale = 1.0f;
    break;
  default:
    operand.scale = 0.0f;
    operand.zeroPoint = 0;
  }
  if (type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
    operand.extraParams = rt::SymmPerChannelQuantParams{
        std::vector<float>(operand.dimensions[0], 1.0f), 0};
}

static void mutateTypeOfUse(ModelMutator &mutator, uint32_t index) {
  for (const rt::OperandTypeInfo &info : rt::allOperandTypes()) {
    const Operand &original = mutator.original().operands[index];
    if (info.type == original.type || info.type == OperandType::OEM ||
        info.type == OperandType::TENSOR_OEM_BYTE)
      continue;
    mutator.mutate(
        Kind::operationOperandType,
        mayHaveType(mutator.original(), index, info.type) ? Expected::either
                                                          : Expected::invalid,
        fmt::format("operand {}: {}", index, info.name),
        [&](Subgraph &graph) { retype(graph.operands[index], info.type); });
  }
}

void mutations::mutateOperandUses(ModelMutator &mutator) {
  for (uint32_t i = 0; i < mutator.original().operands.size(); ++i) {
    mutateLifetime(mutator, i);
    mutateInputOutput(mutator, i);
    mutateConsumers(mutator, i);
    mutateTypeOfUse(mutator, i);
  }
}

/// The types of a legal use, for the inputs and outputs that take several.
static void keepTypes(ModelMutator &mutator, uint32_t index,
                      const std::vector<OperandType> &types) {
  const Operand original = mutator.original().operands[index];
  // The bytes of a constant are those of its type.
  if (rt::isConstant(original.lifetime) || original.lifetime == NO_VALUE)
    return;
  for (OperandType type : types)
    if (type != original.type)
      mutator.mutate(Kind::legalOperandType, Expected::valid,
                     fmt::format("operand {}: {}", index, rt::nameOf(type)),
                     [&](Subgraph &graph) {
                       Operand &operand = graph.operands[index];
                       retype(operand, type);
                       operand.zeroPoint = 0;
                     });
}

/// Whether nothing but its one operation decides what the model may have.
static bool isOneOperation(const Subgraph &graph) {
  return graph.operations.size() == 1;
}

/// Whether the types of the operands are among those that the operation takes
/// of each freely: some casts are of one type to itself.
static bool isOfFreeTypes(const Subgraph &graph,
                          const rt::Operation &operation) {
  auto isFree = [&](uint32_t index, const std::vector<OperandType> &types) {
    return types.empty() ||
           std::ranges::find(types, graph.operands[index].type) != types.end();
  };
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    if (!isFree(operation.inputs[i], freeInputTypes(operation, i)))
      return false;
  return isFree(operation.outputs[0], freeOutputTypes(operation, 0));
}

static void openOutputs(Subgraph &graph) {
  for (uint32_t index : graph.outputIndexes)
    std::ranges::fill(graph.operands[index].dimensions, 0);
}

/// Takes input \p input of the only operation away.
static void keepWithout(ModelMutator &mutator, size_t input) {
  mutator.mutate(Kind::legalRemoval, Expected::valid,
                 fmt::format("input {} of the operation", input),
                 [&](Subgraph &graph) {
                   std::vector<uint32_t> &inputs = graph.operations[0].inputs;
                   graph.operands[inputs[input]].numberOfConsumers -= 1;
                   inputs.erase(inputs.begin() + ptrdiff_t(input));
                   openOutputs(graph);
                 });
}

/// Whether operand \p index is a constant scalar of the value \p value.
static bool isScalarOf(const rt::Model &model, uint32_t index, int32_t value) {
  const Operand &operand = model.main.operands[index];
  auto bytes = rt::constantBytes(model, operand);
  if (!bytes.isOk() || bytes->empty() || bytes->size() > sizeof(int32_t))
    return false;
  int32_t found = 0;
  std::copy(bytes->begin(), bytes->end(),
            reinterpret_cast<std::byte *>(&found));
  return found == value;
}

static void keepRemovals(ModelMutator &mutator) {
  const rt::Operation operation = mutator.original().operations[0];
  size_t last = operation.inputs.size() - 1;
  if (operation.type == rt::OperationType::CONCATENATION)
    for (size_t i = 0; i < last && operation.inputs.size() > 2; ++i)
      keepWithout(mutator, i);
  std::optional<int32_t> value = defaultOf(operation, last);
  if (value && isScalarOf(mutator.model(), operation.inputs[last], *value))
    keepWithout(mutator, last);
}

static void keepAdditions(ModelMutator &mutator) {
  if (mayGainInput(mutator.original().operations[0]))
    mutator.mutate(Kind::legalAddition, Expected::valid, "an axis",
                   [&](Subgraph &graph) {
                     uint32_t index = uint32_t(graph.operands.size());
                     Operand &axis = graph.operands.emplace_back();
                     axis.type = OperandType::INT32;
                     axis.numberOfConsumers = 1;
                     axis.lifetime = SUBGRAPH_INPUT;
                     graph.inputIndexes.push_back(index);
                     graph.operations[0].inputs.push_back(index);
                   });
  for (OperandLifeTime lifetime : {SUBGRAPH_INPUT, CONSTANT_COPY, NO_VALUE})
    mutator.mutate(
        Kind::legalAddition, Expected::valid,
        fmt::format("a {} that nobody reads", rt::toString(lifetime)),
        [&](Subgraph &graph) {
          uint32_t index = uint32_t(graph.operands.size());
          Operand &operand = graph.operands.emplace_back();
          operand.type = OperandType::INT32;
          operand.lifetime = lifetime;
          if (lifetime == SUBGRAPH_INPUT)
            graph.inputIndexes.push_back(index);
          if (lifetime == CONSTANT_COPY)
            mutator.makeConstant(operand);
        });
}

void mutations::keepLegal(ModelMutator &mutator) {
  if (!isOneOperation(mutator.original()))
    return;
  const rt::Operation operation = mutator.original().operations[0];
  if (isOfFreeTypes(mutator.original(), operation)) {
    for (size_t i = 0; i < operation.inputs.size(); ++i)
      keepTypes(mutator, operation.inputs[i], freeInputTypes(operation, i));
    keepTypes(mutator, operation.outputs[0], freeOutputTypes(operation, 0));
  }
  keepRemovals(mutator);
  keepAdditions(mutator);
}
