//===- Compilation.cpp - A model made ready for devices -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"

#include "Boundary.h"

#include "Runtime/Artifact/ModelCache.h"
#include "Runtime/Model/Slice.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <sys/stat.h>

using namespace nnhal;
using namespace nnhal::ndk;

static uint64_t nextNumber() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

ANeuralNetworksCompilation::ANeuralNetworksCompilation(
    Library &library, const ANeuralNetworksModel &model,
    std::vector<const Device *> devices)
    : library(library), number(nextNumber()), model(model.annotated()),
      listed(std::move(devices)) {}

int ANeuralNetworksCompilation::setPreference(int32_t value) {
  if (state != State::configured)
    return ANEURALNETWORKS_BAD_STATE;
  if (value < ANEURALNETWORKS_PREFER_LOW_POWER ||
      value > ANEURALNETWORKS_PREFER_SUSTAINED_SPEED)
    return ANEURALNETWORKS_BAD_DATA;
  preference = rt::ExecutionPreference(value);
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksCompilation::setCaching(const char *directory,
                                           const uint8_t *token) {
  if (state != State::configured)
    return ANEURALNETWORKS_BAD_STATE;
  cacheDirectory = directory;
  std::memcpy(cacheToken.emplace().data(), token,
              ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN);
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksCompilation::setPriority(int value) {
  if (state != State::configured)
    return ANEURALNETWORKS_BAD_STATE;
  switch (value) { // The HAL has numbers of its own for these (K-037).
  case ANEURALNETWORKS_PRIORITY_LOW:
    priority = rt::Priority::low;
    return ANEURALNETWORKS_NO_ERROR;
  case ANEURALNETWORKS_PRIORITY_MEDIUM:
    priority = rt::Priority::medium;
    return ANEURALNETWORKS_NO_ERROR;
  case ANEURALNETWORKS_PRIORITY_HIGH:
    priority = rt::Priority::high;
    return ANEURALNETWORKS_NO_ERROR;
  default:
    return ANEURALNETWORKS_BAD_DATA;
  }
}

int ANeuralNetworksCompilation::setTimeout(uint64_t duration) {
  if (!hasOneListedDevice())
    return ANEURALNETWORKS_BAD_DATA;
  if (state != State::configured)
    return ANEURALNETWORKS_BAD_STATE;
  timeout = duration;
  return ANEURALNETWORKS_NO_ERROR;
}

rt::Deadline ndk::deadlineAfter(uint64_t duration) {
  rt::Deadline now = rt::steadyNow();
  if (duration == 0 || duration >= uint64_t(rt::noDeadline - now))
    return rt::noDeadline;
  return now + rt::Deadline(duration);
}

/// Returns the token of a client that has set none: the content of the model,
/// which the preparation reads anyway. Nothing where a pool cannot be read.
std::optional<rt::CacheToken>
ANeuralNetworksCompilation::automaticToken() const {
  rt::AnnotatedModel readable = *model;
  for (rt::Pool &pool : readable.model.pools) {
    auto memory = pool.memory.materialize();
    if (!memory.isOk())
      return std::nullopt;
    pool.memory = *std::move(memory);
  }
  auto key = rt::contentKeyOf(readable, "libneuralnetworks");
  return key.isOk() ? std::optional<rt::CacheToken>(*key) : std::nullopt;
}

rt::Result<std::shared_ptr<rt::PartitionedModel>>
ANeuralNetworksCompilation::prepare() {
  const Settings &settings = library.settings();
  const rt::Device *reference = &library.reference().device;
  rt::PartitionOptions options;
  options.isExplicit = isListed();
  // A list of devices is a wish for these alone (I-002).
  options.mode =
      isListed() ? rt::PartitionMode::withoutFallback : settings.partition;
  options.planner = settings.planner;
  options.strictSlicing = settings.strictSlicing;
  options.log = library.deviceServices().log;
  options.tracer = library.deviceServices().tracer;
  options.executions = library.dividedExecutions();
  options.reactor = library.deviceServices().reactor;
  options.findBuffer = [&library = library](const rt::Device &device,
                                            uint32_t token) {
    return library.findBuffer(device, token);
  };
  options.prepare.preference = preference;
  options.prepare.priority = priority;
  options.prepare.deadline = deadlineAfter(timeout);
  std::vector<const rt::Device *> devices;
  auto add = [&](const Device &device) {
    if (&device.device != reference)
      devices.push_back(&device.device);
  };
  bool hasReference = !isListed();
  if (isListed())
    for (const Device *device : listed) {
      add(*device);
      hasReference |= &device->device == reference;
    }
  else if (!settings.isCpuOnly)
    for (const auto &device : library.devices())
      add(*device);
  // The fallback device is the last one, whatever its place in a list.
  if (hasReference)
    devices.push_back(reference);
  std::optional<rt::CompilationCache> cache;
  std::string directory = cacheToken ? cacheDirectory : settings.cacheDirectory;
  options.token = cacheToken;
  if (!options.token && !directory.empty()) {
    options.token = automaticToken();
    // Nothing is cached in a directory that cannot be made.
    (void)::mkdir(directory.c_str(), 0700);
  }
  if (options.token) {
    rt::CompilationCache::Options cacheOptions;
    cacheOptions.directory = std::move(directory);
    cacheOptions.log = options.log;
    cacheOptions.tracer = options.tracer;
    options.cache = &cache.emplace(std::move(cacheOptions));
  }
  return rt::preparePartitioned(model, devices,
                                hasReference ? reference : nullptr, options);
}

static ArgumentInfo describe(const rt::InterfaceTensor &tensor) {
  ArgumentInfo info;
  info.tensor = tensor;
  info.isTensor = rt::isTensor(tensor);
  info.isOpen = rt::hasUnknownRank(tensor) ||
                std::ranges::count(tensor.dimensions, 0u) != 0;
  info.elementSize = rt::elementSizeOf(tensor);
  info.hasAnySize = info.elementSize == 0;
  info.size = rt::byteSizeOf(tensor).value_or(0);
  uint32_t power = info.elementSize & (~info.elementSize + 1);
  info.alignment = power == 0 ? 1 : std::min(power, 64u);
  return info;
}

void ANeuralNetworksCompilation::describeArguments() {
  const rt::Interface &interface = ready->interface();
  for (const rt::InterfaceTensor &tensor : interface.inputs)
    inputInfos.push_back(describe(tensor));
  for (const rt::InterfaceTensor &tensor : interface.outputs) {
    outputInfos.push_back(describe(tensor));
    openOutput |= outputInfos.back().isOpen;
  }
  const Settings &settings = library.settings();
  const rt::PartitionPlan &plan = ready->plan();
  bool isCpu = std::ranges::all_of(plan.steps, [&](const auto &step) {
    return step.kind != rt::PartitionStep::Kind::execute ||
           plan.candidates[step.device].isFallback;
  });
  synchronous = isCpu ? settings.isCpuSynchronous : settings.isHalSynchronous;
}

bool ANeuralNetworksCompilation::ignoresTiming() const {
  return hasOneListedDevice() &&
         &listed.front()->device == &library.reference().device;
}

/// Models are recorded before they are prepared: a preparation may be what
/// fails.
void ANeuralNetworksCompilation::record() {
  rt::RecordedSettings settings;
  for (const Device *device : listed)
    settings.devices.emplace_back(device->device.name());
  settings.preference = preference;
  settings.priority = priority;
  if (timeout != 0)
    settings.timeout = timeout;
  settings.isCached = cacheToken.has_value();
  recordedModel = library.recorder()->record(*model, settings);
}

int ANeuralNetworksCompilation::finish() {
  if (state != State::configured)
    return ANEURALNETWORKS_BAD_STATE;
  rt::TraceSection section(library.tracer(), rt::TraceLayer::runtime,
                           rt::TracePhase::compilation,
                           "ANeuralNetworksCompilation_finish");
  state = State::failed; // Unless the end is reached (J-072).
  if (library.recorder())
    record();
  auto made = prepare();
  if (!made.isOk()) {
    rt::writeLog(library.log(), rt::LogTag::compilation, "finish: {}",
                 made.status().message());
    return resultCodeOf(made.status());
  }
  ready = *std::move(made);
  describeArguments();
  state = State::finished;
  return ANEURALNETWORKS_NO_ERROR;
}

int ndk::lookUpDevices(Library &library,
                       std::span<const ANeuralNetworksDevice *const> handles,
                       std::vector<const Device *> &devices) {
  // A longer list has a device twice.
  if (handles.empty() || handles.size() > library.devices().size())
    return ANEURALNETWORKS_BAD_DATA;
  for (const ANeuralNetworksDevice *handle : handles) {
    const Device *device = library.lookUp(handle);
    if (!device || std::ranges::find(devices, device) != devices.end())
      return ANEURALNETWORKS_BAD_DATA;
    devices.push_back(device);
  }
  return ANEURALNETWORKS_NO_ERROR;
}

int ndk::supportedOperations(const Library &library, const Model &model,
                             std::span<const Device *const> devices,
                             bool *supported) {
  const std::vector<uint32_t> &places = model.placesOfOperations();
  std::vector<bool> isSupported(places.size());
  const rt::Slices slices(*model.annotated());
  for (const Device *device : devices) {
    auto statuses = rt::supportedOperations(device->device, slices,
                                            library.settings().strictSlicing);
    // A device that fails, or says too little, supports nothing (C-033).
    if (!statuses.isOk() || statuses->size() != places.size())
      continue;
    for (size_t i = 0; i < places.size(); ++i)
      if ((*statuses)[i].isOk())
        isSupported[i] = true;
  }
  for (size_t i = 0; i < places.size(); ++i)
    supported[i] = isSupported[places[i]];
  return ANEURALNETWORKS_NO_ERROR;
}
