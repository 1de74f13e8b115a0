//===- ModelMutator.h - Changes one thing and takes it back -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_VALIDATION_MODELMUTATOR_H
#define NNHAL_TEST_VALIDATION_MODELMUTATOR_H

#include "Mutation.h"

#include <fmt/format.h>

namespace nnhal::mutations {

/// Applies one mutation after another to a copy of a model.
class ModelMutator {
  // Its deduced type is needed below.
  template <typename SomeModel> auto &selectIn(SomeModel &model) const {
    return selected == 0 ? model.main : model.referenced[selected - 1];
  }

public:
  using Visit = std::function<void(const ModelMutation &)>;

  ModelMutator(const rt::Model &original, const Visit &visit);

  /// The graph that the next mutations change: the main one, or a referenced
  /// one. The references are valid until the next mutation.
  void select(size_t number);
  size_t graphCount() const { return 1 + mutated.model.referenced.size(); }
  bool isMain() const { return selected == 0; }
  const rt::Subgraph &original() const { return selectIn(originalModel); }
  const rt::Model &model() const { return originalModel; }

  /// Calls \p change with the graph, has the result visited, and takes the
  /// change back. A change may append to the values and pools of the model.
  template <typename Change>
  void mutate(Kind kind, Expected expected, std::string text, Change change) {
    change(selectIn(mutated.model));
    visitAndRestore(kind, expected, std::move(text));
  }
  template <typename Change>
  void refuse(Kind kind, std::string text, Change change) {
    mutate(kind, Expected::invalid, std::move(text), std::move(change));
  }
  /// The model that changes, for those that change more than a graph.
  rt::Model &changing() { return mutated.model; }
  /// The options that go with the next mutation.
  rt::PrepareOptions options;

  /// Makes \p operand a constant by copy with whatever bytes there are; the
  /// values of the model grow where they are too few.
  void makeConstant(rt::Operand &operand);

private:
  void visitAndRestore(Kind kind, Expected expected, std::string text);

  const rt::Model &originalModel;
  const Visit &visit;
  rt::AnnotatedModel mutated;
  size_t selected = 0;
};

void mutateOperands(ModelMutator &mutator);
void mutateOperandUses(ModelMutator &mutator);
void mutateOperations(ModelMutator &mutator);
void removeAndAddOperands(ModelMutator &mutator);
void mutateInterface(ModelMutator &mutator);
/// Mutations of what a model has beside graphs, and of options.
void mutateRest(ModelMutator &mutator);
void keepLegal(ModelMutator &mutator);

} // namespace nnhal::mutations

#endif // NNHAL_TEST_VALIDATION_MODELMUTATOR_H
