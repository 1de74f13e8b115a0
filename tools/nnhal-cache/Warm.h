//===- Warm.h - Kernels for models to come ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_CACHE_WARM_H
#define NNHAL_TOOLS_NNHAL_CACHE_WARM_H

#include "Options.h"

namespace nnhal::cachetool {

/// Compiles the models of \p options, and leaves their kernels in the state
/// directory of nnhal-cpu and nothing else. Prints a line for each model. Fails
/// when the directory cannot be used, and, after all others were compiled, when
/// a model could not be.
rt::Status warm(const Options &options);

} // namespace nnhal::cachetool

#endif // NNHAL_TOOLS_NNHAL_CACHE_WARM_H
