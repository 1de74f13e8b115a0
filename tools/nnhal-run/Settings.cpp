//===- Settings.cpp - Recorded settings of compilations -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Settings.h"

#include "FlagValues.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Recorder.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::run;
using rt::Status;

/// The devices of \p recorded, as libneuralnetworks takes them: a list is a
/// wish for these alone, with the reference device last, for which the library
/// has a name of its own.
static tools::DeviceSelection devicesOf(const rt::RecordedSettings &recorded,
                                        tools::DeviceSelection selection) {
  if (recorded.devices.empty()) {
    selection.device = tools::allDevices;
    return selection;
  }
  selection.several = recorded.devices;
  selection.isRequired = true;
  auto reference = std::ranges::find(selection.several, "nnapi-reference");
  if (reference != selection.several.end()) {
    selection.several.erase(reference);
    selection.several.push_back("nnhal-reference");
  }
  return selection;
}

Status run::applySettings(Flags &flags) {
  if (flags.settings.empty())
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(rt::RecordedSettings recorded,
                         rt::readRecordedSettings(flags.settings));
  applyRecorded(flags, recorded);
  return Status::ok();
}

rt::RecordedSettings run::recordedSettings(const Flags &flags) {
  rt::RecordedSettings settings;
  settings.devices = flags.devices.several;
  if (settings.devices.empty() && flags.devices.device != tools::allDevices)
    settings.devices = {flags.devices.device};
  settings.preference = flags.load.preparation.preference;
  settings.priority = flags.load.preparation.priority;
  // No time at all is what no file states.
  if (flags.load.preparation.timeLimit)
    settings.timeout = std::max<uint64_t>(*flags.load.preparation.timeLimit, 1);
  settings.isCached = !flags.load.cacheDirectory.empty();
  return settings;
}

void run::applyRecorded(Flags &flags, const rt::RecordedSettings &recorded) {
  auto isOpen = [&](std::string_view option) {
    return std::ranges::find(flags.given, option) == flags.given.end();
  };
  if (isOpen("device") && isOpen("devices"))
    flags.devices = devicesOf(recorded, std::move(flags.devices));
  if (!flags.replay.empty() && flags.devices.several.size() == 1) {
    flags.devices.device = flags.devices.several.front();
    flags.devices.several.clear();
    flags.devices.isRequired = false;
  }
  tools::Preparation &preparation = flags.load.preparation;
  if (isOpen("preference"))
    preparation.preference = recorded.preference;
  if (isOpen("priority"))
    preparation.priority = recorded.priority;
  // A duration that no option can state is no bound.
  if (isOpen("deadline-ms") && recorded.timeout &&
      *recorded.timeout <= maxCount * 1'000'000)
    preparation.timeLimit = recorded.timeout;
  flags.cases.preparation = preparation;
  flags.cachesForNow =
      recorded.isCached && flags.load.cacheDirectory.empty() && !flags.noCache;
}
