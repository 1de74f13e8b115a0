//===- nnhal-random-graphs.cpp - A device against the reference -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Exit status: 0 no mismatch, 1 a mismatch or an error, 2 wrong usage.
//
//===----------------------------------------------------------------------===//

#include "Soak.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Execution/Devices.h"
#include "Tools/Process/Process.h"
#include "nnhal/Runtime/GpuDevice.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <exception>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::badData;
using rt::Status;

static constexpr int exitFailure = 1;
static constexpr int exitUsage = 2;

static constexpr std::string_view help =
    R"(usage: nnhal-random-graphs --seeds=BEGIN:END [options]

Makes random graphs and compares a device with nnhal-reference, operation by
operation where the graph as a whole deviates. Failing graphs are shrunk and
written as test cases.

  --device=NAME     the device to test (default nnhal-cpu)
  --service=PATH    take it from the nnhal-service at the socket PATH
  --seeds=B:E       seeds from B up to, but not including, E
  --jobs=N          processes at once (default 1)
  --state=FILE      keeps where it stands, and goes on from there
  --failures=DIR    where failing cases go (default random-graph-failures)
  --timeout=S       seconds for one graph (default 120)
  --operation=NAME  graphs of this operation alone; 'all' takes each in turn
  --criteria=KIND   how accurate results have to be: 'table' as test cases (the
                    default), 'hal' as in Android's random-graph test, whose
                    classes depend on the operation or the size of the graph

example: nnhal-random-graphs --seeds=0:400 --jobs=2
         nnhal-run --check random-graph-failures/random_graph_17.json
)";

namespace {

struct Arguments {
  SoakOptions soak;
  bool isWorker = false;
  bool wantsHelp = false;
};

} // namespace

static rt::Result<uint64_t> parseNumber(std::string_view name,
                                        std::string_view text) {
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return badData("{}: '{}' is not a number", name, text);
  return value;
}

static Status parseSeeds(std::string_view text, SoakOptions &options) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return badData("--seeds: '{}' is no BEGIN:END", text);
  NNHAL_ASSIGN_OR_RETURN(options.begin,
                         parseNumber("--seeds", text.substr(0, colon)));
  NNHAL_ASSIGN_OR_RETURN(options.end,
                         parseNumber("--seeds", text.substr(colon + 1)));
  if (options.begin >= options.end)
    return badData("--seeds: {} is not below {}", options.begin, options.end);
  return Status::ok();
}

static Status parseOperation(std::string_view text, SeedOptions &options) {
  if (text != "all" && !rt::lookUpOperation(text))
    return badData("--operation: '{}' is neither an operation of the HAL nor "
                   "'all'",
                   text);
  options.operation = text;
  return Status::ok();
}

static Status parseCriteria(std::string_view text, SeedOptions &options) {
  if (text != "table" && text != "hal")
    return badData("--criteria: '{}' is neither 'table' nor 'hal'", text);
  options.criteria = text == "hal" ? Criteria::hal : Criteria::table;
  return Status::ok();
}

static Status parseFlag(std::string_view argument, Arguments &arguments) {
  SoakOptions &soak = arguments.soak;
  size_t equals = argument.find('=');
  std::string_view name = argument.substr(0, equals);
  std::string_view value = equals == std::string_view::npos
                               ? std::string_view()
                               : argument.substr(equals + 1);
  if (argument == "--help") {
    arguments.wantsHelp = true;
  } else if (argument == "--worker") {
    arguments.isWorker = true;
  } else if (name == "--device") {
    soak.device = value;
  } else if (name == "--service") {
    soak.service = value;
  } else if (name == "--state") {
    soak.state = value;
  } else if (name == "--failures") {
    soak.graphs.failures = value;
  } else if (name == "--operation") {
    return parseOperation(value, soak.graphs);
  } else if (name == "--criteria") {
    return parseCriteria(value, soak.graphs);
  } else if (name == "--seeds") {
    return parseSeeds(value, soak);
  } else if (name == "--jobs" || name == "--timeout") {
    NNHAL_ASSIGN_OR_RETURN(uint64_t number, parseNumber(name, value));
    if (number < 1 || number > 100'000)
      return badData("{}: {} is outside [1, 100000]", name, number);
    if (name == "--jobs")
      soak.jobs = unsigned(number);
    else
      soak.timeout = std::chrono::seconds(number);
  } else {
    return badData("unknown option '{}'; --help lists them", argument);
  }
  return Status::ok();
}

static int fail(const Status &status, int exitStatus) {
  fmt::print(stderr, "error: {}\n", status.message());
  return exitStatus;
}

static Status registerDevices(const SoakOptions &options,
                              rt::DeviceRegistry &registry) {
  const char *path = std::getenv("NNHAL_COMPILER");
  tools::DevicesRequest request;
  request.compiler = std::make_shared<rt::LazyCompiler>(path ? path : "");
  request.service = options.service;
  NNHAL_RETURN_IF_ERROR(tools::registerDevices(request, registry).status());
  return rt::isGpuDevice(options.device)
             ? tools::registerGpus(request, registry, /*absent=*/{})
             : Status::ok();
}

static int runTool(std::span<char *const> words) {
  Arguments arguments;
  for (const char *word : words)
    if (Status status = parseFlag(word, arguments); !status.isOk())
      return fail(status, exitUsage);
  if (arguments.wantsHelp) {
    fmt::print("{}", help);
    return 0;
  }
  const SoakOptions &options = arguments.soak;
  rt::DeviceRegistry devices;
  if (Status status = registerDevices(options, devices); !status.isOk())
    return fail(status, exitFailure);
  const rt::Device *tested = devices.find(options.device);
  if (!tested)
    return fail(badData("unknown device '{}'", options.device), exitUsage);
  const std::unique_ptr<rt::Device> reference = rt::createReferenceDevice();
  if (arguments.isWorker) {
    work(*tested, *reference, options.graphs);
    return 0;
  }
  if (options.begin >= options.end)
    return fail(badData("--seeds is missing; --help lists options"), exitUsage);
  // A process that is gone is noticed where it is written to.
  std::signal(SIGPIPE, SIG_IGN);
  auto state = soak(options, *tested, *reference);
  if (!state.isOk())
    return fail(state.status(), exitFailure);
  fmt::print("{}", summary(*state));
  if (Status status = tools::flushOutput(); !status.isOk())
    return fail(status, exitFailure);
  return state->failures.empty() ? 0 : exitFailure;
}

int main(int argc, char **argv) {
  try {
    return runTool(std::span(argv + 1, argv + argc));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  return exitFailure;
}
