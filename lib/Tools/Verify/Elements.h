//===- Elements.h - Tensors element by element ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_VERIFY_ELEMENTS_H
#define NNHAL_LIB_TOOLS_VERIFY_ELEMENTS_H

#include "Random.h"

#include "nnhal/Runtime/TestCase.h"

#include <cstddef>
#include <span>
#include <vector>

namespace nnhal::verify {

/// A value: extents, which may be 0, and elements in the storage type.
using rt::TestTensor;
using Shape = std::vector<uint32_t>;

/// What fresh tensors are filled with, by kind of their elements. Quantized
/// tensors get any values of their type.
struct Values {
  double low = -2.0;
  double high = 2.0;
  int32_t lowInteger = -9;
  int32_t highInteger = 9;
};

bool isFloat(rt::OperandType type);
/// TENSOR_QUANT8_ASYMM and TENSOR_QUANT8_ASYMM_SIGNED.
bool isAsymmetric(rt::OperandType type);
using rt::isQuantized;

uint64_t elementCount(std::span<const uint32_t> shape);

/// The numbers that random elements of an integer \p type are among.
struct ElementRange {
  int64_t low;
  int64_t high;
};
ElementRange elementRange(rt::OperandType type);

/// The element at \p index of \p bytes, in the storage type.
double loadElement(rt::OperandType type, std::span<const uint8_t> bytes,
                   uint64_t index);
/// Rounds \p value to \p type and stores it; integers saturate.
void storeElement(rt::OperandType type, std::span<uint8_t> bytes,
                  uint64_t index, double value);

TestTensor makeTensor(rt::OperandType type, Shape shape,
                      std::span<const double> elements);
/// A tensor of random elements.
TestTensor fillTensor(Random &random, rt::OperandType type, Shape shape,
                      const Values &values);

inline std::span<const std::byte> bytesOf(const TestTensor &tensor) {
  return std::as_bytes(std::span(tensor.bytes));
}

} // namespace nnhal::verify

#endif // NNHAL_LIB_TOOLS_VERIFY_ELEMENTS_H
