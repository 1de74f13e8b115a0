//===- SettingsFile.cpp - The settings of a compilation as a file ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Formats/Json/RecordingText.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"
#include "nnhal/Runtime/Recorder.h"

#include <new>
#include <span>

using namespace nnhal::rt;

static Result<RecordedSettings> readText(std::string_view text) {
  constexpr std::string_view rootName = "the file";
  NNHAL_ASSIGN_OR_RETURN(nlohmann::json document, parseJson(text, rootName));
  return readSettings(JsonNode(document, rootName));
}

Result<RecordedSettings>
nnhal::rt::readRecordedSettings(const std::string &path) {
  constexpr uint64_t maxSize = uint64_t(1) << 20;
  try {
    NNHAL_ASSIGN_OR_RETURN(Memory file, Memory::readFile(path, maxSize));
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
    Result<RecordedSettings> read =
        readText({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    if (read.isOk())
      return read;
    return std::move(read).takeStatus().withContext(fmt::format("'{}'", path));
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory for '{}'", path);
  }
}
