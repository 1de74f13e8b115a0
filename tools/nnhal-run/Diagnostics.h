//===- Diagnostics.h - What went on during the work -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_DIAGNOSTICS_H
#define NNHAL_TOOLS_NNHAL_RUN_DIAGNOSTICS_H

#include "Flags.h"

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/Trace.h"

#include <span>
#include <string>

namespace nnhal::run {

/// The section of the application that \p phase is part of.
inline rt::TraceName applicationPhase(rt::TracePhase phase) {
  return {rt::TraceLayer::application, phase, rt::TraceRelation::nested};
}

/// What the devices report to: a log on standard error of what \p logTags,
/// which may be null, ask for, and a tracer where \p flags want a trace.
rt::DeviceServices makeServices(const Flags &flags, const char *logTags);

/// What \p tracer has collected, as a file.
rt::Status writeTraceFile(const rt::Tracer &tracer, const std::string &path);

/// Writes the graph of \p model, if \p flags want one, with what \p device says
/// of each operation and how many nanoseconds it took, if that is known.
rt::Status drawModel(const Flags &flags, const rt::AnnotatedModel &model,
                     const rt::Device &device,
                     std::span<const uint64_t> operationTimes);

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_DIAGNOSTICS_H
