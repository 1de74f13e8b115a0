//===- HostCpu.h - Features of this machine ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_CPU_HOSTCPU_H
#define NNHAL_LIB_RUNTIME_DEVICES_CPU_HOSTCPU_H

#include "Runtime/Artifact/ModelCache.h"

#include <string>
#include <string_view>

namespace nnhal::rt {

/// Whether this process can execute code for \p target at all.
bool isHostTarget(TargetKind target);

/// Returns success when this machine has every feature that is listed as +name
/// in \p features (LLVM's names, comma-separated). Otherwise fails with
/// deviceUnavailable, which names the first that is missing: better than the
/// illegal instruction that would follow. Names that this build cannot ask the
/// machine about pass.
Status checkHostFeatures(std::string_view cpu, std::string_view features);

/// Differs between machines for which different code would be compiled: what
/// the processor says about itself, not what of it this build knows by name.
std::string hostCpuIdentity();

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_CPU_HOSTCPU_H
