//===- ZeroSizedCpuTest.cpp - Compiled constants without elements ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroSized.h"

#include "nnhal/Runtime/CpuDevice.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

using namespace nnhal;
using namespace nnhal::randomgraph;

namespace {

/// What a device answers, in words.
std::string answerOf(const rt::Result<Tensors> &outputs) {
  if (!outputs.isOk())
    return outputs.status().message();
  std::string text;
  for (const TestTensor &output : *outputs) {
    for (uint32_t extent : output.dimensions)
      text += std::to_string(extent) + " ";
    text += "[";
    for (uint8_t byte : output.bytes)
      text += " " + std::to_string(byte);
    text += " ] ";
  }
  return text;
}

/// How many uses of each operation are compiled; all of them where
/// NNHAL_TEST_ALL is set.
int usesPerOperation() { return std::getenv("NNHAL_TEST_ALL") ? 1'000'000 : 3; }

TEST(ZeroSizedCpuTest, AnswersWhatTheReferenceAnswers) {
  auto reference = rt::createReferenceDevice();
  rt::CpuDeviceOptions options;
  options.compiler = std::make_shared<rt::LazyCompiler>(NNHAL_COMPILER_LIBRARY);
  auto device = rt::createCpuDevice(options);
  // Those that are executed and those that are refused, by operation.
  std::map<std::pair<rt::OperationType, bool>, int> counts;
  rt::Status status = forEachZeroing(
      *reference, /*seeds=*/1,
      [&](const ConstantOperation &operation, std::span<const Extent> zeros) {
        auto expected = executeWithZeros(*reference, operation, zeros);
        if (++counts[{operation.type, expected.isOk()}] > usesPerOperation())
          return;
        SCOPED_TRACE(describe(operation, zeros));
        EXPECT_EQ(answerOf(executeWithZeros(*device, operation, zeros)),
                  answerOf(expected));
      });
  EXPECT_EQ(status.message(), "");
}

} // namespace
