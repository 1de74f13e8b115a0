//===- DataMovement.cpp - Rules of data movement --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The half of the family that selects, repeats or joins elements. The other
// half is Reshape.cpp.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

/// \p joined grown by the extents of \p part, which may differ along \p axis
/// only.
static Status append(TensorType &joined, const TensorType &part, size_t axis,
                     std::string_view name) {
  if (part.rank() != joined.rank()) // concatenation C5
    return badData("{} rank {} differs from input 0 rank {}", name, part.rank(),
                   joined.rank());
  for (size_t i = 0; i < joined.dimensions.size(); ++i) {
    int64_t &extent = joined.dimensions[i];
    int64_t other = part.dimensions[i];
    if (i == axis) {
      extent =
          isKnown(extent) && isKnown(other) ? extent + other : unknownExtent;
    } else if (!isKnown(extent)) {
      extent = other;
    } else if (isKnown(other) && other != extent) { // concatenation C6
      return badData("{} dimension {} is {}, expected {}", name, i, other,
                     extent);
    }
  }
  return Status::ok();
}

Result<TensorType> nnhal::rt::concatenation(std::span<const TensorType> inputs,
                                            int64_t axis) {
  if (inputs.empty()) // concatenation C1
    return badData("0 inputs, expected at least 1");
  bool isRanked = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name = fmt::format("input {}", i);
    NNHAL_RETURN_IF_ERROR(checkOperand(name, inputs[i], floatsAndQuantized,
                                       upToRank4)); // concatenation C2
    NNHAL_RETURN_IF_ERROR(checkSameType(name, inputs[i], "input 0",
                                        inputs[0])); // concatenation C3
    isRanked = isRanked && inputs[i].isRanked;
  }
  TensorType result = withFreeQuantization(inputs[0]);
  if (!isRanked)
    return withoutRank(result);
  if (axis < 0 || axis >= result.rank()) // concatenation C4
    return badData("axis {} is outside [0, {})", axis, result.rank());
  for (size_t i = 1; i < inputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        append(result, inputs[i], size_t(axis), fmt::format("input {}", i)));
  return result;
}

Result<TensorType> nnhal::rt::split(const TensorType &input, int64_t axis,
                                    int64_t count) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, numbers)); // split C1
  if (count < 1)                                                // split C2
    return badData("{} results, expected at least 1", count);
  if (!input.isRanked)
    return input;
  NNHAL_ASSIGN_OR_RETURN(int64_t resolved,
                         resolveAxis("axis", axis, input.rank())); // split C3
  std::vector<int64_t> result = input.dimensions;
  int64_t &extent = result[size_t(resolved)];
  if (isKnown(extent)) {
    if (extent % count != 0) // split C4
      return badData("extent {} of axis {} is not a multiple of {} results",
                     extent, axis, count);
    extent /= count;
  }
  return withShape(input, std::move(result));
}

Result<TensorType> nnhal::rt::slice(const TensorType &input, Ints begin,
                                    Ints size) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, numbers)); // slice C1
  if (!input.isRanked)
    return input;
  NNHAL_RETURN_IF_ERROR(checkInts("begin", begin, input.rank())); // slice C2
  NNHAL_RETURN_IF_ERROR(checkInts("size", size, input.rank()));   // slice C2
  std::vector<int64_t> result;
  for (size_t i = 0; i < begin.size(); ++i) {
    int64_t extent = input.dimensions[i];
    if (begin[i] < 0) // slice C3
      return badData("begin {} of dimension {} must not be negative", begin[i],
                     i);
    if (size[i] < -1) // slice C4
      return badData("size {} of dimension {} is below -1", size[i], i);
    if (!isKnown(extent)) {
      result.push_back(size[i] == -1 ? unknownExtent : size[i]);
      continue;
    }
    int64_t length = size[i] == -1 ? extent - begin[i] : size[i];
    if (begin[i] > extent || begin[i] + length > extent) // slice C5
      return badData("{} elements from {} leave dimension {} of extent {}",
                     std::max<int64_t>(length, 0), begin[i], i, extent);
    result.push_back(length);
  }
  return withShape(input, std::move(result));
}

/// The number of positions from \p begin to \p end on a dimension of \p extent.
static Result<int64_t> countStrided(size_t dimension, int64_t extent,
                                    int64_t begin, int64_t end,
                                    int64_t stride) {
  if (stride == 0) // strided_slice C3
    return badData("stride of dimension {} must not be 0", dimension);
  int64_t low = stride > 0 ? 0 : -1;
  if (isKnown(extent)) {
    int64_t high = extent + low;
    if (begin < low || begin > high) // strided_slice C4
      return badData("begin {} of dimension {} is outside [{}, {}]", begin,
                     dimension, low, high);
    if (end < low || end > high) // strided_slice C5
      return badData("end {} of dimension {} is outside [{}, {}]", end,
                     dimension, low, high);
  }
  int64_t distance = stride > 0 ? end - begin : begin - end;
  int64_t step = stride > 0 ? stride : -stride;
  return distance <= 0 ? 0 : (distance + step - 1) / step;
}

Result<TensorType> nnhal::rt::stridedSlice(const TensorType &input, Ints begin,
                                           Ints end, Ints strides,
                                           Ints shrinkAxes) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, floatsAndQuantized,
                                     upToRank4)); // strided_slice C1
  if (!input.isRanked)
    return input;
  int64_t rank = input.rank();
  NNHAL_RETURN_IF_ERROR(checkInts("begin", begin, rank)); // strided_slice C2
  NNHAL_RETURN_IF_ERROR(checkInts("end", end, rank));     // strided_slice C2
  NNHAL_RETURN_IF_ERROR(checkInts("strides", strides,
                                  rank)); // strided_slice C2
  for (int64_t axis : shrinkAxes)
    if (axis < 0 || axis >= rank) // strided_slice C6
      return badData("shrink axis {} is outside [0, {})", axis, rank);
  std::vector<int64_t> result;
  for (size_t i = 0; i < begin.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(
        int64_t count,
        countStrided(i, input.dimensions[i], begin[i], end[i], strides[i]));
    if (std::ranges::find(shrinkAxes, int64_t(i)) == shrinkAxes.end()) {
      result.push_back(count);
      continue;
    }
    if (strides[i] < 0) // strided_slice C7
      return badData("stride {} of shrink axis {} must be positive", strides[i],
                     i);
    if (count != 1) // strided_slice C8
      return badData("shrink axis {} has {} elements, expected 1", i, count);
  }
  if (result.empty())
    result.push_back(1);
  return withShape(input, std::move(result));
}

Result<TensorType> nnhal::rt::pad(const TensorType &input, Ints paddings) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, floatsAndQuantized, upToRank4)); // pad C1
  if (!input.isRanked)
    return input;
  NNHAL_RETURN_IF_ERROR(
      checkInts("paddings", paddings, 2 * input.rank())); // pad C2
  std::vector<int64_t> result = input.dimensions;
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t low = paddings[2 * i], high = paddings[2 * i + 1];
    if (low < 0 || high < 0) // pad C3
      return badData("paddings {} and {} of dimension {} must not be negative",
                     low, high, i);
    if (isKnown(result[i]))
      result[i] += low + high;
  }
  return withShape(input, std::move(result));
}

Status nnhal::rt::checkFillValue(const TensorType &type, bool isFloatValue) {
  if (isFloat(type.type) == isFloatValue)
    return Status::ok();
  return badData("value is an {}, {} takes an {}", isFloatValue ? "f32" : "i32",
                 nameOf(type.type),
                 isFloatValue ? "i32" : "f32"); // fill_value C1
}

Result<TensorType> nnhal::rt::tile(const TensorType &input, Ints multiples) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, numbers)); // tile C1
  if (!input.isRanked)
    return input;
  NNHAL_RETURN_IF_ERROR(
      checkInts("multiples", multiples, input.rank())); // tile C2
  std::vector<int64_t> result = input.dimensions;
  for (size_t i = 0; i < result.size(); ++i) {
    if (multiples[i] < 1) // tile C3
      return badData("multiple {} of dimension {} must be positive",
                     multiples[i], i);
    NNHAL_ASSIGN_OR_RETURN(result[i], multiplyExtents(result[i], multiples[i]));
  }
  return withShape(input, std::move(result));
}

Result<TensorType> nnhal::rt::gather(const TensorType &input,
                                     const TensorType &indices, int64_t axis) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, numbers)); // gather C1
  NNHAL_RETURN_IF_ERROR(
      checkOperand("indices", indices, integers)); // gather C2
  if (!input.isRanked || !indices.isRanked)
    return withoutRank(input);
  NNHAL_ASSIGN_OR_RETURN(int64_t resolved,
                         resolveAxis("axis", axis, input.rank())); // gather C3
  std::vector<int64_t> result = input.dimensions;
  auto position = result.erase(result.begin() + resolved);
  result.insert(position, indices.dimensions.begin(), indices.dimensions.end());
  return withShape(input, std::move(result));
}

Status nnhal::rt::checkFill(const TensorType &output, bool isFloatValue) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("result", output, floatsAndInts)); // fill C1
  return checkFillValue(output, isFloatValue);        // fill C2
}
