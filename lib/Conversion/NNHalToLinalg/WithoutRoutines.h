//===- WithoutRoutines.h - What targets without routines lower --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowerings of operations that are routines of the runtime elsewhere
// (LoweringPolicy::hasRoutines()).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_WITHOUTROUTINES_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_WITHOUTROUTINES_H

#include "Engine/OperationLowering.h"

namespace nnhal {

/// Fails with a reason where a scalar of the operation is computed.
llvm::LogicalResult needConstantScalars(OperationLowering &op);

/// Whether \p a is larger than \p b; a NaN is smaller than any number.
Scalar isLarger(Scalar a, Scalar b);

inline rt::TensorType float32Tensor() {
  rt::TensorType type;
  type.type = rt::OperandType::TENSOR_FLOAT32;
  return type;
}

inline rt::TensorType int32Tensor() {
  rt::TensorType type;
  type.type = rt::OperandType::TENSOR_INT32;
  return type;
}

// One per family file.
std::span<const LoweringRow> searchRows();
std::span<const LoweringRow> suppressionRows();

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_WITHOUTROUTINES_H
