//===- HalAllocate.cpp - Buffers for roles of prepared models -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalPreparedModel.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>
#include <new>

using namespace nnhal::rt;

namespace {
/// The memory of a device, until the last reference is gone.
class HalBuffer final : public Buffer {
public:
  HalBuffer(std::shared_ptr<DeviceState> state,
            std::shared_ptr<ManagedBuffer> managed)
      : state(std::move(state)), managed(std::move(managed)),
        number(this->state->buffers.add(this->managed)) {}
  ~HalBuffer() override { state->buffers.remove(number); }

  uint32_t token() const override { return number; }
  Status copyTo(const SharedMemory &target) const override {
    return guarded("copyTo", [&] { return managed->copyTo(target); });
  }
  Status copyFrom(const SharedMemory &source,
                  std::span<const uint32_t> dimensions) override {
    return guarded("copyFrom",
                   [&] { return managed->copyFrom(source, dimensions); });
  }

private:
  template <typename Copy>
  Status guarded(std::string_view member, Copy copy) const {
    auto section = traceRuntime(state->services.tracer.get(),
                                TracePhase::execution, member);
    try {
      return copy();
    } catch (const std::bad_alloc &) {
      return outOfResources("no memory to copy a buffer");
    }
  }

  std::shared_ptr<DeviceState> state;
  std::shared_ptr<ManagedBuffer> managed;
  uint32_t number;
};

/// Collects what all roles of one buffer agree on (B.8).
class Roles {
public:
  explicit Roles(std::span<const PreparedModelRef> models) : models(models) {}

  Status add(const BufferRole &role, bool isInput) {
    Status status = check(role, isInput);
    return std::move(status).withContext(fmt::format(
        "role {} ({} {} of model {})", list.size(),
        isInput ? "input" : "output", role.ioIndex, role.modelIndex));
  }

  /// Combines with what the description states.
  Status finish(const BufferDesc &desc) {
    // A buffer has at least one role (B-094).
    if (list.empty())
      return badData("a buffer needs a role");
    // The description of a scalar has no dimensions (B-101).
    if (isScalar(tensor.type) && !desc.dimensions.empty())
      return badData("a buffer for a scalar has the shape [{}]",
                     fmt::join(desc.dimensions, ","));
    auto combined = combineDimensions(tensor.dimensions, desc.dimensions);
    // The shapes of all roles and of the description can be combined (B-100).
    if (!combined)
      return badData("the shape [{}] of the description contradicts the "
                     "roles' [{}]",
                     fmt::join(desc.dimensions, ","),
                     fmt::join(tensor.dimensions, ","));
    tensor.dimensions = std::move(*combined);
    return Status::ok();
  }

  const InterfaceTensor &type() const { return tensor; }
  const std::vector<ArgumentRole> &roles() const { return list; }
  /// Returns the roles in the form for the backend.
  const std::vector<DeviceMemoryRole> &uses() const { return wishes; }

private:
  Status check(const BufferRole &role, bool isInput) {
    // A role names a model that was passed (B-095).
    if (role.modelIndex >= models.size())
      return badData("there are {} prepared models", models.size());
    // checkModels() has seen to that.
    const auto &model =
        static_cast<const HalPreparedModel &>(*models[role.modelIndex]);
    const std::vector<InterfaceTensor> &tensors =
        isInput ? model.interface().inputs : model.interface().outputs;
    // A role names an input or output of its model (B-095).
    if (role.ioIndex >= tensors.size())
      return badData("the model has {} {}", tensors.size(),
                     isInput ? "inputs" : "outputs");
    // A frequency is above 0 and at most 1; NaN fails the comparison (B-096).
    if (!(role.frequency > 0.0f && role.frequency <= 1.0f))
      return badData("the frequency {} is not in (0, 1]", role.frequency);
    ArgumentRole entry = {model.id(), isInput, role.ioIndex};
    // A role appears once, also when a model is passed twice (B-098).
    if (std::ranges::find(list, entry) != list.end())
      return badData("the role is stated twice");
    NNHAL_RETURN_IF_ERROR(merge(tensors[role.ioIndex]));
    list.push_back(entry);
    wishes.push_back({model.model(), isInput, role.ioIndex, role.frequency});
    return Status::ok();
  }

  Status merge(const InterfaceTensor &other) {
    // A driver may refuse buffers of extension types (C-075).
    if (isExtension(other.type))
      return failure("buffers of extension types are not supported");
    if (list.empty()) {
      tensor = other;
      return Status::ok();
    }
    // The operands of all roles agree in type and quantization (B-099).
    if (tensor.type != other.type)
      return badData("type {} differs from {} of the roles before",
                     nameOf(other.type), nameOf(tensor.type));
    NNHAL_RETURN_IF_ERROR(checkChannels(other));
    if (tensor.scale != other.scale || tensor.zeroPoint != other.zeroPoint)
      return badData("scale {} and zero point {} differ from {} and {} of the "
                     "roles before",
                     other.scale, other.zeroPoint, tensor.scale,
                     tensor.zeroPoint);
    auto combined = combineDimensions(tensor.dimensions, other.dimensions);
    // The shapes of all roles and of the description can be combined (B-100).
    if (!combined)
      return badData("shape [{}] contradicts [{}] of the roles before",
                     fmt::join(other.dimensions, ","),
                     fmt::join(tensor.dimensions, ","));
    tensor.dimensions = std::move(*combined);
    return Status::ok();
  }

  /// The scales of all roles agree, channel by channel, and so does the
  /// dimension that they belong to (B-099).
  Status checkChannels(const InterfaceTensor &other) const {
    if (other.type != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
      return Status::ok();
    const SymmPerChannelQuantParams &known = tensor.channelQuant,
                                    &found = other.channelQuant;
    // Artifacts from before scales were kept do not tell.
    if (known.scales.empty() || found.scales.empty())
      return failure("the scales of a {} are not known, and so not whether "
                     "they are those of the other roles",
                     nameOf(other.type));
    if (found.channelDim != known.channelDim)
      return badData("the scales are those of dimension {}, in the roles "
                     "before of dimension {}",
                     found.channelDim, known.channelDim);
    if (found.scales.size() != known.scales.size())
      return badData("there are {} scales, in the roles before {}",
                     found.scales.size(), known.scales.size());
    for (size_t i = 0; i < known.scales.size(); ++i)
      if (found.scales[i] != known.scales[i])
        return badData("scale {} of channel {} differs from {} of the roles "
                       "before",
                       found.scales[i], i, known.scales[i]);
    return Status::ok();
  }

  std::span<const PreparedModelRef> models;
  InterfaceTensor tensor;
  std::vector<ArgumentRole> list;
  std::vector<DeviceMemoryRole> wishes;
};
} // namespace

/// Models that are null or of another device are refused (B-097).
static Status checkModels(const DeviceState &state,
                          std::span<const PreparedModelRef> models) {
  for (size_t i = 0; i < models.size(); ++i) {
    const auto *model = dynamic_cast<const HalPreparedModel *>(models[i].get());
    if (!model || !model->isOf(state))
      return badData("model {} was not prepared by this device", i);
  }
  return Status::ok();
}

static Result<std::shared_ptr<Buffer>>
allocateFor(const std::shared_ptr<DeviceState> &state, const Roles &roles) {
  const InterfaceTensor &tensor = roles.type();
  // A driver may refuse buffers of unknown size (C-075).
  if (isTensor(tensor.type) && tensor.dimensions.empty())
    return failure("buffers of unknown rank are not supported");
  bool isKnown = !std::ranges::count(tensor.dimensions, 0u);
  if (isKnown && !knownByteSize(tensor.type, tensor.dimensions))
    return badData("a buffer of shape [{}] exceeds {} bytes",
                   fmt::join(tensor.dimensions, ","), UINT32_MAX);
  NNHAL_ASSIGN_OR_RETURN(
      std::unique_ptr<DeviceMemory> memory,
      state->backend->allocate({tensor, roles.uses(), state->services.memory}));
  auto managed =
      std::make_shared<ManagedBuffer>(tensor, roles.roles(), std::move(memory));
  NNHAL_RETURN_IF_ERROR(managed->resize(tensor.dimensions));
  std::shared_ptr<Buffer> buffer =
      std::make_shared<HalBuffer>(state, std::move(managed));
  writeLog(*state->services.log, LogTag::memory,
           "{}: buffer {} of shape [{}] for {} roles",
           state->backend->info().name, buffer->token(),
           fmt::join(tensor.dimensions, ","), roles.roles().size());
  return buffer;
}

Result<std::shared_ptr<Buffer>>
HalDevice::allocate(const BufferDesc &desc,
                    std::span<const PreparedModelRef> models,
                    std::span<const BufferRole> inputRoles,
                    std::span<const BufferRole> outputRoles) const {
  auto section = traceRuntime(state->services.tracer.get(),
                              TracePhase::compilation, "allocate");
  // A buffer is for at least one prepared model (B-093).
  if (models.empty())
    return badData("a buffer needs a prepared model");
  try {
    NNHAL_RETURN_IF_ERROR(checkModels(*state, models));
    Roles roles(models);
    for (const BufferRole &role : inputRoles)
      NNHAL_RETURN_IF_ERROR(roles.add(role, /*isInput=*/true));
    for (const BufferRole &role : outputRoles)
      NNHAL_RETURN_IF_ERROR(roles.add(role, /*isInput=*/false));
    NNHAL_RETURN_IF_ERROR(roles.finish(desc));
    return allocateFor(state, roles);
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory for a buffer");
  }
}
