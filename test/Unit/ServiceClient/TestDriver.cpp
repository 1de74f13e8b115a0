//===- TestDriver.cpp - The device of a service for tests -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestDriver.h"

#include "Service/Protocol/Wire.h"
#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <capnp/capability.h>

#include <map>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using namespace nnhal::service::test;
using rt::Result;
using rt::SharedMemory;
using rt::Status;
using rt::UniqueFd;

using Memories = std::map<uint32_t, std::shared_ptr<SharedMemory>>;
using Fds = Result<std::vector<UniqueFd>>;

namespace {
class MemoryServer final : public wire::Memory::Server {
public:
  MemoryServer(TestService &owner, std::shared_ptr<Memories> memories,
               uint32_t number)
      : owner(owner), memories(std::move(memories)), number(number) {
    ++owner.seen.memories;
  }
  ~MemoryServer() {
    --owner.seen.memories;
    memories->erase(number);
  }

private:
  TestService &owner;
  const std::shared_ptr<Memories> memories;
  const uint32_t number;
};

class FencedServer final : public wire::FencedExecution::Server {
public:
  explicit FencedServer(std::shared_ptr<rt::FencedExecution> execution)
      : execution(std::move(execution)) {}
  kj::Promise<void> info(InfoContext context) override {
    rt::ExecutionInfo info = execution->executionInfo();
    auto results = context.getResults();
    write(info.status, results.initStatus());
    write(info.timingLaunched, results.initLaunched());
    write(info.timingFenced, results.initFenced());
    return kj::READY_NOW;
  }

private:
  const std::shared_ptr<rt::FencedExecution> execution;
};

/// Asks the client from the thread of the burst.
class ClientCallback final : public rt::BurstCallback {
public:
  ClientCallback(std::shared_ptr<EventLoop> loop,
                 wire::BurstCallback::Client client)
      : loop(loop), client(loop, kj::mv(client)) {}

  Result<std::vector<std::shared_ptr<SharedMemory>>>
  getMemories(std::span<const int32_t> slots) override {
    using Answer = Result<std::vector<std::shared_ptr<SharedMemory>>>;
    return loop->call([&] {
      auto call = client->getMemoriesRequest();
      fillNumbers(slots, call.initSlots(unsigned(slots.size())));
      return call.send().then([](auto answer) -> kj::Promise<Answer> {
        Status status = read(answer.getStatus());
        if (!status.isOk())
          return Answer(status);
        auto pool = answer.getMemories()[0];
        std::vector<NamedDescriptor> named;
        named.push_back(descriptorOf(pool, "memory"));
        return takeDescriptors(std::move(named))
            .then([pool, answer = kj::mv(answer)](Fds fds) -> Answer {
              auto memory = read(pool, std::move((*fds)[0]));
              return std::vector{*memory};
            });
      });
    });
  }

private:
  const std::shared_ptr<EventLoop> loop;
  const OnLoop<wire::BurstCallback::Client> client;
};

class ContextServer final : public wire::BurstContext::Server {
public:
  ContextServer(TestService &owner, std::unique_ptr<rt::BurstContext> context)
      : owner(owner), context(std::move(context)) {}
  kj::Promise<void> freeMemory(FreeMemoryContext call) override {
    ++owner.seen.freedSlots;
    context->freeMemory(call.getParams().getSlot());
    return kj::READY_NOW;
  }

private:
  TestService &owner;
  const std::unique_ptr<rt::BurstContext> context;
};

class ModelServer final : public wire::PreparedModel::Server {
public:
  ModelServer(TestService &owner, std::shared_ptr<Memories> memories,
              rt::PreparedModelRef model)
      : owner(owner), memories(std::move(memories)), model(std::move(model)) {
    ++owner.seen.models;
  }
  ~ModelServer() { --owner.seen.models; }

  kj::Promise<void> describe(DescribeContext context) override {
    write(model->interface(), context.getResults().initInterface());
    write(model->memoryUse(), context.getResults().initMemoryUse());
    return kj::READY_NOW;
  }
  kj::Promise<void> memoryUse(MemoryUseContext context) override {
    context.getResults().initMemoryUse().setArena(77);
    return kj::READY_NOW;
  }
  kj::Promise<void> execute(ExecuteContext context) override;
  kj::Promise<void> executeFenced(ExecuteFencedContext context) override;
  kj::Promise<void> configureBurst(ConfigureBurstContext context) override;

private:
  Result<rt::Request> readRequest(wire::Request::Reader reader) {
    return read(reader, [this](uint32_t number) {
      auto found = memories->find(number);
      return found == memories->end() ? nullptr : found->second;
    });
  }

  TestService &owner;
  const std::shared_ptr<Memories> memories;
  const rt::PreparedModelRef model;
};

class DriverServer final : public wire::Driver::Server {
public:
  explicit DriverServer(TestService &owner) : owner(owner) {}

  kj::Promise<void> describe(DescribeContext context) override {
    DeviceDescription description = service::describe(*owner.device);
    if (owner.conduct.describe)
      owner.conduct.describe(description);
    write(description, context.getResults().initDevice());
    return kj::READY_NOW;
  }
  kj::Promise<void> status(StatusContext context) override {
    context.getResults().setStatus(uint32_t(owner.device->status()));
    return kj::READY_NOW;
  }
  kj::Promise<void>
  supportedOperations(SupportedOperationsContext context) override;
  kj::Promise<void> prepareModel(PrepareModelContext context) override;
  kj::Promise<void> allocate(AllocateContext context) override;
  kj::Promise<void> importMemory(ImportMemoryContext context) override;
  kj::Promise<void> trace(TraceContext context) override {
    if (owner.conduct.traced)
      owner.conduct.traced(context.getResults());
    return kj::READY_NOW;
  }

private:
  kj::Promise<void> prepare(PrepareModelContext context, Fds pools);

  TestService &owner;
  const std::shared_ptr<Memories> memories = std::make_shared<Memories>();
  uint32_t lastMemory = 0;
};
} // namespace

/// Never answers, and counts when the client lets go.
static kj::Promise<void> hang(TestService &owner) {
  ++owner.seen.hanging;
  return kj::Promise<void>(kj::NEVER_DONE).attach(kj::defer([&owner] {
    ++owner.seen.cancelled;
  }));
}

template <typename Context>
static kj::Promise<void> tellLaunch(TestService &owner, Context &context) {
  if (!context.getParams().hasLaunch() || !owner.conduct.tellsLaunch)
    return kj::READY_NOW;
  return context.getParams()
      .getLaunch()
      .launchedRequest()
      .send()
      .ignoreResult();
}

kj::Promise<void> ModelServer::execute(ExecuteContext context) {
  context.allowCancellation();
  ++owner.seen.executions;
  if (owner.conduct.hangsIn == "execute")
    return tellLaunch(owner, context).then([this] { return hang(owner); });
  rt::ExecutionResult result;
  auto request = readRequest(context.getParams().getRequest());
  Status status =
      request.isOk() ? model->execute(*request, result) : request.status();
  const bool isLaunched = status.code() != rt::StatusCode::invalidArgument;
  auto results = context.getResults();
  write(status, results.initStatus());
  results.setLaunched(isLaunched);
  write(result, results.initResult());
  if (owner.conduct.executed)
    owner.conduct.executed(results);
  return isLaunched ? tellLaunch(owner, context)
                    : kj::Promise<void>(kj::READY_NOW);
}

kj::Promise<void> ModelServer::executeFenced(ExecuteFencedContext context) {
  if (owner.conduct.hangsIn == "executeFenced")
    return hang(owner);
  std::vector<NamedDescriptor> named;
  for (auto fence : context.getParams().getWaitFor())
    named.push_back({fence, "fence"});
  return takeDescriptors(std::move(named))
      .then([this, context](Fds fds) mutable {
        std::vector<rt::FenceRef> fences;
        for (UniqueFd &fd : *fds)
          fences.push_back(*rt::Fence::adopt(std::move(fd)));
        auto results = context.getResults();
        auto request = readRequest(context.getParams().getRequest());
        auto execution = model->executeFenced(*request, std::move(fences));
        write(execution.status(), results.initStatus());
        if (execution.isOk()) {
          results.setExecution(kj::heap<FencedServer>(*execution));
          if (rt::FenceRef fence = (*execution)->fence())
            results.setFence(makeDescriptor(*fence->share()));
        }
        if (owner.conduct.fenced)
          owner.conduct.fenced(results);
      });
}

kj::Promise<void> ModelServer::configureBurst(ConfigureBurstContext context) {
  if (owner.conduct.hangsIn == "configureBurst")
    return hang(owner);
  auto params = context.getParams();
  std::vector<NamedDescriptor> named;
  named.push_back({params.getRequests(), "requests"});
  named.push_back({params.getResults(), "results"});
  return takeDescriptors(std::move(named))
      .then([this, context](Fds fds) mutable {
        auto callback = std::make_shared<ClientCallback>(
            owner.loop, context.getParams().getCallback());
        auto burst = model->configureBurst(
            callback, {std::move((*fds)[0]), std::move((*fds)[1])});
        write(burst.status(), context.getResults().initStatus());
        if (burst.isOk())
          context.getResults().setContext(
              kj::heap<ContextServer>(owner, *std::move(burst)));
      });
}

kj::Promise<void>
DriverServer::supportedOperations(SupportedOperationsContext context) {
  if (owner.conduct.hangsIn == "supportedOperations")
    return hang(owner);
  auto model = context.getParams().getModel();
  return takeDescriptors(descriptorsOf(model))
      .then([this, context](Fds pools) mutable {
        auto results = context.getResults();
        auto model = read(context.getParams().getModel(), *pools);
        auto answers = owner.device->supportedOperations(*model);
        write(answers.status(), results.initStatus());
        if (answers.isOk()) {
          auto list = results.initOperations(unsigned(answers->size()));
          for (unsigned i = 0; i < answers->size(); ++i)
            write((*answers)[i], list[i]);
        }
        if (owner.conduct.supported)
          owner.conduct.supported(results);
      });
}

kj::Promise<void> DriverServer::prepareModel(PrepareModelContext context) {
  context.allowCancellation();
  ++owner.seen.preparations;
  if (owner.conduct.hangsIn == "prepareModel before it begins")
    return hang(owner);
  return takeDescriptors(descriptorsOf(context.getParams().getModel()))
      .then([this, context](Fds pools) mutable {
        return prepare(context, std::move(pools));
      });
}

kj::Promise<void> DriverServer::prepare(PrepareModelContext context,
                                        Fds pools) {
  auto params = context.getParams();
  auto results = context.getResults();
  auto model = read(params.getModel(), *pools);
  auto prepared = owner.device->prepareModel(*model);
  write(prepared.status(), results.initStatus());
  results.setLaunched(prepared.isOk());
  if (prepared.isOk())
    results.setModel(kj::heap<ModelServer>(owner, memories, *prepared));
  if (owner.conduct.prepared)
    owner.conduct.prepared(results);
  kj::Promise<void> begun = prepared.isOk() ? tellLaunch(owner, context)
                                            : kj::Promise<void>(kj::READY_NOW);
  if (owner.conduct.observe && params.hasObserver())
    begun = begun.then([this, context]() mutable {
      return owner.conduct.observe(context.getParams().getObserver());
    });
  return begun.then([this]() -> kj::Promise<void> {
    if (owner.conduct.hangsIn == "prepareModel")
      return hang(owner);
    return kj::READY_NOW;
  });
}

kj::Promise<void> DriverServer::importMemory(ImportMemoryContext context) {
  ++owner.seen.imports;
  if (owner.conduct.hangsIn == "importMemory")
    return hang(owner);
  std::vector<NamedDescriptor> named;
  named.push_back(descriptorOf(context.getParams().getPool(), "pool"));
  return takeDescriptors(std::move(named))
      .then([this, context](Fds fds) mutable {
        auto results = context.getResults();
        auto pool = read(context.getParams().getPool(), std::move((*fds)[0]));
        write(pool.status(), results.initStatus());
        if (pool.isOk()) {
          (*memories)[++lastMemory] = *pool;
          results.setId(lastMemory);
          results.setMemory(
              kj::heap<MemoryServer>(owner, memories, lastMemory));
        }
        if (owner.conduct.imported)
          owner.conduct.imported(results);
      });
}

kj::Promise<void> DriverServer::allocate(AllocateContext context) {
  if (owner.conduct.hangsIn == "allocate")
    return hang(owner);
  // The client's own checks come before; nothing is allocated here.
  context.getResults().setToken(1);
  if (owner.conduct.allocated)
    owner.conduct.allocated(context.getResults());
  return kj::READY_NOW;
}

wire::Driver::Client test::makeDriver(TestService &owner) {
  return kj::heap<DriverServer>(owner);
}
