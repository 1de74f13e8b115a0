//===- DamagedConstantsTest.cpp - Constants that lead elsewhere -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data cache is not covered by a hash: whatever its bytes are, code stays
// within its tensors (E-044, E-049). Far indices, if code followed them, would
// end this process.
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <cstring>

namespace nnhal::rt {
namespace {

Result<CompiledModel> compileBody(std::string_view input,
                                  std::string_view output,
                                  std::string_view body) {
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<const Compiler> compiler,
                         Compiler::open());
  std::string text =
      fmt::format("nnhal.model @model attributes {{hal_version = \"1.3\"}} {{\n"
                  "  nnhal.graph @main(%x: {0}) -> {1} {{\n{2}\n"
                  "    nnhal.return %0 : {1}\n  }}\n}}\n",
                  input, output, body);
  return compiler->compileMlir(std::as_bytes(std::span(text)), "test");
}

/// Executes \p compiled with constants that are \p bytes.
void execute(const CompiledModel &compiled, std::vector<std::byte> bytes) {
  std::unique_ptr<Device> device = createCpuDevice();
  auto prepared = device->prepareModelFromArtifact(
      compiled.modelCache, Memory::adopt(std::move(bytes)));
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  Arguments arguments(**prepared);
  ExecutionResult result;
  Status status = (*prepared)->execute(arguments.request, result);
  // An error is an answer, too.
  EXPECT_TRUE(status.isOk() || status.code() == StatusCode::generalFailure)
      << status.message();
}

/// Executes the model with constants as they are and damaged in many ways.
void check(std::string_view input, std::string_view output,
           std::string_view body) {
  Result<CompiledModel> compiled = compileBody(input, output, body);
  ASSERT_TRUE(compiled.isOk()) << compiled.status().message();
  auto genuine = *compiled->dataCache.bytes();
  std::vector<std::byte> bytes(genuine.begin(), genuine.end());
  execute(*compiled, bytes);
  const int32_t words[] = {0x7fffffff, INT32_MIN,  -1,         0x10000000,
                           0x7f000000, 0x7fc00000, 0x4effffff, -8};
  for (int32_t word : words) {
    for (size_t at = 0; at + sizeof word <= bytes.size(); at += sizeof word)
      std::memcpy(bytes.data() + at, &word, sizeof word);
    execute(*compiled, bytes);
  }
}

TEST(DamagedConstantsTest, Gather) {
  for (std::string_view indices : {"[3, 1]", "[2]"}) {
    size_t count = indices.size() > 3 ? 2 : 1;
    check("tensor<4x8xf32>", fmt::format("tensor<{}x8xf32>", count),
          fmt::format(
              "    %axis = nnhal.constant_copy 0 : i32 -> i32\n"
              "    %i = nnhal.constant_copy dense<{0}> : tensor<{1}xi32> -> "
              "tensor<{1}xi32>\n"
              "    %0 = nnhal.operation \"GATHER\"(%x, %axis, %i) : "
              "(tensor<4x8xf32>, i32, tensor<{1}xi32>) -> tensor<{1}x8xf32>",
              indices, count));
  }
}

TEST(DamagedConstantsTest, EmbeddingLookup) {
  check("tensor<4x8xf32>", "tensor<1x8xf32>",
        "    %i = nnhal.constant_copy dense<[2]> : tensor<1xi32> -> "
        "tensor<1xi32>\n"
        "    %0 = nnhal.operation \"EMBEDDING_LOOKUP\"(%i, %x) : "
        "(tensor<1xi32>, tensor<4x8xf32>) -> tensor<1x8xf32>");
}

/// A region of a feature map whose box and batch are constants.
std::string roiBody(std::string_view operation, std::string_view samples,
                    std::string_view sampleTypes) {
  return fmt::format(
      "    %boxes = nnhal.constant_copy dense<[[0.0, 0.0, 3.0, 2.0]]> : "
      "tensor<1x4xf32> -> tensor<1x4xf32>\n"
      "    %batch = nnhal.constant_copy dense<[0]> : tensor<1xi32> -> "
      "tensor<1xi32>\n"
      "    %two = nnhal.constant_copy 2 : i32 -> i32\n"
      "    %none = nnhal.constant_copy 0 : i32 -> i32\n"
      "    %one = nnhal.constant_copy 1.0 : f32 -> f32\n"
      "    %nhwc = nnhal.constant_copy 0 : i8 -> i8\n"
      "    %0 = nnhal.operation \"{0}\"(%x, %boxes, %batch, %two, %two, %one, "
      "%one{1}, %nhwc) : (tensor<1x4x4x2xf32>, tensor<1x4xf32>, "
      "tensor<1xi32>, i32, i32, f32, f32{2}, i8) -> tensor<1x2x2x2xf32>",
      operation, samples, sampleTypes);
}

TEST(DamagedConstantsTest, RoiAlign) {
  check("tensor<1x4x4x2xf32>", "tensor<1x2x2x2xf32>",
        roiBody("ROI_ALIGN", ", %none, %none", ", i32, i32"));
}

TEST(DamagedConstantsTest, RoiPooling) {
  check("tensor<1x4x4x2xf32>", "tensor<1x2x2x2xf32>",
        roiBody("ROI_POOLING", "", ""));
}

} // namespace
} // namespace nnhal::rt
