//===- DescribedDevice.cpp - Devices that a file describes ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribedDevice.h"

#include "Runtime/Support/Errors.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <set>

using namespace nnhal;
using rt::Result;
using rt::Status;

namespace {

class DescribedDevice final : public rt::Device {
public:
  std::string_view name() const override { return nameText; }
  std::string_view version() const override { return "1"; }
  rt::DeviceType type() const override { return rt::DeviceType::other; }
  rt::HalVersion halVersion() const override { return newest; }
  const std::vector<rt::Extension> &extensions() const override {
    return noExtensions;
  }
  rt::CacheFiles cacheFiles() const override { return {}; }
  rt::DeviceTraits traits() const override { return {}; }
  const rt::Capabilities &capabilities() const override { return stated; }
  rt::DeviceStatus status() const override {
    return rt::DeviceStatus::available;
  }

  Result<std::vector<Status>>
  supportedOperations(const rt::AnnotatedModel &model) const override;

  Result<rt::PreparedModelRef>
  prepareModel(const rt::AnnotatedModel &, const rt::PrepareOptions &,
               const rt::PrepareObserver &) const override {
    return onlyDescribed();
  }
  Status prepareModelAsync(std::shared_ptr<const rt::AnnotatedModel>,
                           const rt::PrepareOptions &, rt::PrepareCallback,
                           const rt::PrepareObserver &) const override {
    return onlyDescribed();
  }
  Result<rt::PreparedModelRef>
  prepareModelFromCache(const rt::CacheHandles &, const rt::CacheToken &,
                        const rt::PrepareOptions &,
                        const rt::PrepareObserver &) const override {
    return onlyDescribed();
  }
  Result<rt::PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte>, const rt::Memory &,
                           const rt::PrepareOptions &) const override {
    return onlyDescribed();
  }
  Result<std::shared_ptr<rt::Buffer>>
  allocate(const rt::BufferDesc &, std::span<const rt::PreparedModelRef>,
           std::span<const rt::BufferRole>,
           std::span<const rt::BufferRole>) const override {
    return onlyDescribed();
  }

  Status read(const llvm::json::Object &object);

private:
  Status onlyDescribed() const {
    return Status(rt::StatusCode::deviceUnavailable,
                  nameText + " is only described");
  }
  bool takes(rt::OperationType type) const {
    return listed.contains(type) != isExclusion;
  }
  Status readOperations(const llvm::json::Object &object, llvm::StringRef key);

  std::string nameText;
  rt::HalVersion newest = rt::HalVersion::V1_3;
  rt::Capabilities stated;
  std::vector<rt::Extension> noExtensions;
  /// The operations that the device takes, or does not if isExclusion is set.
  std::set<rt::OperationType> listed;
  bool isExclusion = true;
};

} // namespace

Result<std::vector<Status>>
DescribedDevice::supportedOperations(const rt::AnnotatedModel &model) const {
  // Graphs that IF and WHILE refer to are executed by their device.
  bool takesReferenced = true;
  for (const rt::Subgraph &referenced : model.model.referenced)
    for (const rt::Operation &operation : referenced.operations)
      takesReferenced &= takes(operation.type);
  std::vector<Status> answers;
  for (const rt::Operation &operation : model.model.main.operations) {
    bool isControlFlow = operation.type == rt::OperationType::IF ||
                         operation.type == rt::OperationType::WHILE;
    if (takes(operation.type) && (takesReferenced || !isControlFlow))
      answers.emplace_back();
    else
      answers.push_back(rt::badData("{} does not take {}", nameText,
                                    rt::nameOf(operation.type)));
  }
  return answers;
}

Status DescribedDevice::readOperations(const llvm::json::Object &object,
                                       llvm::StringRef key) {
  const llvm::json::Array *names = object.getArray(key);
  if (!names)
    return Status::ok();
  for (const llvm::json::Value &value : *names) {
    llvm::StringRef operation = value.getAsString().value_or("");
    const rt::OperationInfo *info = rt::lookUpOperation(operation);
    if (!info)
      return rt::badData("device '{}': '{}' of '{}' is not an operation",
                         nameText, operation.str(), key.str());
    listed.insert(info->type);
  }
  isExclusion = key == "except";
  return Status::ok();
}

Status DescribedDevice::read(const llvm::json::Object &object) {
  nameText = object.getString("name").value_or("");
  if (nameText.empty())
    return rt::badData("a device has no 'name'");
  auto version = rt::parseHalVersion(
      std::string_view(object.getString("halVersion").value_or("1.3")));
  if (!version)
    return rt::badData("device '{}': 'halVersion' is not 1.0 to 1.3", nameText);
  newest = *version;
  double time = object.getNumber("execTime").value_or(1);
  double power = object.getNumber("powerUsage").value_or(1);
  stated = rt::uniformCapabilities({float(time), float(power)});
  NNHAL_RETURN_IF_ERROR(rt::validateCapabilities(stated).withContext(
      fmt::format("device '{}'", nameText)));
  if (object.getArray("operations") && object.getArray("except"))
    return rt::badData("device '{}' has both 'operations' and 'except'",
                       nameText);
  NNHAL_RETURN_IF_ERROR(readOperations(object, "operations"));
  return readOperations(object, "except");
}

Result<DescribedDevices> nnhal::readDevices(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed)
    return rt::badData("{}", llvm::toString(parsed.takeError()));
  const llvm::json::Object *object = parsed->getAsObject();
  const llvm::json::Array *list =
      object ? object->getArray("devices") : nullptr;
  if (!list || list->empty())
    return rt::badData("there is no list 'devices'");
  DescribedDevices described;
  for (const llvm::json::Value &value : *list) {
    const llvm::json::Object *each = value.getAsObject();
    if (!each)
      return rt::badData("a device is not an object");
    auto device = std::make_unique<DescribedDevice>();
    NNHAL_RETURN_IF_ERROR(device->read(*each));
    described.devices.push_back(std::move(device));
  }
  if (auto name = object->getString("fallback")) {
    auto found =
        std::ranges::find_if(described.devices, [&](const auto &device) {
          return device->name() == std::string_view(*name);
        });
    if (found == described.devices.end())
      return rt::badData("the fallback '{}' is not among the devices",
                         name->str());
    described.fallback = found->get();
  }
  return described;
}
