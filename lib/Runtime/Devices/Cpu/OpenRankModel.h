//===- OpenRankModel.h - Code for the ranks that are used -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_CPU_OPENRANKMODEL_H
#define NNHAL_LIB_RUNTIME_DEVICES_CPU_OPENRANKMODEL_H

#include "OpenRanks.h"

#include "nnhal/Backend/Backend.h"

#include <condition_variable>
#include <mutex>

namespace nnhal::rt {

/// A model with inputs or outputs of unknown rank. Generated code knows every
/// rank, so code is made for the ranks of the inputs, with any extents, by the
/// first execution that has them; where a rank follows from extents, for the
/// shapes of the inputs. The code that was used last is kept.
///
/// Blocking: an execution waits for the code that it needs. It stops, with
///           missedDeadlineTransient, when it is cancelled.
class OpenRankModel final : public LoadedModel {
public:
  /// Makes a model whose ranks are all known executable.
  using Compile = std::function<Result<std::unique_ptr<LoadedModel>>(
      const AnnotatedModel &model, const CompileObserver &observer)>;

  /// \p model is valid. Code for the shapes of \p specializations is made at
  /// once. Fails as withInputShapes() and \p compile.
  static Result<std::unique_ptr<LoadedModel>>
  create(const AnnotatedModel &model,
         const std::vector<InputShapes> &specializations, Compile compile,
         const CompileObserver &observer);

  const Interface &interface() const override { return face; }
  /// The sum over all code that there is, with the largest arena.
  MemoryUse memoryUse() const override;
  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const override;
  Status run(Invocation &invocation) const override;

private:
  /// Code for one set of ranks or shapes.
  struct Variant {
    KnownShapes shapes;
    std::unique_ptr<LoadedModel> code;
    /// Whether it was asked for when the model was prepared.
    bool isKept = false;
    uint64_t lastUse = 0;
  };
  using VariantRef = std::shared_ptr<Variant>;
  class VariantWorkspace;

  OpenRankModel(AnnotatedModel owned, Interface face, Compile compile)
      : model(std::move(owned)), face(std::move(face)),
        compile(std::move(compile)) {}

  Result<VariantRef> make(KnownShapes shapes,
                          const CompileObserver &observer) const;
  Result<VariantRef> makeFor(const Invocation &invocation) const;
  Result<VariantRef> find(const Invocation &invocation) const;
  /// With the mutex held: null when there is no code for \p invocation.
  VariantRef lookUp(const Invocation &invocation) const;
  void add(VariantRef variant) const;

  const AnnotatedModel model;
  const Interface face;
  const Compile compile;

  mutable std::mutex mutex;
  mutable std::condition_variable compiled;
  mutable std::vector<VariantRef> variants;
  mutable bool isCompiling = false;
  mutable uint64_t uses = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_CPU_OPENRANKMODEL_H
