//===- CompilerSupply.h - Compile workers for a device ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SUPERVISOR_COMPILERSUPPLY_H
#define NNHAL_LIB_SERVICE_SUPERVISOR_COMPILERSUPPLY_H

#include "Child.h"

#include "Driver.capnp.h"

#include <memory>

namespace nnhal::service {

/// The compile workers that one device has had.
struct WorkerCounts {
  uint64_t running = 0;
  uint64_t starts = 0;
  /// Those that did not end by themselves.
  uint64_t deaths = 0;
};

/// Gives a host the processes that it cannot make itself.
///
/// Ownership: the workers die with it, and so with their host.
/// Threads:   that of the event loop.
class CompilerSupply final : public wire::Supervisor::Server,
                             private kj::TaskSet::ErrorHandler {
public:
  /// No preparation waits for a place here: hosts run fewer at a time.
  static constexpr uint64_t maxWorkers = 32;

  /// \p counts lives longer.
  CompilerSupply(ChildProgram program, kj::UnixEventPort &port,
                 WorkerCounts &counts)
      : program(std::move(program)), port(port), counts(counts), tasks(*this) {}
  ~CompilerSupply();

  kj::Promise<void> compiler(CompilerContext context) override;

private:
  void taskFailed(kj::Exception &&) override {}

  const ChildProgram program;
  kj::UnixEventPort &port;
  WorkerCounts &counts;
  kj::TaskSet tasks;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SUPERVISOR_COMPILERSUPPLY_H
