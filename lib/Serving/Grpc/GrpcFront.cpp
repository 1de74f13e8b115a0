//===- GrpcFront.cpp - The protocol over gRPC -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GrpcFront.h"

#include "Complaints.h"
#include "Credentials.h"
#include "InferenceService.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Thread.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

using namespace nnhal;
using namespace nnhal::serving;

class GrpcFront::Implementation {
public:
  explicit Implementation(Server &server) : models(server) {}
  ~Implementation();

  rt::Status start(const GrpcOptions &options);
  void stop(rt::Deadline deadline);

  uint16_t port = 0;
  std::string target;

private:
  void publishHealth(bool isServing);
  void followReadiness();
  void stopFollowing();

  Server &models;
  /// In the order in which they refer to each other.
  std::unique_ptr<Workers> workers;
  std::unique_ptr<InferenceService> service;
  std::unique_ptr<grpc::Server> listener;

  std::mutex mutex;
  std::condition_variable changed;
  bool isEnding = false;
  std::thread follower;
};

static rt::Status checkOptions(const GrpcOptions &options) {
  constexpr unsigned maxThreads = 4096;
  // gRPC counts in int.
  constexpr uint64_t maxMessage = std::numeric_limits<int>::max();
  if (options.threads < 1 || options.threads > maxThreads)
    return rt::badData("threads for gRPC: {} is not from 1 to {}",
                       options.threads, maxThreads);
  if (options.maxMessageBytes < 1 || options.maxMessageBytes > maxMessage)
    return rt::badData("largest message of gRPC: {} is not from 1 to {} bytes",
                       options.maxMessageBytes, maxMessage);
  if (options.certificate.empty() != options.key.empty())
    return rt::badData("{} needs {} beside it",
                       options.key.empty() ? "the certificate" : "the key",
                       options.key.empty() ? "a key" : "a certificate");
  return rt::Status::ok();
}

static bool isLocalSocket(const std::string &host) {
  return host.starts_with("unix:");
}

/// The address at which gRPC listens, and to which clients connect.
static std::string targetOf(const std::string &host, uint16_t port) {
  if (isLocalSocket(host))
    return host;
  // An address of IPv6 has colons itself.
  if (host.find(':') != std::string::npos)
    return fmt::format("[{}]:{}", host, port);
  return fmt::format("{}:{}", host, port);
}

/// The bytes that gRPC keeps of all connections and messages together.
static size_t mostBytesOf(const GrpcOptions &options) {
  // Connections and short messages take this, however few threads there are.
  constexpr uint64_t base = uint64_t(64) << 20;
  return base + options.threads * options.maxMessageBytes;
}

static void setLimits(grpc::ServerBuilder &builder,
                      const GrpcOptions &options) {
  builder.SetMaxReceiveMessageSize(int(options.maxMessageBytes));
  // A few calls beside those that need a worker: checks of health and the like.
  constexpr int spareStreams = 16;
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                             int(options.threads) + spareStreams);
  // Otherwise two servers may listen on one port, and share its connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);

  // A client that has gone without closing its connection is noticed within 80
  // seconds; one may itself ask every ten, and between calls, too, whether the
  // server is there.
  constexpr int second = 1000;
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60 * second);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20 * second);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10 * second);

  // A connection without calls ends, which clients make again when they need
  // it: connections have no bound of their own.
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS,
                             int(options.idle.count()) * second);

  // gRPC holds the compressed size of a request against the limit and inflates
  // it whatever it becomes; and tensors hardly compress.
  for (grpc_compression_algorithm algorithm :
       {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP})
    builder.SetCompressionAlgorithmSupportStatus(algorithm, false);

  // A stream takes memory as its message arrives, and a connection may have
  // many: beyond the bound gRPC ends idle connections, then calls, and accepts
  // no connection.
  grpc::ResourceQuota quota("nnhal-serve");
  quota.Resize(mostBytesOf(options));

  // Only the service of reflection uses gRPC's own pool of threads, one for
  // each of its streams, which clients may hold open.
  constexpr int reflectionThreads = 8;
  quota.SetMaxThreads(reflectionThreads);
  builder.SetResourceQuota(quota);
}

rt::Status GrpcFront::Implementation::start(const GrpcOptions &options) {
  NNHAL_RETURN_IF_ERROR(checkOptions(options));
  std::shared_ptr<grpc::ServerCredentials> credentials =
      grpc::InsecureServerCredentials();
  if (!options.certificate.empty()) {
    NNHAL_ASSIGN_OR_RETURN(credentials,
                           readCredentials(options.certificate, options.key));
  }
  workers = std::make_unique<Workers>("grpc-worker", options.threads);
  service = std::make_unique<InferenceService>(models, *workers,
                                               options.clientHeader);

  silenceComplaints();
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  setLimits(builder, options);
  builder.RegisterService(service.get());
  std::string wanted = targetOf(options.host, options.port);
  int chosen = 0;
  builder.AddListeningPort(wanted, credentials, &chosen);
  KeptComplaints complaints;
  listener = builder.BuildAndStart();
  if (!listener) {
    std::string reason = complaints.systemFailure();
    return rt::failure("cannot listen at '{}' for gRPC: {}", wanted,
                       reason.empty() ? "there is no such address" : reason);
  }
  port = isLocalSocket(options.host) ? 0 : uint16_t(chosen);
  target = targetOf(options.host, port);
  publishHealth(models.isReady());
  return rt::startThread(follower, "grpc-health",
                         [this] { followReadiness(); });
}

void GrpcFront::Implementation::publishHealth(bool isServing) {
  grpc::HealthCheckServiceInterface &health =
      *listener->GetHealthCheckService();
  // The empty name, that of the whole server, is there from the beginning.
  health.SetServingStatus(inference::GRPCInferenceService::service_full_name(),
                          isServing);
  health.SetServingStatus(isServing);
}

void GrpcFront::Implementation::followReadiness() {
  constexpr auto interval = std::chrono::milliseconds(250);
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, interval, [this] { return isEnding; }))
    publishHealth(models.isReady());
}

void GrpcFront::Implementation::stopFollowing() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  if (follower.joinable())
    follower.join();
}

void GrpcFront::Implementation::stop(rt::Deadline deadline) {
  stopFollowing();
  if (!listener)
    return;
  publishHealth(false);
  service->beginDrain();
  workers->awaitIdle(deadline);
  // gRPC would wait for streams, too, of those who watch the health for
  // example, which end with their clients. What remains is to send the last
  // answers.
  constexpr std::chrono::nanoseconds longest = std::chrono::milliseconds(500);
  rt::Deadline now = rt::steadyNow();
  std::chrono::nanoseconds left(deadline > now ? deadline - now : 0);
  listener->Shutdown(std::chrono::system_clock::now() +
                     std::min(left, longest));
  listener.reset();
}

GrpcFront::Implementation::~Implementation() { stop(rt::steadyNow()); }

GrpcFront::GrpcFront(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}

GrpcFront::~GrpcFront() = default;

rt::Result<std::unique_ptr<GrpcFront>>
GrpcFront::create(const GrpcOptions &options, Server &server) {
  auto implementation = std::make_unique<Implementation>(server);
  NNHAL_RETURN_IF_ERROR(implementation->start(options));
  return std::unique_ptr<GrpcFront>(new GrpcFront(std::move(implementation)));
}

uint16_t GrpcFront::port() const { return implementation->port; }

const std::string &GrpcFront::target() const { return implementation->target; }

void GrpcFront::stop(rt::Deadline deadline) { implementation->stop(deadline); }
