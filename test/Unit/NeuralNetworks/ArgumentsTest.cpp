//===- ArgumentsTest.cpp - Arguments of executions of C clients -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace client;

namespace {

/// A file of \p size bytes that goes with the object.
struct File {
  explicit File(size_t size) : fd(::memfd_create("arguments", MFD_CLOEXEC)) {
    EXPECT_EQ(::ftruncate(fd, off_t(size)), 0);
  }
  ~File() { ::close(fd); }
  int fd;
};

// J-049, J-051, J-081, J-082, J-087, J-088: indices, lengths and arguments that
// are set twice.
TEST(NeuralNetworksArguments, AreChecked) {
  CompiledAdd add;
  AddExecution run(add);
  float *left = run.left;
  EXPECT_EQ(ANeuralNetworksExecution_setInput(nullptr, 0, nullptr, left, 16),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(nullptr, 0, nullptr, left, 16),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(run.execution.setInput(0, nullptr, 16), Result::UNEXPECTED_NULL);
  EXPECT_EQ(run.execution.setOutput(0, nullptr, 16), Result::UNEXPECTED_NULL);
  EXPECT_EQ(run.execution.setInput(uint32_t(-1), left, 16), Result::BAD_DATA);
  EXPECT_EQ(run.execution.setInput(2, left, 16), Result::BAD_DATA);
  EXPECT_EQ(run.execution.setOutput(1, left, 16), Result::BAD_DATA);
  EXPECT_EQ(run.execution.setInput(0, left, 12), Result::BAD_DATA);
  EXPECT_EQ(run.execution.setInput(0, left, 20), Result::BAD_DATA);
  EXPECT_EQ(run.execution.setInput(0, left, size_t(1) << 32 | 16),
            Result::BAD_DATA);
  EXPECT_EQ(run.execution.setOutput(0, run.sum, 12), Result::BAD_DATA);
  EXPECT_EQ(run.execution.setInput(0, left, 16), Result::NO_ERROR);
  EXPECT_EQ(run.execution.setInput(0, left, 16), Result::BAD_STATE);
  EXPECT_EQ(run.execution.setOutput(0, run.sum, 16), Result::NO_ERROR);
  EXPECT_EQ(run.execution.setOutput(0, run.sum, 16), Result::BAD_STATE);
}

// J-083 to J-085, J-089: types that replace what the model leaves open.
TEST(NeuralNetworksArguments, HaveTypesOfTheirOwn) {
  CompiledAdd add({0, 2});
  AddExecution run(add);
  auto set = [&](std::vector<uint32_t> dimensions, size_t length,
                 Type type = Type::TENSOR_FLOAT32) {
    OperandType given(type, std::move(dimensions));
    return run.execution.setInput(0, run.left, length, &given.operandType);
  };
  EXPECT_EQ(run.execution.setInput(0, run.left, 16), Result::BAD_DATA);
  EXPECT_EQ(set({2}, 8), Result::BAD_DATA);
  EXPECT_EQ(set({2, 3}, 24), Result::BAD_DATA);
  EXPECT_EQ(set({0, 2}, 16), Result::BAD_DATA);
  EXPECT_EQ(set({}, 16), Result::BAD_DATA);
  EXPECT_EQ(set({0x40000000, 2}, 16), Result::BAD_DATA);
  EXPECT_EQ(set({2, 2}, 12), Result::BAD_DATA);
  // The type is valid in itself: this one has no scale.
  EXPECT_EQ(set({2, 2}, 16, Type::TENSOR_QUANT8_ASYMM), Result::BAD_DATA);
  EXPECT_EQ(set({2, 2}, 16), Result::NO_ERROR);
  OperandType full(Type::TENSOR_FLOAT32, {2, 2});
  EXPECT_EQ(run.execution.setInput(1, run.right, 16, &full.operandType),
            Result::NO_ERROR);
  OperandType wrong(Type::TENSOR_FLOAT32, {2, 3});
  OperandType open(Type::TENSOR_FLOAT32, {0, 2});
  EXPECT_EQ(run.execution.setOutput(0, run.sum, 16, &wrong.operandType),
            Result::BAD_DATA);
  EXPECT_EQ(run.execution.setOutput(0, run.sum, 16, &open.operandType),
            Result::NO_ERROR);
  ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
  run.expectSum();
  std::vector<uint32_t> dimensions;
  EXPECT_EQ(run.execution.getOutputOperandDimensions(0, &dimensions),
            Result::NO_ERROR);
  EXPECT_EQ(dimensions, (std::vector<uint32_t>{2, 2}));
}

// J-086: null with length 0 omits an argument, and the operation decides.
TEST(NeuralNetworksArguments, MayBeOmitted) {
  CompiledAdd add({0, 2});
  AddExecution run(add);
  OperandType open(Type::TENSOR_FLOAT32, {0, 2});
  EXPECT_EQ(run.execution.setInput(0, nullptr, 0, &open.operandType),
            Result::NO_ERROR);
  EXPECT_EQ(run.execution.setInput(0, nullptr, 0), Result::BAD_STATE);
  OperandType full(Type::TENSOR_FLOAT32, {2, 2});
  EXPECT_EQ(run.execution.setInput(1, run.right, 16, &full.operandType),
            Result::NO_ERROR);
  EXPECT_EQ(run.execution.setOutput(0, run.sum, 16), Result::NO_ERROR);
  EXPECT_NE(run.execution.compute(), Result::NO_ERROR);
}

// J-091: devices read and write elements where they are aligned, and outputs
// apart from inputs; clients need not know.
TEST(NeuralNetworksArguments, MayBeUnalignedAndOverlap) {
  CompiledAdd add;
  const float left[] = {1, 2, 3, 4}, right[] = {10, 20, 30, 40};
  char bytes[3 * 16 + 1];
  std::memcpy(bytes + 1, left, 16);
  std::memcpy(bytes + 17, right, 16);
  for (size_t output : {size_t(33), size_t(5)}) {
    Execution execution(*add.compilation);
    EXPECT_EQ(execution.setInput(0, bytes + 1, 16), Result::NO_ERROR);
    EXPECT_EQ(execution.setInput(1, bytes + 17, 16), Result::NO_ERROR);
    EXPECT_EQ(execution.setOutput(0, bytes + output, 16), Result::NO_ERROR);
    ASSERT_EQ(execution.compute(), Result::NO_ERROR);
    float sum[4];
    std::memcpy(sum, bytes + output, 16);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(sum[i], left[i] + right[i]) << i;
  }
}

// J-091: an output may be where an input is.
TEST(NeuralNetworksArguments, MayBeOverwritten) {
  CompiledAdd add;
  float values[] = {1, 2, 3, 4}, one[] = {1, 1, 1, 1};
  Execution execution(*add.compilation);
  EXPECT_EQ(execution.setInput(0, values, 16), Result::NO_ERROR);
  EXPECT_EQ(execution.setInput(1, one, 16), Result::NO_ERROR);
  EXPECT_EQ(execution.setOutput(0, values, 16), Result::NO_ERROR);
  ASSERT_EQ(execution.compute(), Result::NO_ERROR);
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[3], 5);
}

// J-050, J-052, J-090, F-022, F-023: arguments in memories.
TEST(NeuralNetworksArguments, AreInMemories) {
  CompiledAdd add;
  AddExecution run(add);
  File file(64);
  ASSERT_EQ(::pwrite(file.fd, run.left, 16, 0), 16);
  ASSERT_EQ(::pwrite(file.fd, run.right, 16, 16), 16);
  Memory memory(64, PROT_READ | PROT_WRITE, file.fd, 0);
  ASSERT_TRUE(memory.isValid());
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(
                run.execution.get(), 0, nullptr, nullptr, 0, 16),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(
                run.execution.get(), 0, nullptr, nullptr, 0, 16),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(nullptr, 0, nullptr,
                                                        memory.get(), 0, 16),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(nullptr, 0, nullptr,
                                                         memory.get(), 0, 16),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(run.execution.setInputFromMemory(2, memory, 0, 16),
            Result::BAD_DATA);
  EXPECT_EQ(run.execution.setInputFromMemory(0, memory, 0, 0),
            Result::BAD_DATA);
  EXPECT_EQ(run.execution.setInputFromMemory(0, memory, 0, 12),
            Result::BAD_DATA);
  EXPECT_EQ(run.execution.setInputFromMemory(0, memory, 56, 16),
            Result::BAD_DATA);
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(run.execution.get(), 0,
                                                        nullptr, memory.get(),
                                                        SIZE_MAX - 7, 16),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(run.execution.setInputFromMemory(0, memory, 0, 16),
            Result::NO_ERROR);
  EXPECT_EQ(run.execution.setInputFromMemory(0, memory, 0, 16),
            Result::BAD_STATE);
  EXPECT_EQ(run.execution.setInputFromMemory(1, memory, 16, 16),
            Result::NO_ERROR);
  EXPECT_EQ(run.execution.setOutputFromMemory(0, memory, 32, 16),
            Result::NO_ERROR);
  ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
  ASSERT_EQ(::pread(file.fd, run.sum, 16, 32), 16);
  run.expectSum();
}

// J-067: with padding, lengths may exceed what the type takes.
TEST(NeuralNetworksArguments, MayBePadded) {
  CompiledAdd add;
  AddExecution run(add);
  EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(nullptr, true),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ASSERT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(
                run.execution.get(), true),
            ANEURALNETWORKS_NO_ERROR);
  float padded[8] = {1, 2, 3, 4};
  EXPECT_EQ(run.execution.setInput(0, padded, 12), Result::BAD_DATA);
  EXPECT_EQ(run.execution.setInput(0, padded, 32), Result::NO_ERROR);
  EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(
                run.execution.get(), false),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(run.execution.setInput(1, run.right, 16), Result::NO_ERROR);
  float result[8] = {};
  EXPECT_EQ(run.execution.setOutput(0, result, 32), Result::NO_ERROR);
  ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
  EXPECT_EQ(result[3], 44);
  EXPECT_EQ(result[4], 0);
}

} // namespace
