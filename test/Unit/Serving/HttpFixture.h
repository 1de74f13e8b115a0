//===- HttpFixture.h - A server that tests ask over HTTP --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVING_HTTPFIXTURE_H
#define NNHAL_TEST_UNIT_SERVING_HTTPFIXTURE_H

#include "TestFolder.h"

#include "Serving/Core/Server.h"
#include "Serving/Http/HttpFront.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace nnhal::serving {

/// A server of the model "net", which adds 10, on a port of this machine.
class HttpFixture : public testing::Test {
protected:
  void start(HttpOptions http = {}, ServerOptions options = {}) {
    folder.write("net/1/model.json", addModel(10));
    options.models = folder.path;
    options.engine.devices = {"nnhal-reference"};
    options.pollInterval = std::chrono::milliseconds(0);
    server = *Server::create(std::move(options));
    http.port = 0;
    auto made = HttpFront::create(std::move(http), *server);
    ASSERT_TRUE(made.isOk()) << made.status().message();
    front = *std::move(made);
    ASSERT_TRUE(server->start().isOk());
  }

  /// Sends \p text over a connection of its own and returns all that comes.
  std::string sendRaw(const std::string &text, bool isEnd = true) const {
    int socket = connectRaw();
    // The server may have had enough before all of it was sent.
    (void)!::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (isEnd)
      ::shutdown(socket, SHUT_WR);
    std::string answer = receiveAll(socket);
    ::close(socket);
    return answer;
  }
  int connectRaw() const {
    int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_port = htons(uint16_t(front->port()));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(
        ::connect(socket, reinterpret_cast<sockaddr *>(&place), sizeof place),
        0);
    timeval limit = {20, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return socket;
  }
  static std::string receiveAll(int socket) {
    std::string answer;
    char buffer[4096];
    ssize_t count = 0;
    while ((count = ::recv(socket, buffer, sizeof buffer, 0)) > 0)
      answer.append(buffer, size_t(count));
    return answer;
  }

  TestFolder folder;
  std::unique_ptr<Server> server;
  std::unique_ptr<HttpFront> front;
};

} // namespace nnhal::serving

#endif // NNHAL_TEST_UNIT_SERVING_HTTPFIXTURE_H
