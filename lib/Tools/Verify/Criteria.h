//===- Criteria.h - How accurate random graphs have to be -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What Android's random-graph test demands of a driver: bounds of single
// elements and, over the elements of an output, of their mean error and their
// mean square error.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_VERIFY_CRITERIA_H
#define NNHAL_LIB_TOOLS_VERIFY_CRITERIA_H

#include "Elements.h"

#include <limits>

namespace nnhal::verify {

/// The classes of that test: four of single operations, two of graphs.
enum class AccuracyClass {
  strict,
  medium,
  relaxed,
  convolution,
  smallGraph,
  largeGraph,
};

/// What an output is held against. Errors of floats are relative to
/// max(1, |expected|) in the two means, those of other types are in steps.
struct Criterion {
  double bias = std::numeric_limits<double>::infinity();
  double meanSquare = std::numeric_limits<double>::infinity();
  double atol = 0.0;
  double rtol = 0.0;
  /// The share of elements that may differ; of booleans alone.
  double differing = 0.0;
  /// Elements with a larger expectation are not looked at.
  double largestExpected = std::numeric_limits<double>::infinity();
};

/// The criterion of outputs of \p type. Floats of models that \p isRelaxed, see
/// tools::isRelaxed(), have that of half precision (L-003).
Criterion criterionFor(AccuracyClass accuracy, rt::OperandType type,
                       bool isRelaxed);

/// The class of a graph of \p operation alone in a form of \p version. One that
/// Android's test does not draw, such as LSTM, computes as much as a small
/// graph.
AccuracyClass classOf(rt::OperationType operation, rt::HalVersion version);
/// That of the only operation of \p model, or that of graphs: those of up to
/// five operations are small.
AccuracyClass classOf(const rt::Model &model);

/// Fails with generalFailure, which says where and by how much \p actual misses
/// \p criterion. Both have as many elements of \p type.
rt::Status checkCriterion(const Criterion &criterion, rt::OperandType type,
                          const TestTensor &actual, const TestTensor &expected);

} // namespace nnhal::verify

#endif // NNHAL_LIB_TOOLS_VERIFY_CRITERIA_H
