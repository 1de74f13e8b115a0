//===- SpirvModuleTest.cpp - Tests of the words of kernels ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target/GPU/SpirvModule.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace nnhal;

namespace {

constexpr llvm::StringLiteral text = R"(
spirv.module Logical GLSL450
    requires #spirv.vce<v1.6, [Shader, Int8, Float64, StorageBuffer8BitAccess], []> {
  spirv.func @kernel() "None" {
    %0 = spirv.Constant 1.0 : f64
    %1 = spirv.FAdd %0, %0 {DECORATION} : f64
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @kernel
  spirv.ExecutionMode @kernel "LocalSize", 8, 1, 1
})";

class SpirvModule : public ::testing::Test {
protected:
  OwningOpRef<spirv::ModuleOp> parse(llvm::StringRef decoration) {
    std::string source = text.str();
    source.replace(source.find("DECORATION"), 10, decoration.str());
    context.loadDialect<spirv::SPIRVDialect>();
    return parseSourceString<spirv::ModuleOp>(source, &context);
  }

  MLIRContext context;
};

TEST_F(SpirvModule, FeaturesAreTheCapabilitiesInOrder) {
  OwningOpRef<spirv::ModuleOp> module = parse("no_contraction");
  ASSERT_TRUE(module);
  EXPECT_EQ(featuresOf(*module),
            "+Float64,+Int8,+Shader,+StorageBuffer8BitAccess");
}

TEST_F(SpirvModule, WordsHaveDecorationsAndNoNames) {
  OwningOpRef<spirv::ModuleOp> module = parse("no_contraction");
  ASSERT_TRUE(module);
  FailureOr<SmallVector<uint32_t>> words = serializeKernels(*module);
  ASSERT_TRUE(succeeded(words));
  ASSERT_GT(words->size(), 5U);
  EXPECT_EQ((*words)[0], 0x07230203U);
  EXPECT_EQ((*words)[1], 0x00010600U);
  bool isDecorated = false;
  for (size_t at = 5; at < words->size(); at += (*words)[at] >> 16) {
    ASSERT_NE((*words)[at] >> 16, 0U);
    uint32_t instruction = (*words)[at] & 0xffff;
    EXPECT_NE(instruction, 5U) << "OpName";
    EXPECT_NE(instruction, 8U) << "OpLine";
    // OpDecorate NoContraction.
    isDecorated |= instruction == 71 && (*words)[at + 2] == 42;
  }
  EXPECT_TRUE(isDecorated);
}

TEST_F(SpirvModule, AnUnknownDecorationIsAnError) {
  OwningOpRef<spirv::ModuleOp> module = parse("no_such_thing");
  ASSERT_TRUE(module);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(serializeKernels(*module)));
  EXPECT_NE(message.find("no_such_thing"), std::string::npos) << message;
}

} // namespace
