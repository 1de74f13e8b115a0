//===- Planted.h - Passes with faults ---------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_PASSPAIRS_PLANTED_H
#define NNHAL_TEST_PASSPAIRS_PLANTED_H

namespace nnhal {

/// Registers a pass for each fault that nnhal-check-passes finds:
/// planted-crash, planted-hang, planted-memory, planted-silence and
/// planted-invalid-ir.
void registerPlantedPasses();

} // namespace nnhal

#endif // NNHAL_TEST_PASSPAIRS_PLANTED_H
