//===- WorkerCompiler.cpp - A compiler that misbehaves on demand ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CPU that a compilation is for says what happens.
//
//===----------------------------------------------------------------------===//

#include "Runtime/CompilerClient/CompilerApi.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

static NNHalString toText(std::string_view text) {
  return {text.data(), text.size()};
}

static std::atomic<int> cancellations = 0;

static int32_t fail(const NNHalCompileSinks *sinks, std::string_view text) {
  sinks->diagnostic(sinks->context, 1, toText(text));
  return 2;
}

static int32_t deliver(const NNHalCompileSinks *sinks, std::string_view code,
                       std::string_view data = "constants") {
  sinks->artifact(sinks->context, {code.data(), code.size()},
                  {data.data(), data.size()});
  return 0;
}

/// Tries what a compiler must not do, and what the linker does.
static std::string tryThings() {
  auto errorOf = [](int result) {
    return std::to_string(result < 0 ? errno : 0);
  };
  const char *temporary = std::getenv("TMPDIR");
  std::string file = std::string(temporary ? temporary : "") + "/object";
  return "socket " + errorOf(::socket(AF_INET, SOCK_STREAM, 0)) + ", passwd " +
         errorOf(::open("/etc/passwd", O_RDONLY)) + ", file " +
         errorOf(::open(file.c_str(), O_RDWR | O_CREAT, 0600));
}

static int32_t compileModel(const NNHalModelView *model,
                            const NNHalCompileOptions *options,
                            const NNHalCompileSinks *sinks) {
  std::string_view cpu(options->targetCpu.data, options->targetCpu.size);
  sinks->progress(sinks->context, toText("lowering"), 1, 2);
  if (cpu == "crash") {
    // A fault ends a process whatever signals its threads block.
    int *volatile nowhere = nullptr;
    *nowhere = 1;
  }
  if (cpu == "exit")
    ::_exit(3);
  if (cpu == "fail")
    return fail(sinks, "operation 0 is odd");
  if (cpu == "slow") {
    ::usleep(400'000);
    return fail(sinks, "operation 0 is odd");
  }
  if (cpu == "hang")
    while (true)
      ::usleep(1000);
  if (cpu == "wait") {
    while (!sinks->isCancelled || !sinks->isCancelled(sinks->context))
      ::usleep(1000);
    ++cancellations;
    return fail(sinks, "the compilation was cancelled in phase lowering");
  }
  if (cpu == "memory") {
    // The optimizer must not see that nobody reads it.
    void *volatile bytes = std::malloc(size_t(1) << 30);
    bool isThere = bytes != nullptr;
    std::free(bytes);
    return deliver(sinks, isThere ? "memory" : "no memory");
  }
  if (cpu == "try")
    return deliver(sinks, tryThings());
  if (cpu == "cancellations")
    return deliver(sinks, std::to_string(cancellations.load()));
  sinks->diagnostic(sinks->context, 0, toText("operation 0 is slow"));
  if (sinks->remark)
    sinks->remark(sinks->context, 0, toText("one loop"));
  std::string code = std::to_string(model->main.operandCount) +
                     " operands by " + std::to_string(::getpid());
  return deliver(sinks, code);
}

static int32_t compileMlir(NNHalBytes, NNHalString, const NNHalCompileOptions *,
                           const NNHalCompileSinks *sinks) {
  return fail(sinks, "no IR");
}

extern "C" __attribute__((visibility("default"))) const NNHalCompilerApi *
nnhalGetCompilerApi(uint32_t) {
  static const NNHalCompilerApi api = {sizeof(NNHalCompilerApi),
                                       NNHAL_COMPILER_API_MAJOR,
                                       NNHAL_COMPILER_API_MINOR,
                                       {"worker 1", 8},
                                       compileModel,
                                       compileMlir,
                                       /*openHalves=*/nullptr};
  return &api;
}
