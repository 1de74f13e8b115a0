//===- DeviceSet.cpp - Several devices as one -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/DeviceSet.h"

#include "Runtime/Model/ExtensionUse.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/ModelCopy.h"
#include "nnhal/Runtime/Scheduler.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>

using namespace nnhal::rt;

namespace {

/// The state that preparations under way share with the set.
struct SetState {
  DeviceSetOptions options;
  DeviceServices services;
  /// The buffers that clients hold, by device and token, for steps that another
  /// device repeats (F-081).
  std::mutex mutex;
  std::map<std::pair<const Device *, uint32_t>, std::weak_ptr<Buffer>> buffers;

  void keep(const Device &device, const std::shared_ptr<Buffer> &buffer) {
    std::lock_guard lock(mutex);
    std::erase_if(buffers,
                  [](const auto &each) { return each.second.expired(); });
    buffers[{&device, buffer->token()}] = buffer;
  }
  std::shared_ptr<Buffer> find(const Device &device, uint32_t token) {
    std::lock_guard lock(mutex);
    auto found = buffers.find({&device, token});
    return found == buffers.end() ? nullptr : found->second.lock();
  }
};

class DeviceSet final : public Device {
public:
  explicit DeviceSet(DeviceSetOptions given);

  std::string_view name() const override { return state->options.name; }
  std::string_view version() const override { return versionText; }
  DeviceType type() const override { return DeviceType::other; }
  HalVersion halVersion() const override { return newest; }
  const std::vector<Extension> &extensions() const override {
    return allExtensions;
  }
  CacheFiles cacheFiles() const override { return {}; }
  DeviceTraits traits() const override;
  const Capabilities &capabilities() const override { return best; }
  DeviceStatus status() const override;

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override;
  Result<PreparedModelRef>
  prepareModel(const AnnotatedModel &model, const PrepareOptions &options,
               const PrepareObserver &observer) const override;
  Status prepareModelAsync(std::shared_ptr<const AnnotatedModel> model,
                           const PrepareOptions &options,
                           PrepareCallback callback,
                           const PrepareObserver &observer) const override;
  Result<PreparedModelRef>
  prepareModelFromCache(const CacheHandles &, const CacheToken &,
                        const PrepareOptions &,
                        const PrepareObserver &) const override {
    return failure("device {} keeps no compiled models: its devices do",
                   name());
  }
  Result<PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte>, const Memory &,
                           const PrepareOptions &) const override {
    return failure("device {} loads no artifacts: name one of its devices",
                   name());
  }
  Result<std::shared_ptr<Buffer>>
  allocate(const BufferDesc &desc, std::span<const PreparedModelRef> models,
           std::span<const BufferRole> inputRoles,
           std::span<const BufferRole> outputRoles) const override;

private:
  std::shared_ptr<SetState> state = std::make_shared<SetState>();
  std::string versionText;
  HalVersion newest = HalVersion::V1_0;
  std::vector<Extension> allExtensions;
  Capabilities best;
};

/// The roles of a buffer in terms of the steps of partitioned models.
class StepRoles {
public:
  Status add(std::span<const PreparedModelRef> models, const BufferRole &role,
             bool isInput);

  const Device *device = nullptr;
  std::vector<PreparedModelRef> models;
  std::vector<BufferRole> inputs;
  std::vector<BufferRole> outputs;
};

} // namespace

static void keepBetter(PerformanceInfo &best, const PerformanceInfo &other) {
  best.execTime = std::min(best.execTime, other.execTime);
  best.powerUsage = std::min(best.powerUsage, other.powerUsage);
}

static void keepBetter(Capabilities &best, const Capabilities &other) {
  keepBetter(best.relaxedFloat32toFloat16PerformanceScalar,
             other.relaxedFloat32toFloat16PerformanceScalar);
  keepBetter(best.relaxedFloat32toFloat16PerformanceTensor,
             other.relaxedFloat32toFloat16PerformanceTensor);
  keepBetter(best.ifPerformance, other.ifPerformance);
  keepBetter(best.whilePerformance, other.whilePerformance);
  for (const OperandPerformance &entry : other.operandPerformance) {
    auto place = std::ranges::lower_bound(best.operandPerformance, entry.type,
                                          {}, &OperandPerformance::type);
    if (place != best.operandPerformance.end() && place->type == entry.type)
      keepBetter(place->info, entry.info);
    else
      best.operandPerformance.insert(place, entry);
  }
}

DeviceSet::DeviceSet(DeviceSetOptions given) {
  assert(!given.devices.empty() && "a set has devices");
  state->services = completeServices(given.services);
  state->options = std::move(given);
  for (const Device *device : state->options.devices) {
    versionText += versionText.empty() ? "" : "+";
    versionText += device->version();
    newest = std::max(newest, device->halVersion());
    keepBetter(best, device->capabilities());
  }
  allExtensions = enabledExtensions(extensionsOf(state->options.devices));
}

DeviceTraits DeviceSet::traits() const {
  DeviceTraits all;
  for (const Device *device : state->options.devices) {
    DeviceTraits traits = device->traits();
    all.usesThreads |= traits.usesThreads;
    all.needs.executableMemory |= traits.needs.executableMemory;
    all.needs.archPrctl |= traits.needs.archPrctl;
    all.needs.deviceNodes.insert(all.needs.deviceNodes.end(),
                                 traits.needs.deviceNodes.begin(),
                                 traits.needs.deviceNodes.end());
  }
  return all;
}

DeviceStatus DeviceSet::status() const {
  DeviceStatus status = DeviceStatus::offline;
  for (const Device *device : state->options.devices)
    status = std::min(status, device->status());
  return status;
}

Result<std::vector<Status>>
DeviceSet::supportedOperations(const AnnotatedModel &model) const {
  const size_t count = model.model.main.operations.size();
  std::vector<Status> any;
  for (const Device *device : state->options.devices) {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> supported,
                           device->supportedOperations(model));
    if (supported.size() != count)
      return failure("device {} answered for {} of {} operations",
                     device->name(), supported.size(), count);
    if (any.empty()) {
      any = std::move(supported);
      continue;
    }
    for (size_t i = 0; i < any.size(); ++i)
      if (supported[i].isOk())
        any[i] = Status::ok();
  }
  refuseForeign(model.model, allExtensions, any);
  return any;
}

static Result<PreparedModelRef>
prepareDivided(const std::shared_ptr<SetState> &state,
               std::shared_ptr<const AnnotatedModel> model,
               const PrepareOptions &options, const PrepareObserver &observer) {
  const DeviceSetOptions &set = state->options;
  PartitionOptions partition;
  partition.mode = set.mode;
  partition.planner = set.planner;
  partition.prepare = options;
  partition.cache = set.cache.get();
  partition.token = options.contentKey;
  partition.prepare.contentKey.reset(); // It is not that of any step.
  partition.observer = observer;
  partition.log = state->services.log;
  partition.tracer = state->services.tracer;
  partition.reactor = state->services.reactor;
  partition.findBuffer = [state](const Device &device, uint32_t token) {
    return state->find(device, token);
  };
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<PartitionedModel> prepared,
                         preparePartitioned(std::move(model), set.devices,
                                            set.fallback, partition));
  return PreparedModelRef(std::move(prepared));
}

/// Returns a model that lives as long as its executions can fall back.
static Result<std::shared_ptr<const AnnotatedModel>>
modelFor(const DeviceSetOptions &set, const AnnotatedModel &model) {
  if (!set.fallback || set.mode == PartitionMode::withoutFallback)
    return std::shared_ptr<const AnnotatedModel>(std::shared_ptr<void>(),
                                                 &model);
  auto copy = std::make_shared<AnnotatedModel>();
  NNHAL_ASSIGN_OR_RETURN(copy->model, ownedCopy(model.model));
  copy->inputNames = model.inputNames;
  copy->outputNames = model.outputNames;
  copy->statePairs = model.statePairs;
  return std::shared_ptr<const AnnotatedModel>(std::move(copy));
}

Result<PreparedModelRef>
DeviceSet::prepareModel(const AnnotatedModel &model,
                        const PrepareOptions &options,
                        const PrepareObserver &observer) const {
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<const AnnotatedModel> kept,
                         modelFor(state->options, model));
  return prepareDivided(state, std::move(kept), options, observer);
}

Status DeviceSet::prepareModelAsync(std::shared_ptr<const AnnotatedModel> model,
                                    const PrepareOptions &options,
                                    PrepareCallback callback,
                                    const PrepareObserver &observer) const {
  if (!callback)
    return badData("a preparation needs a callback");
  if (!model)
    return badData("a preparation needs a model");
  auto notify = std::make_shared<PrepareCallback>(std::move(callback));
  auto job = [state = state, model = std::move(model), options, observer,
              notify](Status admitted) {
    if (!admitted.isOk())
      return (*notify)(std::move(admitted));
    auto kept = modelFor(state->options, *model);
    (*notify)(kept.isOk()
                  ? prepareDivided(state, *std::move(kept), options, observer)
                  : Result<PreparedModelRef>(std::move(kept).takeStatus()));
  };
  Ticket ticket{options.client, options.priority, options.deadline};
  Status launched =
      state->services.preparations->submit(ticket, std::move(job));
  if (!launched.isOk())
    (*notify)(launched);
  return launched;
}

Status StepRoles::add(std::span<const PreparedModelRef> given,
                      const BufferRole &role, bool isInput) {
  if (role.modelIndex >= given.size())
    return badData("a role names model {} of {}", role.modelIndex,
                   given.size());
  const auto *model =
      dynamic_cast<const PartitionedModel *>(given[role.modelIndex].get());
  if (!model)
    return badData("model {} of a buffer's roles was prepared by another "
                   "device",
                   role.modelIndex);
  const Interface &interface = model->interface();
  size_t count = isInput ? interface.inputs.size() : interface.outputs.size();
  if (role.ioIndex >= count)
    return badData("a role names {} {} of {}", isInput ? "input" : "output",
                   role.ioIndex, count);
  for (const PartitionedModel::Role &step :
       isInput ? model->rolesOfInput(role.ioIndex)
               : model->rolesOfOutput(role.ioIndex)) {
    if (device && device != step.device)
      return failure("no device has all roles of a buffer: {} and {} share "
                     "them",
                     device->name(), step.device->name());
    device = step.device;
    BufferRole own{uint32_t(models.size()), step.index, role.frequency};
    models.push_back(step.model);
    (step.isInput ? inputs : outputs).push_back(own);
  }
  return Status::ok();
}

Result<std::shared_ptr<Buffer>>
DeviceSet::allocate(const BufferDesc &desc,
                    std::span<const PreparedModelRef> models,
                    std::span<const BufferRole> inputRoles,
                    std::span<const BufferRole> outputRoles) const {
  StepRoles roles;
  for (const BufferRole &role : inputRoles)
    NNHAL_RETURN_IF_ERROR(roles.add(models, role, /*isInput=*/true));
  for (const BufferRole &role : outputRoles)
    NNHAL_RETURN_IF_ERROR(roles.add(models, role, /*isInput=*/false));
  if (!roles.device)
    return badData("a buffer needs a role of a step");
  NNHAL_ASSIGN_OR_RETURN(
      std::shared_ptr<Buffer> buffer,
      roles.device->allocate(desc, roles.models, roles.inputs, roles.outputs));
  state->keep(*roles.device, buffer);
  return buffer;
}

std::unique_ptr<Device> nnhal::rt::createDeviceSet(DeviceSetOptions options) {
  return std::make_unique<DeviceSet>(std::move(options));
}
