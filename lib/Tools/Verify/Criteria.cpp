//===- Criteria.cpp - How accurate random graphs have to be ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Criteria.h"

#include "Tools/Tensors/Compare.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Validate.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::verify;
using rt::HalVersion;
using rt::OperandType;
using rt::OperationType;
using rt::Status;

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

// L-058: bias, mean square error, atol, rtol.
static Criterion criterionOfFloats(AccuracyClass accuracy) {
  using enum AccuracyClass;
  switch (accuracy) {
  case strict:
    return {1e-7, 1e-10, 1e-6, 1e-6};
  case medium:
    return {1e-6, 1e-8, 1e-5, 1e-5};
  case relaxed:
    return {3e-5, 1e-6, 1e-3, 1e-3};
  case convolution:
    return {4e-4, 1e-5, 2e-2, 2e-2};
  case smallGraph:
    return {4e-4, 1e-5, 1e-2, 1e-2};
  case largeGraph:
    return {1e-2, 1e-4, 1e-1, 1e-1};
  }
  return {};
}

// L-059, in the same order.
static Criterion criterionOfHalfFloats(AccuracyClass accuracy) {
  using enum AccuracyClass;
  switch (accuracy) {
  case strict:
    return {1e-4, 1e-8, 1e-3, 1e-3};
  case medium:
    return {1e-3, 1e-5, 1e-2, 1e-2};
  case relaxed:
    return {5e-3, 1e-3, 1.0, 1.0};
  case convolution:
  case smallGraph:
    return {5e-2, 1e-2, 1.0, 1.0};
  case largeGraph:
    return {1e-1, 5e-2, 1.0, 1.0};
  }
  return {};
}

// L-060: bias, mean square error, atol.
static Criterion criterionOfQuantized(AccuracyClass accuracy) {
  using enum AccuracyClass;
  switch (accuracy) {
  case strict:
    return {0.1, 0.1, 1.0};
  case medium:
    return {1.2, 1.2, 2.0};
  case relaxed:
  case convolution:
    return {1.5, 1.5, 10.0};
  case smallGraph:
  case largeGraph:
    return {2.0, 2.0, 12.0};
  }
  return {};
}

Criterion verify::criterionFor(AccuracyClass accuracy, OperandType type,
                               bool isRelaxed) {
  Criterion criterion;
  if (isFloat(type)) {
    bool isHalf = isRelaxed || type == OperandType::FLOAT16 ||
                  type == OperandType::TENSOR_FLOAT16;
    criterion =
        isHalf ? criterionOfHalfFloats(accuracy) : criterionOfFloats(accuracy);
    // Larger expectations are skipped, as there (L-057).
    criterion.largestExpected = isHalf ? 1e2 : 1e3;
    return criterion;
  }
  if (isQuantized(type))
    return criterionOfQuantized(accuracy);
  if (type == OperandType::BOOL || type == OperandType::TENSOR_BOOL8)
    criterion.differing = 0.1;
  else
    criterion.atol = 1.0;
  return criterion;
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

namespace {

using enum OperationType;

// Operations that only move or compare elements (L-066, L-069, L-073, L-077).
constexpr OperationType strictOperations[] = {ARGMAX,
                                              ARGMIN,
                                              BATCH_TO_SPACE_ND,
                                              CHANNEL_SHUFFLE,
                                              DEPTH_TO_SPACE,
                                              EMBEDDING_LOOKUP,
                                              EQUAL,
                                              EXPAND_DIMS,
                                              FILL,
                                              GATHER,
                                              GREATER,
                                              GREATER_EQUAL,
                                              HASHTABLE_LOOKUP,
                                              LESS,
                                              LESS_EQUAL,
                                              LOGICAL_AND,
                                              LOGICAL_NOT,
                                              LOGICAL_OR,
                                              NOT_EQUAL,
                                              PAD,
                                              PAD_V2,
                                              RANK,
                                              RESHAPE,
                                              SELECT,
                                              SLICE,
                                              SPACE_TO_BATCH_ND,
                                              SPACE_TO_DEPTH,
                                              SQUEEZE,
                                              STRIDED_SLICE,
                                              TILE,
                                              TOPK_V2,
                                              TRANSPOSE};

// Operations with a rounding or two per element (L-064, L-067, L-071, L-075).
constexpr OperationType mediumOperations[] = {
    ABS,        ADD,     CAST,    CONCATENATION, DEQUANTIZE, ELU,   FLOOR,
    HARD_SWISH, MAXIMUM, MINIMUM, MUL,           NEG,        PRELU, QUANTIZE,
    RELU,       RELU1,   RELU6,   SPLIT,         SUB};

// Operations that add up or approximate functions (L-065, L-068, L-072, L-076).
constexpr OperationType relaxedOperations[] = {AVERAGE_POOL_2D,
                                               DIV,
                                               EXP,
                                               FULLY_CONNECTED,
                                               HEATMAP_MAX_KEYPOINT,
                                               INSTANCE_NORMALIZATION,
                                               L2_NORMALIZATION,
                                               L2_POOL_2D,
                                               LOCAL_RESPONSE_NORMALIZATION,
                                               LOG,
                                               LOGISTIC,
                                               LOG_SOFTMAX,
                                               MAX_POOL_2D,
                                               MEAN,
                                               POW,
                                               REDUCE_ALL,
                                               REDUCE_ANY,
                                               REDUCE_MAX,
                                               REDUCE_MIN,
                                               REDUCE_PROD,
                                               REDUCE_SUM,
                                               RESIZE_BILINEAR,
                                               RESIZE_NEAREST_NEIGHBOR,
                                               ROI_ALIGN,
                                               ROI_POOLING,
                                               RSQRT,
                                               SIN,
                                               SOFTMAX,
                                               SQRT,
                                               TANH};

// The convolutions of all versions (L-063, L-070, L-074).
constexpr OperationType convolutions[] = {CONV_2D, DEPTHWISE_CONV_2D,
                                          GROUPED_CONV_2D, TRANSPOSE_CONV_2D};

struct Class {
  AccuracyClass accuracy;
  std::span<const OperationType> operations;
};

constexpr Class classes[] = {
    {AccuracyClass::strict, strictOperations},
    {AccuracyClass::medium, mediumOperations},
    {AccuracyClass::relaxed, relaxedOperations},
    {AccuracyClass::convolution, convolutions},
};

} // namespace

AccuracyClass verify::classOf(OperationType operation, HalVersion version) {
  // The form of 1.3, that of integers, is the one that changes its class.
  if (operation == DIV && version == HalVersion::V1_3)
    return AccuracyClass::medium;
  for (const Class &each : classes)
    if (std::ranges::find(each.operations, operation) != each.operations.end())
      return each.accuracy;
  return AccuracyClass::smallGraph;
}

AccuracyClass verify::classOf(const rt::Model &model) {
  const std::vector<rt::Operation> &operations = model.main.operations;
  // Small graphs have up to five operations (L-048).
  constexpr size_t largestSmallGraph = 5;
  if (operations.size() > largestSmallGraph)
    return AccuracyClass::largeGraph;
  if (operations.size() != 1)
    return AccuracyClass::smallGraph;
  auto version = rt::lowestVersion(model);
  return classOf(operations[0].type,
                 version.isOk() ? *version : HalVersion::V1_3);
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

static Status checkBooleans(const Criterion &criterion,
                            const TestTensor &actual,
                            const TestTensor &expected) {
  const size_t count = expected.bytes.size();
  size_t differing = 0;
  for (size_t i = 0; i < count; ++i)
    differing += (actual.bytes[i] != 0) != (expected.bytes[i] != 0);
  // Rounded up, so that of few booleans one may differ.
  auto allowed = size_t(std::ceil(criterion.differing * double(count)));
  if (differing <= allowed)
    return Status::ok();
  return rt::failure("{} of {} booleans differ, at most {} may", differing,
                     count, allowed);
}

namespace {

/// The errors of the elements that count.
struct Errors {
  uint64_t count = 0;
  double sum = 0.0;
  double squares = 0.0;

  void add(double error) {
    ++count;
    sum += error;
    squares += error * error;
  }
  Status check(const Criterion &criterion) const;
};

} // namespace

Status Errors::check(const Criterion &criterion) const {
  // Means of fewer say nothing (L-056).
  constexpr uint64_t fewest = 10;
  if (count < fewest)
    return Status::ok();
  double bias = std::abs(sum / double(count));
  if (!(bias <= criterion.bias))
    return rt::failure("the mean error of {} elements is {:.3g}, at most {} "
                       "is allowed",
                       count, bias, criterion.bias);
  double meanSquare = squares / double(count);
  if (!(meanSquare <= criterion.meanSquare))
    return rt::failure("the mean square error of {} elements is {:.3g}, at "
                       "most {} is allowed",
                       count, meanSquare, criterion.meanSquare);
  return Status::ok();
}

Status verify::checkCriterion(const Criterion &criterion, OperandType type,
                              const TestTensor &actual,
                              const TestTensor &expected) {
  if (type == OperandType::BOOL || type == OperandType::TENSOR_BOOL8)
    return checkBooleans(criterion, actual, expected);
  Errors errors;
  const uint64_t count = elementCount(expected.dimensions);
  for (uint64_t i = 0; i < count; ++i) {
    double wanted = loadElement(type, expected.bytes, i);
    if (!(std::abs(wanted) <= criterion.largestExpected) || std::isinf(wanted))
      continue; // NaN, infinite or large expectations are skipped (L-057).
    double is = loadElement(type, actual.bytes, i);
    double bound = criterion.atol + criterion.rtol * std::abs(wanted);
    if (!(std::abs(is - wanted) <= bound))
      return rt::failure("element {} {} is {}, expected {} within {:.3g}", i,
                         tools::positionText(i, expected.dimensions), is,
                         wanted, bound);
    errors.add((is - wanted) /
               (isFloat(type) ? std::max(1.0, std::abs(wanted)) : 1.0));
  }
  return errors.check(criterion);
}
