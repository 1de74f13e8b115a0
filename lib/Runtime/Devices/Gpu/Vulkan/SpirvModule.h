//===- SpirvModule.h - Checks kernels before a driver sees them -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_SPIRVMODULE_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_SPIRVMODULE_H

#include "Engine.h"

#include "Runtime/Artifact/GpuProgram.h"

#include <cstdint>
#include <vector>

namespace nnhal::rt::vulkan {

/// The needs of a kernel beside the features that its module states.
struct KernelNeeds {
  /// The most bytes that drivers may take for what a workgroup shares.
  uint64_t sharedBytes = 0;
  /// Whether it tells its subgroups apart, which have gpuSubgroupSize
  /// invocations then.
  bool hasSubgroups = false;
};

/// Checks that the module of \p program is a SPIR-V module of version 1.4 to
/// 1.6 of whole instructions, that \p features cover what it says to need, that
/// it fixes the sizes of what workgroups share, and that its entry points are
/// the kernels of \p program, with their sizes of workgroups and no storage
/// buffer beyond their bindings. Drivers believe a module; of the instructions
/// of function bodies no more is looked at than which capabilities they need
/// and which variables of workgroups they name: each has to be in the interface
/// of the entry point. Returns what each kernel of \p program needs.
///
/// Fails with invalidArgument, which names what was found, and with
/// deviceUnavailable when the device lacks a feature.
Result<std::vector<KernelNeeds>> checkSpirv(const GpuProgram &program,
                                            const Features &features);

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_SPIRVMODULE_H
