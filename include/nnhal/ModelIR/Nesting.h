//===- Nesting.h - How deep IR from outside may nest ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser, verifier, printer and destructors call themselves for each
// level of regions, attributes, types and affine expressions, and overflow the
// stack at some thousands. Whoever parses what comes from outside checks it
// first. The bound leaves room on the stack of any thread.
//
// Threads: any.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_MODELIR_NESTING_H
#define NNHAL_MODELIR_NESTING_H

#include "nnhal/Runtime/Status.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace nnhal {

/// The number of levels that source may have. What people and compilers write
/// has some tens.
inline constexpr unsigned maxNesting = 256;

/// How the memory of source must be aligned: bytecode has resources that are
/// used where they lie.
inline constexpr uint64_t sourceAlignment = 4096;

/// invalidArgument when \p source, textual or bytecode, nests deeper than
/// maxNesting; the message has the place, the depth that was found, and the
/// bound. Text is only scanned for brackets outside of strings and comments,
/// for chains of operators in affine expressions, and for aliases that are made
/// of aliases. Bytecode is read, without verification, with the dialects of
/// \p context; what else is wrong with it is not reported here.
rt::Status checkNesting(llvm::MemoryBufferRef source,
                        mlir::MLIRContext &context);

} // namespace nnhal

#endif // NNHAL_MODELIR_NESTING_H
