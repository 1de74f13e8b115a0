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

/// Whether extents that a model leaves open count as known: a device compiles
/// for the shapes of each execution, which tell them, the compiler has to know.
enum class OpenExtents { follow, refused };

/// What a model leaves open, beside the extents of inputs of the model that
/// every request may omit.
enum class OpenParts { none, results, inputs };

/// Threads: pure function.
OpenParts openPartsOf(const Model &model);

/// Why GPUs do not execute \p operation of \p subgraph, as invalidArgument;
/// success when they do. They take operations of the HAL whose operands have up
/// to 128 MiB each, and whose parameters are constants. With
/// OpenExtents::refused all extents have to be known, but that inputs that a
/// request may omit are taken to be omitted where theirs are not; with
/// OpenExtents::follow only those that the kernels alone would know are
/// refused. No other graphs and no
/// extensions are executed, nor more searching and suppressing than one
/// invocation does in time. \p model must have passed validateModel().
///
/// Threads: pure function.
Status refusalOf(const Model &model, const Subgraph &subgraph,
                 const Operation &operation, OpenExtents extents);

/// Why the inputs and outputs of the main subgraph of \p model cannot be passed
/// to GPUs, unread ones too; success when they can.
///
/// Threads: pure function.
Status checkGpuInterface(const Model &model, OpenExtents extents);

/// Why \p model cannot be prepared as a whole, with the number of the
/// operation; success when it can.
///
/// Threads: pure function.
Status checkGpuModel(const Model &model, OpenExtents extents);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_SUPPORT_GPUSUPPORT_H
