//===- HostControlModel.h - IF and WHILE of shapes that change --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_GPULOADER_HOSTCONTROLMODEL_H
#define NNHAL_LIB_RUNTIME_GPULOADER_HOSTCONTROLMODEL_H

#include "Runtime/OpenShapes/OpenShapeModel.h"
#include "Runtime/Partition/StepModel.h"

#include <map>
#include <memory>
#include <vector>

namespace nnhal::rt {

/// A model whose IF and WHILE give values of shapes that do not follow from
/// those of the model's inputs: states that grow from round to round, or
/// branches of results that differ; or a model whose operations compute
/// parameters of others. The host decides, and calls the graphs, each with the
/// shapes that it has then; and it reads parameters that have been computed.
/// The operations between are a model of their own, with code for each of the
/// shapes and parameters (OpenShapeModel), and values are in memory of the host
/// in between.
///
/// The time for which a loop may run is that of its executions: code that is
/// made for new shapes on the way does not count.
///
/// Two other interpreters of IF and WHILE are not shared, because each is
/// bound to how its values are kept. The reference executor computes values of
/// a graph by single operations. The plan of a partitioned model is a list of
/// steps with jumps, whose values have places that are laid out in advance;
/// here shapes, and so places, are known when a value is made. All of them have
/// checkLoopTime() in common.
class HostControlModel final : public LoadedModel {
public:
  /// \p model is valid. Nothing is compiled yet, so that there is no artifact
  /// to keep: fails with invalidArgument where \p observer asks for one, and
  /// where \p specializations name shapes.
  static Result<std::unique_ptr<LoadedModel>>
  create(const AnnotatedModel &model,
         const std::vector<InputShapes> &specializations,
         const OpenShapeModel::CodeMaker &maker, const LoadObserver &observer);

  const Interface &interface() const override { return face; }
  /// The sum over all code that there is. One workspace has an arena for each
  /// part that has run, but only for the code that the part has used last: the
  /// largest arena of each part counts.
  MemoryUse memoryUse() const override;
  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const override;
  Status run(Invocation &invocation) const override;

private:
  /// Operations that follow each other, which are a model, or an IF or WHILE.
  struct Part {
    std::vector<uint32_t> operations;
    partition::Boundary boundary;
    /// The operands that no part reads after this one, and that are no outputs
    /// of the graph.
    std::vector<uint32_t> lastUses;
    /// Null for IF and WHILE.
    std::unique_ptr<OpenShapeModel> code;
  };
  using Parts = std::vector<Part>;
  struct Graph {
    Parts parts;
    /// The inputs that no part reads, and that are no outputs.
    std::vector<uint32_t> unusedInputs;
  };
  class PartWorkspace;
  class Execution;

  HostControlModel(AnnotatedModel owned, Interface face)
      : model(std::move(owned)), face(std::move(face)) {}

  /// Divides the graph \p index, by the numbers of subgraphOf(), and those that
  /// it calls.
  Status divide(uint32_t index, const OpenShapeModel::CodeMaker &maker);
  /// Finds Part::lastUses and Graph::unusedInputs of \p divided, which is
  /// \p graph.
  static void findLastUses(const Subgraph &graph, Graph &divided);

  const AnnotatedModel model;
  const Interface face;
  /// By the numbers of graphs that are executed.
  std::map<uint32_t, Graph> graphs;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_GPULOADER_HOSTCONTROLMODEL_H
