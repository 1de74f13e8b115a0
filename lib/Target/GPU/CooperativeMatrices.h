//===- CooperativeMatrices.h - Products of matrices in SPIR-V ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_COOPERATIVEMATRICES_H
#define NNHAL_LIB_TARGET_GPU_COOPERATIVEMATRICES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"

namespace nnhal {

/// Fails after an error at an operation of \p kernel about matrices that
/// devices with cooperative matrices need not have: factors are of f16 or
/// signed i8 and sums of f32 or i32, all of 16 x 16.
llvm::LogicalResult checkCooperativeMatrices(mlir::gpu::GPUFuncOp kernel);

/// Adds patterns that make `gpu.subgroup_mma_*` instructions of
/// SPV_KHR_cooperative_matrix.
void populateCooperativeMatrixPatterns(mlir::SPIRVTypeConverter &converter,
                                       mlir::RewritePatternSet &patterns);

/// Gives \p module the memory model of Vulkan where it has cooperative
/// matrices, which need it. Invocations then have to say which of their
/// accesses others take part in, and what a barrier makes visible: what a
/// workgroup shares.
void useVulkanMemoryModel(mlir::spirv::ModuleOp module);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_GPU_COOPERATIVEMATRICES_H
