//===- ValidationMutations.cpp - Every mutation of many cases on a device -===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Exit status: 0 when every mutation is answered as it must be, 1 when one is
// not or on an error, 2 for a wrong usage.
//
//===----------------------------------------------------------------------===//

#include "MutationRun.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Execution/Devices.h"
#include "Tools/Process/Process.h"

#include <fmt/format.h>

using namespace nnhal;
using namespace nnhal::mutations;

static rt::Result<JudgeCase> makeJudge(const MutationRequest &request) {
  auto registry = std::make_shared<rt::DeviceRegistry>();
  NNHAL_RETURN_IF_ERROR(
      tools::registerDevices(tools::DevicesRequest(), *registry).status());
  NNHAL_ASSIGN_OR_RETURN(const rt::Device *device,
                         tools::findDevice(*registry, request.device));
  return JudgeCase([registry, device](const rt::TestCase &test, Tally &tally,
                                      const Progress &progress) {
    judgeCase(test, *device, tally, progress);
  });
}

static int runTool(std::span<const std::string_view> arguments) {
  auto request = readMutationRequest(arguments);
  if (!request.isOk())
    return tools::fail(request.status(), tools::exitUsage);
  if (request->help) {
    fmt::print("{}", mutationHelp("ValidationMutations"));
    return tools::finish(rt::Status::ok());
  }
  return tools::finish(runMutations(*request, makeJudge));
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
