//===- CancelTest.cpp - Compiled code stops -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include <gtest/gtest.h>

namespace nnhal::rt {
namespace {

/// One operation with a lot of work.
constexpr std::string_view largeWindows = R"mlir(
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x192x192x32xf32>) -> tensor<1x192x192x32xf32> {
    %0 = nnhal.average_pool_2d %x pads [15, 15, 15, 15] strides [1, 1]
        window [31, 31]
        : (tensor<1x192x192x32xf32>) -> tensor<1x192x192x32xf32>
    nnhal.return %0 : tensor<1x192x192x32xf32>
  }
}
)mlir";

Result<std::shared_ptr<PreparedModel>> prepare(std::string_view text) {
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<const Compiler> compiler,
                         Compiler::open());
  NNHAL_ASSIGN_OR_RETURN(
      CompiledModel compiled,
      compiler->compileMlir(std::as_bytes(std::span(text)), "test"));
  return createCpuDevice()->prepareModelFromArtifact(compiled.modelCache,
                                                     compiled.dataCache);
}

// D-074: inside the loops of one operation.
TEST(CancelTest, deadlinesStopLongLoops) {
  auto prepared = prepare(largeWindows);
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  Arguments arguments(**prepared);
  ExecutionResult result;
  // The machine has other work: one of some attempts has to be undisturbed.
  bool hasStopped = false;
  for (int attempt = 0; attempt < 10 && !hasStopped; ++attempt) {
    int64_t begin = steadyNow();
    arguments.request.deadline = noDeadline;
    ASSERT_EQ((*prepared)->execute(arguments.request, result).message(), "");
    int64_t whole = steadyNow() - begin;
    begin = steadyNow();
    arguments.request.deadline = begin + whole / 8;
    Status status = (*prepared)->execute(arguments.request, result);
    EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
    EXPECT_EQ(status.message(),
              "the execution reported MISSED_DEADLINE_TRANSIENT");
    EXPECT_TRUE(result.outputShapes.empty());
    hasStopped = steadyNow() - begin < whole / 2;
  }
  EXPECT_TRUE(hasStopped);
}

} // namespace
} // namespace nnhal::rt
