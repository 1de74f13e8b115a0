//===- TFLiteTesting.h - Uses of operators ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One use of an operator of nnhal.tflite or nnhal.tflite_custom, in the form
// that models give it, and what the extension says of it and computes.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_EXTENSIONS_TFLITETESTING_H
#define NNHAL_TEST_UNIT_EXTENSIONS_TFLITETESTING_H

#include "Extensions/TFLite/TFLiteExtension.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace nnhal::tflite {

inline constexpr auto tensorInt64 = rt::ownOperandType(0);
inline constexpr auto tensorFloat32 = rt::OperandType::TENSOR_FLOAT32;
inline constexpr auto tensorInt32 = rt::OperandType::TENSOR_INT32;
inline constexpr auto tensorInt16 = rt::OperandType::TENSOR_QUANT16_SYMM;
inline constexpr auto tensorInt8 = rt::OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
inline constexpr auto tensorBool = rt::OperandType::TENSOR_BOOL8;

using Shape = std::vector<int64_t>;
using Bytes = std::vector<uint8_t>;
using Int8s = std::vector<int8_t>;
using Int16s = std::vector<int16_t>;
using Int32s = std::vector<int32_t>;
using Int64s = std::vector<int64_t>;
using Floats = std::vector<float>;

/// Builds one operation.
class Operator {
public:
  explicit Operator(uint16_t number,
                    std::shared_ptr<const rt::ExtensionBackend> extension =
                        createTFLiteExtension())
      : extension(std::move(extension)) {
    view.type = rt::ownOperation(number);
  }

  /// Adds a tensor whose elements are known.
  template <typename T>
  Operator &tensor(rt::OperandType type, Shape shape, std::vector<T> values,
                   float scale = 1.0f, int32_t zeroPoint = 0) {
    open(type, std::move(shape), scale, zeroPoint);
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    for (size_t index = 0; index < values.size(); ++index) {
      T value = values[index];
      std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
    }
    setValue(std::move(bytes));
    return *this;
  }
  Operator &int16(Shape shape, std::vector<int16_t> values,
                  float scale = 1.0f) {
    return tensor(tensorInt16, std::move(shape), std::move(values), scale);
  }
  Operator &int32(Shape shape, std::vector<int32_t> values) {
    return tensor(tensorInt32, std::move(shape), std::move(values), 0.0f);
  }
  Operator &int64(Shape shape, std::vector<int64_t> values) {
    return tensor(tensorInt64, std::move(shape), std::move(values), 0.0f);
  }
  Operator &float32(Shape shape, std::vector<float> values) {
    return tensor(tensorFloat32, std::move(shape), std::move(values), 0.0f);
  }
  Operator &truths(Shape shape, std::vector<bool> values) {
    return tensor(tensorBool, std::move(shape), std::move(values), 0.0f);
  }
  /// Adds a tensor whose elements are not known.
  Operator &open(rt::OperandType type, Shape shape, float scale = 1.0f,
                 int32_t zeroPoint = 0);
  /// Adds the options of a custom operator.
  Operator &customOptions(std::vector<uint8_t> bytes) {
    auto size = int64_t(bytes.size());
    return tensor(rt::OperandType::TENSOR_QUANT8_ASYMM, {size},
                  std::move(bytes));
  }
  /// Gives the last tensor scales of channels.
  Operator &channels(std::vector<float> scales, uint32_t dimension);
  Operator &unranked(rt::OperandType type);
  Operator &omitted();
  Operator &option(int32_t value);
  Operator &option(float value);
  Operator &option(bool value);
  /// States a result; its number of dimensions is its rank.
  Operator &result(rt::OperandType type, Shape shape, float scale = 1.0f,
                   int32_t zeroPoint = 0);
  /// Makes the last result one of unknown rank.
  Operator &unrankedResult() {
    view.outputs.back().type.isRanked = false;
    return *this;
  }

  /// Returns the message of check(); nothing where the use is legal.
  std::string refusal() const;
  /// Returns the message of execute(); nothing where it succeeds.
  std::string failure();
  /// Computes the results. Expects success.
  Operator &run();
  template <typename T> std::vector<T> elements(size_t result = 0) const {
    std::vector<T> values(memory[result].size() / sizeof(T));
    if (!values.empty())
      std::memcpy(values.data(), memory[result].data(), memory[result].size());
    return values;
  }
  const Shape &shape(size_t result = 0) const { return shapes[result]; }

private:
  friend class Memory;
  void setValue(std::vector<std::byte> bytes);

  std::shared_ptr<const rt::ExtensionBackend> extension;
  rt::OperationView view;
  std::deque<std::vector<std::byte>> values;
  std::vector<std::vector<std::byte>> memory;
  std::vector<Shape> shapes;
};

} // namespace nnhal::tflite

#endif // NNHAL_TEST_UNIT_EXTENSIONS_TFLITETESTING_H
