//===- ArgumentMemory.h - Pools and buffers as arguments --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_ARGUMENTMEMORY_H
#define NNHAL_LIB_RUNTIME_CORE_ARGUMENTMEMORY_H

#include "Arguments.h"

#include "Runtime/Model/ArgumentShape.h"
#include "nnhal/Runtime/SharedMemory.h"

namespace nnhal::rt {

/// Returns the alignment of the elements of \p tensor in bytes.
uint64_t alignmentOf(const InterfaceTensor &tensor);

/// Part of a pool.
struct PoolRegion {
  const std::shared_ptr<const SharedMemory> &pool;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t padding = 0;
};

/// An offset of 0 and a size of 0 stand for the whole pool (D-095).
inline bool isWholePool(uint64_t offset, uint64_t size) {
  return offset == 0 && size == 0;
}

/// Whether only the maker of \p pool knows its layout, and so its size.
inline bool isOpaque(const SharedMemory &pool) {
  return pool.kind() == PoolKind::hardwareBuffer;
}

/// Points \p argument at \p region: at the pool when the backend imports it, at
/// the bytes where they are when they can be mapped and are aligned, else at
/// memory for a copy that is made when the code runs.
Status bindPool(const Argument &which, const PoolRegion &region,
                const BufferScope &scope, Frame &frame,
                InvocationArgument &argument);

/// Fails with generalFailure when neither the runtime nor the backend reaches
/// the bytes of \p region, and with invalidArgument when it states some bytes
/// of a pool whose layout only its maker knows (F-006, F-013).
Status checkReach(const Argument &which, const PoolRegion &region,
                  const BufferScope &scope);

/// Notes that \p which is the buffer with \p token. An argument of unknown rank
/// gets that of the buffer. Fails with invalidArgument when there is none, it
/// has not this role, or its shape contradicts that of \p argument (F-030,
/// F-031, F-036).
Status bindToken(const Argument &which, uint32_t token,
                 const BufferScope &scope, Frame &frame,
                 InvocationArgument &argument);

/// Fails with invalidArgument when one buffer is an output and anything else
/// (F-035).
Status checkBufferUses(const Frame &frame);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_ARGUMENTMEMORY_H
