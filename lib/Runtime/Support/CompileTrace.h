//===- CompileTrace.h - A compilation in a trace ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_COMPILETRACE_H
#define NNHAL_LIB_RUNTIME_SUPPORT_COMPILETRACE_H

#include "nnhal/Runtime/CompileOptions.h"

#include <cstdint>
#include <string_view>

namespace nnhal::rt {

class Tracer;

/// Adds the phases of a compilation to a trace as sections of the thread that
/// asked for it, and its passes and kernels as sections of the threads that do
/// them. The object lasts as long as the compilation, on one thread.
class CompileTrace {
public:
  /// \p tracer may be null; nothing is added then. It outlives the object.
  CompileTrace(Tracer *tracer, const CompileObserver &observer);
  CompileTrace(const CompileTrace &) = delete;
  CompileTrace &operator=(const CompileTrace &) = delete;
  ~CompileTrace();

  /// Tells the observer that the object was made with, too.
  const CompileObserver &observer() const { return traced; }

private:
  void begin(std::string_view phase);

  Tracer *const tracer;
  CompileObserver traced;
  /// The section of the phase that runs; 0 for none.
  uint64_t section = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_COMPILETRACE_H
