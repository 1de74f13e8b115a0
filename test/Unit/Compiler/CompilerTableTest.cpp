//===- CompilerTableTest.cpp - The exported table and older callers -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"
#include "Runtime/CompilerClient/CompilerApi.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <dlfcn.h>

namespace nnhal::rt {
namespace {

/// Calls the compiler as a runtime of another version may.
class CompilerTableTest : public testing::Test {
protected:
  void SetUp() override {
    void *library = dlopen(NNHAL_COMPILER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    auto getApi = reinterpret_cast<NNHalGetCompilerApiFunction>(
        dlsym(library, NNHAL_GET_COMPILER_API_SYMBOL));
    ASSERT_NE(getApi, nullptr);
    EXPECT_EQ(getApi(NNHAL_COMPILER_API_MAJOR + 1), nullptr);
    api = getApi(NNHAL_COMPILER_API_MAJOR);
    options.structSize = sizeof(options);
    sinks.structSize = sizeof(sinks);
    sinks.context = this;
    sinks.artifact = [](void *, NNHalBytes, NNHalBytes) {
      ADD_FAILURE() << "nothing can have been compiled";
    };
    sinks.diagnostic = [](void *context, uint32_t isError, NNHalString text) {
      EXPECT_TRUE(isError);
      static_cast<CompilerTableTest *>(context)->said.assign(text.data,
                                                             text.size);
    };
    sinks.progress = [](void *, NNHalString, uint32_t, uint32_t) {};
    model.structSize = sizeof(model);
  }

  std::string errorOfModel() {
    EXPECT_EQ(api->compileModel(&model, &options, &sinks),
              int32_t(StatusCode::invalidArgument));
    return said;
  }

  const NNHalCompilerApi *api = nullptr;
  NNHalCompileOptions options = {};
  NNHalCompileSinks sinks = {};
  NNHalModelView model = {};
  std::string said;
};

TEST_F(CompilerTableTest, refusesOlderOptions) {
  options.structSize = 8;
  sinks.structSize = 16;
  EXPECT_EQ(errorOfModel(),
            fmt::format("options of 8 and sinks of 16 bytes are older than the "
                        "{} and {} bytes that this compiler reads",
                        offsetof(NNHalCompileOptions, threads),
                        offsetof(NNHalCompileSinks, isCancelled)));
}

TEST_F(CompilerTableTest, refusesOlderModels) {
  model.structSize = 24;
  EXPECT_EQ(errorOfModel(),
            fmt::format("model view of 24 bytes is older than the {} bytes "
                        "that this compiler reads",
                        sizeof(NNHalModelView)));
}

TEST_F(CompilerTableTest, refusesUnknownTargets) {
  const std::string text = "module {}";
  const std::string name = "abacus";
  auto compile = [&] {
    EXPECT_EQ(api->compileMlir({text.data(), text.size()},
                               {name.data(), name.size()}, &options, &sinks),
              int32_t(StatusCode::invalidArgument));
    return said;
  };
  options.target = {name.data(), name.size()};
  EXPECT_EQ(compile().find("there is no target 'abacus': the targets are"), 0u)
      << said;
  // A caller that knows no targets has something else behind its options.
  options.structSize = offsetof(NNHalCompileOptions, target);
  EXPECT_EQ(compile(), "found 0 nnhal.model operations, expected 1");
}

TEST_F(CompilerTableTest, olderCallersHaveNoKernels) {
  const std::string text = addModelText();
  const std::string name = "test";
  sinks.artifact = [](void *, NNHalBytes, NNHalBytes) {};
  sinks.findKernel = [](void *, NNHalString, void *,
                        void (*)(void *, NNHalBytes)) {
    ADD_FAILURE() << "a caller of minor version 5 has something else here";
  };
  sinks.structSize = offsetof(NNHalCompileSinks, findKernel);
  EXPECT_EQ(api->compileMlir({text.data(), text.size()},
                             {name.data(), name.size()}, &options, &sinks),
            0)
      << said;
}

TEST_F(CompilerTableTest, refusesUnknownValues) {
  model.halVersion = 4;
  EXPECT_EQ(errorOfModel(), "HAL version index 4 exceeds 3");
  options.rounding = 3;
  EXPECT_EQ(errorOfModel(), "rounding 3 exceeds 2");
  options.rounding = 0;
  options.constantsOffset = 32;
  EXPECT_EQ(errorOfModel().find("constants offset 32 is no multiple of 64"),
            0u);
}

} // namespace
} // namespace nnhal::rt
