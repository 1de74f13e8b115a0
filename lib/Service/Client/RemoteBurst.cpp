//===- RemoteBurst.cpp - Bursts of a service ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteModel.h"

#include "Runtime/Support/Errors.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::BurstCallback;
using rt::Result;
using rt::Status;

using Memory = std::shared_ptr<rt::SharedMemory>;

namespace {
/// Answers the questions of a service for the memories of slots.
class CallbackServer final : public wire::BurstCallback::Server {
public:
  CallbackServer(std::shared_ptr<EventLoop> loop,
                 std::shared_ptr<BurstCallback> callback)
      : loop(std::move(loop)), callback(std::move(callback)) {}

  kj::Promise<void> getMemories(GetMemoriesContext context) override;

private:
  const std::shared_ptr<EventLoop> loop;
  const std::shared_ptr<BurstCallback> callback;
};

class RemoteBurstContext final : public rt::BurstContext {
public:
  RemoteBurstContext(std::shared_ptr<Session> session, uint64_t watcher,
                     OnLoop<wire::BurstContext::Client> context)
      : session(std::move(session)), watcher(watcher),
        context(std::move(context)) {}
  ~RemoteBurstContext() override { session->forget(watcher); }

  // Waits for the service: the slot may be given to another memory right away,
  // and a request that names it would overtake this on its queue (G-046).
  void freeMemory(int32_t slot) override {
    Status freed = session->call([&](Session::Wire &) {
      auto free = context->freeMemoryRequest();
      free.setSlot(slot);
      return free.send().then([](auto) { return Status::ok(); });
    });
    (void)freed; // A service that is dead has forgotten the slot, too.
  }

private:
  const std::shared_ptr<Session> session;
  const uint64_t watcher;
  const OnLoop<wire::BurstContext::Client> context;
};
} // namespace

/// The status, and the memories where that is a success.
static Status
writeMemories(const Result<std::vector<Memory>> &memories,
              wire::BurstCallback::GetMemoriesResults::Builder results) {
  NNHAL_RETURN_IF_ERROR(memories.status());
  if (memories->size() > maxDescriptorsPerMessage)
    return rt::outOfResources("{} memories of a burst are asked for at once, "
                              "expected at most {}",
                              memories->size(), maxDescriptorsPerMessage);
  auto list = results.initMemories(unsigned(memories->size()));
  for (unsigned i = 0; i < memories->size(); ++i) {
    const Memory &memory = (*memories)[i];
    if (!memory)
      return rt::badData("slot {} of a burst has no memory", i);
    NNHAL_RETURN_IF_ERROR(write(*memory, list[i]));
  }
  return Status::ok();
}

kj::Promise<void> CallbackServer::getMemories(GetMemoriesContext context) {
  auto slots = numbersOf<int32_t>(context.getParams().getSlots());
  using Memories = Result<std::vector<Memory>>;
  auto found = kj::newPromiseAndCrossThreadFulfiller<Memories>();
  auto fulfiller =
      std::make_shared<decltype(found.fulfiller)>(kj::mv(found.fulfiller));
  loop->callUser([callback = callback, slots = std::move(slots), fulfiller] {
    (*fulfiller)->fulfill(callback->getMemories(slots));
  });
  return found.promise.then([context](Memories memories) mutable {
    auto results = context.getResults();
    Status status = writeMemories(memories, results);
    if (!status.isOk())
      results.disownMemories();
    write(status, results.initStatus());
  });
}

Result<std::unique_ptr<rt::BurstContext>>
RemoteModel::configureBurst(std::shared_ptr<BurstCallback> callback,
                            rt::BurstChannels channels) const {
  if (!callback)
    return rt::badData("a burst has no callback");
  // Where the death of the context cannot be watched there is no burst (G-065).
  const uint64_t watcher =
      session->watch([callback] { callback->contextDied(); });
  if (watcher == 0)
    return session->death();
  using Context = Result<OnLoop<wire::BurstContext::Client>>;
  Context context = session->call([&](Session::Wire &) {
    auto call = client().configureBurstRequest();
    call.setCallback(
        kj::heap<CallbackServer>(session->eventLoop(), std::move(callback)));
    call.setRequests(makeDescriptor(std::move(channels.requests)));
    call.setResults(makeDescriptor(std::move(channels.results)));
    return call.send().then([this](auto answer) -> Context {
      NNHAL_RETURN_IF_ERROR(read(answer.getStatus()));
      return OnLoop<wire::BurstContext::Client>(session->eventLoop(),
                                                answer.getContext());
    });
  });
  if (!context.isOk()) {
    session->forget(watcher);
    return std::move(context).takeStatus();
  }
  return Result<std::unique_ptr<rt::BurstContext>>(
      std::make_unique<RemoteBurstContext>(session, watcher,
                                           *std::move(context)));
}
