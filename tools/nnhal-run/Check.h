//===- Check.h - Runs conformance cases -------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_CHECK_H
#define NNHAL_TOOLS_NNHAL_RUN_CHECK_H

#include "Flags.h"

#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/TestCase.h"

#include <functional>

namespace nnhal::run {

/// What became of one case in the form that was asked for.
struct CaseResult {
  enum class Outcome { passed, failed, notApplicable };
  std::string name;
  std::string spec;
  Outcome outcome = Outcome::passed;
  /// Where a failure was reported, expected ones included: "validation",
  /// "preparation", "execution" or "comparison"; empty without one.
  std::string stage;
  /// What was reported there.
  std::string message = {};
  /// Of the preparation, and of everything.
  int64_t preparationMicroseconds = 0;
  int64_t microseconds = 0;
};

/// A case that takes longer is slow: its time is printed.
inline constexpr int64_t slowCaseMicroseconds = 2000000;

/// A line per slow case of \p results, the slowest first.
std::string describeSlowCases(std::vector<CaseResult> results);

/// Compares how often each class was drawn with the softmax of \p logits, which
/// are [batches, classes]; \p drawn are the classes, [batches, samples] in
/// TENSOR_INT32. generalFailure names the first that is beyond \p tolerance.
rt::Status compareFrequencies(const rt::TestTensor &logits,
                              rt::OperandType logitsType,
                              std::span<const std::byte> drawn,
                              double tolerance);

/// Makes the model of a case ready to execute. Null: the case is not executed,
/// and passes.
using PrepareCase =
    std::function<rt::Result<rt::PreparedModelRef>(const rt::TestCase &)>;

/// Runs \p test in \p form as \p prepare prepares it.
CaseResult checkCase(rt::TestCase test, const PrepareCase &prepare,
                     const rt::DerivedForm &form);

/// Runs \p test on \p device in \p form.
CaseResult checkCase(rt::TestCase test, const rt::Device &device,
                     const rt::DerivedForm &form);

/// What \p flags ask for: to compile and load a case on \p device; with
/// --emit to write its artifact, for whatever machine, and to leave it at that;
/// with --artifacts to load what was written so. The artifact of a case is the
/// file of its name in the folder; names that are no file names, and those that
/// have been there before, fail. May be called from any thread.
PrepareCase preparationOf(const Flags &flags, const rt::Device &device,
                          rt::LazyCompiler &compiler);

/// Runs all cases of the files and folders of \p flags.checkPaths. Prints a
/// line per failure and the totals. False when a case failed; an error when a
/// file cannot be read, or the folder of --emit not be made.
rt::Result<bool> runCheck(const Flags &flags, const rt::Device &device,
                          rt::LazyCompiler &compiler);

/// The machine-readable report of --report.
std::string reportJson(const Flags &flags, const rt::Device &device,
                       const std::vector<CaseResult> &results);

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_CHECK_H
