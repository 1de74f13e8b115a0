//===- Judge.h - Compares a device with the reference -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_VERIFY_JUDGE_H
#define NNHAL_LIB_TOOLS_VERIFY_JUDGE_H

#include "Criteria.h"
#include "Rewrite.h"

#include <string>

namespace nnhal::verify {

/// How a graph is judged.
struct JudgeOptions {
  /// Those of each preparation on the tested device; the deadline is not looked
  /// at.
  rt::PrepareOptions prepare = {};
  /// Judge each operation also where all outputs agree.
  bool judgesAllOperations = false;
  /// Fill Verdict::culprit.
  bool wantsCulprit = false;
  /// The criterion of this class takes the place of the table for outputs;
  /// an operation alone is held to that of its own class.
  std::optional<AccuracyClass> accuracy = {};
};

struct Verdict {
  enum class Outcome {
    /// All outputs are within the table of docs/Devices/TestCases.md.
    agrees,
    /// They are not, but every operation is right for the inputs that the
    /// device gave it: errors of rounding have added up.
    accumulated,
    mismatch,
  };
  Outcome outcome = Outcome::agrees;
  /// Where a mismatch was found: "preparation", "execution" or "comparison".
  std::string stage;
  std::string message;
  /// The operation of the main graph that is the first to deviate in a
  /// mismatch, if one does by itself.
  std::optional<size_t> operation;
  /// A case that shows a mismatch. It has the operation alone, with the inputs
  /// that the tested device gave it and what the reference device
  /// answers; or, where operations are wrong only as they are compiled
  /// together, the first operations of the graph that are, with what the tested
  /// device answers when all values are outputs.
  std::optional<rt::TestCase> culprit;
  /// Operations that are within what their conditioning explains rather than
  /// within the table.
  std::vector<rt::OperationType> conditioned;
};

/// Runs \p test, all operations of which \p tested claims to support, on both
/// devices. docs/Internals/Testing.md, "Random graphs", has the rule and the
/// reasons.
///
/// - Preparation succeeds. An execution fails where that of the reference
///   device does, and nowhere else.
/// - Outputs within the table agree. Otherwise the graph runs with all of its
///   intermediate values as outputs, and each operation is judged alone: the
///   reference device gets the inputs that the tested device had.
/// - An operation is right within the table, or within what the reference
///   device answers for inputs a few units in the last place away.
/// - If all are right, the outputs of the graph are those of the run with more
///   outputs, or within what the reference device answers when every operation
///   is off by as much as the table allows. Otherwise what is wrong is how
///   operations were compiled together.
Verdict judge(const rt::Device &tested, const rt::Device &reference,
              const rt::TestCase &test, const JudgeOptions &options = {});

/// Whether \p actual is a right result of \p operation for \p inputs; failure
/// says where it is not. \p accuracy takes the place of the table.
/// \p isConditioned is set when that alone would say no.
rt::Status judgeOperation(const rt::Device &reference, const rt::Model &model,
                          const rt::Operation &operation, const Tensors &inputs,
                          const Tensors &actual,
                          std::optional<AccuracyClass> accuracy,
                          bool &isConditioned);

} // namespace nnhal::verify

#endif // NNHAL_LIB_TOOLS_VERIFY_JUDGE_H
