//===- NdkVectors.cpp - Test cases by calls of the NDK API ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks of nnhal-run --check, on the devices of libneuralnetworks.so and
// through its C functions alone, with --burst over bursts (L-029).
//
//===----------------------------------------------------------------------===//

#include "NdkDevice.h"
#include "NdkPreparedModel.h"
#include "StepCount.h"

#include "Tools/Check/Check.h"
#include "Tools/Options/OptionRows.h"
#include "Tools/Options/Values.h"
#include "Tools/Process/Process.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/SplitAt.h"
#include "nnhal/Runtime/Compiler.h"

#include <fmt/format.h>

using namespace nnhal;
using rt::Status;
using tools::Takes;

namespace {

struct Flags {
  test::NdkUse use;
  tools::CheckRequest cases;
  bool countSteps = false;
  bool help = false;
};

struct Option {
  std::string_view name;
  Takes takes;
  std::string_view valueName;
  std::string_view help;
  Status (*apply)(Flags &flags, std::string_view value);
};

} // namespace

static Status setDevices(Flags &flags, std::string_view value) {
  for (std::string_view name : rt::splitAt(value, ','))
    flags.use.devices.emplace_back(name);
  return Status::ok();
}

static Status setBurst(Flags &flags, std::string_view) {
  flags.use.useBurst = true;
  return Status::ok();
}

static Status setMemory(Flags &flags, std::string_view) {
  flags.use.useMemory = true;
  return Status::ok();
}

static Status setCache(Flags &flags, std::string_view value) {
  flags.use.cacheFolder = value;
  return Status::ok();
}

static Status setThreads(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(uint64_t threads, tools::parseCount(value, 1, 64));
  flags.use.threads = unsigned(threads);
  return Status::ok();
}

static Status setWays(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.cases.ways, tools::parseWays(value));
  return Status::ok();
}

static Status setSample(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.cases.sample,
                         tools::parseCount(value, 1, UINT32_MAX));
  return Status::ok();
}

static Status setJobs(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.cases.jobs, tools::parseCount(value, 1, 64));
  return Status::ok();
}

static Status setFilter(Flags &flags, std::string_view value) {
  flags.cases.filter = value;
  return Status::ok();
}

static Status setDynamicOutputs(Flags &flags, std::string_view) {
  flags.cases.form.dynamicOutputShape = true;
  return Status::ok();
}

static Status setCountSteps(Flags &flags, std::string_view) {
  flags.countSteps = true;
  return Status::ok();
}

static Status setHelp(Flags &flags, std::string_view) {
  flags.help = true;
  return Status::ok();
}

static constexpr Option options[] = {
    {"device", Takes::value, "A,B,...",
     "compile for these devices; without it the library chooses", setDevices},
    {"burst", Takes::nothing, "", "compute over a burst for each model",
     setBurst},
    {"memory", Takes::nothing, "",
     "put arguments into memory made from descriptors", setMemory},
    {"cache", Takes::value, "DIR",
     "compile twice with the cache in DIR, execute what came from it",
     setCache},
    {"threads", Takes::value, "N",
     "execute each request on N threads at once, which have to agree",
     setThreads},
    {"ways", Takes::value, "LIST",
     "sync (default), async, fenced, buffers or insufficient", setWays},
    {"sample", Takes::value, "N", "run N of the cases", setSample},
    {"jobs", Takes::value, "N", "run N cases at a time", setJobs},
    {"filter", Takes::value, "REGEX", "run cases of such names", setFilter},
    {"dynamic-output-shape", Takes::nothing, "",
     "leave the extents of outputs open", setDynamicOutputs},
    {"count-steps", Takes::nothing, "",
     "print how many models have one, two, or more steps; fail unless most of "
     "those with 3 operations have 3",
     setCountSteps},
    {"help", Takes::nothing, "", "print this text", setHelp},
};

static int printHelp() {
  fmt::print(
      "usage: NdkVectors FILE|FOLDER... [options]\n"
      "\n"
      "runs test cases through the C functions of the NDK alone\n"
      "\n"
      "options:\n{}"
      "\n"
      "exit status: 0 every case passed, 1 one failed or an error, 2 "
      "wrong usage\n",
      tools::optionHelp(tools::textsOf(std::span<const Option>(options)), 26));
  return tools::finish(Status::ok());
}

/// Prints what was counted. Fails unless most models were divided, and cached
/// steps loaded.
static Status reportSteps(const Flags &flags, const test::StepCount &steps) {
  if (!flags.countSteps)
    return Status::ok();
  fmt::print("{}", steps.summary());
  if (!steps.areMostDivided())
    return rt::failure("most models with 3 operations have fewer steps");
  if (flags.use.cacheFolder.empty())
    return Status::ok();
  fmt::print("steps that came from the cache: {}\n",
             test::StepCount::cacheHits());
  return test::StepCount::cacheHits() > 0
             ? Status::ok()
             : rt::failure("nothing came from the cache");
}

static int runTool(std::span<const std::string_view> arguments) {
  Flags flags;
  for (std::string_view argument : arguments) {
    if (!argument.starts_with("--")) {
      flags.cases.paths.emplace_back(argument);
      continue;
    }
    auto applied =
        tools::applyOption(std::span<const Option>(options), flags, argument);
    if (!applied.isOk())
      return tools::fail(applied.status(), tools::exitUsage);
  }
  if (flags.help)
    return printHelp();
  if (flags.cases.paths.empty())
    return tools::fail(rt::badData("no file or folder with test cases"),
                       tools::exitUsage);
  test::StepCount steps;
  if (flags.countSteps) {
    test::StepCount::listen();
    flags.use.compiled = [&](const rt::Model &model) { steps.add(model); };
  }
  auto device = test::createNdkDevice(flags.use);
  if (!device.isOk())
    return tools::fail(device.status(), tools::exitFailure);
  rt::LazyCompiler none;
  auto passed = tools::runCheck(flags.cases, **device, none);
  if (!passed.isOk())
    return tools::fail(passed.status(), tools::exitFailure);
  if (uint64_t shared = test::sharedBuffers())
    fmt::print("note: {} buffers are shared memory, as no device has all of "
               "their roles\n",
               shared);
  if (Status counted = reportSteps(flags, steps); !counted.isOk())
    return tools::fail(counted, tools::exitFailure);
  return tools::finish(*passed ? Status::ok()
                               : rt::failure("test cases failed"));
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
