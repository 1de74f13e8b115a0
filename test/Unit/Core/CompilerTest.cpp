//===- CompilerTest.cpp - Opening and calling a compiler ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Compiler.h"
#include "Runtime/CompilerClient/CompilerApi.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

using namespace nnhal::rt;

namespace {

std::string pathOf(const std::string &name) {
  return std::string(NNHAL_TEST_INPUTS) + "/" + name + ".so";
}

std::shared_ptr<const Compiler> openFake() {
  auto compiler = Compiler::open(pathOf("NNHalFakeCompiler"));
  EXPECT_TRUE(compiler.isOk()) << compiler.status().message();
  return compiler.isOk() ? *compiler : nullptr;
}

std::string openMessage(const std::string &name) {
  auto compiler = Compiler::open(pathOf(name));
  return compiler.isOk() ? "opened" : compiler.status().message();
}

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

TEST(CompilerTest, OpenDiagnostics) {
  auto missing = Compiler::open("/nonexistent/libNNHalCompiler.so");
  ASSERT_FALSE(missing.isOk());
  EXPECT_EQ(missing.status().code(), StatusCode::deviceUnavailable);
  EXPECT_EQ(missing.status().message(),
            "cannot open the compiler '/nonexistent/libNNHalCompiler.so': "
            "/nonexistent/libNNHalCompiler.so: cannot open shared object file: "
            "No such file or directory");
  EXPECT_EQ(openMessage("NNHalTestKernels"),
            "'" + pathOf("NNHalTestKernels") +
                "' is not a compiler: it does not export nnhalGetCompilerApi");
  EXPECT_EQ(openMessage("NNHalFakeCompilerNoTable"),
            "compiler '" + pathOf("NNHalFakeCompilerNoTable") +
                "' does not offer interface version 1");
  EXPECT_EQ(openMessage("NNHalFakeCompilerMajor2"),
            "compiler '" + pathOf("NNHalFakeCompilerMajor2") +
                "' has interface version 2.5, this runtime needs 1.x");
  EXPECT_EQ(openMessage("NNHalFakeCompilerSmall"),
            fmt::format("compiler '{}' has an interface table of 40 bytes, "
                        "less than {}",
                        pathOf("NNHalFakeCompilerSmall"),
                        sizeof(NNHalCompilerApi)));
  EXPECT_EQ(openMessage("NNHalFakeCompilerNoFunction"),
            "compiler '" + pathOf("NNHalFakeCompilerNoFunction") +
                "' leaves a function of its table empty");
}

// Caches compare it: code of another build of a half is another one.
TEST(CompilerTest, IdentityHasTheHalvesOfExtensions) {
  namespace fs = std::filesystem;
  const fs::path folder = testing::TempDir() + "nnhal-compiler-identity";
  fs::remove_all(folder);
  const fs::path halves = folder / NNHAL_EXTENSION_HALF_FOLDER;
  fs::create_directories(halves);
  const fs::path compiler = folder / "libNNHalCompiler.so";
  fs::copy_file(pathOf("NNHalFakeCompiler"), compiler);
  auto identity = [&] {
    auto result = LazyCompiler(compiler).identity();
    return result.isOk() ? *result : result.status().message();
  };
  const std::string alone = identity();
  EXPECT_TRUE(alone.starts_with("libNNHalCompiler.so:")) << alone;
  // The runtime's half is not the compiler's, and the compiler leaves out what
  // is no library.
  fs::copy_file(pathOf("NNHalTestKernels"), halves / "vendor.tiles.so");
  std::ofstream(halves / "other.compiler.so") << "text";
  EXPECT_EQ(identity(), alone);
  fs::copy_file(pathOf("NNHalFakeCompilerMajor2"),
                halves / "vendor.tiles.compiler.so");
  const std::string first = identity();
  EXPECT_TRUE(first.starts_with(alone + "vendor.tiles.compiler.so:")) << first;
  fs::copy_file(pathOf("NNHalFakeCompilerSmall"),
                halves / "vendor.tiles.compiler.so",
                fs::copy_options::overwrite_existing);
  EXPECT_NE(identity(), first);
  EXPECT_NE(identity(), alone);
  fs::remove_all(folder);
}

TEST(CompilerTest, ModelArrivesAsItIs) {
  auto compiler = openFake();
  ASSERT_TRUE(compiler);
  EXPECT_EQ(compiler->buildIdentity(), "fake 1");
  AnnotatedModel annotated;
  Model &model = annotated.model;
  Operand input;
  input.type = OperandType::TENSOR_FLOAT32;
  input.dimensions = {1, 2};
  input.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  input.extraParams = SymmPerChannelQuantParams{{0.5f, 0.25f}, 0};
  Operand output;
  output.type = OperandType::TENSOR_INT32;
  output.lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  output.extraParams = ExtensionParams{{1, 2, 3}};
  model.main.operands = {input, output};
  model.main.operations = {{OperationType::MUL, {0, 0, 0}, {1}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {1};
  model.referenced.resize(2);
  model.operandValues = {1, 2, 3};
  model.pools.resize(1);
  model.pools[0].memory = Memory::copy(bytesOf("pool bytes"));
  model.relaxComputationFloat32toFloat16 = true;
  model.extensionNameToPrefix = {{"com.example", 3}};
  annotated.inputNames = {"x"};
  annotated.outputNames = {"y"};
  annotated.statePairs = {{0, 0}};
  CompileOptions options;
  options.target = "vulkan";
  options.targetCpu = "skylake";
  options.rounding = Rounding::floatRounding;
  options.threads = 3;

  std::vector<std::string> heard;
  CompileObserver observer;
  observer.diagnostic = [&](bool isError, std::string_view text) {
    heard.push_back(fmt::format("{} {}", isError, text));
  };
  observer.progress = [&](std::string_view phase, uint32_t done,
                          uint32_t total) {
    heard.push_back(fmt::format("{} {}/{}", phase, done, total));
  };
  observer.remark = [&](uint32_t operation, std::string_view text) {
    heard.push_back(fmt::format("operation {}: {}", operation, text));
  };
  auto compiled = compiler->compileModel(annotated, options, observer);
  ASSERT_TRUE(compiled.isOk()) << compiled.status().message();
  EXPECT_EQ(
      textOf(compiled->modelCache),
      "2 operands, type 3 rank 2 lifetime 1 extra 1/2/0, type 4 rank 0 "
      "lifetime 2 extra 2/0/3, operation 18 of 3, inputs 1, outputs 1; "
      "version 3, referenced 2, values 3, relaxed 1, extensions 1, in x, "
      "out y, state 0->0; cpu skylake, rounding 2, threads 3, target vulkan");
  EXPECT_EQ(textOf(*compiled->dataCache.bytes()), "pool bytes");
  EXPECT_EQ(heard, (std::vector<std::string>{"lowering 0/2", "linking 1/2",
                                             "false operation 0 is slow",
                                             "operation 0: one loop"}));
}

TEST(CompilerTest, OlderCompilersKnowNoTargets) {
  auto compiler = Compiler::open(pathOf("NNHalFakeCompilerMinor4"));
  ASSERT_TRUE(compiler.isOk()) << compiler.status().message();
  EXPECT_TRUE((*compiler)->compileModel({}).isOk());
  CompileOptions options;
  options.target = "vulkan";
  const std::string expected = "the compiler has interface version 1.4, target "
                               "'vulkan' needs 1.5";
  EXPECT_EQ((*compiler)->compileModel({}, options).status().message(),
            expected);
  EXPECT_EQ((*compiler)
                ->compileMlir(bytesOf("module {}"), "m", options)
                .status()
                .message(),
            expected);
}

TEST(CompilerTest, UnreadablePool) {
  auto compiler = openFake();
  ASSERT_TRUE(compiler);
  AnnotatedModel model;
  model.model.pools.resize(1);
  model.model.pools[0].memory = Memory::fromDescriptor(UniqueFd(), 0, 8, 0);
  EXPECT_EQ(compiler->compileModel(model).status().message(),
            "pool 0: the descriptor of a memory is not open");
}

TEST(CompilerTest, CompileDiagnostics) {
  auto compiler = openFake();
  ASSERT_TRUE(compiler);
  auto messageOf = [&](std::string_view text) {
    auto compiled = compiler->compileMlir(bytesOf(text), "test.mlir");
    return compiled.isOk() ? "compiled" : compiled.status().message();
  };
  EXPECT_EQ(messageOf("fine"), "compiled");
  EXPECT_EQ(messageOf("fail"), "test.mlir:1:1: no model");
  EXPECT_EQ(messageOf("fail silently"), "the compiler gave no reason");
  EXPECT_EQ(messageOf("no status"),
            "the compiler returned 77, which is not a status code");
  EXPECT_EQ(messageOf("nothing"),
            "the compiler delivered 0 artifacts instead of 1");
  EXPECT_EQ(messageOf("twice"),
            "the compiler delivered 2 artifacts instead of 1");
}

TEST(CompilerTest, EveryDiagnosticIsHeard) {
  auto compiler = openFake();
  ASSERT_TRUE(compiler);
  std::vector<std::string> heard;
  CompileObserver observer;
  observer.diagnostic = [&](bool isError, std::string_view text) {
    heard.push_back(fmt::format("{} {}", isError, text));
  };
  auto compiled = compiler->compileMlir(bytesOf("fail"), "t", {}, observer);
  EXPECT_EQ(compiled.status().code(), StatusCode::invalidArgument);
  EXPECT_EQ(heard, (std::vector<std::string>{"true t:1:1: no model",
                                             "true nothing was compiled"}));
}

TEST(CompilerTest, ReportsNeedMemory) {
  auto compiler = openFake();
  ASSERT_TRUE(compiler);
  CompileObserver observer;
  observer.diagnostic = [](bool, std::string_view) { throw std::bad_alloc(); };
  Status status =
      compiler->compileMlir(bytesOf("fail"), "t", {}, observer).status();
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "no memory for the compiler's reports");
}

TEST(CompilerTest, LazyCompilerOpensOnce) {
  LazyCompiler lazy(pathOf("NNHalFakeCompiler"));
  std::vector<std::shared_ptr<const Compiler>> seen(8);
  std::vector<std::thread> threads;
  for (auto &slot : seen)
    threads.emplace_back([&lazy, &slot] {
      if (auto compiler = lazy.get(); compiler.isOk())
        slot = *compiler;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (auto &slot : seen)
    EXPECT_TRUE(slot && slot == seen[0]);
  LazyCompiler broken("/nonexistent.so");
  EXPECT_FALSE(broken.get().isOk());
  EXPECT_FALSE(broken.get().isOk());
}

} // namespace
