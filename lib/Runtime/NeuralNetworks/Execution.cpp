//===- Execution.cpp - Computations of an execution -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "Boundary.h"
#include "Library.h"

#include "nnhal/Runtime/Trace.h"

#include <algorithm>
#include <cstring>

using namespace nnhal;
using namespace nnhal::ndk;
using rt::Status;

/// Begins a computation; afterwards end() is called.
int ANeuralNetworksExecution::begin(rt::RecordedWay way) {
  if (Library::isForked())
    return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
  settle();
  State before = state.load();
  if (before == State::computing || (hasStarted && !isReusable))
    return ANEURALNETWORKS_BAD_STATE;
  // An argument may be set now, and the computation tried again (J-092).
  if (unset != 0)
    return ANEURALNETWORKS_BAD_DATA;
  if (!state.compare_exchange_strong(before, State::computing))
    return ANEURALNETWORKS_BAD_STATE;
  hasStarted = true;
  fenced = nullptr;
  fencedTiming = {};
  int prepared = guarded([&] { return prepareMemories(); });
  if (prepared != ANEURALNETWORKS_NO_ERROR) {
    code = prepared;
    state = State::completed;
    return code;
  }
  request.deadline = timeout == 0 ? rt::noDeadline : deadlineAfter(timeout);
  if (compilation.recorded())
    call = {way, std::chrono::steady_clock::now()};
  return ANEURALNETWORKS_NO_ERROR;
}

/// Whether the described memory of input \p index has been written with the
/// dimensions of the input (J-093, F-074).
bool ANeuralNetworksExecution::isReady(size_t index) const {
  const DescribedMemory &memory = *arguments[index].described;
  if (!memory.isInitialized())
    return false;
  const std::vector<uint32_t> &given = request.inputs[index].dimensions;
  return memory.dimensions() ==
         (given.empty() ? compilation.inputs()[index].tensor.dimensions
                        : given);
}

bool ANeuralNetworksExecution::sharesBytes(
    const rt::OutputMemory::Borrowed &output) const {
  for (const rt::InputArgument &input : request.inputs) {
    const auto *read = std::get_if<rt::Memory::Borrowed>(&input.memory.kind());
    if (read && std::less<>()(read->data, output.data + output.size) &&
        std::less<>()(output.data, read->data + read->size))
      return true;
  }
  return false;
}

int ANeuralNetworksExecution::prepareMemories() {
  size_t inputs = request.inputs.size();
  for (size_t i = 0; i < inputs; ++i)
    if (arguments[i].described && !isReady(i))
      return ANEURALNETWORKS_OP_FAILED;
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    Argument &argument = arguments[inputs + i];
    const auto *written = std::get_if<rt::OutputMemory::Borrowed>(
        &request.outputs[i].memory.kind());
    if (written && !argument.target && sharesBytes(*written)) {
      argument.target = written->data;
      argument.length = written->size;
    }
  }
  return copyArguments();
}

/// Gives the request memory of its own for pointers that it cannot have.
int ANeuralNetworksExecution::copyArguments() {
  for (size_t i = 0; i < arguments.size(); ++i) {
    Argument &argument = arguments[i];
    if (!argument.source && !argument.target)
      continue;
    if (argument.copy.size() < argument.length || !argument.copy.data()) {
      auto copy = rt::AlignedBuffer::allocate(argument.length);
      if (!copy.isOk())
        return ANEURALNETWORKS_OUT_OF_MEMORY;
      argument.copy = *std::move(copy);
    }
    std::span bytes(argument.copy.data(), argument.length);
    if (argument.source) {
      std::memcpy(bytes.data(), argument.source, argument.length);
      request.inputs[i].memory = rt::Memory::borrow(bytes);
    } else {
      request.outputs[i - request.inputs.size()].memory =
          rt::OutputMemory::borrow(bytes);
    }
  }
  return ANEURALNETWORKS_NO_ERROR;
}

/// Says what the described memories of outputs have now (F-075).
void ANeuralNetworksExecution::markOutputs(bool isOk) {
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    DescribedMemory *memory =
        arguments[request.inputs.size() + i].described.get();
    if (!memory)
      continue;
    std::span<const uint32_t> shape = shapeOfOutput(i);
    if (isOk)
      memory->setWritten({shape.begin(), shape.end()});
    else
      memory->setUninitialized();
  }
}

/// Ends a computation and returns its result code. With the last assignment a
/// reusable execution may begin another one, on another thread.
int ANeuralNetworksExecution::end(const Status &status) {
  bool isOk = status.isOk();
  int ended = isOk ? int(ANEURALNETWORKS_NO_ERROR)
                   : resultCodeOf(status, poolsOf(request));
  code = ended;
  for (Argument &argument : arguments)
    if (isOk && argument.target)
      std::memcpy(argument.target, argument.copy.data(), argument.length);
  markOutputs(isOk);
  // The client's memory may be gone when a fenced execution is looked at, which
  // has been recorded at its end.
  if (compilation.recorded() && !fenced)
    compilation.recorded()->record(request, status, result, call);
  state.store(State::completed, std::memory_order_release);
  return ended;
}

/// Ends a computation that was not launched.
void ANeuralNetworksExecution::fail(int why) {
  code = why;
  result.outputShapes.clear();
  markOutputs(false);
  state = State::completed;
}

template <typename Work>
int ANeuralNetworksExecution::conclude(Work &&work) noexcept {
  bool hasEnded = false;
  int concluded = guarded([&] {
    int ended = end(work());
    hasEnded = true;
    return ended;
  });
  if (!hasEnded) {
    code = concluded;
    state = State::completed;
  }
  return concluded;
}

/// Executes on a thread of the devices and waits for it (I-006).
Status ANeuralNetworksExecution::executeElsewhere() {
  Completion done;
  Status outcome;
  Status launched = compilation.prepared().executeAsync(
      request, [&](Status status, const rt::ExecutionResult &executed) {
        result = executed;
        outcome = std::move(status);
        done.set(ANEURALNETWORKS_NO_ERROR);
      });
  // A launch that fails tells its callback, too.
  (void)launched.isOk();
  (void)done.wait();
  return outcome;
}

int ANeuralNetworksExecution::compute() {
  rt::TraceSection section(compilation.library.tracer(),
                           rt::TraceLayer::runtime, rt::TracePhase::execution,
                           "ANeuralNetworksExecution_compute");
  if (int failed = begin(rt::RecordedWay::sync))
    return failed;
  return conclude([&] {
    return compilation.isSynchronous()
               ? compilation.prepared().execute(request, result)
               : executeElsewhere();
  });
}

int ANeuralNetworksExecution::computeInBurst(ANeuralNetworksBurst &burst) {
  rt::TraceSection section(compilation.library.tracer(),
                           rt::TraceLayer::runtime, rt::TracePhase::execution,
                           "ANeuralNetworksExecution_burstCompute");
  if (&burst.compilation != &compilation)
    return ANEURALNETWORKS_BAD_DATA;
  if (burst.isBusy.exchange(true))
    return ANEURALNETWORKS_BAD_STATE;
  int computed = begin(rt::RecordedWay::burst);
  if (computed == ANEURALNETWORKS_NO_ERROR)
    computed = conclude([&] { return burst.burst->execute(request, result); });
  burst.isBusy = false;
  return computed;
}

int ANeuralNetworksExecution::start(ANeuralNetworksEvent **event) {
  const Library &library = compilation.library;
  rt::TraceSpan span(library.tracer(), rt::TraceLayer::runtime,
                     rt::TracePhase::execution,
                     "ANeuralNetworksExecution_startCompute");
  auto completion = std::make_shared<Completion>();
  auto made = std::make_unique<Event>(completion);
  auto running = std::make_shared<rt::TraceSpan>(std::move(span));
  if (int failed = begin(rt::RecordedWay::async))
    return failed;
  if (library.settings().isStartSynchronous) {
    completion->set(conclude(
        [&] { return compilation.prepared().execute(request, result); }));
    *event = made.release();
    return ANEURALNETWORKS_NO_ERROR;
  }
  auto finish = [this, completion, running](
                    const Status &status, const rt::ExecutionResult &executed) {
    int ended = conclude([&] {
      result = executed;
      return status;
    });
    running->end();
    completion->set(ended);
  };
  // An execution that fails to be launched tells its callback so, and the event
  // says it (J-094).
  int launched = guarded([&]() -> int {
    (void)compilation.prepared().executeAsync(request, finish).isOk();
    return ANEURALNETWORKS_NO_ERROR;
  });
  // An exception comes before the launch.
  if (launched != ANEURALNETWORKS_NO_ERROR) {
    fail(launched);
    completion->set(launched);
  }
  *event = made.release();
  return ANEURALNETWORKS_NO_ERROR;
}

bool ANeuralNetworksExecution::hasPointerOutput() const {
  return std::ranges::any_of(request.outputs, [](const auto &output) {
    return std::holds_alternative<rt::OutputMemory::Borrowed>(
        output.memory.kind());
  });
}

/// Waits for the events without a fence, and lists the fences of the others
/// (J-103, D-066). The first failure of an event is returned.
static int collectFences(std::span<const ANeuralNetworksEvent *const> events,
                         std::vector<rt::FenceRef> &fences) {
  for (const ANeuralNetworksEvent *event : events) {
    if (event->fence) {
      fences.push_back(event->fence);
      continue;
    }
    int code = const_cast<ANeuralNetworksEvent *>(event)->wait();
    if (code != ANEURALNETWORKS_NO_ERROR)
      return code;
  }
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution::startAfter(
    std::span<const ANeuralNetworksEvent *const> dependencies,
    uint64_t duration, ANeuralNetworksEvent **event) {
  rt::TraceSection section(
      compilation.library.tracer(), rt::TraceLayer::runtime,
      rt::TracePhase::execution,
      "ANeuralNetworksExecution_startComputeWithDependencies");
  if (duration != 0 && !compilation.hasOneListedDevice())
    return ANEURALNETWORKS_BAD_DATA;
  if (compilation.hasOpenOutput() || unset != 0)
    return ANEURALNETWORKS_BAD_DATA;
  if (hasStarted && !isReusable)
    return ANEURALNETWORKS_BAD_STATE;
  std::vector<rt::FenceRef> fences;
  if (int failed = collectFences(dependencies, fences))
    return failed;
  if (int failed = begin(rt::RecordedWay::fenced))
    return failed;
  bool arePending = std::ranges::any_of(fences, [](const auto &fence) {
    return fence->poll() == rt::FenceState::active;
  });
  std::unique_ptr<Event> made;
  int launched = guarded([&]() -> int {
    Pools pools = poolsOf(request);
    auto execution = compilation.prepared().executeFenced(
        request, std::move(fences),
        duration != 0 ? std::optional(duration) : std::nullopt);
    if (!execution.isOk())
      return resultCodeOf(execution.status(), pools);
    fenced = *std::move(execution);
    if (compilation.recorded())
      fenced = compilation.recorded()->recordFenced(request, std::move(fenced),
                                                    call.begin);
    made = std::make_unique<Event>(fenced, std::move(pools));
    return ANEURALNETWORKS_NO_ERROR;
  });
  if (!made) {
    fenced = nullptr;
    fail(launched);
    return launched;
  }
  // An execution that waits for this one finds its outputs written, with the
  // dimensions that the request states.
  result.outputShapes.clear();
  markOutputs(true);
  // Outputs behind pointers are there when the function returns (D-069), unless
  // the caller has still to signal what the execution waits for. Copies are
  // made by nobody else.
  bool hasCopies = std::ranges::any_of(
      arguments, [](const Argument &argument) { return argument.target; });
  if (made->fence && (hasCopies || (hasPointerOutput() && !arePending))) {
    Status ended = made->fence->wait(rt::noDeadline);
    (void)ended.isOk(); // The event says it.
  }
  settle();
  *event = made.release();
  return ANEURALNETWORKS_NO_ERROR;
}

/// Ends a computation whose fence has signaled.
void ANeuralNetworksExecution::settle() {
  if (!fenced || state != State::computing)
    return;
  rt::FenceRef fence = fenced->fence();
  if (fence && fence->poll() == rt::FenceState::active)
    return;
  rt::ExecutionInfo info = fenced->executionInfo();
  result.outputShapes.clear(); // The dimensions of outputs are known (D-050).
  result.timing = info.timingLaunched;
  fencedTiming = info.timingFenced;
  (void)end(info.status);
}

bool ANeuralNetworksExecution::isComputing() {
  settle();
  return state == State::computing;
}
