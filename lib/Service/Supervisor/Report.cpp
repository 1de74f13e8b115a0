//===- Report.cpp - The state of a service, for people and programs -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "Listener.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Channel.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using nlohmann::json;
using nlohmann::ordered_json;
using rt::Result;
using rt::Status;

//===----------------------------------------------------------------------===//
// Fetching
//===----------------------------------------------------------------------===//

static kj::Promise<Result<std::string>> ask(wire::Service::Client service) {
  auto hello = service.helloRequest();
  hello.getClient().setMajor(protocolMajor);
  hello.getClient().setMinor(protocolMinor);
  hello.setName("nnhal-service --status");
  return hello.send().then(
      [](auto &&greeting) -> kj::Promise<Result<std::string>> {
        Status welcome = read(greeting.getStatus());
        if (!welcome.isOk())
          return Result<std::string>(std::move(welcome));
        return greeting.getDrivers().reportRequest().send().then(
            [](auto &&answer) -> Result<std::string> {
              NNHAL_RETURN_IF_ERROR(read(answer.getStatus()));
              return textOf(answer.getJson());
            });
      });
}

Result<std::string> service::fetchReport(const std::string &path) {
  NNHAL_ASSIGN_OR_RETURN(rt::UniqueFd fd, connectTo(path));
  try {
    kj::AsyncIoContext io = kj::setupAsyncIo();
    ChannelLimits limits;
    limits.messageWords = 1 << 20;
    Channel channel(wrapSocket(*io.lowLevelProvider, std::move(fd)),
                    Channel::End::opener, nullptr, limits);
    return ask(channel.peer().castAs<wire::Service>()).wait(io.waitScope);
  } catch (const kj::Exception &exception) {
    return Status(rt::StatusCode::deadObject,
                  fmt::format("the service at '{}' does not answer: {}", path,
                              exception.getDescription().cStr()));
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string duration(uint64_t seconds) {
  if (seconds < 60)
    return fmt::format("{} s", seconds);
  if (seconds < 3600)
    return fmt::format("{} min", seconds / 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

/// Numbers of a report are at least 0.
static uint64_t number(const json &object, const char *key) {
  return object.at(key).get<uint64_t>();
}
static std::string text(const json &object, const char *key) {
  return object.at(key).get<std::string>();
}

static std::string clientAsText(const json &client) {
  return fmt::format(
      "  client {} '{}', process {} of user {}: {} models, {} buffers, {} "
      "bursts, {:.1f} MB, {} descriptors, {} queued; {} executions, {} "
      "preparations, {} failures, {} refusals\n",
      number(client, "id"), text(client, "name"), number(client, "process"),
      number(client, "user"), number(client, "models"),
      number(client, "buffers"), number(client, "bursts"),
      double(number(client, "memory")) / 1e6, number(client, "descriptors"),
      number(client, "queued"), number(client, "executions"),
      number(client, "preparations"), number(client, "failures"),
      number(client, "refusals"));
}

static std::string deviceAsText(const json &device) {
  std::string lines = text(device, "name");
  if (std::string version = text(device, "version"); !version.empty())
    lines += " " + version;
  lines += ": " + text(device, "state");
  if (uint64_t process = number(device, "process"))
    lines += fmt::format(", process {} for {}", process,
                         duration(number(device, "uptimeSeconds")));
  lines += fmt::format(", {} starts, {} deaths", number(device, "starts"),
                       number(device, "deaths"));
  if (std::string death = text(device, "lastDeath"); !death.empty())
    lines += fmt::format(" (the last: {})", death);
  lines +=
      fmt::format(", {} compile workers\n", number(device, "compileWorkers"));
  for (const json &layer : device.at("sandbox"))
    lines += fmt::format("  sandbox: {}\n", layer.get<std::string>());
  for (const json &client : device.at("clients"))
    lines += clientAsText(client);
  return lines;
}

static std::string asText(const json &report) {
  const json &service = report.at("service");
  std::string lines = fmt::format(
      "nnhal-service {} (protocol {}) at '{}': process {} of user {} for {}, "
      "{} connections, {} accepted, {} refused{}\n",
      text(service, "version"), text(service, "protocol"),
      text(service, "socket"), number(service, "process"),
      number(service, "user"), duration(number(service, "uptimeSeconds")),
      number(service, "connections"), number(service, "accepted"),
      number(service, "refused"),
      service.at("draining").get<bool>() ? ", draining" : "");
  for (const json &device : report.at("devices"))
    lines += deviceAsText(device);
  return lines;
}

//===----------------------------------------------------------------------===//
// Prometheus
//===----------------------------------------------------------------------===//

namespace {
/// One number of a report as a metric.
struct Metric {
  const char *key;
  const char *name;
  const char *type;
  const char *help;
};
} // namespace

static constexpr Metric serviceMetrics[] = {
    {"uptimeSeconds", "nnhal_uptime_seconds", "gauge", "Age of the service."},
    {"connections", "nnhal_connections", "gauge",
     "Connections to the service."},
    {"accepted", "nnhal_connections_total", "counter",
     "Connections that were accepted."},
    {"refused", "nnhal_refused_connections_total", "counter",
     "Connections that were refused."},
};

static constexpr Metric deviceMetrics[] = {
    {"uptimeSeconds", "nnhal_device_uptime_seconds", "gauge",
     "Age of the device's process."},
    {"starts", "nnhal_device_starts_total", "counter",
     "Processes of the device that were started."},
    {"deaths", "nnhal_device_deaths_total", "counter",
     "Processes of the device that ended by themselves."},
    {"compileWorkers", "nnhal_device_compile_workers", "gauge",
     "Compile workers that run."},
    {"compileWorkerDeaths", "nnhal_device_compile_worker_deaths_total",
     "counter", "Compile workers that died."},
};

static constexpr Metric clientMetrics[] = {
    {"models", "nnhal_client_models", "gauge", "Prepared models."},
    {"buffers", "nnhal_client_buffers", "gauge", "Buffers of the device."},
    {"bursts", "nnhal_client_bursts", "gauge", "Bursts."},
    {"memory", "nnhal_client_memory_bytes", "gauge",
     "Memories, buffers and arenas."},
    {"descriptors", "nnhal_client_descriptors", "gauge", "File descriptors."},
    {"queued", "nnhal_client_queued_executions", "gauge",
     "Executions that have not ended."},
    {"executions", "nnhal_client_executions_total", "counter", "Executions."},
    {"preparations", "nnhal_client_preparations_total", "counter",
     "Preparations."},
    {"failures", "nnhal_client_failures_total", "counter",
     "Calls that failed."},
    {"refusals", "nnhal_client_refusals_total", "counter",
     "Calls that a quota refused."},
};

/// A value of a label, in quotes.
static std::string labelValue(std::string_view value) {
  std::string escaped = "\"";
  for (char letter : value) {
    if (letter == '\\' || letter == '"')
      escaped += '\\';
    if (letter == '\n')
      escaped += "\\n";
    else
      escaped += letter;
  }
  return escaped + '"';
}

static std::string header(const Metric &metric) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", metric.name, metric.help,
                     metric.name, metric.type);
}

static std::string asPrometheus(const json &report) {
  std::string lines;
  for (const Metric &metric : serviceMetrics)
    lines += fmt::format("{}{} {}\n", header(metric), metric.name,
                         number(report.at("service"), metric.key));
  for (const Metric &metric : deviceMetrics) {
    lines += header(metric);
    for (const json &device : report.at("devices"))
      lines += fmt::format("{}{{{}}} {}\n", metric.name,
                           "device=" + labelValue(text(device, "name")),
                           number(device, metric.key));
  }
  for (const Metric &metric : clientMetrics) {
    lines += header(metric);
    for (const json &device : report.at("devices"))
      for (const json &client : device.at("clients"))
        lines += fmt::format(
            "{}{{device={},client=\"{}\",user=\"{}\",process=\"{}\",name={}}} "
            "{}\n",
            metric.name, labelValue(text(device, "name")), number(client, "id"),
            number(client, "user"), number(client, "process"),
            labelValue(text(client, "name")), number(client, metric.key));
  }
  return lines;
}

Result<std::string> service::renderReport(std::string_view given,
                                          ReportFormat format) {
  try {
    if (format == ReportFormat::json)
      return ordered_json::parse(given).dump(2) + "\n";
    json report = json::parse(given);
    return format == ReportFormat::text ? asText(report) : asPrometheus(report);
  } catch (const json::exception &error) {
    return rt::failure("the service's report is damaged: {}", error.what());
  }
}
