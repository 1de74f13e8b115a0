//===- Work.cpp - The work of a call and the options that it takes --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkSets.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::run;
using rt::badData;
using rt::Status;
using tools::ModelKind;

std::optional<Work> run::workWithoutModel(const Flags &flags) {
  if (flags.listDevices)
    return Work::listDevices;
  if (flags.calibrate)
    return Work::calibrate;
  if (!flags.replay.empty())
    return Work::replay;
  if (!flags.check)
    return std::nullopt;
  if (!flags.cases.artifacts.empty())
    return Work::checkArtifacts;
  return flags.load.emit.empty() ? Work::check : Work::checkEmit;
}

Work run::workOn(const Flags &flags, ModelKind kind) {
  bool isEmitted = isOnlyEmitted(flags);
  bool isDrawn = isOnlyDrawn(flags);
  switch (kind) {
  case ModelKind::tflite:
    return isEmitted ? Work::emitTFLite
           : isDrawn ? Work::drawTFLite
                     : Work::executeTFLite;
  case ModelKind::json:
    return isEmitted ? Work::emitJson
           : isDrawn ? Work::drawJson
                     : Work::executeJson;
  case ModelKind::mlir:
    return isEmitted ? Work::emitMlir : Work::executeMlir;
  case ModelKind::artifact:
    break;
  }
  return Work::executeArtifact;
}

/// The work with a model of the kind of \p work that does most with it; nothing
/// for work without a model.
static std::optional<Work> executionLike(Work work) {
  switch (work) {
  case Work::executeTFLite:
  case Work::emitTFLite:
  case Work::drawTFLite:
    return Work::executeTFLite;
  case Work::executeJson:
  case Work::emitJson:
  case Work::drawJson:
    return Work::executeJson;
  case Work::executeMlir:
  case Work::emitMlir:
    return Work::executeMlir;
  case Work::executeArtifact:
    return Work::executeArtifact;
  default:
    return std::nullopt;
  }
}

static std::string_view describe(Work work) {
  switch (work) {
  case Work::executeTFLite:
  case Work::executeJson:
    return "a model";
  case Work::executeMlir:
    return "a .mlir model";
  case Work::executeArtifact:
    return "a .nncache model, which is compiled";
  case Work::emitTFLite:
  case Work::emitJson:
  case Work::emitMlir:
    return "--emit alone, which executes nothing";
  case Work::drawTFLite:
  case Work::drawJson:
    return "--dump-graph alone, which compiles and executes nothing";
  case Work::check:
    return "--check";
  case Work::checkEmit:
    return "--check --emit, which executes nothing";
  case Work::checkArtifacts:
    return "--check --artifacts, which compiles nothing";
  case Work::calibrate:
    return "--calibrate";
  case Work::listDevices:
    return "--list-devices";
  case Work::replay:
    return "--replay";
  }
  return "";
}

/// Returns the reason why \p option is refused in \p work.
static Status refuse(const Option &option, Work work) {
  std::optional<Work> execution = executionLike(work);
  if (execution && (option.works & ~anyCheck) == 0)
    return badData("option '--{}' needs --check", option.name);
  // The message does not say that nothing is executed when the model is of the
  // wrong kind.
  if (execution && (option.works & bit(*execution)) == 0)
    work = *execution;
  return badData("option '--{}' does not go with {}", option.name,
                 describe(work));
}

Status run::checkOptions(const Flags &flags, Work work) {
  auto isGiven = [&](std::string_view name) {
    return !name.empty() &&
           std::ranges::find(flags.given, name) != flags.given.end();
  };
  for (std::string_view name : flags.given) {
    const Option &option = *lookUpOption(name);
    // Options that --no-cache overrules may be on the command line with it.
    if (flags.noCache && (name == "cache-dir" || name == "state-dir"))
      continue;
    if ((option.works & bit(work)) == 0)
      return refuse(option, work);
    if (!option.needs.empty() && !isGiven(option.needs))
      return badData("option '--{}' needs --{}", name, option.needs);
    if (isGiven(option.excludes))
      return badData("option '--{}' does not go with --{}", name,
                     option.excludes);
  }
  // What executes then depends on how long a compilation takes.
  for (std::string_view name : {"deferred", "stages"})
    if (isGiven(name) && isGiven("record"))
      return badData("option '--record' does not go with --{}", name);
  if (isGiven("fence-after-ms") &&
      std::ranges::find(flags.modes, tools::ExecutionMode::fenced) ==
          flags.modes.end())
    return badData("option '--fence-after-ms' needs --mode=fenced");
  if (work == Work::checkArtifacts && !flags.cases.ways.isAll &&
      std::ranges::find(flags.cases.ways.list, tools::Way::cached) !=
          flags.cases.ways.list.end())
    return badData("option '--ways': 'cached' does not go with {}",
                   describe(work));
  // The reader of .tflite models takes shapes, that of .json models does not.
  if (work == Work::emitJson && isGiven("shape") && !flags.load.specialize)
    return badData("option '--shape' has no effect on the --emit of a .json "
                   "model without --specialize");
  return Status::ok();
}
