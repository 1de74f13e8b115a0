//===- NdkPreparedModel.cpp - Executions by the NDK API -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NdkPreparedModel.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>
#include <span>
#include <sys/mman.h>
#include <thread>

using namespace nnhal;
using namespace nnhal::test;
using rt::Result;
using rt::Status;

namespace nnhal::test {

/// One execution object, with the memory of its arguments.
class NdkExecutionOf {
public:
  explicit NdkExecutionOf(const NdkPreparedModel &prepared)
      : prepared(prepared) {}

  Status bind(const rt::Request &request);
  Status compute();
  Result<NdkEvent> start();
  Result<NdkEvent>
  startAfter(std::span<const ANeuralNetworksEvent *const> dependencies,
             uint64_t duration);
  /// Copies outputs from memory, and reads what the execution reports.
  Status finish(Status status, const rt::Request &request,
                rt::ExecutionResult &result);

private:
  Status bindInput(int32_t index, const rt::InputArgument &argument);
  Status bindOutput(int32_t index, const rt::OutputArgument &argument);
  Result<ANeuralNetworksMemory *> addMemory(size_t size);
  Result<rt::OutputShape> shapeOf(int32_t index) const;
  ANeuralNetworksOperandType typeOf(uint32_t operand,
                                    const std::vector<uint32_t> &dimensions);

  /// Memory that an argument lies in.
  struct Place {
    std::shared_ptr<rt::SharedMemory> pool;
    NdkMemory memory;
    int32_t output = -1;
  };

  const NdkPreparedModel &prepared;
  NdkExecution execution;
  std::vector<Place> places;
  bool measures = false;
};

} // namespace nnhal::test

ANeuralNetworksOperandType
NdkExecutionOf::typeOf(uint32_t operand,
                       const std::vector<uint32_t> &dimensions) {
  ANeuralNetworksOperandType type =
      operandTypeOf(prepared.source().main.operands[operand]);
  type.dimensionCount = uint32_t(dimensions.size());
  type.dimensions = dimensions.empty() ? nullptr : dimensions.data();
  return type;
}

Result<ANeuralNetworksMemory *> NdkExecutionOf::addMemory(size_t size) {
  Place place;
  NNHAL_ASSIGN_OR_RETURN(place.pool, rt::SharedMemory::createAshmem(size));
  ANeuralNetworksMemory *made = nullptr;
  NNHAL_NDK(ANeuralNetworksMemory_createFromFd, size, PROT_READ | PROT_WRITE,
            place.pool->fd(), 0, &made);
  place.memory.reset(made);
  places.push_back(std::move(place));
  return made;
}

Status NdkExecutionOf::bindInput(int32_t index,
                                 const rt::InputArgument &argument) {
  ANeuralNetworksExecution *handle = execution.get();
  if (argument.memory.isNone()) {
    NNHAL_NDK(ANeuralNetworksExecution_setInput, handle, index, nullptr,
              nullptr, 0);
    return Status::ok();
  }
  ANeuralNetworksOperandType type = typeOf(
      prepared.source().main.inputIndexes[size_t(index)], argument.dimensions);
  const ANeuralNetworksOperandType *stated =
      argument.dimensions.empty() ? nullptr : &type;
  if (const auto *token =
          std::get_if<rt::Memory::DeviceToken>(&argument.memory.kind())) {
    NdkBufferMemory buffer = memoryOfToken(token->token);
    NNHAL_NDK(ANeuralNetworksExecution_setInputFromMemory, handle, index,
              stated, buffer.memory, 0, buffer.length);
    return Status::ok();
  }
  NNHAL_ASSIGN_OR_RETURN(rt::Memory memory, argument.memory.materialize());
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, memory.bytes());
  if (!prepared.use.useMemory || bytes.empty()) {
    // An empty tensor is not an omitted one: its pointer is not null.
    static constexpr std::byte nothing{};
    NNHAL_NDK(ANeuralNetworksExecution_setInput, handle, index, stated,
              bytes.empty() ? &nothing : bytes.data(), bytes.size());
    return Status::ok();
  }
  NNHAL_ASSIGN_OR_RETURN(ANeuralNetworksMemory * place,
                         addMemory(bytes.size()));
  NNHAL_RETURN_IF_ERROR(places.back().pool->write(0, bytes));
  NNHAL_NDK(ANeuralNetworksExecution_setInputFromMemory, handle, index, stated,
            place, 0, bytes.size());
  return Status::ok();
}

Status NdkExecutionOf::bindOutput(int32_t index,
                                  const rt::OutputArgument &argument) {
  ANeuralNetworksExecution *handle = execution.get();
  ANeuralNetworksOperandType type = typeOf(
      prepared.source().main.outputIndexes[size_t(index)], argument.dimensions);
  const ANeuralNetworksOperandType *stated =
      argument.dimensions.empty() ? nullptr : &type;
  if (const auto *token =
          std::get_if<rt::OutputMemory::DeviceToken>(&argument.memory.kind())) {
    NdkBufferMemory buffer = memoryOfToken(token->token);
    NNHAL_NDK(ANeuralNetworksExecution_setOutputFromMemory, handle, index,
              stated, buffer.memory, 0, buffer.length);
    return Status::ok();
  }
  const auto *borrowed =
      std::get_if<rt::OutputMemory::Borrowed>(&argument.memory.kind());
  if (!borrowed) {
    NNHAL_NDK(ANeuralNetworksExecution_setOutput, handle, index, stated,
              nullptr, 0);
    return Status::ok();
  }
  if (!prepared.use.useMemory || borrowed->size == 0) {
    static std::byte nothing{};
    NNHAL_NDK(ANeuralNetworksExecution_setOutput, handle, index, stated,
              borrowed->size == 0 ? &nothing : borrowed->data, borrowed->size);
    return Status::ok();
  }
  NNHAL_ASSIGN_OR_RETURN(ANeuralNetworksMemory * place,
                         addMemory(borrowed->size));
  places.back().output = index;
  NNHAL_NDK(ANeuralNetworksExecution_setOutputFromMemory, handle, index, stated,
            place, 0, borrowed->size);
  return Status::ok();
}

Status NdkExecutionOf::bind(const rt::Request &request) {
  ANeuralNetworksExecution *made = nullptr;
  NNHAL_NDK(ANeuralNetworksExecution_create, prepared.compilation.get(), &made);
  execution.reset(made);
  for (size_t i = 0; i < request.inputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(bindInput(int32_t(i), request.inputs[i])
                              .withContext(fmt::format("input {}", i)));
  for (size_t i = 0; i < request.outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(bindOutput(int32_t(i), request.outputs[i])
                              .withContext(fmt::format("output {}", i)));
  if (request.loopTimeout != rt::defaultLoopTimeout)
    NNHAL_NDK(ANeuralNetworksExecution_setLoopTimeout, made,
              request.loopTimeout);
  if (request.deadline != rt::noDeadline)
    NNHAL_NDK(
        ANeuralNetworksExecution_setTimeout, made,
        uint64_t(std::max<int64_t>(1, request.deadline - rt::steadyNow())));
  measures = request.measureTiming && prepared.canMeasure;
  if (measures)
    NNHAL_NDK(ANeuralNetworksExecution_setMeasureTiming, made, true);
  return Status::ok();
}

Status NdkExecutionOf::compute() {
  if (!prepared.burst)
    return statusOf(ANeuralNetworksExecution_compute(execution.get()),
                    "ANeuralNetworksExecution_compute");
  std::scoped_lock lock(prepared.burstMutex);
  return statusOf(ANeuralNetworksExecution_burstCompute(execution.get(),
                                                        prepared.burst.get()),
                  "ANeuralNetworksExecution_burstCompute");
}

Result<NdkEvent> NdkExecutionOf::start() {
  ANeuralNetworksEvent *event = nullptr;
  NNHAL_NDK(ANeuralNetworksExecution_startCompute, execution.get(), &event);
  return NdkEvent(event);
}

Result<NdkEvent> NdkExecutionOf::startAfter(
    std::span<const ANeuralNetworksEvent *const> dependencies,
    uint64_t duration) {
  ANeuralNetworksEvent *event = nullptr;
  NNHAL_NDK(ANeuralNetworksExecution_startComputeWithDependencies,
            execution.get(), dependencies.data(), uint32_t(dependencies.size()),
            duration, &event);
  return NdkEvent(event);
}

Result<rt::OutputShape> NdkExecutionOf::shapeOf(int32_t index) const {
  rt::OutputShape shape;
  uint32_t rank = 0;
  int code = ANeuralNetworksExecution_getOutputOperandRank(execution.get(),
                                                           index, &rank);
  shape.isSufficient = code != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
  if (shape.isSufficient)
    NNHAL_RETURN_IF_ERROR(
        statusOf(code, "ANeuralNetworksExecution_getOutputOperandRank"));
  shape.dimensions.resize(rank);
  if (rank == 0)
    return shape;
  code = ANeuralNetworksExecution_getOutputOperandDimensions(
      execution.get(), index, shape.dimensions.data());
  if (code != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
    NNHAL_RETURN_IF_ERROR(
        statusOf(code, "ANeuralNetworksExecution_getOutputOperandDimensions"));
  return shape;
}

Status NdkExecutionOf::finish(Status status, const rt::Request &request,
                              rt::ExecutionResult &result) {
  result = {};
  if (!status.isOk() && status.code() != rt::StatusCode::outputInsufficientSize)
    return status;
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(rt::OutputShape shape, shapeOf(int32_t(i)));
    result.outputShapes.push_back(std::move(shape));
  }
  if (!status.isOk())
    return status;
  for (const Place &place : places)
    if (place.output >= 0) {
      const auto &target = std::get<rt::OutputMemory::Borrowed>(
          request.outputs[size_t(place.output)].memory.kind());
      NNHAL_RETURN_IF_ERROR(
          place.pool->read(0, std::span(target.data, target.size)));
    }
  auto durationOf = [&](int32_t code) {
    uint64_t nanoseconds = UINT64_MAX;
    int answer = ANeuralNetworksExecution_getDuration(execution.get(), code,
                                                      &nanoseconds);
    return answer != ANEURALNETWORKS_NO_ERROR || nanoseconds == UINT64_MAX
               ? rt::noTiming
               : nanoseconds / 1000;
  };
  if (measures) {
    result.timing.timeOnDevice =
        durationOf(ANEURALNETWORKS_DURATION_ON_HARDWARE);
    result.timing.timeInDriver = durationOf(ANEURALNETWORKS_DURATION_IN_DRIVER);
  }
  return status;
}

Result<rt::PreparedModelRef> NdkPreparedModel::create(
    const NdkUse &use, std::unique_ptr<const rt::AnnotatedModel> model,
    FedModel fed, NdkCompilation compilation, bool canMeasure) {
  std::shared_ptr<NdkPreparedModel> made(new NdkPreparedModel);
  made->use = use;
  made->description = rt::interfaceOf(*model);
  made->model = std::move(model);
  made->fed = std::move(fed);
  made->compilation = std::move(compilation);
  made->canMeasure = canMeasure;
  if (use.useBurst) {
    ANeuralNetworksBurst *burst = nullptr;
    NNHAL_NDK(ANeuralNetworksBurst_create, made->compilation.get(), &burst);
    made->burst.reset(burst);
  }
  return rt::PreparedModelRef(std::move(made));
}

static Status executeOnce(const NdkPreparedModel &prepared,
                          const rt::Request &request,
                          rt::ExecutionResult &result) {
  NdkExecutionOf execution(prepared);
  NNHAL_RETURN_IF_ERROR(execution.bind(request));
  return execution.finish(execution.compute(), request, result);
}

/// Executes \p request into outputs of its own and compares them with those of
/// \p request, which are written.
static Status executeLike(const NdkPreparedModel &prepared,
                          const rt::Request &request) {
  rt::Request own = request;
  std::vector<std::vector<std::byte>> outputs;
  for (rt::OutputArgument &output : own.outputs) {
    outputs.emplace_back(output.memory.size());
    output.memory = rt::OutputMemory::borrow(outputs.back());
  }
  rt::ExecutionResult result;
  NNHAL_RETURN_IF_ERROR(executeOnce(prepared, own, result));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto &expected =
        std::get<rt::OutputMemory::Borrowed>(request.outputs[i].memory.kind());
    if (!std::ranges::equal(outputs[i],
                            std::span(expected.data, expected.size)))
      return rt::failure("output {} differs from that of another thread", i);
  }
  return Status::ok();
}

Status NdkPreparedModel::execute(const rt::Request &request,
                                 rt::ExecutionResult &result) const {
  NNHAL_RETURN_IF_ERROR(executeOnce(*this, request, result));
  bool isPlain = std::ranges::all_of(request.outputs, [](const auto &output) {
    return std::holds_alternative<rt::OutputMemory::Borrowed>(
        output.memory.kind());
  });
  if (use.threads <= 1 || !isPlain)
    return Status::ok();
  std::vector<Status> statuses(use.threads);
  std::vector<std::thread> threads;
  for (Status &status : statuses)
    threads.emplace_back([&, this] { status = executeLike(*this, request); });
  for (std::thread &thread : threads)
    thread.join();
  for (Status &status : statuses)
    NNHAL_RETURN_IF_ERROR(std::move(status));
  return Status::ok();
}

Status NdkPreparedModel::executeAsync(rt::Request request,
                                      rt::ExecutionCallback callback) const {
  NdkExecutionOf execution(*this);
  rt::ExecutionResult result;
  Status status = execution.bind(request);
  if (status.isOk()) {
    auto event = execution.start();
    status = event.isOk() ? statusOf(ANeuralNetworksEvent_wait(event->get()),
                                     "ANeuralNetworksEvent_wait")
                          : event.status();
    status = execution.finish(std::move(status), request, result);
  }
  callback(status, result);
  return Status::ok();
}

namespace {

/// A fenced execution that has ended.
class EndedExecution final : public rt::FencedExecution {
public:
  explicit EndedExecution(rt::FenceRef end, rt::ExecutionInfo info)
      : end(std::move(end)), info(std::move(info)) {}
  rt::FenceRef fence() const override { return end; }
  rt::ExecutionInfo executionInfo() const override { return info; }

private:
  rt::FenceRef end;
  rt::ExecutionInfo info;
};

} // namespace

Result<std::shared_ptr<rt::FencedExecution>>
NdkPreparedModel::executeFenced(rt::Request request,
                                std::vector<rt::FenceRef> waitFor,
                                std::optional<uint64_t> duration) const {
  std::vector<NdkEvent> owned;
  std::vector<const ANeuralNetworksEvent *> dependencies;
  for (const rt::FenceRef &fence : waitFor) {
    if (!fence)
      continue;
    NNHAL_ASSIGN_OR_RETURN(rt::UniqueFd descriptor, fence->share());
    ANeuralNetworksEvent *event = nullptr;
    NNHAL_NDK(ANeuralNetworksEvent_createFromSyncFenceFd, descriptor.get(),
              &event);
    owned.emplace_back(event);
    dependencies.push_back(event);
  }
  NdkExecutionOf execution(*this);
  NNHAL_RETURN_IF_ERROR(execution.bind(request));
  NNHAL_ASSIGN_OR_RETURN(
      NdkEvent event, execution.startAfter(dependencies, duration.value_or(0)));
  Status status = statusOf(ANeuralNetworksEvent_wait(event.get()),
                           "ANeuralNetworksEvent_wait");
  rt::ExecutionResult result;
  rt::ExecutionInfo info;
  info.status = execution.finish(std::move(status), request, result);
  info.timingLaunched = info.timingFenced = result.timing;
  rt::FenceRef end;
  if (!info.status.isOk()) {
    NNHAL_ASSIGN_OR_RETURN(end, rt::Fence::create());
    end->complete(info.status);
  }
  return std::shared_ptr<rt::FencedExecution>(
      std::make_shared<EndedExecution>(std::move(end), std::move(info)));
}
