//===- Mutation.cpp - One mistake in a model ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelMutator.h"

using namespace nnhal;
using namespace nnhal::mutations;

static constexpr std::string_view names[] = {
    "execution order",
    "operand type",
    "operand rank",
    "operand scale",
    "operand zero point",
    "operand lifetime",
    "operand input or output",
    "operand consumers",
    "operand with two writers",
    "type of an operation's operand",
    "operation type",
    "operation input index",
    "operation output index",
    "operand without a writer",
    "removed operand",
    "removed operation",
    "removed operation input",
    "removed operation output",
    "added operation input",
    "added operation output",
    "execution preference",
    "priority",
    "operand extents",
    "operand location",
    "region of a constant",
    "scales of channels",
    "model inputs",
    "model outputs",
    "empty graph",
    "reference to a graph",
    "pools",
    "names of extensions",
    "legal operand type",
    "legal removal",
    "legal addition",
    "request: input removed",
    "request: input added",
    "request: input omitted",
    "request: input shape",
    "request: input length",
    "request: input region",
    "request: output removed",
    "request: output added",
    "request: output omitted",
    "request: output shape",
    "request: output length",
    "request: output region",
    "request: overlapping memory",
    "request: deadline",
};
static_assert(std::size(names) == kindCount);

std::string_view mutations::nameOf(Kind kind) { return names[size_t(kind)]; }

ModelMutator::ModelMutator(const rt::Model &original, const Visit &visit)
    : originalModel(original), visit(visit) {
  mutated.model = original;
  // Drivers of 1.3 are tested as such, also with models that an older version
  // would do for.
  mutated.model.halVersion = rt::HalVersion::V1_3;
}

void ModelMutator::select(size_t number) { selected = number; }

void ModelMutator::visitAndRestore(Kind kind, Expected expected,
                                   std::string text) {
  std::string place =
      isMain() ? "main" : fmt::format("referenced {}", selected - 1);
  visit({kind, fmt::format("{}: {}: {}", nameOf(kind), place, text), expected,
         mutated, options});
  rt::Model &model = mutated.model;
  model.main = originalModel.main;
  model.referenced = originalModel.referenced;
  model.operandValues.resize(originalModel.operandValues.size());
  model.pools.resize(originalModel.pools.size());
  model.extensionNameToPrefix = originalModel.extensionNameToPrefix;
  options = {};
}

void ModelMutator::makeConstant(rt::Operand &operand) {
  operand.lifetime = rt::OperandLifeTime::CONSTANT_COPY;
  operand.location = {};
  operand.location.length = rt::byteSizeOf(operand).value_or(0);
  std::vector<uint8_t> &values = mutated.model.operandValues;
  if (values.size() < operand.location.length)
    values.resize(operand.location.length);
}

void mutations::forEachModelMutation(
    const rt::Model &model,
    const std::function<void(const ModelMutation &)> &visit) {
  ModelMutator mutator(model, visit);
  for (size_t graph = 0; graph < mutator.graphCount(); ++graph) {
    mutator.select(graph);
    mutateOperands(mutator);
    mutateOperandUses(mutator);
    mutateOperations(mutator);
    removeAndAddOperands(mutator);
    mutateInterface(mutator);
  }
  mutator.select(0);
  mutateRest(mutator);
  keepLegal(mutator);
}
