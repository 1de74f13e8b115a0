//===- InferenceService.h - The calls of the protocol -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_GRPC_INFERENCESERVICE_H
#define NNHAL_LIB_SERVING_GRPC_INFERENCESERVICE_H

#include "Serving/Core/Workers.h"

#include "Serving/Core/Server.h"

#include "open_inference_grpc.grpc.pb.h"

#include <atomic>
#include <string>

namespace nnhal::serving {

/// Answers the calls of open_inference_grpc.proto from a server of models.
///
/// All calls use gRPC's interface of callbacks. What may block, which is
/// inference and loading, runs on workers. The few threads that gRPC reads and
/// writes all connections with answer the rest themselves: probes of health and
/// metadata have their answers while every worker is busy. gRPC's synchronous
/// interface has one pool of threads for all calls: it would refuse probes
/// together with the inference that is too much, and lose a thread to every
/// stream of reflection. It would save handing a request over, which takes
/// about a third of the processor time of an empty call, and less than a
/// hundredth of that of an execution of milliseconds.
///
/// Ownership: the server and the workers outlive the service, which outlives
///            the calls.
class InferenceService final
    : public inference::GRPCInferenceService::CallbackService {
public:
  /// \p clientHeader is GrpcOptions::clientHeader.
  InferenceService(Server &server, Workers &workers, std::string clientHeader);

  /// Answers UNAVAILABLE to what needs a worker from now on.
  void beginDrain() { isDraining.store(true, std::memory_order_relaxed); }

private:
  template <typename Request, typename Response>
  using Answer = grpc::Status (InferenceService::*)(
      grpc::CallbackServerContext &, const Request &, Response &);

  /// Answers by \p answer on a worker; with RESOURCE_EXHAUSTED where none is
  /// free.
  template <typename Request, typename Response>
  grpc::ServerUnaryReactor *answerOnWorker(Answer<Request, Response> answer,
                                           grpc::CallbackServerContext *context,
                                           const Request *request,
                                           Response *response);

  grpc::Status infer(grpc::CallbackServerContext &context,
                     const inference::ModelInferRequest &message,
                     inference::ModelInferResponse &answer);
  grpc::Status load(grpc::CallbackServerContext &context,
                    const inference::RepositoryModelLoadRequest &request,
                    inference::RepositoryModelLoadResponse &response);
  grpc::Status unload(grpc::CallbackServerContext &context,
                      const inference::RepositoryModelUnloadRequest &request,
                      inference::RepositoryModelUnloadResponse &response);

  grpc::ServerUnaryReactor *
  ServerLive(grpc::CallbackServerContext *context,
             const inference::ServerLiveRequest *request,
             inference::ServerLiveResponse *response) override;
  grpc::ServerUnaryReactor *
  ServerReady(grpc::CallbackServerContext *context,
              const inference::ServerReadyRequest *request,
              inference::ServerReadyResponse *response) override;
  grpc::ServerUnaryReactor *
  ModelReady(grpc::CallbackServerContext *context,
             const inference::ModelReadyRequest *request,
             inference::ModelReadyResponse *response) override;
  grpc::ServerUnaryReactor *
  ServerMetadata(grpc::CallbackServerContext *context,
                 const inference::ServerMetadataRequest *request,
                 inference::ServerMetadataResponse *response) override;
  grpc::ServerUnaryReactor *
  ModelMetadata(grpc::CallbackServerContext *context,
                const inference::ModelMetadataRequest *request,
                inference::ModelMetadataResponse *response) override;
  grpc::ServerUnaryReactor *
  ModelInfer(grpc::CallbackServerContext *context,
             const inference::ModelInferRequest *request,
             inference::ModelInferResponse *response) override;
  grpc::ServerUnaryReactor *
  RepositoryIndex(grpc::CallbackServerContext *context,
                  const inference::RepositoryIndexRequest *request,
                  inference::RepositoryIndexResponse *response) override;
  grpc::ServerUnaryReactor *RepositoryModelLoad(
      grpc::CallbackServerContext *context,
      const inference::RepositoryModelLoadRequest *request,
      inference::RepositoryModelLoadResponse *response) override;
  grpc::ServerUnaryReactor *RepositoryModelUnload(
      grpc::CallbackServerContext *context,
      const inference::RepositoryModelUnloadRequest *request,
      inference::RepositoryModelUnloadResponse *response) override;

  Server &server;
  Workers &workers;
  /// In the lower case that metadata have.
  const std::string clientHeader;
  std::atomic<bool> isDraining = false;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_GRPC_INFERENCESERVICE_H
