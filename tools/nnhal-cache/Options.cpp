//===- Options.cpp - The command line of nnhal-cache ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Options/Setters.h"

#include <algorithm>
#include <charconv>

using namespace nnhal;
using namespace nnhal::cachetool;
using rt::badData;
using rt::Status;
using tools::setText;
using tools::setTo;
using tools::setTrue;
using tools::Takes;

namespace {
struct Unit {
  char letter;
  uint64_t factor;
};
} // namespace

static constexpr Unit ageUnits[] = {
    {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
static constexpr Unit sizeUnits[] = {{'K', uint64_t(1) << 10},
                                     {'M', uint64_t(1) << 20},
                                     {'G', uint64_t(1) << 30}};

/// A number with one of \p units; without one it is \p factor of them.
static rt::Result<uint64_t> parseAmount(std::string_view value, uint64_t factor,
                                        std::span<const Unit> units) {
  std::string_view digits = value;
  for (const Unit &unit : units)
    if (value.ends_with(unit.letter)) {
      factor = unit.factor;
      digits.remove_suffix(1);
    }
  uint64_t number = 0;
  const char *begin = digits.data();
  const char *end = begin + digits.size();
  auto [stop, error] = std::from_chars(begin, end, number);
  constexpr uint64_t limit = uint64_t(1) << 60;
  if (error != std::errc() || stop != end || number > limit / factor) {
    std::string letters;
    for (const Unit &unit : units)
      letters += fmt::format("{}{}", letters.empty() ? "" : ", ", unit.letter);
    return badData("'{}' is not a number, with or without one of {} behind it",
                   value, letters);
  }
  return number * factor;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// The rows are in the order of the help, whose lines are those of the texts.
static constexpr Option options[] = {
    {
        .name = "max-age",
        .takes = Takes::value,
        .valueName = "N",
        .help = "remove entries older than N days, or Ns, Nm, Nh, Nd",
        .apply = [](Options &options, std::string_view value) -> Status {
          NNHAL_ASSIGN_OR_RETURN(uint64_t age,
                                 parseAmount(value, 86400, ageUnits));
          options.maxAgeSeconds = int64_t(age);
          return Status::ok();
        },
    },
    {
        .name = "max-size",
        .takes = Takes::value,
        .valueName = "N",
        .help = "remove the oldest entries until the others have at\n"
                "most N bytes, or NK, NM, NG",
        .apply = [](Options &options, std::string_view value) -> Status {
          NNHAL_ASSIGN_OR_RETURN(options.maxBytes,
                                 parseAmount(value, 1, sizeUnits));
          return Status::ok();
        },
    },
    {
        .name = "invalid",
        .help = "remove entries that verify calls damaged",
        .apply = setTrue<&Options::removeInvalid>,
    },
    {
        .name = "dry-run",
        .help = "print what would be removed, and remove nothing",
        .apply = setTrue<&Options::isDryRun>,
    },
    {
        .name = "state-dir",
        .takes = Takes::value,
        .valueName = "DIR",
        .help = "keep the kernels in DIR (default: $NNHAL_STATE_DIR,\n"
                "else ~/.local/state/nnhal)",
        .apply = setText<&Options::stateDirectory>,
        .command = Command::warm,
    },
    {
        .name = "rounding",
        .takes = Takes::value,
        .valueName = "MODE",
        .help = "round quantized results by double (default), single\n"
                "or float, as nnhal-run --rounding says",
        .apply = setText<&Options::rounding>,
        .command = Command::warm,
    },
    {
        .name = "help",
        .help = "print this text",
        .apply = setTo<Command::help, &Options::command>,
        .command = Command::help,
    },
    {
        .name = "version",
        .help = "print the version",
        .apply = setTo<Command::version, &Options::command>,
        .command = Command::version,
    },
};

std::span<const Option> cachetool::allOptions() { return options; }

namespace {
struct CommandName {
  std::string_view name;
  Command command;
};
} // namespace

static constexpr CommandName commands[] = {{"ls", Command::list},
                                           {"verify", Command::verify},
                                           {"prune", Command::prune},
                                           {"warm", Command::warm}};

static rt::Result<Command> parseCommand(std::string_view name) {
  std::string known;
  for (const CommandName &one : commands) {
    if (one.name == name)
      return one.command;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one.name);
  }
  return badData("unknown command '{}'; known commands: {}", name, known);
}

/// The name on the command line of \p command, which has options.
static std::string_view nameOf(Command command) {
  return std::ranges::find(commands, command, &CommandName::command)->name;
}

/// Takes the word behind the command.
static Status addOperand(Options &options, std::string_view word) {
  if (options.command == Command::warm) {
    options.models.emplace_back(word);
    return Status::ok();
  }
  if (!options.directory.empty())
    return badData("two directories: '{}' and '{}'", options.directory, word);
  options.directory = word;
  return Status::ok();
}

/// Checks what was said as a whole; \p given are the options.
static Status checkTogether(const Options &options,
                            std::span<const Option *const> given) {
  if (options.command == Command::warm && options.models.empty())
    return badData("no model; try --help");
  if (options.command != Command::warm && options.directory.empty())
    return badData("no directory; try --help");
  for (const Option *option : given)
    if (option->command != options.command)
      return badData("option '--{}' goes with '{}' alone", option->name,
                     nameOf(option->command));
  bool hasCriterion =
      options.maxAgeSeconds || options.maxBytes || options.removeInvalid;
  if (options.command == Command::prune && !hasCriterion)
    return badData("'prune' needs --max-age, --max-size or --invalid");
  return Status::ok();
}

rt::Result<Options>
cachetool::parseOptions(std::span<const std::string_view> arguments) {
  Options options;
  bool hasCommand = false;
  std::vector<const Option *> given;
  for (std::string_view argument : arguments) {
    if (argument.starts_with('-')) {
      if (!argument.starts_with("--"))
        return badData("unknown option '{}'; try --help", argument);
      NNHAL_ASSIGN_OR_RETURN(
          const Option *option,
          tools::applyOption(allOptions(), options, argument));
      // No other option matters then.
      if (option->command == Command::help ||
          option->command == Command::version)
        return options;
      given.push_back(option);
    } else if (!hasCommand) {
      NNHAL_ASSIGN_OR_RETURN(options.command, parseCommand(argument));
      hasCommand = true;
    } else {
      NNHAL_RETURN_IF_ERROR(addOperand(options, argument));
    }
  }
  if (!hasCommand)
    return badData("no command; try --help");
  NNHAL_RETURN_IF_ERROR(checkTogether(options, given));
  return options;
}

/// The rows of \p command.
static std::string helpOf(Command command) {
  std::vector<tools::OptionText> texts;
  for (const Option &option : options)
    if (option.command == command)
      texts.push_back(tools::textOf(option));
  return tools::optionHelp(texts, 19);
}

std::string cachetool::helpText() {
  std::string text =
      "usage: nnhal-cache ls DIR\n"
      "       nnhal-cache verify DIR\n"
      "       nnhal-cache prune DIR [options]\n"
      "       nnhal-cache warm MODEL... [options]\n"
      "\n"
      "Looks after a directory of compiled models (nnhal-run --cache-dir), "
      "and\n"
      "after the kernels that nnhal-cpu keeps for all models.\n"
      "\n"
      "commands:\n"
      "  ls       one line per entry: token, model cache and data cache in\n"
      "           bytes, device, content key, age, and what is wrong with "
      "it.\n"
      "           Reads headers, sizes and permissions, not the code and "
      "the\n"
      "           constants: verify does\n"
      "  verify   read every byte; one line per entry that is damaged, "
      "then\n"
      "           a summary. Whether a device takes an undamaged entry\n"
      "           depends also on what it remembers, its build and the "
      "CPU.\n"
      "           Entries that are being written, or that this user may "
      "not\n"
      "           read, are named and counted apart, and are not damaged\n"
      "  prune    remove entries, and what processes that died have left\n"
      "  warm     compile models (.tflite, .json) for this processor and\n"
      "           keep their kernels, so that models that share some, with\n"
      "           other weights for example, are prepared sooner\n"
      "\n"
      "options of prune:\n";
  text += helpOf(Command::prune) + "\noptions of warm:\n" +
          helpOf(Command::warm) + '\n' + helpOf(Command::help) +
          helpOf(Command::version);
  text += "\n"
          "examples:\n"
          "  nnhal-cache ls cache\n"
          "  nnhal-cache prune cache --max-age=30 --max-size=2G --invalid\n"
          "  nnhal-cache warm models/*.tflite\n"
          "\n"
          "exit status: 0 success, 1 the work failed or an entry is damaged, 2 "
          "wrong usage\n";
  return text;
}
