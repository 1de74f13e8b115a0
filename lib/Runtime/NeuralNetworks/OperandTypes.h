//===- OperandTypes.h - Operand types of C clients --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_OPERANDTYPES_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_OPERANDTYPES_H

#include "nnhal/Runtime/Interface.h"
#include "nnhal/Runtime/Model.h"

#include <android/NeuralNetworks.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace nnhal::ndk {

/// Whether the rank and the extents of a tensor may be open.
enum class Openness { allowed, refused };

/// Makes an operand of \p type when that is valid, and returns false otherwise
/// (A-028 to A-049, J-034, J-084, J-116). A TENSOR_INT32 may have any scale
/// here; parameters of channels are set later.
bool makeOperand(const ANeuralNetworksOperandType &type, Openness openness,
                 rt::Operand &operand);

/// Checks what validation checks of \p operand, of no extension type, in a
/// model without constants. The log is told what is wrong, and in which \p
/// call.
bool isValidOperand(std::string_view call, const rt::Operand &operand);

/// The description of the extension type \p code; nothing for other types.
std::optional<rt::Extension::OperandTypeInfo> extensionTypeOf(uint32_t code);

/// Returns the bytes of the elements of \p operand; nothing while an extent is
/// open, and for types without a size.
std::optional<uint32_t> sizeOf(const rt::Operand &operand);

} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_OPERANDTYPES_H
