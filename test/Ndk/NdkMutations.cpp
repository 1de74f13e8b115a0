//===- NdkMutations.cpp - Every mutation of many cases by calls -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Exit status: 0 when every mutation is answered as it must be, 1 when one is
// not or on an error, 2 for a wrong usage.
//
//===----------------------------------------------------------------------===//

#include "MutationRun.h"
#include "NdkJudge.h"

#include "Tools/Process/Process.h"

#include <fmt/format.h>

using namespace nnhal;

static int runTool(std::span<const std::string_view> arguments) {
  auto request = mutations::readMutationRequest(arguments);
  if (!request.isOk())
    return tools::fail(request.status(), tools::exitUsage);
  if (request->help) {
    fmt::print("{}", mutations::mutationHelp("NdkMutations"));
    return tools::finish(rt::Status::ok());
  }
  return tools::finish(
      mutations::runMutations(*request, [](const mutations::MutationRequest &) {
        return rt::Result<mutations::JudgeCase>(test::judgeCaseByCalls);
      }));
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
