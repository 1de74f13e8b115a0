//===- TFLiteHostileTest.cpp - Tests of hostile uses ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses that nothing says are legal: operators with tensors, options and results
// of random types, shapes and values. They are refused or computed. Sanitizers
// see to the rest.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include "Extensions/TFLite/Operator.h"

#include <algorithm>
#include <random>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

class RandomUses {
public:
  explicit RandomUses(unsigned seed) : generator(seed) {}

  /// Makes a use of \p row whose tensors have the same elements, most often,
  /// and shapes that often fit.
  Operator make(const OperatorRow &row) {
    Operator use(row.number);
    size_t tensors =
        size_t(std::count(row.tensors.begin(), row.tensors.end(), ' ')) +
        (row.tensors.find('*') != row.tensors.npos ? below(3) : 0);
    Element common = elementOf(row.elements);
    Shape shape = anyShape();
    for (size_t tensor = 0; tensor < tensors; ++tensor) {
      bool isIndex = tensor != row.principal && chance(2);
      addTensor(use, isIndex ? Element::int32 : common,
                chance(2) ? shape : anyShape());
    }
    for (const OptionRow &option : row.options)
      addOption(use, option);
    size_t results = row.results ? row.results : 1 + below(3);
    for (size_t result = 0; result < results; ++result)
      use.result(typeOf(chance(5) ? elementOf(anyElement) : common),
                 Shape(1 + below(4), -1), chance(2) ? 1.0f : 1.0f / 32768);
    return use;
  }

private:
  size_t below(size_t bound) { return generator() % bound; }
  bool chance(size_t of) { return below(of) == 0; }

  Element elementOf(ElementSet set) {
    Element element;
    do
      element = Element(below(13));
    while (!contains(set, element));
    return element;
  }
  rt::OperandType typeOf(Element element) {
    switch (element) {
    case Element::float32:
      return tensorFloat32;
    case Element::float16:
      return rt::OperandType::TENSOR_FLOAT16;
    case Element::int8:
      return tensorInt8;
    case Element::uint8:
      return rt::OperandType::TENSOR_QUANT8_ASYMM;
    case Element::int16:
      return tensorInt16;
    case Element::int32:
      return tensorInt32;
    case Element::boolean:
      return tensorBool;
    default:
      return rt::ownOperandType(
          uint16_t(uint8_t(element) - uint8_t(Element::int64)));
    }
  }
  Shape anyShape() {
    Shape shape;
    for (size_t rank = 1 + below(4); rank > 0; --rank)
      shape.push_back(int64_t(chance(12) ? 0 : 1 + below(4)));
    return shape;
  }
  void addTensor(Operator &use, Element element, const Shape &shape) {
    size_t count = size_t(elementCount(shape)) * sizeOf(element);
    std::vector<uint8_t> bytes(count);
    // Integers are small, most often; others have any bits.
    bool isSmall = !chance(6);
    for (size_t index = 0; index < count; ++index)
      bytes[index] = uint8_t(generator() >> 3);
    if (isSmall && element == Element::int32)
      for (size_t index = 0; index < count; index += 4) {
        int32_t value = int32_t(below(6)) - 2;
        std::memcpy(bytes.data() + index, &value, 4);
      }
    use.tensor<uint8_t>(typeOf(element), shape, bytes,
                        chance(20) ? 0.0f : 0.5f);
  }
  void addOption(Operator &use, const OptionRow &option) {
    if (option.kind == OptionKind::real)
      use.option(chance(9) ? -1e30f : 0.5f);
    else if (option.kind == OptionKind::truth)
      use.option(chance(2));
    else
      use.option(chance(30) ? int32_t(generator()) : int32_t(below(4)));
  }

  std::minstd_rand generator;
};

TEST(TFLiteHostile, RandomUsesAreRefusedOrComputed) {
  // With other seeds some uses have results of gigabytes.
  RandomUses uses(4);
  size_t legal = 0, computed = 0;
  for (int round = 0; round < 300; ++round)
    for (const OperatorRow &row : operatorTable()) {
      Operator use = uses.make(row);
      if (!use.refusal().empty())
        continue;
      ++legal;
      computed += use.failure().empty();
    }
  // The test is worth nothing if all are refused.
  EXPECT_GT(legal, 1500u);
  EXPECT_GT(computed, 1000u);
}

} // namespace
