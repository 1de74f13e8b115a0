//===- DataMovement.h - What lowerings of data movement share ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_DATAMOVEMENT_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_DATAMOVEMENT_H

#include "Engine/OperationLowering.h"

namespace nnhal {

/// The extents of a result that lacks the dimensions that \p isRemoved marks;
/// one of 1 where none is left. An error where its rank is not known.
llvm::FailureOr<llvm::SmallVector<Scalar>>
withoutDimensions(OperationLowering &op, Indices extents,
                  llvm::ArrayRef<Scalar> isRemoved);

/// \p input surrounded by \p element, by what stands for 0 where there is none;
/// \p paddings are head and tail of each dimension, checked here. What is the
/// result of the operation has the extents that are stated for it, which is
/// checked, too.
Tensor buildPadded(OperationLowering &op, const Tensor &input,
                   llvm::ArrayRef<Scalar> paddings,
                   std::optional<Scalar> element, bool isResult = false);

/// Checks that the elements of input \p index, integers, are below \p extent
/// and not negative.
void checkIndices(OperationLowering &op, size_t index, Scalar extent);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_DATAMOVEMENT_H
