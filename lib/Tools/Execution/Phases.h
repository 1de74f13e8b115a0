//===- Phases.h - The sections of the application's trace -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_PHASES_H
#define NNHAL_LIB_TOOLS_EXECUTION_PHASES_H

#include "nnhal/Runtime/Trace.h"

namespace nnhal::tools {

/// The section of the application that \p phase is part of.
inline rt::TraceName applicationPhase(rt::TracePhase phase) {
  return {rt::TraceLayer::application, phase, rt::TraceRelation::nested};
}

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_PHASES_H
