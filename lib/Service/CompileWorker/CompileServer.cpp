//===- CompileServer.cpp - Compiles for a host ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileServer.h"

#include "WorkerChannel.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Thread.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"

#include <atomic>

using namespace nnhal;
using namespace nnhal::service;
using rt::CompiledModel;
using rt::Result;
using rt::Status;

namespace {
/// One compilation. The thread of the event loop has made it, and the thread
/// that compiles reads it.
struct Job {
  std::shared_ptr<const rt::Compiler> compiler;
  rt::AnnotatedModel model;
  rt::CompileOptions options;
  bool wantsRemarks = false;
  std::atomic<bool> isCancelled = false;
};

using Outcome = Result<CompiledModel>;
using Observer = wire::CompileObserver::Client;

class CompilerServer final : public wire::Compiler::Server {
public:
  explicit CompilerServer(std::shared_ptr<const rt::Compiler> compiler)
      : compiler(std::move(compiler)) {}

  kj::Promise<void> compile(CompileContext context) override;

private:
  Result<std::shared_ptr<Job>> makeJob(wire::Compiler::CompileParams::Reader,
                                       Descriptors descriptors) const;
  static kj::Promise<Outcome> start(const std::shared_ptr<Job> &job,
                                    kj::Maybe<Observer> observer);

  const std::shared_ptr<const rt::Compiler> compiler;
};
} // namespace

/// Runs \p function on the thread of \p loop. Returns false when the loop has
/// ended, as the process then does.
template <typename Function>
static bool callIn(const kj::Executor &loop, Function function) {
  return kj::runCatchingExceptions([&] { loop.executeSync(function); }) ==
         nullptr;
}

/// Runs \p send, which makes a call, on the thread of \p loop. A host that is
/// gone hears nothing.
template <typename Send>
static void callFrom(const kj::Executor &loop, Send send) {
  callIn(loop, [&] { send().detach([](kj::Exception &&) {}); });
}

/// Tells \p observer, a capability of the thread of \p loop, what the
/// compilation of \p job tells.
static rt::CompileObserver makeObserver(const std::shared_ptr<Job> &job,
                                        const kj::Executor &loop,
                                        Observer *observer) {
  rt::CompileObserver tells;
  tells.isCancelled = [job] { return job->isCancelled.load(); };
  if (!observer)
    return tells;
  tells.diagnostic = [&loop, observer](bool isError, std::string_view text) {
    callFrom(loop, [&] {
      auto request = observer->diagnosticRequest();
      request.setIsError(isError);
      request.setText(wireText(text));
      return request.send().ignoreResult();
    });
  };
  tells.progress = [&loop, observer](std::string_view phase, uint32_t done,
                                     uint32_t total) {
    callFrom(loop, [&] {
      auto request = observer->progressRequest();
      request.setPhase(wireText(phase));
      request.setDone(done);
      request.setTotal(total);
      return request.send().ignoreResult();
    });
  };
  if (job->wantsRemarks)
    tells.remark = [&loop, observer](uint32_t operation,
                                     std::string_view text) {
      callFrom(loop, [&] {
        auto request = observer->remarkRequest();
        request.setOperation(operation);
        request.setText(wireText(text));
        return request.send().ignoreResult();
      });
    };
  return tells;
}

Result<std::shared_ptr<Job>>
CompilerServer::makeJob(wire::Compiler::CompileParams::Reader params,
                        Descriptors descriptors) const {
  auto job = std::make_shared<Job>();
  job->compiler = compiler;
  NNHAL_ASSIGN_OR_RETURN(job->model, read(params.getModel(), descriptors));
  NNHAL_ASSIGN_OR_RETURN(job->options, read(params.getOptions()));
  job->wantsRemarks = params.getWantsRemarks();
  return job;
}

kj::Promise<Outcome> CompilerServer::start(const std::shared_ptr<Job> &job,
                                           kj::Maybe<Observer> observer) {
  auto pair = kj::newPromiseAndCrossThreadFulfiller<Outcome>();
  auto fulfiller =
      std::make_shared<decltype(pair.fulfiller)>(kj::mv(pair.fulfiller));
  auto loop = std::make_shared<kj::Own<const kj::Executor>>(
      kj::getCurrentThreadExecutor().addRef());
  // The thread may outlive the call. It uses the observer, which only the
  // thread of the loop may delete.
  auto listens = std::make_shared<std::unique_ptr<Observer>>();
  KJ_IF_MAYBE (found, observer)
    *listens = std::make_unique<Observer>(kj::mv(*found));
  auto body = [job, fulfiller, loop, listens] {
    (*fulfiller)
        ->fulfill(job->compiler->compileModel(
            job->model, job->options,
            makeObserver(job, **loop, listens->get())));
    if (!callIn(**loop, [&] { listens->reset(); }))
      (void)listens->release();
  };
  Status started = rt::startDetached("nnhal-compile", std::move(body));
  if (!started.isOk())
    return Outcome(std::move(started));
  return pair.promise.attach(
      kj::defer([job] { job->isCancelled.store(true); }));
}

static Status answer(Result<CompiledModel> compiled,
                     wire::Compiler::CompileResults::Builder results) {
  if (!compiled.isOk())
    return compiled.status();
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> constants,
                         compiled->dataCache.bytes());
  NNHAL_ASSIGN_OR_RETURN(auto code, makeBytes(compiled->modelCache));
  NNHAL_ASSIGN_OR_RETURN(auto data, makeBytes(constants));
  results.setModelCache(kj::mv(code));
  results.setModelCacheSize(compiled->modelCache.size());
  results.setDataCache(kj::mv(data));
  results.setDataCacheSize(constants.size());
  return Status::ok();
}

kj::Promise<void> CompilerServer::compile(CompileContext context) {
  context.allowCancellation();
  auto params = context.getParams();
  return takeDescriptors(descriptorsOf(params.getModel()))
      .then([this, params](Result<std::vector<rt::UniqueFd>> taken)
                -> kj::Promise<Outcome> {
        if (!taken.isOk())
          return Outcome(taken.status());
        auto job = makeJob(params, *taken);
        if (!job.isOk())
          return Outcome(job.status());
        kj::Maybe<Observer> observer;
        if (params.hasObserver())
          observer = params.getObserver();
        return start(*std::move(job), kj::mv(observer));
      })
      .then([context](Outcome outcome) mutable {
        auto results = context.getResults();
        Status status = answer(std::move(outcome), results);
        write(status, results.initStatus());
      });
}

Status service::serveCompiler(std::shared_ptr<const rt::Compiler> compiler,
                              rt::UniqueFd channel) {
  try {
    kj::AsyncIoContext io = kj::setupAsyncIo();
    Channel connection(wrapSocket(*io.lowLevelProvider, std::move(channel)),
                       Channel::End::acceptor,
                       kj::heap<CompilerServer>(std::move(compiler)),
                       workerLimits());
    connection.onDisconnect().wait(io.waitScope);
    return Status::ok();
  } catch (const kj::Exception &exception) {
    return rt::failure("the compile worker cannot go on: {}",
                       exception.getDescription().cStr());
  }
}
