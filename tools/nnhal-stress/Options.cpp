//===- Options.cpp - The command line of nnhal-stress ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/SplitAt.h"
#include "Tools/Options/Setters.h"

#include <regex>

using namespace nnhal;
using namespace nnhal::stress;
using rt::badData;
using rt::Status;
using tools::setCount;
using tools::setText;
using tools::setTrue;
using tools::Takes;

static Status setDevices(Options &options, std::string_view value) {
  options.devices.clear();
  for (std::string_view name : rt::splitAt(value, ',')) {
    if (name.empty())
      return badData("a name between commas is empty");
    options.devices.emplace_back(name);
  }
  return Status::ok();
}

static Status setFilter(Options &options, std::string_view value) {
  options.filter = value;
  try {
    (void)std::regex(options.filter);
  } catch (const std::regex_error &) {
    return badData("'{}' is not a regular expression", value);
  }
  return Status::ok();
}

static Status addPlugin(Options &options, std::string_view value) {
  options.plugins.emplace_back(value);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// A month, for durations in seconds.
static constexpr uint64_t maxSeconds = 2'678'400;

// In the order of the help, whose lines are those of the texts.
static constexpr Option options[] = {
    {
        .name = "devices",
        .takes = Takes::value,
        .valueName = "A,B,...",
        .help = "run every test on each of these (default: nnhal-cpu); auto "
                "divides "
                "models among\n"
                "all",
        .apply = setDevices,
    },
    {
        .name = "service",
        .takes = Takes::value,
        .valueName = "PATH",
        .help = "use the devices of the nnhal-service at the socket PATH, and "
                "see whether it\n"
                "lives beside every test",
        .apply = setText<&Options::service>,
    },
    {
        .name = "plugin",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "take the devices of a plug-in library, too; repeatable",
        .apply = addPlugin,
    },
    {
        .name = "filter",
        .takes = Takes::value,
        .valueName = "REGEX",
        .help = "run the tests whose DEVICE/NAME matches REGEX in some place",
        .apply = setFilter,
    },
    {
        .name = "seconds",
        .takes = Takes::value,
        .valueName = "N",
        .help = "let each test run for N seconds (default: 2)",
        .apply = setCount<1, maxSeconds, &Options::seconds>,
    },
    {
        .name = "threads",
        .takes = Takes::value,
        .valueName = "N",
        .help = "use N threads in each process (default: 2)",
        .apply = setCount<1, 256, &Options::threads>,
    },
    {
        .name = "processes",
        .takes = Takes::value,
        .valueName = "N",
        .help = "use N processes at once in the tests of several (default: 3)",
        .apply = setCount<1, 256, &Options::processes>,
    },
    {
        .name = "deaths",
        .takes = Takes::value,
        .valueName = "PERCENT",
        .help = "let so many of 100 processes end abruptly there (default: 40)",
        .apply = setCount<0, 100, &Options::deaths>,
    },
    {
        .name = "compile-threads",
        .takes = Takes::value,
        .valueName = "N",
        .help = "compile on N threads beside the inference whose slowdown is "
                "measured\n"
                "(default: 5)",
        .apply = setCount<1, 256, &Options::compileThreads>,
    },
    {
        .name = "slowdown",
        .takes = Takes::value,
        .valueName = "PERCENT",
        .help = "let the mean time of an inference become PERCENT of what it "
                "is alone\n"
                "(default: 200)",
        .apply = setCount<1, 1'000'000, &Options::slowdown>,
    },
    {
        .name = "patience",
        .takes = Takes::value,
        .valueName = "N",
        .help = "say that a test hangs N seconds after its end (default: 60)",
        .apply = setCount<1, maxSeconds, &Options::patience>,
    },
    {
        .name = "seed",
        .takes = Takes::value,
        .valueName = "N",
        .help = "begin random graphs, inputs and deaths with N (default: 1)",
        .apply = setCount<0, 1'000'000'000, &Options::seed>,
    },
    {
        .name = "state",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "keep results in FILE, as JSON, and go on from there",
        .apply = setText<&Options::state>,
    },
    {
        .name = "html",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "write the results to FILE as a page",
        .apply = setText<&Options::html>,
    },
    {
        .name = "list",
        .help = "print the tests and run none",
        .apply = setTrue<&Options::list>,
    },
    {
        .name = "client",
        .takes = Takes::value,
        .valueName = "TEST",
        .help = "be a client of TEST, as which the program starts itself",
        .apply = setText<&Options::client>,
    },
    {
        .name = "help",
        .help = "print this text",
        .apply = setTrue<&Options::help>,
    },
    {
        .name = "version",
        .help = "print the version",
        .apply = setTrue<&Options::version>,
    },
};

std::span<const Option> stress::allOptions() { return options; }

rt::Result<Options>
stress::parseOptions(std::span<const std::string_view> arguments) {
  Options parsed;
  for (std::string_view argument : arguments) {
    if (argument.starts_with("--")) {
      NNHAL_RETURN_IF_ERROR(
          tools::applyOption(allOptions(), parsed, argument).status());
    } else if (argument.starts_with("-")) {
      return badData("unknown option '{}'; try --help", argument);
    } else {
      parsed.models.emplace_back(argument);
    }
  }
  if (parsed.help || parsed.version || parsed.list)
    return parsed;
  if (parsed.models.empty())
    return badData("no model; try --help");
  return parsed;
}

std::vector<std::string> stress::clientArguments(const Options &options,
                                                 std::string_view test,
                                                 std::string_view device) {
  std::vector<std::string> arguments = {
      fmt::format("--client={}", test),
      fmt::format("--devices={}", device),
      fmt::format("--seconds={}", options.seconds),
      fmt::format("--threads={}", options.threads),
      fmt::format("--compile-threads={}", options.compileThreads),
      fmt::format("--slowdown={}", options.slowdown),
      fmt::format("--seed={}", options.seed)};
  if (!options.service.empty())
    arguments.push_back("--service=" + options.service);
  for (const std::string &plugin : options.plugins)
    arguments.push_back("--plugin=" + plugin);
  arguments.insert(arguments.end(), options.models.begin(),
                   options.models.end());
  return arguments;
}

std::string stress::helpText() {
  return "usage: nnhal-stress MODEL... [options]\n"
         "\n"
         "Runs devices under load with the models (.tflite or .json): threads, "
         "processes that\n"
         "die, compilations and random graphs. Each test ends as SUCCESS, "
         "FAILURE, HANG or\n"
         "CRASH, and says whether it was the driver.\n"
         "\n"
         "options:\n" +
         tools::optionHelp(tools::textsOf(allOptions()), 23) +
         "\n"
         "examples:\n"
         "  nnhal-stress model.tflite --devices=nnhal-cpu,nnhal-reference\n"
         "  nnhal-stress model.tflite --filter=parallel --threads=4 "
         "--seconds=600\n"
         "  nnhal-stress model.tflite --service=/run/nnhal/service.sock "
         "--state=stress.json\n"
         "\n"
         "exit status: 0 every test ended as SUCCESS, 1 another one, 2 wrong "
         "usage\n";
}
