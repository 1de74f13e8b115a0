//===- SettingsFile.cpp - The settings of a compilation as JSON -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SettingsFile.h"

#include "Runtime/Formats/Json/JsonNode.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <span>

using namespace nnhal::rt;

namespace {

template <typename Value> struct Name {
  std::string_view name;
  Value value;
};

constexpr Name<ExecutionPreference> preferences[] = {
    {"LOW_POWER", ExecutionPreference::lowPower},
    {"FAST_SINGLE_ANSWER", ExecutionPreference::fastSingleAnswer},
    {"SUSTAINED_SPEED", ExecutionPreference::sustainedSpeed}};

constexpr Name<Priority> priorities[] = {{"LOW", Priority::low},
                                         {"MEDIUM", Priority::medium},
                                         {"HIGH", Priority::high}};

/// Durations of more than this are as good as none, and JSON has no integers
/// beyond it that every reader knows.
constexpr uint64_t maxTimeout = INT64_MAX;

} // namespace

template <typename Value>
static std::string_view wordFor(Value value,
                                std::span<const Name<Value>> names) {
  auto row = std::ranges::find(names, value, &Name<Value>::value);
  return row == names.end() ? "UNKNOWN" : row->name;
}

/// An object of nlohmann::json may not survive that there is no memory while it
/// is built; the text of a string does.
std::string nnhal::rt::textOf(const RecordedSettings &settings) {
  std::string devices;
  for (const std::string &device : settings.devices)
    devices += (devices.empty() ? "" : ",") + nlohmann::json(device).dump();
  std::string timeout =
      settings.timeout ? fmt::format("\"timeoutNanoseconds\":{},",
                                     std::min(*settings.timeout, maxTimeout))
                       : "";
  return fmt::format(
      "{{\"devices\":[{}],\"preference\":\"{}\",\"priority\":\"{}\",{}"
      "\"cached\":{}}}\n",
      devices, wordFor<ExecutionPreference>(settings.preference, preferences),
      wordFor<Priority>(settings.priority, priorities), timeout,
      settings.isCached);
}

template <typename Value>
static Result<Value> readName(const JsonNode &root, std::string_view key,
                              std::span<const Name<Value>> names) {
  NNHAL_ASSIGN_OR_RETURN(JsonNode node, root.require(key));
  NNHAL_ASSIGN_OR_RETURN(std::string found, node.toString());
  auto row = std::ranges::find(names, found, &Name<Value>::name);
  if (row != names.end())
    return row->value;
  std::vector<std::string_view> known;
  std::ranges::transform(names, std::back_inserter(known), &Name<Value>::name);
  return node.error(fmt::format("expected one of {}, found \"{}\"",
                                fmt::join(known, ", "), found));
}

static Result<RecordedSettings> readRoot(const JsonNode &root) {
  NNHAL_RETURN_IF_ERROR(root.checkObject(
      {"devices", "preference", "priority", "timeoutNanoseconds", "cached"}));
  RecordedSettings settings;
  NNHAL_ASSIGN_OR_RETURN(JsonNode devices, root.require("devices"));
  NNHAL_RETURN_IF_ERROR(devices.checkArray());
  for (size_t i = 0; i < devices.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(std::string name, devices[i].toString());
    settings.devices.push_back(std::move(name));
  }
  NNHAL_ASSIGN_OR_RETURN(
      settings.preference,
      readName<ExecutionPreference>(root, "preference", preferences));
  NNHAL_ASSIGN_OR_RETURN(settings.priority,
                         readName<Priority>(root, "priority", priorities));
  if (auto timeout = root.find("timeoutNanoseconds")) {
    NNHAL_ASSIGN_OR_RETURN(int64_t nanoseconds,
                           timeout->toInteger(1, int64_t(maxTimeout)));
    settings.timeout = uint64_t(nanoseconds);
  }
  NNHAL_ASSIGN_OR_RETURN(JsonNode cached, root.require("cached"));
  NNHAL_ASSIGN_OR_RETURN(settings.isCached, cached.toBool());
  return settings;
}

static Result<RecordedSettings> readText(std::string_view text) {
  constexpr std::string_view rootName = "the file";
  NNHAL_ASSIGN_OR_RETURN(nlohmann::json document, parseJson(text, rootName));
  return readRoot(JsonNode(document, rootName));
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
