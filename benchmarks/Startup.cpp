//===- Startup.cpp - Compile, load and first-inference times --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: nnhal-benchmark-startup MODEL.tflite
//
// Prints, for one model and one core:
//  - a one-operation model compiled again and again in this process;
//  - the model compiled once in a fresh process, phase by phase;
//  - in fresh processes, loading its artifact and running the first inference,
//    beside what an inference costs when warm.
//
//===----------------------------------------------------------------------===//

#include "OneOperationModel.h"
#include "Words.h"

#include "Runtime/Artifact/ModelCache.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/CpuDevice.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace nnhal::rt;

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

/// User and system time of this process.
double processMilliseconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  auto toMilliseconds = [](const timeval &time) {
    return double(time.tv_sec) * 1e3 + double(time.tv_usec) / 1e3;
  };
  return toMilliseconds(usage.ru_utime) + toMilliseconds(usage.ru_stime);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

[[noreturn]] void fail(const Status &status) {
  fmt::print(stderr, "error: {}\n", status.message());
  std::exit(1);
}

void check(const Status &status) {
  if (!status.isOk())
    fail(status);
}

/// Argument memory for \p prepared, zero-filled.
struct Arguments {
  explicit Arguments(const PreparedModel &prepared) {
    auto bytesOf = [](const InterfaceTensor &tensor) {
      Operand operand;
      operand.type = tensor.type;
      operand.dimensions = tensor.dimensions;
      return size_t(byteSizeOf(operand).value_or(0));
    };
    for (const InterfaceTensor &tensor : prepared.interface().inputs) {
      storage.emplace_back(bytesOf(tensor));
      request.inputs.push_back({Memory::borrow(storage.back()), {}});
    }
    for (const InterfaceTensor &tensor : prepared.interface().outputs) {
      storage.emplace_back(bytesOf(tensor));
      request.outputs.push_back({OutputMemory::borrow(storage.back()), {}});
    }
  }
  std::vector<std::vector<std::byte>> storage;
  Request request;
};

/// Runs \p body in a child process and returns the doubles that it reports.
template <typename Body> std::vector<double> inFreshProcess(Body body) {
  int pipeEnds[2];
  if (pipe(pipeEnds) != 0)
    fail(failure("cannot create a pipe"));
  std::fflush(nullptr);
  pid_t child = fork();
  if (child < 0)
    fail(failure("cannot start a process"));
  if (child == 0) {
    std::vector<double> values = body();
    ssize_t size = ssize_t(values.size() * sizeof(double));
    std::_Exit(write(pipeEnds[1], values.data(), size_t(size)) == size ? 0 : 1);
  }
  close(pipeEnds[1]);
  std::vector<double> values(64);
  ssize_t size =
      read(pipeEnds[0], values.data(), values.size() * sizeof(double));
  close(pipeEnds[0]);
  int exitStatus = 0;
  waitpid(child, &exitStatus, 0);
  if (exitStatus != 0 || size < 0)
    fail(failure("a measured process failed"));
  values.resize(size_t(size) / sizeof(double));
  return values;
}

void measureOneOperation() {
  std::vector<double> values = inFreshProcess([] {
    std::shared_ptr<const Compiler> compiler = unwrap(Compiler::open());
    AnnotatedModel model = oneOperationModel();
    std::vector<double> times;
    for (int i = 0; i < 21; ++i) {
      Clock::time_point start = Clock::now();
      (void)unwrap(compiler->compileModel(model));
      times.push_back(millisecondsSince(start));
    }
    return times;
  });
  fmt::print("one operation, first compile in a process  {:8.2f} ms\n",
             values.front());
  values.erase(values.begin());
  fmt::print("one operation, median of 20 more           {:8.2f} ms\n",
             median(values));
}

/// Compiles once and leaves the artifact in \p bundlePath.
void measureCompilation(const std::string &modelPath,
                        const std::string &bundlePath) {
  inFreshProcess([&]() -> std::vector<double> {
    double processStart = processMilliseconds();
    Clock::time_point start = Clock::now();
    AnnotatedModel model =
        unwrap(importTFLite(unwrap(Memory::readFile(modelPath))));
    fmt::print("import                                     {:8.2f} ms\n",
               millisecondsSince(start));
    start = Clock::now();
    std::shared_ptr<const Compiler> compiler = unwrap(Compiler::open());
    fmt::print("open the compiler                          {:8.2f} ms\n",
               millisecondsSince(start));
    std::string previous;
    Clock::time_point phaseStart = start = Clock::now();
    auto endPhase = [&] {
      if (!previous.empty())
        fmt::print("  {:<40} {:8.2f} ms\n", previous,
                   millisecondsSince(phaseStart));
      phaseStart = Clock::now();
    };
    CompileObserver observer;
    observer.progress = [&](std::string_view phase, uint32_t, uint32_t) {
      endPhase();
      previous = phase;
    };
    CompiledModel compiled =
        unwrap(compiler->compileModel(model, {}, observer));
    endPhase();
    fmt::print("compile                                    {:8.2f} ms\n",
               millisecondsSince(start));
    fmt::print("process time of all that                   {:8.2f} ms\n",
               processMilliseconds() - processStart);
    std::vector<std::byte> bundle =
        writeBundle(compiled.modelCache, unwrap(compiled.dataCache.bytes()));
    fmt::print("artifact                                   {:8.1f} KB\n",
               double(bundle.size()) / 1024);
    std::FILE *file = std::fopen(bundlePath.c_str(), "wb");
    if (!file ||
        std::fwrite(bundle.data(), 1, bundle.size(), file) != bundle.size())
      fail(failure("cannot write {}", bundlePath));
    std::fclose(file);
    std::fflush(nullptr);
    return {};
  });
}

void measureLoading(const std::string &bundlePath) {
  std::vector<double> reads, loads, firsts, warms, beyond;
  for (int i = 0; i < 11; ++i) {
    std::vector<double> values = inFreshProcess([&]() -> std::vector<double> {
      double processStart = processMilliseconds();
      Clock::time_point start = Clock::now();
      Memory file = unwrap(Memory::readFile(bundlePath));
      Bundle bundle = unwrap(readBundle(unwrap(file.bytes())));
      double read = millisecondsSince(start);
      start = Clock::now();
      std::unique_ptr<Device> device = createCpuDevice({});
      std::shared_ptr<PreparedModel> prepared =
          unwrap(device->prepareModelFromArtifact(
              bundle.modelCache, Memory::borrow(bundle.dataCache)));
      double load = millisecondsSince(start);
      Arguments arguments(*prepared);
      ExecutionResult result;
      start = Clock::now();
      check(prepared->execute(arguments.request, result));
      double first = millisecondsSince(start);
      double process = processMilliseconds() - processStart;
      std::vector<double> times;
      for (int run = 0; run < 50; ++run) {
        start = Clock::now();
        check(prepared->execute(arguments.request, result));
        times.push_back(millisecondsSince(start));
      }
      double warm = median(times);
      return {read, load, first, warm, process - warm};
    });
    reads.push_back(values[0]);
    loads.push_back(values[1]);
    firsts.push_back(values[2]);
    warms.push_back(values[3]);
    beyond.push_back(values[4]);
  }
  fmt::print("read the artifact                          {:8.3f} ms\n",
             median(reads));
  fmt::print("check and load it                          {:8.3f} ms\n",
             median(loads));
  fmt::print("first inference                            {:8.3f} ms\n",
             median(firsts));
  fmt::print("warm inference                             {:8.3f} ms\n",
             median(warms));
  fmt::print("process time beyond one warm inference     {:8.3f} ms\n",
             median(beyond));
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words = nnhal::readWords(
      {.program = "nnhal-benchmark-startup",
       .words = "MODEL.tflite",
       .purpose = "Measures compiling a model, loading it and its first "
                  "execution, on one core.",
       .least = 1,
       .most = 1},
      argc, argv);
  // Measurements take seconds before the model is compiled.
  unwrap(Memory::readFile(words[0]));
  cpu_set_t oneCore;
  CPU_ZERO(&oneCore);
  CPU_SET(0, &oneCore);
  sched_setaffinity(0, sizeof(oneCore), &oneCore);

  std::string bundlePath =
      fmt::format("/tmp/nnhal-benchmark-{}.nncache", getpid());
  measureOneOperation();
  measureCompilation(words[0], bundlePath);
  measureLoading(bundlePath);
  unlink(bundlePath.c_str());
  return 0;
}
