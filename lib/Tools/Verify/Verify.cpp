//===- Verify.cpp - Executions held against the reference -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "Judge.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <filesystem>

using namespace nnhal;
using namespace nnhal::verify;
using rt::Status;

/// Executions with the same inputs say the same.
static void removeRepetitions(rt::TestCase &test) {
  auto areSame = [](const rt::TestExample &one, const rt::TestExample &other) {
    return std::ranges::equal(
        one.inputs, other.inputs,
        [](const TestTensor &left, const TestTensor &right) {
          return left.isAbsent == right.isAbsent &&
                 left.dimensions == right.dimensions &&
                 left.bytes == right.bytes;
        });
  };
  std::vector<rt::TestExample> kept;
  for (rt::TestExample &example : test.examples)
    if (std::ranges::none_of(kept, [&](const rt::TestExample &each) {
          return areSame(each, example);
        }))
      kept.push_back(std::move(example));
  test.examples = std::move(kept);
}

static Status writeCase(rt::TestCase culprit, const std::string &path) {
  culprit.name = std::filesystem::path(path).stem().string();
  culprit.spec = "verify";
  culprit.recording.reset();
  NNHAL_ASSIGN_OR_RETURN(std::string text,
                         rt::writeTestCases(std::span(&culprit, 1)));
  return rt::writeFileAtomically(path, std::as_bytes(std::span(text)));
}

static std::string agreement(const Verdict &verdict, const rt::TestCase &test,
                             const rt::Device &reference) {
  std::string text =
      fmt::format("each of {} operations agrees with {} in {} executions",
                  test.model.main.operations.size(), reference.name(),
                  test.examples.size());
  if (!verdict.conditioned.empty())
    text += fmt::format(", {} of them by what rounding does to their inputs",
                        verdict.conditioned.size());
  if (verdict.outcome == Verdict::Outcome::accumulated)
    text += "; outputs differ by more than one operation may, since errors of "
            "rounding add up";
  return text;
}

rt::Result<std::string> verify::verifyCase(const VerifyRequest &request,
                                           const rt::Device &tested,
                                           const rt::Device &reference,
                                           rt::TestCase test) {
  removeRepetitions(test);
  JudgeOptions options;
  options.prepare = tools::prepareOptions(request.preparation);
  options.prepare.deadline = rt::noDeadline;
  options.judgesAllOperations = true;
  options.wantsCulprit = true;
  Verdict verdict = judge(tested, reference, test, options);
  if (verdict.outcome != Verdict::Outcome::mismatch)
    return agreement(verdict, test, reference);
  if (!verdict.culprit)
    return rt::failure("{} differs from {}: {}: {}", tested.name(),
                       reference.name(), verdict.stage, verdict.message);
  NNHAL_RETURN_IF_ERROR(writeCase(*verdict.culprit, request.caseFile));
  return rt::failure("{} differs from {}: {}; '{}' has the case", tested.name(),
                     reference.name(), verdict.message, request.caseFile);
}
