//===- Connection.h - A connection of a client ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_CONNECTION_H
#define NNHAL_LIB_SERVING_HTTP_CONNECTION_H

#include "Serving/Core/Tls.h"

#include "nnhal/Runtime/SharedMemory.h"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nnhal::serving {

/// Bounds of a connection in bytes and time.
struct ConnectionLimits {
  /// Bytes of the request line and the headers together.
  size_t headBytes = size_t(64) << 10;
  /// Bytes of a body, and of what it becomes when it is unpacked.
  uint64_t bodyBytes = uint64_t(64) << 20;
  /// How long a request may take to arrive, and a response to be taken.
  std::chrono::seconds transfer = std::chrono::seconds(30);
  /// How long a client may leave its connection idle.
  std::chrono::seconds idle = std::chrono::seconds(60);
};

/// A connection of a client, plain or with TLS, as cpp-httplib reads requests
/// from it and writes responses to it.
///
/// cpp-httplib's own stream bounds neither the length of a line nor the number
/// of headers, waits anew for each byte, and cannot watch descriptors from 1024
/// on.
///
/// Threads: one at a time, but for stop() and isAbandoned().
class Connection final : public httplib::Stream {
public:
  /// \p tls is null for a plain connection. \p limits live longer.
  Connection(rt::UniqueFd socket, SSL_CTX *tls, const ConnectionLimits &limits);
  ~Connection() override;

  /// Ends waiting for the next request, now and later. One that has begun to
  /// arrive goes on.
  void stop();

  /// Whether the client has closed the connection or its half of it. The two
  /// look the same from here, and count as the end of its interest.
  bool isAbandoned() const;

  /// Agrees on keys where there is TLS. Returns whether that has succeeded.
  bool open();
  /// Waits for a request. Returns whether there is one.
  bool awaitRequest();
  /// Lets the headers of a request arrive.
  void beginHead();
  /// Lets the body of \p request, whose headers have arrived, arrive.
  void beginBody(const httplib::Request &request);
  /// Lets the response be taken, and sends what write() has kept. Returns
  /// whether it was taken.
  bool flush();
  /// Takes what the client still sends, for a short time, so that it gets a
  /// response to a request that was not read to its end.
  void linger();

  /// The headers were too many.
  bool isHeadTooLarge() const { return isOverLimit && isHead; }
  /// Whether the body has been read to its end, or there is none.
  bool isBodyRead() const { return bodyLeft == 0; }
  /// States that the body was read, whose length only its reader knows.
  void endBody() { bodyLeft = 0; }
  /// Lets the connection end with the response that is being made.
  void leave() { isLastRequest = true; }
  bool isLeft() const { return isLastRequest || !isBodyRead(); }
  /// The length of the body that the headers state.
  uint64_t bodyLength() const { return bodySize; }
  /// Reads the body to \p target, whose size is bodyLength().
  bool readBody(std::span<std::byte> target);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char *target, size_t size) override;
  ssize_t write(const char *bytes, size_t size) override;
  void get_remote_ip_and_port(std::string &ip, int &port) const override;
  void get_local_ip_and_port(std::string &ip, int &port) const override;
  socket_t socket() const override { return descriptor.get(); }

private:
  ssize_t receive(char *target, size_t size);
  ssize_t sendSome(const char *bytes, size_t size);
  bool sendAll(const char *bytes, size_t size);
  bool await(short events);
  bool takeTlsResult(int result, ssize_t &count);
  void restartClock();

  const rt::UniqueFd descriptor;
  const ConnectionLimits &limits;
  const bool isPlain;
  TlsSession session;
  /// Whether the connection waits for a request, and whether it may.
  std::atomic<bool> isIdle = false;
  std::atomic<bool> isStopped = false;
  std::chrono::steady_clock::time_point deadline;
  /// Bytes that were received and not yet read.
  std::vector<char> received;
  size_t begin = 0;
  size_t end = 0;
  /// Bytes that write() keeps, so that headers and a small body are sent at
  /// once.
  std::string kept;
  /// Bytes that the head or the body may still take.
  uint64_t allowance = 0;
  bool isHead = true;
  bool isOverLimit = false;
  bool isLastRequest = false;
  uint64_t bodySize = 0;
  uint64_t bodyLeft = 0;
  std::string remoteAddress;
  int remotePort = 0;
  std::string localAddress;
  int localPort = 0;
};

/// The connection that this thread serves, for as long as the object lives:
/// cpp-httplib does not tell its handlers.
class CurrentConnection {
public:
  explicit CurrentConnection(Connection &connection);
  CurrentConnection(const CurrentConnection &) = delete;
  CurrentConnection &operator=(const CurrentConnection &) = delete;
  ~CurrentConnection();

  static Connection &get();
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_CONNECTION_H
