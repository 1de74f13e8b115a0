//===- CompileCancelTest.cpp - Compilations stop within phases ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include "nnhal/Runtime/TFLiteModel.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <map>

namespace nnhal::rt {
namespace {

/// Some hundred operations that do not become one loop.
std::string longModelText() {
  std::string body, previous = "%x";
  for (int step = 0; step < 40; ++step) {
    body += fmt::format(
        "    %t{0} = nnhal.operation \"TANH\"({1}) : (tensor<4x{2}xf32>) -> "
        "tensor<4x{2}xf32>\n"
        "    %a{0} = nnhal.constant_copy 1 : i32 -> i32\n"
        "    %r{0} = nnhal.operation \"CONCATENATION\"(%t{0}, %x, %a{0}) : "
        "(tensor<4x{2}xf32>, tensor<4x3xf32>, i32) -> tensor<4x{3}xf32>\n",
        step, previous, 3 * step + 3, 3 * step + 6);
    previous = fmt::format("%r{}", step);
  }
  return fmt::format(
      "nnhal.model @model attributes {{hal_version = \"1.3\"}} {{\n"
      "  nnhal.graph @main(%x: tensor<4x3xf32>) -> tensor<4x123xf32> {{\n{}"
      "    nnhal.return {} : tensor<4x123xf32>\n  }}\n}}\n",
      body, previous);
}

/// Counts what a compilation asks, and cancels it at one of the questions.
class Canceller {
public:
  Canceller() {
    observer.progress = [this](std::string_view phase, uint32_t, uint32_t) {
      phases.emplace_back(phase);
    };
    observer.isCancelled = [this] {
      askedAfterwards += hasCancelled;
      hasCancelled |= !phases.empty() && ++ofPhase[phases.back()] >= at &&
                      phases.back() == in;
      return hasCancelled;
    };
    observer.diagnostic = [this](bool, std::string_view text) {
      diagnostics.emplace_back(text);
    };
  }

  Status compile(const std::string &text, uint32_t threads) {
    auto compiler = Compiler::open();
    if (!compiler.isOk())
      return compiler.status();
    CompileOptions options;
    options.threads = threads;
    return (*compiler)
        ->compileMlir(std::as_bytes(std::span(text)), "test", options, observer)
        .status();
  }

  CompileObserver observer;
  std::string in;
  int at = 1;
  bool hasCancelled = false;
  int askedAfterwards = 0;
  std::vector<std::string> phases;
  std::map<std::string, int> ofPhase;
  std::vector<std::string> diagnostics;
};

// E-070: nobody waits for the end of a phase that is not wanted.
TEST(CompileCancelTest, stopsWithinPhases) {
  const std::string text = longModelText();
  for (uint32_t threads : {1u, 3u}) {
    Canceller whole;
    ASSERT_EQ(whole.compile(text, threads).message(), "");
    for (const std::string &phase : whole.phases) {
      // The parser of the text has no passes, and asks nothing.
      if (phase == whole.phases.front())
        continue;
      Canceller canceller;
      canceller.in = phase;
      Status status = canceller.compile(text, threads);
      EXPECT_EQ(status.code(), StatusCode::generalFailure);
      EXPECT_EQ(status.message(),
                "the compilation was cancelled in phase " + phase);
      EXPECT_EQ(canceller.phases.back(), phase);
      EXPECT_EQ(canceller.askedAfterwards, 0) << phase;
      // Diagnostics of a phase that was left are not errors of its IR.
      EXPECT_EQ(canceller.diagnostics,
                std::vector<std::string>{status.message()});
    }
  }
}

// The code of a model is made by few phases and takes most of the time.
TEST(CompileCancelTest, stopsBetweenPassesAndFunctions) {
  const std::string text = longModelText();
  for (const std::string phase : {"lower", "outline", "llvm", "codegen"}) {
    Canceller canceller;
    canceller.in = phase;
    canceller.at = 3;
    EXPECT_EQ(canceller.compile(text, 1).message(),
              "the compilation was cancelled in phase " + phase);
    EXPECT_EQ(canceller.phases.back(), phase);
    EXPECT_EQ(canceller.ofPhase[phase], 3);
  }
}

/// Prepares with a clock that reaches the deadline once \p phase has begun.
Status prepareUntil(std::string_view phase, std::vector<std::string> &phases) {
  CpuDeviceOptions options;
  options.services.clock = [&]() -> int64_t {
    return !phases.empty() && phases.back() == phase ? 1000 : 0;
  };
  auto device = createCpuDevice(options);
  PrepareObserver observer;
  observer.compile.progress = [&](std::string_view begun, uint32_t, uint32_t) {
    phases.emplace_back(begun);
  };
  PrepareOptions prepare;
  prepare.deadline = 1000;
  NNHAL_ASSIGN_OR_RETURN(
      Memory file,
      Memory::readFile(NNHAL_TEST_DATA "/Models/small_cnn.tflite"));
  NNHAL_ASSIGN_OR_RETURN(AnnotatedModel model, importTFLite(file, {}));
  return device->prepareModel(model, prepare, observer).status();
}

// C-049: a device may give up a preparation after the deadline.
TEST(CompileCancelTest, stopsAfterTheDeadline) {
  for (std::string_view phase : {"legalize", "bufferize", "llvm", "codegen"}) {
    std::vector<std::string> phases;
    Status status = prepareUntil(phase, phases);
    EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
    EXPECT_EQ(status.message(),
              "the deadline passed while the model was prepared");
    EXPECT_EQ(phases.back(), phase);
  }
  std::vector<std::string> phases;
  EXPECT_EQ(prepareUntil("none", phases).message(), "");
}

} // namespace
} // namespace nnhal::rt
