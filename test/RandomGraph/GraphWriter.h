//===- GraphWriter.h - Adds operations to a graph ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_GRAPHWRITER_H
#define NNHAL_TEST_RANDOMGRAPH_GRAPHWRITER_H

#include "Recipes.h"

namespace nnhal::randomgraph {

/// Adds operations to the graphs of one model. A candidate that the rules or
/// the reference device reject, or whose results are no sound values for others
/// to go on with, leaves no trace.
class GraphWriter {
public:
  GraphWriter(const rt::Device &reference, rt::Model &model, Random &random,
              const Profile &profile)
      : reference(reference), model(model), random(random), profile(profile) {}

  /// Adds some operation. \p depth counts the graphs around this one.
  bool addOperation(Scope &scope, unsigned depth = 0);
  /// Adds this one.
  bool addOperation(Scope &scope, const Recipe &recipe, rt::OperandType type,
                    unsigned depth = 0);

private:
  bool addKernel(Scope &scope, const Recipe &recipe, rt::OperandType type);
  bool addIf(Scope &scope, rt::OperandType type, unsigned depth);
  bool addWhile(Scope &scope, rt::OperandType type, unsigned depth);
  rt::OperandType drawType(const Scope &scope, const Recipe &recipe);
  bool isWelcome(const Recipe &recipe);

  /// Values to pass to a graph, the first of \p type.
  std::vector<uint32_t> drawPassed(Draft &draft);
  /// A scope whose inputs are values of \p outer.
  static Scope innerScope(const Scope &outer,
                          const std::vector<uint32_t> &passed);
  /// Some operations, and one whose result is like input \p like; the result.
  std::optional<uint32_t> fillInner(Scope &inner, uint32_t like,
                                    unsigned depth);
  /// Adds \p operation without a recipe.
  std::optional<uint32_t> addPlain(Scope &scope, rt::OperationType operation,
                                   const std::vector<uint32_t> &inputs,
                                   const rt::Operand &result);
  /// Runs the operation that \p draft has drawn and takes it into the scope.
  bool commit(Scope &scope, rt::OperationType operation, const Draft &draft);
  bool takeResults(Scope &scope, rt::Operation operation);
  uint32_t addGraph(Scope inner, const std::vector<uint32_t> &outputs);

  const rt::Device &reference;
  rt::Model &model;
  Random &random;
  const Profile &profile;
};

/// Whether values may go on through a graph: few elements, finite and not
/// large, so that errors stay errors of rounding.
bool isSound(rt::OperandType type, const TestTensor &tensor);

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_GRAPHWRITER_H
