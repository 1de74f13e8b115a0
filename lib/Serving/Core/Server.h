//===- Server.h - Models that are served ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_SERVER_H
#define NNHAL_LIB_SERVING_CORE_SERVER_H

#include "Inference.h"
#include "Outcome.h"
#include "Quotas.h"
#include "Signature.h"

#include "Tools/Execution/Engine.h"

#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Trace.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::serving {

struct ServerOptions {
  /// The folder of the models: `MODEL/VERSION/model.tflite`, `.json` or
  /// `.nncache`, with `MODEL/config.json` where settings are wanted; and
  /// `MODEL.tflite`, `.json` or `.nncache`, which is version 1.
  std::string models;
  /// The devices of models whose settings name none, the cache, the service.
  tools::EngineOptions engine;
  /// Executions at a time, of all models together; 0 for one per hardware
  /// thread.
  unsigned executions = 0;
  Quota quota;
  /// How often the folder is looked at; 0 for only when a client asks.
  std::chrono::milliseconds pollInterval = std::chrono::seconds(2);
  /// Never null.
  std::shared_ptr<const rt::Log> log = std::make_shared<rt::Log>();
  /// Null where nothing is traced.
  std::shared_ptr<rt::Tracer> tracer;
};

/// The protocol's server metadata.
struct ServerInfo {
  std::string name;
  std::string version;
  std::vector<std::string> extensions;
};

/// The protocol's model metadata.
struct ModelInfo {
  std::string name;
  /// The versions that are ready, in ascending order.
  std::vector<std::string> versions;
  std::string platform;
  /// The version that was asked for, whose tensors follow.
  std::string version;
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  /// 0 where requests are executed each by itself.
  uint64_t maxBatchSize = 0;
};

/// One version in the index of the repository.
struct IndexEntry {
  std::string name;
  std::string version;
  /// READY, LOADING, UNAVAILABLE: the protocol's words.
  std::string_view state;
  /// Why it is not ready, or why the files of now are not served and an
  /// earlier state of them is; otherwise empty.
  std::string reason;
};

/// Models that are loaded from a folder and executed for clients, whatever
/// protocol these speak.
///
/// A version whose files change is loaded anew while the previous state of it
/// serves; requests that it has begun end with it. When the files cannot be
/// loaded the previous state goes on, and the index says why.
///
/// Ownership: responses keep what they refer to and may outlive the server.
/// Threads:   every member may be called from any thread at once, except that
///            start() is called once, before anything is asked of models.
/// Blocking:  infer() until its execution has ended, start(), load() and
///            unload() until models are loaded, awaitDrain().
class Server {
public:
  /// Fails with invalidArgument when \p options are wrong, and with
  /// generalFailure when the folder cannot be read.
  static rt::Result<std::unique_ptr<Server>> create(ServerOptions options);
  ~Server();
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;

  /// Loads every model, and looks for changes from then on. A model that cannot
  /// be loaded is no failure: the index says why. Fails when the system gives
  /// no thread.
  rt::Status start();

  bool isLive() const { return true; }
  /// Whether the first load has ended, every model of the folder that no client
  /// has unloaded and whose own folder could be read serves a version, and the
  /// server does not drain.
  bool isReady() const;
  /// Whether \p version of \p model, or the model where that is empty, serves.
  /// Fails with notFound or unavailable.
  Outcome checkModelReady(std::string_view model,
                          std::string_view version) const;

  ServerInfo info() const;
  /// Fails like checkModelReady().
  Outcome modelInfo(std::string_view model, std::string_view version,
                    ModelInfo &info) const;

  /// Executes \p request on this thread and fills \p response. The failures
  /// are:
  /// - notFound and unavailable for models that are not there or not ready,
  ///   unavailable while the server drains;
  /// - invalidArgument when tensors do not fit the model, naming the tensor,
  ///   the found value and the bound;
  /// - overloaded when the queue of the model or the client's quota is full;
  /// - deadlineExceeded when the deadline passed, before or while executing;
  /// - cancelled when the client had gone before an execution could begin;
  /// - failed when the execution failed.
  Outcome infer(const InferenceRequest &request, InferenceResponse &response);

  /// The versions of all models, or of those that are ready alone, sorted.
  std::vector<IndexEntry> index(bool readyOnly) const;
  /// Loads the versions of \p model that the folder has now. Fails with
  /// notFound where it has none, and with invalidArgument, saying why, where
  /// one cannot be loaded.
  Outcome load(std::string_view model);
  /// Serves \p model no longer until it is loaded by load(); what it executes
  /// ends. Fails with notFound.
  Outcome unload(std::string_view model);

  /// Refuses requests of inference from now on; what has begun goes on.
  void beginDrain();
  /// Waits until no request is under way, at most until \p deadline. Returns
  /// whether that is so.
  bool awaitDrain(rt::Deadline deadline);

  /// The metrics in the text format of Prometheus.
  std::string metrics();

private:
  class Implementation;
  explicit Server(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_SERVER_H
