//===- HttpFront.h - The protocol over HTTP ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_HTTPFRONT_H
#define NNHAL_LIB_SERVING_HTTP_HTTPFRONT_H

#include "Connection.h"

#include "Serving/Core/Server.h"

#include <memory>
#include <string>

namespace nnhal::serving {

struct HttpOptions {
  /// The address to listen at.
  std::string host = "127.0.0.1";
  /// 0 for any that is free.
  int port = 8000;
  /// Connections at a time, each of which has a thread.
  size_t connections = 256;
  ConnectionLimits limits;
  /// Files in PEM; both or none.
  std::string certificate;
  std::string key;
  /// The header that names the client, which a trusted proxy sets; without it
  /// the client is its address.
  std::string clientHeader;
};

/// The Open Inference Protocol over HTTP, with the extensions of binary tensor
/// data and of the model repository, and metrics.
///
/// Threads:  every member may be called from any thread.
/// Blocking: the destructor, until the requests that have begun to arrive have
///           been answered.
class HttpFront {
public:
  /// Listens, and answers from then on for \p server, which lives longer. Fails
  /// with invalidArgument for a certificate or a key that cannot be used, and
  /// with generalFailure, saying why, when the address cannot be listened at.
  static rt::Result<std::unique_ptr<HttpFront>> create(HttpOptions options,
                                                       Server &server);
  ~HttpFront();
  HttpFront(const HttpFront &) = delete;
  HttpFront &operator=(const HttpFront &) = delete;

  /// The port that it listens at.
  int port() const;

private:
  class Implementation;
  explicit HttpFront(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_HTTPFRONT_H
