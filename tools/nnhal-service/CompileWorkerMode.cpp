//===- CompileWorkerMode.cpp - The process of the compiler ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "Service/CompileWorker/CompileServer.h"
#include "Service/Sandbox/Sandbox.h"
#include "Service/Sandbox/SanitizerNeeds.h"
#include "Service/Supervisor/Child.h"

#include <cerrno>
#include <cstdlib>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::servicetool;
using rt::Status;

/// The shadow of an address sanitizer alone is larger than any limit.
static Status limitMemory(uint64_t bytes) {
  rlimit limit = {bytes, bytes};
  if (!service::hasSanitizer && ::setrlimit(RLIMIT_AS, &limit) != 0)
    return rt::failure("cannot limit the memory to {} bytes: {}", bytes,
                       std::generic_category().message(errno));
  return Status::ok();
}

/// A compilation is asked for ahead of time; an execution beside it, on the
/// same cores, is waited for. The increment leaves a compilation a tenth of a
/// core that executions fill, so that it ends there, too (sched(7)).
static void yieldToExecutions() {
  constexpr int increment = 10;
  // The greatest value is kept when the service runs below it already.
  (void)!::nice(increment);
}

Status
servicetool::runCompileWorker(const Options &options,
                              const std::shared_ptr<const rt::Log> &log) {
  // Before there are threads, which inherit it.
  yieldToExecutions();
  const char *library = std::getenv("NNHAL_COMPILER");
  // Before the sandbox, in which no library can be loaded.
  NNHAL_ASSIGN_OR_RETURN(
      std::shared_ptr<const rt::Compiler> compiler,
      rt::Compiler::open(library ? library : "", options.settings.plugins));
  NNHAL_RETURN_IF_ERROR(limitMemory(options.settings.compile.memory));
  service::SandboxRules rules;
  // The linker writes a file.
  if (const char *temporary = std::getenv("TMPDIR"))
    rules.folders.emplace_back(temporary);
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::string> inForce,
                         service::enterSandbox(rules));
  rt::writeLog(*log, rt::LogTag::manager, "compile worker: {}",
               fmt::join(inForce, "; "));
  return service::serveCompiler(std::move(compiler),
                                rt::UniqueFd(service::childChannel));
}
