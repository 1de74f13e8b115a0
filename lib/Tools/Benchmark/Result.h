//===- Result.h - What one run of a benchmark measured ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_RESULT_H
#define NNHAL_LIB_TOOLS_BENCHMARK_RESULT_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::tools {

/// The five choices that make a run; two runs of one name can be compared.
struct RunName {
  std::string model;
  std::string data;
  std::string device;
  /// "sync", "burst", "service" and so on.
  std::string way;
  uint64_t threads = 1;

  /// "mobilenet photos nnhal-cpu sync 1".
  std::string text() const;
  auto operator<=>(const RunName &) const = default;
};

/// What a start of a model takes, in microseconds: reading, compiling or
/// loading from a cache, and the first execution.
struct StartTimes {
  double load = 0.0;
  double prepare = 0.0;
  double first = 0.0;
  double total() const { return load + prepare + first; }
  bool operator==(const StartTimes &) const = default;
};

/// One operation of the main subgraph.
struct OperationResult {
  /// "CONV_2D".
  std::string type;
  /// The device that executes it, and its step of a divided model.
  std::string device;
  uint64_t step = 0;
  /// The time in one execution; absent where the code does not tell it.
  std::optional<uint64_t> nanoseconds;
  bool operator==(const OperationResult &) const = default;
};

/// A number that an evaluator found.
struct EvaluatorValue {
  std::string key;
  double value = 0.0;
  bool operator==(const EvaluatorValue &) const = default;
};

/// Why an accuracy is not what it has to be, or a run did not come about, is a
/// text: results are read by people and kept in files.
struct RunResult {
  RunName name;
  /// What kept the run from its end; empty for none. Then nothing below holds.
  std::string benchmarkError;

  /// The time of each measured execution, in microseconds, in order.
  std::vector<double> latencies;
  /// The number of samples of the data set.
  uint64_t testSetSize = 0;
  /// Over all outputs of all samples that have an expected one; L-088.
  double sumOfMeanSquareErrors = 0.0;
  double maxSingleError = 0.0;
  std::vector<EvaluatorValue> evaluators;
  std::vector<std::string> validationErrors;

  StartTimes cold;
  /// Absent where nothing is cached.
  std::optional<StartTimes> warm;
  /// Bytes: of the process at most, and of the model.
  uint64_t peakMemory = 0;
  uint64_t arena = 0;
  uint64_t artifact = 0;
  std::vector<OperationResult> operations;
  /// What one execution takes at least: multiplications and additions of the
  /// contractions, and bytes of constants, inputs and outputs.
  double arithmetic = 0.0;
  double traffic = 0.0;
  /// The contractions are of 8-bit integers.
  bool isQuantized = false;

  bool hasFailed() const { return !benchmarkError.empty(); }
  double totalSeconds() const;
  /// The following are in microseconds, and 0 without executions.
  double mean() const;
  double standardDeviation() const;
  double median() const;
  /// Null when the evaluator has no such key.
  const EvaluatorValue *find(std::string_view key) const;
  bool operator==(const RunResult &) const = default;
};

/// The bounds of the machine for one thread; 0 where they are not measured.
struct Roofs {
  /// 1e9 operations in a second, of floats and of products of 8-bit integers.
  double floats = 0.0;
  double integers = 0.0;
  /// 1e9 bytes in a second from memory.
  double bandwidth = 0.0;
  bool operator==(const Roofs &) const = default;
};

/// All runs of one benchmark.
struct Report {
  /// "2026-01-31T12:00:00Z".
  std::string time;
  /// The version of this program.
  std::string build;
  /// The processor and how many threads it runs at once.
  std::string machine;
  /// The device that others are compared with.
  std::string baseline;
  Roofs roofs;
  std::vector<RunResult> runs;

  /// Null for a run that is not here.
  const RunResult *find(const RunName &name) const;
  bool operator==(const Report &) const = default;
};

/// The run with the same model and data as \p run, on the baseline device, in
/// the same way and on as many threads as far as there is such a run: a
/// baseline may have been run in one way and on one thread only. Null where
/// there is none that worked.
const RunResult *baselineOf(const Report &report, const RunResult &run);

/// The bundle that is reported for \p run, whose entries begin with \p test
/// (L-091): times in milliseconds, errors, iterations and what evaluators
/// found; `_error` alone has the words of a benchmark error.
std::map<std::string, double> bundleOf(const RunResult &run,
                                       const std::string &test);

/// One entry of the capabilities that the runs on \p device amount to.
struct MeasuredCapability {
  /// "TENSOR_FLOAT32" or "TENSOR_QUANT8_ASYMM".
  std::string type;
  double execTime = 0.0;
  uint64_t models = 0;
};

/// The times of \p device relative to the baseline, as capabilities state them:
/// the geometric mean over the models of a type that both have run in the same
/// way (L-094).
std::vector<MeasuredCapability> capabilitiesOf(const Report &report,
                                               const std::string &device);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_RESULT_H
