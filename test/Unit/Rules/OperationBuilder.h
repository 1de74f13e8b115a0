//===- OperationBuilder.h - Uses of operations for tests --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds an OperationView operand by operand:
//
//   OperationBuilder(OperationType::ADD)
//       .tensor(floatTensor({2}), {1, 2})   // a constant
//       .tensor(floatTensor({2}))           // a value that is not known yet
//       .int32(0)
//       .output(floatTensor({2}))
//       .check();
//
// Values are given as numbers and stored in the operand's storage type.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_RULES_OPERATIONBUILDER_H
#define NNHAL_TEST_UNIT_RULES_OPERATIONBUILDER_H

#include "Runtime/Support/Float16.h"
#include "nnhal/Backend/Signatures.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace nnhal::rt::testing {

/// A tensor of \p type; scale and zero point where it is quantized.
inline TensorType tensorType(OperandType type, std::vector<int64_t> dimensions,
                             float scale = 0.0f, int32_t zeroPoint = 0) {
  TensorType result;
  result.type = type;
  result.dimensions = std::move(dimensions);
  result.scale = scale;
  result.zeroPoint = zeroPoint;
  return result;
}
inline TensorType floatTensor(std::vector<int64_t> dimensions) {
  return tensorType(OperandType::TENSOR_FLOAT32, std::move(dimensions));
}
inline TensorType halfTensor(std::vector<int64_t> dimensions) {
  return tensorType(OperandType::TENSOR_FLOAT16, std::move(dimensions));
}
inline TensorType int32Tensor(std::vector<int64_t> dimensions) {
  return tensorType(OperandType::TENSOR_INT32, std::move(dimensions));
}
inline TensorType boolTensor(std::vector<int64_t> dimensions) {
  return tensorType(OperandType::TENSOR_BOOL8, std::move(dimensions));
}
inline TensorType quantTensor(std::vector<int64_t> dimensions, float scale,
                              int32_t zeroPoint) {
  return tensorType(OperandType::TENSOR_QUANT8_ASYMM, std::move(dimensions),
                    scale, zeroPoint);
}
inline TensorType signedQuantTensor(std::vector<int64_t> dimensions,
                                    float scale, int32_t zeroPoint) {
  return tensorType(OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
                    std::move(dimensions), scale, zeroPoint);
}
inline TensorType unrankedTensor(OperandType type) {
  TensorType result = tensorType(type, {});
  result.isRanked = false;
  return result;
}

/// \p values in the storage type of \p type, and back.
inline std::vector<std::byte> toBytes(OperandType type,
                                      const std::vector<double> &values) {
  std::vector<std::byte> bytes;
  auto append = [&](auto element) {
    const auto *first = reinterpret_cast<const std::byte *>(&element);
    bytes.insert(bytes.end(), first, first + sizeof element);
  };
  for (double value : values)
    switch (type) {
    case OperandType::FLOAT32:
    case OperandType::TENSOR_FLOAT32:
      append(float(value));
      break;
    case OperandType::FLOAT16:
    case OperandType::TENSOR_FLOAT16:
      append(float16FromDouble(value));
      break;
    case OperandType::BOOL:
    case OperandType::TENSOR_BOOL8:
    case OperandType::TENSOR_QUANT8_ASYMM:
      append(uint8_t(value));
      break;
    case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
    case OperandType::TENSOR_QUANT8_SYMM:
    case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
      append(int8_t(value));
      break;
    case OperandType::TENSOR_QUANT16_ASYMM:
      append(uint16_t(value));
      break;
    case OperandType::TENSOR_QUANT16_SYMM:
      append(int16_t(value));
      break;
    default:
      append(int32_t(value));
      break;
    }
  return bytes;
}

namespace detail {
template <typename T>
std::vector<double> loadAll(std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof element);
    values[i] = double(element);
  }
  return values;
}
} // namespace detail

inline std::vector<double> fromBytes(OperandType type,
                                     std::span<const std::byte> bytes) {
  switch (type) {
  case OperandType::FLOAT32:
  case OperandType::TENSOR_FLOAT32:
    return detail::loadAll<float>(bytes);
  case OperandType::FLOAT16:
  case OperandType::TENSOR_FLOAT16: {
    std::vector<double> values = detail::loadAll<uint16_t>(bytes);
    for (double &value : values)
      value = floatFromFloat16(uint16_t(value));
    return values;
  }
  case OperandType::BOOL:
  case OperandType::TENSOR_BOOL8:
  case OperandType::TENSOR_QUANT8_ASYMM:
    return detail::loadAll<uint8_t>(bytes);
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
  case OperandType::TENSOR_QUANT8_SYMM:
  case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
    return detail::loadAll<int8_t>(bytes);
  case OperandType::TENSOR_QUANT16_ASYMM:
    return detail::loadAll<uint16_t>(bytes);
  case OperandType::TENSOR_QUANT16_SYMM:
    return detail::loadAll<int16_t>(bytes);
  default:
    return detail::loadAll<int32_t>(bytes);
  }
}

/// Owns the values of the view that it builds. The view stays valid when the
/// builder is moved.
class OperationBuilder {
public:
  explicit OperationBuilder(OperationType type) { view.type = type; }
  OperationBuilder(const OperationBuilder &) = delete;
  OperationBuilder &operator=(const OperationBuilder &) = delete;
  OperationBuilder(OperationBuilder &&) = default;
  OperationBuilder &operator=(OperationBuilder &&) = default;

  /// An input whose value is not known.
  OperationBuilder &tensor(TensorType type) {
    view.inputs.push_back({std::move(type)});
    return *this;
  }
  /// An input with a value.
  OperationBuilder &tensor(TensorType type, const std::vector<double> &values) {
    storage.push_back(toBytes(type.type, values));
    view.inputs.push_back({std::move(type), /*isOmitted=*/false,
                           std::span<const std::byte>(storage.back())});
    return *this;
  }
  OperationBuilder &omitted(TensorType type) {
    view.inputs.push_back({std::move(type), /*isOmitted=*/true});
    return *this;
  }

  OperationBuilder &int32(int32_t value) {
    return tensor(tensorType(OperandType::INT32, {}), {double(value)});
  }
  OperationBuilder &boolean(bool value) {
    return tensor(tensorType(OperandType::BOOL, {}), {double(value)});
  }
  OperationBuilder &float32(float value) {
    return tensor(tensorType(OperandType::FLOAT32, {}), {value});
  }
  OperationBuilder &float16(float value) {
    return tensor(tensorType(OperandType::FLOAT16, {}), {value});
  }
  /// A scalar whose value is not known.
  OperationBuilder &scalar(OperandType type) {
    return tensor(tensorType(type, {}));
  }

  /// An output as the model states it.
  OperationBuilder &output(TensorType type) {
    view.outputs.push_back({std::move(type)});
    return *this;
  }

  const OperationView &operation() const { return view; }

  Result<OperationFacts> check() const { return checkOperation(view); }
  /// The failure's message; empty when the use is legal.
  std::string message() const { return check().status().message(); }
  /// The shapes of the results, separated by a comma, or the failure's message.
  std::string shapes() const {
    Result<OperationFacts> facts = check();
    if (!facts.isOk())
      return facts.status().message();
    std::string text;
    for (const TensorType &type : facts->results)
      text += (text.empty() ? "" : ", ") + shapeText(type);
    return text;
  }
  /// The version that the use needs, "1.2" for example, or the failure's
  /// message.
  std::string since() const {
    Result<OperationFacts> facts = check();
    return facts.isOk() ? std::string(toString(facts->since))
                        : facts.status().message();
  }

private:
  OperationView view;
  /// A deque: the view points into its elements, which stay where they are.
  std::deque<std::vector<std::byte>> storage;
};

} // namespace nnhal::rt::testing

#endif // NNHAL_TEST_UNIT_RULES_OPERATIONBUILDER_H
