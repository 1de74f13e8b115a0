//===- OpenShapeModel.h - Code for the shapes that are used -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_OPENSHAPES_OPENSHAPEMODEL_H
#define NNHAL_LIB_RUNTIME_OPENSHAPES_OPENSHAPEMODEL_H

#include "OpenShapes.h"

#include "nnhal/Backend/Backend.h"

#include <condition_variable>
#include <mutex>

namespace nnhal::rt {

/// A model with inputs or outputs of unknown rank, or of unknown extents where
/// code has to know these, or with inputs whose values code has to know. The
/// first execution that has them makes code for the ranks of the inputs, with
/// any extents, or for their shapes: where code needs extents, and where a rank
/// follows from extents; and for the values of parameters. The code that was
/// used last is kept.
///
/// Blocking: an execution waits for the code that it needs. It stops, with
///           missedDeadlineTransient, when it is cancelled.
class OpenShapeModel final : public LoadedModel {
public:
  /// How code is made.
  struct CodeMaker {
    /// The name of the device, for the log.
    std::string device;
    ShapeNeed need = ShapeNeed::ranks;
    /// Makes a model executable whose shapes are known as \p need says.
    std::function<Result<std::unique_ptr<LoadedModel>>(
        const AnnotatedModel &model, const CompileObserver &observer)>
        compile;
    /// Says which inputs of a model are parameters: code is made for the values
    /// of these. Null where there are none.
    std::function<std::vector<bool>(const Model &model)> parametersOf = {};
    /// Copies the bytes of a parameter, at least one; there where parametersOf
    /// is.
    std::function<Status(const InvocationArgument &argument,
                         std::span<std::byte> bytes)>
        read = {};
  };

  /// \p model is valid. Code for the shapes of \p specializations is made at
  /// once; nothing else is, so that an artifact cannot be kept. Fails with
  /// invalidArgument where \p observer asks for one, and as withInputShapes()
  /// and
  /// \p maker.
  static Result<std::unique_ptr<OpenShapeModel>>
  create(const AnnotatedModel &model,
         const std::vector<InputShapes> &specializations, CodeMaker maker,
         const LoadObserver &observer);

  const Interface &interface() const override { return face; }
  /// The sum over all code that there is, with the largest arena.
  MemoryUse memoryUse() const override;
  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const override;
  Status run(Invocation &invocation) const override;

  /// The outputs, with all extents, of an execution with the inputs of
  /// \p invocation, for which code is made if there is none. The outputs of
  /// \p invocation are not looked at.
  Result<std::vector<InterfaceTensor>>
  resultsFor(const Invocation &invocation) const;

private:
  /// Code for one set of ranks or shapes, and of values.
  struct Variant {
    KnownShapes shapes;
    KnownValues values;
    std::unique_ptr<LoadedModel> code;
    /// Whether it was asked for when the model was prepared.
    bool isKept = false;
    uint64_t lastUse = 0;
  };
  using VariantRef = std::shared_ptr<Variant>;
  class VariantWorkspace;

  OpenShapeModel(AnnotatedModel owned, Interface face, CodeMaker maker);

  /// Reads the parameters of \p invocation; nothing for those that it omits.
  Result<KnownValues> valuesOf(const Invocation &invocation) const;
  /// Whether \p invocation omits an input that code for it does not have.
  /// Whether others are there, code asks itself.
  bool isLeftOut(const Invocation &invocation, size_t input,
                 ShapeNeed need) const;
  /// The facts that code for \p invocation has to know: the ranks that the
  /// model leaves open or the shapes of all inputs, as \p need says.
  KnownShapes shapesOf(const Invocation &invocation, ShapeNeed need) const;
  /// Makes code of \p known, which is the model with \p shapes and \p values
  /// or why there is none. Where resources are lacking it drops code and tries
  /// again.
  Result<VariantRef> make(KnownShapes shapes, KnownValues values,
                          const Result<AnnotatedModel> &known,
                          const CompileObserver &observer) const;
  Result<VariantRef> makeFor(const Invocation &invocation,
                             const KnownValues &values) const;
  /// makeFor(), which may run out of memory: that others wait for it ends.
  Result<VariantRef> tryToMakeFor(const Invocation &invocation,
                                  const KnownValues &values) const;
  Result<VariantRef> find(const Invocation &invocation) const;
  /// With the mutex held: null when there is no code for \p invocation.
  VariantRef lookUp(const Invocation &invocation,
                    const KnownValues &values) const;
  /// With the mutex held: keeps \p variant in place of what was used least
  /// recently.
  void add(VariantRef variant) const;
  /// Drops all code that nobody asked for; whether there was any.
  bool dropReplaceable() const;

  const AnnotatedModel model;
  const Interface face;
  const CodeMaker maker;
  /// By inputs, as CodeMaker::parametersOf says.
  const std::vector<bool> isParameter;
  const std::vector<bool> isNeeded;

  mutable std::mutex mutex;
  mutable std::condition_variable compiled;
  mutable std::vector<VariantRef> variants;
  mutable bool isCompiling = false;
  mutable uint64_t uses = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_OPENSHAPES_OPENSHAPEMODEL_H
