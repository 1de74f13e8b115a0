//===- ConvertPreparation.cpp - Options and prepared models ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

#include "Wire.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

//===----------------------------------------------------------------------===//
// Compile options
//===----------------------------------------------------------------------===//

void service::write(const rt::CompileOptions &options,
                    wire::CompileOptions::Builder builder) {
  // The name of the reproducer is one of this process's files and stays here.
  builder.setTarget(wireText(options.target));
  builder.setTargetTriple(wireText(options.targetTriple));
  builder.setTargetCpu(wireText(options.targetCpu));
  builder.setTargetFeatures(wireText(options.targetFeatures));
  builder.setRounding(uint32_t(options.rounding));
  auto list =
      builder.initSpecializations(unsigned(options.specializations.size()));
  for (unsigned i = 0; i < options.specializations.size(); ++i) {
    const rt::InputShapes &shapes = options.specializations[i];
    auto inner = list.init(i, unsigned(shapes.size()));
    for (unsigned j = 0; j < shapes.size(); ++j)
      fillNumbers(shapes[j], inner.init(j, unsigned(shapes[j].size())));
  }
  builder.setThreads(options.threads);
  auto extensions = builder.initExtensions(unsigned(options.extensions.size()));
  for (unsigned i = 0; i < options.extensions.size(); ++i) {
    write(options.extensions[i].description, extensions[i].initDescription());
    extensions[i].setBuildIdentity(
        wireText(options.extensions[i].buildIdentity));
  }
}

Result<rt::CompileOptions> service::read(wire::CompileOptions::Reader reader) {
  constexpr auto last = uint32_t(rt::Rounding::floatRounding);
  if (reader.getRounding() > last)
    return rt::badData("rounding {} is not one of 0 to {}",
                       reader.getRounding(), last);
  rt::CompileOptions options;
  options.target = textOf(reader.getTarget());
  options.targetTriple = textOf(reader.getTargetTriple());
  options.targetCpu = textOf(reader.getTargetCpu());
  options.targetFeatures = textOf(reader.getTargetFeatures());
  options.rounding = rt::Rounding(reader.getRounding());
  for (auto shapes : reader.getSpecializations()) {
    rt::InputShapes &added = options.specializations.emplace_back();
    for (auto shape : shapes)
      added.push_back(numbersOf<uint32_t>(shape));
  }
  options.threads = reader.getThreads();
  for (auto extension : reader.getExtensions())
    options.extensions.push_back(
        {read(extension.getDescription()),
         std::string(textOf(extension.getBuildIdentity()))});
  return options;
}

//===----------------------------------------------------------------------===//
// Preparations
//===----------------------------------------------------------------------===//

using HandleList = capnp::List<capnp::List<wire::Descriptor>>;

static Status write(const std::vector<std::vector<int>> &handles,
                    HandleList::Builder list) {
  for (unsigned i = 0; i < handles.size(); ++i) {
    auto inner = list.init(i, unsigned(handles[i].size()));
    for (unsigned j = 0; j < handles[i].size(); ++j) {
      NNHAL_ASSIGN_OR_RETURN(rt::UniqueFd fd, rt::duplicate(handles[i][j]));
      inner.set(j, makeDescriptor(std::move(fd)));
    }
  }
  return Status::ok();
}

static kj::ArrayPtr<const kj::byte>
dataOf(const std::array<uint8_t, 32> &bytes) {
  return {bytes.data(), bytes.size()};
}

Status service::write(const rt::PrepareOptions &options,
                      wire::PrepareOptions::Builder builder) {
  write(options.compile, builder.initCompile());
  if (options.compileAfter)
    builder.getCompileAfter().setExecutions(*options.compileAfter);
  builder.setPreference(uint32_t(options.preference));
  builder.setPriority(uint32_t(options.priority));
  builder.setDeadline(options.deadline);
  const rt::CacheHandles &cache = options.cache;
  NNHAL_RETURN_IF_ERROR(
      ::write(cache.modelCache,
              builder.initModelCache(unsigned(cache.modelCache.size()))));
  NNHAL_RETURN_IF_ERROR(::write(cache.dataCache, builder.initDataCache(unsigned(
                                                     cache.dataCache.size()))));
  builder.setToken(dataOf(options.token));
  if (options.contentKey)
    builder.setContentKey(dataOf(*options.contentKey));
  return Status::ok();
}

static void add(HandleList::Reader list, std::string_view name,
                std::vector<NamedDescriptor> &found) {
  for (unsigned i = 0; i < list.size(); ++i)
    for (wire::Descriptor::Client descriptor : list[i])
      found.push_back({descriptor, fmt::format("{} file {}", name, i)});
}

std::vector<NamedDescriptor>
service::descriptorsOf(wire::PrepareOptions::Reader reader) {
  std::vector<NamedDescriptor> found;
  add(reader.getModelCache(), "model cache", found);
  add(reader.getDataCache(), "data cache", found);
  return found;
}

/// Handles that borrow the descriptors from \p next on, which follow the list.
static std::vector<std::vector<int>>
handlesOf(HandleList::Reader list, Descriptors descriptors, size_t &next) {
  std::vector<std::vector<int>> handles;
  for (auto inner : list) {
    std::vector<int> &added = handles.emplace_back();
    for (unsigned i = 0; i < inner.size(); ++i)
      added.push_back(descriptors[next++].get());
  }
  return handles;
}

Result<rt::PrepareOptions> service::read(wire::PrepareOptions::Reader reader,
                                         Descriptors descriptors) {
  rt::PrepareOptions options;
  NNHAL_ASSIGN_OR_RETURN(options.compile, read(reader.getCompile()));
  if (reader.getCompileAfter().isExecutions())
    options.compileAfter = reader.getCompileAfter().getExecutions();
  options.preference = rt::ExecutionPreference(reader.getPreference());
  options.priority = rt::Priority(reader.getPriority());
  options.deadline = reader.getDeadline();
  size_t next = 0;
  options.cache.modelCache =
      handlesOf(reader.getModelCache(), descriptors, next);
  options.cache.dataCache = handlesOf(reader.getDataCache(), descriptors, next);
  NNHAL_ASSIGN_OR_RETURN(options.token,
                         bytesOf<32>(reader.getToken(), "a cache token"));
  if (reader.getContentKey().size() != 0) {
    NNHAL_ASSIGN_OR_RETURN(
        options.contentKey,
        bytesOf<32>(reader.getContentKey(), "a content key"));
  }
  return options;
}

//===----------------------------------------------------------------------===//
// Prepared models
//===----------------------------------------------------------------------===//

static void write(const rt::InterfaceTensor &tensor,
                  wire::InterfaceTensor::Builder builder) {
  builder.setName(wireText(tensor.name));
  builder.setType(uint32_t(tensor.type));
  fillNumbers(tensor.dimensions,
              builder.initDimensions(unsigned(tensor.dimensions.size())));
  builder.setScale(tensor.scale);
  builder.setZeroPoint(tensor.zeroPoint);
  service::write(tensor.channelQuant, builder.initChannelQuant());
  if (tensor.extension)
    service::write(*tensor.extension, builder.initExtension());
}

static rt::InterfaceTensor read(wire::InterfaceTensor::Reader reader) {
  rt::InterfaceTensor tensor;
  tensor.name = textOf(reader.getName());
  tensor.type = rt::OperandType(reader.getType());
  tensor.dimensions = numbersOf<uint32_t>(reader.getDimensions());
  tensor.scale = reader.getScale();
  tensor.zeroPoint = reader.getZeroPoint();
  tensor.channelQuant = service::read(reader.getChannelQuant());
  if (reader.hasExtension())
    tensor.extension = service::read(reader.getExtension());
  return tensor;
}

void service::write(const rt::Interface &interface,
                    wire::Interface::Builder builder) {
  auto inputs = builder.initInputs(unsigned(interface.inputs.size()));
  for (unsigned i = 0; i < interface.inputs.size(); ++i)
    ::write(interface.inputs[i], inputs[i]);
  auto outputs = builder.initOutputs(unsigned(interface.outputs.size()));
  for (unsigned i = 0; i < interface.outputs.size(); ++i)
    ::write(interface.outputs[i], outputs[i]);
  write(interface.statePairs,
        builder.initStatePairs(unsigned(interface.statePairs.size())));
}

Result<rt::Interface> service::read(wire::Interface::Reader reader) {
  rt::Interface interface;
  for (auto tensor : reader.getInputs())
    interface.inputs.push_back(::read(tensor));
  for (auto tensor : reader.getOutputs())
    interface.outputs.push_back(::read(tensor));
  interface.statePairs = read(reader.getStatePairs());
  for (rt::StatePair pair : interface.statePairs)
    if (pair.outputIndex >= interface.outputs.size() ||
        pair.inputIndex >= interface.inputs.size())
      return rt::badData("a state pair names output {} of {} and input {} of "
                         "{}",
                         pair.outputIndex, interface.outputs.size(),
                         pair.inputIndex, interface.inputs.size());
  return interface;
}

void service::write(const rt::MemoryUse &use,
                    wire::MemoryUse::Builder builder) {
  builder.setArena(use.arena);
  builder.setArenaLowerBound(use.arenaLowerBound);
  builder.setArtifact(use.artifact);
}

rt::MemoryUse service::read(wire::MemoryUse::Reader reader) {
  return {.arena = reader.getArena(),
          .arenaLowerBound = reader.getArenaLowerBound(),
          .artifact = reader.getArtifact()};
}
