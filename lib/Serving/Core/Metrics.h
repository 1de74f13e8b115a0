//===- Metrics.h - What is counted ------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_METRICS_H
#define NNHAL_LIB_SERVING_CORE_METRICS_H

#include "Outcome.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace nnhal::serving {

/// The metrics of one version of a model.
///
/// Ownership: keeps what it refers to; a response keeps its version, and may
///            outlive the server.
struct VersionMetrics {
  std::shared_ptr<prometheus::Registry> registry;
  prometheus::Histogram &queueSeconds;
  prometheus::Histogram &executionSeconds;
  prometheus::Histogram &requestSeconds;
  prometheus::Histogram &batchSamples;
  prometheus::Gauge &waiting;
  prometheus::Gauge &executing;
  prometheus::Gauge &artifactBytes;
  prometheus::Gauge &arenaBytes;
  prometheus::Counter &inputBytes;
  prometheus::Counter &outputBytes;
  prometheus::Counter &copiedBytes;
  /// By the number of the code.
  std::array<prometheus::Counter *, outcomeCodes> requests;
};

/// The metrics of a server.
///
/// Threads: every member may be called from any thread at once.
class Metrics {
public:
  Metrics();

  /// The metrics of \p version of \p model, the same ones each time.
  std::shared_ptr<VersionMetrics> of(const std::string &model,
                                     const std::string &version);
  /// Counts a request for a model that is not there, which has ended with
  /// \p code. Its name, which the client has made up, is kept nowhere.
  void countUnknown(OutcomeCode code);
  /// Counts a load of \p model.
  void countLoad(const std::string &model, bool isSuccess);

  /// Everything in the text format of Prometheus.
  std::string text();

private:
  const std::shared_ptr<prometheus::Registry> registry =
      std::make_shared<prometheus::Registry>();
  prometheus::Family<prometheus::Counter> &requests;
  prometheus::Family<prometheus::Counter> &loads;
  prometheus::Family<prometheus::Histogram> &queueSeconds;
  prometheus::Family<prometheus::Histogram> &executionSeconds;
  prometheus::Family<prometheus::Histogram> &requestSeconds;
  prometheus::Family<prometheus::Histogram> &batchSamples;
  prometheus::Family<prometheus::Gauge> &waiting;
  prometheus::Family<prometheus::Gauge> &executing;
  prometheus::Family<prometheus::Gauge> &modelBytes;
  prometheus::Family<prometheus::Counter> &inputBytes;
  prometheus::Family<prometheus::Counter> &outputBytes;
  prometheus::Family<prometheus::Counter> &copiedBytes;
  prometheus::Gauge &residentBytes;
  prometheus::Counter &processorSeconds;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_METRICS_H
