//===- PackIntegers.h - Convolutions of integers in panels ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_PACKINTEGERS_H
#define NNHAL_LIB_CODEGEN_PACKINTEGERS_H

#include "Conversion/Common/ByteWeights.h"
#include "Conversion/Common/ConstantData.h"
#include "Conversion/Common/TensorBuilder.h"

#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/NNHal/IR/Target.h"

namespace nnhal {

/// The bytes of the constant that \p value is, or is in another shape; nullopt
/// where the model computes it.
std::optional<ConstantBytes> constantBehind(mlir::Value value);

/// \p value, of integers, with what \p form says about those of i8.
Tensor integersOf(TensorBuilder &build, mlir::Value value, ByteForm form);

/// Builds, where \p builder stands, what computes the result of \p op, which
/// multiplies integers, by kernels whose filters are in panels for \p policy.
/// Returns that result, of the same type.
mlir::Value packIntegers(kernel::Conv2DFhwcOp op, mlir::OpBuilder &builder,
                         const LoweringPolicy &policy);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_PACKINTEGERS_H
