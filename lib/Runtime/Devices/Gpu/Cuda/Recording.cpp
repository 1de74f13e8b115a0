//===- Recording.cpp - The commands of a program, recorded ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"

#include "Runtime/Support/Errors.h"

#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::cuda;

using Clock = std::chrono::steady_clock;

/// An execution is asked for its end without a pause as long as most take.
static constexpr auto busyTime = std::chrono::microseconds(200);
/// Later there is a pause between two questions.
static constexpr auto pauseTime = std::chrono::microseconds(20);

Result<Recording>
Recording::create(std::shared_ptr<const LoadedProgram> program) {
  Recording recording(std::move(program));
  const EngineRef &engine = recording.program->engine;
  ContextScope scope(*engine);
  CUstream made = nullptr;
  NNHAL_RETURN_IF_ERROR(engine->check(
      engine->functions().StreamCreate(&made, CU_STREAM_NON_BLOCKING),
      "cuStreamCreate"));
  recording.stream = {engine, made};
  NNHAL_RETURN_IF_ERROR(recording.createEvent(recording.begin));
  NNHAL_RETURN_IF_ERROR(recording.createEvent(recording.end));
  return recording;
}

Status Recording::createEvent(OwnedEvent &event) const {
  const EngineRef &engine = program->engine;
  CUevent made = nullptr;
  NNHAL_RETURN_IF_ERROR(
      engine->check(engine->functions().EventCreate(&made, CU_EVENT_DEFAULT),
                    "cuEventCreate"));
  event = {engine, made};
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

CUdeviceptr Recording::place(const GpuBinding &binding) const {
  switch (binding.space) {
  case GpuSpace::input:
    return recorded.inputs[binding.argument].address + binding.offset;
  case GpuSpace::output:
    return recorded.outputs[binding.argument].address + binding.offset;
  case GpuSpace::constants:
    return program->constants.address() + binding.offset;
  case GpuSpace::arena:
    return recorded.arena + binding.offset;
  case GpuSpace::status:
    return recorded.status + binding.offset;
  }
  return 0;
}

/// The commands of a stream are executed one after another, so that barriers
/// are there already.
Status Recording::enqueueCommand(const GpuCommand &command) const {
  Engine &engine = *program->engine;
  const Functions &call = engine.functions();
  std::vector<CUdeviceptr> places;
  places.reserve(command.bindings.size());
  for (const GpuBinding &binding : command.bindings)
    places.push_back(place(binding));
  switch (command.kind) {
  case GpuCommandKind::dispatch: {
    std::vector<void *> parameters;
    parameters.reserve(places.size());
    for (CUdeviceptr &address : places)
      parameters.push_back(&address);
    const auto &[x, y, z] = command.groups;
    const GpuKernel &kernel = program->program.kernels[command.kernel];
    return engine.check(
        call.LaunchKernel(program->kernels.function(command.kernel), x, y, z,
                          kernel.workgroupSize, 1, 1, 0, stream.get(),
                          parameters.data(), nullptr),
        "cuLaunchKernel");
  }
  case GpuCommandKind::copy:
    return engine.check(call.MemcpyDtoDAsync(places[1], places[0],
                                             command.bindings[0].size,
                                             stream.get()),
                        "cuMemcpyDtoDAsync");
  case GpuCommandKind::fill:
    return engine.check(
        call.MemsetD32Async(places[0], command.fillWord,
                            command.bindings[0].size / sizeof(uint32_t),
                            stream.get()),
        "cuMemsetD32Async");
  case GpuCommandKind::barrier:
  case GpuCommandKind::branch:
  case GpuCommandKind::jump:
  case GpuCommandKind::loop:
  case GpuCommandKind::repeat:
    break;
  }
  return Status::ok();
}

Status Recording::enqueueCommands(const Segment &segment) const {
  Engine &engine = *program->engine;
  size_t events = 0;
  auto stamp = [&] {
    if (!isTimed)
      return Status::ok();
    return engine.check(engine.functions().EventRecord(
                            segment.events[events++].get(), stream.get()),
                        "cuEventRecord");
  };
  NNHAL_RETURN_IF_ERROR(stamp());
  const GpuCommand *last = nullptr;
  for (uint32_t number : segment.table.commands) {
    const GpuCommand &command = program->program.commands[number];
    if (command.kind == GpuCommandKind::barrier)
      continue;
    if (last && last->operation != command.operation)
      NNHAL_RETURN_IF_ERROR(stamp());
    last = &command;
    NNHAL_RETURN_IF_ERROR(enqueueCommand(command));
  }
  return last ? stamp() : Status::ok();
}

Status Recording::enqueueInputs() const {
  Engine &engine = *program->engine;
  auto copy = [&](const Location &place, uint64_t size) {
    if (!place.staged || size == 0)
      return Status::ok();
    return engine.check(engine.functions().MemcpyHtoDAsync(
                            place.address, place.staged, size, stream.get()),
                        "cuMemcpyHtoDAsync");
  };
  for (size_t i = 0; i < recorded.inputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(copy(recorded.inputs[i], program->inputSizes[i]));
  return copy({recorded.status, recorded.firstStatus}, program->statusSize());
}

/// The host reads the status after every segment.
Status Recording::enqueueOutputs(bool isLast) const {
  Engine &engine = *program->engine;
  auto copy = [&](const Location &place, uint64_t size) {
    if (!place.staged || size == 0)
      return Status::ok();
    return engine.check(engine.functions().MemcpyDtoHAsync(
                            place.staged, place.address, size, stream.get()),
                        "cuMemcpyDtoHAsync");
  };
  for (size_t i = 0; isLast && i < recorded.outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(copy(recorded.outputs[i], program->outputSizes[i]));
  return copy({recorded.status, recorded.lastStatus}, gpuStatusSize);
}

Status Recording::enqueue(const Segment &segment) const {
  if (segment.table.first == 0)
    NNHAL_RETURN_IF_ERROR(enqueueInputs());
  NNHAL_RETURN_IF_ERROR(enqueueCommands(segment));
  return enqueueOutputs(segment.table.end == program->program.commands.size());
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Status Recording::prepare(const Locations &locations, bool timesOperations) {
  const EngineRef &engine = program->engine;
  NNHAL_RETURN_IF_ERROR(engine->checkAlive());
  ContextScope scope(*engine);
  isTimed = timesOperations;
  if (!(locations == recorded)) {
    for (auto &[first, segment] : segments)
      segment.graph.reset();
    recorded = locations;
  }
  return segmentAt(0).status();
}

Result<Recording::Segment *> Recording::segmentAt(uint32_t first) {
  Segment &segment = segmentIn(segments, program->program.commands, first);
  if (isTimed && segment.events.empty())
    NNHAL_RETURN_IF_ERROR(createEvents(segment));
  if (!isTimed && !segment.graph.get())
    NNHAL_RETURN_IF_ERROR(record(segment));
  return &segment;
}

Status Recording::createEvents(Segment &segment) const {
  std::vector<OwnedEvent> events(segment.table.runs.size() + 1);
  for (OwnedEvent &event : events)
    NNHAL_RETURN_IF_ERROR(createEvent(event));
  segment.events = std::move(events);
  return Status::ok();
}

Status Recording::record(Segment &segment) const {
  const EngineRef &engine = program->engine;
  const Functions &call = engine->functions();
  NNHAL_RETURN_IF_ERROR(
      engine->check(call.StreamBeginCapture(
                        stream.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                    "cuStreamBeginCapture"));
  Status status = enqueue(segment);
  // A capture ends also where it has failed.
  CUgraph made = nullptr;
  CUresult result = call.StreamEndCapture(stream.get(), &made);
  Owned<CUgraph, &Functions::GraphDestroy> captured(engine, made);
  NNHAL_RETURN_IF_ERROR(std::move(status));
  NNHAL_RETURN_IF_ERROR(engine->check(result, "cuStreamEndCapture"));
  CUgraphExec executable = nullptr;
  NNHAL_RETURN_IF_ERROR(
      engine->check(call.GraphInstantiate(&executable, made, 0),
                    "cuGraphInstantiateWithFlags"));
  segment.graph = {engine, executable};
  return Status::ok();
}

Result<uint32_t> Recording::submit(uint32_t first) {
  Engine &engine = *program->engine;
  NNHAL_RETURN_IF_ERROR(engine.checkAlive());
  const Functions &call = engine.functions();
  ContextScope scope(engine);
  NNHAL_ASSIGN_OR_RETURN(submitted, segmentAt(first));
  NNHAL_RETURN_IF_ERROR(engine.check(
      call.EventRecord(begin.get(), stream.get()), "cuEventRecord"));
  if (isTimed) {
    Status status = enqueue(*submitted);
    if (!status.isOk()) {
      finish(); // Some commands may have begun.
      return status;
    }
  } else {
    NNHAL_RETURN_IF_ERROR(
        engine.check(call.GraphLaunch(submitted->graph.get(), stream.get()),
                     "cuGraphLaunch"));
  }
  Status status =
      engine.check(call.EventRecord(end.get(), stream.get()), "cuEventRecord");
  if (!status.isOk()) {
    finish();
    return status;
  }
  return submitted->table.end;
}

Result<bool> Recording::wait(std::chrono::nanoseconds limit) {
  Engine &engine = *program->engine;
  ContextScope scope(engine);
  Clock::time_point first = Clock::now();
  while (true) {
    CUresult result = engine.functions().EventQuery(end.get());
    if (result == CUDA_SUCCESS)
      return true;
    if (result != CUDA_ERROR_NOT_READY)
      return engine.check(result, "cuEventQuery");
    Clock::duration passed = Clock::now() - first;
    if (passed >= limit)
      return false;
    if (passed >= busyTime)
      std::this_thread::sleep_for(pauseTime);
  }
}

void Recording::finish() noexcept {
  const Engine &engine = *program->engine;
  ContextScope scope(engine);
  (void)engine.functions().StreamSynchronize(stream.get());
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

std::optional<int64_t> Recording::between(const OwnedEvent &first,
                                          const OwnedEvent &last) const {
  const Engine &engine = *program->engine;
  ContextScope scope(engine);
  float milliseconds = 0;
  if (engine.functions().EventElapsedTime(&milliseconds, first.get(),
                                          last.get()) != CUDA_SUCCESS)
    return std::nullopt;
  return int64_t(double(milliseconds) * 1e6);
}

int64_t Recording::elapsed() const { return between(begin, end).value_or(-1); }

void Recording::reportOperations(OperationObserver &observer,
                                 int64_t start) const {
  if (!isTimed)
    return;
  int64_t time = start;
  const std::vector<uint32_t> &runs = submitted->table.runs;
  const std::vector<OwnedEvent> &events = submitted->events;
  for (size_t i = 0; i < runs.size(); ++i) {
    std::optional<int64_t> passed = between(events[i], events[i + 1]);
    if (!passed)
      return;
    if (runs[i] != UINT32_MAX)
      observer.took(runs[i], time, time + *passed);
    time += *passed;
  }
}
