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

#include <vector>

namespace nnhal::rt {

/// How extents and parameters are judged that a model leaves open: a device
/// takes those that follow from the shapes and values of an execution, for
/// which it compiles; a compiler has to know all.
enum class OpenExtents { follow, refused };

/// The operands whose extents a model does not state, apart from model inputs
/// that every request may omit: none, only results of operations, or inputs,
/// perhaps together with results.
enum class OpenParts { none, results, inputs };

/// Says what the main subgraph of \p model leaves open. Threads: pure function.
OpenParts openPartsOf(const Model &model);

/// The parameters of operations that are not constants: none, only inputs of
/// the model that operations of the main subgraph read, or also what operations
/// compute and what is passed to graphs.
enum class OpenParameters { none, inputs, computed };

/// Says which parameters \p model leaves open. Threads: pure function.
OpenParameters openParametersOf(const Model &model);

/// The operands that \p operation of \p subgraph has as parameters and that are
/// not constants, those that a request may omit among them; for IF and WHILE
/// the scalars that they pass. Threads: pure function.
std::vector<uint32_t> openParametersOf(const Model &model,
                                       const Subgraph &subgraph,
                                       const Operation &operation);

/// Says of each input of \p model whether an operation of the main subgraph has
/// it as an open parameter, which a request may omit or not. Threads: pure
/// function.
std::vector<bool> parameterInputsOf(const Model &model);

/// Why GPUs do not execute \p operation of \p subgraph, as invalidArgument;
/// success when they do. They take operations of the HAL whose operands have up
/// to 128 MiB each, and whose parameters are constants when code is made. They
/// execute no extensions, and refuse to search or to suppress more than one
/// invocation does in time. OpenExtents::refused asks for all extents, but
/// takes inputs that a request may omit to be omitted where theirs are open.
/// OpenExtents::follow takes open parameters, and refuses open extents of
/// results that follow neither from the shapes of the inputs nor from the
/// values of parameters. IF and WHILE are asked for graphs of operations that
/// GPUs take. \p model must have passed validateModel(); \p graphs is of \p
/// model, and the same for its operations.
///
/// Threads: one at a time for the same \p graphs.
Status refusalOf(const Model &model, CalledGraphs &graphs,
                 const Subgraph &subgraph, const Operation &operation,
                 OpenExtents extents);

/// refusalOf() each operation of the main subgraph of \p model. Those with
/// which the graphs that they execute are more than one compilation takes are
/// refused, too.
///
/// Threads: pure function.
std::vector<Status> refusalsOf(const Model &model, OpenExtents extents);

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
