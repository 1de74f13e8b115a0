//===- InterfaceMutations.cpp - Inputs, outputs, references and pools -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelMutator.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::mutations;
using rt::Operand;
using rt::OperandLifeTime;
using rt::Subgraph;

using Indexes = std::vector<uint32_t> Subgraph::*;

/// One list, whose operands have the lifetime \p own.
static void mutateList(ModelMutator &mutator, Kind kind, Indexes list,
                       OperandLifeTime own) {
  const Subgraph &original = mutator.original();
  const std::vector<uint32_t> before = original.*list;
  auto refuse = [&](std::string text, auto change) {
    mutator.refuse(kind, std::move(text),
                   [&](Subgraph &graph) { change(graph.*list); });
  };
  using List = std::vector<uint32_t>;
  for (size_t i = 0; i < before.size(); ++i) {
    for (uint32_t wrong : {uint32_t(original.operands.size()), UINT32_MAX})
      refuse(fmt::format("{} is {}", i, wrong),
             [&](List &indexes) { indexes[i] = wrong; });
    refuse(fmt::format("{} left out", i), [&](List &indexes) {
      indexes.erase(indexes.begin() + ptrdiff_t(i));
    });
    refuse(fmt::format("{} twice", i),
           [&](List &indexes) { indexes.push_back(before[i]); });
  }
  refuse("one more, out of range", [&](List &indexes) {
    indexes.push_back(uint32_t(original.operands.size()));
  });
  for (uint32_t i = 0; i < original.operands.size(); ++i)
    if (original.operands[i].lifetime != own)
      refuse(fmt::format("operand {} as well", i),
             [&](List &indexes) { indexes.push_back(i); });
}

static void mutateReferences(ModelMutator &mutator) {
  for (size_t i = 0; i < mutator.original().operands.size(); ++i) {
    if (mutator.original().operands[i].lifetime != OperandLifeTime::SUBGRAPH)
      continue;
    for (uint32_t wrong :
         {uint32_t(mutator.model().referenced.size()), UINT32_MAX})
      mutator.refuse(
          Kind::subgraphReference,
          fmt::format("operand {}: graph {}", i, wrong),
          [&](Subgraph &graph) { graph.operands[i].location.offset = wrong; });
  }
  if (mutator.isMain())
    return;
  // A graph that refers to itself is a cycle (B-058), whoever reads that.
  mutator.refuse(Kind::subgraphReference, "itself", [&](Subgraph &graph) {
    Operand operand;
    operand.type = rt::OperandType::SUBGRAPH;
    operand.lifetime = OperandLifeTime::SUBGRAPH;
    operand.location.offset =
        uint32_t(&graph - mutator.changing().referenced.data());
    graph.operands.push_back(operand);
  });
}

void mutations::mutateInterface(ModelMutator &mutator) {
  mutateList(mutator, Kind::modelInputs, &Subgraph::inputIndexes,
             OperandLifeTime::SUBGRAPH_INPUT);
  mutateList(mutator, Kind::modelOutputs, &Subgraph::outputIndexes,
             OperandLifeTime::SUBGRAPH_OUTPUT);
  mutator.refuse(Kind::modelOutputs, "none",
                 [](Subgraph &graph) { graph.outputIndexes.clear(); });
  mutator.refuse(Kind::modelInputs, "inputs and outputs exchanged",
                 [](Subgraph &graph) {
                   std::swap(graph.inputIndexes, graph.outputIndexes);
                 });
  mutator.refuse(Kind::emptyGraph, "no operations", [](Subgraph &graph) {
    graph.operations.clear();
    for (Operand &operand : graph.operands)
      operand.numberOfConsumers = 0;
  });
  mutator.refuse(Kind::emptyGraph, "no operands",
                 [](Subgraph &graph) { graph.operands.clear(); });
  mutator.refuse(Kind::emptyGraph, "nothing",
                 [](Subgraph &graph) { graph = Subgraph(); });
  mutateReferences(mutator);
}

void mutations::mutateRest(ModelMutator &mutator) {
  auto addPool = [&](std::string text, std::string name, rt::Memory memory) {
    mutator.refuse(Kind::pools, std::move(text), [&](Subgraph &) {
      rt::Pool &pool = mutator.changing().pools.emplace_back();
      pool.name = name;
      pool.memory = memory;
    });
  };
  static constexpr std::byte bytes[4] = {};
  addPool("an unknown name", "ashmemory", rt::Memory::copy(bytes));
  addPool("no name", "", rt::Memory::copy(bytes));
  addPool("no handle", "ashmem", rt::Memory());
  addPool("a token", "ashmem", rt::Memory::device(1));
  auto addExtensions = [&](std::string text,
                           std::vector<rt::ExtensionNameAndPrefix> added) {
    mutator.refuse(Kind::extensionNames, std::move(text), [&](Subgraph &) {
      auto &extensions = mutator.changing().extensionNameToPrefix;
      extensions.insert(extensions.end(), added.begin(), added.end());
    });
  };
  addExtensions("one name twice", {{"test.a", 70}, {"test.a", 71}});
  addExtensions("one prefix twice", {{"test.a", 70}, {"test.b", 70}});
  for (uint32_t code : {3u, UINT32_MAX}) {
    mutator.options.preference = rt::ExecutionPreference(code);
    mutator.refuse(Kind::preference, fmt::format("{}", code),
                   [](Subgraph &) {});
    mutator.options.priority = rt::Priority(code);
    mutator.refuse(Kind::priority, fmt::format("{}", code), [](Subgraph &) {});
  }
}
