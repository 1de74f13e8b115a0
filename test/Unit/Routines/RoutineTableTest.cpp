//===- RoutineTableTest.cpp - Calls from generated code -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Routines/RoutineTable.h"

#include "Faults/Allocations.h"
#include "Runtime/Artifact/RoutineSignature.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

using namespace nnhal::rt;

namespace {

/// TOPK_V2 of 4 numbers as generated code calls it.
class RoutineTableTest : public testing::Test {
protected:
  RoutineTableTest() {
    context.allocate = allocate;
    context.allocateContext = this;
    context.report = report;
    context.reportContext = this;
    operation.type = OperationType::TOPK_V2;
    OperandView tensor;
    tensor.type.dimensions = {4};
    OperandView count;
    count.type.type = OperandType::INT32;
    count.value = std::as_bytes(std::span(&k, 1));
    OperandView indices;
    indices.type.type = OperandType::TENSOR_INT32;
    indices.type.dimensions = {2};
    operation.inputs = {tensor, count};
    operation.outputs = {tensor, indices};
    operation.outputs[0].type.dimensions = {2};
    input = {numbers.data(), inputExtents.data(), 1, 0};
    outputs = {{{nullptr, outputExtents[0].data(), 1, 0},
                {nullptr, outputExtents[1].data(), 1, 0}}};
  }

  StatusCode call(uint32_t slot = 6, uint32_t inputCount = 1,
                  uint32_t outputCount = 2) {
    std::vector<uint8_t> signature = writeRoutineSignature(operation);
    return call(signature, slot, inputCount, outputCount);
  }
  StatusCode call(const std::vector<uint8_t> &signature, uint32_t slot,
                  uint32_t inputCount, uint32_t outputCount) {
    return StatusCode(routineTable().routines[slot](
        &context, signature.data(), signature.size(), &input, inputCount,
        outputs.data(), outputCount));
  }

  static void *allocate(void *self, const int64_t *extents, uint32_t rank,
                        uint64_t size) {
    auto &test = *static_cast<RoutineTableTest *>(self);
    if (!test.hasMemory)
      return nullptr;
    int64_t count = std::accumulate(extents, extents + rank, int64_t(1),
                                    std::multiplies<>());
    return test.memory.emplace_back(uint64_t(count) * size).data();
  }
  static void report(void *self, const char *message) {
    static_cast<RoutineTableTest *>(self)->message = message;
  }

  NNHalExecutionContext context = {};
  OperationView operation;
  int32_t k = 2;
  std::array<float, 4> numbers = {1, 4, 2, 3};
  std::array<int64_t, 4> inputExtents = {4, 1, 1, 1};
  std::array<std::array<int64_t, 4>, 2> outputExtents = {};
  NNHalRoutineTensor input = {};
  std::array<NNHalRoutineTensor, 2> outputs;
  bool hasMemory = true;
  std::vector<std::vector<std::byte>> memory;
  std::string message;
};

TEST_F(RoutineTableTest, OutputsAreAllocatedAndFilled) {
  ASSERT_EQ(call(), StatusCode::none) << message;
  EXPECT_EQ(outputExtents[0][0], 2);
  EXPECT_EQ(outputExtents[1][0], 2);
  auto *values = static_cast<float *>(outputs[0].data);
  auto *indices = static_cast<int32_t *>(outputs[1].data);
  EXPECT_EQ(values[0], 4);
  EXPECT_EQ(values[1], 3);
  EXPECT_EQ(indices[0], 1);
  EXPECT_EQ(indices[1], 3);
  EXPECT_EQ(message, "");
}

TEST_F(RoutineTableTest, WrongCountOfInputs) {
  EXPECT_EQ(call(6, /*inputCount=*/0), StatusCode::generalFailure);
  EXPECT_EQ(message,
            "a routine of the runtime was passed 0 inputs, expected 1");
}

TEST_F(RoutineTableTest, WrongCountOfOutputs) {
  EXPECT_EQ(call(6, 1, /*outputCount=*/1), StatusCode::generalFailure);
  EXPECT_EQ(message, "TOPK_V2 has 2 outputs, the code expects 1");
}

TEST_F(RoutineTableTest, WrongRankOfAnOutput) {
  outputs[1].rank = 3;
  EXPECT_EQ(call(), StatusCode::generalFailure);
  EXPECT_EQ(message, "output 1 has rank 1, expected 3");
}

TEST_F(RoutineTableTest, SignatureOfAnotherOperation) {
  EXPECT_EQ(call(/*slot=*/3), StatusCode::generalFailure);
  EXPECT_EQ(message, "the routine for HASHTABLE_LOOKUP was called for TOPK_V2");
}

TEST_F(RoutineTableTest, NoSignature) {
  EXPECT_EQ(call({1, 2, 3}, 6, 1, 2), StatusCode::generalFailure);
  EXPECT_EQ(message, "3 bytes are not a signature of a routine of the runtime");
}

/// What validation would reject, had it known the values, fails the execution.
TEST_F(RoutineTableTest, IllegalValueFailsTheExecution) {
  k = 9;
  EXPECT_EQ(call(), StatusCode::generalFailure);
  EXPECT_NE(message.find("9"), std::string::npos) << message;
}

TEST_F(RoutineTableTest, NoMemoryForAnOutput) {
  hasMemory = false;
  EXPECT_EQ(call(), StatusCode::resourceExhaustedTransient);
  // The allocator has said why.
  EXPECT_EQ(message, "");
}

TEST_F(RoutineTableTest, NoMemoryForARoutine) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "allocations are those of a sanitizer";
  std::vector<uint8_t> signature = writeRoutineSignature(operation);
  std::set<std::string> messages;
  for (size_t before = 0;; ++before) {
    AllocationFailure failure(before);
    StatusCode code = call(signature, 6, 1, 2);
    if (!failure.hasFailed())
      break;
    if (code != StatusCode::none)
      messages.insert(message);
  }
  EXPECT_TRUE(messages.contains(
      "memory for a routine of the runtime is not available"));
}

} // namespace
