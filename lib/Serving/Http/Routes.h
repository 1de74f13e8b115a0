//===- Routes.h - What is at which path -------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_ROUTES_H
#define NNHAL_LIB_SERVING_HTTP_ROUTES_H

#include "Connection.h"

#include "Serving/Core/Server.h"

#include <httplib.h>

#include <string>
#include <string_view>
#include <vector>

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

  /// Takes away headers that cpp-httplib would act on and this protocol has no
  /// use for: ranges, the compression of responses, and forms.
  static void removeUnsupported(httplib::Request &request);

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

private:
  using Path = std::vector<std::string_view>;

  void answerGet(const Path &path, httplib::Response &response) const;
  void answerModel(const Path &path, httplib::Response &response) const;
  void answerRepository(const Path &path, std::string_view body,
                        httplib::Response &response) const;
  void answerInfer(const Path &path, const httplib::Request &request,
                   httplib::Response &response,
                   const httplib::ContentReader &reader) const;

  Server &server;
  const Options options;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_ROUTES_H
