//===- ReportTest.cpp - The state of a service in three formats -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Service/Supervisor/Report.h"

#include <gtest/gtest.h>

using namespace nnhal::service;

namespace {

constexpr std::string_view report = R"json({
  "service": {"version": "0.1.0", "protocol": "1.0", "process": 5, "user": 0,
    "socket": "/run/s", "uptimeSeconds": 7384, "connections": 2, "accepted": 9,
    "refused": 1, "draining": false},
  "devices": [{"name": "nnhal-cpu", "version": "0.1.0", "state": "running",
    "process": 6, "uptimeSeconds": 59, "starts": 2, "deaths": 1,
    "lastDeath": "signal 9 (Killed)", "compileWorkers": 1,
    "compileWorkerStarts": 1, "compileWorkerDeaths": 0,
    "sandbox": ["seccomp: 1 rules"],
    "clients": [{"id": 3, "user": 1000, "process": 77, "name": "a \"b\"",
      "models": 1, "buffers": 2, "bursts": 3, "memory": 4500000,
      "descriptors": 5, "queued": 6, "executions": 7, "preparations": 8,
      "failures": 9, "refusals": 10}]}]})json";

std::string render(ReportFormat format) {
  auto text = renderReport(report, format);
  EXPECT_TRUE(text.isOk()) << text.status().message();
  return text.isOk() ? *text : "";
}

TEST(ReportTest, Text) {
  EXPECT_EQ(
      render(ReportFormat::text),
      "nnhal-service 0.1.0 (protocol 1.0) at '/run/s': process 5 of user 0 for "
      "2 h 3 min, 2 connections, 9 accepted, 1 refused\n"
      "nnhal-cpu 0.1.0: running, process 6 for 59 s, 2 starts, 1 deaths (the "
      "last: signal 9 (Killed)), 1 compile workers\n"
      "  sandbox: seccomp: 1 rules\n"
      "  client 3 'a \"b\"', process 77 of user 1000: 1 models, 2 buffers, 3 "
      "bursts, 4.5 MB, 5 descriptors, 6 queued; 7 executions, 8 preparations, "
      "9 failures, 10 refusals\n");
}

TEST(ReportTest, Prometheus) {
  std::string text = render(ReportFormat::prometheus);
  for (const char *part :
       {"# HELP nnhal_uptime_seconds Age of the service.\n"
        "# TYPE nnhal_uptime_seconds gauge\nnnhal_uptime_seconds 7384\n",
        "nnhal_device_deaths_total{device=\"nnhal-cpu\"} 1\n",
        "nnhal_client_memory_bytes{device=\"nnhal-cpu\",client=\"3\",user="
        "\"1000\",process=\"77\",name=\"a \\\"b\\\"\"} 4500000\n",
        "# TYPE nnhal_client_executions_total counter\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
}

TEST(ReportTest, Json) {
  std::string text = render(ReportFormat::json);
  EXPECT_TRUE(
      text.starts_with("{\n  \"service\": {\n    \"version\": \"0.1.0\","))
      << text;
}

TEST(ReportTest, DamageIsNamed) {
  auto damaged = renderReport("{}", ReportFormat::text);
  EXPECT_TRUE(damaged.status().message().starts_with(
      "the service's report is damaged: "))
      << damaged.status().message();
}

} // namespace
