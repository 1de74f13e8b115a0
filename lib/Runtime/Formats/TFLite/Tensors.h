//===- Tensors.h - TFLite tensors as HAL operands ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Bytes of the file are only read through here and Constants.h: every length
// and index that the FlatBuffers verifier does not know about is checked once.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_TENSORS_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_TENSORS_H

#include "nnhal/Runtime/Model.h"

#include "TFLiteSchema_generated.h"

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nnhal::rt::tflite {

/// The most dimensions of a tensor.
inline constexpr size_t maxRank = 8;

/// A list of known dimensions, each positive. It is empty for a single value.
using Shape = std::vector<uint32_t>;

/// The ways in which the bytes of a constant become the value that the HAL
/// model holds.
enum class Expansion {
  None,
  Float16ToFloat32,
  Bfloat16ToFloat32,
  Int64ToInt32,
  Int32ToInt64,
  /// See elementsPerByte().
  PackedToBytes,
  /// See Blocks.
  BlocksToFloat32
};

/// The scales of a constant whose last dimension has one for each block of
/// neighbours.
struct Blocks {
  uint32_t size = 0;
  /// FLOAT16, BFLOAT16 or FLOAT32, one block of a row behind the other.
  schema::TensorType type = schema::TensorType::FLOAT16;
  std::span<const std::byte> scales;
};

struct Tensor {
  uint32_t index = 0;
  std::string name;
  schema::TensorType sourceType = schema::TensorType::FLOAT32;
  /// The type is absent when the HAL has none; typeProblem then says why.
  std::optional<OperandType> type;
  std::string typeProblem;
  float scale = 0.0f;
  int32_t zeroPoint = 0;
  std::optional<SymmPerChannelQuantParams> channels;
  std::optional<Blocks> blocks;

  /// Bytes or 16-bit integers without quantization parameters: as numbers, of
  /// scale 1.
  bool isPlain = false;

  /// The dimensions as the file states them; -1 where it states an unknown one.
  std::vector<int32_t> declared;
  bool isVariable = false;

  /// The shape is set for constants from the start, for others when they are
  /// computed.
  std::optional<Shape> shape;
  /// The operand that holds the value now, or its real part.
  std::optional<uint32_t> operand;
  /// The operand that holds the imaginary part of complex numbers.
  std::optional<uint32_t> imaginary;

  /// The file states 64-bit integers. Those of constants and of indices have
  /// 32 bits in operations of the HAL.
  bool is64Bit = false;
  /// The operand that holds narrowed integers with 64 bits.
  std::optional<uint32_t> wide;

  bool isConstant = false;
  /// The bytes of a constant are the importer's own, not the file's.
  bool isFolded = false;
  std::span<const std::byte> bytes;
  Expansion expansion = Expansion::None;
  const schema::SparsityParameters *sparsity = nullptr;
};

/// "tensor 5 'conv/weights'".
std::string describe(const Tensor &tensor);

std::string_view nameOf(schema::TensorType type);

/// "1x224x224x3", or "scalar".
std::string toString(const Shape &shape);

/// The product of \p shape; nullopt beyond 32 bits.
std::optional<uint32_t> elementCount(const Shape &shape);

/// Returns \p dimensions as a shape. Fails with invalidArgument when one is not
/// positive, when there are more than 8, or when the product exceeds 32 bits.
Result<Shape> makeShape(std::span<const int64_t> dimensions);

/// The elements of \p vector; empty when it is null.
template <typename T>
  requires(sizeof(T) <= sizeof(flatbuffers::uoffset_t))
std::span<const T> elementsOf(const flatbuffers::Vector<T> *vector) {
  if (!vector)
    return {};
  return {vector->data(), vector->size()};
}

/// A copy of the elements of \p vector; empty when it is null. Elements of 8
/// bytes may lie at multiples of 4 in a file that verifies.
template <typename T>
std::vector<T> copyOf(const flatbuffers::Vector<T> *vector) {
  std::vector<T> elements(vector ? vector->size() : 0);
  if (!elements.empty())
    std::memcpy(elements.data(), vector->Data(), elements.size() * sizeof(T));
  return elements;
}

/// The tables of \p vector; none when it is null.
template <typename T>
std::vector<const T *>
tablesOf(const flatbuffers::Vector<flatbuffers::Offset<T>> *vector) {
  if (!vector)
    return {};
  return {vector->begin(), vector->end()};
}

/// Bytes of one element in the file; 0 for types without a fixed size.
uint32_t elementSizeOf(schema::TensorType type);

/// The elements of \p type that share a byte, the first one in its lowest bits;
/// 1 for types whose elements have bytes of their own.
uint32_t elementsPerByte(schema::TensorType type);

/// Every tensor of \p graph. \p file holds the bytes of \p model and whatever
/// follows it. Types that only the extension has are those of the extension if
/// \p useExtensions is set.
Result<std::vector<Tensor>> readTensors(const schema::Model &model,
                                        const schema::SubGraph &graph,
                                        std::span<const std::byte> file,
                                        bool useExtensions);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_TENSORS_H
