//===- CapabilitiesFile.cpp - Capabilities as measured --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/CapabilitiesFile.h"

#include "JsonNode.h"
#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <system_error>

using namespace nnhal;
using namespace nnhal::rt;
using nlohmann::ordered_json;

static constexpr std::string_view formatName = "nnhal-capabilities";
static constexpr int64_t formatVersion = 1;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The shortest number that reads back as \p number.
static double shortest(float number) {
  return std::strtod(fmt::format("{}", number).c_str(), nullptr);
}

static void add(ordered_json &object, const PerformanceInfo &info) {
  object["execTime"] = shortest(info.execTime);
  object["powerUsage"] = shortest(info.powerUsage);
}

/// FLT_MAX for both says as much as nothing.
static void addMember(ordered_json &object, const char *key,
                      const PerformanceInfo &info) {
  if (info != PerformanceInfo())
    add(object[key], info);
}

static std::string textOf(std::string_view device,
                          std::string_view deviceVersion,
                          const Capabilities &capabilities) {
  ordered_json root;
  root["format"] = formatName;
  root["formatVersion"] = formatVersion;
  root["device"] = device;
  root["deviceVersion"] = deviceVersion;
  addMember(root, "relaxedFloat32toFloat16PerformanceScalar",
            capabilities.relaxedFloat32toFloat16PerformanceScalar);
  addMember(root, "relaxedFloat32toFloat16PerformanceTensor",
            capabilities.relaxedFloat32toFloat16PerformanceTensor);
  ordered_json &entries = root["operandPerformance"] = ordered_json::array();
  for (const OperandPerformance &entry : capabilities.operandPerformance) {
    ordered_json &object = entries.emplace_back(ordered_json::object());
    object["type"] = nameOf(entry.type);
    add(object, entry.info);
  }
  addMember(root, "ifPerformance", capabilities.ifPerformance);
  addMember(root, "whilePerformance", capabilities.whilePerformance);
  return root.dump(2) + "\n";
}

Status nnhal::rt::writeCapabilities(const std::string &path,
                                    std::string_view device,
                                    std::string_view deviceVersion,
                                    const Capabilities &capabilities) {
  NNHAL_RETURN_IF_ERROR(validateCapabilities(capabilities));
  try {
    std::filesystem::path directory = std::filesystem::path(path).parent_path();
    std::error_code error;
    if (!directory.empty())
      std::filesystem::create_directories(directory, error);
    if (error)
      return failure("cannot create '{}': {}", directory.string(),
                     error.message());
    std::string text = textOf(device, deviceVersion, capabilities);
    return writeFileAtomically(path, std::as_bytes(std::span(text)));
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory for the capabilities of {}", device);
  } catch (const nlohmann::json::exception &) {
    return badData("the device's name or version is not UTF-8");
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Result<PerformanceInfo> readInfo(const JsonNode &node) {
  PerformanceInfo info;
  NNHAL_ASSIGN_OR_RETURN(JsonNode execTime, node.require("execTime"));
  NNHAL_ASSIGN_OR_RETURN(info.execTime, execTime.toFloat());
  NNHAL_ASSIGN_OR_RETURN(JsonNode powerUsage, node.require("powerUsage"));
  NNHAL_ASSIGN_OR_RETURN(info.powerUsage, powerUsage.toFloat());
  return info;
}

static Status readMember(const JsonNode &root, std::string_view key,
                         PerformanceInfo &info) {
  std::optional<JsonNode> node = root.find(key);
  if (!node)
    return Status::ok();
  NNHAL_RETURN_IF_ERROR(node->checkObject({"execTime", "powerUsage"}));
  NNHAL_ASSIGN_OR_RETURN(info, readInfo(*node));
  return Status::ok();
}

static Result<OperandPerformance> readEntry(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkObject({"type", "execTime", "powerUsage"}));
  NNHAL_ASSIGN_OR_RETURN(JsonNode type, node.require("type"));
  NNHAL_ASSIGN_OR_RETURN(std::string name, type.toString());
  const OperandTypeInfo *row = lookUpOperandType(name);
  if (!row)
    return type.error(fmt::format("'{}' is not an operand type", name));
  NNHAL_ASSIGN_OR_RETURN(PerformanceInfo info, readInfo(node));
  return OperandPerformance{row->type, info};
}

static Status checkText(const JsonNode &root, std::string_view key,
                        std::string_view expected) {
  NNHAL_ASSIGN_OR_RETURN(JsonNode node, root.require(key));
  NNHAL_ASSIGN_OR_RETURN(std::string found, node.toString());
  if (found != expected)
    return node.error(
        fmt::format("expected \"{}\", found \"{}\"", expected, found));
  return Status::ok();
}

/// Checks that the file is one of this format. This comes before all members
/// that a newer version of the format may change.
static Status checkFormat(const JsonNode &root) {
  NNHAL_RETURN_IF_ERROR(checkText(root, "format", formatName));
  NNHAL_ASSIGN_OR_RETURN(JsonNode version, root.require("formatVersion"));
  NNHAL_ASSIGN_OR_RETURN(int64_t found, version.toInteger(1, INT32_MAX));
  if (found > formatVersion)
    return version.error(
        fmt::format("expected {} at most, found {}", formatVersion, found));
  return Status::ok();
}

static Result<Capabilities> readRoot(const JsonNode &root,
                                     std::string_view device,
                                     std::string_view deviceVersion) {
  NNHAL_RETURN_IF_ERROR(checkFormat(root));
  NNHAL_RETURN_IF_ERROR(root.checkObject(
      {"format", "formatVersion", "device", "deviceVersion",
       "relaxedFloat32toFloat16PerformanceScalar",
       "relaxedFloat32toFloat16PerformanceTensor", "operandPerformance",
       "ifPerformance", "whilePerformance"}));
  NNHAL_RETURN_IF_ERROR(checkText(root, "device", device));
  NNHAL_RETURN_IF_ERROR(checkText(root, "deviceVersion", deviceVersion));
  Capabilities result;
  NNHAL_RETURN_IF_ERROR(
      readMember(root, "relaxedFloat32toFloat16PerformanceScalar",
                 result.relaxedFloat32toFloat16PerformanceScalar));
  NNHAL_RETURN_IF_ERROR(
      readMember(root, "relaxedFloat32toFloat16PerformanceTensor",
                 result.relaxedFloat32toFloat16PerformanceTensor));
  NNHAL_ASSIGN_OR_RETURN(JsonNode entries, root.require("operandPerformance"));
  NNHAL_RETURN_IF_ERROR(entries.checkArray());
  for (size_t i = 0; i < entries.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(OperandPerformance entry, readEntry(entries[i]));
    result.operandPerformance.push_back(entry);
  }
  NNHAL_RETURN_IF_ERROR(
      readMember(root, "ifPerformance", result.ifPerformance));
  NNHAL_RETURN_IF_ERROR(
      readMember(root, "whilePerformance", result.whilePerformance));
  NNHAL_RETURN_IF_ERROR(validateCapabilities(result));
  return result;
}

static Result<Capabilities> readFile(const std::string &path,
                                     std::string_view device,
                                     std::string_view deviceVersion) {
  constexpr uint64_t maxSize = uint64_t(1) << 20;
  constexpr std::string_view rootName = "the file";
  NNHAL_ASSIGN_OR_RETURN(Memory file, Memory::readFile(path, maxSize));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  NNHAL_ASSIGN_OR_RETURN(
      nlohmann::json document,
      parseJson({reinterpret_cast<const char *>(bytes.data()), bytes.size()},
                rootName));
  return readRoot(JsonNode(document, rootName), device, deviceVersion);
}

Result<std::optional<Capabilities>>
nnhal::rt::readCapabilities(const std::string &path, std::string_view device,
                            std::string_view deviceVersion) {
  try {
    std::error_code error;
    if (!std::filesystem::exists(path, error) && !error)
      return std::optional<Capabilities>();
    Result<Capabilities> read = readFile(path, device, deviceVersion);
    if (read.isOk())
      return std::optional(*std::move(read));
    return std::move(read).takeStatus().withContext(fmt::format("'{}'", path));
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory for '{}'", path);
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Result<std::string> nnhal::rt::stateDirectory(
    const std::function<const char *(const char *)> &environment) {
  auto find = [&](const char *name) -> std::string_view {
    const char *value = environment(name);
    return value ? value : "";
  };
  if (std::string_view own = find("NNHAL_STATE_DIR"); !own.empty())
    return std::string(own);
  if (std::string_view state = find("XDG_STATE_HOME"); state.starts_with('/'))
    return fmt::format("{}/nnhal", state);
  if (std::string_view home = find("HOME"); home.starts_with('/'))
    return fmt::format("{}/.local/state/nnhal", home);
  return failure("no folder for state: none of NNHAL_STATE_DIR, XDG_STATE_HOME "
                 "and HOME is set");
}

static void warnOnStandardError(const std::string &warning) {
  std::string line = fmt::format("warning: {}\n", warning);
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
}

std::function<std::optional<Capabilities>(std::string_view, std::string_view)>
nnhal::rt::keptCapabilities(
    const std::function<const char *(const char *)> &environment,
    std::function<void(const std::string &)> warn) {
  Result<std::string> directory = stateDirectory(environment);
  if (!directory.isOk())
    return [](std::string_view, std::string_view) { return std::nullopt; };
  if (!warn)
    warn = warnOnStandardError;
  return [directory = *std::move(directory), warn = std::move(warn)](
             std::string_view device,
             std::string_view deviceVersion) -> std::optional<Capabilities> {
    Result<std::optional<Capabilities>> kept = readCapabilities(
        capabilitiesPath(directory, device), device, deviceVersion);
    if (kept.isOk())
      return *std::move(kept);
    warn(fmt::format("{}; {} keeps its built-in capabilities until it is "
                     "calibrated again",
                     kept.status().message(), device));
    return std::nullopt;
  };
}

std::string nnhal::rt::capabilitiesPath(const std::string &directory,
                                        std::string_view device) {
  return fmt::format("{}/capabilities-{}.json", directory, device);
}
