//===- SettingsFile.h - The settings of a compilation as JSON ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_RECORDING_SETTINGSFILE_H
#define NNHAL_LIB_RUNTIME_RECORDING_SETTINGSFILE_H

#include "nnhal/Runtime/Recorder.h"

namespace nnhal::rt {

/// The text of the file that readRecordedSettings() reads. May throw
/// std::bad_alloc.
std::string textOf(const RecordedSettings &settings);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_RECORDING_SETTINGSFILE_H
