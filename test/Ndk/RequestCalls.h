//===- RequestCalls.h - Mistakes in the calls of an execution ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_NDK_REQUESTCALLS_H
#define NNHAL_TEST_NDK_REQUESTCALLS_H

#include "Mutation.h"
#include "NdkObjects.h"

#include "nnhal/Runtime/TestCase.h"

#include <functional>
#include <string>
#include <vector>

namespace nnhal::test {

/// A call with one mistake, and the codes that it may return.
struct CalledMistake {
  mutations::Kind kind;
  std::string text;
  std::function<int()> call;
  std::vector<int> allowed;
};

/// Executions of one model of a test case, which outlives this object, on
/// nnapi-reference.
class RequestCalls {
public:
  RequestCalls(const rt::TestCase &test, ANeuralNetworksModel *model)
      : test(test), model(model) {}

  /// Compiles the model. Returns the code of the first call that fails.
  int compile();

  /// Calls \p visit with every mistake in a request for \p example.
  void mutate(const rt::TestExample &example,
              const std::function<void(const CalledMistake &)> &visit);

private:
  using Visit = std::function<void(const CalledMistake &)>;

  NdkExecution begin() const;
  const rt::Operand &input(size_t index) const;
  void mutateInput(const rt::TestExample &example, size_t index,
                   const Visit &visit);
  void mutateOutput(const rt::TestExample &example, size_t index,
                    const Visit &visit);
  void leaveOut(const rt::TestExample &example, const Visit &visit);
  int setInput(ANeuralNetworksExecution *execution,
               const rt::TestExample &example, size_t index) const;

  const rt::TestCase &test;
  ANeuralNetworksModel *model;
  NdkCompilation compilation;
};

} // namespace nnhal::test

#endif // NNHAL_TEST_NDK_REQUESTCALLS_H
