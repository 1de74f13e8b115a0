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

/// Judges the outputs of one sample after another (L-086).
class Evaluator {
public:
  virtual ~Evaluator() = default;
  /// \p outputs has all frames of \p sample. Fails with invalidArgument when
  /// the outputs are not those that this evaluator is for.
  virtual rt::Status add(const Sample &sample,
                         std::span<const OutputTensor> outputs) = 0;
  /// Writes what it found to \p run.
  virtual void finish(RunResult &run) const = 0;
};

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

/// Mean square and largest error of outputs with expected ones, in elements: in
/// steps of quantized types. Every frame of every output counts by itself.
std::unique_ptr<Evaluator> makeErrorEvaluator();

/// The least number of insertions, deletions and replacements that make
/// \p found of \p expected.
uint64_t editDistance(std::span<const uint32_t> expected,
                      std::span<const uint32_t> found);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_EVALUATORS_H
