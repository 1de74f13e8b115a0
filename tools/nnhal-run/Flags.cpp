//===- Flags.cpp - The command line ---------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"

#include "OptionTable.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal;
using namespace nnhal::run;
using rt::badData;
using rt::Status;

static Status applyArgument(Flags &flags, std::string_view argument) {
  NNHAL_ASSIGN_OR_RETURN(const Option *option,
                         tools::applyOption(allOptions(), flags, argument));
  flags.given.push_back(option->name);
  flags.wantsExecution |= option->asksForExecution;
  return Status::ok();
}

static Status checkTogether(const Flags &flags) {
  if (flags.help || flags.version)
    return Status::ok();
  if (std::optional<Work> work = workWithoutModel(flags)) {
    NNHAL_RETURN_IF_ERROR(checkOptions(flags, *work));
    if (flags.check)
      return flags.cases.paths.empty()
                 ? badData("option '--check' needs a file or a folder")
                 : Status::ok();
    if (!flags.model.empty())
      return badData("option '--{}' takes no model",
                     flags.calibrate        ? "calibrate"
                     : flags.replay.empty() ? "list-devices"
                                            : "replay");
    return Status::ok();
  }
  if (flags.cases.paths.size() > 1)
    return badData("two models: '{}' and '{}'", flags.cases.paths[0],
                   flags.cases.paths[1]);
  if (flags.model.empty())
    return badData("no model; try --help");
  if (std::optional<tools::ModelKind> kind = tools::kindOfName(flags.model))
    return checkOptions(flags, workOn(flags, *kind));
  if (flags.model != tools::standardInput)
    return badData("'{}' is not a .tflite, .json, .mlir or .nncache file",
                   flags.model);
  return Status::ok();
}

/// Fills what the requests say in more than one place, and what follows from
/// several options.
static void completeRequests(Flags &flags) {
  tools::LoadRequest &load = flags.load;
  load.shapes = flags.inputs.shapes;
  load.preparation.timeLimit = flags.run.timeLimit;
  if (flags.noCache)
    load.cacheDirectory.clear();
  if (isOnlyDrawn(flags))
    load.goal = tools::LoadGoal::source;
  else if (isOnlyEmitted(flags))
    load.goal = tools::LoadGoal::artifact;
  load.useExtensions = !flags.noExtensions;
  load.extensionAdvice =
      ", whose operations compute what the HAL's do not, or not as TensorFlow "
      "Lite does: --device=auto gives them to a device that has it, and "
      "--no-extensions takes the HAL's where it has some";
  load.needsSource = isExplained(flags) || !flags.dumpGraph.empty() ||
                     !flags.expects.empty() || flags.noExtensions ||
                     !flags.record.empty() || flags.verify;
  flags.run.frames = flags.inputs.frames;
  flags.run.measureOperations = !flags.dumpGraph.empty();
  flags.cases.preparation = load.preparation;
  flags.cases.emit = load.emit;
  flags.cases.timeLimit = flags.run.timeLimit;
}

rt::Result<Flags> run::parseFlags(std::span<const std::string_view> arguments) {
  Flags flags;
  for (std::string_view argument : arguments) {
    if (argument.starts_with("--")) {
      NNHAL_RETURN_IF_ERROR(applyArgument(flags, argument));
    } else if (argument.starts_with('-') && argument != tools::standardInput) {
      return badData("unknown option '{}'; try --help", argument);
    } else {
      // Only --check, which may come last, decides about the meaning of these
      // paths.
      flags.cases.paths.emplace_back(argument);
      flags.model = flags.cases.paths.front();
    }
  }
  NNHAL_RETURN_IF_ERROR(checkTogether(flags));
  completeRequests(flags);
  return flags;
}

std::string run::helpText() {
  std::string text =
      "usage: nnhal-run MODEL [options]\n"
      "       nnhal-run --check FILE-or-DIR... [options]\n"
      "       nnhal-run --replay=FILE [options]\n"
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
  text += tools::optionHelp(tools::textsOf(allOptions()), 27);
  text +=
      "\n"
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
      "  nnhal-run --check cases --ways=all\n"
      "  nnhal-run model.tflite --input=random:1 --record=run.json\n"
      "  nnhal-run --replay=run.json\n"
      "  nnhal-run model.tflite --input=random:1 --verify=reference\n"
      "  nnhal-run model.tflite --service=/run/nnhal/service.sock\n"
      "\n"
      "environment:\n"
      "  NNHAL_PLUGINS=FILES  plug-ins, colons between them, as --plugin\n"
      "  NNHAL_BURST_POLLING_WINDOW=N  microseconds for which a burst polls\n"
      "  before it sleeps (default: 50)\n"
      "  NNHAL_VLOG=TAGS  what to log to standard error: all, or some of\n"
      "  model, compilation, execution, cpuexe, manager, driver, memory\n"
      "\n"
      "exit status: 0 success, 1 the work failed, 2 wrong usage\n";
  return text;
}
