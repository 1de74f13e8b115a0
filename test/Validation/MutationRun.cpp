//===- MutationRun.cpp - Programs that mutate many cases ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MutationRun.h"

#include "Shards.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Check/CaseFiles.h"
#include "Tools/Options/OptionRows.h"
#include "Tools/Options/Values.h"

#include <fmt/format.h>

using namespace nnhal;
using namespace nnhal::mutations;
using rt::Status;
using tools::Takes;

namespace {

struct Option {
  std::string_view name;
  Takes takes;
  std::string_view valueName;
  std::string_view help;
  Status (*apply)(MutationRequest &request, std::string_view value);
};

} // namespace

static Status setDevice(MutationRequest &request, std::string_view value) {
  request.device = value;
  return Status::ok();
}

static Status setFilter(MutationRequest &request, std::string_view value) {
  request.filter = value;
  return Status::ok();
}

static Status setSample(MutationRequest &request, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(request.sample,
                         tools::parseCount(value, 1, UINT32_MAX));
  return Status::ok();
}

static Status setJobs(MutationRequest &request, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(request.jobs, tools::parseCount(value, 1, 64));
  return Status::ok();
}

static Status setTimeout(MutationRequest &request, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(request.timeout, tools::parseCount(value, 1, 86400));
  return Status::ok();
}

static Status setHelp(MutationRequest &request, std::string_view) {
  request.help = true;
  return Status::ok();
}

static constexpr Option options[] = {
    {"device", Takes::value, "NAME",
     "the device that is given the mutations (default nnhal-reference)",
     setDevice},
    {"filter", Takes::value, "REGEX", "mutate cases of such names", setFilter},
    {"sample", Takes::value, "N", "mutate N of the cases", setSample},
    {"jobs", Takes::value, "N", "N files at a time", setJobs},
    {"timeout", Takes::value, "S", "seconds for one file (default 600)",
     setTimeout},
    {"help", Takes::nothing, "", "print this text", setHelp},
};

std::string mutations::mutationHelp(std::string_view program) {
  return fmt::format(
      "usage: {} FILE|FOLDER... [options]\n"
      "\n"
      "mutates the models and requests of test cases, and judges the answers\n"
      "\n"
      "options:\n{}"
      "\n"
      "exit status: 0 every mutation is answered as it must be, 1 one is not "
      "or "
      "an error, 2 wrong usage\n",
      program,
      tools::optionHelp(tools::textsOf(std::span<const Option>(options)), 20));
}

rt::Result<MutationRequest>
mutations::readMutationRequest(std::span<const std::string_view> arguments) {
  MutationRequest request;
  for (std::string_view argument : arguments) {
    if (!argument.starts_with("--")) {
      request.paths.emplace_back(argument);
      continue;
    }
    NNHAL_RETURN_IF_ERROR(
        tools::applyOption(std::span<const Option>(options), request, argument)
            .status());
  }
  if (request.paths.empty() && !request.help)
    return rt::badData("no file or folder with test cases");
  return request;
}

Status mutations::runMutations(const MutationRequest &request,
                               const MakeJudge &make) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::string> files,
                         tools::findCaseFiles(request.paths));
  tools::CaseSelection selection(request.filter, request.sample);
  NNHAL_RETURN_IF_ERROR(selection.prepare(files));
  auto judgeFile = [&](const std::string &file, Tally &tally,
                       const Progress &progress) -> Status {
    NNHAL_ASSIGN_OR_RETURN(JudgeCase judge, make(request));
    return tools::visitCases(file, [&](const rt::TestCase &test) {
      if (selection.contains(test))
        judge(test, tally, progress);
      return Status::ok();
    });
  };
  NNHAL_ASSIGN_OR_RETURN(Tally tally,
                         judgeFiles(files, unsigned(request.jobs),
                                    unsigned(request.timeout), judgeFile));
  for (const std::string &violation : tally.violations)
    fmt::print("{}\n", violation);
  fmt::print("{}", tally.summary());
  if (tally.total() == 0)
    return rt::failure("no case was mutated");
  return tally.violations.empty()
             ? Status::ok()
             : rt::failure("{} mutations were not answered as they must be",
                           tally.violations.size());
}
