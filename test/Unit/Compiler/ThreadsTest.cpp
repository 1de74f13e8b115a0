//===- ThreadsTest.cpp - Results do not depend on threads -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include "nnhal/Runtime/TFLiteModel.h"
#include "nnhal/Runtime/WorkPool.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

namespace nnhal::rt {
namespace {

float nextValue(std::minstd_rand &random) {
  return float(random() % 2001) / 1000 - 1;
}

/// A constant of \p count different floats.
std::string constant(std::string_view name, std::string_view type,
                     size_t count) {
  std::minstd_rand random(count);
  std::string bytes;
  for (size_t i = 0; i < count; ++i)
    bytes += fmt::format("{:08X}", __builtin_bswap32(std::bit_cast<uint32_t>(
                                       nextValue(random))));
  return fmt::format("    %{0} = nnhal.constant_copy dense<\"0x{1}\"> : {2} -> "
                     "{2}\n",
                     name, bytes, type);
}

/// Convolutions, a function, a sum and a resizing, each of them long enough to
/// be split.
std::string modelText() {
  std::string text = "nnhal.model @model attributes {hal_version = \"1.3\"} {\n"
                     "  nnhal.graph @main(%x: tensor<2x48x48x16xf32>) -> "
                     "tensor<2x96x96x40xf32> {\n"
                     "    %c0 = nnhal.constant_copy 0 : i32 -> i32\n"
                     "    %c1 = nnhal.constant_copy 1 : i32 -> i32\n"
                     "    %c96 = nnhal.constant_copy 96 : i32 -> i32\n";
  text += constant("w0", "tensor<40x3x3x16xf32>", 40 * 9 * 16);
  text += constant("w1", "tensor<1x3x3x40xf32>", 9 * 40);
  text += constant("w2", "tensor<40x1x1x40xf32>", 40 * 40);
  text += constant("b", "tensor<40xf32>", 40);
  return text + R"(
    %0 = nnhal.operation "CONV_2D"(%x, %w0, %b, %c1, %c1, %c1, %c0)
        : (tensor<2x48x48x16xf32>, tensor<40x3x3x16xf32>, tensor<40xf32>, i32, i32, i32, i32) -> tensor<2x48x48x40xf32>
    %1 = nnhal.operation "TANH"(%0) : (tensor<2x48x48x40xf32>) -> tensor<2x48x48x40xf32>
    %2 = nnhal.operation "DEPTHWISE_CONV_2D"(%1, %w1, %b, %c1, %c1, %c1, %c1, %c1)
        : (tensor<2x48x48x40xf32>, tensor<1x3x3x40xf32>, tensor<40xf32>, i32, i32, i32, i32, i32) -> tensor<2x48x48x40xf32>
    %3 = nnhal.operation "CONV_2D"(%2, %w2, %b, %c1, %c1, %c1, %c0)
        : (tensor<2x48x48x40xf32>, tensor<40x1x1x40xf32>, tensor<40xf32>, i32, i32, i32, i32) -> tensor<2x48x48x40xf32>
    %4 = nnhal.operation "ADD"(%1, %3, %c0) : (tensor<2x48x48x40xf32>, tensor<2x48x48x40xf32>, i32) -> tensor<2x48x48x40xf32>
    %5 = nnhal.operation "RESIZE_BILINEAR"(%4, %c96, %c96) : (tensor<2x48x48x40xf32>, i32, i32) -> tensor<2x96x96x40xf32>
    nnhal.return %5 : tensor<2x96x96x40xf32>
  }
})";
}

std::unique_ptr<Device> deviceOf(unsigned threads) {
  CpuDeviceOptions options;
  auto workers = WorkPool::create(threads);
  EXPECT_TRUE(workers.isOk()) << workers.status().message();
  options.services.workers = *std::move(workers);
  return createCpuDevice(std::move(options));
}

using Outputs = std::vector<std::vector<std::byte>>;

Outputs execute(const PreparedModel &prepared) {
  Arguments arguments(prepared);
  std::minstd_rand random(5);
  for (std::vector<std::byte> &input : arguments.inputs)
    for (size_t i = 0; i + sizeof(float) <= input.size(); i += sizeof(float)) {
      float value = nextValue(random);
      std::memcpy(input.data() + i, &value, sizeof value);
    }
  ExecutionResult result;
  Status status = prepared.execute(arguments.request, result);
  EXPECT_TRUE(status.isOk()) << status.message();
  return std::move(arguments.outputs);
}

/// What \p compiled gives with 1, 2, 3 and 7 threads is the same to the bit.
void expectSameForAnyThreads(const CompiledModel &compiled) {
  Outputs expected;
  for (unsigned threads : {1u, 2u, 3u, 7u}) {
    auto prepared = deviceOf(threads)->prepareModelFromArtifact(
        compiled.modelCache, compiled.dataCache);
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    if (expected.empty())
      expected = execute(**prepared);
    for (int i = 0; i < 5; ++i)
      ASSERT_TRUE(execute(**prepared) == expected) << threads;
  }
}

Result<std::shared_ptr<const Compiler>> openCompiler() {
  return Compiler::open();
}

TEST(ThreadsTest, resultsAreTheSameForAnyThreads) {
  auto compiler = openCompiler();
  ASSERT_TRUE(compiler.isOk()) << compiler.status().message();
  std::string text = modelText();
  auto compiled =
      (*compiler)->compileMlir(std::as_bytes(std::span(text)), "test");
  ASSERT_TRUE(compiled.isOk()) << compiled.status().message();
  expectSameForAnyThreads(*compiled);

  // Several at once: those that find the workers busy do without.
  auto prepared = deviceOf(3)->prepareModelFromArtifact(compiled->modelCache,
                                                        compiled->dataCache);
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  Outputs expected = execute(**prepared);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int run = 0; run < 5; ++run)
        EXPECT_TRUE(execute(**prepared) == expected);
    });
  for (std::thread &thread : threads)
    thread.join();
  MemoryUse memory = (*prepared)->memoryUse();
  EXPECT_GT(memory.arenaLowerBound, 0u);
  EXPECT_GE(memory.arena, memory.arenaLowerBound);
  EXPECT_EQ(memory.artifact,
            compiled->modelCache.size() + compiled->dataCache.size());
}

TEST(ThreadsTest, resultsOfRealModelsAreTheSame) {
  std::string path = NNHAL_SHARED_DATA "/models/mp_hand_landmark_lite.tflite";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "no " << path;
  auto file = Memory::readFile(path);
  ASSERT_TRUE(file.isOk()) << file.status().message();
  auto model = importTFLite(*file, {});
  ASSERT_TRUE(model.isOk()) << model.status().message();
  auto compiler = openCompiler();
  ASSERT_TRUE(compiler.isOk()) << compiler.status().message();
  auto compiled = (*compiler)->compileModel(*model);
  ASSERT_TRUE(compiled.isOk()) << compiled.status().message();
  expectSameForAnyThreads(*compiled);
}

} // namespace
} // namespace nnhal::rt
