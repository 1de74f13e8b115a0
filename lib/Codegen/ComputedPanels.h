//===- ComputedPanels.h - Filters that models compute -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The factors of micro-kernels in panels where the model computes or is given
// them: what Packing.h does to constants, in code that runs with the model.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_COMPUTEDPANELS_H
#define NNHAL_LIB_CODEGEN_COMPUTEDPANELS_H

#include "Conversion/Common/TensorBuilder.h"

namespace nnhal {

/// The elements of \p filter, [out, height, width, in] when it is \p ohwi, in
/// panels of \p width output channels, zeros behind the last one: [panels,
/// height, width, in / group, width * group]. \p group input channels of an
/// output channel stay together; they divide those that there are.
mlir::Value packComputedPanels(TensorBuilder &build, const Tensor &filter,
                               llvm::ArrayRef<int64_t> ohwi, int64_t width,
                               int64_t group = 1);

/// The elements of \p bias, of known extent, in panels of \p width.
mlir::Value packComputedBias(TensorBuilder &build, const Tensor &bias,
                             int64_t width);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_COMPUTEDPANELS_H
