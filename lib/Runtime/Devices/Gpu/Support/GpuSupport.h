//===- GpuSupport.h - Operations that GPUs take -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_SUPPORT_GPUSUPPORT_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_SUPPORT_GPUSUPPORT_H

#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/Status.h"

namespace nnhal::rt {

/// Why the compiler for GPUs does not take \p operation of \p subgraph, as
/// invalidArgument; success when it does. It takes operations of the HAL whose
/// operands have known extents, up to 128 MiB each, and whose parameters are
/// constants; inputs that a request may omit are taken to be omitted where
/// their extents are not known. It executes no other graphs and no extensions,
/// and refuses to search or to suppress more than one invocation does in time.
/// \p model must have passed validateModel().
///
/// Threads: pure function.
Status refusalOf(const Model &model, const Subgraph &subgraph,
                 const Operation &operation);

/// Why the inputs and outputs of the main subgraph of \p model cannot be passed
/// to GPUs, unread ones too; success when they can.
///
/// Threads: pure function.
Status checkGpuInterface(const Model &model);

/// Why \p model cannot be prepared as a whole, with the number of the
/// operation; success when it can.
///
/// Threads: pure function.
Status checkGpuModel(const Model &model);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_SUPPORT_GPUSUPPORT_H
