//===- CrashReproducerTest.cpp - What a pass that crashes leaves ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace nnhal::rt {
namespace {

class CrashReproducerTest : public testing::Test {
protected:
  CrashReproducerTest()
      : folder(std::filesystem::path(testing::TempDir()) /
               fmt::format("reproducer-{}", getpid())) {
    std::filesystem::create_directory(folder);
    options.crashReproducer = folder / "reproducer.mlir";
  }
  ~CrashReproducerTest() override { std::filesystem::remove_all(folder); }

  /// Compiles a model for \p observer.
  Status compile(const CompileObserver &observer) const {
    NNHAL_ASSIGN_OR_RETURN(
        Memory file, Memory::readFile(NNHAL_TEST_DATA "/Models/floor.tflite"));
    NNHAL_ASSIGN_OR_RETURN(AnnotatedModel model, importTFLite(file, {}));
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<const Compiler> compiler,
                           Compiler::open());
    return compiler->compileModel(model, options, observer).status();
  }
  std::string reproducer() const {
    std::ostringstream text;
    text << std::ifstream(options.crashReproducer).rdbuf();
    return text.str();
  }
  size_t filesInFolder() const {
    return size_t(std::distance(std::filesystem::directory_iterator(folder),
                                std::filesystem::directory_iterator()));
  }

  const std::filesystem::path folder;
  CompileOptions options;
};

/// In a process of its own, because a crash leaves memory behind.
TEST_F(CrashReproducerTest, aSignalInAPassFailsTheCompilation) {
  auto crash = [&] {
    CompileObserver observer;
    // The pass nnhal-report-operations calls it.
    observer.remark = [](uint32_t, std::string_view) { std::raise(SIGSEGV); };
    Status status = compile(observer);
    fmt::print(stderr, "{}\n", status.message());
    _exit(status.isOk() ? 0 : 3);
  };
  EXPECT_EXIT(crash(), testing::ExitedWithCode(3),
              "`ReportOperations` on 'builtin.module' operation crashed; "
              "'nnhal-opt --run-reproducer .*reproducer.mlir' does it again");
  std::string text = reproducer();
  EXPECT_NE(text.find("pipeline: \"builtin.module("), std::string::npos);
  EXPECT_NE(text.find("nnhal-report-operations"), std::string::npos);
  EXPECT_NE(text.find("func.func"), std::string::npos);
  EXPECT_EQ(filesInFolder(), 1u);
}

TEST_F(CrashReproducerTest, aCompilationThatSucceedsLeavesNothing) {
  Status status = compile({});
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(filesInFolder(), 0u);
}

TEST_F(CrashReproducerTest, aCompilationThatIsCancelledLeavesNothing) {
  CompileObserver observer;
  bool isInPass = false;
  observer.remark = [&](uint32_t, std::string_view) { isInPass = true; };
  observer.isCancelled = [&] { return isInPass; };
  Status status = compile(observer);
  EXPECT_EQ(status.message(),
            "the compilation was cancelled in phase bufferize");
  EXPECT_EQ(filesInFolder(), 0u);
}

} // namespace
} // namespace nnhal::rt
