//===- HttpFront.cpp - The protocol over HTTP -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HttpFront.h"

#include "Routes.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Thread.h"
#include "Serving/Core/Workers.h"

#include <cerrno>
#include <exception>
#include <memory>
#include <set>
#include <sys/socket.h>
#include <system_error>

using namespace nnhal;
using namespace nnhal::serving;
using rt::Status;

/// Connections that the system keeps until they are accepted. cpp-httplib asks
/// for 5, of which a burst of clients would lose some.
static constexpr int backlog = 1024;
/// Requests after which a connection ends, for the balance among servers.
static constexpr size_t mostRequests = 1'000'000;

/// A server of cpp-httplib whose connections are ours.
class HttpFront::Implementation final : private httplib::Server {
public:
  Implementation(HttpOptions given, serving::Server &server, TlsContext context)
      : options(std::move(given)), tls(std::move(context)),
        routes(server, {options.limits, options.clientHeader}),
        threads("nnhal-http", options.connections) {}

  ~Implementation() override {
    isEnding = true;
    if (accepting.joinable()) {
      stop();
      accepting.join();
    }
    std::lock_guard lock(mutex);
    for (Connection *connection : connections)
      connection->stop();
  }

  Status start();
  int port() const { return boundPort; }

private:
  /// A queue that does at once what it is given: connections are handed on to
  /// threads of our own, which can refuse.
  class Inline final : public httplib::TaskQueue {
  public:
    void enqueue(std::function<void()> work) override { work(); }
    void shutdown() override {}
  };

  bool process_and_close_socket(socket_t socket) override;
  void serve(rt::UniqueFd socket);
  void serve(Connection &connection);
  void serveRequests(Connection &connection);
  void refuse(const rt::UniqueFd &socket) const;

  const HttpOptions options;
  const TlsContext tls;
  Routes routes;
  int boundPort = 0;
  std::atomic<bool> isEnding = false;
  std::mutex mutex;
  std::set<Connection *> connections;
  std::thread accepting;
  /// The last member: its threads use the others.
  Workers threads;
};

Status HttpFront::Implementation::start() {
  new_task_queue = [] { return new Inline(); };
  // cpp-httplib would let other servers listen at the same port.
  set_socket_options([](socket_t socket) {
    int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  });
  set_keep_alive_timeout(options.limits.idle.count());
  set_keep_alive_max_count(mostRequests);
  set_pre_routing_handler([this](const auto &request, auto &response) {
    return routes.answerHead(request, response) ? HandlerResponse::Handled
                                                : HandlerResponse::Unhandled;
  });
  Post(".*",
       [this](const httplib::Request &request, httplib::Response &response,
              const httplib::ContentReader &reader) {
         routes.answerPost(request, response, reader);
       });
  set_error_handler(
      [this](const httplib::Request &request, httplib::Response &response) {
        routes.explainError(request, response);
      });
  set_exception_handler(
      [this](const auto &request, auto &response, const auto &) {
        routes.answerException(request, response);
      });
  set_post_routing_handler(
      [this](const httplib::Request &, httplib::Response &response) {
        if (!isEnding && !Routes::isLeft(response))
          return;
        response.headers.erase("Keep-Alive");
        response.headers.erase("Connection");
        response.set_header("Connection", "close");
        CurrentConnection::get().leave();
      });
  errno = 0;
  boundPort = options.port;
  if (options.port == 0)
    boundPort = bind_to_any_port(options.host);
  else if (!bind_to_port(options.host, options.port))
    boundPort = -1;
  if (boundPort < 0 || ::listen(svr_sock_, backlog) != 0)
    return rt::failure("cannot listen at {}:{}: {}", options.host, options.port,
                       errno == 0 ? "no such address"
                                  : std::generic_category().message(errno));
  NNHAL_RETURN_IF_ERROR(rt::startThread(accepting, "nnhal-accept",
                                        [this] { listen_after_bind(); }));
  // stop() does nothing before.
  while (!is_running())
    std::this_thread::yield();
  return Status::ok();
}

/// Does \p work, unless there is no memory for it: the client that it is for
/// has to come again. Returns whether it was done.
template <typename Work> static bool tryWork(const Work &work) {
  try {
    work();
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

/// Is called on the thread that accepts, which must go on.
bool HttpFront::Implementation::process_and_close_socket(socket_t socket) {
  rt::UniqueFd accepted(socket);
  return tryWork([&] {
    auto connection = std::make_shared<rt::UniqueFd>(std::move(accepted));
    auto work = [this, connection] {
      tryWork([&] { serve(std::move(*connection)); });
    };
    if (!threads.tryRun(work))
      refuse(*connection);
  });
}

/// A response that cpp-httplib does not write.
static std::string errorResponse(std::string_view status,
                                 std::string_view message) {
  std::string body = errorText(message);
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
      "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
      status, body.size(), body);
}

/// Tells a client that there are too many, if that takes no waiting.
void HttpFront::Implementation::refuse(const rt::UniqueFd &socket) const {
  if (tls)
    return;
  std::string text = errorResponse(
      "503 Service Unavailable",
      fmt::format("all {} connections are in use", options.connections));
  (void)!::send(socket.get(), text.data(), text.size(),
                MSG_DONTWAIT | MSG_NOSIGNAL);
  ::shutdown(socket.get(), SHUT_WR);
}

void HttpFront::Implementation::serve(rt::UniqueFd socket) {
  Connection connection(std::move(socket), tls.get(), options.limits);
  serve(connection);
}

void HttpFront::Implementation::serve(Connection &connection) {
  {
    std::lock_guard lock(mutex);
    connections.insert(&connection);
  }
  try {
    if (connection.open())
      serveRequests(connection);
  } catch (const std::exception &) {
    // There is no memory outside of what a route does: the client has to come
    // again.
    connection.linger();
  }
  std::lock_guard lock(mutex);
  connections.erase(&connection);
}

void HttpFront::Implementation::serveRequests(Connection &connection) {
  CurrentConnection current(connection);
  for (size_t count = 1; !isEnding && connection.awaitRequest(); ++count) {
    connection.beginHead();
    bool isLast = isEnding || count == mostRequests;
    bool isClosed = false;
    bool isAnswered = process_request(connection, isLast, isClosed,
                                      [&](httplib::Request &request) {
                                        connection.beginBody(request);
                                        Routes::normalize(request);
                                      });
    if (!isAnswered && connection.isHeadTooLarge())
      isAnswered = connection.httplib::Stream::write(
                       errorResponse("431 Request Header Fields Too Large",
                                     headTooLarge(options.limits))) > 0;
    isAnswered &= connection.flush();
    if (isAnswered && !connection.isBodyRead())
      connection.linger();
    if (!isAnswered || connection.isLeft() || isClosed || isLast)
      return;
  }
}

HttpFront::HttpFront(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}

HttpFront::~HttpFront() = default;

int HttpFront::port() const { return implementation->port(); }

rt::Result<std::unique_ptr<HttpFront>> HttpFront::create(HttpOptions options,
                                                         Server &server) {
  TlsContext context;
  if (!options.certificate.empty()) {
    NNHAL_ASSIGN_OR_RETURN(context,
                           makeTlsContext(options.certificate, options.key));
  }
  auto implementation = std::make_unique<Implementation>(
      std::move(options), server, std::move(context));
  NNHAL_RETURN_IF_ERROR(implementation->start());
  return std::unique_ptr<HttpFront>(new HttpFront(std::move(implementation)));
}
