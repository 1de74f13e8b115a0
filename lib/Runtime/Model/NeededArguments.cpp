//===- NeededArguments.cpp - Inputs that graphs cannot do without ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NeededArguments.h"

#include "ControlFlowOperands.h"

#include "nnhal/Backend/SignatureTable.h"

#include <limits>
#include <optional>

using namespace nnhal::rt;
using namespace nnhal::rt::validation;

bool NeededArguments::isNeeded(const Subgraph &graph, size_t input) {
  Graph &asked = enter(graph);
  while (!unread.empty()) {
    Graph &next = *unread.back();
    unread.pop_back();
    read(next);
  }
  while (!unspread.empty()) {
    auto [to, argument] = unspread.back();
    unspread.pop_back();
    for (Argument source : to->sources[argument])
      markNeeded(source);
  }
  return input < asked.needed.size() && asked.needed[input];
}

NeededArguments::Graph &NeededArguments::enter(const Subgraph &subgraph) {
  auto [place, isNew] = graphs.try_emplace(&subgraph);
  Graph &graph = place->second;
  if (isNew) {
    size_t count = subgraph.inputIndexes.size();
    graph = {&subgraph, std::vector<bool>(count),
             std::vector<std::vector<Argument>>(count)};
    unread.push_back(&graph);
  }
  return graph;
}

static std::vector<const InputRow *> rowsOf(const Subgraph &graph,
                                            const Operation &operation) {
  const Signature *signature = signatureOf(operation.type);
  if (!signature)
    return {};
  std::vector<OperandType> types;
  types.reserve(operation.inputs.size());
  for (uint32_t index : operation.inputs)
    types.push_back(graph.operands[index].type);
  return inputRowsOf(*signature, types);
}

void NeededArguments::read(Graph &graph) {
  constexpr size_t none = std::numeric_limits<size_t>::max();
  const Subgraph &subgraph = *graph.subgraph;
  std::vector<size_t> argumentOf(subgraph.operands.size(), none);
  for (size_t i = 0; i < subgraph.inputIndexes.size(); ++i)
    argumentOf[subgraph.inputIndexes[i]] = i;
  for (const Operation &operation : subgraph.operations) {
    std::optional<std::vector<const InputRow *>> rows;
    for (size_t i = 0; i < operation.inputs.size(); ++i) {
      size_t argument = argumentOf[operation.inputs[i]];
      if (argument == none)
        continue;
      passOn({&graph, argument}, operation, i);
      if (!rows)
        rows = rowsOf(subgraph, operation);
      if (i < rows->size() && !(*rows)[i]->isOmittable)
        markNeeded({&graph, argument});
    }
  }
}

/// An argument of control flow is needed if the graphs need it, which may be
/// found out later, and if it is a result of a loop that ends at once.
void NeededArguments::passOn(Argument argument, const Operation &operation,
                             size_t position) {
  bool isIf = operation.type == OperationType::IF;
  if (!isIf && operation.type != OperationType::WHILE)
    return;
  size_t skip = isIf ? ifOperands : whileOperands;
  if (position < skip)
    return;
  const Subgraph &graph = *argument.first->subgraph;
  const Operand &last = graph.operands[operation.inputs[skip - 1]];
  if (!isIf && last.lifetime == OperandLifeTime::SUBGRAPH &&
      isYielded(model.referenced[last.location.offset], position))
    markNeeded(argument);
  // The graphs are the last operands before the arguments.
  for (size_t name : {skip - 2, skip - 1}) {
    const Operand &operand = graph.operands[operation.inputs[name]];
    if (operand.lifetime != OperandLifeTime::SUBGRAPH)
      continue;
    Graph &named = enter(model.referenced[operand.location.offset]);
    size_t input = position - skip;
    if (input >= named.needed.size())
      continue;
    named.sources[input].push_back(argument);
    if (named.needed[input])
      markNeeded(argument);
  }
}

void NeededArguments::markNeeded(Argument argument) {
  auto [graph, input] = argument;
  if (graph->needed[input])
    return;
  graph->needed[input] = true;
  unspread.push_back(argument);
}

std::vector<bool> nnhal::rt::validation::neededInputs(const Model &model) {
  NeededArguments arguments(model);
  std::vector<bool> needed(model.main.inputIndexes.size());
  for (size_t i = 0; i < needed.size(); ++i)
    needed[i] = arguments.isNeeded(model.main, i);
  return needed;
}
