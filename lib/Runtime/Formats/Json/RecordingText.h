//===- RecordingText.h - Recordings as JSON ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_JSON_RECORDINGTEXT_H
#define NNHAL_LIB_RUNTIME_FORMATS_JSON_RECORDINGTEXT_H

#include "JsonNode.h"
#include "nnhal/Runtime/Recording.h"

#include <string>

namespace nnhal::rt {

/// The text that readSettings() reads. May throw std::bad_alloc.
std::string textOf(const RecordedSettings &settings);
Result<RecordedSettings> readSettings(const JsonNode &node);

/// The text that readRecording() reads. May throw std::bad_alloc.
std::string textOf(const Recording &recording);
Result<Recording> readRecording(const JsonNode &node);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_FORMATS_JSON_RECORDINGTEXT_H
