//===- Burst.cpp - The client's end of a burst ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Burst.h"

#include "BurstSlots.h"
#include "Packets.h"
#include "Staging.h"

#include "Runtime/Fifo/Fifo.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

using namespace nnhal::rt;

namespace {
class BurstController final : public Burst {
public:
  BurstController(std::shared_ptr<const PreparedModel> model,
                  FifoMemory requests, FifoMemory results,
                  std::chrono::microseconds pollingWindow)
      : model(std::move(model)), staging(this->model->interface()),
        requests(std::move(requests)), results(std::move(results)),
        pollingWindow(pollingWindow) {
    // A request that was sent is answered: there is room for any answer before.
    answer.reserve(this->results.capacity());
  }
  /// Ends the server before the queues.
  ~BurstController() override {
    slots->onContextDeath(nullptr);
    context.reset();
  }

  Status start();

  Status execute(const Request &request, ExecutionResult &result) override;
  void freeMemory(const SharedMemory &memory) override;
  void invalidate() override {
    requests.close();
    results.close();
  }
  uint64_t ordinaryExecutions() const override {
    return ordinary.load(std::memory_order_relaxed);
  }

private:
  Status run(const Request &request, ExecutionResult &result);
  Result<bool> pack(const Request &request);
  template <typename Region>
  bool packArgument(const Region *region, uint64_t offset, uint64_t size,
                    BurstRequest::Operand &operand);
  Status send(bool &isSent);
  Status receive();
  void freeExpiredSlots();

  const std::shared_ptr<const PreparedModel> model;
  const std::shared_ptr<BurstSlots> slots = std::make_shared<BurstSlots>();
  Staging staging;
  FifoWriter<RequestDatum> requests;
  FifoReader<ResultDatum> results;
  const std::chrono::microseconds pollingWindow;
  std::unique_ptr<BurstContext> context;
  std::atomic<uint64_t> ordinary = 0;
  std::mutex executing; // Held by the one execution (G-007).

  // Kept for their memory from one execution to the next.
  BurstRequest packed;
  std::vector<const SharedMemory *> pools; // Those of packed.slots.
  std::vector<RequestDatum> packet;
  std::vector<ResultDatum> answer;
  BurstResult answered;
  std::vector<int32_t> expired;
};
} // namespace

Status BurstController::start() {
  slots->onContextDeath([this] { invalidate(); });
  NNHAL_ASSIGN_OR_RETURN(UniqueFd requestMemory, duplicate(requests.fd()));
  NNHAL_ASSIGN_OR_RETURN(UniqueFd resultMemory, duplicate(results.fd()));
  NNHAL_ASSIGN_OR_RETURN(
      context, model->configureBurst(
                   slots, {std::move(requestMemory), std::move(resultMemory)}));
  return Status::ok();
}

/// Puts an argument into \p operand that is in \p region, or staged at
/// \p offset with \p size bytes. False when no packet can state where it is.
template <typename Region>
bool BurstController::packArgument(const Region *region, uint64_t offset,
                                   uint64_t size,
                                   BurstRequest::Operand &operand) {
  if (region && region->padding != 0)
    return false;
  if (region)
    offset = region->offset;
  if (offset > UINT32_MAX || size > UINT32_MAX)
    return false;
  const auto &pool = region ? region->pool : staging.pool();
  auto found = std::ranges::find(pools, pool.get());
  operand.poolIndex = uint32_t(found - pools.begin());
  if (found == pools.end()) {
    pools.push_back(pool.get());
    packed.slots.push_back(slots->slotOf(pool));
  }
  operand.offset = uint32_t(offset);
  operand.length = uint32_t(size);
  return true;
}

/// Whether a packet cannot state what \p request asks for: more than its
/// arguments, buffers of the device, outputs without memory.
static bool needsOrdinaryExecution(const Request &request) {
  auto isInBuffer = [](const InputArgument &input) {
    return std::holds_alternative<Memory::DeviceToken>(input.memory.kind());
  };
  auto isNowhere = [](const OutputArgument &output) {
    return output.memory.isNone() ||
           std::holds_alternative<OutputMemory::DeviceToken>(
               output.memory.kind());
  };
  return request.deadline != noDeadline ||
         request.loopTimeout != defaultLoopTimeout ||
         request.measureOperations ||
         std::ranges::any_of(request.inputs, isInBuffer) ||
         std::ranges::any_of(request.outputs, isNowhere);
}

/// False for what a packet cannot state.
Result<bool> BurstController::pack(const Request &request) {
  if (!context || needsOrdinaryExecution(request))
    return false;
  NNHAL_RETURN_IF_ERROR(staging.stage(request));
  pools.clear();
  packed.slots.clear();
  packed.measureTiming = request.measureTiming;
  packed.inputs.resize(request.inputs.size());
  packed.outputs.resize(request.outputs.size());
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const InputArgument &input = request.inputs[i];
    BurstRequest::Operand &operand = packed.inputs[i];
    operand.dimensions = input.dimensions;
    operand.hasNoValue = input.memory.isNone();
    if (operand.hasNoValue)
      operand.poolIndex = operand.offset = operand.length = 0;
    else if (!packArgument(
                 std::get_if<Memory::Descriptor>(&input.memory.kind()),
                 staging.inputOffset(i), input.memory.size(), operand))
      return false;
  }
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const OutputArgument &output = request.outputs[i];
    BurstRequest::Operand &operand = packed.outputs[i];
    operand.dimensions = output.dimensions;
    if (!packArgument(std::get_if<OutputMemory::Region>(&output.memory.kind()),
                      staging.outputOffset(i), output.memory.size(), operand))
      return false;
  }
  return true;
}

Status BurstController::send(bool &isSent) {
  writePacket(packed, packet);
  Status status = requests.tryWrite(packet);
  isSent = status.isOk();
  // Only a server that takes requests without answering them leaves no room.
  bool isFull = status.code() == StatusCode::resourceExhaustedPersistent ||
                status.code() == StatusCode::resourceExhaustedTransient;
  return isSent || isFull ? Status::ok() : status;
}

Status BurstController::receive() {
  // A server that has just been woken may be put on the core of this thread,
  // and one that polls may be there. It runs once this thread sleeps, and would
  // wait for the end of the window if this one polled.
  auto window = requests.hasWoken() || results.isPeerOnThisCore()
                    ? std::chrono::microseconds(0)
                    : pollingWindow;
  NNHAL_RETURN_IF_ERROR(results.readBlocking(answer, window));
  return readPacket(answer, answered);
}

void BurstController::freeExpiredSlots() {
  slots->freeExpired(expired);
  for (int32_t slot : expired)
    context->freeMemory(slot);
}

static Status statusOf(StatusCode code) {
  if (code == StatusCode::none)
    return Status::ok();
  return Status(
      code, fmt::format("the server of the burst answered {}", toString(code)));
}

Status BurstController::run(const Request &request, ExecutionResult &result) {
  freeExpiredSlots();
  bool isSent = false;
  NNHAL_ASSIGN_OR_RETURN(bool isPacked, pack(request));
  if (isPacked)
    NNHAL_RETURN_IF_ERROR(send(isSent));
  if (!isSent) {
    ordinary.fetch_add(1, std::memory_order_relaxed);
    return model->execute(request, result);
  }
  result.timing = {};
  result.outputShapes.clear();
  result.operationTimes.clear();
  result.copiedBytes = 0;
  NNHAL_RETURN_IF_ERROR(receive());
  result.outputShapes = answered.outputShapes;
  result.timing = answered.timing;
  Status status = statusOf(answered.status);
  if (status.isOk())
    status = staging.collect(request, result.outputShapes);
  // The server may have found room for what the client has none for; with that
  // error, too, there are no durations (D-044).
  if (!status.isOk())
    result.timing = {};
  result.copiedBytes = staging.copiedBytes();
  return status;
}

Status BurstController::execute(const Request &request,
                                ExecutionResult &result) {
  std::unique_lock lock(executing, std::try_to_lock);
  if (!lock.owns_lock())
    return failure("another execution of the burst has not ended");
  if (requests.isClosed())
    return Status(StatusCode::deadObject, "the burst was invalidated");
  try {
    return run(request, result);
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory for a request of a burst");
  }
}

void BurstController::freeMemory(const SharedMemory &memory) {
  if (std::optional<int32_t> slot = slots->free(memory))
    context->freeMemory(*slot);
}

BurstOptions nnhal::rt::burstOptions(
    ExecutionPreference preference,
    const std::function<const char *(const char *)> &environment) {
  BurstOptions options;
  if (preference == ExecutionPreference::lowPower) {
    options.pollingWindow = std::chrono::microseconds(0);
    return options;
  }
  const char *text = environment("NNHAL_BURST_POLLING_WINDOW");
  const std::string_view stated = text ? text : "";
  const char *begin = stated.data(), *end = begin + stated.size();
  int64_t window = 0;
  auto [rest, error] = std::from_chars(begin, end, window);
  if (error == std::errc() && rest == end)
    options.pollingWindow =
        std::chrono::microseconds(std::clamp<int64_t>(window, 0, 1'000'000));
  return options;
}

Result<std::unique_ptr<Burst>>
Burst::create(std::shared_ptr<const PreparedModel> model,
              const BurstOptions &options) {
  NNHAL_ASSIGN_OR_RETURN(
      FifoMemory requests,
      FifoMemory::create(options.capacity, sizeof(RequestDatum)));
  NNHAL_ASSIGN_OR_RETURN(
      FifoMemory results,
      FifoMemory::create(options.capacity, sizeof(ResultDatum)));
  auto burst = std::make_unique<BurstController>(
      std::move(model), std::move(requests), std::move(results),
      options.pollingWindow);
  NNHAL_RETURN_IF_ERROR(burst->start());
  return Result<std::unique_ptr<Burst>>(std::move(burst));
}
