//===- Arguments.h - Checks a request against an interface ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_ARGUMENTS_H
#define NNHAL_LIB_RUNTIME_CORE_ARGUMENTS_H

#include "Frame.h"

namespace nnhal::rt {

/// Fills the argument lists of \p frame from \p request, so that every size,
/// shape and alignment that code relies on holds. invalidArgument names the
/// argument, the found value and the bound. outputInsufficientSize when memory
/// is known to be too small before anything ran.
Status bindArguments(const Interface &interface, const Request &request,
                     Frame &frame);

/// Copies what the code reported about outputs to \p shapes. failure when it
/// contradicts the interface; outputInsufficientSize when memory was too small.
Status collectOutputs(const Interface &interface, const Frame &frame,
                      std::vector<OutputShape> &shapes);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_ARGUMENTS_H
