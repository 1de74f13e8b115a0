//===- ByteWeights.cpp - Filters of 8 bits less their zero points ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteWeights.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace nnhal;

ByteWeights ByteWeights::ofForm(ByteForm form) {
  int64_t low = form.isUnsigned ? 0 : INT8_MIN;
  int64_t high = form.isUnsigned ? UINT8_MAX : INT8_MAX;
  ByteWeights result;
  result.largest = std::max(form.zeroPoint - low, high - form.zeroPoint);
  return result;
}

void ByteWeights::add(ArrayRef<char> bytes, ByteForm form) {
  size_t first = values.size();
  values.resize_for_overwrite(first + bytes.size());
  MutableArrayRef<int16_t> added = MutableArrayRef(values).drop_front(first);
  for (auto [value, byte] : zip_equal(added, bytes))
    value = int16_t((form.isUnsigned ? int(uint8_t(byte)) : int(int8_t(byte))) -
                    form.zeroPoint);
  addBoundsOf(added);
}

void ByteWeights::add(ArrayRef<int16_t> numbers) {
  values.append(numbers.begin(), numbers.end());
  addBoundsOf(numbers);
}

void ByteWeights::addBoundsOf(ArrayRef<int16_t> added) {
  int16_t low = least, high = most;
  for (int16_t value : added)
    low = std::min(low, value);
  for (int16_t value : added)
    high = std::max(high, value);
  least = low;
  most = high;
  largest = std::max<int64_t>({largest, most, -int64_t(least)});
}

ByteWeights ByteWeights::withValues(SmallVector<int16_t> others) const {
  ByteWeights result;
  result.values = std::move(others);
  result.largest = largest;
  result.least = least;
  result.most = most;
  return result;
}
