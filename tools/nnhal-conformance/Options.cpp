//===- Options.cpp - The command line of nnhal-conformance ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Options/Setters.h"

using namespace nnhal;
using namespace nnhal::conformancetool;
using rt::badData;
using rt::Status;
using tools::setText;
using tools::setTrue;
using tools::Takes;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// In the order of the help, whose lines are those of the texts.
static constexpr Option options[] = {
    {
        .name = "plugin",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "the library with the device; this or --service is needed",
        .apply = setText<&Options::plugin>,
    },
    {
        .name = "service",
        .takes = Takes::value,
        .valueName = "PATH",
        .help = "the socket of the nnhal-service with the device",
        .apply = setText<&Options::service>,
    },
    {
        .name = "device",
        .takes = Takes::value,
        .valueName = "NAME",
        .help = "the device to test; needed where there are several",
        .apply = setText<&Options::device>,
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

std::span<const Option> conformancetool::allOptions() { return options; }

rt::Result<Options>
conformancetool::parseOptions(std::span<const std::string_view> arguments) {
  Options parsed;
  for (std::string_view argument : arguments) {
    if (argument.starts_with("--gtest_")) {
      parsed.testing.emplace_back(argument);
    } else if (argument.starts_with("--")) {
      NNHAL_RETURN_IF_ERROR(
          tools::applyOption(allOptions(), parsed, argument).status());
    } else {
      return badData("unexpected argument '{}'; try --help", argument);
    }
  }
  if (parsed.help || parsed.version)
    return parsed;
  if (parsed.plugin.empty() && parsed.service.empty())
    return badData("no device to test: --plugin=FILE or --service=PATH is "
                   "missing");
  if (!parsed.plugin.empty() && !parsed.service.empty())
    return badData("option '--plugin' does not go with --service");
  return parsed;
}

std::string conformancetool::helpText() {
  return "usage: nnhal-conformance --plugin=FILE [options]\n"
         "       nnhal-conformance --service=PATH [options]\n"
         "\n"
         "Tests whether a device of a plug-in library or of a service keeps "
         "the promises of\nthe HAL: "
         "preparation, executions in all modes, memory, caching, time.\n"
         "\n"
         "options:\n" +
         tools::optionHelp(tools::textsOf(allOptions()), 19) +
         "  --gtest_...      options of GoogleTest: --gtest_filter=PATTERNS, "
         "--gtest_list_tests,\n"
         "                   --gtest_brief=1 and others\n"
         "\n"
         "A test whose model the device does not support is skipped, with the "
         "reason that\n"
         "the device gives. Tests of everything but arithmetic are made of "
         "ADD, MUL or SUB\n"
         "of TENSOR_FLOAT32, whichever the device supports.\n"
         "\n"
         "example:\n"
         "  nnhal-conformance --plugin=./libexample-device.so --gtest_brief=1\n"
         "\n"
         "exit status: 0 no test failed, 1 a test failed or there is no "
         "device, 2 wrong usage\n";
}
