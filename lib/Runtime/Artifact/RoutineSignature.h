//===- RoutineSignature.h - Signatures of routines --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ARTIFACT_ROUTINESIGNATURE_H
#define NNHAL_LIB_RUNTIME_ARTIFACT_ROUTINESIGNATURE_H

#include "nnhal/Backend/Signatures.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// The slot of the routine of the runtime for \p type (Routines.def); nullopt
/// when compiled code has no need of one.
std::optional<uint32_t> routineSlot(OperationType type);

/// The slot of the routine that calls the backend of an extension, behind those
/// of Routines.def.
inline constexpr uint32_t extensionRoutineSlot = 7;

/// Bytes that describe \p operation: types of all operands and the values that
/// it has, which are those of constant scalars. \p extensions are the names of
/// the extension that the operation is of and of those whose types its operands
/// have, by their prefixes, which count from 1; none for an operation of the
/// HAL.
std::vector<uint8_t>
writeRoutineSignature(const OperationView &operation,
                      std::span<const std::string> extensions = {});

/// An operation as read from a signature.
struct RoutineSignature {
  /// Values refer to the bytes that were read.
  OperationView operation;
  /// The extension that the operation is of; empty for one of the HAL.
  std::string_view extension;
  /// The extensions that types with the prefixes behind the operation's are of.
  std::vector<std::string_view> otherExtensions;
  /// The inputs without a value, in order: those that a call passes.
  std::vector<size_t> arguments;
};

/// Reads a signature. Fails with invalidArgument for bytes that
/// writeRoutineSignature() did not write; any bytes may be given. \p bytes must
/// outlive the result.
Result<RoutineSignature> readRoutineSignature(std::span<const uint8_t> bytes);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_ARTIFACT_ROUTINESIGNATURE_H
