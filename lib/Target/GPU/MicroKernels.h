//===- MicroKernels.h - Convolutions and pools as GPU kernels ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_MICROKERNELS_H
#define NNHAL_LIB_TARGET_GPU_MICROKERNELS_H

#include "KernelEpilogue.h"
#include "Tiles.h"

namespace nnhal::nngpu {

// Each function makes a kernel at the end of \p module of a micro-kernel on
// buffers, and fails after an error at it where the layout of a buffer has no
// numbers.

llvm::FailureOr<Kernel> emitConvolution(mlir::gpu::GPUModuleOp module,
                                        const DeviceClass &device,
                                        kernel::Conv2DOp op);
/// Whether the subgroups of \p device multiply the matrices of \p op.
bool multipliesMatrices(const DeviceClass &device, kernel::Conv2DOp op);
/// emitConvolution() where multipliesMatrices().
llvm::FailureOr<Kernel> emitMatrixConvolution(mlir::gpu::GPUModuleOp module,
                                              kernel::Conv2DOp op);
llvm::FailureOr<Kernel> emitDepthwise(mlir::gpu::GPUModuleOp module,
                                      const DeviceClass &device,
                                      kernel::DepthwiseConv2DOp op);
llvm::FailureOr<Kernel> emitPool(mlir::gpu::GPUModuleOp module,
                                 const DeviceClass &device,
                                 kernel::Pool2DOp op);

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_MICROKERNELS_H
