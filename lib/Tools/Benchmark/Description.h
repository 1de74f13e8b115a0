//===- Description.h - What is to be measured -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_DESCRIPTION_H
#define NNHAL_LIB_TOOLS_BENCHMARK_DESCRIPTION_H

#include "DataSet.h"
#include "Evaluators.h"
#include "Tools/Execution/Modes.h"

#include <optional>
#include <string>
#include <vector>

namespace nnhal::tools {

/// A model to be measured.
struct ModelEntry {
  /// The name in results: that of the file without its ending by default.
  std::string name;
  std::string file;
  /// The case of a file of test cases; nothing for other files.
  std::optional<uint64_t> testCase;
  /// The names of data sets; empty: the examples of a test case, otherwise
  /// every set of the description, and random inputs where it has none.
  std::vector<std::string> data;
  /// The published accuracy, and what photos were quantized with for it.
  std::optional<double> expectedTop1;
  std::optional<double> inputScale;
  std::optional<double> inputZeroPoint;
  NamedShapes shapes;
};

enum class DataKind { photos, tensors, random, examples };

/// A data set to measure models on.
struct DataEntry {
  std::string name;
  DataKind kind = DataKind::random;
  PhotosRequest photos;
  TensorsRequest tensors;
  uint64_t seed = 1;
  std::vector<EvaluatorRequest> evaluators;
};

/// A way to execute: a mode, in this process or through a service.
struct BenchmarkWay {
  ExecutionMode mode = ExecutionMode::sync;
  bool isService = false;
  /// "sync", "service", "service-burst".
  std::string name() const;
  bool operator==(const BenchmarkWay &) const = default;
};
/// Fails with invalidArgument, which names the ways that there are.
rt::Result<BenchmarkWay> parseBenchmarkWay(std::string_view text);

/// How long each run takes at least and at most.
struct Effort {
  /// Executions before the measured ones.
  uint64_t warmup = 2;
  /// Every sample is executed once, and as many executions as there are in so
  /// many seconds, but no fewer than these.
  uint64_t iterations = 20;
  double seconds = 1.0;
  /// A run that takes longer is ended, and has failed.
  double timeLimitSeconds = 600.0;
};

/// Everything that one file of JSON says: models times data sets times devices
/// times ways times threads.
struct Description {
  std::vector<ModelEntry> models;
  std::vector<DataEntry> data;
  /// Names; several with '+' between them divide models among them.
  std::vector<std::string> devices = {"nnhal-cpu"};
  std::string baseline;
  std::vector<BenchmarkWay> ways = {{}};
  std::vector<uint64_t> threads = {1};
  Effort effort;
  /// Measure what the machine can do at most.
  bool roofs = false;
  std::vector<std::string> plugins;
};

/// Reads the file \p path; files that it names are relative to its folder.
/// invalidArgument names the file, the key, what was found and what is allowed.
rt::Result<Description> readDescription(const std::string &path);

/// Reads one member of "data", which is JSON in \p text, and one element of
/// "evaluators"; files that they name are relative to \p folder. Photos that
/// are preprocessed in several ways are several entries. Both fail as
/// readDescription() does.
rt::Result<std::vector<DataEntry>> readDataEntries(const std::string &name,
                                                   std::string_view text,
                                                   const std::string &folder);
rt::Result<EvaluatorRequest> readEvaluatorRequest(std::string_view text,
                                                  const std::string &folder);

/// Opens the data set of \p entry, which is not of examples. \p shapes are the
/// extents of random inputs. Fails as openPhotos() and openTensors() do.
rt::Result<std::unique_ptr<DataSet>> openDataSet(const DataEntry &entry,
                                                 const NamedShapes &shapes);

/// The models of a command line: files, and folders of .tflite files. Fails
/// with invalidArgument for a file of another kind and a folder without any.
rt::Result<std::vector<ModelEntry>>
findModels(std::span<const std::string> paths);

/// Replaces each file of test cases by its cases. Fails with what the file is
/// wrong with.
rt::Status expandTestCases(std::vector<ModelEntry> &models);

inline constexpr uint64_t maxThreads = 1024;
inline constexpr uint64_t maxIterations = 100'000'000;
inline constexpr double maxSeconds = 1e6;

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_DESCRIPTION_H
