//===- Routes.h - What is at which path -------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_ROUTES_H
#define NNHAL_LIB_SERVING_HTTP_ROUTES_H

#include "Body.h"
#include "Connection.h"
#include "Target.h"

#include "Serving/Core/Server.h"

#include <httplib.h>

#include <string>
#include <string_view>

namespace nnhal::serving {

/// The text of a body that says what is wrong.
std::string errorText(std::string_view message);

/// The message about headers beyond the limit.
std::string headTooLarge(const ConnectionLimits &limits);

/// Answers the requests of the protocol.
///
/// Threads: every member may be called from any thread that serves a connection
///          (CurrentConnection).
class Routes {
public:
  struct Options {
    ConnectionLimits limits;
    std::string clientHeader;
  };

  Routes(Server &server, Options options);

  /// Brings the path and the coding of the body into one form, and takes away
  /// headers that cpp-httplib would act on and this protocol has no use for:
  /// ranges, the compression of responses, and forms.
  static void normalize(httplib::Request &request);

  /// Answers a request without a body, and one whose body is not to be read.
  /// Returns whether \p request is such.
  bool answerHead(const httplib::Request &request,
                  httplib::Response &response) const;
  /// Answers a request with a body.
  void answerPost(const httplib::Request &request, httplib::Response &response,
                  const httplib::ContentReader &reader) const;
  /// Says what is wrong where cpp-httplib has found it.
  void explainError(const httplib::Request &request,
                    httplib::Response &response) const;
  /// Answers a request whose handling has thrown: there is no memory.
  void answerException(const httplib::Request &request,
                       httplib::Response &response) const;

  /// Whether the connection is to end with \p response: where the body has not
  /// been read to its end, and where the server does not serve the model, or
  /// nothing more, so that a client which keeps connections asks another one.
  static bool isLeft(const httplib::Response &response);

private:
  bool refuseBody(Target::Kind kind, const httplib::Request &request,
                  httplib::Response &response) const;
  void answerQuestion(const Target &target, httplib::Response &response) const;
  void answerModelReady(const Target &target,
                        httplib::Response &response) const;
  void answerModel(const Target &target, httplib::Response &response) const;
  void answerIndex(std::string_view body, httplib::Response &response) const;
  void answerLoading(const Target &target, std::string_view body,
                     httplib::Response &response) const;
  void answerInfer(const Target &target, const Body &body,
                   const httplib::Request &request,
                   httplib::Response &response) const;

  Server &server;
  const Options options;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_ROUTES_H
