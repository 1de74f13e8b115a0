//===- NeededArguments.h - Inputs that graphs cannot do without -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_NEEDEDARGUMENTS_H
#define NNHAL_LIB_RUNTIME_MODEL_NEEDEDARGUMENTS_H

#include "nnhal/Runtime/Model.h"

#include <map>
#include <utility>
#include <vector>

namespace nnhal::rt::validation {

/// The inputs of graphs that their operations, or those of graphs that these
/// name, cannot do without. Every operation is looked at once, however many
/// inputs are asked about, and however often, deeply and in whatever cycles
/// graphs name others.
class NeededArguments {
public:
  /// \p model must outlive this and stay as it is.
  explicit NeededArguments(const Model &model) : model(model) {}

  /// Returns whether input \p input of \p graph, which the model refers to, is
  /// needed. Requires sound index lists of all graphs.
  bool isNeeded(const Subgraph &graph, size_t input);

private:
  struct Graph;
  using Argument = std::pair<Graph *, size_t>;
  struct Graph {
    const Subgraph *subgraph;
    std::vector<bool> needed;
    /// By input: the arguments of other graphs that are passed on to it.
    std::vector<std::vector<Argument>> sources;
  };

  Graph &enter(const Subgraph &subgraph);
  void read(Graph &graph);
  void passOn(Argument argument, const Operation &operation, size_t position);
  void markNeeded(Argument argument);

  const Model &model;
  std::map<const Subgraph *, Graph> graphs;
  /// Work lists: graphs whose operations are still to be looked at, and needed
  /// arguments whose sources are still to be marked.
  std::vector<Graph *> unread;
  std::vector<Argument> unspread;
};

/// Returns, by input of the main graph of \p model, which is valid, whether an
/// operation of any graph cannot do without it: a request that omits it breaks
/// a rule (D-013).
std::vector<bool> neededInputs(const Model &model);

} // namespace nnhal::rt::validation

#endif // NNHAL_LIB_RUNTIME_MODEL_NEEDEDARGUMENTS_H
