//===- InferenceService.cpp - The calls of the protocol -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InferenceService.h"

#include "Caller.h"
#include "Messages.h"

#include <string>
#include <utility>

using namespace nnhal;
using namespace nnhal::serving;
using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;

/// The value of the metadata \p name; empty where there is none.
static std::string metadataOf(const CallbackServerContext &context,
                              const std::string &name) {
  auto found = context.client_metadata().find(name);
  if (found == context.client_metadata().end())
    return {};
  return std::string(found->second.data(), found->second.size());
}

/// Ends the call of \p context with \p outcome.
static ServerUnaryReactor *finish(CallbackServerContext *context,
                                  const Outcome &outcome) {
  ServerUnaryReactor *reactor = context->DefaultReactor();
  reactor->Finish(statusOf(outcome));
  return reactor;
}

static std::string inLowerCase(std::string text) {
  for (char &letter : text)
    if (letter >= 'A' && letter <= 'Z')
      letter = char(letter - 'A' + 'a');
  return text;
}

InferenceService::InferenceService(Server &server, Workers &workers,
                                   std::string clientHeader)
    : server(server), workers(workers),
      clientHeader(inLowerCase(std::move(clientHeader))) {}

template <typename Request, typename Response>
ServerUnaryReactor *
InferenceService::answerOnWorker(Answer<Request, Response> answer,
                                 CallbackServerContext *context,
                                 const Request *request, Response *response) {
  ServerUnaryReactor *reactor = context->DefaultReactor();
  auto work = [this, answer, context, request, response, reactor] {
    reactor->Finish(answerGuarded(
        [&] { return (this->*answer)(*context, *request, *response); }));
  };
  if (isDraining.load(std::memory_order_relaxed))
    reactor->Finish(statusOf(
        refuse(OutcomeCode::unavailable, "the server is about to end")));
  else if (!workers.tryRun(std::move(work)))
    reactor->Finish(statusOf(refuse(
        OutcomeCode::overloaded,
        "the server has {} requests under way, as many as it takes at once",
        workers.size())));
  return reactor;
}

grpc::Status
InferenceService::infer(CallbackServerContext &context,
                        const inference::ModelInferRequest &message,
                        inference::ModelInferResponse &answer) {
  ReadRequest read;
  InferenceRequest &request = read.request;
  request.deadline = deadlineOf(context.raw_deadline());
  // A call is cancelled at its deadline, too; the server counts that.
  auto isCancelled = [&] {
    return context.IsCancelled() && rt::steadyNow() < request.deadline;
  };
  request.isAbandoned = isCancelled;
  request.client = clientHeader.empty() ? clientOf(context.peer())
                                        : metadataOf(context, clientHeader);
  request.traceparent = metadataOf(context, "traceparent");
  InferenceResponse response;
  Outcome outcome = readRequest(message, read);
  if (outcome.isOk())
    outcome = server.infer(request, response);
  if (outcome.isOk() && isCancelled())
    return grpc::Status::CANCELLED;
  if (outcome.isOk())
    outcome = writeResponse(read, response, answer);
  // Clients try calls again whose answer has nothing but trailers: what comes
  // first commits them to this answer.
  if (!response.trace.traceId.empty()) {
    if (outcome.isOk())
      context.AddInitialMetadata("traceparent", response.trace.header());
    else
      context.AddTrailingMetadata("traceparent", response.trace.header());
  }
  return statusOf(outcome);
}

/// Reads the name of the model that \p request is about: as the protocol's
/// extension has it, or as KServe has it.
template <typename Request>
static Outcome readModel(const Request &request, std::string &model) {
  bool isOfKServe = request.model_name().empty();
  if (!isOfKServe && !request.repository_name().empty())
    return refuse(OutcomeCode::invalidArgument,
                  "repository '{}' is unknown: the server has one, which has "
                  "no name",
                  request.repository_name());
  model = isOfKServe ? request.repository_name() : request.model_name();
  return Outcome();
}

grpc::Status
InferenceService::load(CallbackServerContext &context,
                       const inference::RepositoryModelLoadRequest &request,
                       inference::RepositoryModelLoadResponse &response) {
  std::string model;
  if (Outcome wrong = readModel(request, model); !wrong.isOk())
    return statusOf(wrong);
  // Triton's "config" and "file:PATH" replace what the repository has; to pass
  // over them would serve another model than the client believes.
  for (const auto &[name, value] : request.parameters())
    if (name == "config" || name.starts_with("file:"))
      return statusOf(refuse(OutcomeCode::invalidArgument,
                             "parameter '{}' is not supported: models are "
                             "loaded from the server's folder",
                             name));
  if (Outcome outcome = server.load(model); !outcome.isOk())
    return statusOf(outcome);
  response.set_model_name(model);
  response.set_isloaded(true);
  return grpc::Status::OK;
}

grpc::Status
InferenceService::unload(CallbackServerContext &context,
                         const inference::RepositoryModelUnloadRequest &request,
                         inference::RepositoryModelUnloadResponse &response) {
  std::string model;
  if (Outcome wrong = readModel(request, model); !wrong.isOk())
    return statusOf(wrong);
  if (Outcome outcome = server.unload(model); !outcome.isOk())
    return statusOf(outcome);
  response.set_model_name(model);
  response.set_isunloaded(true);
  return grpc::Status::OK;
}

ServerUnaryReactor *
InferenceService::ServerLive(CallbackServerContext *context,
                             const inference::ServerLiveRequest *request,
                             inference::ServerLiveResponse *response) {
  response->set_live(server.isLive());
  return finish(context, Outcome());
}

ServerUnaryReactor *
InferenceService::ServerReady(CallbackServerContext *context,
                              const inference::ServerReadyRequest *request,
                              inference::ServerReadyResponse *response) {
  response->set_ready(server.isReady());
  return finish(context, Outcome());
}

ServerUnaryReactor *
InferenceService::ModelReady(CallbackServerContext *context,
                             const inference::ModelReadyRequest *request,
                             inference::ModelReadyResponse *response) {
  Outcome outcome = server.checkModelReady(request->name(), request->version());
  response->set_ready(outcome.isOk());
  // A model that is not ready is an answer, and no failure of the call.
  return finish(context, outcome.code() == OutcomeCode::unavailable ? Outcome()
                                                                    : outcome);
}

ServerUnaryReactor *InferenceService::ServerMetadata(
    CallbackServerContext *context,
    const inference::ServerMetadataRequest *request,
    inference::ServerMetadataResponse *response) {
  ServerInfo info = server.info();
  response->set_name(info.name);
  response->set_version(info.version);
  response->mutable_extensions()->Assign(info.extensions.begin(),
                                         info.extensions.end());
  return finish(context, Outcome());
}

ServerUnaryReactor *
InferenceService::ModelMetadata(CallbackServerContext *context,
                                const inference::ModelMetadataRequest *request,
                                inference::ModelMetadataResponse *response) {
  ModelInfo info;
  Outcome outcome = server.modelInfo(request->name(), request->version(), info);
  if (outcome.isOk())
    writeMetadata(info, *response);
  return finish(context, outcome);
}

ServerUnaryReactor *
InferenceService::ModelInfer(CallbackServerContext *context,
                             const inference::ModelInferRequest *request,
                             inference::ModelInferResponse *response) {
  return answerOnWorker(&InferenceService::infer, context, request, response);
}

ServerUnaryReactor *InferenceService::RepositoryIndex(
    CallbackServerContext *context,
    const inference::RepositoryIndexRequest *request,
    inference::RepositoryIndexResponse *response) {
  if (!request->repository_name().empty())
    return finish(context, refuse(OutcomeCode::invalidArgument,
                                  "repository '{}' is unknown: the server has "
                                  "one, which has no name",
                                  request->repository_name()));
  for (const IndexEntry &entry : server.index(request->ready())) {
    auto &model = *response->add_models();
    model.set_name(entry.name);
    model.set_version(entry.version);
    model.set_state(entry.state.data(), entry.state.size());
    model.set_reason(entry.reason);
  }
  return finish(context, Outcome());
}

ServerUnaryReactor *InferenceService::RepositoryModelLoad(
    CallbackServerContext *context,
    const inference::RepositoryModelLoadRequest *request,
    inference::RepositoryModelLoadResponse *response) {
  return answerOnWorker(&InferenceService::load, context, request, response);
}

ServerUnaryReactor *InferenceService::RepositoryModelUnload(
    CallbackServerContext *context,
    const inference::RepositoryModelUnloadRequest *request,
    inference::RepositoryModelUnloadResponse *response) {
  return answerOnWorker(&InferenceService::unload, context, request, response);
}
