//===- ExpandRounding.h - Rounding without an instruction -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_EXPANDROUNDING_H
#define NNHAL_LIB_TARGET_CPU_EXPANDROUNDING_H

namespace llvm {
class Function;
} // namespace llvm

namespace nnhal {

/// Replaces the intrinsics that round f32 and f64 to integers, of scalars and
/// vectors, by sums, comparisons and selections of the same results.
void expandRounding(llvm::Function &function);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_EXPANDROUNDING_H
