//===- HardwareBufferTest.cpp - Hardware buffers of C clients -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace client;

namespace {

constexpr uint32_t blob = 0x21, rgba = 1;

/// A hardware buffer of a library of the test.
struct Buffer {
  Buffer(size_t size, uint32_t width, uint32_t format) {
    // Found only by who asks for it by name, as a client's may be.
    void *library = ::dlopen(NNHAL_TEST_NATIVE_WINDOW, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << ::dlerror();
    auto make = reinterpret_cast<AHardwareBuffer *(*)(int, uint32_t, uint32_t)>(
        ::dlsym(library, "nnhalTestMakeBuffer"));
    fd = ::memfd_create("buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    EXPECT_EQ(::ftruncate(fd, off_t(size)), 0);
    buffer = make(size == 0 ? -1 : fd, width, format);
  }
  ~Buffer() {
    std::free(buffer);
    ::close(fd);
  }
  int make(ANeuralNetworksMemory **memory) const {
    return ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, memory);
  }

  int fd = -1;
  AHardwareBuffer *buffer = nullptr;
};

// J-016, F-003, F-019, F-021: a BLOB is memory like a file, for arguments and
// constants. The buffer itself need not live on.
TEST(NeuralNetworksHardwareBuffer, HoldsArgumentsAndConstants) {
  auto buffer = std::make_unique<Buffer>(48, 48, blob);
  const float values[] = {1, 2, 3, 4};
  ASSERT_EQ(::pwrite(buffer->fd, values, 16, 16), 16);
  int fd = ::dup(buffer->fd);
  ANeuralNetworksMemory *made = nullptr;
  ASSERT_EQ(buffer->make(&made), ANEURALNETWORKS_NO_ERROR);
  buffer.reset();
  Memory memory(made);
  Model model;
  OperandType tensor(Type::TENSOR_FLOAT32, {4});
  uint32_t input = model.addOperand(tensor);
  uint32_t constant = model.addOperand(tensor);
  uint32_t none = model.addScalar(Type::INT32, int32_t(0));
  uint32_t output = model.addOperand(tensor);
  model.setOperandValueFromMemory(constant, memory, 16, 16);
  model.addOperation(ANEURALNETWORKS_ADD, {input, constant, none}, {output});
  model.identifyInputsAndOutputs({input}, {output});
  ASSERT_TRUE(model.isValid());
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  Compilation compilation(model, {reference()});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  Execution execution(compilation);
  EXPECT_EQ(execution.setInputFromMemory(0, memory, 0, 0), Result::BAD_DATA);
  ASSERT_EQ(execution.setInputFromMemory(0, memory, 16, 16), Result::NO_ERROR);
  ASSERT_EQ(execution.setOutputFromMemory(0, memory, 32, 16), Result::NO_ERROR);
  ASSERT_EQ(execution.compute(), Result::NO_ERROR);
  float sum[4] = {};
  ASSERT_EQ(::pread(fd, sum, 16, 32), 16);
  EXPECT_EQ(sum[3], 8);
  ::close(fd);
}

// J-016: a BLOB that is shorter than it says, and a buffer without descriptors.
TEST(NeuralNetworksHardwareBuffer, IsRefusedWhereItIsNotWhatItSays) {
  Buffer tooLong(16, 17, blob), empty(0, 16, blob);
  for (const Buffer *buffer : {&tooLong, &empty}) {
    auto *made = reinterpret_cast<ANeuralNetworksMemory *>(1);
    EXPECT_EQ(buffer->make(&made), ANEURALNETWORKS_BAD_DATA);
    EXPECT_EQ(made, nullptr);
  }
}

// F-004, F-006, F-024, F-079, B-118, J-095, D-103: a buffer of another format
// is passed whole to devices, which may refuse it, and used for nothing else.
TEST(NeuralNetworksHardwareBuffer, IsOpaqueInOtherFormats) {
  Buffer buffer(64, 2, rgba), other(64, 64, blob);
  ANeuralNetworksMemory *made = nullptr;
  ASSERT_EQ(buffer.make(&made), ANEURALNETWORKS_NO_ERROR);
  Memory opaque(made);
  ASSERT_EQ(other.make(&made), ANEURALNETWORKS_NO_ERROR);
  Memory linear(made);
  EXPECT_EQ(ANeuralNetworksMemory_copy(opaque.get(), linear.get()),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksMemory_copy(linear.get(), opaque.get()),
            ANEURALNETWORKS_BAD_DATA);
  Model model;
  model.addOperand({Type::TENSOR_FLOAT32, {4}});
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(model.get(), 0,
                                                           opaque.get(), 0, 0),
            ANEURALNETWORKS_BAD_DATA);
  CompiledAdd add;
  AddExecution run(add);
  EXPECT_EQ(run.execution.setInputFromMemory(0, opaque, 0, 16),
            Result::BAD_DATA);
  ASSERT_EQ(run.execution.setInputFromMemory(0, opaque, 0, 0),
            Result::NO_ERROR);
  ASSERT_EQ(run.execution.setInput(1, run.right, 16), Result::NO_ERROR);
  ASSERT_EQ(run.execution.setOutput(0, run.sum, 16), Result::NO_ERROR);
  EXPECT_EQ(run.execution.compute(), Result::UNMAPPABLE);
}

} // namespace
