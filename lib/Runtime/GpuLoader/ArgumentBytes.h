//===- ArgumentBytes.h - Copies of arguments --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_GPULOADER_ARGUMENTBYTES_H
#define NNHAL_LIB_RUNTIME_GPULOADER_ARGUMENTBYTES_H

#include "nnhal/Backend/Invocation.h"
#include "nnhal/Runtime/Status.h"

#include <cstddef>
#include <span>

namespace nnhal::rt {

/// Copies \p bytes.size() bytes, at least one, of an input to memory of the
/// host, wherever the client has them.
Status readInput(const InvocationArgument &argument,
                 std::span<std::byte> bytes);

/// Copies an output from memory of the host to wherever the client wants it.
/// The argument has room for \p bytes, of which there is at least one.
Status writeOutput(const InvocationArgument &argument,
                   std::span<const std::byte> bytes);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_GPULOADER_ARGUMENTBYTES_H
