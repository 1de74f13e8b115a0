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

#include "Shards.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Check/CaseFiles.h"
#include "Tools/Execution/Devices.h"
#include "Tools/Options/OptionRows.h"
#include "Tools/Options/Values.h"
#include "Tools/Process/Process.h"

#include <fmt/format.h>

using namespace nnhal;
using namespace nnhal::mutations;
using rt::Status;
using tools::Takes;

namespace {

struct Flags {
  std::vector<std::string> paths;
  std::string device = "nnhal-reference";
  std::string filter;
  std::optional<uint64_t> sample;
  uint64_t jobs = 1;
  uint64_t timeout = 600;
};

struct Option {
  std::string_view name;
  Takes takes;
  std::string_view valueName;
  std::string_view help;
  Status (*apply)(Flags &flags, std::string_view value);
};

} // namespace

static Status setDevice(Flags &flags, std::string_view value) {
  flags.device = value;
  return Status::ok();
}

static Status setFilter(Flags &flags, std::string_view value) {
  flags.filter = value;
  return Status::ok();
}

static Status setSample(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.sample, tools::parseCount(value, 1, UINT32_MAX));
  return Status::ok();
}

static Status setJobs(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.jobs, tools::parseCount(value, 1, 64));
  return Status::ok();
}

static Status setTimeout(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.timeout, tools::parseCount(value, 1, 86400));
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
};

static Status judgeFile(const Flags &flags,
                        const tools::CaseSelection &selection,
                        const std::string &file, Tally &tally,
                        const Progress &progress) {
  rt::DeviceRegistry registry;
  NNHAL_RETURN_IF_ERROR(
      tools::registerDevices(tools::DevicesRequest(), registry).status());
  NNHAL_ASSIGN_OR_RETURN(const rt::Device *device,
                         tools::findDevice(registry, flags.device));
  return tools::visitCases(file, [&](const rt::TestCase &test) {
    if (selection.contains(test))
      judgeCase(test, *device, tally, progress);
    return Status::ok();
  });
}

static Status run(const Flags &flags) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::string> files,
                         tools::findCaseFiles(flags.paths));
  tools::CaseSelection selection(flags.filter, flags.sample);
  NNHAL_RETURN_IF_ERROR(selection.prepare(files));
  NNHAL_ASSIGN_OR_RETURN(
      Tally tally,
      judgeFiles(
          files, unsigned(flags.jobs), unsigned(flags.timeout),
          [&](const std::string &file, Tally &part, const Progress &progress) {
            return judgeFile(flags, selection, file, part, progress);
          }));
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

static int runTool(std::span<const std::string_view> arguments) {
  Flags flags;
  for (std::string_view argument : arguments) {
    if (!argument.starts_with("--")) {
      flags.paths.emplace_back(argument);
      continue;
    }
    auto applied =
        tools::applyOption(std::span<const Option>(options), flags, argument);
    if (!applied.isOk())
      return tools::fail(applied.status(), tools::exitUsage);
  }
  if (flags.paths.empty())
    return tools::fail(rt::badData("no file or folder with test cases"),
                       tools::exitUsage);
  return tools::finish(run(flags));
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
