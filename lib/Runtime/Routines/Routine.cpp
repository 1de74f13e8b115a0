//===- Routine.cpp - Tensors as routines read and write them --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routine.h"

#include "Runtime/Support/Float16.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

int64_t reference::elementCount(std::span<const int64_t> shape) {
  // First: what has no elements may have extents whose product overflows.
  if (std::ranges::find(shape, 0) != shape.end())
    return 0;
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// The ways in which the elements of a type are stored.
namespace {
enum class Storage { float32, float16, int32, uint8, int8, uint16, int16 };
} // namespace

static Storage storageOf(OperandType type) {
  switch (type) {
  case OperandType::FLOAT32:
  case OperandType::TENSOR_FLOAT32:
    return Storage::float32;
  case OperandType::FLOAT16:
  case OperandType::TENSOR_FLOAT16:
    return Storage::float16;
  case OperandType::BOOL:
  case OperandType::TENSOR_BOOL8:
  case OperandType::TENSOR_QUANT8_ASYMM:
    return Storage::uint8;
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
  case OperandType::TENSOR_QUANT8_SYMM:
  case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
    return Storage::int8;
  case OperandType::TENSOR_QUANT16_ASYMM:
    return Storage::uint16;
  case OperandType::TENSOR_QUANT16_SYMM:
    return Storage::int16;
  default:
    return Storage::int32;
  }
}

uint32_t reference::elementSize(OperandType type) {
  switch (storageOf(type)) {
  case Storage::float32:
  case Storage::int32:
    return 4;
  case Storage::float16:
  case Storage::uint16:
  case Storage::int16:
    return 2;
  case Storage::uint8:
  case Storage::int8:
    return 1;
  }
  return 4;
}

RoutineContext::RoutineContext(const OperationView &operation,
                               const OperationFacts &facts)
    : view(operation), results(facts.results), stored(facts.results.size()) {}

void RoutineContext::setOutputShape(size_t index, Shape shape) {
  results[index].dimensions = std::move(shape);
  results[index].isRanked = true;
}

std::span<const std::byte> RoutineContext::bytes(size_t index) const {
  const OperandView &operand = view.inputs[index];
  return operand.value ? *operand.value : std::span<const std::byte>();
}

/// Calls \p visit with every element of type \p T in \p bytes, which need no
/// alignment.
template <typename T, typename Visit>
static void forEachElement(std::span<const std::byte> bytes, Visit visit) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T element;
    std::memcpy(&element, bytes.data() + at, sizeof element);
    visit(element);
  }
}

Elements<float> RoutineContext::floats(size_t index) const {
  Elements<float> result;
  std::span<const std::byte> data = bytes(index);
  if (storageOf(inputType(index).type) == Storage::float16) {
    result.reserve(data.size() / 2);
    forEachElement<uint16_t>(
        data, [&](uint16_t bits) { result.push_back(floatFromFloat16(bits)); });
    return result;
  }
  assert(storageOf(inputType(index).type) == Storage::float32);
  result.resize(data.size() / sizeof(float));
  if (!result.empty())
    std::memcpy(result.data(), data.data(), result.size() * sizeof(float));
  return result;
}

std::span<const float> RoutineContext::floats(size_t index,
                                              Elements<float> &copy) const {
  std::span<const std::byte> data = bytes(index);
  bool isAligned =
      reinterpret_cast<uintptr_t>(data.data()) % sizeof(float) == 0;
  if (isAligned && storageOf(inputType(index).type) == Storage::float32)
    return {reinterpret_cast<const float *>(data.data()),
            data.size() / sizeof(float)};
  copy = floats(index);
  return copy;
}

Elements<int32_t> RoutineContext::integers(size_t index) const {
  Elements<int32_t> result;
  std::span<const std::byte> data = bytes(index);
  OperandType type = inputType(index).type;
  result.reserve(data.size() / elementSize(type));
  auto append = [&](auto value) { result.push_back(value); };
  switch (storageOf(type)) {
  case Storage::uint8:
    forEachElement<uint8_t>(data, append);
    break;
  case Storage::int8:
    forEachElement<int8_t>(data, append);
    break;
  case Storage::uint16:
    forEachElement<uint16_t>(data, append);
    break;
  case Storage::int16:
    forEachElement<int16_t>(data, append);
    break;
  default:
    forEachElement<int32_t>(data, append);
    break;
  }
  return result;
}

Elements<float> RoutineContext::reals(size_t index) const {
  const TensorType &type = inputType(index);
  Storage storage = storageOf(type.type);
  if (storage == Storage::float32 || storage == Storage::float16)
    return floats(index);
  Elements<int32_t> values = integers(index);
  Elements<float> result(values.size());
  const SymmPerChannelQuantParams &channels = type.channelQuant;
  if (channels.scales.empty()) {
    for (size_t i = 0; i < values.size(); ++i)
      result[i] = float(values[i] - type.zeroPoint) * type.scale;
    return result;
  }
  int64_t inner = reference::elementCount(
      std::span(type.dimensions).subspan(channels.channelDim + 1));
  for (size_t i = 0; i < values.size(); ++i)
    result[i] =
        float(values[i]) *
        channels.scales[size_t(int64_t(i) / inner) % channels.scales.size()];
  return result;
}

void RoutineContext::storeBytes(size_t index, Elements<std::byte> bytes) {
  assert(int64_t(bytes.size()) == reference::elementCount(outputShape(index)) *
                                      elementSize(outputType(index).type) &&
         "a routine stores all elements");
  stored[index] = std::move(bytes);
}

/// The bytes of \p values, each converted to T.
template <typename T, typename From, typename Convert>
static Elements<std::byte> packElements(std::span<const From> values,
                                        Convert convert) {
  Elements<std::byte> bytes(values.size() * sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T element = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof element);
  }
  return bytes;
}

void RoutineContext::storeFloats(size_t index, std::span<const float> values) {
  if (storageOf(outputType(index).type) == Storage::float16)
    return storeBytes(index, packElements<uint16_t>(values, [](float value) {
                        return float16FromDouble(value);
                      }));
  storeBytes(index,
             packElements<float>(values, [](float value) { return value; }));
}

void RoutineContext::storeIntegers(size_t index,
                                   std::span<const int32_t> values) {
  OperandType type = outputType(index).type;
  StorageRange range = storageRange(type);
  auto pack = [&]<typename T>(T) {
    return packElements<T>(values, [&](int32_t value) {
      return T(std::clamp(value, range.low, range.high));
    });
  };
  switch (storageOf(type)) {
  case Storage::uint8:
    return storeBytes(index, pack(uint8_t()));
  case Storage::int8:
    return storeBytes(index, pack(int8_t()));
  case Storage::uint16:
    return storeBytes(index, pack(uint16_t()));
  case Storage::int16:
    return storeBytes(index, pack(int16_t()));
  default:
    return storeBytes(index, pack(int32_t()));
  }
}

void RoutineContext::storeReals(size_t index, std::span<const float> values) {
  const TensorType &type = outputType(index);
  Storage storage = storageOf(type.type);
  if (storage == Storage::float32 || storage == Storage::float16)
    return storeFloats(index, values);
  StorageRange range = storageRange(type.type);
  Elements<int32_t> quantized(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    double value = std::round(double(values[i]) / type.scale) + type.zeroPoint;
    // The comparison is false for a NaN, which becomes the zero point (M-149).
    quantized[i] =
        value == value
            ? int32_t(std::clamp(value, double(range.low), double(range.high)))
            : type.zeroPoint;
  }
  storeIntegers(index, quantized);
}
