//===- Check.h - Runs conformance cases -------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_CHECK_CHECK_H
#define NNHAL_LIB_TOOLS_CHECK_CHECK_H

#include "Tools/Execution/Preparation.h"
#include "Ways.h"

#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/TestCase.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::tools {

/// The test cases to run, and the way to run them.
struct CheckRequest {
  /// Files, and folders that are searched.
  std::vector<std::string> paths;
  rt::DerivedForm form;
  /// The number of cases to run; all of them without it.
  std::optional<uint64_t> sample;
  uint64_t jobs = 1;
  /// A regular expression; empty for all.
  std::string filter;
  /// The path of the machine-readable report; empty for none.
  std::string report;
  /// The folder that the artifacts of the cases are written to, and nothing is
  /// executed; empty: they are not.
  std::string emit;
  /// The folder that the artifacts of the cases are in; empty: they are
  /// compiled.
  std::string artifacts;
  Preparation preparation;
  /// Nanoseconds in which each execution has to end; no bound without it.
  std::optional<uint64_t> timeLimit;
  Ways ways;
  /// An existing folder of this user alone for the caches of Way::cached. When
  /// it is empty that way is not applicable.
  std::string cacheFolder;
};

/// A case that failed in one of the ways to execute it.
struct WayFailure {
  Way way = Way::sync;
  /// The stage is that of CaseResult.
  std::string stage;
  std::string message;
};

/// The outcome of one case in the form that was asked for.
struct CaseResult {
  enum class Outcome { passed, failed, notApplicable };
  std::string name;
  std::string spec;
  Outcome outcome = Outcome::passed;
  /// The stage at which a failure was reported, expected ones included:
  /// "validation", "preparation", "execution" or "comparison"; empty without
  /// one.
  std::string stage;
  /// The message that was reported there.
  std::string message = {};
  /// The durations of the preparation, and of everything.
  int64_t preparationMicroseconds = 0;
  int64_t microseconds = 0;
  /// One for each way in which the case failed; `stage` and `message` are those
  /// of the first.
  std::vector<WayFailure> failures = {};
  /// The ways that are not defined for the case.
  std::vector<Way> undefined = {};
};

/// A case that takes longer is slow: its time is printed.
inline constexpr int64_t slowCaseMicroseconds = 2000000;

/// A line per slow case of \p results, the slowest first.
std::string describeSlowCases(std::vector<CaseResult> results);

/// Compares how often each class was drawn with the softmax of \p logits, which
/// are [batches, classes]; \p drawn are the classes, [batches, samples] in
/// TENSOR_INT32. Fails with generalFailure, which names the first that is
/// beyond \p tolerance.
rt::Status compareFrequencies(const rt::TestTensor &logits,
                              rt::OperandType logitsType,
                              std::span<const std::byte> drawn,
                              double tolerance);

/// Makes the model of a case ready to execute. When it returns null the case is
/// not executed, and passes.
using PrepareCase =
    std::function<rt::Result<rt::PreparedModelRef>(const rt::TestCase &)>;

/// The subject of a check: how a case is prepared and executed.
struct CaseSubject {
  /// The device has prepared the result of `prepare`. Without it there are no
  /// buffers.
  const rt::Device *device = nullptr;
  PrepareCase prepare;
  /// Prepares through a cache, for Way::cached. When it is empty that way is
  /// not applicable.
  PrepareCase prepareCached = {};
  Ways ways = {};
  std::optional<uint64_t> timeLimit = {};
};

/// Runs \p test in \p form and in all ways of \p subject. It passes when it
/// passes in each way that is defined for it.
CaseResult checkCase(rt::TestCase test, const CaseSubject &subject,
                     const rt::DerivedForm &form);

/// Runs \p test in \p form as \p prepare prepares it.
CaseResult checkCase(rt::TestCase test, const PrepareCase &prepare,
                     const rt::DerivedForm &form);

/// Runs \p test on \p device in \p form.
CaseResult checkCase(rt::TestCase test, const rt::Device &device,
                     const rt::DerivedForm &form);

/// Returns the preparation that \p request asks for: to compile and load a case
/// on \p device; with --emit to write its artifact, for whatever machine, and
/// to leave it at that; with --artifacts to load an artifact that was written
/// so. The artifact of a case is the file of its name in the folder; names that
/// are not file names, and those that have been there before, fail. The result
/// may be called from any thread.
PrepareCase preparationOf(const CheckRequest &request, const rt::Device &device,
                          rt::LazyCompiler &compiler);

/// Returns the way in which \p request prepares cases on \p device twice
/// through a cache: the first preparation fills it, the second has to hit it
/// and is returned. The result is empty where the device or \p request has no
/// caches. It may be called from any thread.
PrepareCase cachedPreparationOf(const CheckRequest &request,
                                const rt::Device &device);

/// Runs all cases of the files and folders of \p request. Prints a
/// line per failure and the totals. False when a case failed; an error when a
/// file cannot be read, or the folder of --emit not be made.
rt::Result<bool> runCheck(const CheckRequest &request, const rt::Device &device,
                          rt::LazyCompiler &compiler);

/// A line for each way in which the case of \p result failed, or one when
/// \p request names no ways.
std::string describeFailure(const CheckRequest &request,
                            const CaseResult &result);

/// The machine-readable report of --report.
std::string reportJson(const CheckRequest &request, const rt::Device &device,
                       const std::vector<CaseResult> &results);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_CHECK_CHECK_H
