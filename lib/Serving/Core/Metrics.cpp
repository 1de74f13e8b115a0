//===- Metrics.cpp - What is counted --------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::serving;
using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

/// From 20 microseconds, which the smallest models take, to 10 seconds.
static prometheus::Histogram::BucketBoundaries seconds() {
  return {2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2,
          2e-2, 5e-2, 0.1,  0.2,  0.5,  1.0,  2.0,  5.0,  10.0};
}
static prometheus::Histogram::BucketBoundaries samples() {
  return {1, 2, 4, 8, 16, 32, 64, 128, 256};
}

Metrics::Metrics()
    : requests(BuildCounter()
                   .Name("nnhal_serve_requests_total")
                   .Help("Requests of inference that have ended, by how")
                   .Register(*registry)),
      loads(BuildCounter()
                .Name("nnhal_serve_loads_total")
                .Help("Loads of a version of a model, by how they ended")
                .Register(*registry)),
      queueSeconds(BuildHistogram()
                       .Name("nnhal_serve_queue_seconds")
                       .Help("Time that requests waited for an execution")
                       .Register(*registry)),
      executionSeconds(BuildHistogram()
                           .Name("nnhal_serve_execution_seconds")
                           .Help("Time of executions, each of one batch")
                           .Register(*registry)),
      requestSeconds(BuildHistogram()
                         .Name("nnhal_serve_request_seconds")
                         .Help("Time of requests in all, but for the protocol")
                         .Register(*registry)),
      batchSamples(BuildHistogram()
                       .Name("nnhal_serve_batch_samples")
                       .Help("Samples that were executed at once")
                       .Register(*registry)),
      waiting(BuildGauge()
                  .Name("nnhal_serve_queue_depth")
                  .Help("Requests that wait for an execution")
                  .Register(*registry)),
      executing(BuildGauge()
                    .Name("nnhal_serve_executions_live")
                    .Help("Executions under way")
                    .Register(*registry)),
      modelBytes(BuildGauge()
                     .Name("nnhal_serve_model_bytes")
                     .Help("Memory of a model's code and constants (artifact) "
                           "and of one execution (arena)")
                     .Register(*registry)),
      inputBytes(BuildCounter()
                     .Name("nnhal_serve_input_bytes_total")
                     .Help("Bytes of inputs")
                     .Register(*registry)),
      outputBytes(BuildCounter()
                      .Name("nnhal_serve_output_bytes_total")
                      .Help("Bytes of outputs")
                      .Register(*registry)),
      copiedBytes(BuildCounter()
                      .Name("nnhal_serve_copied_bytes_total")
                      .Help("Bytes of inputs that were copied to an address "
                            "that fits their elements")
                      .Register(*registry)),
      residentBytes(BuildGauge()
                        .Name("process_resident_memory_bytes")
                        .Help("Memory of the process")
                        .Register(*registry)
                        .Add({})),
      processorSeconds(BuildCounter()
                           .Name("process_cpu_seconds_total")
                           .Help("Time of processors that the process used")
                           .Register(*registry)
                           .Add({})) {}

std::shared_ptr<VersionMetrics> Metrics::of(const std::string &model,
                                            const std::string &version) {
  prometheus::Labels labels = {{"model", model}, {"version", version}};
  auto bytesOf = [&](const char *kind) -> prometheus::Gauge & {
    return modelBytes.Add(
        {{"model", model}, {"version", version}, {"kind", kind}});
  };
  std::array<prometheus::Counter *, outcomeCodes> byCode;
  for (size_t i = 0; i < outcomeCodes; ++i)
    byCode[i] = &requests.Add({{"model", model},
                               {"version", version},
                               {"code", std::string(nameOf(OutcomeCode(i)))}});
  return std::make_shared<VersionMetrics>(
      VersionMetrics{registry, queueSeconds.Add(labels, seconds()),
                     executionSeconds.Add(labels, seconds()),
                     requestSeconds.Add(labels, seconds()),
                     batchSamples.Add(labels, samples()), waiting.Add(labels),
                     executing.Add(labels), bytesOf("artifact"),
                     bytesOf("arena"), inputBytes.Add(labels),
                     outputBytes.Add(labels), copiedBytes.Add(labels), byCode});
}

void Metrics::countUnknown(OutcomeCode code) {
  requests
      .Add(
          {{"model", ""}, {"version", ""}, {"code", std::string(nameOf(code))}})
      .Increment();
}

void Metrics::countLoad(const std::string &model, bool isSuccess) {
  loads.Add({{"model", model}, {"outcome", isSuccess ? "ok" : "failed"}})
      .Increment();
}

/// The second number of the file is that of pages in memory.
static double residentPages() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double resident = 0;
  file >> size >> resident;
  return resident;
}

static double usedProcessorSeconds() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval &time) {
    return double(time.tv_sec) + double(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string Metrics::text() {
  processorSeconds.Increment(
      std::max(0.0, usedProcessorSeconds() - processorSeconds.Value()));
  residentBytes.Set(residentPages() * double(::sysconf(_SC_PAGESIZE)));
  return prometheus::TextSerializer().Serialize(registry->Collect());
}
