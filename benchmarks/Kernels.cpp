//===- Kernels.cpp - Convolutions beside roofs and other libraries --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models of one operation, compiled and executed again and again on one thread
// with warm caches, each next to what oneDNN (float32) and XNNPACK (8 bits)
// need for the same one. An execution includes what the runtime does around the
// code, about a microsecond.
//
//===----------------------------------------------------------------------===//

#include "Contenders.h"
#include "KernelTable.h"
#include "Words.h"

#include "Tools/Roofs/Roofs.h"

#include "nnhal/Runtime/CpuDevice.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

using namespace nnhal;
using namespace nnhal::rt;

namespace {

using Kind = Contraction::Kind;
using Type = Contraction::Type;

struct Options {
  bool table = false;
  bool check = false;
  bool widestPeak = false;
  CompileOptions compile;
};

/// What MobileNets and residual networks consist of.
std::vector<Contraction> contractions() {
  std::vector<Contraction> all;
  for (Type type : {Type::float32, Type::uint8, Type::int8}) {
    auto convolution = [&](uint32_t size, uint32_t inputs, uint32_t outputs,
                           uint32_t window = 1, uint32_t stride = 1) {
      all.push_back(
          {Kind::convolution, type, size, inputs, outputs, window, stride});
    };
    auto depthwise = [&](uint32_t size, uint32_t channels, uint32_t stride) {
      all.push_back(
          {Kind::depthwise, type, size, channels, channels, 3, stride});
    };
    convolution(112, 32, 64);
    convolution(56, 128, 128);
    convolution(28, 256, 256);
    convolution(14, 512, 512);
    convolution(7, 1024, 1024);
    convolution(112, 16, 96);
    convolution(56, 144, 24);
    convolution(56, 24, 144);
    convolution(14, 576, 96);
    convolution(1, 1024, 1001);
    convolution(56, 64, 64, 3);
    convolution(28, 128, 128, 3);
    convolution(14, 256, 256, 3);
    convolution(224, 3, 32, 3, 2);
    convolution(257, 3, 16, 3, 2);
    convolution(256, 3, 8, 3, 2);
    depthwise(112, 32, 1);
    depthwise(112, 64, 2);
    depthwise(56, 128, 1);
    depthwise(56, 128, 2);
    depthwise(14, 512, 1);
    depthwise(7, 1024, 1);
  }
  return all;
}

/// A model of one contraction on nnhal-cpu.
class Subject {
public:
  explicit Subject(const Contraction &contraction) : data(contraction) {}

  Status prepare(const Contraction &contraction,
                 const CompileOptions &compile) {
    const char *path = std::getenv("NNHAL_COMPILER");
    CpuDeviceOptions options;
    options.compiler = std::make_shared<LazyCompiler>(path ? path : "");
    PrepareOptions prepare;
    prepare.compile = compile;
    auto answer =
        createCpuDevice(std::move(options))
            ->prepareModel(contractionModel(contraction, data), prepare);
    if (!answer.isOk())
      return answer.status();
    prepared = *std::move(answer);
    size_t elementSize = contraction.type == Type::float32 ? 4 : 1;
    output.resize(contraction.outputElements() * elementSize);
    auto bytes = contraction.type == Type::float32
                     ? std::as_bytes(std::span(data.floatInput))
                     : std::as_bytes(std::span(data.input));
    request.inputs.push_back({Memory::borrow(bytes), {}});
    request.outputs.push_back({OutputMemory::borrow(output), {}});
    return Status::ok();
  }

  std::span<const std::byte> result() const { return output; }
  bool run() { return prepared->execute(request, execution).isOk(); }

private:
  ContractionData data;
  std::shared_ptr<PreparedModel> prepared;
  std::vector<std::byte> output;
  Request request;
  ExecutionResult execution;
};

Contender prepareNNHal(const Contraction &contraction,
                       const CompileOptions &compile) {
  auto subject = std::make_shared<Subject>(contraction);
  Status status = subject->prepare(contraction, compile);
  if (!status.isOk())
    return {.error = std::string(status.message())};
  return {.run = [subject] { return subject->run(); },
          .output = subject->result()};
}

/// The best FMA peak that was seen so far, of 256-bit registers or of the
/// widest that there are.
double currentPeak(bool widest) {
  auto measurePeak = [&](double seconds) {
    double wide = widest ? measureWideFmaPeak(seconds) : 0;
    return std::max(measureFmaPeak(seconds), wide);
  };
  static double best = measurePeak(0.3);
  best = std::max(best, measurePeak(0.02));
  return best;
}

/// Runs what \p prepare makes. Google Benchmark tells the mean time; the
/// counters are of the best iteration, which a busy neighbour disturbs least.
void measure(benchmark::State &state, const Contraction &contraction,
             const std::function<Contender()> &prepare, bool widestPeak) {
  using Clock = std::chrono::steady_clock;
  Contender contender = prepare();
  if (!contender.run) {
    state.SkipWithError(contender.error.c_str());
    return;
  }
  double peak = currentPeak(widestPeak);
  double best = std::numeric_limits<double>::max();
  for (auto _ : state) {
    auto start = Clock::now();
    if (!contender.run()) {
      state.SkipWithError("an execution failed");
      return;
    }
    std::chrono::duration<double> taken = Clock::now() - start;
    best = std::min(best, taken.count());
  }
  double rate = 2 * contraction.multiplyAdds() / best / 1e9;
  state.counters[bestCounter] = best * 1e6;
  state.counters[rateCounter] = rate;
  state.counters[shareCounter] = rate / peak;
}

/// An implementation of one contraction, not prepared yet.
struct Implementation {
  const char *name;
  std::function<Contender()> prepare;
};

/// The first is this project's.
std::vector<Implementation> implementationsOf(const Contraction &contraction,
                                              const CompileOptions &compile) {
  std::vector<Implementation> all = {
      {"nnhal", [=] { return prepareNNHal(contraction, compile); }}};
#ifdef NNHAL_HAVE_ONEDNN
  bool avx2 = compile.targetCpu == "x86-64-v3";
  if (contraction.type == Type::float32)
    all.push_back({"onednn", [=] { return prepareOneDnn(contraction, avx2); }});
#endif
#ifdef NNHAL_HAVE_XNNPACK
  if (contraction.type != Type::float32)
    all.push_back({"xnnpack", [=] { return prepareXnnpack(contraction); }});
#endif
  return all;
}

std::string nameOf(const Contraction &contraction) {
  return fmt::format("{}_{}/{}", toString(contraction.kind),
                     contraction.shapeText(), toString(contraction.type));
}

void registerBenchmarks(const Options &options) {
  for (const Contraction &contraction : contractions())
    for (const Implementation &implementation :
         implementationsOf(contraction, options.compile)) {
      // Google Benchmark calls a benchmark several times to find out how often
      // it has to iterate: prepared once, and kept as long as it needs.
      auto prepared = std::make_shared<std::optional<Contender>>();
      auto once = [prepared, prepare = implementation.prepare] {
        if (!*prepared)
          *prepared = prepare();
        return **prepared;
      };
      std::string name = nameOf(contraction) + '/' + implementation.name;
      benchmark::RegisterBenchmark(
          name.c_str(),
          [=, widest = options.widestPeak](benchmark::State &state) {
            measure(state, contraction, once, widest);
          })
          ->Unit(benchmark::kMicrosecond)
          ->UseRealTime();
    }
}

/// The largest difference of two results, in steps of 1e-4 for floats: sums in
/// another order, and other roundings of 8-bit values, differ by few.
double difference(Type type, std::span<const std::byte> left,
                  std::span<const std::byte> right) {
  double largest = 0;
  if (type == Type::float32) {
    for (size_t i = 0; i + 4 <= left.size(); i += 4) {
      float a, b;
      std::memcpy(&a, &left[i], 4);
      std::memcpy(&b, &right[i], 4);
      largest = std::max(largest, std::abs(double(a) - double(b)) / 1e-4);
    }
    return largest;
  }
  for (size_t i = 0; i < left.size(); ++i) {
    auto value = [&](std::byte byte) {
      return type == Type::int8 ? int(int8_t(byte)) : int(uint8_t(byte));
    };
    largest =
        std::max(largest, double(std::abs(value(left[i]) - value(right[i]))));
  }
  return largest;
}

/// Whether all implementations compute the same, which makes their times worth
/// comparing.
bool check(const Options &options) {
  bool allAgree = true;
  for (const Contraction &contraction : contractions()) {
    std::vector<std::byte> expected;
    for (const Implementation &implementation :
         implementationsOf(contraction, options.compile)) {
      std::string name = nameOf(contraction) + '/' + implementation.name;
      Contender contender = implementation.prepare();
      if (!contender.run || !contender.run()) {
        fmt::print(stderr, "error: {}: {}\n", name,
                   contender.run ? "an execution failed" : contender.error);
        allAgree = false;
        break;
      }
      if (expected.empty()) {
        expected.assign(contender.output.begin(), contender.output.end());
        continue;
      }
      double steps = difference(contraction.type, expected, contender.output);
      allAgree = allAgree && steps <= 1;
      fmt::print("{}: at most {:.3g} steps from nnhal\n", name, steps);
    }
  }
  return allAgree;
}

void printHelp() {
  fmt::print(R"(usage: nnhal-benchmark-kernels [options] [--benchmark_...]

Measures convolutions of one model each, beside oneDNN and XNNPACK where the
build found them, and their share of the FMA peak measured in the same run.

options:
  --table            a markdown table of the best iterations
  --check            instead, compare the results; exit 1 when they differ
  --peak=v3|host     the FMA peak in 256-bit registers, those of x86-64-v3
                     (default), or in the widest that this CPU has
  --rounding=MODE    of quantized values: double (default), single or float
  --target-cpu=NAME  CPU to compile for (default: host); x86-64-v3 keeps oneDNN
                     to AVX2, too
  --benchmark_...    those of Google Benchmark, such as --benchmark_filter=REGEX,
                     --benchmark_list_tests, --benchmark_format=json
  --help             print this text
  --version          print the version
)");
  std::exit(0);
}

/// Takes the options of this program out of the arguments.
Options parse(int &argc, char **argv) {
  Options options;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    std::string_view flag = argv[i];
    constexpr std::string_view rounding = "--rounding=", cpu = "--target-cpu=";
    if (flag == "--table") {
      options.table = true;
    } else if (flag == "--peak=v3" || flag == "--peak=host") {
      options.widestPeak = flag == "--peak=host";
    } else if (flag == "--check") {
      options.check = true;
    } else if (flag == "--help") {
      printHelp();
    } else if (flag == "--version") {
      nnhal::printVersion("nnhal-benchmark-kernels");
    } else if (flag.starts_with(cpu)) {
      options.compile.targetCpu = flag.substr(cpu.size());
    } else if (flag.starts_with(rounding)) {
      std::string_view mode = flag.substr(rounding.size());
      if (mode == "double") {
        options.compile.rounding = Rounding::doubleRounding;
      } else if (mode == "single") {
        options.compile.rounding = Rounding::singleRounding;
      } else if (mode == "float") {
        options.compile.rounding = Rounding::floatRounding;
      } else {
        fmt::print(stderr,
                   "error: --rounding: '{}' is not double, single or float\n",
                   mode);
        std::exit(2);
      }
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return options;
}

} // namespace

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  registerBenchmarks(options);
  benchmark::Initialize(&argc, argv);
  if (argc > 1) {
    fmt::print(stderr, "error: unknown option '{}'; try --help\n", argv[1]);
    return 2;
  }
  if (options.check)
    return check(options) ? 0 : 1;
  if (options.table) {
    KernelTable table;
    benchmark::RunSpecifiedBenchmarks(&table);
  } else {
    benchmark::RunSpecifiedBenchmarks();
  }
  return 0;
}
