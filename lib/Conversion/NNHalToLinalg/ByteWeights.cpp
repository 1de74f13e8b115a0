//===- ByteWeights.cpp - Filters of 8 bits for micro-kernels --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteWeights.h"

#include "nnhal/Dialect/Kernel/Packing.h"

#include <algorithm>

using namespace mlir;
using namespace nnhal;
using rt::OperandType;

/// The largest magnitude of a value of \p type less its zero point.
static int64_t largestOf(const rt::TensorType &type) {
  bool isUnsigned = type.type == OperandType::TENSOR_QUANT8_ASYMM;
  int64_t least = isUnsigned ? 0 : INT8_MIN;
  int64_t most = isUnsigned ? UINT8_MAX : INT8_MAX;
  return std::max(type.zeroPoint - least, most - type.zeroPoint);
}

ByteWeights::ByteWeights(const rt::OperandView &filter) {
  if (filter.value)
    add(filter);
  else
    largest = largestOf(filter.type);
}

void ByteWeights::add(const rt::OperandView &filter) {
  bool isUnsigned = filter.type.type == OperandType::TENSOR_QUANT8_ASYMM;
  size_t first = values.size();
  values.resize_for_overwrite(first + filter.value->size());
  MutableArrayRef<int16_t> added = MutableArrayRef(values).drop_front(first);
  for (auto [value, byte] : llvm::zip_equal(added, *filter.value))
    value = int16_t((isUnsigned ? int(std::to_integer<uint8_t>(byte))
                                : int(std::to_integer<int8_t>(byte))) -
                    filter.type.zeroPoint);
  int16_t low = least, high = most;
  for (int16_t value : added)
    low = std::min(low, value);
  for (int16_t value : added)
    high = std::max(high, value);
  least = low;
  most = high;
  largest = std::max<int64_t>({largest, most, -int64_t(least)});
}

SmallVector<int16_t> nnhal::padRows(ArrayRef<int16_t> values, int64_t size,
                                    int64_t padded, int64_t lead) {
  SmallVector<int16_t> result;
  for (; !values.empty(); values = values.drop_front(size)) {
    result.append(lead, 0);
    result.append(values.begin(), values.begin() + size);
    result.append(padded - lead - size, 0);
  }
  return result;
}

Value nnhal::packPairs(OperationLowering &op, const ByteWeights &weights,
                       const std::array<int64_t, 4> &ohwi, int64_t width) {
  int64_t channels = llvm::alignTo(ohwi[3], 2);
  SmallVector<int16_t> rows = padRows(weights.values, ohwi[3], channels);
  bool isNarrow = weights.fitsI8();
  SmallVector<int8_t> narrow;
  if (isNarrow)
    narrow = llvm::to_vector_of<int8_t>(rows);
  // A pair is one element for packing.
  std::vector<char> packed = kernel::packConvFilter(
      isNarrow ? bytesOf<int8_t>(narrow) : bytesOf<int16_t>(rows),
      {ohwi[0], ohwi[1], ohwi[2], channels / 2}, width, isNarrow ? 2 : 4);
  Builder &builder = op.getBuilder();
  auto type = RankedTensorType::get({kernel::panelCount(ohwi[0], width),
                                     ohwi[1], ohwi[2], channels / 2, 2 * width},
                                    isNarrow ? builder.getI8Type()
                                             : builder.getI16Type());
  return op.constantResource(type, packed, "filter_packed");
}

Value nnhal::packQuads(OperationLowering &op, ArrayRef<int8_t> values,
                       const std::array<int64_t, 4> &ohwi, int64_t width) {
  int64_t quads = llvm::divideCeil(ohwi[3], 4);
  SmallVector<int8_t> rows;
  for (; !values.empty(); values = values.drop_front(ohwi[3])) {
    rows.append(values.begin(), values.begin() + ohwi[3]);
    rows.append(4 * quads - ohwi[3], 0);
  }
  std::vector<char> packed = kernel::packConvFilter(
      bytesOf<int8_t>(rows), {ohwi[0], ohwi[1], ohwi[2], quads}, width);
  auto type = RankedTensorType::get(
      {kernel::panelCount(ohwi[0], width), ohwi[1], ohwi[2], quads, 4 * width},
      op.getBuilder().getI8Type());
  return op.constantResource(type, packed, "filter_packed");
}
