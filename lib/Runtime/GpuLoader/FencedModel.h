//===- FencedModel.h - Fences that drivers of GPUs export -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_GPULOADER_FENCEDMODEL_H
#define NNHAL_LIB_RUNTIME_GPULOADER_FENCEDMODEL_H

#include "GpuDriver.h"

namespace nnhal::rt {

/// \p code, which has sync_files, as a model whose fenced executions are
/// submitted at once and end without a thread that waits: the reactor of the
/// services does. Where all outputs are where the client wants them the
/// sync_file is the fence of the execution, otherwise the reactor copies them.
///
/// A deadline that passes after the submission does not end the execution: a
/// fence that somebody has cannot fail any more.
std::unique_ptr<LoadedModel> createFencedModel(std::unique_ptr<GpuCode> code);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_GPULOADER_FENCEDMODEL_H
