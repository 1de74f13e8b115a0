//===- ServedVersion.h - A loaded version of a model ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_SERVEDVERSION_H
#define NNHAL_LIB_SERVING_CORE_SERVEDVERSION_H

#include "Execution.h"
#include "Metrics.h"
#include "ModelConfig.h"
#include "RequestQueue.h"
#include "Signature.h"

#include "Tools/Execution/Engine.h"

#include <cstdint>
#include <memory>
#include <string>

namespace nnhal::serving {

/// The parts of a server that a load needs beside the files.
struct LoadContext {
  rt::Scheduler &executions;
  Metrics &metrics;
  std::shared_ptr<tools::Engine> engine;
  std::shared_ptr<const rt::Log> log;
  rt::Tracer *tracer = nullptr;
};

/// A version of a model that serves.
///
/// Ownership: shared by the catalog, requests and responses.
/// Threads:   every member may be called from any thread at once.
class ServedVersion {
public:
  /// Loads the file \p path with the settings \p config. Fails with what the
  /// load reports, and with invalidArgument for settings that do not fit the
  /// model.
  static rt::Result<std::shared_ptr<ServedVersion>>
  load(const std::string &model, uint64_t version, const std::string &path,
       const ModelConfig &config, const LoadContext &context);

  ~ServedVersion();
  ServedVersion(const ServedVersion &) = delete;
  ServedVersion &operator=(const ServedVersion &) = delete;

  /// Executes \p request, which is for this version, and fills \p response but
  /// for its trace and the ownership of this object.
  Outcome infer(const InferenceRequest &request, InferenceResponse &response);

  const std::string &modelName() const { return name; }
  const std::string &versionName() const { return number; }
  const Signature &signature() const { return tensors; }
  const ModelConfig &settings() const { return config; }
  VersionMetrics &metrics() const { return *counters; }

private:
  ServedVersion(std::string name, uint64_t version, ModelConfig config,
                Signature tensors, rt::PreparedModelRef prepared,
                const LoadContext &context);

  const std::string name;
  const std::string number;
  const ModelConfig config;
  const Signature tensors;
  /// The devices of the model.
  const std::shared_ptr<tools::Engine> engine;
  const std::shared_ptr<VersionMetrics> counters;
  const rt::MemoryUse memory;
  const Executable executable;
  RequestQueue queue;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_SERVEDVERSION_H
