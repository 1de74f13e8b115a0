//===- CompileTest.cpp - The compiler through its C table -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace nnhal::rt {
namespace {

Result<CompiledModel> compileText(const std::string &text,
                                  const CompileOptions &options = {}) {
  Result<std::shared_ptr<const Compiler>> compiler = Compiler::open();
  if (!compiler.isOk())
    return compiler.status();
  return (*compiler)->compileMlir(std::as_bytes(std::span(text)), "test",
                                  options);
}

std::string errorOf(const std::string &text,
                    const CompileOptions &options = {}) {
  Result<CompiledModel> result = compileText(text, options);
  return result.isOk() ? "" : result.status().message();
}

/// A model of one operation line.
std::string modelWith(std::string_view type, std::string_view operation) {
  return fmt::format(
      "nnhal.model @model attributes {{hal_version = \"1.3\"}} {{\n"
      "  nnhal.graph @main(%x: {0}) -> {0} {{\n    {1}\n"
      "    nnhal.return %0 : {0}\n  }}\n}}\n",
      type, operation);
}

TEST(CompileTest, executesWhatItCompiled) {
  Result<CompiledModel> compiled = compileText(addModelText());
  ASSERT_TRUE(compiled.isOk()) << compiled.status().message();
  std::unique_ptr<Device> device = createCpuDevice();
  Result<std::shared_ptr<PreparedModel>> prepared =
      device->prepareModelFromArtifact(compiled->modelCache,
                                       compiled->dataCache);
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  Arguments arguments(**prepared);
  const float input[] = {1, -2, 3.5, 0};
  std::memcpy(arguments.inputs[0].data(), input, sizeof input);
  ExecutionResult result;
  Status status = (*prepared)->execute(arguments.request, result);
  ASSERT_TRUE(status.isOk()) << status.message();
  float output[4];
  std::memcpy(output, arguments.outputs[0].data(), sizeof output);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(output[i], 2 * input[i]);
  ASSERT_EQ(result.outputShapes.size(), 1u);
  EXPECT_EQ(result.outputShapes[0].dimensions, std::vector<uint32_t>{4});
}

TEST(CompileTest, equalInputsGiveEqualArtifacts) {
  Result<CompiledModel> first = compileText(addModelText());
  Result<CompiledModel> second = compileText(addModelText());
  ASSERT_TRUE(first.isOk() && second.isOk());
  EXPECT_EQ(first->modelCache, second->modelCache);
  CompileOptions options;
  options.targetCpu = "x86-64-v3";
  Result<CompiledModel> other = compileText(addModelText(), options);
  ASSERT_TRUE(other.isOk()) << other.status().message();
  Result<Artifact> a = readModelCache(first->modelCache);
  Result<Artifact> b = readModelCache(other->modelCache);
  ASSERT_TRUE(a.isOk() && b.isOk());
  EXPECT_NE(a->contentKey, b->contentKey);
  EXPECT_EQ(b->code[0].cpu, "x86-64-v3");
}

TEST(CompileTest, compilesOnManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] { EXPECT_EQ(errorOf(addModelText()), ""); });
  for (std::thread &thread : threads)
    thread.join();
}

// The reader of an artifact cannot tell on what machine it was compiled.
TEST(CompileTest, anyNumberOfThreadsGivesTheSameArtifact) {
  std::string body;
  std::string previous = "%x";
  for (int rows = 1; rows <= 40; ++rows) {
    std::string type = fmt::format("tensor<{}x7x5x3xf32>", rows);
    std::string axis = fmt::format("%axis{}", rows);
    body += fmt::format(
        "    {0} = nnhal.constant_copy 0 : i32 -> i32\n"
        "    %t{1} = nnhal.operation \"TANH\"({2}) : ({3}) -> {3}\n"
        "    %r{1} = nnhal.operation \"CONCATENATION\"(%t{1}, %x, {0}) : ({3}, "
        "tensor<1x7x5x3xf32>, i32) -> tensor<{4}x7x5x3xf32>\n",
        axis, rows, previous, type, rows + 1);
    previous = fmt::format("%r{}", rows);
  }
  std::string text = fmt::format(
      "nnhal.model @model attributes {{hal_version = \"1.3\"}} {{\n"
      "  nnhal.graph @main(%x: tensor<1x7x5x3xf32>) -> tensor<41x7x5x3xf32> "
      "{{\n{}    nnhal.return {} : tensor<41x7x5x3xf32>\n  }}\n}}\n",
      body, previous);
  CompileOptions options;
  options.threads = 1;
  Result<CompiledModel> one = compileText(text, options);
  ASSERT_TRUE(one.isOk()) << one.status().message();
  for (uint32_t threads : {2u, 5u, 0u}) {
    options.threads = threads;
    Result<CompiledModel> many = compileText(text, options);
    ASSERT_TRUE(many.isOk()) << many.status().message();
    EXPECT_EQ(many->modelCache, one->modelCache) << threads;
  }
}

TEST(CompileTest, saysHowManyThreadsMayCompile) {
  CompileOptions options;
  options.threads = 1025;
  EXPECT_EQ(errorOf(addModelText(), options),
            "1025 compile threads exceed 1024");
}

TEST(CompileTest, crossCompiles) {
  CompileOptions options;
  options.targetTriple = "aarch64-linux-gnu";
  Result<CompiledModel> compiled = compileText(addModelText(), options);
  ASSERT_TRUE(compiled.isOk()) << compiled.status().message();
  Result<Artifact> artifact = readModelCache(compiled->modelCache);
  ASSERT_TRUE(artifact.isOk()) << artifact.status().message();
  EXPECT_EQ(artifact->code[0].target, TargetKind::aarch64Elf);
}

TEST(CompileTest, namesWhatItCannotTarget) {
  CompileOptions options;
  options.targetCpu = "pentium-mmxx";
  EXPECT_NE(errorOf(addModelText(), options)
                .find("unknown CPU 'pentium-mmxx' for target '"),
            std::string::npos);
  options = {};
  options.targetFeatures = "+avx1024";
  EXPECT_NE(errorOf(addModelText(), options)
                .find("unknown feature '+avx1024' for target '"),
            std::string::npos);
  options = {};
  options.targetTriple = "riscv64-linux-gnu";
  EXPECT_EQ(errorOf(addModelText(), options),
            "target architecture 'riscv64' is neither x86_64 nor aarch64");
  options.targetTriple = "x86_64-pc-windows-msvc";
  EXPECT_EQ(
      errorOf(addModelText(), options),
      "target triple 'x86_64-pc-windows-msvc' is not an ELF Linux target");
}

TEST(CompileTest, saysWhereTextIsWrong) {
  EXPECT_EQ(errorOf("nnhal.nothing"),
            "test:1:1: custom op 'nnhal.nothing' is unknown");
  EXPECT_EQ(errorOf("module {}"), "found 0 nnhal.model operations, expected 1");
}

TEST(CompileTest, saysWhichOperationCannotBeCompiled) {
  EXPECT_NE(errorOf(modelWith("tensor<4xf32>",
                              "%0 = nnhal.operation \"OEM_OPERATION\"(%x) "
                              ": (tensor<4xf32>) -> tensor<4xf32>"))
                .find("OEM_OPERATION"),
            std::string::npos);
  EXPECT_NE(
      errorOf(modelWith("tensor<*xf32>", "%0 = nnhal.operation \"RELU\"(%x) : "
                                         "(tensor<*xf32>) -> tensor<*xf32>"))
          .find("input 0 of type 'tensor<*xf32>' has no buffer: it must "
                "be a tensor of known rank"),
      std::string::npos);
}

} // namespace
} // namespace nnhal::rt
