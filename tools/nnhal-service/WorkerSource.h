//===- WorkerSource.h - Compile workers for a host --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_SERVICE_WORKERSOURCE_H
#define NNHAL_TOOLS_NNHAL_SERVICE_WORKERSOURCE_H

#include "Service/CompileWorker/RemoteCompiler.h"

#include "Driver.capnp.h"

#include <future>

namespace nnhal::servicetool {

/// Asks a supervisor for compile workers: a host cannot make processes.
///
/// Threads: made and destroyed on that of the event loop; start() is for any
///          other thread.
class WorkerSource final : private kj::TaskSet::ErrorHandler {
public:
  explicit WorkerSource(service::wire::Supervisor::Client supervisor)
      : supervisor(kj::mv(supervisor)),
        loop(kj::getCurrentThreadExecutor().addRef()), tasks(*this) {}

  /// Fails with what the supervisor reports, and with generalFailure when it is
  /// gone.
  rt::Result<service::NewWorker> start();

private:
  using End = std::promise<std::string>;

  kj::Promise<rt::Result<rt::UniqueFd>> ask(const std::shared_ptr<End> &end);
  void taskFailed(kj::Exception &&) override {}

  service::wire::Supervisor::Client supervisor;
  const kj::Own<const kj::Executor> loop;
  kj::TaskSet tasks;
};

} // namespace nnhal::servicetool

#endif // NNHAL_TOOLS_NNHAL_SERVICE_WORKERSOURCE_H
