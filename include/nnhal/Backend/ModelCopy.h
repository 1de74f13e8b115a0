//===- ModelCopy.h - Models that borrow nothing -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_MODELCOPY_H
#define NNHAL_BACKEND_MODELCOPY_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Model.h"

namespace nnhal::rt {

/// Returns a copy of \p model whose pools have bytes that are in reach, belong
/// to the copy and never change. The copy shares the pools for which this holds
/// already. Fails like Memory::snapshot().
NNHAL_API Result<Model> ownedCopy(const Model &model);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_MODELCOPY_H
