//===- GpuMatrices.h - What multiplying matrices asks of a GPU --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ARTIFACT_GPUMATRICES_H
#define NNHAL_LIB_RUNTIME_ARTIFACT_GPUMATRICES_H

#include <cstdint>

namespace nnhal::rt {

/// The rows and columns of the matrices that subgroups multiply.
inline constexpr uint32_t gpuMatrixSide = 16;
/// Invocations of a subgroup of a kernel that tells its subgroups apart.
inline constexpr uint32_t gpuSubgroupSize = 32;
/// Subgroups of a workgroup of a kernel that multiplies matrices.
inline constexpr uint32_t gpuMatrixSubgroups = 4;
/// Most bytes that the workgroups of kernels which multiply matrices share.
inline constexpr uint32_t maxGpuMatrixSharedSize = 29696;

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_ARTIFACT_GPUMATRICES_H
