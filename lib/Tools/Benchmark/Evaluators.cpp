//===- Evaluators.cpp - How right the outputs are -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"

#include "SequenceEvaluators.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::Status;

std::string_view tools::nameOf(EvaluatorKind kind) {
  switch (kind) {
  case EvaluatorKind::topK:
    return "top-k";
  case EvaluatorKind::melCepLogF0:
    return "mel-cep-log-f0";
  case EvaluatorKind::phoneErrorRate:
    break;
  }
  return "phone-error-rate";
}

Status tools::evaluate(Evaluator &evaluator, const Sample &sample,
                       std::span<const OutputTensor> outputs) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<double> judgement,
                         evaluator.judge(sample, outputs));
  return evaluator.add(sample.name, judgement);
}

Status tools::checkJudgement(std::string_view name,
                             std::span<const double> judgement, size_t count) {
  if (judgement.size() == count)
    return Status::ok();
  return badData("the judgement of '{}' has {} numbers, expected {}", name,
                 judgement.size(), count);
}

namespace {

/// The share of photos whose class is among the first k guesses.
class TopK : public Evaluator {
public:
  TopK(std::optional<double> expected, double tolerance)
      : expected(expected), tolerance(tolerance) {}

  rt::Result<std::vector<double>>
  judge(const Sample &sample,
        std::span<const OutputTensor> outputs) const override;
  Status add(std::string_view name, std::span<const double> judgement) override;
  void finish(RunResult &run) const override;

private:
  static constexpr size_t most = 5;
  std::optional<double> expected;
  double tolerance;
  std::array<uint64_t, most> hits = {};
  uint64_t total = 0;
};

class Errors : public Evaluator {
public:
  rt::Result<std::vector<double>>
  judge(const Sample &sample,
        std::span<const OutputTensor> outputs) const override;
  Status add(std::string_view name, std::span<const double> judgement) override;
  void finish(RunResult &run) const override {
    run.sumOfMeanSquareErrors = sum;
    run.maxSingleError = largest;
  }

private:
  double sum = 0.0;
  double largest = 0.0;
};

} // namespace

/// The judgement is the number of classes before the right one.
rt::Result<std::vector<double>>
TopK::judge(const Sample &sample, std::span<const OutputTensor> outputs) const {
  if (!sample.expectedClass)
    return badData("'{}' has no class, which top-k compares with", sample.name);
  const OutputTensor &scores = outputs[0];
  const ElementFormat &format = formatOf(scores.type);
  size_t count = scores.bytes.size() / format.size;
  uint32_t truth = *sample.expectedClass;
  if (truth >= count)
    return badData("class {} of '{}' is not among the {} of the model", truth,
                   sample.name, count);
  auto scoreOf = [&](size_t i) {
    return format.load(scores.bytes.data() + i * format.size);
  };
  double own = scoreOf(truth);
  // The first class with a score is before the others that have it; no class is
  // behind one whose score is not a number.
  size_t rank = 0;
  for (size_t i = 0; i < count; ++i) {
    double other = scoreOf(i);
    if (i != truth &&
        (std::isnan(own) || other > own || (other == own && i < truth)))
      ++rank;
  }
  return std::vector<double>{double(rank)};
}

Status TopK::add(std::string_view name, std::span<const double> judgement) {
  NNHAL_RETURN_IF_ERROR(checkJudgement(name, judgement, 1));
  for (size_t k = 0; k < most; ++k)
    hits[k] += judgement[0] <= double(k) ? 1 : 0;
  ++total;
  return Status::ok();
}

void TopK::finish(RunResult &run) const {
  for (size_t k = 0; k < most; ++k)
    run.evaluators.push_back({fmt::format("top_{}", k + 1),
                              total ? double(hits[k]) / double(total) : 0.0});
  if (!expected || total == 0)
    return;
  double found = double(hits[0]) / double(total);
  if (found < *expected - tolerance)
    run.validationErrors.push_back(
        fmt::format("top-1 is {:.2f} %, and {:.2f} % less {:.2f} is expected",
                    100 * found, 100 * *expected, 100 * tolerance));
}

/// The judgement is the sum of mean square errors and the largest error.
rt::Result<std::vector<double>>
Errors::judge(const Sample &sample,
              std::span<const OutputTensor> outputs) const {
  double sum = 0.0, largest = 0.0;
  uint64_t frames = sample.inputs.frameCount;
  for (size_t i = 0; i < sample.expected.size(); ++i) {
    if (!sample.expected[i])
      continue;
    const ExpectedOutput &expected = *sample.expected[i];
    const ElementFormat &format = formatOf(outputs[i].type, outputs[i].kind);
    size_t count = outputs[i].bytes.size() / format.size;
    size_t known = expected.bytes.size() / expected.format->size;
    if (count != known)
      return badData("output {} of '{}' has {} elements, and {} are expected",
                     i, sample.name, count, known);
    double squares = 0.0;
    for (size_t j = 0; j < count; ++j) {
      double difference =
          std::abs(format.load(outputs[i].bytes.data() + j * format.size) -
                   expected.format->load(expected.bytes.data() +
                                         j * expected.format->size));
      squares += difference * difference;
      // Also one that is not a number, and so is no larger one.
      if (!(difference <= largest))
        largest = difference;
    }
    // The sum over frames of the mean over a frame.
    if (count > 0)
      sum += squares / (double(count) / double(frames));
  }
  return std::vector<double>{sum, largest};
}

Status Errors::add(std::string_view name, std::span<const double> judgement) {
  NNHAL_RETURN_IF_ERROR(checkJudgement(name, judgement, 2));
  sum += judgement[0];
  if (!(judgement[1] <= largest))
    largest = judgement[1];
  return Status::ok();
}

std::unique_ptr<Evaluator> tools::makeErrorEvaluator() {
  return std::make_unique<Errors>();
}

rt::Result<std::unique_ptr<Evaluator>>
tools::makeEvaluator(const EvaluatorRequest &request) {
  switch (request.kind) {
  case EvaluatorKind::topK:
    break;
  case EvaluatorKind::melCepLogF0:
    return makeMelCepLogF0(request);
  case EvaluatorKind::phoneErrorRate:
    return makePhoneErrorRate(request);
  }
  return std::unique_ptr<Evaluator>(
      std::make_unique<TopK>(request.expectedTop1, request.top1Tolerance));
}
