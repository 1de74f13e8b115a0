//===- nnhal-serve.cpp - Models for clients of a network ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Thread.h"
#include "Serving/Core/Server.h"
#include "Serving/Grpc/GrpcFront.h"
#include "Serving/Http/HttpFront.h"
#include "Tools/Process/Process.h"
#include "Tools/Report/Diagnostics.h"
#include "nnhal/Runtime/Version.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::servetool;
using rt::Status;

static constexpr int64_t nanosecondsPerSecond = 1'000'000'000;

/// One write per line: threads share the stream.
static void writeLogLine(std::string_view line) {
  std::string text = std::string(line) + "\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

/// Loads of models are always logged; NNHAL_VLOG adds more.
static std::shared_ptr<const rt::Log> makeLog() {
  const char *tags = std::getenv("NNHAL_VLOG");
  uint32_t mask = rt::parseLogMask(tags ? tags : "", writeLogLine) |
                  rt::maskOf(rt::LogTag::manager);
  return std::make_shared<rt::Log>(mask, writeLogLine);
}

static serving::ServerOptions serverOptionsOf(const Options &options) {
  serving::ServerOptions result;
  result.models = options.models;
  result.engine = options.engine;
  result.executions = unsigned(options.executions);
  result.quota = {options.requestsPerSecond, options.concurrentRequests};
  result.pollInterval = std::chrono::milliseconds(options.pollMilliseconds);
  result.log = makeLog();
  if (!options.trace.empty())
    result.tracer = std::make_shared<rt::Tracer>();
  return result;
}

static serving::HttpOptions httpOptionsOf(const Options &options) {
  serving::HttpOptions result;
  result.host = options.http.host;
  result.port = options.http.port;
  result.connections = options.connections;
  result.limits.bodyBytes = options.maxRequestBytes;
  result.limits.transfer = std::chrono::seconds(options.transferSeconds);
  result.limits.idle = std::chrono::seconds(options.idleSeconds);
  result.certificate = options.certificate;
  result.key = options.key;
  result.clientHeader = options.clientHeader;
  return result;
}

/// Listens for gRPC if \p options want it; otherwise null.
static rt::Result<std::unique_ptr<serving::GrpcFront>>
listenForGrpc(const Options &options, serving::Server &server) {
  if (!options.grpc)
    return std::unique_ptr<serving::GrpcFront>();
  serving::GrpcOptions grpc;
  grpc.host = options.grpc->host;
  grpc.port = options.grpc->port;
  grpc.threads = unsigned(options.grpcThreads);
  grpc.maxMessageBytes = options.maxRequestBytes;
  grpc.certificate = options.certificate;
  grpc.key = options.key;
  grpc.clientHeader = options.clientHeader;
  return serving::GrpcFront::create(grpc, server);
}

/// Where clients connect; \p grpc may be null.
static std::string placesOf(const Options &options,
                            const serving::HttpFront &front,
                            const serving::GrpcFront *grpc) {
  const char *secure = options.certificate.empty() ? "" : "s";
  const std::string &host = options.http.host;
  // An address of IPv6 has colons itself.
  bool isBracketed = host.find(':') != std::string::npos;
  std::string places =
      fmt::format("http{}://{}{}{}:{}", secure, isBracketed ? "[" : "", host,
                  isBracketed ? "]" : "", front.port());
  if (grpc)
    places += fmt::format(", grpc{}://{}", secure, grpc->target());
  return places;
}

/// Says where clients connect and how many models serve.
static void printReady(const std::string &places,
                       const serving::Server &server) {
  std::vector<serving::IndexEntry> index = server.index(false);
  auto ready = std::ranges::count(index, "READY", &serving::IndexEntry::state);
  fmt::print("ready: {}, {} of {} versions of models\n", places, ready,
             index.size());
  std::fflush(stdout);
}

/// The signals that end the program; they are blocked.
static sigset_t endingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

namespace {
/// The models as they are loaded while clients may ask already.
struct Loading {
  std::atomic<bool> hasEnded = false;
  Status status;
};
} // namespace

/// Ends \p front, and \p grpc if there is one, when what is under way has
/// ended, at most as late as the options say. Returns whether it has.
static bool drain(const Options &options, serving::Server &server,
                  std::unique_ptr<serving::HttpFront> &front,
                  std::unique_ptr<serving::GrpcFront> &grpc) {
  int64_t deadline =
      rt::steadyNow() + int64_t(options.drainSeconds) * nanosecondsPerSecond;
  server.beginDrain();
  if (!server.awaitDrain(deadline))
    return false;
  std::packaged_task<void()> close([&front, &grpc, deadline] {
    if (grpc)
      grpc->stop(deadline);
    front.reset();
    grpc.reset();
  });
  std::future<void> closed = close.get_future();
  // To close takes a moment also where nothing is under way.
  constexpr int64_t least = nanosecondsPerSecond / 2;
  int64_t last = std::max(deadline, rt::steadyNow() + least);
  // The thread is left alone where it takes longer: the process ends then.
  std::thread(std::move(close)).detach();
  return closed.wait_until(std::chrono::steady_clock::time_point(
             std::chrono::nanoseconds(last))) == std::future_status::ready;
}

static Status serve(const Options &options) {
  if (!options.trace.empty())
    NNHAL_RETURN_IF_ERROR(rt::checkWritable(options.trace));
  sigset_t signals = endingSignals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // OpenSSL writes to connections that clients have closed.
  std::signal(SIGPIPE, SIG_IGN);
  serving::ServerOptions serverOptions = serverOptionsOf(options);
  std::shared_ptr<rt::Tracer> tracer = serverOptions.tracer;
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<serving::Server> server,
                         serving::Server::create(std::move(serverOptions)));
  NNHAL_ASSIGN_OR_RETURN(
      std::unique_ptr<serving::HttpFront> front,
      serving::HttpFront::create(httpOptionsOf(options), *server));
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<serving::GrpcFront> grpc,
                         listenForGrpc(options, *server));
  Loading loading;
  std::thread loader;
  NNHAL_RETURN_IF_ERROR(
      rt::startThread(loader, "nnhal-load",
                      // The fronts may end before the load does.
                      [&, places = placesOf(options, *front, grpc.get())] {
                        loading.status = server->start();
                        loading.hasEnded = true;
                        if (loading.status.isOk())
                          printReady(places, *server);
                        else
                          ::kill(::getpid(), SIGTERM);
                      }));
  int signal = 0;
  ::sigwait(&signals, &signal);
  bool isIdle = drain(options, *server, front, grpc);
  Status status =
      isIdle ? Status::ok()
             : rt::failure("requests are under way after the {} seconds that "
                           "they had to end",
                           options.drainSeconds);
  if (status.isOk() && tracer)
    status = tools::writeTraceFile(*tracer, options.trace);
  // Nobody waits for a compilation, and for clients that take no answer.
  if (!loading.hasEnded || !isIdle)
    ::_exit(tools::finish(std::move(status)));
  loader.join();
  NNHAL_RETURN_IF_ERROR(std::move(loading.status));
  return status;
}

static Status run(const Options &options) {
  switch (options.mode) {
  case Mode::help:
    fmt::print("{}", helpText());
    return Status::ok();
  case Mode::version:
    fmt::print("nnhal-serve {}\n", NNHAL_VERSION);
    return Status::ok();
  case Mode::serve:
    return serve(options);
  }
  return Status::ok();
}

static int runTool(std::span<const std::string_view> arguments) {
  auto options = parseOptions(arguments);
  if (!options.isOk())
    return tools::fail(options.status(), tools::exitUsage);
  return tools::finish(run(*options));
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
