//===- CpuSupport.h - Operations that nnhal-cpu takes -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_CPU_SUPPORT_CPUSUPPORT_H
#define NNHAL_LIB_RUNTIME_DEVICES_CPU_SUPPORT_CPUSUPPORT_H

#include "nnhal/Backend/CalledGraphs.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/Model.h"

#include <span>

namespace nnhal::rt {

/// Returns success when the compiler for CPUs takes \p operation of \p subgraph
/// (decisions 3): every operation of the HAL, but scalars that choose what is
/// compiled must be constants, and ranks known. Otherwise fails with
/// invalidArgument; the message says which operand is in the way and why.
/// Extents of intermediate values may be unknown: the compiler infers them.
/// Operations of \p extensions are taken as far as their backends do.
/// \p model must have passed validateModel(); \p graphs are its own, and serve
/// all of its operations.
///
/// Threads: one at a time for the same graphs.
Status checkCpuSupport(const Model &model, CalledGraphs &graphs,
                       const Subgraph &subgraph, const Operation &operation,
                       std::span<const InstalledExtension> extensions = {});

/// Returns success when the compiler for CPUs can pass every input and output
/// of the main subgraph of \p model, unread ones too. Otherwise fails with
/// invalidArgument, which names the first that it cannot pass. Such a model is
/// not compiled, whatever its operations are.
///
/// Threads: pure function.
Status checkCpuInterface(const Model &model,
                         std::span<const InstalledExtension> extensions = {});

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_CPU_SUPPORT_CPUSUPPORT_H
