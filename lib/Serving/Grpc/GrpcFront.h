//===- GrpcFront.h - The protocol over gRPC ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_GRPC_GRPCFRONT_H
#define NNHAL_LIB_SERVING_GRPC_GRPCFRONT_H

#include "Serving/Core/Server.h"

#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/Status.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace nnhal::serving {

struct GrpcOptions {
  /// The address to listen at, or `unix:PATH` for a local socket.
  std::string host = "127.0.0.1";
  /// 0 for any that is free. Not looked at for a local socket.
  uint16_t port = 0;
  /// Files in PEM; both or none. With them clients have to speak TLS.
  std::string certificate;
  std::string key;
  /// The metadata that name the client, which a trusted proxy sets; without it
  /// the client is its address.
  std::string clientHeader;
  /// A larger request is answered with RESOURCE_EXHAUSTED.
  uint64_t maxMessageBytes = uint64_t(64) << 20;
  /// Requests of inference, and loads, that are under way at a time, waiting in
  /// the queues of models included: each has a thread. One more is answered
  /// with RESOURCE_EXHAUSTED.
  unsigned threads = 128;
  /// How long a client may keep a connection without calls.
  std::chrono::seconds idle = std::chrono::minutes(5);
};

/// Serves the models of a server by the Open Inference Protocol over gRPC
/// (open_inference_grpc.proto), with gRPC's services for checks of health,
/// which follow Server::isReady() within half a second, and for reflection.
///
/// A call's deadline is that of its execution. A call that its client has
/// cancelled before a thread takes it is not executed. The metadata
/// `traceparent` of a call is continued, and the answer has it with the ids of
/// the server's span: before the message, and among the trailing metadata of a
/// failure, which clients then may try again.
///
/// Lines of gRPC and protobuf for standard error go nowhere, in the whole
/// process, once a front has been made.
///
/// Ownership: the server outlives the front.
/// Threads:   every member may be called from any thread, stop() once.
/// Blocking:  stop() and the destructor.
class GrpcFront {
public:
  /// Listens, and answers from then on for \p server. Fails with
  /// invalidArgument when \p options are wrong, naming the option, the found
  /// value and the bound, or the file; with generalFailure when the address
  /// cannot be listened at; and with resourceExhaustedTransient when the system
  /// gives no thread.
  static rt::Result<std::unique_ptr<GrpcFront>>
  create(const GrpcOptions &options, Server &server);
  /// Stops at once.
  ~GrpcFront();
  GrpcFront(const GrpcFront &) = delete;
  GrpcFront &operator=(const GrpcFront &) = delete;

  /// The port that clients connect to; 0 for a local socket.
  uint16_t port() const;
  /// The address for clients: "127.0.0.1:8001", "[::1]:8001", "unix:PATH".
  const std::string &target() const;

  /// Refuses inference and loading from now on, with UNAVAILABLE, reports that
  /// to those who check the health, waits until what is under way has been
  /// answered, and closes all connections. At \p deadline it cancels calls that
  /// are still under way; returns when their executions have ended.
  void stop(rt::Deadline deadline);

private:
  class Implementation;
  explicit GrpcFront(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_GRPC_GRPCFRONT_H
