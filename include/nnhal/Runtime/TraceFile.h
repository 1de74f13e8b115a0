//===- TraceFile.h - Traces as Chrome and Perfetto read them ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_TRACEFILE_H
#define NNHAL_RUNTIME_TRACEFILE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Trace.h"

#include <string>

namespace nnhal::rt {

/// Writes the events that \p tracer has collected so far in the JSON form of
/// the Trace Event Format, which ui.perfetto.dev and chrome://tracing open
/// (K-012).
///
/// Sections are "X" events, or "B" while they run; spans are "b" and "e" with
/// an id of their own; counters are "C"; names of threads are "M". Times are
/// microseconds of the tracer's clock. "otherData" says how many events were
/// dropped. Bytes that are not UTF-8 are replaced.
NNHAL_API std::string writeTrace(const Tracer &tracer);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_TRACEFILE_H
