//===- EventLoop.cpp - The thread that speaks with services ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventLoop.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Thread.h"
#include "Service/Protocol/LoopPolling.h"

#include <csignal>
#include <exception>
#include <future>
#include <mutex>
#include <vector>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::Result;
using rt::Status;
using rt::StatusCode;

Status client::statusOf(const kj::Exception &exception) {
  const char *reason = exception.getDescription().cStr();
  switch (exception.getType()) {
  case kj::Exception::Type::DISCONNECTED:
    return Status(
        StatusCode::deadObject,
        fmt::format("the connection to the service is lost: {}", reason));
  case kj::Exception::Type::OVERLOADED:
    return rt::outOfResources("the service has too much to do: {}", reason);
  case kj::Exception::Type::UNIMPLEMENTED:
    return rt::failure("the service is older than this client: {}", reason);
  case kj::Exception::Type::FAILED:
    break;
  }
  return rt::failure("the service failed: {}", reason);
}

namespace {
/// kj ignores SIGPIPE and takes SIGUSR1 over, which are the program's. The
/// thread of the loop has all signals blocked and needs neither.
class KeptSignals {
public:
  KeptSignals() {
    ::sigaction(SIGPIPE, nullptr, &pipe);
    ::sigaction(SIGUSR1, nullptr, &user);
  }
  ~KeptSignals() {
    ::sigaction(SIGPIPE, &pipe, nullptr);
    ::sigaction(SIGUSR1, &user, nullptr);
  }

private:
  struct sigaction pipe;
  struct sigaction user;
};
} // namespace

static kj::AsyncIoContext setUp() {
  KeptSignals kept;
  return kj::setupAsyncIo();
}

/// The part that the thread keeps until it ends.
struct EventLoop::State {
  std::mutex mutex;
  std::vector<kj::Function<void()>> posted;
  /// Wakes the loop; null while it is awake and will look at `posted`.
  kj::Own<kj::CrossThreadPromiseFulfiller<void>> wake;
  bool isEnding = false;

  kj::Own<const kj::Executor> executor;
  kj::AsyncIoContext *io = nullptr;
  LoopPolling *polling = nullptr;
  /// Calls that wait for an answer.
  unsigned calls = 0;

  void post(kj::Function<void()> function, bool isLast = false);
  kj::Promise<void> serve();
  void run(std::promise<Status> &started);
};

void EventLoop::State::post(kj::Function<void()> function, bool isLast) {
  std::lock_guard lock(mutex);
  posted.push_back(kj::mv(function));
  isEnding |= isLast;
  if (wake.get() != nullptr) {
    wake->fulfill();
    wake = nullptr;
  }
}

kj::Promise<void> EventLoop::State::serve() {
  std::vector<kj::Function<void()>> ready;
  auto next = kj::newPromiseAndCrossThreadFulfiller<void>();
  bool isLast = false;
  {
    std::lock_guard lock(mutex);
    ready.swap(posted);
    isLast = isEnding;
    wake = kj::mv(next.fulfiller);
  }
  for (kj::Function<void()> &function : ready) {
    // A function reports its failure through what it has captured.
    (void)kj::runCatchingExceptions([&] { function(); });
  }
  ready.clear();
  std::unique_lock lock(mutex);
  if (isLast && posted.empty())
    return kj::READY_NOW;
  lock.unlock();
  return next.promise.then([this] { return serve(); });
}

void EventLoop::State::run(std::promise<Status> &started) {
  bool hasStarted = false;
  try {
    kj::AsyncIoContext made = setUp();
    LoopPolling polls(made.waitScope);
    io = &made;
    polling = &polls;
    executor = kj::getCurrentThreadExecutor().addRef();
    hasStarted = true;
    started.set_value(Status::ok());
    serve().wait(made.waitScope);
  } catch (const kj::Exception &exception) {
    if (!hasStarted)
      started.set_value(rt::outOfResources("cannot start an event loop: {}",
                                           exception.getDescription().cStr()));
  }
}

EventLoop::EventLoop(std::shared_ptr<State> state)
    : state(std::move(state)),
      // A callback may wait for others: there are more threads than any program
      // has callbacks that do.
      users(rt::Scheduler::create(
          {.slots = 64, .queueLimit = size_t(1) << 30, .clock = nullptr})) {}

Result<std::shared_ptr<EventLoop>> EventLoop::create() {
  auto state = std::make_shared<State>();
  std::shared_ptr<EventLoop> loop(new EventLoop(state));
  // The first job starts the first thread, and later ones find that.
  NNHAL_RETURN_IF_ERROR(loop->users->submit({}, [](const Status &) {}));
  std::promise<Status> started;
  std::future<Status> outcome = started.get_future();
  NNHAL_RETURN_IF_ERROR(
      rt::startThread(loop->thread, "nnhal-service",
                      [state, &started] { state->run(started); }));
  Status status = outcome.get();
  if (!status.isOk()) {
    loop->thread.join();
    return status;
  }
  return loop;
}

EventLoop::~EventLoop() {
  if (!thread.joinable())
    return;
  state->post([]() {}, /*isLast=*/true);
  // The thread keeps what it needs, should its last user be one of its own.
  if (thread.get_id() == std::this_thread::get_id())
    thread.detach();
  else
    thread.join();
}

kj::Function<void()> EventLoop::poll() const {
  ++state->calls;
  state->polling->begin();
  return [state = state] {
    if (--state->calls == 0)
      state->polling->end();
  };
}

const kj::Executor &EventLoop::executor() const { return *state->executor; }

kj::AsyncIoContext &EventLoop::io() const { return *state->io; }

void EventLoop::post(kj::Function<void()> function) const {
  state->post(kj::mv(function));
}

void EventLoop::callUser(std::function<void()> job) const {
  auto kept = std::make_shared<std::function<void()>>(std::move(job));
  // The job and what it holds end on the thread that runs it.
  auto run = [kept](const Status &) {
    (*kept)();
    *kept = nullptr;
  };
  // In the wrong place is better than never.
  if (!users->submit({}, run).isOk())
    run({});
}
