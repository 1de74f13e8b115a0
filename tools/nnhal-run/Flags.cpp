//===- Flags.cpp - The command line ---------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"

#include "OptionTable.h"

using namespace nnhal;
using namespace nnhal::run;
using rt::badData;
using rt::Status;

static Status applyOption(Flags &flags, std::string_view argument) {
  std::string_view text = argument.substr(2);
  size_t equals = text.find('=');
  bool hasValue = equals != std::string_view::npos;
  std::string_view name = text.substr(0, equals);
  std::string_view value = hasValue ? text.substr(equals + 1) : "";
  const Option *option = lookUpOption(name);
  if (!option)
    return badData("unknown option '--{}'; try --help", name);
  if (option->takes == Takes::nothing && hasValue)
    return badData("option '--{}' takes no value", name);
  if (option->takes == Takes::value && value.empty())
    return badData("option '--{}' needs a value: --{}={}", name, name,
                   option->valueName);
  NNHAL_RETURN_IF_ERROR(option->apply(flags, value)
                            .withContext(fmt::format("option '--{}'", name)));
  flags.given.push_back(option->name);
  flags.wantsExecution |= option->asksForExecution;
  return Status::ok();
}

/// What can only be said about all arguments together.
static Status checkTogether(const Flags &flags) {
  if (flags.help || flags.version)
    return Status::ok();
  if (std::optional<Work> work = workWithoutModel(flags)) {
    NNHAL_RETURN_IF_ERROR(checkOptions(flags, *work));
    if (flags.check)
      return flags.checkPaths.empty()
                 ? badData("option '--check' needs a file or a folder")
                 : Status::ok();
    if (!flags.model.empty())
      return badData("option '--{}' takes no model",
                     flags.calibrate ? "calibrate" : "list-devices");
    return Status::ok();
  }
  if (flags.checkPaths.size() > 1)
    return badData("two models: '{}' and '{}'", flags.checkPaths[0],
                   flags.checkPaths[1]);
  if (flags.model.empty())
    return badData("no model; try --help");
  if (std::optional<ModelKind> kind = kindOfName(flags.model))
    return checkOptions(flags, workOn(flags, *kind));
  if (flags.model != standardInput)
    return badData("'{}' is not a .tflite, .json, .mlir or .nncache file",
                   flags.model);
  return Status::ok();
}

rt::Result<Flags> run::parseFlags(std::span<const std::string_view> arguments) {
  Flags flags;
  for (std::string_view argument : arguments) {
    if (argument.starts_with("--")) {
      NNHAL_RETURN_IF_ERROR(applyOption(flags, argument));
    } else if (argument.starts_with('-') && argument != standardInput) {
      return badData("unknown option '{}'; try --help", argument);
    } else {
      // What they are only --check decides, which may come last.
      flags.checkPaths.emplace_back(argument);
      flags.model = flags.checkPaths.front();
    }
  }
  NNHAL_RETURN_IF_ERROR(checkTogether(flags));
  return flags;
}

std::string run::helpText() {
  std::string text =
      "usage: nnhal-run MODEL [options]\n"
      "       nnhal-run --check FILE-or-DIR... [options]\n"
      "       nnhal-run --calibrate [--device=NAME]\n"
      "       nnhal-run --list-devices\n"
      "\n"
      "Compiles a neural-network model and executes it.\n"
      "\n"
      "MODEL: .tflite, .json (NN HAL model), .mlir (nnhal dialect), .nncache\n"
      "(compiled, from --emit), or - for any of them from standard input. A "
      ".nncache\n"
      "holds machine code that runs with your rights: run only what you would "
      "run as\n"
      "a program\n"
      "\n"
      "options:\n";
  constexpr size_t column = 27;
  for (const Option &option : allOptions()) {
    std::string left = fmt::format("  --{}", option.name);
    if (option.takes == Takes::value)
      left += fmt::format("={}", option.valueName);
    if (option.takes == Takes::optionalValue)
      left += fmt::format("[={}]", option.valueName);
    std::string right(option.help);
    for (size_t at = 0; (at = right.find('\n', at)) != std::string::npos;)
      right.insert(++at, column, ' ');
    text += fmt::format("{:<{}}{}\n", left, column, right);
  }
  text += "\n"
          "examples:\n"
          "  nnhal-run model.tflite --print-outputs\n"
          "  nnhal-run model.tflite --input=0=photo.npy --output-dir=out\n"
          "  nnhal-run model.tflite --input=0=in.bin --expect=0=golden.bin "
          "--tolerance=range\n"
          "  nnhal-run model.tflite --emit=model.nncache\n"
          "  nnhal-run model.nncache --input=random:1 --repeat=100 "
          "--time=json\n"
          "  nnhal-run --check cases --device=nnhal-reference --jobs=2\n"
          "  nnhal-run --check cases --emit=dir "
          "--target-triple=aarch64-linux-gnu\n"
          "  nnhal-run --check cases --artifacts=dir\n"
          "\n"
          "environment:\n"
          "  NNHAL_VLOG=TAGS  what to log to standard error: all, or some of\n"
          "  model, compilation, execution, cpuexe, manager, driver, memory\n"
          "\n"
          "exit status: 0 success, 1 the work failed, 2 wrong usage\n";
  return text;
}
