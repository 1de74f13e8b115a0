//===- MemoryTest.cpp - Memories of C clients -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace client;

namespace {

/// A file of \p size bytes that goes with the object.
struct File {
  explicit File(size_t size) : fd(::memfd_create("memory", MFD_CLOEXEC)) {
    EXPECT_EQ(::ftruncate(fd, off_t(size)), 0);
  }
  ~File() { ::close(fd); }
  int fd;
};

constexpr int readWrite = PROT_READ | PROT_WRITE;

// J-029, J-030, F-017, F-018: memories of files.
TEST(NeuralNetworksMemory, IsMadeOfFiles) {
  ANeuralNetworksMemory_free(nullptr);
  File file(64);
  EXPECT_EQ(
      ANeuralNetworksMemory_createFromFd(64, readWrite, file.fd, 0, nullptr),
      ANEURALNETWORKS_UNEXPECTED_NULL);
  ANeuralNetworksMemory *memory = nullptr;
  auto create = [&](size_t size, int protect, int fd, size_t offset) {
    memory = reinterpret_cast<ANeuralNetworksMemory *>(1);
    return ANeuralNetworksMemory_createFromFd(size, protect, fd, offset,
                                              &memory);
  };
  EXPECT_EQ(create(0, readWrite, file.fd, 0), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(create(64, readWrite, -1, 0), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(create(64, readWrite, 99999, 0), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(create(65, readWrite, file.fd, 0), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(create(64, 0, file.fd, 0), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(create(1, readWrite, file.fd, SIZE_MAX), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(memory, nullptr);
  ASSERT_EQ(create(60, readWrite, file.fd, 4), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksMemory_free(memory);
}

// J-036, B-118, F-011, F-021: constants in memories, at an offset in the file
// that is no multiple of a page.
TEST(NeuralNetworksMemory, HoldsConstants) {
  File file(64);
  const float values[] = {1, 2, 3, 4};
  ASSERT_EQ(::pwrite(file.fd, values, 16, 12), 16);
  auto memory = std::make_unique<Memory>(56, PROT_READ, file.fd, 8);
  ASSERT_TRUE(memory->isValid());
  Model model;
  OperandType tensor(Type::TENSOR_FLOAT32, {4});
  uint32_t input = model.addOperand(tensor);
  uint32_t constant = model.addOperand(tensor);
  uint32_t none = model.addScalar(Type::INT32, int32_t(0));
  uint32_t output = model.addOperand(tensor);
  auto set = [&](ANeuralNetworksModel *target, int32_t index,
                 const ANeuralNetworksMemory *from, size_t offset,
                 size_t length) {
    return ANeuralNetworksModel_setOperandValueFromMemory(target, index, from,
                                                          offset, length);
  };
  EXPECT_EQ(set(nullptr, 1, memory->get(), 4, 16),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(model.get(), 1, nullptr, 4, 16),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(model.get(), -1, memory->get(), 4, 16),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(model.get(), 9, memory->get(), 4, 16),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(model.get(), 1, memory->get(), 4, 12),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(model.get(), 1, memory->get(), 48, 16),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(model.get(), 1, memory->get(), SIZE_MAX - 3, 16),
            ANEURALNETWORKS_BAD_DATA);
  ASSERT_EQ(set(model.get(), int32_t(constant), memory->get(), 4, 16),
            ANEURALNETWORKS_NO_ERROR);
  model.addOperation(ANEURALNETWORKS_ADD, {input, constant, none}, {output});
  model.identifyInputsAndOutputs({input}, {output});
  ASSERT_TRUE(model.isValid());
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  EXPECT_EQ(set(model.get(), 1, memory->get(), 4, 16),
            ANEURALNETWORKS_BAD_STATE);
  Compilation compilation(model, {reference()});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  Execution execution(compilation);
  float sum[4] = {};
  ASSERT_EQ(execution.setInput(0, values, 16), Result::NO_ERROR);
  ASSERT_EQ(execution.setOutput(0, sum, 16), Result::NO_ERROR);
  ASSERT_EQ(execution.compute(), Result::NO_ERROR);
  EXPECT_EQ(sum[3], 8);
}

// F-008, F-020: an output in memory that may only be read fails, and memories
// may be freed before the execution that refers to them.
TEST(NeuralNetworksMemory, IsWrittenOnlyWhereItMayBe) {
  CompiledAdd add;
  File file(16);
  for (int protect : {PROT_READ, readWrite}) {
    AddExecution run(add);
    ASSERT_EQ(run.execution.setInput(0, run.left, 16), Result::NO_ERROR);
    ASSERT_EQ(run.execution.setInput(1, run.right, 16), Result::NO_ERROR);
    {
      Memory memory(16, protect, file.fd, 0);
      ASSERT_TRUE(memory.isValid());
      ASSERT_EQ(run.execution.setOutputFromMemory(0, memory, 0, 16),
                Result::NO_ERROR);
    }
    EXPECT_EQ(run.execution.compute() == Result::NO_ERROR,
              protect == readWrite);
  }
  float sum[4] = {};
  ASSERT_EQ(::pread(file.fd, sum, 16, 0), 16);
  EXPECT_EQ(sum[3], 44);
}

// J-095, D-103, F-007: an execution whose memory became shorter cannot read it,
// however it is started; the event says so each time.
TEST(NeuralNetworksMemory, IsUnmappableWhenItIsGone) {
  CompiledAdd add;
  File file(16);
  Memory memory(16, readWrite, file.fd, 0);
  AddExecution plain(add), started(add), fenced(add);
  for (AddExecution *run : {&plain, &started, &fenced}) {
    ASSERT_EQ(run->execution.setInputFromMemory(0, memory, 0, 16),
              Result::NO_ERROR);
    ASSERT_EQ(run->execution.setInput(1, run->right, 16), Result::NO_ERROR);
    ASSERT_EQ(run->execution.setOutput(0, run->sum, 16), Result::NO_ERROR);
  }
  ASSERT_EQ(::ftruncate(file.fd, 4), 0);
  EXPECT_EQ(plain.execution.compute(), Result::UNMAPPABLE);
  Event event;
  ASSERT_EQ(started.execution.startCompute(&event), Result::NO_ERROR);
  EXPECT_EQ(event.wait(), Result::UNMAPPABLE);
  EXPECT_EQ(event.wait(), Result::UNMAPPABLE);
  EXPECT_EQ(fenced.execution.startComputeWithDependencies({}, 0, &event),
            Result::UNMAPPABLE);
  EXPECT_EQ(event.get(), nullptr);
}

// J-095, D-103: memory that is gone only when the dependencies have signaled.
TEST(NeuralNetworksMemory, IsUnmappableForAFencedExecution) {
  CompiledAdd add;
  File file(16);
  Memory memory(16, readWrite, file.fd, 0);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ANeuralNetworksEvent *made = nullptr;
  ASSERT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &made),
            ANEURALNETWORKS_NO_ERROR);
  Event dependency, end;
  dependency.set(made);
  AddExecution run(add);
  ASSERT_EQ(run.execution.setInputFromMemory(0, memory, 0, 16),
            Result::NO_ERROR);
  ASSERT_EQ(run.execution.setInput(1, run.right, 16), Result::NO_ERROR);
  ASSERT_EQ(run.execution.setOutput(0, run.sum, 16), Result::NO_ERROR);
  ASSERT_EQ(run.execution.startComputeWithDependencies({&dependency}, 0, &end),
            Result::NO_ERROR);
  ASSERT_EQ(::ftruncate(file.fd, 4), 0);
  EXPECT_EQ(::write(ends[1], "", 1), 1);
  EXPECT_EQ(end.wait(), Result::UNMAPPABLE);
  EXPECT_EQ(end.wait(), Result::UNMAPPABLE);
  ::close(ends[0]);
  ::close(ends[1]);
}

// J-016, F-019: null is refused.
TEST(NeuralNetworksMemory, IsMadeOfHardwareBuffers) {
  auto *memory = reinterpret_cast<ANeuralNetworksMemory *>(1);
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(nullptr, &memory),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(ANeuralNetworksMemory_createFromAHardwareBuffer(
                reinterpret_cast<AHardwareBuffer *>(1), nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
}

// J-028, F-076: copies between files.
TEST(NeuralNetworksMemory, IsCopied) {
  File from(16), to(16), small(8);
  ASSERT_EQ(::pwrite(from.fd, "0123456789abcdef", 16, 0), 16);
  Memory source(16, readWrite, from.fd, 0), target(16, readWrite, to.fd, 0);
  Memory other(8, readWrite, small.fd, 0);
  EXPECT_EQ(ANeuralNetworksMemory_copy(nullptr, target.get()),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksMemory_copy(source.get(), nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksMemory_copy(source.get(), source.get()),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksMemory_copy(source.get(), other.get()),
            ANEURALNETWORKS_BAD_DATA);
  ASSERT_EQ(ANeuralNetworksMemory_copy(source.get(), target.get()),
            ANEURALNETWORKS_NO_ERROR);
  char bytes[16];
  ASSERT_EQ(::pread(to.fd, bytes, 16, 0), 16);
  EXPECT_EQ(std::string(bytes, 16), "0123456789abcdef");
  // A file that became shorter cannot be read.
  ASSERT_EQ(::ftruncate(from.fd, 4), 0);
  EXPECT_EQ(ANeuralNetworksMemory_copy(source.get(), target.get()),
            ANEURALNETWORKS_UNMAPPABLE);
}

} // namespace
