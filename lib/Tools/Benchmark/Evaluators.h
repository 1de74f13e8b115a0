//===- Evaluators.h - How right the outputs are -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_EVALUATORS_H
#define NNHAL_LIB_TOOLS_BENCHMARK_EVALUATORS_H

#include "DataSet.h"
#include "Result.h"
#include "Tools/Tensors/Outputs.h"

#include <memory>
#include <optional>
#include <span>

namespace nnhal::tools {

/// Judges the outputs of samples (L-086). The judgement of a sample is a few
/// numbers, so that samples can be judged in any order and on several machines;
/// they are added in the order of the data set, and the result is the same.
///
/// Threads: judge() from any number at once; add() from one at a time.
class Evaluator {
public:
  virtual ~Evaluator() = default;
  /// \p outputs has all frames of \p sample. Fails with invalidArgument when
  /// the outputs are not those that this evaluator is for.
  virtual rt::Result<std::vector<double>>
  judge(const Sample &sample, std::span<const OutputTensor> outputs) const = 0;
  /// Adds what judge() found about the sample called \p name. Fails with
  /// invalidArgument for numbers that judge() does not return.
  virtual rt::Status add(std::string_view name,
                         std::span<const double> judgement) = 0;
  /// Writes what it found to \p run.
  virtual void finish(RunResult &run) const = 0;
};

/// Judges \p sample by \p evaluator, and adds what that found.
rt::Status evaluate(Evaluator &evaluator, const Sample &sample,
                    std::span<const OutputTensor> outputs);

enum class EvaluatorKind { topK, melCepLogF0, phoneErrorRate };
/// "top-k", "mel-cep-log-f0" and "phone-error-rate".
std::string_view nameOf(EvaluatorKind kind);
inline constexpr EvaluatorKind evaluatorKinds[] = {
    EvaluatorKind::topK, EvaluatorKind::melCepLogF0,
    EvaluatorKind::phoneErrorRate};

/// What an evaluator is to demand, beside its kind.
struct EvaluatorRequest {
  EvaluatorKind kind = EvaluatorKind::topK;
  /// top-k: the published share of photos whose first guess is right, and how
  /// far below that counts as an error.
  std::optional<double> expectedTop1;
  double top1Tolerance = 0.05;
  /// mel-cep-log-f0: a file with mean and standard deviation of each output,
  /// pairs of floats; outputs are as they are without it.
  std::string meanAndDeviation;
  /// Beyond these a validation error is reported.
  double melCepLimit = 4.0;
  double logF0Limit = 0.01;
  double phoneErrorLimit = 5.0;
};

/// Fails with invalidArgument for a file of means that is none.
rt::Result<std::unique_ptr<Evaluator>>
makeEvaluator(const EvaluatorRequest &request);

/// Fails with invalidArgument unless \p judgement of the sample \p name has
/// \p count numbers.
rt::Status checkJudgement(std::string_view name,
                          std::span<const double> judgement, size_t count);

/// Mean square and largest error of outputs with expected ones, in elements: in
/// steps of quantized types. Every frame of every output counts by itself.
std::unique_ptr<Evaluator> makeErrorEvaluator();

/// The least number of insertions, deletions and replacements that make
/// \p found of \p expected.
uint64_t editDistance(std::span<const uint32_t> expected,
                      std::span<const uint32_t> found);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_EVALUATORS_H
