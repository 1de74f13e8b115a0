//===- SignatureRows.h - Words of the table of signatures -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The functions in which the rows of SignatureTable.h are written down, and the
// lists of types that many of them share.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_SIGNATUREROWS_H
#define NNHAL_LIB_RUNTIME_MODEL_SIGNATUREROWS_H

#include "nnhal/Backend/SignatureTable.h"

namespace nnhal::rt::signatures {

/// The rows of all operations but recurrent ones, and of those.
std::span<const Signature> plainSignatures();
std::span<const Signature> recurrentSignatures();

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

constexpr InputRow tensor(std::string_view name,
                          std::span<const TypeSince> types = {}) {
  return {.name = name, .types = types};
}
constexpr InputRow int32(std::string_view name) {
  return {.name = name, .kind = InputKind::int32};
}
constexpr InputRow boolean(std::string_view name) {
  return {.name = name, .kind = InputKind::boolean};
}
constexpr InputRow real(std::string_view name) {
  return {.name = name, .kind = InputKind::real};
}
constexpr InputRow list(std::string_view name) {
  return {.name = name, .kind = InputKind::int32List};
}
constexpr InputRow pairs(std::string_view name) {
  return {.name = name, .kind = InputKind::int32Pairs};
}
constexpr InputRow ofKind(InputKind kind, std::string_view name) {
  return {.name = name, .kind = kind};
}

/// \p row, which has another name in the dialect.
constexpr InputRow as(std::string_view canonicalName, InputRow row) {
  row.canonicalName = canonicalName;
  return row;
}
constexpr InputRow ofRole(InputRole role, InputRow row) {
  row.role = role;
  return row;
}
constexpr InputRow spatial(InputRow row) {
  return ofRole(InputRole::spatial, row);
}
/// \p row where the dialect states what is not \p value.
constexpr InputRow usually(int32_t value, InputRow row) {
  row.defaultValue = value;
  return row;
}
constexpr InputRow omittable(InputRow row) {
  row.isOmittable = true;
  return row;
}
constexpr InputRow repeated(uint8_t least, InputRow row) {
  row.presence = InputPresence::repeated;
  row.least = least;
  return row;
}
/// An input that came with \p since and is \p defaultValue where it is left
/// out.
constexpr InputRow trailing(InputRow row, std::optional<int32_t> defaultValue,
                            HalVersion since) {
  row.presence = InputPresence::trailing;
  row.defaultValue = defaultValue;
  row.since = since;
  return row;
}
constexpr InputRow joined(InputRow row) {
  row.isJoined = true;
  return row;
}
constexpr InputRow implicitly(InputRow row) {
  row.form = InputForm::implicitPadding;
  return row;
}
constexpr InputRow explicitly(InputRow row) {
  row.form = InputForm::explicitPadding;
  return row;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

inline constexpr OutputCount oneOutput[] = {{1}};
inline constexpr OutputCount twoOutputs[] = {{2}};
inline constexpr OutputCount threeOutputs[] = {{3}};
inline constexpr OutputCount fourOutputs[] = {{4}};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

inline constexpr TypeSince floats10[] = {
    {OperandType::TENSOR_FLOAT32, HalVersion::V1_0},
    {OperandType::TENSOR_FLOAT16, HalVersion::V1_2},
};
inline constexpr TypeSince floats12[] = {
    {OperandType::TENSOR_FLOAT32, HalVersion::V1_2},
    {OperandType::TENSOR_FLOAT16, HalVersion::V1_2},
};
inline constexpr TypeSince int32s[] = {
    {OperandType::TENSOR_INT32, HalVersion::V1_0},
};
inline constexpr TypeSince bools[] = {
    {OperandType::TENSOR_BOOL8, HalVersion::V1_2},
};

} // namespace nnhal::rt::signatures

#endif // NNHAL_LIB_RUNTIME_MODEL_SIGNATUREROWS_H
