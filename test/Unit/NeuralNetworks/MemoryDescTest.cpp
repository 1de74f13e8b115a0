//===- MemoryDescTest.cpp - Memories that devices make for C clients ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

using namespace client;

namespace {

struct Desc {
  Desc() {
    EXPECT_EQ(ANeuralNetworksMemoryDesc_create(&desc),
              ANEURALNETWORKS_NO_ERROR);
  }
  ~Desc() { ANeuralNetworksMemoryDesc_free(desc); }

  int input(const Compilation &compilation, uint32_t index,
            float frequency = 1) {
    return ANeuralNetworksMemoryDesc_addInputRole(desc, compilation.get(),
                                                  index, frequency);
  }
  int output(const Compilation &compilation, uint32_t index,
             float frequency = 1) {
    return ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation.get(),
                                                   index, frequency);
  }
  int dimensions(const std::vector<uint32_t> &extents) {
    return ANeuralNetworksMemoryDesc_setDimensions(
        desc, uint32_t(extents.size()), extents.data());
  }
  int finish() { return ANeuralNetworksMemoryDesc_finish(desc); }
  /// The memory of the description, which is finished here.
  std::unique_ptr<Memory> make() {
    EXPECT_EQ(finish(), ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksMemory *memory = nullptr;
    EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc, &memory),
              ANEURALNETWORKS_NO_ERROR);
    return std::make_unique<Memory>(memory);
  }

  ANeuralNetworksMemoryDesc *desc = nullptr;
};

// J-021, J-022, J-026, F-062, F-067, F-068: the states of a description.
TEST(NeuralNetworksMemoryDesc, HasStates) {
  EXPECT_EQ(ANeuralNetworksMemoryDesc_create(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ANeuralNetworksMemoryDesc_free(nullptr);
  EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  CompiledAdd add;
  Desc desc;
  auto *memory = reinterpret_cast<ANeuralNetworksMemory *>(1);
  EXPECT_EQ(desc.finish(), ANEURALNETWORKS_BAD_DATA);
  ASSERT_EQ(desc.input(*add.compilation, 0), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc.desc, &memory),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(memory, nullptr);
  ASSERT_EQ(desc.finish(), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(desc.finish(), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(desc.input(*add.compilation, 1), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(desc.output(*add.compilation, 0), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(desc.dimensions({4}), ANEURALNETWORKS_BAD_STATE);
  // J-027: the memory is null whenever it fails.
  memory = reinterpret_cast<ANeuralNetworksMemory *>(1);
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(nullptr, &memory),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(ANeuralNetworksMemory_createFromDesc(desc.desc, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
}

// J-023, J-024, F-063 to F-065: roles; one that is refused changes nothing.
TEST(NeuralNetworksMemoryDesc, ChecksRoles) {
  CompiledAdd add, other({5});
  Compilation unfinished(add.model);
  Desc desc;
  const Compilation &compilation = *add.compilation;
  for (auto *addRole : {ANeuralNetworksMemoryDesc_addInputRole,
                        ANeuralNetworksMemoryDesc_addOutputRole}) {
    EXPECT_EQ(addRole(nullptr, compilation.get(), 0, 1),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(addRole(desc.desc, nullptr, 0, 1),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(addRole(desc.desc, unfinished.get(), 0, 1),
              ANEURALNETWORKS_BAD_DATA);
    EXPECT_EQ(addRole(desc.desc, compilation.get(), 2, 1),
              ANEURALNETWORKS_BAD_DATA);
    for (float frequency : {0.0f, -0.5f, 1.5f, 0.0f / 0.0f})
      EXPECT_EQ(addRole(desc.desc, compilation.get(), 0, frequency),
                ANEURALNETWORKS_BAD_DATA);
  }
  EXPECT_EQ(desc.input(compilation, 0), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(desc.input(compilation, 0), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(desc.input(*other.compilation, 0), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(desc.output(compilation, 0), ANEURALNETWORKS_NO_ERROR);
}

// J-025, F-066: dimensions.
TEST(NeuralNetworksMemoryDesc, ChecksDimensions) {
  const uint32_t four[] = {4};
  EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(nullptr, 1, four),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  CompiledAdd add;
  Desc desc, late;
  EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(desc.desc, 1, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(desc.input(*add.compilation, 0), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(desc.dimensions({5}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(desc.dimensions({4, 1}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(desc.dimensions({0}), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(desc.dimensions({}), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(desc.dimensions({4}), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(late.dimensions({5}), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(late.input(*add.compilation, 0), ANEURALNETWORKS_BAD_DATA);
}

// F-063, F-066: a scalar has no dimensions.
TEST(NeuralNetworksMemoryDesc, ChecksScalars) {
  Model model;
  uint32_t tensor = model.addOperand({Type::TENSOR_FLOAT32, {2, 3}});
  uint32_t multiplier = model.addOperand({Type::TENSOR_FLOAT32, {2, 3}});
  uint32_t activation = model.addOperand(Type::INT32);
  uint32_t output = model.addOperand({Type::TENSOR_FLOAT32, {2, 3}});
  model.addOperation(ANEURALNETWORKS_ADD, {tensor, multiplier, activation},
                     {output});
  model.identifyInputsAndOutputs({tensor, multiplier, activation}, {output});
  ASSERT_TRUE(model.isValid());
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  Compilation compilation(model, {reference()});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  Desc desc, other;
  EXPECT_EQ(desc.dimensions({1}), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(desc.input(compilation, 2), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(other.input(compilation, 2), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(other.dimensions({1}), ANEURALNETWORKS_BAD_DATA);
}

/// Adds the input of 1, 2, 3, 4 and 10, 20, 30, 40 into \p sum.
void addInto(const Compilation &compilation, const Memory &sum) {
  AddExecution run(compilation);
  ASSERT_EQ(run.execution.setInput(0, run.left, 16), Result::NO_ERROR);
  ASSERT_EQ(run.execution.setInput(1, run.right, 16), Result::NO_ERROR);
  ASSERT_EQ(run.execution.setOutputFromMemory(0, sum, 0, 0), Result::NO_ERROR);
  ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
}

/// The result of adding \p left to 10, 20, 30, 40.
Result addFrom(const Compilation &compilation, const Memory &left,
               float *first) {
  AddExecution run(compilation);
  EXPECT_EQ(run.execution.setInputFromMemory(0, left, 0, 0), Result::NO_ERROR);
  EXPECT_EQ(run.execution.setInput(1, run.right, 16), Result::NO_ERROR);
  EXPECT_EQ(run.execution.setOutput(0, run.sum, 16), Result::NO_ERROR);
  Result result = run.execution.compute();
  *first = run.sum[0];
  return result;
}

// J-093, F-072, F-074, F-075: a memory is used in its roles, and not before it
// was written; on one device, and on all.
TEST(NeuralNetworksMemoryDesc, IsUsedInItsRoles) {
  for (bool isListed : {true, false}) {
    CompiledAdd add({4}, isListed), other({4}, isListed);
    const Compilation &compilation = *add.compilation;
    Desc desc;
    ASSERT_EQ(desc.output(compilation, 0), ANEURALNETWORKS_NO_ERROR);
    ASSERT_EQ(desc.input(compilation, 0), ANEURALNETWORKS_NO_ERROR);
    std::unique_ptr<Memory> memory = desc.make();
    float first = 0;
    EXPECT_EQ(addFrom(compilation, *memory, &first), Result::OP_FAILED);
    addInto(compilation, *memory);
    ASSERT_EQ(addFrom(compilation, *memory, &first), Result::NO_ERROR);
    EXPECT_EQ(first, 21);
    // Other roles, parts, and dimensions that are not those of the description.
    AddExecution run(compilation), stranger(*other.compilation);
    OperandType five(Type::TENSOR_FLOAT32, {5});
    EXPECT_EQ(run.execution.setInputFromMemory(1, *memory, 0, 0),
              Result::BAD_DATA);
    EXPECT_EQ(stranger.execution.setInputFromMemory(0, *memory, 0, 0),
              Result::BAD_DATA);
    EXPECT_EQ(run.execution.setInputFromMemory(0, *memory, 0, 16),
              Result::BAD_DATA);
    EXPECT_EQ(
        run.execution.setInputFromMemory(0, *memory, 0, 0, &five.operandType),
        Result::BAD_DATA);
    Model model;
    model.addOperand({Type::TENSOR_FLOAT32, {4}});
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(
                  model.get(), 0, memory->get(), 0, 16),
              ANEURALNETWORKS_BAD_DATA);
  }
}

// J-093, F-074: an input whose extent the model leaves open has the one with
// which its memory was written, and no other.
TEST(NeuralNetworksMemoryDesc, IsReadWithTheDimensionsThatItHas) {
  CompiledAdd writer, reader({0});
  Desc desc;
  ASSERT_EQ(desc.input(*reader.compilation, 0), ANEURALNETWORKS_NO_ERROR);
  ASSERT_EQ(desc.dimensions({0}), ANEURALNETWORKS_NO_ERROR);
  std::unique_ptr<Memory> memory = desc.make();
  Desc known;
  ASSERT_EQ(known.output(*writer.compilation, 0), ANEURALNETWORKS_NO_ERROR);
  std::unique_ptr<Memory> written = known.make();
  addInto(*writer.compilation, *written);
  ASSERT_EQ(ANeuralNetworksMemory_copy(written->get(), memory->get()),
            ANEURALNETWORKS_NO_ERROR);
  for (uint32_t extent : {4u, 3u, 5u}) {
    AddExecution run(*reader.compilation);
    OperandType type(Type::TENSOR_FLOAT32, {extent});
    float values[5] = {10, 20, 30, 40, 50};
    ASSERT_EQ(
        run.execution.setInputFromMemory(0, *memory, 0, 0, &type.operandType),
        Result::NO_ERROR);
    ASSERT_EQ(run.execution.setInput(1, values, extent * sizeof(float),
                                     &type.operandType),
              Result::NO_ERROR);
    float sum[5] = {};
    ASSERT_EQ(run.execution.setOutput(0, sum, sizeof(sum)), Result::NO_ERROR);
    EXPECT_EQ(run.execution.compute(),
              extent == 4 ? Result::NO_ERROR : Result::OP_FAILED);
    EXPECT_EQ(sum[0], extent == 4 ? 21 : 0);
  }
}

// F-069, F-070, F-083: without a device that has all roles there is shared
// memory, unless the client has listed devices.
TEST(NeuralNetworksMemoryDesc, IsSharedWhereNoDeviceHasAllRoles) {
  CompiledAdd all({4}, /*isListed=*/false), one, open({0});
  // Roles of one compilation for all devices, of one for a listed device: with
  // the listed device, memory is that device's or none.
  Desc desc;
  ASSERT_EQ(desc.output(*all.compilation, 0), ANEURALNETWORKS_NO_ERROR);
  ASSERT_EQ(desc.input(*one.compilation, 0), ANEURALNETWORKS_NO_ERROR);
  ASSERT_EQ(desc.finish(), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksMemory *made = nullptr;
  int code = ANeuralNetworksMemory_createFromDesc(desc.desc, &made);
  Memory memory(made);
  if (code != ANEURALNETWORKS_NO_ERROR) {
    EXPECT_EQ(code, ANEURALNETWORKS_OP_FAILED);
    EXPECT_EQ(made, nullptr);
    return;
  }
  float first = 0;
  addInto(*all.compilation, memory);
  ASSERT_EQ(addFrom(*one.compilation, memory, &first), Result::NO_ERROR);
  EXPECT_EQ(first, 21);
}

// F-076 to F-078: copies from and to memories of descriptions.
TEST(NeuralNetworksMemoryDesc, IsCopied) {
  for (bool isListed : {true, false}) {
    CompiledAdd add({4}, isListed);
    const Compilation &compilation = *add.compilation;
    Desc one, two, small;
    ASSERT_EQ(one.output(compilation, 0), ANEURALNETWORKS_NO_ERROR);
    ASSERT_EQ(two.input(compilation, 0), ANEURALNETWORKS_NO_ERROR);
    std::unique_ptr<Memory> source = one.make(), target = two.make();
    EXPECT_EQ(ANeuralNetworksMemory_copy(source->get(), target->get()),
              ANEURALNETWORKS_BAD_DATA); // It has not been written.
    addInto(compilation, *source);
    ASSERT_EQ(ANeuralNetworksMemory_copy(source->get(), target->get()),
              ANEURALNETWORKS_NO_ERROR);
    float first = 0;
    ASSERT_EQ(addFrom(compilation, *target, &first), Result::NO_ERROR);
    EXPECT_EQ(first, 21);
    int fd = ::memfd_create("copy", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(fd, 16), 0);
    Memory file(16, PROT_READ | PROT_WRITE, fd, 0);
    Memory part(8, PROT_READ | PROT_WRITE, fd, 0);
    EXPECT_EQ(ANeuralNetworksMemory_copy(source->get(), part.get()),
              ANEURALNETWORKS_BAD_DATA);
    ASSERT_EQ(ANeuralNetworksMemory_copy(source->get(), file.get()),
              ANEURALNETWORKS_NO_ERROR);
    float values[4] = {};
    ASSERT_EQ(::pread(fd, values, 16, 0), 16);
    EXPECT_EQ(values[3], 44);
    values[0] = 100;
    ASSERT_EQ(::pwrite(fd, values, 16, 0), 16);
    ASSERT_EQ(ANeuralNetworksMemory_copy(file.get(), target->get()),
              ANEURALNETWORKS_NO_ERROR);
    ASSERT_EQ(addFrom(compilation, *target, &first), Result::NO_ERROR);
    EXPECT_EQ(first, 110);
    ::close(fd);
  }
}

} // namespace
