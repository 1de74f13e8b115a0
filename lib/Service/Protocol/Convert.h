//===- Convert.h - Values of the runtime to messages and back ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// write(value, builder) fills a part of a message; read(reader) makes a value
// of one. Readers believe nothing: a number that is not one of an enumeration,
// a length that is not the right one and a text that is missing are
// invalidArgument, and name the found value and the bound.
//
// Descriptors are read in two steps, because a message delivers them one by
// one: descriptorsOf(reader) lists them, takeDescriptors() awaits them, and
// read(reader, descriptors) takes them over in that order.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_PROTOCOL_CONVERT_H
#define NNHAL_LIB_SERVICE_PROTOCOL_CONVERT_H

#include "Descriptors.h"
#include "Driver.capnp.h"

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Trace.h"

#include <functional>
#include <span>

namespace nnhal::service {

using Descriptors = std::span<rt::UniqueFd>;

/// The version of Driver.capnp that this build speaks.
inline constexpr uint32_t protocolMajor = 1;
inline constexpr uint32_t protocolMinor = 0;

// Statuses. A code that this end does not know is generalFailure.
void write(const rt::Status &status, wire::Status::Builder builder);
rt::Status read(wire::Status::Reader reader);

// Devices.
struct DeviceDescription {
  std::string name;
  std::string version;
  rt::DeviceType type = rt::DeviceType::other;
  rt::HalVersion halVersion = rt::HalVersion::V1_3;
  std::vector<rt::Extension> extensions;
  rt::CacheFiles cacheFiles;
  rt::DeviceTraits traits;
  rt::Capabilities capabilities;
};
DeviceDescription describe(const rt::Device &device);
void write(const DeviceDescription &device,
           wire::DeviceDescription::Builder builder);
/// traits.isRemote is true.
rt::Result<DeviceDescription> read(wire::DeviceDescription::Reader reader);

void write(const rt::Extension::OperandTypeInfo &type,
           wire::OperandTypeInfo::Builder builder);
rt::Extension::OperandTypeInfo read(wire::OperandTypeInfo::Reader reader);
void write(const rt::Extension &extension, wire::Extension::Builder builder);
rt::Extension read(wire::Extension::Reader reader);

// Models. Bytes of pools and operand values that are not behind a descriptor
// are copied to sealed memory; resourceExhaustedTransient when there is none.
rt::Status write(const rt::AnnotatedModel &model, wire::Model::Builder builder);
std::vector<NamedDescriptor> descriptorsOf(wire::Model::Reader reader);
/// Pools keep their descriptors; the model is not validated.
rt::Result<rt::AnnotatedModel> read(wire::Model::Reader reader,
                                    Descriptors descriptors);

void write(const rt::SymmPerChannelQuantParams &quant,
           wire::ChannelQuant::Builder builder);
rt::SymmPerChannelQuantParams read(wire::ChannelQuant::Reader reader);
void write(std::span<const rt::StatePair> pairs,
           capnp::List<wire::StatePair>::Builder list);
std::vector<rt::StatePair> read(capnp::List<wire::StatePair>::Reader list);

// Pools, whose descriptor is named \p name in messages.
rt::Status write(const rt::SharedMemory &pool, wire::Pool::Builder builder);
NamedDescriptor descriptorOf(wire::Pool::Reader reader, std::string name);
/// adoptUnchecked() of what the message says: each use checks it.
rt::Result<std::shared_ptr<rt::SharedMemory>> read(wire::Pool::Reader reader,
                                                   rt::UniqueFd descriptor);

/// A sealed copy of \p bytes as a capability: those of an artifact for example.
/// Fails like sealedCopy().
rt::Result<wire::Descriptor::Client>
makeBytes(std::span<const std::byte> bytes);
/// The \p size bytes behind \p descriptor, in memory that its sender cannot
/// change; invalidArgument for more than \p limit.
rt::Result<rt::Memory> readBytes(rt::UniqueFd descriptor, uint64_t size,
                                 uint64_t limit = uint64_t(2) << 30);

// Preparation. PrepareOptions::client is not sent: the host numbers clients.
void write(const rt::CompileOptions &options,
           wire::CompileOptions::Builder builder);
rt::Result<rt::CompileOptions> read(wire::CompileOptions::Reader reader);
/// generalFailure when a cache handle cannot be duplicated.
rt::Status write(const rt::PrepareOptions &options,
                 wire::PrepareOptions::Builder builder);
std::vector<NamedDescriptor> descriptorsOf(wire::PrepareOptions::Reader reader);
/// The handles of the result borrow \p descriptors, and are not private.
rt::Result<rt::PrepareOptions> read(wire::PrepareOptions::Reader reader,
                                    Descriptors descriptors);

// Prepared models.
void write(const rt::Interface &interface, wire::Interface::Builder builder);
rt::Result<rt::Interface> read(wire::Interface::Reader reader);
void write(const rt::MemoryUse &use, wire::MemoryUse::Builder builder);
rt::MemoryUse read(wire::MemoryUse::Reader reader);

// Executions. A request names memory by the number that importMemory gave it.
// Arguments that are borrowed or copied lie in a staging pool: \p place returns
// where.
struct Place {
  uint32_t memory = 0;
  uint64_t offset = 0;
};
/// Where an argument lies that is not in a buffer of the device: input or
/// output \p index. The offset counts only where \p pool is null, for what is
/// not behind a descriptor.
using FindPlace = std::function<Place(bool isOutput, size_t index,
                                      const rt::SharedMemory *pool)>;
void write(const rt::Request &request, const FindPlace &place,
           wire::Request::Builder builder);
/// Memory by its number, or null.
using FindMemory =
    std::function<std::shared_ptr<rt::SharedMemory>(uint32_t memory)>;
/// invalidArgument for a memory that \p find does not know.
rt::Result<rt::Request> read(wire::Request::Reader reader,
                             const FindMemory &find);
void write(const rt::ExecutionResult &result,
           wire::ExecutionResult::Builder builder);
rt::ExecutionResult read(wire::ExecutionResult::Reader reader);
void write(const rt::Timing &timing, wire::Timing::Builder builder);
rt::Timing read(wire::Timing::Reader reader);

// Traces.
void write(const rt::TraceEvent &event, wire::TraceEvent::Builder builder);
rt::TraceEvent read(wire::TraceEvent::Reader reader);

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_PROTOCOL_CONVERT_H
