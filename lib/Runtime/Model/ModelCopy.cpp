//===- ModelCopy.cpp - Models that borrow nothing -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/ModelCopy.h"

using namespace nnhal::rt;

Result<Model> nnhal::rt::ownedCopy(const Model &model) {
  Model copy = model;
  for (Pool &pool : copy.pools) {
    NNHAL_ASSIGN_OR_RETURN(pool.memory, pool.memory.snapshot());
    if (std::holds_alternative<Memory::Borrowed>(pool.memory.kind())) {
      NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                             pool.memory.bytes());
      pool.memory = Memory::copy(bytes);
    }
  }
  return copy;
}
