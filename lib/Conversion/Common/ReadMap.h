//===- ReadMap.h - Reads of elements as indexing maps -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_COMMON_READMAP_H
#define NNHAL_LIB_CONVERSION_COMMON_READMAP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace nnhal {

/// The map by which the loops of \p op walk over a tensor of \p type, whose
/// element at \p indices the body reads: an index is that of a loop, or 0 in a
/// dimension of one element. Null where no map says it. The map gives the
/// extents of the loops, as the verifier of linalg derives them; where the
/// ranks are equal it is a permutation. Reads that become operands by it are
/// what fusion and vectorization see.
mlir::AffineMap mapOfRead(mlir::linalg::GenericOp op,
                          mlir::RankedTensorType type,
                          mlir::ValueRange indices);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_COMMON_READMAP_H
