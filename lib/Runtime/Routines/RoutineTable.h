//===- RoutineTable.h - Work that compiled code calls for -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ROUTINES_ROUTINETABLE_H
#define NNHAL_LIB_RUNTIME_ROUTINES_ROUTINETABLE_H

#include "nnhal/Backend/EntryAbi.h"

namespace nnhal::rt {

/// The routines of Routines.def by slot, then that of extensions. Constant for
/// the life of the process. Each takes any arguments that its signature allows,
/// checks them, and reports what is wrong by NNHalExecutionContext::report.
/// Threads: routines may be called from any number of threads at once.
const NNHalRoutineTable &routineTable();

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_ROUTINES_ROUTINETABLE_H
