//===- RemoteModel.cpp - A prepared model of a service --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteModel.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Convert.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>
#include <new>
#include <utility>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::ExecutionCallback;
using rt::ExecutionResult;
using rt::Request;
using rt::Result;
using rt::Staging;
using rt::Status;
using rt::StatusCode;
using rt::TraceLayer;
using rt::TracePhase;

//===----------------------------------------------------------------------===//
// Memory of requests
//===----------------------------------------------------------------------===//

Stagings::Lease Stagings::take() {
  std::unique_ptr<Staging> staging;
  {
    std::lock_guard lock(mutex);
    if (!unused.empty()) {
      staging = std::move(unused.back());
      unused.pop_back();
    }
  }
  if (!staging)
    staging = std::make_unique<Staging>(interface);
  return {staging.release(), [this](Staging *returned) { giveBack(returned); }};
}

void Stagings::giveBack(Staging *returned) {
  std::unique_ptr<Staging> owned(returned);
  std::lock_guard lock(mutex);
  if (unused.size() < maxUnused)
    unused.push_back(std::move(owned));
}

static const Memories::Pool *poolOf(const rt::Memory &memory) {
  auto *region = std::get_if<rt::Memory::Descriptor>(&memory.kind());
  return region ? &region->pool : nullptr;
}
static const Memories::Pool *poolOf(const rt::OutputMemory &memory) {
  auto *region = std::get_if<rt::OutputMemory::Region>(&memory.kind());
  return region ? &region->pool : nullptr;
}

/// Whether the arguments \p name are in pools that can be sent. What else is
/// wrong with a pool the service finds.
template <typename Argument>
static Status checkPools(const char *name,
                         const std::vector<Argument> &arguments) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const Memories::Pool *pool = poolOf(arguments[i].memory);
        pool && (*pool)->fd() < 0)
      return (*pool)->check().withContext(fmt::format("{} {}", name, i));
  return Status::ok();
}

Status client::checkPools(const Request &request) {
  NNHAL_RETURN_IF_ERROR(::checkPools("input", request.inputs));
  return ::checkPools("output", request.outputs);
}

kj::Promise<Status> client::makePoolsKnown(Memories &memories,
                                           const Request &request,
                                           const Staging &staging) {
  std::vector<Memories::Pool> pools;
  auto add = [&](const Memories::Pool &pool) {
    if (std::ranges::find(pools, pool) == pools.end())
      pools.push_back(pool);
  };
  for (const rt::InputArgument &input : request.inputs)
    if (const Memories::Pool *pool = poolOf(input.memory))
      add(*pool);
  for (const rt::OutputArgument &output : request.outputs)
    if (const Memories::Pool *pool = poolOf(output.memory))
      add(*pool);
  if (staging.isUsed())
    add(staging.pool());
  return memories.makeKnown(pools);
}

void client::fillRequest(const Request &request, const Staging &staging,
                         const Memories &memories,
                         wire::Request::Builder builder) {
  auto place = [&](bool isOutput, size_t index,
                   const rt::SharedMemory *pool) -> Place {
    if (pool)
      return {memories.numberOf(pool), 0};
    return {memories.numberOf(staging.pool().get()),
            isOutput ? staging.outputOffset(index)
                     : staging.inputOffset(index)};
  };
  write(request, place, builder);
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

RemoteModel::RemoteModel(std::shared_ptr<Session> session, RemoteParts parts)
    : session(std::move(session)), parts(std::move(parts)),
      stagings(this->parts.interface) {}

rt::MemoryUse RemoteModel::memoryUse() const {
  using Use = Result<rt::MemoryUse>;
  Use use = session->call([&](Session::Wire &) {
    return client().memoryUseRequest().send().then(
        [](auto answer) -> Use { return read(answer.getMemoryUse()); });
  });
  return use.isOk() ? *use : parts.use;
}

std::shared_ptr<Staging> RemoteModel::shareStaging() const {
  return {stagings.take().release(),
          [self = shared_from_this()](Staging *returned) {
            self->stagings.giveBack(returned);
          }};
}

kj::Promise<Result<RemoteModel::Answer>>
RemoteModel::send(Session::Wire &wire, const Request &request,
                  const Staging &staging, wire::Launch::Client launch) const {
  Memories &memories = wire.memories;
  return makePoolsKnown(memories, request, staging)
      .then([&, launch = kj::mv(launch)](
                Status known) mutable -> kj::Promise<Result<Answer>> {
        if (!known.isOk())
          return Result<Answer>(std::move(known));
        auto call = client().executeRequest();
        fillRequest(request, staging, memories, call.initRequest());
        call.setLaunch(kj::mv(launch));
        return call.send().then([](auto answer) -> Result<Answer> {
          return Answer{read(answer.getStatus()), answer.getLaunched(),
                        read(answer.getResult())};
        });
      });
}

/// Whether the service answers as many shapes as there are outputs, and none
/// that goes beyond the memory of its output. Staging::collect() sees to an
/// output without bytes.
static Status checkShapes(const rt::Interface &interface,
                          const Request &request,
                          const ExecutionResult &result) {
  if (result.outputShapes.size() != request.outputs.size() ||
      request.outputs.size() != interface.outputs.size())
    return rt::failure("the service answered {} outputs, expected {}",
                       result.outputShapes.size(), request.outputs.size());
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const rt::OutputShape &shape = result.outputShapes[i];
    const rt::OutputMemory &memory = request.outputs[i].memory;
    if (!shape.isSufficient || memory.isNone() ||
        std::holds_alternative<rt::OutputMemory::DeviceToken>(memory.kind()))
      continue;
    if (std::holds_alternative<rt::OutputMemory::Borrowed>(memory.kind()) &&
        memory.size() == 0)
      continue;
    rt::InterfaceTensor tensor = interface.outputs[i];
    tensor.dimensions = shape.dimensions;
    std::optional<uint32_t> size = rt::byteSizeOf(tensor);
    const Memories::Pool *pool = poolOf(memory);
    // A region without a size is the whole of its pool.
    const uint64_t room =
        pool && memory.size() == 0 ? (*pool)->size() : memory.size();
    if (size && *size > room)
      return rt::failure("the service answered {} bytes for output {}, "
                         "expected at most {}",
                         *size, i, room);
  }
  return Status::ok();
}

/// Gives the caller what the service answered, and the outputs that were
/// staged.
Status RemoteModel::finish(const Request &request, Staging &staging,
                           Result<Answer> answered,
                           ExecutionResult &result) const {
  if (!answered.isOk())
    return std::move(answered).takeStatus();
  Status status = std::move(answered->status);
  const bool hasShapes =
      status.isOk() || status.code() == StatusCode::outputInsufficientSize;
  if (!hasShapes)
    return status;
  result = std::move(answered->result);
  Status checked = checkShapes(interface(), request, result);
  if (checked.isOk() && status.isOk())
    checked = staging.collect(request, result.outputShapes);
  result.copiedBytes += staging.copiedBytes();
  if (checked.isOk())
    return status;
  if (checked.code() != StatusCode::outputInsufficientSize)
    result.outputShapes.clear();
  return checked;
}

static void clear(ExecutionResult &result) {
  result.outputShapes.clear();
  result.operationTimes.clear();
  result.timing = {};
  result.copiedBytes = 0;
}

Status RemoteModel::execute(const Request &request,
                            ExecutionResult &result) const {
  clear(result);
  Status status;
  {
    rt::TraceSection section(session->tracer(), TraceLayer::ipc,
                             TracePhase::execution, session->device());
    try {
      Stagings::Lease staging = stagings.take();
      NNHAL_RETURN_IF_ERROR(checkPools(request));
      NNHAL_RETURN_IF_ERROR(staging->stage(request));
      Result<Answer> answer = session->call([&](Session::Wire &wire) {
        return send(wire, request, *staging, nullptr);
      });
      status = finish(request, *staging, std::move(answer), result);
    } catch (const std::bad_alloc &) {
      status = rt::outOfResources("no memory for an execution");
    }
  }
  session->fetchTrace();
  return status;
}

//===----------------------------------------------------------------------===//
// Asynchronous executions
//===----------------------------------------------------------------------===//

/// One asynchronous execution. It ends on a thread for what users do.
struct RemoteModel::Run {
  std::shared_ptr<const RemoteModel> model;
  Request request;
  ExecutionCallback callback;
  Stagings::Lease staging;
  rt::TraceSpan span;
  /// Whether the loop sees to the end.
  bool isOnLoop = false;

  void end(Result<Answer> answer) {
    ExecutionResult result;
    Status status = model->finish(request, *staging, std::move(answer), result);
    span.end();
    model->session->fetchTrace();
    callback(std::move(status), result);
  }
};

namespace {
/// Learns whether an execution begins: from a call of the service, or from an
/// answer without one. Lives on the loop's thread.
struct Beginning {
  kj::Own<kj::PromiseFulfiller<Status>> fulfiller;

  void tell(Status status) { fulfiller->fulfill(std::move(status)); }
};

class LaunchServer final : public wire::Launch::Server {
public:
  explicit LaunchServer(std::shared_ptr<Beginning> beginning)
      : beginning(std::move(beginning)) {}
  kj::Promise<void> launched(LaunchedContext) override {
    beginning->tell(Status::ok());
    return kj::READY_NOW;
  }

private:
  const std::shared_ptr<Beginning> beginning;
};
} // namespace

kj::Promise<Status> RemoteModel::start(Session::Wire &wire,
                                       const std::shared_ptr<Run> &run) const {
  auto begun = kj::newPromiseAndFulfiller<Status>();
  auto beginning = std::make_shared<Beginning>(kj::mv(begun.fulfiller));
  auto answered = session->guard([&] {
    return send(wire, run->request, *run->staging,
                kj::heap<LaunchServer>(beginning));
  });
  run->isOnLoop = true;
  session->start(answered.then([run = run,
                                beginning](Result<Answer> answer) mutable {
    const bool isLaunched = answer.isOk() && answer->isLaunched;
    beginning->tell(isLaunched      ? Status::ok()
                    : answer.isOk() ? answer->status
                                    : answer.status());
    std::shared_ptr<EventLoop> loop = run->model->session->eventLoop();
    auto end = std::make_shared<Result<Answer>>(std::move(answer));
    loop->callUser([run = std::move(run), end] { run->end(std::move(*end)); });
  }));
  return kj::mv(begun.promise);
}

Status RemoteModel::executeAsync(Request request,
                                 ExecutionCallback callback) const {
  if (!callback)
    return rt::badData("an asynchronous execution needs a callback");
  auto run = std::make_shared<Run>(
      Run{shared_from_this(), std::move(request), std::move(callback),
          stagings.take(),
          rt::TraceSpan(session->tracer(), TraceLayer::ipc,
                        TracePhase::execution, session->device())});
  Status launched = checkPools(run->request);
  if (launched.isOk())
    launched = run->staging->stage(run->request);
  if (launched.isOk())
    launched =
        session->call([&](Session::Wire &wire) { return start(wire, run); });
  if (!run->isOnLoop)
    run->end(launched);
  return launched;
}
