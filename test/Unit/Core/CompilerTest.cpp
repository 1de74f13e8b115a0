//===- CompilerTest.cpp - Opening and calling a compiler ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Compiler.h"
#include "Faults/Allocations.h"
#include "Runtime/CompilerClient/CompilerApi.h"
#include "Runtime/Devices/Cpu/KeptKernels.h"
#include "nnhal/Runtime/Log.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
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
                        offsetof(NNHalCompilerApi, openHalves)));
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
  std::vector<std::string> plugins;
  auto identity = [&] {
    auto result = LazyCompiler(compiler, plugins).identity();
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
  // Those beside plug-ins count, too.
  const std::string installed = identity();
  const fs::path own = folder / "own";
  fs::create_directories(own);
  plugins = {own / "libtiles.so"};
  EXPECT_EQ(identity(), installed);
  fs::rename(halves / "vendor.tiles.compiler.so",
             own / "vendor.tiles.compiler.so");
  EXPECT_EQ(identity(), installed);
  plugins.clear();
  EXPECT_EQ(identity(), alone);
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

TEST(CompilerTest, CompilationsAreCancelled) {
  auto compiler = openFake();
  ASSERT_TRUE(compiler);
  bool isCancelled = false;
  CompileObserver observer;
  observer.isCancelled = [&] { return isCancelled; };
  auto compile = [&] {
    return compiler->compileMlir(bytesOf("cancel"), "t", {}, observer)
        .status()
        .message();
  };
  EXPECT_EQ(compile(), "");
  isCancelled = true;
  EXPECT_EQ(compile(), "cancelled");
}

/// Returns the code that one compilation of the kernel delivers.
std::string kernelOf(const Compiler &compiler,
                     const CompileObserver &observer) {
  auto compiled = compiler.compileMlir(bytesOf("kernel"), "t", {}, observer);
  EXPECT_TRUE(compiled.isOk()) << compiled.status().message();
  return compiled.isOk() ? textOf(compiled->modelCache) : "";
}

TEST(CompilerTest, KernelsAreFoundAndKept) {
  auto compiler = openFake();
  ASSERT_TRUE(compiler);
  std::map<std::string, std::vector<std::byte>, std::less<>> kernels;
  CompileObserver observer;
  observer.findKernel = [&](std::string_view key,
                            std::vector<std::byte> &object) {
    auto found = kernels.find(key);
    if (found != kernels.end())
      object = found->second;
    return found != kernels.end();
  };
  observer.keepKernel = [&](std::string_view key,
                            std::span<const std::byte> object) {
    kernels[std::string(key)] = {object.begin(), object.end()};
  };
  std::vector<std::pair<std::string, std::chrono::nanoseconds>> parts;
  observer.part = [&](std::string_view name, std::chrono::nanoseconds time) {
    parts.emplace_back(name, time);
  };
  EXPECT_EQ(kernelOf(*compiler, observer), "made");
  EXPECT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernelOf(*compiler, observer), "kept");
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts.front().first, "kernel_1");
  EXPECT_EQ(parts.front().second, std::chrono::nanoseconds(1500));
  // Without memory kernels are compiled again.
  observer.findKernel = [](std::string_view, std::vector<std::byte> &) -> bool {
    throw std::bad_alloc();
  };
  observer.keepKernel = [](std::string_view, std::span<const std::byte>) {
    throw std::bad_alloc();
  };
  observer.part = [](std::string_view, std::chrono::nanoseconds) {
    throw std::bad_alloc();
  };
  EXPECT_EQ(kernelOf(*compiler, observer), "made");
}

/// The texts of \p list for a compilation that fails, or of what each target is
/// compiled with.
std::string targetsOf(const std::string &list, const CompileOptions &given) {
  CompileOptions options = given;
  options.target = list;
  std::string heard;
  CompileObserver observer;
  observer.diagnostic = [&](bool, std::string_view text) {
    size_t begin = text.find("; cpu ");
    if (begin != text.npos)
      heard += text.substr(begin);
  };
  Status status = openFake()->compileModel({}, options, observer).status();
  return heard.empty() ? status.message() : heard;
}

TEST(CompilerTest, ListsOfTargets) {
  EXPECT_EQ(targetsOf("cpu,", {}),
            "the list of targets 'cpu,' has an empty name");
  EXPECT_EQ(targetsOf("vulkan,vulkan", {}),
            "the list of targets 'vulkan,vulkan' has 'vulkan' twice");
  // The name of the processor and the extensions of the host are not for the
  // GPU beside it.
  CompileOptions options;
  options.targetCpu = "x";
  options.extensions = {{{"vendor.tiles", {}}, "build 1"}};
  const std::string tail = ", rounding 0, threads 0, target ";
  EXPECT_EQ(targetsOf("cpu,vulkan", options),
            "; cpu x" + tail + "cpu; cpu " + tail + "vulkan");
  EXPECT_EQ(targetsOf("vulkan", options), "; cpu x" + tail + "vulkan");
}

TEST(CompilerTest, ExtensionsOfTheModelAreCompiled) {
  auto compiler = openFake();
  ASSERT_TRUE(compiler);
  CompileOptions options;
  options.extensions = {
      {{"vendor.tiles", {{0, true, 4}, {1, false, 8}}}, "build 1"},
      {{"vendor.other", {}}, "build 2"}};
  AnnotatedModel model;
  model.model.extensionNameToPrefix = {{"vendor.tiles", 1}};
  auto compiled = compiler->compileModel(model, options);
  ASSERT_TRUE(compiled.isOk()) << compiled.status().message();
  EXPECT_TRUE(textOf(compiled->modelCache)
                  .ends_with(", target , extension vendor.tiles of build 1 "
                             "with 2 types"))
      << textOf(compiled->modelCache);
}

// A plug-in without a folder is found by the dynamic linker, so that nothing is
// beside it. Folders are absolute: a program may change its own.
TEST(CompilerTest, HalvesAreBesidePlugins) {
  const std::string here = std::filesystem::current_path();
  auto compile = [](const std::vector<std::string> &plugins) {
    auto compiler = Compiler::open(pathOf("NNHalFakeCompilerHalves"), plugins);
    EXPECT_TRUE(compiler.isOk()) << compiler.status().message();
    auto compiled = (*compiler)->compileModel({}, {}, {});
    EXPECT_TRUE(compiled.isOk()) << compiled.status().message();
    return textOf(compiled->modelCache);
  };
  // The library stays open, and knows what tests before have opened.
  size_t before = std::ranges::count(compile({}), '[');
  std::string text = compile({"/vendor/tiles.so", "libtiles.so",
                              "own/libtiles.so", "/vendor/other.so"});
  EXPECT_NE(
      text.find(", halves in /vendor, halves in " + here + "/own, opened ["),
      std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with(" [/vendor] [" + here + "/own]")) << text;
  EXPECT_EQ(std::ranges::count(text, '['), before + 2);
}

// A relative path is meant in the folder in which the program stated it.
TEST(CompilerTest, PluginsAreWhereTheyWereGiven) {
  const std::filesystem::path here = std::filesystem::current_path();
  std::vector<std::string> given;
  LazyCompiler compiler(
      "", {"own/libtiles.so", "libtiles.so"},
      [&](const std::string &, const std::vector<std::string> &plugins)
          -> Result<std::shared_ptr<const Compiler>> {
        given = plugins;
        return Status(StatusCode::generalFailure, "none");
      });
  std::filesystem::current_path("/");
  EXPECT_FALSE(compiler.get().isOk());
  std::filesystem::current_path(here);
  EXPECT_EQ(given, (std::vector<std::string>{here / "own/libtiles.so",
                                             "libtiles.so"}));
}

class KeptKernelsTest : public testing::Test {
protected:
  KeptKernelsTest() {
    EXPECT_NE(::mkdtemp(parent.data()), nullptr);
    directory = parent + "/kernels";
    services.log = std::make_shared<Log>(
        maskOf(LogTag::compilation),
        [this](std::string_view line) { lines.emplace_back(line); });
  }
  ~KeptKernelsTest() override { std::filesystem::remove_all(parent); }

  std::string kernelBy(KeptKernels &kernels) const {
    return kernelOf(*openFake(), kernels.observe({}));
  }

  std::string parent = testing::TempDir() + "nnhal-kept-kernels-XXXXXX";
  std::string directory;
  std::vector<std::string> lines;
  DeviceServices services;
  std::shared_ptr<LazyCompiler> compiler =
      std::make_shared<LazyCompiler>(pathOf("NNHalFakeCompiler"));
};

TEST_F(KeptKernelsTest, KernelsOutliveTheDevice) {
  services.stateDirectory = directory;
  std::filesystem::create_directory(directory);
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
  for (const char *expected : {"made", "kept"}) {
    KeptKernels kernels(services, compiler);
    EXPECT_EQ(kernelBy(kernels), expected);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "compilation: nnhal-cpu: 0 kernels were found, 1 are "
                       "kept",
                       "compilation: nnhal-cpu: 1 kernels were found, 0 are "
                       "kept"}));
}

TEST_F(KeptKernelsTest, WhatTookLongIsKeptAtOnce) {
  services.stateDirectory = directory;
  std::filesystem::create_directory(directory);
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
  KeptKernels kernels(services, compiler);
  CompileObserver compilation = kernels.observe({});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  std::vector<std::byte> object(8, std::byte(7)), found;
  compilation.keepKernel("slow", object);
  compilation.keepKernel("next", object);
  // It does not wait for another kernel, nor for the end of the compilation.
  CompileObserver other = kernels.observe({});
  EXPECT_TRUE(other.findKernel("slow", found));
  EXPECT_EQ(found, object);
  compilation = {};
  EXPECT_TRUE(other.findKernel("next", found));
}

TEST_F(KeptKernelsTest, LackOfMemoryLosesKernelsAlone) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "operator new is another library's";
  services.stateDirectory = directory;
  services.log = nullptr;
  std::filesystem::create_directory(directory);
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
  KeptKernels kernels(services, compiler);
  std::vector<std::byte> object(8, std::byte(7)), found;
  bool hasFailed = true;
  size_t before = 0;
  for (; hasFailed; ++before) {
    CompileObserver compilation = kernels.observe({});
    AllocationFailure failure(before);
    compilation.keepKernel("key of a kernel that takes memory", object);
    compilation = {};
    hasFailed = failure.hasFailed();
  }
  EXPECT_GT(before, 5u);
  // No transaction was left open: the last one is there, for others as well.
  KeptKernels others(services, compiler);
  EXPECT_TRUE(others.observe({}).findKernel("key of a kernel that takes memory",
                                            found));
}

TEST_F(KeptKernelsTest, WithoutADirectoryNothingIsKept) {
  KeptKernels kernels(services, compiler);
  EXPECT_FALSE(kernels.observe({}).findKernel);
  EXPECT_TRUE(lines.empty());
}

TEST_F(KeptKernelsTest, WhatIsInTheWayIsLoggedOnce) {
  services.stateDirectory = directory;
  std::ofstream(directory) << "a file";
  KeptKernels inTheWay(services, compiler);
  for (int i = 0; i < 2; ++i)
    EXPECT_FALSE(inTheWay.observe({}).keepKernel);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(
      lines[0].starts_with("compilation: nnhal-cpu: no kernels are kept: "))
      << lines[0];
  KeptKernels nobody(services,
                     std::make_shared<LazyCompiler>("/nonexistent.so"));
  EXPECT_FALSE(nobody.observe({}).findKernel);
  EXPECT_EQ(lines.size(), 2u);
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
