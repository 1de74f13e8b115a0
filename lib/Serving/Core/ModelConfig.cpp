//===- ModelConfig.cpp - The settings of a served model -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelConfig.h"

#include "Runtime/Formats/Json/JsonNode.h"
#include "Runtime/Support/Errors.h"
#include "Tools/Options/Values.h"
#include "nnhal/Runtime/Memory.h"

#include <optional>
#include <span>

using namespace nnhal;
using namespace nnhal::serving;
using rt::JsonNode;
using rt::Status;

/// The most that a key may have: far more than a machine has use for.
static constexpr int64_t mostThreads = 1024;
static constexpr int64_t mostSamples = 1 << 16;
static constexpr int64_t mostMicroseconds = 60'000'000;
static constexpr int64_t mostRequests = 1 << 20;
static constexpr int64_t mostVersions = 1 << 16;

/// Reads the number of \p key where \p settings have it.
static Status readNumber(const JsonNode &settings, std::string_view key,
                         int64_t max, uint64_t &number) {
  std::optional<JsonNode> node = settings.find(key);
  if (!node)
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(int64_t value, node->toInteger(0, max));
  number = uint64_t(value);
  return Status::ok();
}

/// Reads "all", {"latest": N} or a list of versions.
static Status readVersions(const JsonNode &node, VersionPolicy &policy) {
  auto word = node.toString();
  if (word.isOk() && *word == "all") {
    policy.latest = 0;
    return Status::ok();
  }
  if (node.checkArray().isOk() && node.size() > 0) {
    for (size_t i = 0; i < node.size(); ++i) {
      NNHAL_ASSIGN_OR_RETURN(int64_t version, node[i].toInteger(1, INT64_MAX));
      policy.only.push_back(uint64_t(version));
    }
    return Status::ok();
  }
  if (!node.checkObject({"latest"}).isOk())
    return node.unexpected("\"all\", {\"latest\": N} or a list of versions");
  NNHAL_ASSIGN_OR_RETURN(JsonNode latest, node.require("latest"));
  NNHAL_ASSIGN_OR_RETURN(int64_t count, latest.toInteger(1, mostVersions));
  policy.latest = uint64_t(count);
  return Status::ok();
}

static Status readShapes(const JsonNode &node, const nlohmann::json &raw,
                         tools::NamedShapes &shapes) {
  if (!raw.is_object())
    return node.checkObject({});
  for (const auto &[name, extents] : raw.items()) {
    JsonNode shape = *node.find(name);
    NNHAL_RETURN_IF_ERROR(shape.checkArray());
    for (size_t i = 0; i < shape.size(); ++i) {
      NNHAL_ASSIGN_OR_RETURN(int64_t extent, shape[i].toInteger(1, INT32_MAX));
      shapes[name].push_back(uint32_t(extent));
    }
  }
  return Status::ok();
}

static Status readWords(const JsonNode &settings, ModelConfig &config) {
  if (std::optional<JsonNode> device = settings.find("device")) {
    NNHAL_ASSIGN_OR_RETURN(config.device, device->toString());
  }
  if (std::optional<JsonNode> signature = settings.find("signature")) {
    NNHAL_ASSIGN_OR_RETURN(config.signature, signature->toString());
  }
  std::optional<JsonNode> priority = settings.find("priority");
  if (!priority)
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(std::string word, priority->toString());
  auto parsed = tools::parsePriority(word);
  if (!parsed.isOk())
    return priority->error(parsed.status().message());
  config.priority = *parsed;
  return Status::ok();
}

static Status readNumbers(const JsonNode &settings, ModelConfig &config) {
  if (settings.find("threads"))
    NNHAL_RETURN_IF_ERROR(
        readNumber(settings, "threads", mostThreads, config.threads.emplace()));
  NNHAL_RETURN_IF_ERROR(
      readNumber(settings, "max_batch_size", mostSamples, config.maxBatchSize));
  NNHAL_RETURN_IF_ERROR(readNumber(settings, "max_queue_delay_microseconds",
                                   mostMicroseconds,
                                   config.maxQueueDelayMicroseconds));
  return readNumber(settings, "max_queue_size", mostRequests,
                    config.maxQueueSize);
}

rt::Result<ModelConfig> serving::parseModelConfig(std::string_view text) {
  NNHAL_ASSIGN_OR_RETURN(nlohmann::json parsed,
                         rt::parseJson(text, "settings"));
  JsonNode settings(parsed, "settings");
  NNHAL_RETURN_IF_ERROR(
      settings.checkObject({"device", "threads", "priority", "max_batch_size",
                            "max_queue_delay_microseconds", "max_queue_size",
                            "versions", "shapes", "signature"}));
  ModelConfig config;
  NNHAL_RETURN_IF_ERROR(readWords(settings, config));
  NNHAL_RETURN_IF_ERROR(readNumbers(settings, config));
  if (std::optional<JsonNode> versions = settings.find("versions"))
    NNHAL_RETURN_IF_ERROR(readVersions(*versions, config.versions));
  if (std::optional<JsonNode> shapes = settings.find("shapes"))
    NNHAL_RETURN_IF_ERROR(
        readShapes(*shapes, parsed.at("shapes"), config.shapes));
  return config;
}

rt::Result<ModelConfig> serving::readModelConfig(const std::string &path) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  auto config = parseModelConfig(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (!config.isOk())
    return std::move(config).takeStatus().withContext(path);
  return config;
}
