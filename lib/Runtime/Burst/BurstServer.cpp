//===- BurstServer.cpp - The server's end of a burst ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstServer.h"

#include "Runtime/Fifo/Fifo.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "Runtime/Support/Thread.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

using namespace nnhal::rt;

namespace {
class BurstServer final : public BurstContext {
public:
  BurstServer(std::unique_ptr<BurstExecutor> executor,
              std::shared_ptr<BurstCallback> callback, FifoMemory requests,
              FifoMemory results, const BurstServerOptions &options)
      : executor(std::move(executor)), callback(std::move(callback)),
        requests(std::move(requests)), results(std::move(results)),
        pollingWindow(options.pollingWindow), log(options.log) {
    arrived.reserve(this->requests.capacity());
    answer.reserve(this->results.capacity());
  }
  ~BurstServer() override {
    requests.close();
    if (thread.joinable())
      thread.join();
  }

  Status start() {
    return startThread(thread, "nnhal-burst", [this] { serve(); });
  }

  void freeMemory(int32_t slot) override {
    std::lock_guard lock(mutex);
    executor->removeCacheEntry(slot);
  }

private:
  void serve();
  void answerAll();
  void refuse(const Status &status);
  void execute(std::span<const RequestDatum> packet);
  Status run(std::span<const RequestDatum> packet);
  Status bind(std::span<const RequestDatum> packet);
  Status fetchMissing();
  void send();
  void report(const Status &status) const;

  std::mutex mutex; // Held by an execution and by freeMemory() (G-061).
  const std::unique_ptr<BurstExecutor> executor;
  const std::shared_ptr<BurstCallback> callback;
  FifoReader<RequestDatum> requests;
  FifoWriter<ResultDatum> results;
  const std::chrono::microseconds pollingWindow;
  const std::shared_ptr<const Log> log;
  std::thread thread;

  // The thread uses these, and keeps them for their memory. `arrived` and
  // `answer` have room for all that their queues hold.
  std::vector<RequestDatum> arrived;
  std::vector<std::span<const RequestDatum>> packets;
  BurstRequest request;
  std::vector<RequestDatum> bound; // The packet that the executor has bound.
  std::vector<int32_t> missing;
  ExecutionResult executed;
  BurstResult result;
  std::vector<ResultDatum> answer;
};
} // namespace

void BurstServer::report(const Status &status) const {
  if (log && !status.isOk())
    writeLog(*log, LogTag::execution, "burst: {}", status.message());
}

void BurstServer::serve() {
  // Reading fails when the end is closed, and when the counter of the client
  // cannot be right: no packet can be told from another then, and nothing is
  // served any more.
  while (requests.readBlocking(arrived, pollingWindow).isOk()) {
    try {
      answerAll();
    } catch (const std::bad_alloc &) {
      refuse(outOfResources("no memory for a request"));
    }
  }
}

void BurstServer::refuse(const Status &status) {
  report(status);
  result.status = status.code();
  result.outputShapes.clear();
  result.timing = {};
  send();
}

void BurstServer::answerAll() {
  Status status = splitPackets(arrived, packets);
  if (!status.isOk())
    return refuse(status);
  for (std::span<const RequestDatum> packet : packets)
    execute(packet);
}

/// The memories of slots that the executor has none for, from the client
/// (G-040). A failure keeps nothing (G-042); the executor then fails for the
/// slot that is missing (G-063).
Status BurstServer::fetchMissing() {
  missing.clear();
  for (int32_t slot : request.slots)
    if (!executor->isCacheEntryPresent(slot) &&
        std::ranges::find(missing, slot) == missing.end())
      missing.push_back(slot);
  if (missing.empty())
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(auto memories, callback->getMemories(missing));
  if (memories.size() != missing.size())
    return badData("the client gave {} memories for {} slots", memories.size(),
                   missing.size());
  if (std::ranges::find(memories, nullptr) != memories.end())
    return badData("the client gave no memory for a slot");
  for (size_t i = 0; i < missing.size(); ++i)
    executor->addCacheEntry(missing[i], std::move(memories[i]));
  return Status::ok();
}

Status BurstServer::bind(std::span<const RequestDatum> packet) {
  // A client that executes with the same arguments again sends the same bytes.
  if (executor->isBound() && packet.size() == bound.size() &&
      std::memcmp(packet.data(), bound.data(), packet.size_bytes()) == 0)
    return Status::ok();
  bound.clear();
  NNHAL_RETURN_IF_ERROR(readPacket(packet, request));
  report(fetchMissing());
  NNHAL_RETURN_IF_ERROR(executor->bind(request));
  bound.assign(packet.begin(), packet.end());
  return Status::ok();
}

Status BurstServer::run(std::span<const RequestDatum> packet) {
  std::lock_guard lock(mutex);
  NNHAL_RETURN_IF_ERROR(bind(packet));
  return executor->execute(executed);
}

void BurstServer::execute(std::span<const RequestDatum> packet) {
  executed.outputShapes.clear();
  executed.timing = {};
  Status status = run(packet);
  report(status);
  result.status = status.code();
  // Shapes are reported with success and with outputs that are too small, times
  // with success alone.
  const bool isOk = result.status == StatusCode::none;
  if (!isOk && result.status != StatusCode::outputInsufficientSize)
    executed.outputShapes.clear();
  std::swap(result.outputShapes, executed.outputShapes);
  result.timing = isOk ? executed.timing : Timing();
  send();
}

void BurstServer::send() {
  writePacket(result, answer);
  if (answer.size() > results.capacity()) {
    writePacket({.status = StatusCode::generalFailure,
                 .outputShapes = {},
                 .timing = {}},
                answer);
  }
  // When this fails, too, there is nobody left to tell.
  (void)results.tryWrite(answer).isOk();
}

template <typename Datum>
static Result<FifoMemory> openQueue(const char *name, UniqueFd fd) {
  auto memory = FifoMemory::open(std::move(fd), sizeof(Datum));
  if (!memory.isOk())
    return failure("the queue of {} of a burst: {}", name,
                   memory.status().message());
  return memory;
}

Result<std::unique_ptr<BurstContext>>
nnhal::rt::serveBurst(std::unique_ptr<BurstExecutor> executor,
                      std::shared_ptr<BurstCallback> callback,
                      BurstChannels channels,
                      const BurstServerOptions &options) {
  if (!callback)
    return badData("a burst has no callback");
  NNHAL_ASSIGN_OR_RETURN(
      FifoMemory requests,
      openQueue<RequestDatum>("requests", std::move(channels.requests)));
  NNHAL_ASSIGN_OR_RETURN(
      FifoMemory results,
      openQueue<ResultDatum>("results", std::move(channels.results)));
  auto server = std::make_unique<BurstServer>(
      std::move(executor), std::move(callback), std::move(requests),
      std::move(results), options);
  NNHAL_RETURN_IF_ERROR(server->start());
  return Result<std::unique_ptr<BurstContext>>(std::move(server));
}
