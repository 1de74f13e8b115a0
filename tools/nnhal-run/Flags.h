//===- Flags.h - The command line -------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_FLAGS_H
#define NNHAL_TOOLS_NNHAL_RUN_FLAGS_H

#include "ModelFile.h"
#include "Modes.h"

#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/TestCase.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::run {

/// "N=FILE": N is an index or a name.
struct NamedFile {
  std::string key;
  std::string file;
  bool operator==(const NamedFile &) const = default;
};

/// How near an output must be to what --expect names.
struct Tolerance {
  enum class Kind { byType, range, exact, steps, absolute };
  Kind kind = Kind::byType;
  /// Of steps and absolute.
  double amount = 0.0;
};

enum class TimeFormat { none, text, json };

struct Flags {
  /// Names of the options on the command line, in order.
  std::vector<std::string_view> given;
  /// A file, or standardInput.
  std::string model;
  std::vector<NamedFile> inputs;
  /// Fills inputs that no file is given for: zeros without a seed.
  std::optional<uint64_t> randomSeed;
  std::string outputDir;
  std::optional<uint64_t> printOutputs;
  std::vector<NamedFile> expects;
  Tolerance tolerance;
  std::map<std::string, std::vector<uint32_t>> shapes;
  uint64_t loopTimeout = rt::defaultLoopTimeout;
  rt::CompileOptions compile;
  /// PrepareOptions::compileAfter.
  std::optional<uint64_t> compileAfter;
  std::string device = "nnhal-cpu";
  /// Empty: nothing is cached.
  std::string cacheDir;
  bool noCache = false;
  /// Empty: what the environment says.
  std::string stateDir;
  bool listDevices = false;
  /// Measure the device instead of running a model.
  bool calibrate = false;
  bool frames = false;
  std::string emit;
  bool explain = false;
  bool specialize = false;
  /// One after the other.
  std::vector<ExecutionMode> modes = {ExecutionMode::sync};
  /// Where the trace and the graph go; empty for neither.
  std::string trace;
  std::string dumpGraph;
  /// Threads of one execution; 0 for as many as the machine runs at once.
  uint64_t threads = 1;
  uint64_t repeat = 1;
  uint64_t warmup = 0;
  /// True when a flag asks for an execution or something about one.
  bool wantsExecution = false;
  TimeFormat time = TimeFormat::none;
  /// Run test cases instead of a model.
  bool check = false;
  std::vector<std::string> checkPaths;
  rt::DerivedForm checkForm;
  /// How many cases to run; all without it.
  std::optional<uint64_t> checkSample;
  uint64_t checkJobs = 1;
  std::string checkFilter;
  std::string checkReport;
  /// Where the artifacts of the cases are; empty: they are compiled.
  std::string artifacts;
  bool help = false;
  bool version = false;
};

/// Whether \p flags ask for a compilation cache.
inline bool wantsCache(const Flags &flags) {
  return !flags.cacheDir.empty() && !flags.noCache;
}

/// Reads \p arguments, the program's name not among them. invalidArgument names
/// the argument that is wrong.
rt::Result<Flags> parseFlags(std::span<const std::string_view> arguments);

/// What --help prints.
std::string helpText();

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_FLAGS_H
