//===- ResultJson.cpp - Results as JSON -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultJson.h"

#include "Runtime/Formats/Json/JsonNode.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tools;
using rt::JsonNode;
using rt::Status;
using Json = nlohmann::ordered_json;

static constexpr std::string_view formatName = "nnhal-benchmark";
static constexpr int64_t formatVersion = 1;
/// Integers beyond this are not exact in every reader of JSON.
static constexpr int64_t maxInteger = int64_t(1) << 53;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// JSON has no infinity, and readers of this project take its name.
static Json number(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

static Json write(const StartTimes &times) {
  return {{"load_us", times.load},
          {"prepare_us", times.prepare},
          {"first_us", times.first}};
}

static Json write(const OperationResult &operation) {
  Json json = {{"type", operation.type},
               {"device", operation.device},
               {"step", operation.step}};
  if (operation.nanoseconds)
    json["ns"] = *operation.nanoseconds;
  return json;
}

static Json write(const RunResult &run) {
  Json json = {{"model", run.name.model},
               {"data", run.name.data},
               {"device", run.name.device},
               {"way", run.name.way},
               {"threads", run.name.threads}};
  if (run.hasFailed()) {
    json["error"] = run.benchmarkError;
    return json;
  }
  json["test_set_size"] = run.testSetSize;
  json["sum_of_mean_square_errors"] = number(run.sumOfMeanSquareErrors);
  json["max_single_error"] = number(run.maxSingleError);
  json["evaluators"] = Json::array();
  for (const EvaluatorValue &value : run.evaluators)
    json["evaluators"].push_back(
        {{"key", value.key}, {"value", number(value.value)}});
  json["validation_errors"] = run.validationErrors;
  json["cold"] = write(run.cold);
  if (run.warm)
    json["warm"] = write(*run.warm);
  json["peak_memory_bytes"] = run.peakMemory;
  json["arena_bytes"] = run.arena;
  json["artifact_bytes"] = run.artifact;
  json["arithmetic"] = run.arithmetic;
  json["traffic_bytes"] = run.traffic;
  json["quantized"] = run.isQuantized;
  json["operations"] = Json::array();
  for (const OperationResult &operation : run.operations)
    json["operations"].push_back(write(operation));
  json["latencies_us"] = Json::array();
  // A nanosecond is more than any clock tells.
  for (double latency : run.latencies)
    json["latencies_us"].push_back(std::round(latency * 1e3) / 1e3);
  return json;
}

static Json writeForOthers(const RunResult &run) {
  Json json = write(run);
  if (run.hasFailed())
    return json;
  Json bundle = Json::object();
  for (const auto &[key, value] : bundleOf(run, run.name.model))
    bundle[key] = number(value);
  json["bundle"] = bundle;
  return json;
}

static Json writeCapabilities(const Report &report) {
  Json json = Json::object();
  for (const RunResult &run : report.runs) {
    if (json.contains(run.name.device))
      continue;
    Json entries = Json::object();
    for (const auto &entry : capabilitiesOf(report, run.name.device))
      entries[entry.type] = {{"execTime", entry.execTime},
                             {"models", entry.models}};
    if (!entries.empty())
      json[run.name.device] = entries;
  }
  return json;
}

std::string tools::jsonOf(const Report &report) {
  Json json = {{"format", formatName},
               {"version", formatVersion},
               {"time", report.time},
               {"build", report.build},
               {"machine", report.machine},
               {"baseline", report.baseline},
               {"roofs",
                {{"float_gops", report.roofs.floats},
                 {"int8_gops", report.roofs.integers},
                 {"bandwidth_gbs", report.roofs.bandwidth}}},
               {"capabilities", writeCapabilities(report)},
               {"runs", Json::array()}};
  for (const RunResult &run : report.runs)
    json["runs"].push_back(writeForOthers(run));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string tools::jsonOf(const RunResult &run) {
  return write(run).dump(-1, ' ', false, Json::error_handler_t::replace);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static rt::Result<std::string> text(const JsonNode &node,
                                    std::string_view key) {
  NNHAL_ASSIGN_OR_RETURN(JsonNode member, node.require(key));
  return member.toString();
}

static rt::Result<uint64_t> count(const JsonNode &node, std::string_view key,
                                  int64_t least = 0) {
  NNHAL_ASSIGN_OR_RETURN(JsonNode member, node.require(key));
  NNHAL_ASSIGN_OR_RETURN(int64_t value, member.toInteger(least, maxInteger));
  return uint64_t(value);
}

static rt::Result<double> real(const JsonNode &node, std::string_view key) {
  NNHAL_ASSIGN_OR_RETURN(JsonNode member, node.require(key));
  return member.toDouble();
}

static rt::Result<StartTimes> readStart(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(
      node.checkObject({"load_us", "prepare_us", "first_us"}));
  StartTimes times;
  NNHAL_ASSIGN_OR_RETURN(times.load, real(node, "load_us"));
  NNHAL_ASSIGN_OR_RETURN(times.prepare, real(node, "prepare_us"));
  NNHAL_ASSIGN_OR_RETURN(times.first, real(node, "first_us"));
  return times;
}

static rt::Result<OperationResult> readOperation(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkObject({"type", "device", "step", "ns"}));
  OperationResult operation;
  NNHAL_ASSIGN_OR_RETURN(operation.type, text(node, "type"));
  NNHAL_ASSIGN_OR_RETURN(operation.device, text(node, "device"));
  NNHAL_ASSIGN_OR_RETURN(operation.step, count(node, "step"));
  if (node.find("ns")) {
    NNHAL_ASSIGN_OR_RETURN(operation.nanoseconds, count(node, "ns"));
  }
  return operation;
}

static Status readAccuracy(const JsonNode &node, RunResult &run) {
  NNHAL_ASSIGN_OR_RETURN(run.testSetSize, count(node, "test_set_size"));
  NNHAL_ASSIGN_OR_RETURN(run.sumOfMeanSquareErrors,
                         real(node, "sum_of_mean_square_errors"));
  NNHAL_ASSIGN_OR_RETURN(run.maxSingleError, real(node, "max_single_error"));
  NNHAL_ASSIGN_OR_RETURN(JsonNode evaluators, node.require("evaluators"));
  NNHAL_RETURN_IF_ERROR(evaluators.checkArray());
  for (size_t i = 0; i < evaluators.size(); ++i) {
    JsonNode evaluator = evaluators[i];
    NNHAL_RETURN_IF_ERROR(evaluator.checkObject({"key", "value"}));
    EvaluatorValue &value = run.evaluators.emplace_back();
    NNHAL_ASSIGN_OR_RETURN(value.key, text(evaluator, "key"));
    NNHAL_ASSIGN_OR_RETURN(value.value, real(evaluator, "value"));
  }
  NNHAL_ASSIGN_OR_RETURN(JsonNode errors, node.require("validation_errors"));
  NNHAL_RETURN_IF_ERROR(errors.checkArray());
  for (size_t i = 0; i < errors.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(std::string error, errors[i].toString());
    run.validationErrors.push_back(std::move(error));
  }
  return Status::ok();
}

static Status readTimes(const JsonNode &node, RunResult &run) {
  NNHAL_ASSIGN_OR_RETURN(JsonNode cold, node.require("cold"));
  NNHAL_ASSIGN_OR_RETURN(run.cold, readStart(cold));
  if (auto warm = node.find("warm")) {
    NNHAL_ASSIGN_OR_RETURN(run.warm, readStart(*warm));
  }
  NNHAL_ASSIGN_OR_RETURN(run.peakMemory, count(node, "peak_memory_bytes"));
  NNHAL_ASSIGN_OR_RETURN(run.arena, count(node, "arena_bytes"));
  NNHAL_ASSIGN_OR_RETURN(run.artifact, count(node, "artifact_bytes"));
  NNHAL_ASSIGN_OR_RETURN(run.arithmetic, real(node, "arithmetic"));
  NNHAL_ASSIGN_OR_RETURN(run.traffic, real(node, "traffic_bytes"));
  NNHAL_ASSIGN_OR_RETURN(JsonNode quantized, node.require("quantized"));
  NNHAL_ASSIGN_OR_RETURN(run.isQuantized, quantized.toBool());
  NNHAL_ASSIGN_OR_RETURN(JsonNode operations, node.require("operations"));
  NNHAL_RETURN_IF_ERROR(operations.checkArray());
  for (size_t i = 0; i < operations.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(OperationResult operation,
                           readOperation(operations[i]));
    run.operations.push_back(std::move(operation));
  }
  NNHAL_ASSIGN_OR_RETURN(JsonNode latencies, node.require("latencies_us"));
  NNHAL_RETURN_IF_ERROR(latencies.checkArray());
  if (latencies.size() == 0)
    return latencies.error("expected at least one latency, found none");
  for (size_t i = 0; i < latencies.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(double latency, latencies[i].toDouble());
    if (!(latency >= 0.0) || std::isinf(latency))
      return latencies[i].error(
          fmt::format("expected a time of 0 or more, found {}", latency));
    run.latencies.push_back(latency);
  }
  return Status::ok();
}

static rt::Result<RunResult> readRun(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkObject({"model",
                                          "data",
                                          "device",
                                          "way",
                                          "threads",
                                          "error",
                                          "test_set_size",
                                          "sum_of_mean_square_errors",
                                          "max_single_error",
                                          "evaluators",
                                          "validation_errors",
                                          "cold",
                                          "warm",
                                          "peak_memory_bytes",
                                          "arena_bytes",
                                          "artifact_bytes",
                                          "arithmetic",
                                          "traffic_bytes",
                                          "quantized",
                                          "operations",
                                          "latencies_us",
                                          "bundle"}));
  RunResult run;
  NNHAL_ASSIGN_OR_RETURN(run.name.model, text(node, "model"));
  NNHAL_ASSIGN_OR_RETURN(run.name.data, text(node, "data"));
  NNHAL_ASSIGN_OR_RETURN(run.name.device, text(node, "device"));
  NNHAL_ASSIGN_OR_RETURN(run.name.way, text(node, "way"));
  NNHAL_ASSIGN_OR_RETURN(run.name.threads, count(node, "threads"));
  if (node.find("error")) {
    NNHAL_ASSIGN_OR_RETURN(run.benchmarkError, text(node, "error"));
    return run;
  }
  NNHAL_RETURN_IF_ERROR(readAccuracy(node, run));
  NNHAL_RETURN_IF_ERROR(readTimes(node, run));
  return run;
}

static rt::Result<Report> readRoot(const nlohmann::json &document) {
  JsonNode root(document, "the file");
  NNHAL_RETURN_IF_ERROR(
      root.checkObject({"format", "version", "time", "build", "machine",
                        "baseline", "roofs", "capabilities", "runs"}));
  NNHAL_ASSIGN_OR_RETURN(JsonNode format, root.require("format"));
  NNHAL_ASSIGN_OR_RETURN(std::string name, format.toString());
  if (name != formatName)
    return format.error(
        fmt::format("expected \"{}\", found \"{}\"", formatName, name));
  NNHAL_ASSIGN_OR_RETURN(JsonNode version, root.require("version"));
  NNHAL_RETURN_IF_ERROR(
      version.toInteger(formatVersion, formatVersion).status());
  Report report;
  NNHAL_ASSIGN_OR_RETURN(report.time, text(root, "time"));
  NNHAL_ASSIGN_OR_RETURN(report.build, text(root, "build"));
  NNHAL_ASSIGN_OR_RETURN(report.machine, text(root, "machine"));
  NNHAL_ASSIGN_OR_RETURN(report.baseline, text(root, "baseline"));
  NNHAL_ASSIGN_OR_RETURN(JsonNode roofs, root.require("roofs"));
  NNHAL_RETURN_IF_ERROR(
      roofs.checkObject({"float_gops", "int8_gops", "bandwidth_gbs"}));
  NNHAL_ASSIGN_OR_RETURN(report.roofs.floats, real(roofs, "float_gops"));
  NNHAL_ASSIGN_OR_RETURN(report.roofs.integers, real(roofs, "int8_gops"));
  NNHAL_ASSIGN_OR_RETURN(report.roofs.bandwidth, real(roofs, "bandwidth_gbs"));
  NNHAL_ASSIGN_OR_RETURN(JsonNode runs, root.require("runs"));
  NNHAL_RETURN_IF_ERROR(runs.checkArray());
  for (size_t i = 0; i < runs.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(RunResult run, ::readRun(runs[i]));
    if (report.find(run.name))
      return runs[i].error(
          fmt::format("the run '{}' is there twice", run.name.text()));
    report.runs.push_back(std::move(run));
  }
  return report;
}

rt::Result<Report> tools::readReport(const std::string &path) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  auto read = [&]() -> rt::Result<Report> {
    NNHAL_ASSIGN_OR_RETURN(
        nlohmann::json document,
        rt::parseJson(
            {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
            "the file"));
    return readRoot(document);
  };
  auto report = read();
  if (!report.isOk())
    return std::move(report).takeStatus().withContext(
        fmt::format("'{}'", path));
  return report;
}

rt::Result<RunResult> tools::readRun(std::string_view text) {
  NNHAL_ASSIGN_OR_RETURN(nlohmann::json document,
                         rt::parseJson(text, "the run"));
  return ::readRun(JsonNode(document, "the run"));
}
