//===- Mutator.h - Test cases, damaged --------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_MUTATION_MUTATOR_H
#define NNHAL_TEST_UNIT_MUTATION_MUTATOR_H

#include "nnhal/Runtime/TestCase.h"

#include <random>

namespace nnhal::rt::test {

/// Damages models as somebody would who does not know the rules: types, ranks,
/// dimensions, indices, lifetimes, counts, scales, values, and what models with
/// extensions state of those.
class Mutator {
public:
  explicit Mutator(uint32_t seed) : random(seed) {}

  /// Applies one to three changes to \p test.
  void mutate(TestCase &test);

private:
  uint32_t below(size_t bound) { return uint32_t(random() % bound); }
  template <typename T> T &pick(std::vector<T> &values) {
    return values[below(values.size())];
  }
  uint32_t extent();
  int32_t number();
  float scale();
  void mutateOperand(TestCase &test, Subgraph &subgraph);
  void mutateDimensions(Operand &operand);
  void mutateOperation(Subgraph &subgraph);
  void mutateInterface(Subgraph &subgraph);
  void mutateValues(TestCase &test);
  void mutateExample(TestCase &test);
  void mutateExtensions(Model &model);

  std::mt19937 random;
};

} // namespace nnhal::rt::test

#endif // NNHAL_TEST_UNIT_MUTATION_MUTATOR_H
