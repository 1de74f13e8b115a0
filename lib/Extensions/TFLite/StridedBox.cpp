//===- StridedBox.cpp - What STRIDED_SLICE reads --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedBox.h"

#include "Operator.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Adds one dimension of the input, of which entry \p entry of the lists takes
/// \p slice.
Status addStridedAxis(StridedBox &box, int64_t extent,
                      std::array<int64_t, 3> slice,
                      const StridedSliceMasks &masks, size_t entry) {
  bool hasBegin = !(masks.begin >> entry & 1);
  bool hasEnd = !(masks.end >> entry & 1);
  bool isShrunk = masks.shrink >> entry & 1;
  auto [begin, end, step] = slice;
  if (step == 0)
    return refuse("a stride is 0");
  if (step < -INT32_MAX || step > INT32_MAX)
    return refuse("stride ", step, " must be ", -INT32_MAX, " to ", INT32_MAX);
  int64_t least = step > 0 ? 0 : -1, most = step > 0 ? extent : extent - 1;
  auto bounded = [&](int64_t place) {
    return std::clamp(place < 0 ? place + extent : place, least, most);
  };
  int64_t from = !hasBegin ? (step > 0 ? 0 : extent - 1) : bounded(begin);
  // An offset counts from where the slice begins inside of the tensor.
  int64_t to = !hasEnd ? (step > 0 ? extent : -1)
                       : bounded(masks.isOffset ? from + end : end);
  if (isShrunk) {
    from = begin < 0 ? begin + extent : begin;
    if (!hasBegin)
      from = step > 0 ? 0 : extent - 1;
    if (from < 0 || from >= extent)
      return refuse("index ", begin, " must be ", -extent, " to ", extent - 1);
    to = from + 1;
    step = 1;
  }
  int64_t distance = step > 0 ? to - from : from - to;
  int64_t width = step > 0 ? step : -step;
  int64_t count = distance <= 0 ? 0 : (distance + width - 1) / width;
  box.begins.push_back(count > 0 ? from : 0);
  box.counts.push_back(count);
  box.steps.push_back(step);
  if (!isShrunk)
    box.result.push_back(count);
  return Status::ok();
}

/// A place outside of every tensor.
constexpr int64_t farAway = int64_t(1) << 33;

} // namespace

Result<StridedBox> tflite::stridedBox(const Extents &input,
                                      const StridedLists &lists,
                                      const StridedSliceMasks &masks) {
  const auto &[begins, ends, steps] = lists;
  if (begins.size() != ends.size() || begins.size() != steps.size() ||
      begins.size() > 16)
    return refuse("begin, end and strides have ", begins.size(), ", ",
                  ends.size(), " and ", steps.size(),
                  " elements, but must have the same number, at most 16");
  size_t entries = begins.size(), consumed = 0, ellipses = 0;
  for (size_t entry = 0; entry < entries; ++entry) {
    ellipses += masks.ellipsis >> entry & 1;
    consumed += !((masks.ellipsis | masks.newAxis) >> entry & 1);
  }
  if (ellipses > 1)
    return refuse("ellipsis_mask ", masks.ellipsis,
                  " has more than one ellipsis");
  if (consumed > input.size())
    return refuse("begin has entries for ", consumed,
                  " dimensions, but the input has ", input.size());
  StridedBox box;
  size_t axis = 0;
  auto keep = [&](size_t end) {
    for (; axis < end; ++axis) {
      box.begins.push_back(0);
      box.counts.push_back(input[axis]);
      box.steps.push_back(1);
      box.result.push_back(input[axis]);
    }
  };
  for (size_t entry = 0; entry < entries; ++entry) {
    if (masks.ellipsis >> entry & 1) {
      keep(axis + input.size() - consumed);
    } else if (masks.newAxis >> entry & 1) {
      box.result.push_back(1);
    } else {
      NNHAL_RETURN_IF_ERROR(addStridedAxis(
          box, input[axis],
          {std::clamp(begins[entry], -farAway, farAway),
           std::clamp(ends[entry], -farAway, farAway), steps[entry]},
          masks, entry));
      ++axis;
    }
  }
  keep(input.size());
  return box;
}
