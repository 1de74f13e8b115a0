//===- ModelConfig.cpp - The settings of a served model -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelConfig.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Options/Values.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

using namespace nnhal;
using namespace nnhal::serving;
using nlohmann::json;
using rt::Status;

/// A machine has no more threads, and nobody waits for more.
static constexpr uint64_t mostThreads = 1024;
static constexpr uint64_t mostSamples = 1 << 16;
static constexpr uint64_t mostMicroseconds = 60'000'000;
static constexpr uint64_t mostRequests = 1 << 20;
static constexpr uint64_t mostVersions = 1 << 16;

static Status readNumber(const std::string &key, const json &value,
                         uint64_t min, uint64_t max, uint64_t &number) {
  if (!value.is_number_unsigned())
    return rt::badData("'{}' is {}, a number from {} to {} is expected", key,
                       value.type_name(), min, max);
  number = value.get<uint64_t>();
  if (number < min || number > max)
    return rt::badData("'{}' is {}, a number from {} to {} is expected", key,
                       number, min, max);
  return Status::ok();
}

static Status readWord(const std::string &key, const json &value,
                       std::string &word) {
  if (!value.is_string())
    return rt::badData("'{}' is {}, a string is expected", key,
                       value.type_name());
  word = value.get<std::string>();
  return Status::ok();
}

static Status readPriority(const std::string &key, const json &value,
                           rt::Priority &priority) {
  static constexpr tools::Choice<rt::Priority> priorities[] = {
      {"low", rt::Priority::low},
      {"medium", rt::Priority::medium},
      {"high", rt::Priority::high}};
  std::string word;
  NNHAL_RETURN_IF_ERROR(readWord(key, value, word));
  auto parsed = tools::parseChoice<rt::Priority>(word, priorities);
  if (!parsed.isOk())
    return std::move(parsed).takeStatus().withContext(key);
  priority = *parsed;
  return Status::ok();
}

static Status readVersions(const std::string &key, const json &value,
                           VersionPolicy &policy) {
  if (value == "all") {
    policy.latest = 0;
    return Status::ok();
  }
  if (value.is_object() && value.size() == 1 && value.contains("latest"))
    return readNumber(key + ".latest", value["latest"], 1, mostVersions,
                      policy.latest);
  if (!value.is_array() || value.empty())
    return rt::badData(
        "'{}' is {}, not \"all\", {{\"latest\": N}} or a list of "
        "versions",
        key, value.dump());
  for (const json &one : value)
    NNHAL_RETURN_IF_ERROR(
        readNumber(key, one, 1, INT64_MAX, policy.only.emplace_back()));
  return Status::ok();
}

static Status readKey(const std::string &key, const json &value,
                      ModelConfig &config) {
  if (key == "device")
    return readWord(key, value, config.device);
  if (key == "threads")
    return readNumber(key, value, 0, mostThreads, config.threads.emplace());
  if (key == "priority")
    return readPriority(key, value, config.priority);
  if (key == "max_batch_size")
    return readNumber(key, value, 0, mostSamples, config.maxBatchSize);
  if (key == "max_queue_delay_microseconds")
    return readNumber(key, value, 0, mostMicroseconds,
                      config.maxQueueDelayMicroseconds);
  if (key == "max_queue_size")
    return readNumber(key, value, 0, mostRequests, config.maxQueueSize);
  if (key == "versions")
    return readVersions(key, value, config.versions);
  return rt::badData("unknown key '{}'", key);
}

rt::Result<ModelConfig> serving::parseModelConfig(std::string_view text) {
  json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object())
    return rt::badData("the settings are no JSON object");
  ModelConfig config;
  for (const auto &[key, value] : parsed.items())
    NNHAL_RETURN_IF_ERROR(readKey(key, value, config));
  return config;
}

rt::Result<ModelConfig> serving::readModelConfig(const std::string &path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    if (errno == ENOENT)
      return ModelConfig();
    return rt::failure("cannot read '{}': {}", path,
                       std::generic_category().message(errno));
  }
  std::string text(std::istreambuf_iterator<char>(file), {});
  auto config = parseModelConfig(text);
  if (!config.isOk())
    return std::move(config).takeStatus().withContext(path);
  return config;
}
