//===- ModelView.h - A model as plain C structures --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_COMPILERCLIENT_MODELVIEW_H
#define NNHAL_LIB_RUNTIME_COMPILERCLIENT_MODELVIEW_H

#include "CompilerApi.h"
#include "nnhal/Runtime/Model.h"

#include <deque>
#include <vector>

namespace nnhal::rt {

/// An NNHalModelView of a model. The model's vectors and constants are pointed
/// to, not copied, so the model must outlive the view; only bytes behind
/// descriptors are read into memory of the view's own.
class ModelView {
public:
  /// Fails with what Memory::snapshot() reports for a pool.
  static Result<ModelView> of(const AnnotatedModel &model);

  ModelView(ModelView &&) = default;

  const NNHalModelView &view() const { return root; }

private:
  ModelView() = default;

  NNHalSubgraphView addSubgraph(const Subgraph &subgraph);
  Status addPools(const Model &model);
  const std::vector<NNHalString> &
  addNames(const std::vector<std::string> &names);

  // Deques: growing one keeps the addresses of what it holds.
  std::deque<std::vector<NNHalOperandView>> operandLists;
  std::deque<std::vector<NNHalOperationView>> operationLists;
  std::deque<std::vector<NNHalString>> nameLists;
  std::vector<NNHalSubgraphView> referenced;
  std::vector<Memory> poolMemory;
  std::vector<NNHalPoolView> pools;
  std::vector<NNHalExtensionView> extensions;
  std::vector<NNHalStatePairView> statePairs;
  NNHalModelView root = {};
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_COMPILERCLIENT_MODELVIEW_H
