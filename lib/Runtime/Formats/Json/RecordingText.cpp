//===- RecordingText.cpp - Recordings as JSON -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordingText.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <iterator>
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

constexpr Name<RecordedWay> ways[] = {{"sync", RecordedWay::sync},
                                      {"async", RecordedWay::async},
                                      {"fenced", RecordedWay::fenced},
                                      {"burst", RecordedWay::burst}};

constexpr StatusCode statusCodes[] = {StatusCode::none,
                                      StatusCode::deviceUnavailable,
                                      StatusCode::generalFailure,
                                      StatusCode::outputInsufficientSize,
                                      StatusCode::invalidArgument,
                                      StatusCode::missedDeadlineTransient,
                                      StatusCode::missedDeadlinePersistent,
                                      StatusCode::resourceExhaustedTransient,
                                      StatusCode::resourceExhaustedPersistent,
                                      StatusCode::deadObject};

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
      "\"cached\":{}}}",
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

Result<RecordedSettings> nnhal::rt::readSettings(const JsonNode &root) {
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

//===----------------------------------------------------------------------===//
// Recordings
//===----------------------------------------------------------------------===//

static void append(std::string &text, const RecordedStep &step) {
  text +=
      fmt::format(R"("status":"{}","nanoseconds":{})", toString(step.status),
                  std::min(step.nanoseconds, maxTimeout));
}

static void append(std::string &text, const RecordedCall &call) {
  text += fmt::format(R"({{"way":"{}",)", wordFor<RecordedWay>(call.way, ways));
  append(text, call.step);
  if (call.loopTimeout != defaultLoopTimeout)
    text += fmt::format(R"(,"loopTimeoutNanoseconds":{})",
                        std::min(call.loopTimeout, maxTimeout));
  text += '}';
}

std::string nnhal::rt::textOf(const Recording &recording) {
  std::string text = R"({"settings":)" + textOf(recording.settings);
  if (recording.preparation) {
    text += R"(,"preparation":{)";
    append(text, *recording.preparation);
    text += '}';
  }
  text += R"(,"calls":[)";
  for (const RecordedCall &call : recording.calls) {
    text += &call == recording.calls.data() ? "" : ",";
    append(text, call);
  }
  return text + "]}";
}

static Result<StatusCode> readStatus(const JsonNode &node) {
  NNHAL_ASSIGN_OR_RETURN(JsonNode member, node.require("status"));
  NNHAL_ASSIGN_OR_RETURN(std::string found, member.toString());
  const auto *code = std::ranges::find(
      statusCodes, found, [](StatusCode each) { return toString(each); });
  if (code != std::end(statusCodes))
    return *code;
  return member.error(fmt::format("'{}' is no status", found));
}

static Result<RecordedStep> readStep(const JsonNode &node) {
  RecordedStep step;
  NNHAL_ASSIGN_OR_RETURN(step.status, readStatus(node));
  NNHAL_ASSIGN_OR_RETURN(JsonNode duration, node.require("nanoseconds"));
  NNHAL_ASSIGN_OR_RETURN(int64_t nanoseconds,
                         duration.toInteger(0, int64_t(maxTimeout)));
  step.nanoseconds = uint64_t(nanoseconds);
  return step;
}

static Result<RecordedCall> readCall(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkObject(
      {"way", "status", "nanoseconds", "loopTimeoutNanoseconds"}));
  RecordedCall call;
  NNHAL_ASSIGN_OR_RETURN(call.way, readName<RecordedWay>(node, "way", ways));
  NNHAL_ASSIGN_OR_RETURN(call.step, readStep(node));
  if (auto timeout = node.find("loopTimeoutNanoseconds")) {
    NNHAL_ASSIGN_OR_RETURN(int64_t nanoseconds,
                           timeout->toInteger(0, int64_t(maxTimeout)));
    call.loopTimeout = uint64_t(nanoseconds);
  }
  return call;
}

Result<Recording> nnhal::rt::readRecording(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkObject({"settings", "preparation", "calls"}));
  Recording recording;
  NNHAL_ASSIGN_OR_RETURN(JsonNode settings, node.require("settings"));
  NNHAL_ASSIGN_OR_RETURN(recording.settings, readSettings(settings));
  if (auto preparation = node.find("preparation")) {
    NNHAL_RETURN_IF_ERROR(preparation->checkObject({"status", "nanoseconds"}));
    NNHAL_ASSIGN_OR_RETURN(recording.preparation, readStep(*preparation));
  }
  NNHAL_ASSIGN_OR_RETURN(JsonNode calls, node.require("calls"));
  NNHAL_RETURN_IF_ERROR(calls.checkArray());
  for (size_t i = 0; i < calls.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(RecordedCall call, readCall(calls[i]));
    recording.calls.push_back(call);
  }
  return recording;
}
