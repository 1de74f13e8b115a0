//===- nnhal-stress.cpp - Devices under load ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"
#include "ClientProcess.h"
#include "Options.h"
#include "StressRun.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "Tools/Process/Process.h"
#include "nnhal/Runtime/Version.h"

#include <algorithm>
#include <csignal>
#include <sys/prctl.h>

using namespace nnhal;
using namespace nnhal::stress;
using rt::Status;

static Status runAll(const Options &options) {
  // Tests take long, and a file that cannot be written shows before them.
  for (const std::string &path : {options.state, options.html})
    if (!path.empty())
      NNHAL_RETURN_IF_ERROR(rt::checkWritable(path));
  NNHAL_ASSIGN_OR_RETURN(StressState state, runTests(options));
  if (!options.html.empty()) {
    std::string page = htmlOf(state);
    NNHAL_RETURN_IF_ERROR(
        rt::writeFileAtomically(options.html, std::as_bytes(std::span(page))));
  }
  auto bad = std::ranges::count_if(state.results, [](const auto &result) {
    return result.outcome != nameOf(Outcome::success);
  });
  if (bad > 0)
    return rt::failure("{} of {} tests did not end as SUCCESS", bad,
                       state.results.size());
  return Status::ok();
}

/// A client says by its exit status whether its driver has died. It dies with
/// the process that has started it.
static int finishClient(const Options &options) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  Status status = runClient(options);
  if (status.code() == rt::StatusCode::deadObject)
    return tools::fail(status, exitDriverDied);
  return tools::finish(std::move(status));
}

static int runTool(std::span<const std::string_view> arguments) {
  auto options = parseOptions(arguments);
  if (!options.isOk())
    return tools::fail(options.status(), tools::exitUsage);
  if (options->help) {
    fmt::print("{}", helpText());
    return tools::finish(Status::ok());
  }
  if (options->version) {
    fmt::print("nnhal-stress {}\n", NNHAL_VERSION);
    return tools::finish(Status::ok());
  }
  if (options->list) {
    for (std::string_view test : testNames())
      fmt::print("{}\n", test);
    return tools::finish(Status::ok());
  }
  if (!options->client.empty())
    return finishClient(*options);
  return tools::finish(runAll(*options));
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
