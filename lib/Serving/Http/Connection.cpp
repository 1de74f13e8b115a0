//===- Connection.cpp - A connection of a client --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Connection.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

using namespace nnhal;
using namespace nnhal::serving;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// The bytes that are received at once; a large body goes past the buffer.
static constexpr size_t bufferSize = size_t(32) << 10;
/// Responses up to this size are sent together with their headers.
static constexpr size_t keptSize = size_t(16) << 10;
/// How a client that still sends gets an answer.
static constexpr milliseconds lingerTime(500);
static constexpr size_t lingerBytes = size_t(4) << 20;

/// The address of \p place in words.
static void describe(const sockaddr_storage &place, std::string &address,
                     int &port) {
  char text[INET6_ADDRSTRLEN] = "";
  if (place.ss_family == AF_INET) {
    const auto &four = reinterpret_cast<const sockaddr_in &>(place);
    ::inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
    port = ntohs(four.sin_port);
  } else if (place.ss_family == AF_INET6) {
    const auto &six = reinterpret_cast<const sockaddr_in6 &>(place);
    // A client has one address, whether a socket of IPv4 or of both versions
    // has accepted it.
    constexpr size_t mappedPrefix = 12;
    if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr))
      ::inet_ntop(AF_INET, six.sin6_addr.s6_addr + mappedPrefix, text,
                  sizeof text);
    else
      ::inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
    port = ntohs(six.sin6_port);
  }
  address = text;
}

Connection::Connection(rt::UniqueFd socket, SSL_CTX *tls,
                       const ConnectionLimits &limits)
    : descriptor(std::move(socket)), limits(limits), isPlain(!tls),
      received(bufferSize) {
  int on = 1;
  ::setsockopt(descriptor.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // TLS reads and writes by itself: it must not wait inside.
  int flags = ::fcntl(descriptor.get(), F_GETFL);
  ::fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK);
  sockaddr_storage place = {};
  socklen_t size = sizeof place;
  if (::getpeername(descriptor.get(), reinterpret_cast<sockaddr *>(&place),
                    &size) == 0)
    describe(place, remoteAddress, remotePort);
  size = sizeof place;
  if (::getsockname(descriptor.get(), reinterpret_cast<sockaddr *>(&place),
                    &size) == 0)
    describe(place, localAddress, localPort);
  if (tls) {
    session.reset(SSL_new(tls));
    if (session)
      SSL_set_fd(session.get(), descriptor.get());
  }
  restartClock();
}

Connection::~Connection() {
  if (session)
    SSL_shutdown(session.get());
}

void Connection::stop() {
  isStopped = true;
  if (isIdle)
    ::shutdown(descriptor.get(), SHUT_RD);
}

bool Connection::isAbandoned() const {
  pollfd watched = {descriptor.get(), POLLRDHUP, 0};
  return ::poll(&watched, 1, 0) > 0;
}

void Connection::restartClock() {
  deadline = steady_clock::now() + limits.transfer;
}

/// Waits for \p events until the deadline. Returns whether there are any.
bool Connection::await(short events) {
  while (true) {
    auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0)
      return false;
    pollfd watched = {descriptor.get(), events, 0};
    int count = ::poll(&watched, 1, int(left.count()));
    if (count > 0)
      return true;
    if (count == 0 || errno != EINTR)
      return false;
  }
}

/// Looks at what a function of TLS has returned. Returns whether to call it
/// again, having waited for what it needs; otherwise sets \p count.
bool Connection::takeTlsResult(int result, ssize_t &count) {
  count = result;
  if (result > 0)
    return false;
  switch (SSL_get_error(session.get(), result)) {
  case SSL_ERROR_WANT_READ:
    if (await(POLLIN))
      return true;
    break;
  case SSL_ERROR_WANT_WRITE:
    if (await(POLLOUT))
      return true;
    break;
  case SSL_ERROR_ZERO_RETURN:
    count = 0;
    return false;
  default:
    break;
  }
  // Nothing more may be sent, the end of the session included.
  session.reset();
  count = -1;
  return false;
}

bool Connection::open() {
  if (isPlain)
    return true;
  if (!session)
    return false;
  ssize_t count = 0;
  while (takeTlsResult(SSL_accept(session.get()), count))
    ;
  return count > 0;
}

bool Connection::awaitRequest() {
  if (begin < end || (session && SSL_pending(session.get()) > 0))
    return true;
  deadline = steady_clock::now() + limits.idle;
  isIdle = true;
  bool hasCome = !isStopped && await(POLLIN);
  isIdle = false;
  return hasCome;
}

void Connection::beginHead() {
  restartClock();
  allowance = limits.headBytes;
  isHead = true;
  isOverLimit = false;
  bodySize = 0;
  // Where a request ends that cannot be understood is not known.
  bodyLeft = UINT64_MAX;
}

void Connection::beginBody(const httplib::Request &request) {
  isHead = false;
  bodyLeft = 0;
  // Chunks have lines of their own, which count, too.
  allowance = limits.bodyBytes + limits.headBytes;
  if (request.has_header("Transfer-Encoding")) {
    bodyLeft = UINT64_MAX;
    return;
  }
  std::string length = request.get_header_value("Content-Length");
  if (length.empty())
    return;
  auto [last, error] =
      std::from_chars(length.data(), length.data() + length.size(), bodySize);
  if (error != std::errc() || last != length.data() + length.size())
    bodySize = UINT64_MAX;
  bodyLeft = bodySize;
}

/// Receives at least one byte; 0 for the end, less for a failure.
ssize_t Connection::receive(char *target, size_t size) {
  if (!kept.empty() && !flush())
    return -1;
  ssize_t count = -1;
  if (!isPlain) {
    int most = int(std::min<size_t>(size, INT32_MAX));
    while (session &&
           takeTlsResult(SSL_read(session.get(), target, most), count))
      ;
    return count;
  }
  while (true) {
    count = ::recv(descriptor.get(), target, size, MSG_DONTWAIT);
    if (count >= 0)
      return count;
    if (errno == EINTR)
      continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
      return -1;
    // Clients that send headers and body apart may keep the body until the
    // headers are acknowledged, which the system would do 40 ms later.
    int on = 1;
    ::setsockopt(descriptor.get(), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
    if (!await(POLLIN))
      return -1;
  }
}

ssize_t Connection::read(char *target, size_t size) {
  if (allowance == 0) {
    isOverLimit = true;
    return -1;
  }
  size = size_t(std::min<uint64_t>(size, allowance));
  ssize_t count = 0;
  if (begin == end && size >= bufferSize) {
    count = receive(target, size);
  } else {
    if (begin == end) {
      begin = end = 0;
      ssize_t filled = receive(received.data(), received.size());
      if (filled <= 0)
        return filled;
      end = size_t(filled);
    }
    count = ssize_t(std::min(size, end - begin));
    std::copy_n(received.data() + begin, count, target);
    begin += size_t(count);
  }
  if (count > 0) {
    allowance -= uint64_t(count);
    if (!isHead && bodyLeft != UINT64_MAX)
      bodyLeft -= std::min(bodyLeft, uint64_t(count));
  }
  return count;
}

bool Connection::readBody(std::span<std::byte> target) {
  while (!target.empty()) {
    ssize_t count =
        read(reinterpret_cast<char *>(target.data()), target.size());
    if (count <= 0)
      return false;
    target = target.subspan(size_t(count));
  }
  return true;
}

/// Sends at least one byte; less than one for a failure.
ssize_t Connection::sendSome(const char *bytes, size_t size) {
  ssize_t count = -1;
  if (!isPlain) {
    int most = int(std::min<size_t>(size, INT32_MAX));
    while (session &&
           takeTlsResult(SSL_write(session.get(), bytes, most), count))
      ;
    return count;
  }
  while (true) {
    count = ::send(descriptor.get(), bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0)
      return count;
    if (errno == EINTR)
      continue;
    if ((errno != EAGAIN && errno != EWOULDBLOCK) || !await(POLLOUT))
      return -1;
  }
}

bool Connection::sendAll(const char *bytes, size_t size) {
  restartClock();
  while (size > 0) {
    ssize_t count = sendSome(bytes, size);
    if (count <= 0)
      return false;
    bytes += count;
    size -= size_t(count);
  }
  return true;
}

bool Connection::flush() {
  bool isTaken = sendAll(kept.data(), kept.size());
  kept.clear();
  return isTaken;
}

ssize_t Connection::write(const char *bytes, size_t size) {
  if (kept.size() + size <= keptSize) {
    kept.append(bytes, size);
    return ssize_t(size);
  }
  return flush() && sendAll(bytes, size) ? ssize_t(size) : -1;
}

void Connection::linger() {
  ::shutdown(descriptor.get(), SHUT_WR);
  deadline = steady_clock::now() + lingerTime;
  for (size_t taken = 0; taken < lingerBytes && await(POLLIN);) {
    ssize_t count = ::recv(descriptor.get(), received.data(), received.size(),
                           MSG_DONTWAIT);
    if (count <= 0)
      return;
    taken += size_t(count);
  }
}

bool Connection::is_readable() const { return true; }
bool Connection::is_writable() const { return true; }

void Connection::get_remote_ip_and_port(std::string &ip, int &port) const {
  ip = remoteAddress;
  port = remotePort;
}

void Connection::get_local_ip_and_port(std::string &ip, int &port) const {
  ip = localAddress;
  port = localPort;
}

static thread_local Connection *current = nullptr;

CurrentConnection::CurrentConnection(Connection &connection) {
  current = &connection;
}

CurrentConnection::~CurrentConnection() { current = nullptr; }

Connection &CurrentConnection::get() { return *current; }
