//===- Normalization.cpp - Normalizations of rows -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LOG_SOFTMAX and L2_NORMALIZATION of floats: the last dimension is normalized.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet floatsOnly = elementSet(Element::float32);

Result<Types> checkRows(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 8));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, floatsOnly));
  return onlyResult(use, use.input(0).dimensions);
}

/// Calls \p function(to, from, number of elements) for each row.
template <typename Function> Status forEachRow(Run &run, Function function) {
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  const auto *from = run.use.data<float>(0);
  int64_t depth = run.types[0].dimensions.back();
  int64_t count = elementCount(run.types[0]);
  for (int64_t place = 0; place < count; place += depth)
    function(to + place, from + place, depth);
  return Status::ok();
}

Status runLogSoftmax(Run &run) {
  return forEachRow(run, [](float *to, const float *from, int64_t depth) {
    float most = *std::max_element(from, from + depth), sum = 0.0f;
    for (int64_t index = 0; index < depth; ++index)
      sum += std::exp(from[index] - most);
    float logarithm = std::log(sum);
    for (int64_t index = 0; index < depth; ++index)
      to[index] = from[index] - most - logarithm;
  });
}

Status runL2Normalization(Run &run) {
  return forEachRow(run, [](float *to, const float *from, int64_t depth) {
    constexpr float leastNorm = 1e-6f;
    float sum = 0.0f;
    for (int64_t index = 0; index < depth; ++index)
      sum += from[index] * from[index];
    float norm = std::max(std::sqrt(sum), leastNorm);
    for (int64_t index = 0; index < depth; ++index)
      to[index] = from[index] / norm;
  });
}

/// TensorFlow Lite takes no other activation.
constexpr OptionRow l2Options[] = {{"activation", OptionKind::integer, 0, 0}};

constexpr OperatorRow rows[] = {
    {11, "L2_NORMALIZATION", "input ", 0, floatsOnly, l2Options, 1, checkRows,
     runL2Normalization},
    {50,
     "LOG_SOFTMAX",
     "input ",
     0,
     floatsOnly,
     {},
     1,
     checkRows,
     runLogSoftmax},
};

} // namespace

Rows tflite::normalizationRows() { return rows; }
