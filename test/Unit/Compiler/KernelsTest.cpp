//===- KernelsTest.cpp - Kernels of earlier compilations ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <map>
#include <mutex>

namespace nnhal::rt {
namespace {

/// Two convolutions, the second with \p channels output channels, whose filters
/// are filled with \p weight.
std::string modelOf(unsigned channels, float weight) {
  return fmt::format(
      R"(nnhal.model @model attributes {{hal_version = "1.3"}} {{
  nnhal.graph @main(%x: tensor<1x48x48x16xf32>) -> tensor<1x48x48x{0}xf32> {{
    %c0 = nnhal.constant_copy 0 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %v = nnhal.constant_copy dense<{1:f}> : tensor<16x3x3x16xf32> -> tensor<16x3x3x16xf32>
    %w = nnhal.constant_copy dense<{1:f}> : tensor<{0}x3x3x16xf32> -> tensor<{0}x3x3x16xf32>
    %a = nnhal.constant_copy dense<{1:f}> : tensor<16xf32> -> tensor<16xf32>
    %b = nnhal.constant_copy dense<{1:f}> : tensor<{0}xf32> -> tensor<{0}xf32>
    %0 = nnhal.operation "CONV_2D"(%x, %v, %a, %c1, %c1, %c1, %c0)
        : (tensor<1x48x48x16xf32>, tensor<16x3x3x16xf32>, tensor<16xf32>, i32, i32, i32, i32) -> tensor<1x48x48x16xf32>
    %1 = nnhal.operation "CONV_2D"(%0, %w, %b, %c1, %c1, %c1, %c0)
        : (tensor<1x48x48x16xf32>, tensor<{0}x3x3x16xf32>, tensor<{0}xf32>, i32, i32, i32, i32) -> tensor<1x48x48x{0}xf32>
    nnhal.return %1 : tensor<1x48x48x{0}xf32>
  }}
}}
)",
      channels, weight);
}

class KernelsTest : public testing::Test {
protected:
  /// The model cache of \p text, compiled beside the kernels that there are.
  std::vector<std::byte> compile(const std::string &text) {
    found = kept = keptRecords = 0;
    CompileObserver observer;
    observer.findKernel = [this](std::string_view key,
                                 std::vector<std::byte> &object) {
      std::lock_guard lock(mutex);
      auto known = kernels.find(std::string(key));
      if (known == kernels.end())
        return false;
      object = known->second;
      found += !isRecord(key);
      return true;
    };
    observer.keepKernel = [this](std::string_view key,
                                 std::span<const std::byte> object) {
      std::lock_guard lock(mutex);
      kernels[std::string(key)].assign(object.begin(), object.end());
      ++(isRecord(key) ? keptRecords : kept);
    };
    return compile(text, observer);
  }
  static std::vector<std::byte> compile(const std::string &text,
                                        const CompileObserver &observer) {
    auto compiler = Compiler::open(NNHAL_COMPILER_LIBRARY);
    EXPECT_TRUE(compiler.isOk()) << compiler.status().message();
    CompileOptions options;
    options.targetCpu = "x86-64-v3";
    options.targetTriple = "x86_64-linux-gnu";
    auto compiled = (*compiler)->compileMlir(std::as_bytes(std::span(text)),
                                             "test", options, observer);
    EXPECT_TRUE(compiled.isOk()) << compiled.status().message();
    return compiled.isOk() ? compiled->modelCache : std::vector<std::byte>();
  }

  static bool isRecord(std::string_view key) {
    return key.starts_with(operationKeyPrefix);
  }

  std::mutex mutex;
  std::map<std::string, std::vector<std::byte>> kernels;
  unsigned found = 0;
  unsigned kept = 0;
  /// Operations that were lowered anew.
  unsigned keptRecords = 0;
};

TEST_F(KernelsTest, ArtifactsAreTheSame) {
  std::string text = modelOf(16, 0.5f);
  std::vector<std::byte> alone = compile(text, {});
  EXPECT_EQ(compile(text), alone);
  EXPECT_EQ(found, 0u);
  unsigned all = kept;
  EXPECT_GE(all, 1u);
  // The two convolutions are equal.
  EXPECT_EQ(keptRecords, 1u);
  EXPECT_EQ(kernels.size(), all + keptRecords);
  EXPECT_EQ(compile(text), alone);
  EXPECT_EQ(found, all);
  EXPECT_EQ(kept, 0u);
  EXPECT_EQ(keptRecords, 0u);
  // With some of the kernels, whichever: digests come before the records.
  ASSERT_FALSE(isRecord(kernels.begin()->first));
  kernels.erase(kernels.begin());
  EXPECT_EQ(compile(text), alone);
  EXPECT_EQ(found, all - 1);
  EXPECT_EQ(kept, 1u);
  EXPECT_EQ(keptRecords, 1u);
}

TEST_F(KernelsTest, OperationsAreFoundByThemselves) {
  std::string text = modelOf(32, 0.5f);
  std::vector<std::byte> alone = compile(text);
  // A kernel is found by its content, too, where no record tells of it.
  std::erase_if(kernels, [](auto &entry) { return isRecord(entry.first); });
  EXPECT_EQ(compile(text), alone);
  EXPECT_EQ(kept, 0u);
  EXPECT_EQ(keptRecords, 2u);
}

TEST_F(KernelsTest, RecordsOfOtherOperationsAreRefused) {
  std::string text = modelOf(32, 0.5f);
  std::vector<std::byte> alone = compile(text);
  auto intact = kernels;
  std::vector<std::vector<std::byte> *> records;
  for (auto &[key, object] : kernels)
    if (isRecord(key))
      records.push_back(&object);
  ASSERT_EQ(records.size(), 2u);
  std::swap(*records[0], *records[1]);
  EXPECT_EQ(compile(text), alone);
  EXPECT_EQ(keptRecords, 2u);
  EXPECT_EQ(kernels, intact);
}

TEST_F(KernelsTest, OtherModelsShareThem) {
  std::string first = modelOf(16, 0.5f);
  std::string second = modelOf(32, 0.25f);
  (void)compile(first);
  unsigned all = kept;
  EXPECT_EQ(compile(second), compile(second, {}));
  EXPECT_GE(found, 1u);
  EXPECT_GE(kept, 1u);
  // Weights are no part of a kernel.
  (void)compile(modelOf(16, 0.25f));
  EXPECT_EQ(found, all);
  EXPECT_EQ(kept, 0u);
}

TEST_F(KernelsTest, WhatIsNoObjectIsCompiledAgain) {
  std::string text = modelOf(16, 0.5f);
  std::vector<std::byte> alone = compile(text);
  ASSERT_FALSE(kernels.empty());
  auto intact = kernels;
  const std::byte other = std::byte(0x5a);
  for (auto &[key, object] : kernels)
    object.assign(100, other);
  EXPECT_EQ(compile(text), alone);
  EXPECT_EQ(kernels, intact);
  for (auto &[key, object] : kernels)
    object.resize(object.size() / 2);
  EXPECT_EQ(compile(text), alone);
  EXPECT_EQ(kernels, intact);
  for (auto &[key, object] : kernels)
    object.clear();
  EXPECT_EQ(compile(text), alone);
  EXPECT_EQ(kernels, intact);
}

TEST_F(KernelsTest, MachinesHaveTheirOwn) {
  std::string text = modelOf(16, 0.5f);
  (void)compile(text);
  auto compiler = Compiler::open(NNHAL_COMPILER_LIBRARY);
  ASSERT_TRUE(compiler.isOk());
  CompileOptions options;
  options.targetCpu = "x86-64-v2";
  options.targetTriple = "x86_64-linux-gnu";
  CompileObserver observer;
  observer.findKernel = [this](std::string_view key, std::vector<std::byte> &) {
    EXPECT_FALSE(kernels.contains(std::string(key)));
    return false;
  };
  auto compiled = (*compiler)->compileMlir(std::as_bytes(std::span(text)),
                                           "test", options, observer);
  EXPECT_TRUE(compiled.isOk()) << compiled.status().message();
}

} // namespace
} // namespace nnhal::rt
