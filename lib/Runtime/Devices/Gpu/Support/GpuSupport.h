//===- GpuSupport.h - Operations that GPUs take -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_SUPPORT_GPUSUPPORT_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_SUPPORT_GPUSUPPORT_H

#include "nnhal/Backend/CalledGraphs.h"
#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/Status.h"

namespace nnhal::rt {

/// How extents are judged that a model leaves open: a device takes those that
/// follow from the shapes of an execution, for which it compiles; a compiler
/// has to know all.
enum class OpenExtents { follow, refused };

/// The operands whose extents a model does not state, apart from model inputs
/// that every request may omit: none, only results of operations, or inputs,
/// perhaps together with results.
enum class OpenParts { none, results, inputs };

/// Says what the main subgraph of \p model leaves open. Threads: pure function.
OpenParts openPartsOf(const Model &model);

/// Why GPUs do not execute \p operation of \p subgraph, as invalidArgument;
/// success when they do. They take operations of the HAL whose operands have up
/// to 128 MiB each, and whose parameters are constants. They execute no
/// extensions, and refuse to search or to suppress more than one invocation
/// does in time. OpenExtents::refused asks for all extents, but takes inputs
/// that a request may omit to be omitted where theirs are open.
/// OpenExtents::follow refuses open extents of results that do not follow from
/// the shapes of the inputs. IF and WHILE are asked for graphs of operations
/// that GPUs take. \p model must have passed
/// validateModel(); \p graphs is of \p model, and the same for its operations.
///
/// Threads: one at a time for the same \p graphs.
Status refusalOf(const Model &model, CalledGraphs &graphs,
                 const Subgraph &subgraph, const Operation &operation,
                 OpenExtents extents);

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
