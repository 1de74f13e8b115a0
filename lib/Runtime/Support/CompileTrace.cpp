//===- CompileTrace.cpp - A compilation in a trace ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileTrace.h"

#include "nnhal/Runtime/Trace.h"

using namespace nnhal::rt;

static constexpr TraceName compiling = {TraceLayer::driver,
                                        TracePhase::compilation};

CompileTrace::CompileTrace(Tracer *tracer, const CompileObserver &observer)
    : tracer(tracer), traced(observer) {
  if (!tracer)
    return;
  traced.progress = [this, told = observer.progress](
                        std::string_view phase, uint32_t done, uint32_t total) {
    begin(phase);
    if (told)
      told(phase, done, total);
  };
  traced.part = [tracer, told = observer.part](std::string_view name,
                                               std::chrono::nanoseconds time) {
    int64_t end = tracer->now();
    tracer->addSection(compiling, name, end - time.count(), end);
    if (told)
      told(name, time);
  };
}

CompileTrace::~CompileTrace() {
  if (tracer)
    tracer->end(section);
}

void CompileTrace::begin(std::string_view phase) {
  tracer->end(section);
  section = tracer->beginSection(compiling, phase);
}
