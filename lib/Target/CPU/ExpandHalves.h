//===- ExpandHalves.h - Halves without instructions -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_EXPANDHALVES_H
#define NNHAL_LIB_TARGET_CPU_EXPANDHALVES_H

namespace llvm {
class Function;
} // namespace llvm

namespace nnhal {

/// Replaces what computes with f16, of scalars and vectors, by f32, and the
/// conversions between the two by operations on their bits, rounded to the
/// nearest, halves to even.
void expandHalves(llvm::Function &function);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_EXPANDHALVES_H
