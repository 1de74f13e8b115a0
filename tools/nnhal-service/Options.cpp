//===- Options.cpp - The command line of nnhal-service --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Options/Setters.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::servicetool;
using rt::badData;
using rt::Result;
using rt::Status;
using service::ReportFormat;
using tools::addText;
using tools::setCount;
using tools::setText;
using tools::setTo;
using tools::setTrue;
using tools::Takes;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static constexpr tools::Choice<ReportFormat> formats[] = {
    {"text", ReportFormat::text},
    {"json", ReportFormat::json},
    {"prometheus", ReportFormat::prometheus}};

/// A number of a process that never ends would be as good as none.
static constexpr uint64_t maxSeconds = 24 * 3600;

/// "NAME=N".
static Status applyQuota(Options &options, std::string_view value) {
  size_t equals = value.find('=');
  std::string_view name = value.substr(0, equals);
  std::vector<service::NamedNumber> numbers =
      service::numbersOf(options.settings.quotas);
  auto found = std::ranges::find(numbers, name, &service::NamedNumber::name);
  if (found == numbers.end()) {
    std::vector<std::string_view> names;
    names.reserve(numbers.size());
    for (const service::NamedNumber &number : numbers)
      names.push_back(number.name);
    return tools::notAmong(name, names);
  }
  if (equals == std::string_view::npos)
    return badData("'{}' has no number: {}=N", value, name);
  NNHAL_ASSIGN_OR_RETURN(
      found->value, tools::parseCount(value.substr(equals + 1), 0, UINT64_MAX));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// The rows are in the order of the help, whose lines are those of the texts.
static constexpr Option options[] = {
    {
        .name = "socket",
        .takes = Takes::value,
        .valueName = "PATH",
        .help = "listen at PATH, or ask the service there",
        .apply = setText<&Options::settings, &service::Settings::socket>,
    },
    {
        .name = "socket-mode",
        .takes = Takes::value,
        .valueName = "MODE",
        .help =
            "give the socket the permissions MODE, in octal (default: 0600,\n"
            "or 0666 with --user)",
        .apply = [](Options &options, std::string_view value) -> Status {
          NNHAL_ASSIGN_OR_RETURN(options.settings.socketMode,
                                 service::parseMode(value));
          return Status::ok();
        },
    },
    {
        .name = "user",
        .takes = Takes::value,
        .valueName = "USER",
        .help = "let USER (name or number) connect, beside root and the\n"
                "service's own user, repeatable",
        .apply = [](Options &options, std::string_view value) -> Status {
          NNHAL_ASSIGN_OR_RETURN(options.settings.users.emplace_back(),
                                 service::parseUser(std::string(value)));
          return Status::ok();
        },
    },
    {
        .name = "device",
        .takes = Takes::value,
        .valueName = "NAME",
        .help = "offer the device NAME, repeatable (default: all but GPUs,\n"
                "nnhal-cuda and nnhal-vulkan)",
        .apply = addText<&Options::settings, &service::Settings::devices>,
    },
    {
        .name = "plugin",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "take the devices of a plug-in library, too, repeatable",
        .apply = addText<&Options::settings, &service::Settings::plugins>,
    },
    {
        .name = "state-dir",
        .takes = Takes::value,
        .valueName = "DIR",
        .help =
            "let each device remember in a folder of DIR what it has cached\n"
            "(default: service in $NNHAL_STATE_DIR, else\n"
            "~/.local/state/nnhal/service)",
        .apply =
            setText<&Options::settings, &service::Settings::stateDirectory>,
    },
    {
        .name = "config",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "read settings from the JSON file FILE, which options replace",
        .apply = setText<&Options::config>,
    },
    {
        .name = "quota",
        .takes = Takes::value,
        .valueName = "NAME=N",
        .help = "allow a client N of NAME: memory (bytes), models, buffers,\n"
                "bursts, executions, preparations, descriptors; and a user N\n"
                "connections; repeatable",
        .apply = applyQuota,
    },
    {
        .name = "compile-memory",
        .takes = Takes::value,
        .valueName = "BYTES",
        .help = "let a compilation have BYTES of address space\n"
                "(default: 17179869184)",
        .apply = setCount<uint64_t(1) << 28, UINT64_MAX, &Options::settings,
                          &service::Settings::compile,
                          &service::CompileLimits::memory>,
    },
    {
        .name = "compile-seconds",
        .takes = Takes::value,
        .valueName = "N",
        .help = "let a compilation take N seconds (default: 600)",
        .apply = setCount<1, maxSeconds, &Options::settings,
                          &service::Settings::compile,
                          &service::CompileLimits::seconds>,
    },
    {
        .name = "drain",
        .takes = Takes::value,
        .valueName = "N",
        .help = "when told to end, give devices N seconds to finish what is\n"
                "under way (default: 10)",
        .apply = setCount<0, maxSeconds, &Options::settings,
                          &service::Settings::drainSeconds>,
    },
    {
        .name = "start-at-once",
        .help = "start the devices' processes before a client asks for them",
        .apply = setTrue<&Options::settings, &service::Settings::startAtOnce>,
    },
    {
        .name = "status",
        .takes = Takes::optionalValue,
        .valueName = "FORMAT",
        .help =
            "print the state of the service at --socket as text (default),\n"
            "json or prometheus",
        .apply = [](Options &options, std::string_view value) -> Status {
          options.mode = Mode::status;
          if (!value.empty()) {
            NNHAL_ASSIGN_OR_RETURN(
                options.format,
                tools::parseChoice<ReportFormat>(value, formats));
          }
          return Status::ok();
        },
    },
    {
        .name = "host",
        .takes = Takes::value,
        .valueName = "NAME",
        .help = "(for the service itself) host the device NAME",
        .apply =
            [](Options &options, std::string_view value) {
              options.hostedDevice = value;
              options.mode = Mode::host;
              return Status::ok();
            },
    },
    {
        .name = "compile-worker",
        .help = "(for the service itself) compile for a host",
        .apply = setTo<Mode::compileWorker, &Options::mode>,
    },
    {
        .name = "list",
        .help = "(for the service itself) tell the names of devices",
        .apply = setTo<Mode::list, &Options::mode>,
    },
    {
        .name = "help",
        .help = "print this text",
        .apply = setTo<Mode::help, &Options::mode>,
    },
    {
        .name = "version",
        .help = "print the version",
        .apply = setTo<Mode::version, &Options::mode>,
    },
};

std::span<const Option> servicetool::allOptions() { return options; }

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

/// A list of the command line takes the place of the file's.
template <typename List> static void prefer(List &given, List &fromFile) {
  if (given.empty())
    given = std::move(fromFile);
}

static Status applyAll(std::span<const std::string_view> arguments,
                       Options &options) {
  for (std::string_view argument : arguments) {
    if (!argument.starts_with("--"))
      return badData("unexpected argument '{}'; try --help", argument);
    NNHAL_ASSIGN_OR_RETURN(const Option *option,
                           tools::applyOption(allOptions(), options, argument));
    // No other option matters then.
    if (option->name == "help" || option->name == "version")
      return Status::ok();
  }
  return Status::ok();
}

Result<Options>
servicetool::parseOptions(std::span<const std::string_view> arguments) {
  Options parsed;
  NNHAL_RETURN_IF_ERROR(applyAll(arguments, parsed));
  if (parsed.config.empty())
    return parsed;
  // The arguments come second, so that they replace what the file says.
  Options whole;
  NNHAL_RETURN_IF_ERROR(
      service::applyConfigFile(parsed.config, whole.settings));
  service::Settings file = whole.settings;
  whole.settings.devices.clear();
  whole.settings.plugins.clear();
  whole.settings.users.clear();
  NNHAL_RETURN_IF_ERROR(applyAll(arguments, whole));
  prefer(whole.settings.devices, file.devices);
  prefer(whole.settings.plugins, file.plugins);
  prefer(whole.settings.users, file.users);
  return whole;
}

std::string servicetool::helpText() {
  return "usage: nnhal-service --socket=PATH [options]\n"
         "       nnhal-service --status[=FORMAT] --socket=PATH\n"
         "\n"
         "Hosts devices, each in a process of its own, for programs that "
         "connect to a\nsocket (nnhal-run --service). Started by systemd for a "
         "socket, it listens there.\n"
         "\n"
         "options:\n" +
         tools::optionHelp(tools::textsOf(allOptions()), 26) +
         "\n"
         "exit status: 0 success, 1 failure, 2 wrong use\n";
}

std::vector<std::string> servicetool::argumentsOf(service::Settings settings) {
  std::vector<std::string> arguments;
  for (const service::NamedNumber &number : service::numbersOf(settings.quotas))
    arguments.push_back(
        fmt::format("--quota={}={}", number.name, number.value));
  arguments.push_back(
      fmt::format("--compile-memory={}", settings.compile.memory));
  arguments.push_back(
      fmt::format("--compile-seconds={}", settings.compile.seconds));
  return arguments;
}
