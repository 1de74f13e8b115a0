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
#include <vector>

namespace nnhal::rt {

/// The slot of the routine of the runtime for \p type (Routines.def); nullopt
/// when compiled code has no need of one.
std::optional<uint32_t> routineSlot(OperationType type);

/// Bytes that describe \p operation: types of all operands and the values that
/// it has, which are those of constant scalars.
std::vector<uint8_t> writeRoutineSignature(const OperationView &operation);

/// An operation as read from a signature.
struct RoutineSignature {
  /// Values refer to the bytes that were read.
  OperationView operation;
  /// The inputs without a value, in order: those that a call passes.
  std::vector<size_t> arguments;
};

/// Reads a signature. Fails with invalidArgument for bytes that
/// writeRoutineSignature() did not write; any bytes may be given. \p bytes must
/// outlive the result.
Result<RoutineSignature> readRoutineSignature(std::span<const uint8_t> bytes);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_ARTIFACT_ROUTINESIGNATURE_H
