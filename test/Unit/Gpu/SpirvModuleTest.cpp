//===- SpirvModuleTest.cpp - Modules that drivers do not get to see -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

#include "Runtime/Devices/Gpu/Vulkan/SpirvModule.h"
#include "Runtime/Devices/Gpu/Vulkan/SpirvTypes.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

using Words = std::vector<uint32_t>;

constexpr vulkan::Features allFeatures = {true, true, true, true, true,
                                          true, true, true, true, true,
                                          true, true, true, true};

Words goodModule() {
  Words words(kernelModule().size() / sizeof(uint32_t));
  std::memcpy(words.data(), kernelModule().data(), kernelModule().size());
  return words;
}

Status check(const Words &words, GpuProgram program = scaleProgram(),
             const vulkan::Features &features = allFeatures) {
  program.module = std::as_bytes(std::span(words));
  return vulkan::checkSpirv(program, features).status();
}

/// The message about what \p change makes of the module of the tests.
std::string messageOf(const std::function<void(Words &)> &change) {
  Words words = goodModule();
  change(words);
  Status status = check(words);
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  return status.message();
}

/// The place of the first instruction \p opcode whose operand \p position is
/// \p value.
size_t find(const Words &words, uint32_t opcode, size_t position = 0,
            std::optional<uint32_t> value = {}) {
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xFFFF) == opcode &&
        (!value || words[at + 1 + position] == *value))
      return at;
  ADD_FAILURE() << "no instruction " << opcode;
  return 5;
}

/// Makes the first instruction of \p words the one of \p opcode and
/// \p operands.
void insert(Words &words, uint32_t opcode, const Words &operands) {
  words.insert(words.begin() + 5, uint32_t(operands.size() + 1) << 16 | opcode);
  words.insert(words.begin() + 6, operands.begin(), operands.end());
}

/// Makes the first instruction of the first function of \p words the one of
/// \p opcode and \p operands.
void insertInFunction(Words &words, uint32_t opcode, const Words &operands) {
  size_t at = find(words, 54);
  at += words[at] >> 16;
  words.insert(words.begin() + at,
               uint32_t(operands.size() + 1) << 16 | opcode);
  words.insert(words.begin() + at + 1, operands.begin(), operands.end());
}

Words textOf(const char *text) {
  Words words(std::strlen(text) / sizeof(uint32_t) + 1);
  std::memcpy(words.data(), text, std::strlen(text));
  return words;
}

TEST(SpirvModuleTest, TakesKernels) {
  Status status = check(goodModule());
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST(SpirvModuleTest, RefusesHeaders) {
  EXPECT_EQ(messageOf([](Words &words) { words[0] = 1; }),
            "the module of kernels does not begin like SPIR-V");
  EXPECT_EQ(messageOf([](Words &words) { words.resize(4); }),
            "the module of kernels does not begin like SPIR-V");
  EXPECT_EQ(messageOf([](Words &words) { words[1] = 0x10300; }),
            "the module has SPIR-V version 0x10300, not 0x10400 to 0x10600");
  EXPECT_EQ(messageOf([](Words &words) { words[3] = 0; }),
            "the SPIR-V module states 0 identifiers and schema 0, not 1 to "
            "4194304 and 0");
}

TEST(SpirvModuleTest, RefusesBrokenInstructions) {
  size_t left = goodModule().size() - 5;
  EXPECT_EQ(messageOf([](Words &words) { words[5] &= 0xFFFF; }),
            fmt::format("the instruction at word 5 of the SPIR-V module has 0 "
                        "words, {} are left",
                        left));
  EXPECT_EQ(messageOf([](Words &words) { words[5] |= 0xFFFF0000; }),
            fmt::format("the instruction at word 5 of the SPIR-V module has "
                        "65535 words, {} are left",
                        left));
  EXPECT_EQ(messageOf([](Words &words) { insert(words, 17, {}); }),
            "a capability of the SPIR-V module has 0 operands, 1 are needed");
  EXPECT_EQ(messageOf([](Words &words) {
              insert(words, 10, {0x41414141, 0x41414141});
            }),
            "a string of the SPIR-V module does not end within 2 words");
}

TEST(SpirvModuleTest, RefusesCapabilities) {
  // Groups, and VulkanMemoryModelDeviceScope.
  for (uint32_t capability : {18u, 5346u})
    EXPECT_EQ(
        messageOf([&](Words &words) { insert(words, 17, {capability}); }),
        fmt::format("the SPIR-V module needs capability {}, which kernels may "
                    "not use",
                    capability));
  for (auto [capability, name] :
       {std::pair(9u, "Float16"), std::pair(10u, "Float64"),
        std::pair(11u, "Int64"), std::pair(22u, "Int16"),
        std::pair(39u, "Int8"), std::pair(61u, "GroupNonUniform"),
        std::pair(4433u, "StorageBuffer16BitAccess"),
        std::pair(4434u, "UniformAndStorageBuffer16BitAccess"),
        std::pair(4448u, "StorageBuffer8BitAccess"),
        std::pair(4449u, "UniformAndStorageBuffer8BitAccess"),
        std::pair(5345u, "VulkanMemoryModel"),
        std::pair(6018u, "DotProductInput4x8BitPacked"),
        std::pair(6019u, "DotProduct"),
        std::pair(6022u, "CooperativeMatrixKHR")}) {
    Words words = goodModule();
    insert(words, 17, {capability});
    EXPECT_TRUE(check(words).isOk()) << capability;
    Status status = check(words, scaleProgram(), {});
    EXPECT_EQ(status.code(), StatusCode::deviceUnavailable);
    EXPECT_EQ(status.message(),
              fmt::format("the SPIR-V module needs capability {} ({}), which "
                          "the GPU does not have",
                          capability, name));
  }
  EXPECT_EQ(messageOf([](Words &words) {
              insert(words, 10, textOf("SPV_KHR_ray_query"));
            }),
            "the SPIR-V module needs the extension 'SPV_KHR_ray_query', which "
            "kernels may not use");
  EXPECT_EQ(messageOf([](Words &words) {
              Words operands = textOf("OpenCL.std");
              operands.insert(operands.begin(), 1);
              insert(words, 11, operands);
            }),
            "the SPIR-V module imports 'OpenCL.std', not GLSL.std.450");
}

TEST(SpirvModuleTest, RefusesModels) {
  EXPECT_EQ(messageOf([](Words &words) { words[find(words, 14) + 2] = 2; }),
            "the SPIR-V module has addressing 0 and memory model 2, not 0 and "
            "1 or 3");
  EXPECT_EQ(messageOf([](Words &words) { words[find(words, 15) + 1] = 4; }),
            "an entry point of the SPIR-V module has execution model 4, not 5");
  EXPECT_EQ(messageOf([](Words &words) { insert(words, 331, {1, 38}); }),
            "the SPIR-V module has an execution mode with identifiers");
  EXPECT_EQ(messageOf([](Words &words) { insert(words, 71, {1, 11, 25}); }),
            "the SPIR-V module has a constant for the size of workgroups");
  // PushConstant.
  EXPECT_EQ(messageOf([](Words &words) { words[find(words, 59) + 3] = 9; }),
            "a variable of the SPIR-V module has storage class 9, which "
            "kernels may not use");
}

// A device may have the memory model of Vulkan and not have it turned on.
TEST(SpirvModuleTest, MemoryModelNeedsItsCapability) {
  auto useVulkanModel = [](Words &words) { words[find(words, 14) + 2] = 3; };
  EXPECT_EQ(messageOf(useVulkanModel),
            "the SPIR-V module has memory model 3 without capability 5345");
  Words words = goodModule();
  useVulkanModel(words);
  insert(words, 17, {5345});
  Status status = check(words);
  EXPECT_TRUE(status.isOk()) << status.message();
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

using Instruction = std::pair<uint32_t, Words>;

/// The numbers of types; 0 is the variable's.
constexpr uint32_t typeId(uint32_t index) { return 900 + index; }
constexpr uint32_t constantId(uint32_t index) { return 950 + index; }
constexpr uint32_t pointerId = 980, variableId = 981;

/// The needs of kernels the first of which shares a variable of the type
/// typeId(0), the last one of \p types.
Result<std::vector<vulkan::KernelNeeds>>
needsFor(std::vector<Instruction> types) {
  Words words = goodModule();
  size_t entry = find(words, 15);
  words.insert(words.begin() + entry + (words[entry] >> 16), variableId);
  words[entry] += 1 << 16;
  types.push_back({32, {pointerId, 4, typeId(0)}});
  types.push_back({59, {pointerId, variableId, 4}});
  for (auto each = types.rbegin(); each != types.rend(); ++each)
    insert(words, each->first, each->second);
  GpuProgram program = scaleProgram();
  program.module = std::as_bytes(std::span(words));
  return vulkan::checkSpirv(program, allFeatures);
}

uint64_t sharedBytesOf(const std::vector<Instruction> &types) {
  auto needs = needsFor(types);
  EXPECT_TRUE(needs.isOk()) << needs.status().message();
  return needs.isOk() ? needs->front().sharedBytes : 0;
}

const Instruction byteType = {21, {typeId(1), 8, 0}};
const Instruction floatType = {22, {typeId(2), 32}};
const Instruction tripleType = {23, {typeId(3), typeId(2), 3}};
const Instruction five = {43, {typeId(2), constantId(5), 5}};

TEST(SpirvModuleTest, SharedMemory) {
  EXPECT_EQ(sharedBytesOf({{20, {typeId(0)}}}), 4u); // A bool.
  EXPECT_EQ(sharedBytesOf({{22, {typeId(0), 64}}}), 8u);
  EXPECT_EQ(sharedBytesOf({floatType, {23, {typeId(0), typeId(2), 2}}}), 8u);
  EXPECT_EQ(sharedBytesOf(
                {floatType, five, {28, {typeId(0), typeId(2), constantId(5)}}}),
            20u);
  // Three elements have the alignment of four.
  EXPECT_EQ(sharedBytesOf({floatType,
                           tripleType,
                           five,
                           {28, {typeId(0), typeId(3), constantId(5)}}}),
            80u);
  // A matrix is an array of its columns.
  EXPECT_EQ(
      sharedBytesOf({floatType, tripleType, {24, {typeId(0), typeId(3), 4}}}),
      64u);
  // A byte, three of padding, a float, a byte, and three of padding.
  EXPECT_EQ(sharedBytesOf({byteType,
                           floatType,
                           {30, {typeId(0), typeId(1), typeId(2), typeId(1)}}}),
            12u);
}

TEST(SpirvModuleTest, SharedMemoryIsNotUnderestimated) {
  // The lengths 2^32 + 5, of 64 bits, and 2^31, of four bytes each.
  EXPECT_EQ(sharedBytesOf({byteType,
                           {43, {typeId(4), constantId(5), 5, 1}},
                           {28, {typeId(0), typeId(1), constantId(5)}}}),
            vulkan::SpirvTypes::mostBytes);
  EXPECT_EQ(sharedBytesOf({floatType,
                           {43, {typeId(4), constantId(5), 1u << 31}},
                           {28, {typeId(0), typeId(2), constantId(5)}}}),
            vulkan::SpirvTypes::mostBytes);
}

TEST(SpirvModuleTest, RefusesSharedMemoryOfUnknownSize) {
  const Instruction array = {28, {typeId(0), typeId(2), constantId(5)}};
  const Instruction inner = {28, {typeId(4), typeId(2), constantId(5)}};
  const Instruction sized = {50, {typeId(2), constantId(5), 5}};
  const Instruction computed = {
      52, {typeId(2), constantId(5), 128, constantId(6), constantId(7)}};
  const std::vector<std::vector<Instruction>> modules = {
      // A length that is a specialization constant, or computed of some.
      {floatType, sized, array},
      {floatType, computed, array},
      // An array of elements of unknown size, and structures with one.
      {floatType,
       sized,
       inner,
       {43, {typeId(2), constantId(8), 5}},
       {28, {typeId(0), typeId(4), constantId(8)}}},
      {floatType, sized, inner, {30, {typeId(0), typeId(2), typeId(4)}}},
      // No elements, an array without a length, and no type at all.
      {floatType, {43, {typeId(2), constantId(5), 0}}, array},
      {floatType, {29, {typeId(0), typeId(2)}}},
      {{30, {typeId(0)}}},
      {},
      // Widths and counts that SPIR-V does not have.
      {{21, {typeId(0), 1, 0}}},
      {floatType, {23, {typeId(0), typeId(2), 5}}},
      {floatType, five, inner, {23, {typeId(0), typeId(4), 4}}}};
  for (const std::vector<Instruction> &types : modules) {
    Status status = needsFor(types).status();
    EXPECT_EQ(status.code(), StatusCode::invalidArgument);
    EXPECT_EQ(status.message(),
              "variable 981 of the SPIR-V module, which a workgroup shares, "
              "has type 980 of unknown size");
  }
}

// A shared variable that no entry point names would not be counted.
TEST(SpirvModuleTest, SharedVariablesAreNamed) {
  auto with = [](uint32_t opcode, const Words &operands) {
    Words words = goodModule();
    insert(words, 59, {pointerId, variableId, 4});
    insert(words, 32, {pointerId, 4, typeId(2)});
    insert(words, floatType.first, floatType.second);
    insertInFunction(words, opcode, operands);
    return words;
  };
  const std::string message = "entry point 'scale' uses variable 981, which a "
                              "workgroup shares, without naming it";
  // Loads, stores, both sides of copies, and access chains.
  EXPECT_EQ(check(with(61, {1, 990, variableId})).message(), message);
  EXPECT_EQ(check(with(62, {variableId, 1})).message(), message);
  EXPECT_EQ(check(with(63, {1, variableId})).message(), message);
  EXPECT_EQ(check(with(63, {variableId, 1})).message(), message);
  EXPECT_EQ(check(with(65, {1, 990, variableId, 1})).message(), message);
  EXPECT_EQ(check(with(66, {1, 990, variableId, 1})).message(), message);
  EXPECT_EQ(check(with(83, {1, 990, variableId})).message(), message);
  // Atomic operations, and loads and stores of matrices.
  EXPECT_EQ(check(with(227, {1, 990, variableId, 1, 1})).message(), message);
  EXPECT_EQ(check(with(228, {variableId, 1, 1, 1})).message(), message);
  EXPECT_EQ(check(with(234, {1, 990, variableId, 1, 1, 1})).message(), message);
  EXPECT_EQ(check(with(4457, {1, 990, variableId, 1})).message(), message);
  EXPECT_EQ(check(with(4458, {variableId, 1, 1})).message(), message);
  // An argument of a call.
  EXPECT_EQ(check(with(57, {1, 990, 991, variableId})).message(), message);
  // The number 981 as a literal, and as a value that is stored.
  EXPECT_TRUE(check(with(61, {1, 990, 991, variableId})).isOk());
  EXPECT_TRUE(check(with(62, {990})).isOk());
  EXPECT_TRUE(check(with(57, {1, 990})).isOk());
}

// A function that the entry point calls shares the variable, and calls itself.
TEST(SpirvModuleTest, SharedVariablesOfCalledFunctionsAreNamed) {
  Words words = goodModule();
  insert(words, 59, {pointerId, variableId, 4});
  insert(words, 32, {pointerId, 4, typeId(2)});
  insert(words, floatType.first, floatType.second);
  insertInFunction(words, 57, {1, 990, 995});
  const Words function = {5u << 16 | 54, 1, 995, 0,          1, //
                          4u << 16 | 57, 1, 996, 995,           //
                          4u << 16 | 61, 1, 997, variableId, 1u << 16 | 56};
  words.insert(words.end(), function.begin(), function.end());
  EXPECT_EQ(check(words).message(),
            "entry point 'scale' uses variable 981, which a workgroup shares, "
            "without naming it");
  size_t entry = find(words, 15);
  words.insert(words.begin() + entry + (words[entry] >> 16), variableId);
  words[entry] += 1 << 16;
  Status status = check(words);
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(messageOf([](Words &words) { insert(words, 54, {1, 995, 0}); }),
            "a function of the SPIR-V module has 3 operands, 4 are needed");
}

// Matrices are of 16 x 16, and of bytes where the device multiplies those.
TEST(SpirvModuleTest, Matrices) {
  constexpr uint32_t scope = 900, side = 901, other = 902, byte = 903;
  auto withMatrix = [&](uint32_t rows, uint32_t columns) {
    Words words = goodModule();
    insert(words, 4456, {904, byte, scope, rows, columns, 0});
    insert(words, 43, {1, scope, 3});
    insert(words, 43, {1, side, 16});
    insert(words, 43, {1, other, 8});
    insert(words, 21, {byte, 8, 1});
    insert(words, 17, {6022});
    return words;
  };
  EXPECT_TRUE(check(withMatrix(side, side)).isOk());
  EXPECT_EQ(check(withMatrix(side, other)).message(),
            "the SPIR-V module has matrices of 16 x 8, kernels have those of "
            "16 x 16");
  // An identifier that is no constant.
  EXPECT_EQ(check(withMatrix(byte, side)).message(),
            "the SPIR-V module has matrices of 0 x 16, kernels have those of "
            "16 x 16");
  vulkan::Features features = allFeatures;
  features.byteMatrices = false;
  Status status = check(withMatrix(side, side), scaleProgram(), features);
  EXPECT_EQ(status.code(), StatusCode::deviceUnavailable);
  EXPECT_EQ(status.message(), "the SPIR-V module has matrices of bytes, which "
                              "the GPU does not multiply");
  EXPECT_EQ(messageOf([](Words &words) {
              insert(words, 4456, {1, 2});
              insert(words, 17, {6022});
            }),
            "a type of matrices of the SPIR-V module has 2 operands, 6 are "
            "needed");
}

// A device may lack a feature that a module uses and does not state.
TEST(SpirvModuleTest, MatricesAndSubgroupsNeedCapabilities) {
  EXPECT_EQ(messageOf([](Words &words) {
              insert(words, 4456, {904, 903, 900, 901, 901, 0});
            }),
            "the SPIR-V module has matrices without capability 6022");
  for (uint32_t builtIn : {36u, 38u, 40u, 41u}) {
    auto decorate = [&](Words &words) { insert(words, 71, {1, 11, builtIn}); };
    EXPECT_EQ(messageOf(decorate),
              "the SPIR-V module has numbers of subgroups without capability "
              "61");
    Words words = goodModule();
    decorate(words);
    insert(words, 17, {61});
    EXPECT_TRUE(check(words).isOk());
  }
  // OpGroupNonUniformElect.
  EXPECT_EQ(messageOf([](Words &words) {
              insertInFunction(words, 333, {1, 990, 3});
            }),
            "the SPIR-V module has instructions of subgroups without "
            "capability 61");
}

TEST(SpirvModuleTest, RefusesBrokenTypes) {
  for (auto [opcode, text, needed] : {std::tuple(21u, "a type of numbers", 2),
                                      std::tuple(23u, "a type of vectors", 3),
                                      std::tuple(24u, "a type of columns", 3),
                                      std::tuple(28u, "a type of arrays", 3),
                                      std::tuple(32u, "a type of pointers", 3),
                                      std::tuple(43u, "a constant", 3)})
    EXPECT_EQ(
        messageOf([&](Words &words) { insert(words, opcode, {1}); }),
        fmt::format("{} of the SPIR-V module has 1 operands, {} are needed",
                    text, needed));
  EXPECT_EQ(messageOf([](Words &words) { insert(words, 20, {}); }),
            "a type of truth values of the SPIR-V module has 0 operands, 1 are "
            "needed");
  EXPECT_EQ(messageOf([](Words &words) { insert(words, 30, {}); }),
            "a type of structures of the SPIR-V module has 0 operands, 1 are "
            "needed");
}

TEST(SpirvModuleTest, RefusesOtherKernels) {
  GpuProgram program = scaleProgram();
  program.kernels[0].workgroupSize = 32;
  EXPECT_EQ(check(goodModule(), program).message(),
            "entry point 'scale' has workgroups of 64 x 1 x 1, its kernel of "
            "32 x 1 x 1");
  program = scaleProgram();
  program.kernels[0].name = "other";
  EXPECT_EQ(check(goodModule(), program).message(),
            "the SPIR-V module has no entry point 'other'");
  program.kernels.pop_back();
  EXPECT_EQ(check(goodModule(), program).message(),
            "the SPIR-V module has 3 entry points, the program 2 kernels");
  EXPECT_EQ(messageOf([](Words &words) {
              size_t at = find(words, 15);
              Words twice(words.begin() + at + 1,
                          words.begin() + at + (words[at] >> 16));
              insert(words, 15, twice);
            }),
            "the SPIR-V module has two entry points 'scale'");
}

TEST(SpirvModuleTest, RefusesBindings) {
  GpuProgram program = scaleProgram();
  program.kernels[1].isWritten.pop_back();
  EXPECT_EQ(check(goodModule(), program).message(),
            "entry point 'check' uses binding 1, its kernel has 1");
  EXPECT_EQ(
      messageOf([](Words &words) { words[find(words, 71, 1, 34) + 3] = 1; }),
      "the SPIR-V module uses descriptor set 1, not 0");
  std::string message = messageOf([](Words &words) {
    words[find(words, 71, 1, 33) + 2] = 24; // NonWritable
  });
  EXPECT_EQ(message.find("entry point 'scale' uses storage buffer "), 0u);
  EXPECT_NE(message.find(" without a binding"), std::string::npos);
}

} // namespace
