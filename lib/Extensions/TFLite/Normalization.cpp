//===- Normalization.cpp - Normalizations of rows -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LOG_SOFTMAX of floats and L2_NORMALIZATION of floats and signed bytes: the
// last dimension is normalized.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "ReciprocalRoot.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet floatsOnly = elementSet(Element::float32);
constexpr ElementSet floatsAndBytes =
    elementSet(Element::float32, Element::int8);

Result<Types> checkRows(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 8));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  return onlyResult(use, use.input(0).dimensions);
}

/// The results of bytes are fractions of 7 bits.
Result<Types> checkL2Rows(const Use &use) {
  NNHAL_ASSIGN_OR_RETURN(Types types, checkRows(use));
  const TensorType &result = use.output(0);
  if (use.element(0) == Element::int8 &&
      (result.scale != 1.0f / 128 || result.zeroPoint != 0))
    return refuse("output 0 has scale ", result.scale, " and zero point ",
                  result.zeroPoint, ", but must have 2^-7 and 0");
  return types;
}

/// Calls \p function(to, from, number of elements) for each row.
template <typename T = float, typename Function>
Status forEachRow(Run &run, Function function) {
  NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
  const auto *from = run.use.data<T>(0);
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

/// Wraps in 32 bits and rounds twice.
Status normalizeBytes(Run &run) {
  const int32_t zeroPoint = run.use.input(0).zeroPoint;
  const Bounds bounds = boundsOf<int8_t>();
  return forEachRow<int8_t>(
      run, [&](int8_t *to, const int8_t *from, int64_t depth) {
        int32_t sum = 0;
        for (int64_t index = 0; index < depth; ++index) {
          const int32_t steps = from[index] - zeroPoint;
          sum = wrappingAdd(sum, steps * steps);
        }
        Factor factor = reciprocalRoot(sum);
        factor.shift += 7;
        for (int64_t index = 0; index < depth; ++index)
          to[index] =
              int8_t(bounds(scale(int32_t(from[index]) - zeroPoint, factor)));
      });
}

Status runL2Normalization(Run &run) {
  if (run.use.element(0) == Element::int8)
    return normalizeBytes(run);
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
    {11, "L2_NORMALIZATION", "input ", 0, floatsAndBytes, l2Options, 1,
     checkL2Rows, runL2Normalization},
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
