//===- ExtensionTypes.h - Codes of the extension nnhal.tflite ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_EXTENSIONTYPES_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_EXTENSIONTYPES_H

#include "nnhal/Runtime/Interface.h"
#include "nnhal/Runtime/Model.h"

#include "TFLiteSchema_generated.h"

#include <optional>
#include <string_view>
#include <utility>

namespace nnhal::rt::tflite {

inline constexpr std::string_view extensionName = "nnhal.tflite";
/// The prefix that imported models give the extension.
inline constexpr uint16_t extensionPrefix = 1;

constexpr OperandType extensionOperandType(uint16_t number) {
  return OperandType(uint32_t(extensionPrefix) << 16 | number);
}

/// The operand types of the extension, which are tensors.
inline constexpr OperandType tensorInt64 = extensionOperandType(0),
                             tensorUint32 = extensionOperandType(1),
                             tensorUint16 = extensionOperandType(2),
                             tensorUint64 = extensionOperandType(3),
                             tensorFloat64 = extensionOperandType(4),
                             tensorComplex64 = extensionOperandType(5);

constexpr OperationType extensionOperation(schema::BuiltinOperator code) {
  return OperationType(uint32_t(extensionPrefix) << 16 | uint32_t(code));
}

/// The extension's type for what the HAL has none.
constexpr std::optional<OperandType> extensionTypeOf(schema::TensorType type) {
  switch (type) {
  case schema::TensorType::INT64:
    return tensorInt64;
  case schema::TensorType::UINT32:
    return tensorUint32;
  case schema::TensorType::UINT16:
    return tensorUint16;
  case schema::TensorType::UINT64:
    return tensorUint64;
  case schema::TensorType::FLOAT64:
    return tensorFloat64;
  default:
    return std::nullopt;
  }
}

/// Returns the kind of the elements of \p type, an operand type of the
/// extension. The extension's description (lib/Extensions/TFLite) says so, too,
/// but there is none where its plug-in is not installed, and extensions that
/// claim custom operators get the elements of files even there.
constexpr ElementKind elementKindOf(OperandType type) {
  constexpr std::pair<OperandType, ElementKind> kinds[] = {
      {tensorInt64, ElementKind::int64},
      {tensorUint32, ElementKind::uint32},
      {tensorUint16, ElementKind::uint16},
      {tensorUint64, ElementKind::uint64},
      {tensorFloat64, ElementKind::float64},
      {tensorComplex64, ElementKind::complex64}};
  for (const auto &[known, kind] : kinds)
    if (known == type)
      return kind;
  return ElementKind::opaque;
}

/// The bytes of an element of \p type, of the HAL or of the extension.
inline uint32_t elementSizeOf(OperandType type) {
  if (type == tensorUint16)
    return 2;
  if (type == tensorUint32)
    return 4;
  if (isExtension(type))
    return 8;
  const OperandTypeInfo *info = lookUp(type);
  return info ? info->elementSize : 0;
}

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_EXTENSIONTYPES_H
