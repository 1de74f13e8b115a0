//===- Settings.h - Recorded settings of compilations -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_SETTINGS_H
#define NNHAL_TOOLS_NNHAL_RUN_SETTINGS_H

#include "Flags.h"

#include "nnhal/Runtime/Recording.h"

namespace nnhal::run {

/// Completes \p flags by the file of recorded settings that they name, if any:
/// options of the command line count before it. Fails with what
/// rt::readRecordedSettings() reports.
rt::Status applySettings(Flags &flags);

/// Completes \p flags by \p recorded in the same way. A replay on one device is
/// one on the device itself, and not on a set of one.
void applyRecorded(Flags &flags, const rt::RecordedSettings &recorded);

/// The settings of \p flags for a recording.
rt::RecordedSettings recordedSettings(const Flags &flags);

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_SETTINGS_H
