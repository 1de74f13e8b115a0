//===- RoofsMain.cpp - Prints what this core can do at most ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Words.h"

#include "Tools/Roofs/Roofs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace nnhal;

static constexpr std::string_view usage =
    R"(usage: nnhal-benchmark-roofs [options]

Measures, on one thread, the rates that bound what a kernel can reach.

options:
  --peak          the single-precision FMA peaks alone
  --json          one JSON object instead of a table
  --seconds=S     time for each rate (0.3)
  --help          print this text
  --version       print the version
)";

namespace {
struct Options {
  bool peakAlone = false;
  bool json = false;
  double seconds = 0.3;
};
} // namespace

static Options parse(int argc, char **argv) {
  Options options;
  constexpr std::string_view secondsFlag = "--seconds=";
  for (int i = 1; i < argc; ++i) {
    std::string_view flag = argv[i];
    if (flag == "--help") {
      fmt::print("{}", usage);
      std::exit(0);
    }
    if (flag == "--version")
      printVersion("nnhal-benchmark-roofs");
    if (flag == "--peak") {
      options.peakAlone = true;
    } else if (flag == "--json") {
      options.json = true;
    } else if (flag.starts_with(secondsFlag)) {
      const char *text = argv[i] + secondsFlag.size();
      char *end = nullptr;
      options.seconds = std::strtod(text, &end);
      if (end == text || *end || !(options.seconds > 0) || options.seconds > 60)
        misuse(fmt::format(
            "--seconds: '{}' is not a number above 0, at most 60", text));
    } else {
      misuse(fmt::format("unknown option '{}'", flag));
    }
  }
  return options;
}

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    fmt::print(stderr, "error: this CPU has no AVX2 and FMA\n");
    return 1;
  }
  nlohmann::ordered_json rates;
  auto measure = [&](const char *name, const char *unit, double rate) {
    rates[name] = rate;
    if (!options.json && rate > 0)
      fmt::print("| {} | {:.1f} {} |\n", name, rate, unit);
  };
  if (!options.json)
    fmt::print("| roof | measured |\n|---|---|\n");
  measure("fma", "GFLOP/s", measureFmaPeak(options.seconds));
  measure("wide_fma", "GFLOP/s", measureWideFmaPeak(options.seconds));
  if (!options.peakAlone) {
    measure("pairs", "GOP/s", measurePairPeak(options.seconds));
    measure("quads", "GOP/s", measureQuadPeak(options.seconds));
    MemoryLevels levels = memoryLevels();
    auto read = [&](size_t bytes) {
      return measureReadBandwidth(bytes, options.seconds);
    };
    measure("read_l1", "GB/s", read(levels.l1));
    measure("read_l2", "GB/s", read(levels.l2));
    measure("read_l3", "GB/s", read(levels.l3));
    measure("read_dram", "GB/s", read(levels.dram));
  }
  if (options.json)
    fmt::print("{}\n", rates.dump());
  return 0;
}
