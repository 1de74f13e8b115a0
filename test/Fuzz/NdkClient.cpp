//===- NdkClient.cpp - A client of the NDK that reads its calls -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NdkClient.h"

#include "FuzzTarget.h"

#include <array>
#include <cstring>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace nnhal::rt::fuzz {

/// The most bytes of one argument (L-080), and the most elements of a tensor: a
/// device computes what it is told, and no input is to take seconds.
static constexpr size_t maxBytes = 1 << 14;
static constexpr uint64_t maxElements = 1 << 12;

static void check(int code) {
  require(code >= 0 && code <= ANEURALNETWORKS_DEAD_OBJECT &&
              code != ANEURALNETWORKS_INCOMPLETE,
          "a call returns a code that there is not");
}

static const ANeuralNetworksDevice *reference() {
  static const ANeuralNetworksDevice *device = [] {
    uint32_t count = 0;
    check(ANeuralNetworks_getDeviceCount(&count));
    for (uint32_t i = 0; i < count; ++i) {
      ANeuralNetworksDevice *found = nullptr;
      const char *name = nullptr;
      check(ANeuralNetworks_getDevice(i, &found));
      check(ANeuralNetworksDevice_getName(found, &name));
      if (name == std::string_view("nnapi-reference"))
        return found;
    }
    require(false, "there is no nnapi-reference");
    return static_cast<ANeuralNetworksDevice *>(nullptr);
  }();
  return device;
}

template <typename T> T *NdkClient::pick(const std::vector<T *> &list) {
  auto which = in.number<uint8_t>();
  if (list.empty() || which == 255)
    return nullptr;
  // 0 is the last one that was made.
  return list[list.size() - 1 - which % list.size()];
}

std::span<std::byte> NdkClient::keep(std::span<const std::byte> bytes,
                                     size_t size) {
  std::vector<std::byte> &buffer = kept.emplace_back(std::max<size_t>(size, 1));
  if (!bytes.empty())
    std::memcpy(buffer.data(), bytes.data(), std::min(size, bytes.size()));
  return std::span(buffer).first(size);
}

NdkType NdkClient::type() {
  NdkType type;
  type.code = in.number<int32_t>();
  auto rank = in.number<uint8_t>();
  type.hasDimensions = rank < 128;
  uint64_t elements = 1;
  for (uint32_t i = 0; i < rank % 16u; ++i) {
    auto extent = in.number<uint32_t>();
    elements *= std::max<uint32_t>(extent, 1);
    if (elements > maxElements && extent < (1u << 30)) {
      extent = 1;
      elements = maxElements;
    }
    type.dimensions.push_back(extent);
  }
  type.scale = in.number<float>();
  type.zeroPoint = in.number<int32_t>();
  return type;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

void NdkClient::createModel() {
  ANeuralNetworksModel *model = nullptr;
  check(ANeuralNetworksModel_create(&model));
  if (model)
    models.push_back(model);
}

void NdkClient::addOperand() {
  ANeuralNetworksModel *model = pick(models);
  NdkType operand = type();
  ANeuralNetworksOperandType view = operand.view();
  check(ANeuralNetworksModel_addOperand(model, &view));
}

void NdkClient::setValue() {
  ANeuralNetworksModel *model = pick(models);
  auto index = in.number<int32_t>();
  size_t length = in.number<uint16_t>();
  if (length == 0xFFFF) {
    check(ANeuralNetworksModel_setOperandValue(model, index, nullptr, 0));
    return;
  }
  length = std::min(length, maxBytes);
  std::span<std::byte> bytes = keep(in.take(length), length);
  check(ANeuralNetworksModel_setOperandValue(model, index, bytes.data(),
                                             bytes.size()));
}

void NdkClient::setChannels() {
  ANeuralNetworksModel *model = pick(models);
  auto index = in.number<int32_t>();
  auto dimension = in.number<uint32_t>();
  auto scales = in.numbers<float>(in.number<uint8_t>());
  ANeuralNetworksSymmPerChannelQuantParams params = {
      dimension, uint32_t(scales.size()), scales.data()};
  check(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, index,
                                                                 &params));
}

/// The value 0xFFFF stands for an index that there is not.
static std::vector<uint32_t> indexesOf(ByteReader &in, size_t count) {
  std::vector<uint32_t> indexes;
  for (size_t i = 0; i < count; ++i) {
    auto index = in.number<uint16_t>();
    indexes.push_back(index == 0xFFFF ? UINT32_MAX : index);
  }
  return indexes;
}

void NdkClient::addOperation() {
  ANeuralNetworksModel *model = pick(models);
  auto code = in.number<int32_t>();
  auto inputCount = in.number<uint8_t>();
  auto outputCount = in.number<uint8_t>();
  std::vector<uint32_t> inputs = indexesOf(in, inputCount);
  std::vector<uint32_t> outputs = indexesOf(in, outputCount);
  check(ANeuralNetworksModel_addOperation(
      model, code, inputCount, inputs.data(), outputCount, outputs.data()));
}

void NdkClient::identify() {
  ANeuralNetworksModel *model = pick(models);
  auto inputCount = in.number<uint8_t>();
  auto outputCount = in.number<uint8_t>();
  std::vector<uint32_t> inputs = indexesOf(in, inputCount);
  std::vector<uint32_t> outputs = indexesOf(in, outputCount);
  check(ANeuralNetworksModel_identifyInputsAndOutputs(
      model, inputCount, inputs.data(), outputCount, outputs.data()));
}

void NdkClient::setExtensionData() {
  ANeuralNetworksModel *model = pick(models);
  auto index = in.number<int32_t>();
  size_t length = std::min<size_t>(in.number<uint16_t>(), maxBytes);
  std::span<std::byte> bytes = keep(in.take(length), length);
  check(ANeuralNetworksModel_setOperandExtensionData(model, index, bytes.data(),
                                                     bytes.size()));
}

void NdkClient::nameExtension() {
  ANeuralNetworksModel *model = pick(models);
  auto within = in.number<uint16_t>();
  const char *name = within % 4 == 0 ? "com.example.unknown" : "nnhal.tflite";
  int32_t type = 0;
  check(
      ANeuralNetworksModel_getExtensionOperandType(model, name, within, &type));
  ANeuralNetworksOperationType operation = 0;
  check(ANeuralNetworksModel_getExtensionOperationType(model, name, within,
                                                       &operation));
}

void NdkClient::supportedOperations() {
  ANeuralNetworksModel *model = pick(models);
  const ANeuralNetworksDevice *devices[] = {reference()};
  // No input can add so many: each takes 8 bytes and more.
  auto supported = std::make_unique<bool[]>(maxBytes);
  check(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, 1,
                                                              supported.get()));
}

bool NdkClient::stepModel(NdkCall call) {
  switch (call) {
  case NdkCall::createModel:
    return createModel(), true;
  case NdkCall::addOperand:
    return addOperand(), true;
  case NdkCall::setValue:
    return setValue(), true;
  case NdkCall::setValueFromMemory: {
    ANeuralNetworksModel *model = pick(models);
    auto index = in.number<int32_t>();
    ANeuralNetworksMemory *memory = pick(memories);
    auto offset = in.number<uint32_t>(), length = in.number<uint32_t>();
    check(ANeuralNetworksModel_setOperandValueFromMemory(model, index, memory,
                                                         offset, length));
    return true;
  }
  case NdkCall::setValueFromModel: {
    ANeuralNetworksModel *model = pick(models);
    auto index = in.number<int32_t>();
    check(ANeuralNetworksModel_setOperandValueFromModel(model, index,
                                                        pick(models)));
    return true;
  }
  case NdkCall::setChannels:
    return setChannels(), true;
  case NdkCall::addOperation:
    return addOperation(), true;
  case NdkCall::identify:
    return identify(), true;
  case NdkCall::relax: {
    ANeuralNetworksModel *model = pick(models);
    check(ANeuralNetworksModel_relaxComputationFloat32toFloat16(
        model, in.number<uint8_t>() % 2 != 0));
    return true;
  }
  case NdkCall::setExtensionData:
    return setExtensionData(), true;
  case NdkCall::nameExtension:
    return nameExtension(), true;
  case NdkCall::finishModel:
    check(ANeuralNetworksModel_finish(pick(models)));
    return true;
  case NdkCall::supportedOperations:
    return supportedOperations(), true;
  default:
    return false;
  }
}

void NdkClient::run() {
  // A sequence that says more than this says it again and again.
  constexpr int maxCalls = 400;
  for (int count = 0; count < maxCalls && !in.isAtEnd(); ++count)
    step(NdkCall(in.number<uint8_t>() % uint8_t(NdkCall::count)));
}

void NdkClient::step(NdkCall call) {
  if (!stepModel(call) && !stepCompilation(call) && !stepExecution(call))
    stepMemory(call);
}

NdkClient::~NdkClient() {
  for (auto *event : events)
    ANeuralNetworksEvent_free(event);
  for (auto *burst : bursts)
    ANeuralNetworksBurst_free(burst);
  for (auto *execution : executions)
    ANeuralNetworksExecution_free(execution);
  for (auto *compilation : compilations)
    ANeuralNetworksCompilation_free(compilation);
  // Models refer to models that were finished before.
  for (size_t i = models.size(); i > 0; --i)
    ANeuralNetworksModel_free(models[i - 1]);
  for (auto *memory : memories)
    ANeuralNetworksMemory_free(memory);
}

//===----------------------------------------------------------------------===//
// Compilations
//===----------------------------------------------------------------------===//

void NdkClient::createCompilation() {
  ANeuralNetworksModel *model = pick(models);
  const ANeuralNetworksDevice *devices[] = {reference(), reference(), nullptr};
  ANeuralNetworksCompilation *compilation = nullptr;
  // 1 device mostly; no device, the same twice and null are refused.
  static constexpr std::array<uint32_t, 8> counts = {1, 1, 1, 1, 1, 2, 0, 3};
  check(ANeuralNetworksCompilation_createForDevices(
      model, devices, counts[in.number<uint8_t>() % counts.size()],
      &compilation));
  if (compilation)
    compilations.push_back(compilation);
}

void NdkClient::changeCompilation() {
  ANeuralNetworksCompilation *compilation = pick(compilations);
  auto what = in.number<uint8_t>();
  auto number = in.number<int32_t>();
  switch (what % 4) {
  case 0:
    return check(ANeuralNetworksCompilation_setPreference(compilation, number));
  case 1:
    return check(ANeuralNetworksCompilation_setPriority(compilation, number));
  case 2:
    return check(
        ANeuralNetworksCompilation_setTimeout(compilation, uint64_t(number)));
  default:
    return describeCompilation(uint32_t(number));
  }
}

void NdkClient::describeCompilation(uint32_t number) {
  ANeuralNetworksCompilation *compilation = pick(compilations);
  uint32_t value = 0;
  check(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
      compilation, number, &value));
  check(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
      compilation, number, &value));
  check(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
      compilation, number, &value));
  check(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
      compilation, number, &value));
}

bool NdkClient::stepCompilation(NdkCall call) {
  switch (call) {
  case NdkCall::createCompilation:
    return createCompilation(), true;
  case NdkCall::changeCompilation:
    return changeCompilation(), true;
  case NdkCall::finishCompilation:
    check(ANeuralNetworksCompilation_finish(pick(compilations)));
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

void NdkClient::createExecution() {
  ANeuralNetworksExecution *execution = nullptr;
  ANeuralNetworksCompilation *compilation = pick(compilations);
  check(ANeuralNetworksExecution_create(compilation, &execution));
  if (!execution)
    return;
  executions.push_back(execution);
  constexpr uint64_t millisecond = 1'000'000;
  check(ANeuralNetworksExecution_setLoopTimeout(execution, millisecond));
}

void NdkClient::setArgument(bool isOutput) {
  ANeuralNetworksExecution *execution = pick(executions);
  auto index = in.number<int32_t>();
  bool hasType = in.number<uint8_t>() % 2 != 0;
  NdkType given;
  if (hasType)
    given = type();
  ANeuralNetworksOperandType view = given.view();
  const ANeuralNetworksOperandType *operand = hasType ? &view : nullptr;
  size_t length = in.number<uint16_t>();
  bool isOmitted = length == 0xFFFF;
  length = isOmitted ? 0 : std::min(length, maxBytes);
  std::span<std::byte> bytes;
  if (!isOmitted)
    bytes =
        keep(isOutput ? std::span<const std::byte>() : in.take(length), length);
  if (isOutput)
    check(ANeuralNetworksExecution_setOutput(execution, index, operand,
                                             bytes.data(), bytes.size()));
  else
    check(ANeuralNetworksExecution_setInput(execution, index, operand,
                                            bytes.data(), bytes.size()));
}

void NdkClient::setArgumentFromMemory(bool isOutput) {
  ANeuralNetworksExecution *execution = pick(executions);
  auto index = in.number<int32_t>();
  ANeuralNetworksMemory *memory = pick(memories);
  auto offset = in.number<uint32_t>(), length = in.number<uint32_t>();
  if (isOutput)
    check(ANeuralNetworksExecution_setOutputFromMemory(
        execution, index, nullptr, memory, offset, length));
  else
    check(ANeuralNetworksExecution_setInputFromMemory(execution, index, nullptr,
                                                      memory, offset, length));
}

void NdkClient::changeExecution() {
  ANeuralNetworksExecution *execution = pick(executions);
  auto what = in.number<uint8_t>();
  auto number = in.number<uint32_t>();
  bool flag = number % 2 != 0;
  switch (what % 5) {
  case 0:
    return check(ANeuralNetworksExecution_setMeasureTiming(execution, flag));
  case 1:
    return check(ANeuralNetworksExecution_setTimeout(execution, number));
  case 2:
    // A time that an input states is not waited for.
    return check(
        ANeuralNetworksExecution_setLoopTimeout(execution, number % 1'000'000));
  case 3:
    return check(
        ANeuralNetworksExecution_enableInputAndOutputPadding(execution, flag));
  default:
    return check(ANeuralNetworksExecution_setReusable(execution, flag));
  }
}

void NdkClient::compute() {
  ANeuralNetworksExecution *execution = pick(executions);
  ANeuralNetworksEvent *event = nullptr;
  switch (in.number<uint8_t>() % 8) {
  case 5:
    check(ANeuralNetworksExecution_startCompute(execution, &event));
    break;
  case 6: {
    const ANeuralNetworksEvent *dependency = pick(events);
    check(ANeuralNetworksExecution_startComputeWithDependencies(
        execution, &dependency, dependency ? 1 : 0, 0, &event));
    break;
  }
  case 7: {
    ANeuralNetworksBurst *burst = nullptr;
    check(ANeuralNetworksBurst_create(pick(compilations), &burst));
    if (burst)
      bursts.push_back(burst);
    return check(ANeuralNetworksExecution_burstCompute(execution, burst));
  }
  default:
    return check(ANeuralNetworksExecution_compute(execution));
  }
  if (event)
    events.push_back(event);
}

void NdkClient::askExecution() {
  ANeuralNetworksExecution *execution = pick(executions);
  auto index = in.number<int32_t>();
  uint32_t rank = 0;
  check(ANeuralNetworksExecution_getOutputOperandRank(execution, index, &rank));
  require(rank <= 64, "an output has a rank that none has");
  std::array<uint32_t, 64> dimensions = {};
  check(ANeuralNetworksExecution_getOutputOperandDimensions(execution, index,
                                                            dimensions.data()));
  uint64_t duration = 0;
  check(ANeuralNetworksExecution_getDuration(execution, index % 6, &duration));
}

bool NdkClient::stepExecution(NdkCall call) {
  switch (call) {
  case NdkCall::createExecution:
    return createExecution(), true;
  case NdkCall::setInput:
    return setArgument(/*isOutput=*/false), true;
  case NdkCall::setOutput:
    return setArgument(/*isOutput=*/true), true;
  case NdkCall::setInputFromMemory:
    return setArgumentFromMemory(/*isOutput=*/false), true;
  case NdkCall::setOutputFromMemory:
    return setArgumentFromMemory(/*isOutput=*/true), true;
  case NdkCall::changeExecution:
    return changeExecution(), true;
  case NdkCall::compute:
    return compute(), true;
  case NdkCall::askExecution:
    return askExecution(), true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Memories and events
//===----------------------------------------------------------------------===//

void NdkClient::createMemory() {
  auto size = in.number<uint32_t>();
  auto stated = in.number<uint32_t>();
  auto protection = in.number<uint8_t>();
  auto offset = in.number<uint32_t>();
  int fd = ::memfd_create("fuzz", MFD_CLOEXEC);
  bool isLarge = ::ftruncate(fd, off_t(size % maxBytes)) == 0;
  ANeuralNetworksMemory *memory = nullptr;
  check(ANeuralNetworksMemory_createFromFd(
      stated % 4 == 0 && isLarge ? size % maxBytes : stated, protection, fd,
      offset, &memory));
  ::close(fd);
  if (memory)
    memories.push_back(memory);
}

void NdkClient::describeMemory() {
  ANeuralNetworksMemoryDesc *desc = nullptr;
  check(ANeuralNetworksMemoryDesc_create(&desc));
  auto roles = in.number<uint8_t>();
  for (int i = 0; i < roles % 4; ++i) {
    ANeuralNetworksCompilation *compilation = pick(compilations);
    auto index = in.number<uint8_t>();
    auto frequency = in.number<float>();
    check(index < 128 ? ANeuralNetworksMemoryDesc_addInputRole(
                            desc, compilation, index, frequency)
                      : ANeuralNetworksMemoryDesc_addOutputRole(
                            desc, compilation, index - 128u, frequency));
  }
  if (roles >= 128) {
    auto dimensions = in.numbers<uint32_t>(in.number<uint8_t>() % 5);
    for (uint32_t &extent : dimensions)
      extent = extent < (1u << 30) ? extent % 16 : extent;
    check(ANeuralNetworksMemoryDesc_setDimensions(
        desc, uint32_t(dimensions.size()), dimensions.data()));
  }
  check(ANeuralNetworksMemoryDesc_finish(desc));
  ANeuralNetworksMemory *memory = nullptr;
  check(ANeuralNetworksMemory_createFromDesc(desc, &memory));
  ANeuralNetworksMemoryDesc_free(desc);
  if (memory)
    memories.push_back(memory);
}

void NdkClient::useEvent() {
  ANeuralNetworksEvent *event = pick(events);
  auto what = in.number<uint8_t>();
  int fd = -1;
  if (what % 3 != 0)
    return check(ANeuralNetworksEvent_wait(event));
  check(ANeuralNetworksEvent_getSyncFenceFd(event, &fd));
  ANeuralNetworksEvent *made = nullptr;
  check(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &made));
  if (fd >= 0)
    ::close(fd);
  if (made)
    events.push_back(made);
}

void NdkClient::stepMemory(NdkCall call) {
  switch (call) {
  case NdkCall::createMemory:
    return createMemory();
  case NdkCall::describeMemory:
    return describeMemory();
  case NdkCall::copyMemory: {
    ANeuralNetworksMemory *from = pick(memories);
    return check(ANeuralNetworksMemory_copy(from, pick(memories)));
  }
  default:
    return useEvent();
  }
}

} // namespace nnhal::rt::fuzz
