//===- Interface.h - Inputs and outputs of a model --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_INTERFACE_H
#define NNHAL_RUNTIME_INTERFACE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Model.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nnhal::rt {

/// What one element of an extension type is, for those who show elements.
/// Numbers stand in files and are only ever appended.
enum class ElementKind : uint8_t {
  opaque,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  /// Two float32, the real part first.
  complex64,
};

/// Returns the bytes of an element of \p kind; 0 for opaque ones.
constexpr uint32_t sizeOf(ElementKind kind) {
  using enum ElementKind;
  switch (kind) {
  case opaque:
    return 0;
  case int8:
  case uint8:
    return 1;
  case int16:
  case uint16:
  case float16:
    return 2;
  case int32:
  case uint32:
  case float32:
    return 4;
  case int64:
  case uint64:
  case float64:
  case complex64:
    return 8;
  }
  return 0;
}

/// Returns the kind of number \p code where its elements have \p byteSize
/// bytes; elements of kinds of later versions are opaque.
constexpr ElementKind elementKindOf(uint32_t code, uint32_t byteSize) {
  if (code > uint32_t(ElementKind::complex64) ||
      sizeOf(ElementKind(code)) != byteSize)
    return ElementKind::opaque;
  return ElementKind(code);
}

/// The HAL's Extension: a vendor's operand types (C-014).
struct Extension {
  struct OperandTypeInfo {
    /// The lower 16 bits of the type's code.
    uint16_t type = 0;
    bool isTensor = false;
    /// Bytes of one element.
    uint32_t byteSize = 0;
    /// Optional; its size is byteSize.
    ElementKind kind = ElementKind::opaque;
    bool operator==(const OperandTypeInfo &) const = default;
  };
  std::string name;
  std::vector<OperandTypeInfo> operandTypes;
  bool operator==(const Extension &) const = default;
};

/// A custom operator of TensorFlow Lite files that an extension claims:
/// importTFLite() makes an operation of the extension in its place.
///
/// The inputs of the operation are those of the operator, NO_VALUE where one is
/// absent, and then the operator's `custom_options`: a constant
/// TENSOR_QUANT8_ASYMM of scale 1 and zero point 0 with one dimension, or
/// NO_VALUE where there are no bytes. INT64 inputs become TENSOR_INT32. The
/// outputs are those of the operator, of the type and quantization that the
/// file states and the shape that ExtensionBackend::check() infers. States that
/// ExtensionBackend::states() declares follow the inputs and the outputs.
struct CustomOperator {
  /// The operator's `custom_code`.
  std::string name;
  /// The number of the extension's operation.
  uint16_t operation = 0;
  bool operator==(const CustomOperator &) const = default;
};

/// One input or output of a model.
struct InterfaceTensor {
  std::string name;
  OperandType type = OperandType::TENSOR_FLOAT32;
  /// An extent of 0 is a dimension that each execution supplies. A tensor
  /// without dimensions has unknown rank: each execution supplies its shape
  /// (D-027).
  std::vector<uint32_t> dimensions;
  float scale = 0.0f;
  int32_t zeroPoint = 0;
  /// The scales of TENSOR_QUANT8_SYMM_PER_CHANNEL; none where they are not
  /// known, as of an artifact from before they were kept.
  SymmPerChannelQuantParams channelQuant = {};
  /// The device's description of an extension type (H-016); nothing for other
  /// types. Arguments of an extension type that it says nothing of are refused.
  std::optional<Extension::OperandTypeInfo> extension = {};
  bool operator==(const InterfaceTensor &) const = default;
};

/// A prepared model as seen from outside.
struct Interface {
  std::vector<InterfaceTensor> inputs;
  std::vector<InterfaceTensor> outputs;
  std::vector<StatePair> statePairs;
};

/// Whether \p tensor is not a scalar; an extension says so of its own types.
inline bool isTensor(const InterfaceTensor &tensor) {
  return tensor.extension ? tensor.extension->isTensor : isTensor(tensor.type);
}

/// Whether \p tensor has a rank that only an execution knows.
inline bool hasUnknownRank(const InterfaceTensor &tensor) {
  return isTensor(tensor) && tensor.dimensions.empty();
}

/// Returns the bytes of one element of \p tensor; 0 for types without an
/// element size, and for an extension type that nothing is known of.
NNHAL_API uint32_t elementSizeOf(const InterfaceTensor &tensor);

/// Returns the bytes of the elements of \p tensor; nothing while an extent or
/// the rank is unknown, and for types without an element size.
NNHAL_API std::optional<uint32_t> byteSizeOf(const InterfaceTensor &tensor);

/// Returns the interface of \p model, which is valid. \p extensions, those of
/// the device that executes it, describe the extension types of the model,
/// whose prefixes stand for names that it lists (H-022).
NNHAL_API Interface interfaceOf(const AnnotatedModel &model,
                                std::span<const Extension> extensions = {});

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_INTERFACE_H
