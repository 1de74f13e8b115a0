//===- RemoteCompiler.cpp - A compiler in another process -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The connections to workers live on a thread of their own with an event loop.
// A thread that compiles starts a call there and waits; what the compilation
// tells meanwhile is handed over to it.
//
//===----------------------------------------------------------------------===//

#include "RemoteCompiler.h"

#include "WorkerChannel.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Thread.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"
#include "nnhal/Runtime/Execution.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

using namespace nnhal;
using namespace nnhal::service;
using rt::CompiledModel;
using rt::CompileObserver;
using rt::Result;
using rt::Status;

/// How long the caller sleeps between questions whether it is cancelled.
static constexpr std::chrono::milliseconds pollTime(5);

namespace {

/// The end of a compilation and what it tells before, between the loop's thread
/// and the caller's.
class Conversation {
public:
  using Event = std::function<void(const CompileObserver &)>;

  void tell(Event event) {
    std::lock_guard lock(mutex);
    events.push_back(std::move(event));
    changed.notify_one();
  }
  void end(Result<CompiledModel> result) {
    std::lock_guard lock(mutex);
    outcome.emplace(std::move(result));
    changed.notify_one();
  }

  /// Passes on to \p observer what has been told within \p pollTime; the
  /// outcome, after all else, when there is one.
  std::optional<Result<CompiledModel>> listen(const CompileObserver &observer);

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Event> events;
  std::optional<Result<CompiledModel>> outcome;
};

/// Belongs to the loop's thread.
class ObserverServer final : public wire::CompileObserver::Server {
public:
  explicit ObserverServer(std::shared_ptr<Conversation> conversation)
      : conversation(std::move(conversation)) {}

  kj::Promise<void> diagnostic(DiagnosticContext context) override {
    auto params = context.getParams();
    conversation->tell(
        [isError = params.getIsError(),
         text = textOf(params.getText())](const CompileObserver &observer) {
          if (observer.diagnostic)
            observer.diagnostic(isError, text);
        });
    return kj::READY_NOW;
  }
  kj::Promise<void> progress(ProgressContext context) override {
    auto params = context.getParams();
    conversation->tell(
        [phase = textOf(params.getPhase()), done = params.getDone(),
         total = params.getTotal()](const CompileObserver &observer) {
          if (observer.progress)
            observer.progress(phase, done, total);
        });
    return kj::READY_NOW;
  }
  kj::Promise<void> remark(RemarkContext context) override {
    auto params = context.getParams();
    conversation->tell(
        [operation = params.getOperation(),
         text = textOf(params.getText())](const CompileObserver &observer) {
          if (observer.remark)
            observer.remark(operation, text);
        });
    return kj::READY_NOW;
  }

private:
  std::shared_ptr<Conversation> conversation;
};

/// The connection to a worker, which belongs to the loop's thread.
struct Connection {
  explicit Connection(kj::Own<kj::AsyncCapabilityStream> stream)
      : channel(kj::mv(stream), Channel::End::opener, nullptr, workerLimits()),
        compiler(channel.peer().castAs<wire::Compiler>()) {}

  Channel channel;
  wire::Compiler::Client compiler;
  /// The call that is under way.
  kj::Promise<void> call = kj::READY_NOW;
};

/// A thread with an event loop, which ends with it.
class Loop {
public:
  Status start();
  ~Loop();

  /// Calls \p function(io) on the thread of the loop, and returns what it
  /// returns.
  template <typename Function> auto call(Function function) const {
    return (*executor)->executeSync(
        [&] { return function(*io->lowLevelProvider); });
  }

private:
  void run(std::promise<void> &isReady);

  std::thread thread;
  kj::AsyncIoContext *io = nullptr;
  std::optional<kj::Own<const kj::Executor>> executor;
  std::optional<kj::Own<kj::CrossThreadPromiseFulfiller<void>>> stop;
};

struct Worker {
  std::unique_ptr<Connection> connection;
  std::function<std::string()> howEnded;
};

class RemoteCompiler final : public rt::Compiler {
public:
  explicit RemoteCompiler(RemoteCompilerOptions options)
      : options(std::move(options)) {}
  ~RemoteCompiler() noexcept override;

  Status start() { return loop.start(); }

  std::string_view buildIdentity() const override { return options.identity; }
  Result<CompiledModel>
  compileModel(const rt::AnnotatedModel &model,
               const rt::CompileOptions &compileOptions,
               const CompileObserver &observer) const override;
  Result<CompiledModel> compileMlir(std::span<const std::byte>,
                                    std::string_view name,
                                    const rt::CompileOptions &,
                                    const CompileObserver &) const override {
    return rt::badData("'{}' is IR, and a service compiles models", name);
  }

private:
  Result<Worker> takeWorker() const;
  void keep(Worker worker) const;
  void drop(Worker worker) const;
  Result<CompiledModel> await(Worker &worker,
                              const std::shared_ptr<Conversation> &conversation,
                              const CompileObserver &observer) const;

  const RemoteCompilerOptions options;
  Loop loop;
  mutable std::mutex mutex;
  mutable std::vector<Worker> idle;
};

/// Marks the outcome of a compilation whose worker is not to be used again.
constexpr rt::StatusCode lostWorker = rt::StatusCode::deadObject;

} // namespace

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

std::optional<Result<CompiledModel>>
Conversation::listen(const CompileObserver &observer) {
  std::unique_lock lock(mutex);
  changed.wait_for(lock, pollTime,
                   [this] { return outcome || !events.empty(); });
  std::deque<Event> told = std::exchange(events, {});
  std::optional<Result<CompiledModel>> ended = std::move(outcome);
  lock.unlock();
  for (const Event &event : told)
    event(observer);
  return ended;
}

Status Loop::start() {
  std::promise<void> isReady;
  NNHAL_RETURN_IF_ERROR(rt::startThread(thread, "nnhal-compilers",
                                        [this, &isReady] { run(isReady); }));
  isReady.get_future().wait();
  return Status::ok();
}

void Loop::run(std::promise<void> &isReady) {
  kj::AsyncIoContext context = kj::setupAsyncIo();
  io = &context;
  executor = kj::getCurrentThreadExecutor().addRef();
  auto pair = kj::newPromiseAndCrossThreadFulfiller<void>();
  stop = kj::mv(pair.fulfiller);
  isReady.set_value();
  pair.promise.wait(context.waitScope);
}

Loop::~Loop() {
  if (!thread.joinable())
    return;
  (*stop)->fulfill();
  thread.join();
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

RemoteCompiler::~RemoteCompiler() noexcept {
  for (Worker &worker : idle)
    drop(std::move(worker));
}

Result<Worker> RemoteCompiler::takeWorker() const {
  {
    std::lock_guard lock(mutex);
    if (!idle.empty()) {
      Worker worker = std::move(idle.back());
      idle.pop_back();
      return worker;
    }
  }
  NNHAL_ASSIGN_OR_RETURN(NewWorker started, options.startWorker());
  Worker worker;
  worker.howEnded = std::move(started.howEnded);
  worker.connection = loop.call([&](kj::LowLevelAsyncIoProvider &io) {
    return std::make_unique<Connection>(
        wrapSocket(io, std::move(started.channel)));
  });
  return worker;
}

void RemoteCompiler::keep(Worker worker) const {
  std::lock_guard lock(mutex);
  idle.push_back(std::move(worker));
}

/// The worker ends when it sees that its connection is closed.
void RemoteCompiler::drop(Worker worker) const {
  loop.call([&](kj::LowLevelAsyncIoProvider &) { worker.connection.reset(); });
}

//===----------------------------------------------------------------------===//
// Compilations
//===----------------------------------------------------------------------===//

static kj::Promise<Result<CompiledModel>>
readAnswer(capnp::Response<wire::Compiler::CompileResults> &&answer) {
  using Outcome = Result<CompiledModel>;
  Status status = read(answer.getStatus());
  if (!status.isOk())
    return Outcome(std::move(status));
  std::vector<NamedDescriptor> named;
  named.push_back({answer.getModelCache(), "the compiled code"});
  named.push_back({answer.getDataCache(), "the constants"});
  uint64_t codeSize = answer.getModelCacheSize();
  uint64_t dataSize = answer.getDataCacheSize();
  return takeDescriptors(std::move(named))
      .then([codeSize,
             dataSize](Result<std::vector<rt::UniqueFd>> taken) -> Outcome {
        NNHAL_RETURN_IF_ERROR(taken.status());
        NNHAL_ASSIGN_OR_RETURN(rt::Memory code,
                               readBytes(std::move(taken->at(0)), codeSize));
        NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, code.bytes());
        CompiledModel compiled;
        compiled.modelCache.assign(bytes.begin(), bytes.end());
        NNHAL_ASSIGN_OR_RETURN(compiled.dataCache,
                               readBytes(std::move(taken->at(1)), dataSize));
        return compiled;
      })
      .attach(kj::mv(answer));
}

/// On the thread of the loop: begins a call that ends \p conversation.
static Status beginCall(Connection &connection, const rt::AnnotatedModel &model,
                        const rt::CompileOptions &options, bool wantsRemarks,
                        const std::shared_ptr<Conversation> &conversation) {
  auto request = connection.compiler.compileRequest();
  NNHAL_RETURN_IF_ERROR(write(model, request.initModel()));
  write(options, request.initOptions());
  request.setObserver(kj::heap<ObserverServer>(conversation));
  request.setWantsRemarks(wantsRemarks);
  connection.call =
      request.send()
          .then([](auto &&answer) { return readAnswer(kj::mv(answer)); })
          .then(
              [conversation](Result<CompiledModel> outcome) {
                conversation->end(std::move(outcome));
              },
              [conversation](kj::Exception &&exception) {
                conversation->end(
                    Status(lostWorker, exception.getDescription().cStr()));
              })
          .eagerlyEvaluate(nullptr);
  return Status::ok();
}

Result<CompiledModel>
RemoteCompiler::await(Worker &worker,
                      const std::shared_ptr<Conversation> &conversation,
                      const CompileObserver &observer) const {
  rt::Deadline limit =
      rt::steadyNow() + int64_t(options.seconds) * 1'000'000'000;
  while (true) {
    if (auto outcome = conversation->listen(observer)) {
      if (outcome->isOk() || outcome->status().code() != lostWorker)
        return *std::move(outcome);
      std::string how = worker.howEnded();
      return Status(
          lostWorker,
          fmt::format("the compile worker has ended while it "
                      "compiled: {}",
                      how.empty() ? outcome->status().message() : how));
    }
    if (observer.isCancelled && observer.isCancelled())
      return Status(lostWorker, "the compilation was cancelled");
    if (rt::steadyNow() > limit)
      return Status(lostWorker,
                    fmt::format("the compilation took longer than {} s",
                                options.seconds));
  }
}

Result<CompiledModel>
RemoteCompiler::compileModel(const rt::AnnotatedModel &model,
                             const rt::CompileOptions &compileOptions,
                             const CompileObserver &observer) const {
  NNHAL_ASSIGN_OR_RETURN(Worker worker, takeWorker());
  auto conversation = std::make_shared<Conversation>();
  bool wantsRemarks = bool(observer.remark);
  Status begun = loop.call([&](kj::LowLevelAsyncIoProvider &) {
    return beginCall(*worker.connection, model, compileOptions, wantsRemarks,
                     conversation);
  });
  if (!begun.isOk()) {
    keep(std::move(worker));
    return begun;
  }
  Result<CompiledModel> outcome = await(worker, conversation, observer);
  if (outcome.isOk() || outcome.status().code() != lostWorker) {
    keep(std::move(worker));
    return outcome;
  }
  drop(std::move(worker));
  return rt::failure("{}", outcome.status().message());
}

Result<std::shared_ptr<const rt::Compiler>>
service::createRemoteCompiler(RemoteCompilerOptions options) {
  auto compiler = std::make_shared<RemoteCompiler>(std::move(options));
  NNHAL_RETURN_IF_ERROR(compiler->start());
  return std::shared_ptr<const rt::Compiler>(std::move(compiler));
}
