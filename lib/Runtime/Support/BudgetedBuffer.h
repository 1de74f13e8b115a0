//===- BudgetedBuffer.h - Bytes that count against a limit ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_BUDGETEDBUFFER_H
#define NNHAL_LIB_RUNTIME_SUPPORT_BUDGETEDBUFFER_H

#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/MemoryBudget.h"

namespace nnhal::rt {

/// Uninitialized aligned bytes with their reservation. Move-only.
struct BudgetedBuffer {
  AlignedBuffer bytes;
  Reservation reservation;

  /// Allocates within \p budget, which may be null. Fails with
  /// resourceExhausted* when there is no room.
  static Result<BudgetedBuffer> allocate(uint64_t size, MemoryBudget *budget) {
    return allocate(size, budget, AlignedBuffer::allocate);
  }
  /// Allocates like AlignedBuffer::allocateResident().
  static Result<BudgetedBuffer> allocateResident(uint64_t size,
                                                 MemoryBudget *budget) {
    return allocate(size, budget, AlignedBuffer::allocateResident);
  }

private:
  static Result<BudgetedBuffer>
  allocate(uint64_t size, MemoryBudget *budget,
           Result<AlignedBuffer> (*allocateBytes)(uint64_t)) {
    BudgetedBuffer buffer;
    if (budget && size > 0) {
      NNHAL_ASSIGN_OR_RETURN(buffer.reservation, budget->reserve(size));
    }
    NNHAL_ASSIGN_OR_RETURN(buffer.bytes, allocateBytes(size));
    return buffer;
  }
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_BUDGETEDBUFFER_H
