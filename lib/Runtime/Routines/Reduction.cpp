//===- Reduction.cpp - The Reduction operations ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Reduction.h"

#include "Routine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

static bool isFloatInput(const RoutineContext &context) {
  OperandType type = context.inputType(0).type;
  return type == OperandType::TENSOR_FLOAT32 ||
         type == OperandType::TENSOR_FLOAT16;
}

//===----------------------------------------------------------------------===//
// MEAN and REDUCE_*
//===----------------------------------------------------------------------===//

/// Folds \p values of \p shape over the reduced dimensions, in row-major order,
/// into elements that begin as \p initial.
template <typename T, typename Element, typename Combine>
static Elements<T> fold(const Elements<Element> &values, const Shape &shape,
                        const std::vector<bool> &isReduced, T initial,
                        Combine combine) {
  if (values.empty()) { // Extents beside one of 0 have no bounded product.
    Shape kept;
    for (size_t i = 0; i < shape.size(); ++i)
      kept.push_back(isReduced[i] ? 1 : shape[i]);
    return Elements<T>(size_t(elementCount(kept)), initial);
  }
  // Reduced dimensions do not move the position in the result.
  Shape strides(shape.size(), 0);
  int64_t count = 1;
  for (size_t i = shape.size(); i-- > 0;)
    if (!isReduced[i]) {
      strides[i] = count;
      count *= shape[i];
    }
  Elements<T> result(size_t(count), initial);
  Shape position(shape.size(), 0);
  int64_t target = 0;
  for (const Element &value : values) {
    T &element = result[size_t(target)];
    element = combine(element, value);
    for (size_t i = shape.size(); i-- > 0;) {
      target += strides[i];
      if (++position[i] < shape[i])
        break;
      target -= position[i] * strides[i];
      position[i] = 0;
    }
  }
  return result;
}

template <typename Combine>
static Status foldFloats(RoutineContext &context, float initial,
                         Combine combine) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<bool> isReduced,
                         decodeReducedDimensions(context.operation()));
  context.storeFloats(0, fold(context.floats(0), context.inputShape(0),
                              isReduced, initial, combine));
  return Status::ok();
}

template <typename Combine>
static Status foldIntegers(RoutineContext &context, int32_t initial,
                           Combine combine) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<bool> isReduced,
                         decodeReducedDimensions(context.operation()));
  context.storeIntegers(0, fold(context.integers(0), context.inputShape(0),
                                isReduced, initial, combine));
  return Status::ok();
}

/// The mean of stored values that add up to \p sum; halves are rounded up, so
/// that signed values behave as unsigned ones 128 above them (M-022, M-130).
static int32_t roundedMean(int64_t sum, int64_t count) {
  int64_t doubled = 2 * sum + count;
  int64_t quotient = doubled / (2 * count);
  return int32_t(doubled % (2 * count) < 0 ? quotient - 1 : quotient);
}

static Status meanOf(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<bool> isReduced,
                         decodeReducedDimensions(context.operation()));
  const Shape &shape = context.inputShape(0);
  int64_t count = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    count *= isReduced[i] ? shape[i] : 1;
  if (isFloatInput(context)) {
    Elements<float> sums =
        fold(context.floats(0), shape, isReduced, 0.0f, std::plus<float>());
    for (float &sum : sums)
      sum /= float(count);
    context.storeFloats(0, sums);
    return Status::ok();
  }
  Elements<int64_t> sums = fold(context.integers(0), shape, isReduced,
                                int64_t(0), std::plus<int64_t>());
  Elements<int32_t> means;
  for (int64_t sum : sums)
    means.push_back(roundedMean(sum, count));
  context.storeIntegers(0, means);
  return Status::ok();
}

static Status sumOf(RoutineContext &context) {
  return foldFloats(context, 0.0f, std::plus<float>());
}

static Status productOf(RoutineContext &context) {
  return foldFloats(context, 1.0f, std::multiplies<float>());
}

static Status maximumOf(RoutineContext &context) {
  auto larger = [](auto best, auto value) { return std::max(best, value); };
  if (isFloatInput(context))
    return foldFloats(context, -std::numeric_limits<float>::infinity(), larger);
  return foldIntegers(context, std::numeric_limits<int32_t>::min(), larger);
}

static Status minimumOf(RoutineContext &context) {
  auto smaller = [](auto best, auto value) { return std::min(best, value); };
  if (isFloatInput(context))
    return foldFloats(context, std::numeric_limits<float>::infinity(), smaller);
  return foldIntegers(context, std::numeric_limits<int32_t>::max(), smaller);
}

static Status allOf(RoutineContext &context) {
  return foldIntegers(context, 1, [](int32_t all, int32_t value) {
    return int32_t(all && value != 0);
  });
}

static Status anyOf(RoutineContext &context) {
  return foldIntegers(context, 0, [](int32_t any, int32_t value) {
    return int32_t(any || value != 0);
  });
}

//===----------------------------------------------------------------------===//
// ARGMAX and ARGMIN
//===----------------------------------------------------------------------===//

/// The index along \p axis of the first element that no other is better than.
template <typename T, typename IsBetter>
static Elements<int32_t> bestIndices(const Elements<T> &values,
                                     const Shape &shape, int64_t axis,
                                     IsBetter isBetter) {
  if (values.empty()) // The axis has elements, so that the result has none.
    return {};
  std::span<const int64_t> extents = shape;
  int64_t inner = elementCount(extents.subspan(size_t(axis) + 1));
  int64_t extent = shape[size_t(axis)];
  int64_t outer = elementCount(extents.first(size_t(axis)));
  Elements<int32_t> result;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      auto at = [&](int64_t k) {
        return values[size_t((o * extent + k) * inner + i)];
      };
      int64_t best = 0;
      for (int64_t k = 1; k < extent; ++k)
        if (isBetter(at(k), at(best))) // Ties keep the lowest (M-136).
          best = k;
      result.push_back(int32_t(best));
    }
  return result;
}

template <typename IsBetter>
static Status storeBestIndices(RoutineContext &context, IsBetter isBetter) {
  NNHAL_ASSIGN_OR_RETURN(int64_t axis, decodeArgAxis(context.operation()));
  const Shape &shape = context.inputShape(0);
  context.storeIntegers(
      0, isFloatInput(context)
             ? bestIndices(context.floats(0), shape, axis, isBetter)
             : bestIndices(context.integers(0), shape, axis, isBetter));
  return Status::ok();
}

static Status argMax(RoutineContext &context) {
  return storeBestIndices(context, std::greater<>());
}

static Status argMin(RoutineContext &context) {
  return storeBestIndices(context, std::less<>());
}

//===----------------------------------------------------------------------===//
// TOPK_V2
//===----------------------------------------------------------------------===//

/// Whether \p a ranks before \p b; NaNs come last.
template <typename T> static bool isLarger(T a, T b) {
  bool isNumber = a == a, isOtherNumber = b == b;
  return isNumber && (!isOtherNumber || a > b);
}

/// Appends the \p k largest elements of \p row and their indices, best first;
/// of equal elements the one with the larger index (M-137, decisions 12).
template <typename T>
static void appendLargest(std::span<const T> row, int64_t k,
                          Elements<T> &values, Elements<int32_t> &indices) {
  Elements<int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  auto ranksBefore = [&](int32_t a, int32_t b) {
    if (isLarger(row[size_t(a)], row[size_t(b)]))
      return true;
    return !isLarger(row[size_t(b)], row[size_t(a)]) && a > b;
  };
  std::partial_sort(order.begin(), order.begin() + k, order.end(), ranksBefore);
  for (int32_t index : std::span(order).first(size_t(k))) {
    values.push_back(row[size_t(index)]);
    indices.push_back(index);
  }
}

/// Appends for every row of the last dimension.
template <typename T>
static Elements<T> largestOf(const RoutineContext &context,
                             const Elements<T> &elements,
                             Elements<int32_t> &indices) {
  auto extent = size_t(context.inputShape(0).back());
  Elements<T> values;
  for (size_t at = 0; at < elements.size(); at += extent)
    appendLargest(std::span(elements).subspan(at, extent),
                  context.outputShape(0).back(), values, indices);
  return values;
}

static Status topKOf(RoutineContext &context) {
  Elements<int32_t> indices;
  if (isFloatInput(context))
    context.storeFloats(0, largestOf(context, context.floats(0), indices));
  else
    context.storeIntegers(0, largestOf(context, context.integers(0), indices));
  context.storeIntegers(1, indices);
  return Status::ok();
}

std::span<const RoutineRow> reference::reductionRoutines() {
  static constexpr RoutineRow rows[] = {
      {OperationType::MEAN, meanOf},
      {OperationType::REDUCE_SUM, sumOf},
      {OperationType::REDUCE_PROD, productOf},
      {OperationType::REDUCE_MAX, maximumOf},
      {OperationType::REDUCE_MIN, minimumOf},
      {OperationType::REDUCE_ALL, allOf},
      {OperationType::REDUCE_ANY, anyOf},
      {OperationType::ARGMAX, argMax},
      {OperationType::ARGMIN, argMin},
      {OperationType::TOPK_V2, topKOf},
  };
  return rows;
}
