//===- Convert.cpp - Statuses, devices and traces -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

#include "Wire.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;
using rt::StatusCode;

//===----------------------------------------------------------------------===//
// Statuses
//===----------------------------------------------------------------------===//

void service::write(const Status &status, wire::Status::Builder builder) {
  builder.setCode(uint32_t(status.code()));
  if (!status.isOk())
    builder.setMessage(wireText(status.message()));
}

Status service::read(wire::Status::Reader reader) {
  uint32_t number = reader.getCode();
  bool isKnown = number <= uint32_t(StatusCode::resourceExhaustedPersistent) ||
                 number == uint32_t(StatusCode::deadObject);
  if (!isKnown)
    return rt::failure("status {} is not known: {}", number,
                       textOf(reader.getMessage()));
  if (number == uint32_t(StatusCode::none))
    return Status::ok();
  return Status(StatusCode(number), textOf(reader.getMessage()));
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

DeviceDescription service::describe(const rt::Device &device) {
  return {.name = std::string(device.name()),
          .version = std::string(device.version()),
          .type = device.type(),
          .halVersion = device.halVersion(),
          .extensions = device.extensions(),
          .cacheFiles = device.cacheFiles(),
          .traits = device.traits(),
          .capabilities = device.capabilities()};
}

static void write(const rt::PerformanceInfo &info,
                  wire::Performance::Builder builder) {
  builder.setExecTime(info.execTime);
  builder.setPowerUsage(info.powerUsage);
}

static rt::PerformanceInfo read(wire::Performance::Reader reader) {
  return {.execTime = reader.getExecTime(),
          .powerUsage = reader.getPowerUsage()};
}

static void write(const rt::Capabilities &capabilities,
                  wire::Capabilities::Builder builder) {
  ::write(capabilities.relaxedFloat32toFloat16PerformanceScalar,
          builder.initRelaxedScalar());
  ::write(capabilities.relaxedFloat32toFloat16PerformanceTensor,
          builder.initRelaxedTensor());
  const auto &operands = capabilities.operandPerformance;
  auto list = builder.initOperands(unsigned(operands.size()));
  for (unsigned i = 0; i < operands.size(); ++i) {
    list[i].setType(uint32_t(operands[i].type));
    ::write(operands[i].info, list[i].initInfo());
  }
  ::write(capabilities.ifPerformance, builder.initIf());
  ::write(capabilities.whilePerformance, builder.initWhile());
}

static rt::Capabilities read(wire::Capabilities::Reader reader) {
  rt::Capabilities capabilities;
  capabilities.relaxedFloat32toFloat16PerformanceScalar =
      ::read(reader.getRelaxedScalar());
  capabilities.relaxedFloat32toFloat16PerformanceTensor =
      ::read(reader.getRelaxedTensor());
  for (auto operand : reader.getOperands())
    capabilities.operandPerformance.push_back(
        {rt::OperandType(operand.getType()), ::read(operand.getInfo())});
  capabilities.ifPerformance = ::read(reader.getIf());
  capabilities.whilePerformance = ::read(reader.getWhile());
  return capabilities;
}

static void write(const std::vector<rt::Extension> &extensions,
                  wire::DeviceDescription::Builder builder) {
  auto list = builder.initExtensions(unsigned(extensions.size()));
  for (unsigned i = 0; i < extensions.size(); ++i)
    service::write(extensions[i], list[i]);
}

void service::write(const rt::Extension &extension,
                    wire::Extension::Builder builder) {
  builder.setName(wireText(extension.name));
  const auto &types = extension.operandTypes;
  auto list = builder.initOperandTypes(unsigned(types.size()));
  for (unsigned i = 0; i < types.size(); ++i)
    service::write(types[i], list[i]);
}

rt::Extension service::read(wire::Extension::Reader reader) {
  rt::Extension extension;
  extension.name = textOf(reader.getName());
  for (auto type : reader.getOperandTypes())
    extension.operandTypes.push_back(read(type));
  return extension;
}

void service::write(const rt::Extension::OperandTypeInfo &type,
                    wire::OperandTypeInfo::Builder builder) {
  builder.setType(type.type);
  builder.setIsTensor(type.isTensor);
  builder.setByteSize(type.byteSize);
  builder.setKind(uint32_t(type.kind));
}

rt::Extension::OperandTypeInfo
service::read(wire::OperandTypeInfo::Reader reader) {
  return {.type = reader.getType(),
          .isTensor = reader.getIsTensor(),
          .byteSize = reader.getByteSize(),
          .kind = rt::elementKindOf(reader.getKind(), reader.getByteSize())};
}

void service::write(const DeviceDescription &device,
                    wire::DeviceDescription::Builder builder) {
  builder.setName(wireText(device.name));
  builder.setVersion(wireText(device.version));
  builder.setType(uint32_t(device.type));
  builder.setHalVersion(uint8_t(device.halVersion));
  ::write(device.extensions, builder);
  builder.setModelCacheFiles(device.cacheFiles.modelCache);
  builder.setDataCacheFiles(device.cacheFiles.dataCache);
  builder.setCompiles(device.traits.compiles);
  builder.setUsesThreads(device.traits.usesThreads);
  ::write(device.capabilities, builder.initCapabilities());
}

Result<DeviceDescription>
service::read(wire::DeviceDescription::Reader reader) {
  constexpr auto newest = uint8_t(rt::HalVersion::V1_3);
  if (reader.getHalVersion() > newest)
    return rt::badData("HAL version {} of a device is not one of 0 to {}",
                       reader.getHalVersion(), newest);
  DeviceDescription device;
  device.name = textOf(reader.getName());
  device.version = textOf(reader.getVersion());
  device.type = rt::DeviceType(reader.getType());
  device.halVersion = rt::HalVersion(reader.getHalVersion());
  for (auto extension : reader.getExtensions())
    device.extensions.push_back(read(extension));
  device.cacheFiles = {.modelCache = reader.getModelCacheFiles(),
                       .dataCache = reader.getDataCacheFiles()};
  device.traits = {.compiles = reader.getCompiles(),
                   .usesThreads = reader.getUsesThreads(),
                   .isRemote = true,
                   .needs = {}}; // Those of another process.
  device.capabilities = ::read(reader.getCapabilities());
  return device;
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

void service::write(const rt::TraceEvent &event,
                    wire::TraceEvent::Builder builder) {
  builder.setKind(uint8_t(event.kind));
  builder.setLayer(uint8_t(event.name.layer));
  builder.setPhase(uint8_t(event.name.phase));
  builder.setRelation(uint8_t(event.name.relation));
  builder.setDetail(wireText(event.detail));
  builder.setBegin(event.begin);
  builder.setEnd(event.end);
  builder.setBeginThread(event.beginThread);
  builder.setEndThread(event.endThread);
  builder.setValue(event.value);
}

/// Number \p number of an enumeration that ends with \p last, which stands for
/// all that are not known.
template <typename Enum> static Enum orLast(uint8_t number, Enum last) {
  return number < uint8_t(last) ? Enum(number) : last;
}

rt::TraceEvent service::read(wire::TraceEvent::Reader reader) {
  rt::TraceEvent event;
  event.kind = orLast(reader.getKind(), rt::TraceEvent::Kind::counter);
  event.name.layer = orLast(reader.getLayer(), rt::TraceLayer::utility);
  event.name.phase = orLast(reader.getPhase(), rt::TracePhase::results);
  event.name.relation =
      orLast(reader.getRelation(), rt::TraceRelation::subtracted);
  event.detail = textOf(reader.getDetail());
  event.begin = reader.getBegin();
  event.end = reader.getEnd();
  event.beginThread = reader.getBeginThread();
  event.endThread = reader.getEndThread();
  event.value = reader.getValue();
  return event;
}
