//===- ConvertModel.cpp - Models and pools to messages and back -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

#include "Wire.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/SealedCopy.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <sys/mman.h>

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::SharedMemory;
using rt::Status;
using rt::UniqueFd;

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

Result<wire::Descriptor::Client>
service::makeBytes(std::span<const std::byte> bytes) {
  NNHAL_ASSIGN_OR_RETURN(UniqueFd fd,
                         rt::sealedCopy(bytes, rt::SealedContent::message));
  return makeDescriptor(std::move(fd));
}

Result<rt::Memory> service::readBytes(UniqueFd descriptor, uint64_t size,
                                      uint64_t limit) {
  if (size > limit)
    return rt::badData("a message names {} bytes where {} are allowed", size,
                       limit);
  if (size == 0)
    return rt::Memory::adopt(std::vector<std::byte>());
  return rt::Memory::fromDescriptor(std::move(descriptor), 0, size, PROT_READ)
      .snapshot();
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

static Status writeRegion(const SharedMemory &pool, std::string_view name,
                          uint64_t offset, uint64_t size,
                          wire::Pool::Builder builder) {
  NNHAL_ASSIGN_OR_RETURN(UniqueFd fd, rt::duplicate(pool.fd()));
  builder.setName(wireText(name));
  builder.setDescriptor(makeDescriptor(std::move(fd)));
  builder.setOffset(pool.fileOffset() + offset);
  builder.setSize(size);
  builder.setProtection(uint32_t(pool.protection()));
  return Status::ok();
}

Status service::write(const SharedMemory &pool, wire::Pool::Builder builder) {
  return writeRegion(pool, toString(pool.kind()), 0, pool.size(), builder);
}

NamedDescriptor service::descriptorOf(wire::Pool::Reader reader,
                                      std::string name) {
  return {reader.getDescriptor(), std::move(name)};
}

Result<std::shared_ptr<SharedMemory>> service::read(wire::Pool::Reader reader,
                                                    UniqueFd descriptor) {
  std::string name = textOf(reader.getName());
  std::optional<rt::PoolKind> kind = rt::poolKindOf(name);
  if (!kind)
    return rt::badData("'{}' is not a kind of pool", name);
  constexpr uint32_t both = PROT_READ | PROT_WRITE;
  if (reader.getProtection() > both)
    return rt::badData("protection {} of a pool is not one of 0 to {}",
                       reader.getProtection(), both);
  return SharedMemory::adoptUnchecked(
      *kind, std::move(descriptor), reader.getSize(),
      int(reader.getProtection()), reader.getOffset());
}

/// Bytes that are not behind a descriptor, as a pool of \p name; nothing but
/// the name for none.
static Status writeCopy(std::span<const std::byte> bytes, std::string_view name,
                        wire::Pool::Builder builder) {
  // The bytes can be read, which those of a hardware_buffer cannot.
  bool isOpaque = rt::poolKindOf(name) == rt::PoolKind::hardwareBuffer;
  builder.setName(
      wireText(isOpaque ? toString(rt::PoolKind::hardwareBufferBlob) : name));
  if (bytes.empty())
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(UniqueFd fd,
                         rt::sealedCopy(bytes, rt::SealedContent::message));
  builder.setDescriptor(makeDescriptor(std::move(fd)));
  builder.setSize(bytes.size());
  builder.setProtection(PROT_READ);
  return Status::ok();
}

static Status write(const rt::Pool &pool, wire::Pool::Builder builder) {
  using rt::Memory;
  if (const auto *region =
          std::get_if<Memory::Descriptor>(&pool.memory.kind())) {
    NNHAL_RETURN_IF_ERROR(
        region->pool->checkRange(region->offset, region->size));
    return writeRegion(*region->pool, pool.name, region->offset, region->size,
                       builder);
  }
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, pool.memory.bytes());
  return writeCopy(bytes, pool.name, builder);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

static void write(const rt::Operand &operand, wire::Operand::Builder builder) {
  builder.setType(uint32_t(operand.type));
  fillNumbers(operand.dimensions,
              builder.initDimensions(unsigned(operand.dimensions.size())));
  builder.setNumberOfConsumers(operand.numberOfConsumers);
  builder.setScale(operand.scale);
  builder.setZeroPoint(operand.zeroPoint);
  builder.setLifetime(uint32_t(operand.lifetime));
  builder.setPoolIndex(operand.location.poolIndex);
  builder.setOffset(operand.location.offset);
  builder.setLength(operand.location.length);
  auto extra = builder.getExtra();
  if (const auto *quant =
          std::get_if<rt::SymmPerChannelQuantParams>(&operand.extraParams))
    write(*quant, extra.initChannelQuant());
  else if (const auto *params =
               std::get_if<rt::ExtensionParams>(&operand.extraParams))
    extra.setExtension(kj::ArrayPtr<const kj::byte>(params->bytes.data(),
                                                    params->bytes.size()));
}

void service::write(const rt::SymmPerChannelQuantParams &quant,
                    wire::ChannelQuant::Builder builder) {
  fillNumbers(quant.scales, builder.initScales(unsigned(quant.scales.size())));
  builder.setChannelDim(quant.channelDim);
}

rt::SymmPerChannelQuantParams service::read(wire::ChannelQuant::Reader reader) {
  return {.scales = numbersOf<float>(reader.getScales()),
          .channelDim = reader.getChannelDim()};
}

static Result<rt::Operand> read(wire::Operand::Reader reader) {
  constexpr auto last = uint32_t(rt::OperandLifeTime::SUBGRAPH);
  if (reader.getLifetime() > last)
    return rt::badData("lifetime {} of an operand is not one of 0 to {}",
                       reader.getLifetime(), last);
  rt::Operand operand;
  operand.type = rt::OperandType(reader.getType());
  operand.dimensions = numbersOf<uint32_t>(reader.getDimensions());
  operand.numberOfConsumers = reader.getNumberOfConsumers();
  operand.scale = reader.getScale();
  operand.zeroPoint = reader.getZeroPoint();
  operand.lifetime = rt::OperandLifeTime(reader.getLifetime());
  operand.location = {.poolIndex = reader.getPoolIndex(),
                      .offset = reader.getOffset(),
                      .length = reader.getLength()};
  auto extra = reader.getExtra();
  if (extra.isChannelQuant())
    operand.extraParams = service::read(extra.getChannelQuant());
  else if (extra.isExtension())
    operand.extraParams =
        rt::ExtensionParams{numbersOf<uint8_t>(extra.getExtension())};
  return operand;
}

static void write(const rt::Subgraph &graph, wire::Subgraph::Builder builder) {
  auto operands = builder.initOperands(unsigned(graph.operands.size()));
  for (unsigned i = 0; i < graph.operands.size(); ++i)
    ::write(graph.operands[i], operands[i]);
  auto operations = builder.initOperations(unsigned(graph.operations.size()));
  for (unsigned i = 0; i < graph.operations.size(); ++i) {
    const rt::Operation &operation = graph.operations[i];
    operations[i].setType(uint32_t(operation.type));
    fillNumbers(operation.inputs,
                operations[i].initInputs(unsigned(operation.inputs.size())));
    fillNumbers(operation.outputs,
                operations[i].initOutputs(unsigned(operation.outputs.size())));
  }
  fillNumbers(graph.inputIndexes,
              builder.initInputIndexes(unsigned(graph.inputIndexes.size())));
  fillNumbers(graph.outputIndexes,
              builder.initOutputIndexes(unsigned(graph.outputIndexes.size())));
}

static Result<rt::Subgraph> read(wire::Subgraph::Reader reader) {
  rt::Subgraph graph;
  graph.operands.reserve(reader.getOperands().size());
  for (auto operand : reader.getOperands()) {
    NNHAL_ASSIGN_OR_RETURN(graph.operands.emplace_back(), ::read(operand));
  }
  graph.operations.reserve(reader.getOperations().size());
  for (auto operation : reader.getOperations())
    graph.operations.push_back({rt::OperationType(operation.getType()),
                                numbersOf<uint32_t>(operation.getInputs()),
                                numbersOf<uint32_t>(operation.getOutputs())});
  graph.inputIndexes = numbersOf<uint32_t>(reader.getInputIndexes());
  graph.outputIndexes = numbersOf<uint32_t>(reader.getOutputIndexes());
  return graph;
}

void service::write(std::span<const rt::StatePair> pairs,
                    capnp::List<wire::StatePair>::Builder list) {
  for (unsigned i = 0; i < pairs.size(); ++i) {
    list[i].setOutput(pairs[i].outputIndex);
    list[i].setInput(pairs[i].inputIndex);
  }
}

std::vector<rt::StatePair>
service::read(capnp::List<wire::StatePair>::Reader list) {
  std::vector<rt::StatePair> pairs;
  for (auto pair : list)
    pairs.push_back({pair.getOutput(), pair.getInput()});
  return pairs;
}

static void write(const std::vector<std::string> &texts,
                  capnp::List<capnp::Text>::Builder list) {
  for (unsigned i = 0; i < texts.size(); ++i)
    list.set(i, wireText(texts[i]));
}

static std::vector<std::string> read(capnp::List<capnp::Text>::Reader list) {
  std::vector<std::string> texts;
  for (auto text : list)
    texts.push_back(textOf(text));
  return texts;
}

/// Everything of a model but its bytes.
static void writeGraph(const rt::AnnotatedModel &annotated,
                       wire::Model::Builder builder) {
  const rt::Model &model = annotated.model;
  builder.setHalVersion(uint8_t(model.halVersion));
  ::write(model.main, builder.initMain());
  auto referenced = builder.initReferenced(unsigned(model.referenced.size()));
  for (unsigned i = 0; i < model.referenced.size(); ++i)
    ::write(model.referenced[i], referenced[i]);
  builder.setRelaxed(model.relaxComputationFloat32toFloat16);
  const auto &extensions = model.extensionNameToPrefix;
  auto list = builder.initExtensions(unsigned(extensions.size()));
  for (unsigned i = 0; i < extensions.size(); ++i) {
    list[i].setName(wireText(extensions[i].name));
    list[i].setPrefix(extensions[i].prefix);
  }
  ::write(annotated.inputNames,
          builder.initInputNames(unsigned(annotated.inputNames.size())));
  ::write(annotated.outputNames,
          builder.initOutputNames(unsigned(annotated.outputNames.size())));
  service::write(annotated.statePairs,
                 builder.initStatePairs(unsigned(annotated.statePairs.size())));
}

Status service::write(const rt::AnnotatedModel &annotated,
                      wire::Model::Builder builder) {
  const rt::Model &model = annotated.model;
  writeGraph(annotated, builder);
  NNHAL_RETURN_IF_ERROR(writeCopy(std::as_bytes(std::span(model.operandValues)),
                                  toString(rt::PoolKind::ashmem),
                                  builder.initOperandValues()));
  auto pools = builder.initPools(unsigned(model.pools.size()));
  for (unsigned i = 0; i < model.pools.size(); ++i)
    NNHAL_RETURN_IF_ERROR(::write(model.pools[i], pools[i])
                              .withContext(fmt::format("pool {}", i)));
  return Status::ok();
}

std::vector<NamedDescriptor>
service::descriptorsOf(wire::Model::Reader reader) {
  std::vector<NamedDescriptor> found;
  if (reader.getOperandValues().getSize() != 0)
    found.push_back(descriptorOf(reader.getOperandValues(), "operand values"));
  unsigned index = 0;
  for (auto pool : reader.getPools()) {
    if (pool.getSize() != 0)
      found.push_back(descriptorOf(pool, fmt::format("pool {}", index)));
    ++index;
  }
  return found;
}

static Result<std::vector<uint8_t>> readOperandValues(wire::Pool::Reader reader,
                                                      UniqueFd descriptor) {
  NNHAL_ASSIGN_OR_RETURN(auto pool,
                         service::read(reader, std::move(descriptor)));
  // A descriptor that is shorter than the message says costs no memory.
  NNHAL_RETURN_IF_ERROR(pool->check());
  std::vector<uint8_t> bytes(pool->size());
  NNHAL_RETURN_IF_ERROR(
      pool->read(0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

/// The bytes of a model; the descriptors are those that descriptorsOf() names.
static Status readBytesOf(wire::Model::Reader reader, Descriptors descriptors,
                          rt::Model &model) {
  size_t next = 0;
  if (reader.getOperandValues().getSize() != 0) {
    NNHAL_ASSIGN_OR_RETURN(model.operandValues,
                           readOperandValues(reader.getOperandValues(),
                                             std::move(descriptors[next++])));
  }
  for (auto pool : reader.getPools()) {
    rt::Pool &added = model.pools.emplace_back();
    added.name = textOf(pool.getName());
    if (pool.getSize() == 0) {
      added.memory = rt::Memory::adopt(std::vector<std::byte>());
      continue;
    }
    NNHAL_ASSIGN_OR_RETURN(auto memory,
                           service::read(pool, std::move(descriptors[next++])));
    uint64_t size = memory->size();
    added.memory = rt::Memory::region(std::move(memory), 0, size);
  }
  return Status::ok();
}

Result<rt::AnnotatedModel> service::read(wire::Model::Reader reader,
                                         Descriptors descriptors) {
  constexpr auto newest = uint8_t(rt::HalVersion::V1_3);
  if (reader.getHalVersion() > newest)
    return rt::badData("HAL version {} of a model is not one of 0 to {}",
                       reader.getHalVersion(), newest);
  rt::AnnotatedModel annotated;
  rt::Model &model = annotated.model;
  model.halVersion = rt::HalVersion(reader.getHalVersion());
  NNHAL_ASSIGN_OR_RETURN(model.main, ::read(reader.getMain()));
  for (auto graph : reader.getReferenced()) {
    NNHAL_ASSIGN_OR_RETURN(model.referenced.emplace_back(), ::read(graph));
  }
  NNHAL_RETURN_IF_ERROR(readBytesOf(reader, descriptors, model));
  model.relaxComputationFloat32toFloat16 = reader.getRelaxed();
  for (auto extension : reader.getExtensions())
    model.extensionNameToPrefix.push_back(
        {textOf(extension.getName()), extension.getPrefix()});
  annotated.inputNames = ::read(reader.getInputNames());
  annotated.outputNames = ::read(reader.getOutputNames());
  annotated.statePairs = read(reader.getStatePairs());
  return annotated;
}
