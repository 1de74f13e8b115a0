//===- Elementwise.h - Loops over elements ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_ELEMENTWISE_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_ELEMENTWISE_H

#include "StridedCopy.h"

namespace nnhal::tflite {

/// Computes every element by itself.
template <typename T = int16_t, typename Function>
Status map(Run &run, Function function) {
  NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
  const T *from = run.use.data<T>(0);
  int64_t count = elementCount(run.types[0]);
  for (int64_t index = 0; index < count; ++index)
    to[index] = function(from[index]);
  return Status::ok();
}

/// The walk over a result with \p count operands that broadcast to it. Rows are
/// the innermost dimension, after neighbours that are one for all have been
/// joined.
template <size_t count> struct BroadcastWalk {
  Extents extents;
  /// The distances of neighbours in each operand; 0 where it is repeated.
  std::array<Extents, count> strides;

  BroadcastWalk(const Extents &result,
                const std::array<const Extents *, count> &operands);

  /// Calls \p row(first element of the result, first elements of operands,
  /// strides of operands, number of elements) for each row.
  template <typename Row> void forEachRow(Row &&row) const;
};

template <size_t count>
BroadcastWalk<count>::BroadcastWalk(
    const Extents &result, const std::array<const Extents *, count> &operands) {
  for (size_t axis = 0; axis < result.size(); ++axis) {
    if (result[axis] == 1)
      continue;
    std::array<int64_t, count> own;
    bool isJoined = !extents.empty();
    for (size_t operand = 0; operand < count; ++operand) {
      const Extents &shape = *operands[operand];
      size_t missing = result.size() - shape.size();
      bool isRepeated = axis < missing || shape[axis - missing] == 1;
      own[operand] = 0;
      if (!isRepeated)
        own[operand] = stridesOf(shape)[axis - missing];
      isJoined =
          isJoined && strides[operand].back() == own[operand] * result[axis];
    }
    if (!isJoined)
      extents.push_back(1);
    extents.back() *= result[axis];
    for (size_t operand = 0; operand < count; ++operand) {
      if (!isJoined)
        strides[operand].push_back(0);
      strides[operand].back() = own[operand];
    }
  }
  if (extents.empty()) {
    extents.push_back(1);
    for (Extents &own : strides)
      own.push_back(0);
  }
}

template <size_t count>
template <typename Row>
void BroadcastWalk<count>::forEachRow(Row &&row) const {
  int64_t inner = extents.back(), total = elementCount(extents);
  std::array<int64_t, count> step, first = {};
  for (size_t operand = 0; operand < count; ++operand)
    step[operand] = strides[operand].back();
  Extents place(extents.size(), 0);
  for (int64_t done = 0; done < total; done += inner) {
    row(done, first, step, inner);
    for (size_t axis = extents.size() - 1; axis-- > 0;) {
      for (size_t operand = 0; operand < count; ++operand)
        first[operand] += strides[operand][axis];
      if (++place[axis] < extents[axis])
        break;
      place[axis] = 0;
      for (size_t operand = 0; operand < count; ++operand)
        first[operand] -= strides[operand][axis] * extents[axis];
    }
  }
}

/// Computes to[i] = function(a[i], b[i]) over the broadcast shape. The row loop
/// has a form for each operand that is one element, which vectorizes.
template <typename To, typename A, typename B, typename Function>
void mapRow(To *to, const A *a, int64_t aStep, const B *b, int64_t bStep,
            int64_t count, Function function) {
  if (aStep == 1 && bStep == 1)
    for (int64_t index = 0; index < count; ++index)
      to[index] = function(a[index], b[index]);
  else if (aStep == 1 && bStep == 0)
    for (int64_t index = 0; index < count; ++index)
      to[index] = function(a[index], *b);
  else
    for (int64_t index = 0; index < count; ++index)
      to[index] = function(a[index * aStep], b[index * bStep]);
}

template <typename To, typename A, typename B, typename Function>
void mapBinary(To *to, const Extents &result, const A *a,
               const Extents &aExtents, const B *b, const Extents &bExtents,
               Function function) {
  BroadcastWalk<2> walk(result, {&aExtents, &bExtents});
  walk.forEachRow([&](int64_t place, auto first, auto step, int64_t count) {
    mapRow(to + place, a + first[0], step[0], b + first[1], step[1], count,
           function);
  });
}

/// The rule of two operands with the same elements, which broadcast.
inline Result<Extents> checkBroadcast(const Use &use, size_t a, size_t b) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(b, elementSet(use.element(a))));
  return broadcastExtents(use.input(a).dimensions, use.input(b).dimensions);
}

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_ELEMENTWISE_H
