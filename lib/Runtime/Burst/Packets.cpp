//===- Packets.cpp - Requests and results of a burst ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Packets.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <bit>

using namespace nnhal::rt;

// A bool is the lowest byte of its word, and a 64-bit number two words.
static_assert(std::endian::native == std::endian::little);

namespace {
/// Reads the elements of one packet in order.
template <typename Datum> class PacketReader {
public:
  using Tag = decltype(Datum::tag);

  explicit PacketReader(std::span<const Datum> packet) : packet(packet) {}

  /// The next element, which has \p tag.
  Result<const Datum *> next(Tag tag) {
    if (index == packet.size())
      return failure("a packet of {} elements ends where one with tag {} is "
                     "expected",
                     packet.size(), unsigned(tag));
    const Datum &datum = packet[index];
    if (datum.tag != tag)
      return failure("element {} of a packet has tag {}, expected {}", index,
                     unsigned(datum.tag), unsigned(tag));
    ++index;
    return &datum;
  }
  /// The first element, which states the size of the packet.
  Result<const Datum *> begin() {
    NNHAL_ASSIGN_OR_RETURN(const Datum *info, next(Tag::packetInformation));
    if (info->words[0] != packet.size())
      return failure("a packet of {} elements says that it has {}",
                     packet.size(), info->words[0]);
    return info;
  }
  /// Elements of what \p name counts are still to come: \p count of them.
  Status checkCount(const char *name, uint32_t count) const {
    size_t left = packet.size() - index;
    if (count > left)
      return failure("a packet states {} {}, and has {} elements left", count,
                     name, left);
    return Status::ok();
  }
  Status end() const {
    if (index != packet.size())
      return failure("a packet of {} elements has {} behind its last one",
                     packet.size(), packet.size() - index);
    return Status::ok();
  }
  Status dimensions(Tag tag, uint32_t rank, std::vector<uint32_t> &extents) {
    NNHAL_RETURN_IF_ERROR(checkCount("dimensions", rank));
    extents.clear();
    for (uint32_t i = 0; i < rank; ++i) {
      NNHAL_ASSIGN_OR_RETURN(const Datum *datum, next(tag));
      extents.push_back(datum->words[0]);
    }
    return Status::ok();
  }
  Result<bool> boolean(const char *name, uint32_t word) const {
    uint32_t value = word & 0xff;
    if (value > 1)
      return failure("{} of element {} of a packet is {}, expected 0 or 1",
                     name, index - 1, value);
    return value == 1;
  }

private:
  std::span<const Datum> packet;
  size_t index = 0;
};

/// Which tags an operand of one direction has.
struct OperandTags {
  RequestTag information;
  RequestTag dimension;
};
} // namespace

static constexpr OperandTags inputTags = {
    RequestTag::inputOperandInformation,
    RequestTag::inputOperandDimensionValue};
static constexpr OperandTags outputTags = {
    RequestTag::outputOperandInformation,
    RequestTag::outputOperandDimensionValue};

static void write(const OperandTags &tags, const BurstRequest::Operand &operand,
                  std::vector<RequestDatum> &packet) {
  packet.push_back(
      {.tag = tags.information,
       .words = {operand.hasNoValue, operand.poolIndex, operand.offset,
                 operand.length, uint32_t(operand.dimensions.size())}});
  for (uint32_t extent : operand.dimensions)
    packet.push_back({.tag = tags.dimension, .words = {extent}});
}

void nnhal::rt::writePacket(const BurstRequest &request,
                            std::vector<RequestDatum> &packet) {
  packet.clear();
  packet.push_back({.tag = RequestTag::packetInformation,
                    .words = {0, uint32_t(request.inputs.size()),
                              uint32_t(request.outputs.size()),
                              uint32_t(request.slots.size())}});
  for (const BurstRequest::Operand &input : request.inputs)
    write(inputTags, input, packet);
  for (const BurstRequest::Operand &output : request.outputs)
    write(outputTags, output, packet);
  for (int32_t slot : request.slots)
    packet.push_back(
        {.tag = RequestTag::poolIdentifier, .words = {uint32_t(slot)}});
  packet.push_back(
      {.tag = RequestTag::measureTiming, .words = {request.measureTiming}});
  packet.front().words[0] = uint32_t(packet.size());
}

static StatusCode codeOfHal12(StatusCode code) {
  return code <= StatusCode::invalidArgument ? code
                                             : StatusCode::generalFailure;
}

void nnhal::rt::writePacket(const BurstResult &result,
                            std::vector<ResultDatum> &packet) {
  packet.clear();
  packet.push_back({.tag = ResultTag::packetInformation,
                    .words = {0, uint32_t(codeOfHal12(result.status)),
                              uint32_t(result.outputShapes.size())}});
  for (const OutputShape &shape : result.outputShapes) {
    packet.push_back(
        {.tag = ResultTag::operandInformation,
         .words = {shape.isSufficient, uint32_t(shape.dimensions.size())}});
    for (uint32_t extent : shape.dimensions)
      packet.push_back(
          {.tag = ResultTag::operandDimensionValue, .words = {extent}});
  }
  const Timing &timing = result.timing;
  packet.push_back({.tag = ResultTag::executionTiming,
                    .words = {uint32_t(timing.timeOnDevice),
                              uint32_t(timing.timeOnDevice >> 32),
                              uint32_t(timing.timeInDriver),
                              uint32_t(timing.timeInDriver >> 32)}});
  packet.front().words[0] = uint32_t(packet.size());
}

static Status readOperands(PacketReader<RequestDatum> &reader,
                           const OperandTags &tags, const char *name,
                           uint32_t count,
                           std::vector<BurstRequest::Operand> &operands) {
  NNHAL_RETURN_IF_ERROR(reader.checkCount(name, count));
  operands.resize(count);
  for (BurstRequest::Operand &operand : operands) {
    NNHAL_ASSIGN_OR_RETURN(const RequestDatum *datum,
                           reader.next(tags.information));
    NNHAL_ASSIGN_OR_RETURN(operand.hasNoValue,
                           reader.boolean("hasNoValue", datum->words[0]));
    operand.poolIndex = datum->words[1];
    operand.offset = datum->words[2];
    operand.length = datum->words[3];
    NNHAL_RETURN_IF_ERROR(
        reader.dimensions(tags.dimension, datum->words[4], operand.dimensions));
  }
  return Status::ok();
}

Status nnhal::rt::readPacket(std::span<const RequestDatum> packet,
                             BurstRequest &request) {
  PacketReader reader(packet);
  NNHAL_ASSIGN_OR_RETURN(const RequestDatum *info, reader.begin());
  NNHAL_RETURN_IF_ERROR(readOperands(reader, inputTags, "inputs",
                                     info->words[1], request.inputs));
  NNHAL_RETURN_IF_ERROR(readOperands(reader, outputTags, "outputs",
                                     info->words[2], request.outputs));
  NNHAL_RETURN_IF_ERROR(reader.checkCount("pools", info->words[3]));
  request.slots.clear();
  for (uint32_t i = 0; i < info->words[3]; ++i) {
    NNHAL_ASSIGN_OR_RETURN(const RequestDatum *slot,
                           reader.next(RequestTag::poolIdentifier));
    request.slots.push_back(int32_t(slot->words[0]));
  }
  NNHAL_ASSIGN_OR_RETURN(const RequestDatum *measure,
                         reader.next(RequestTag::measureTiming));
  // HAL 1.2 knows NO and YES; anything else is refused (G-035).
  if (measure->words[0] > 1)
    return failure("measureTiming of a packet is {}, expected 0 or 1",
                   measure->words[0]);
  request.measureTiming = measure->words[0] == 1;
  return reader.end();
}

static uint64_t join(uint32_t low, uint32_t high) {
  return low | uint64_t(high) << 32;
}

Status nnhal::rt::readPacket(std::span<const ResultDatum> packet,
                             BurstResult &result) {
  PacketReader reader(packet);
  NNHAL_ASSIGN_OR_RETURN(const ResultDatum *info, reader.begin());
  if (info->words[1] > uint32_t(StatusCode::invalidArgument))
    return failure("errorStatus of a packet is {}, expected 0 to {}",
                   info->words[1], uint32_t(StatusCode::invalidArgument));
  result.status = StatusCode(info->words[1]);
  NNHAL_RETURN_IF_ERROR(reader.checkCount("outputs", info->words[2]));
  result.outputShapes.resize(info->words[2]);
  for (OutputShape &shape : result.outputShapes) {
    NNHAL_ASSIGN_OR_RETURN(const ResultDatum *datum,
                           reader.next(ResultTag::operandInformation));
    NNHAL_ASSIGN_OR_RETURN(shape.isSufficient,
                           reader.boolean("isSufficient", datum->words[0]));
    NNHAL_RETURN_IF_ERROR(reader.dimensions(ResultTag::operandDimensionValue,
                                            datum->words[1], shape.dimensions));
  }
  NNHAL_ASSIGN_OR_RETURN(const ResultDatum *timing,
                         reader.next(ResultTag::executionTiming));
  result.timing = {join(timing->words[0], timing->words[1]),
                   join(timing->words[2], timing->words[3])};
  return reader.end();
}

static Status split(std::span<const RequestDatum> elements,
                    std::vector<std::span<const RequestDatum>> &packets) {
  while (!elements.empty()) {
    const RequestDatum &first = elements.front();
    if (first.tag != RequestTag::packetInformation)
      return failure("a packet begins with tag {}, expected {}",
                     unsigned(first.tag),
                     unsigned(RequestTag::packetInformation));
    uint32_t size = first.words[0];
    if (size == 0 || size > elements.size())
      return failure("a packet says that it has {} elements, expected 1 to {}",
                     size, elements.size());
    packets.push_back(elements.first(size));
    elements = elements.subspan(size);
  }
  return Status::ok();
}

Status
nnhal::rt::splitPackets(std::span<const RequestDatum> elements,
                        std::vector<std::span<const RequestDatum>> &packets) {
  packets.clear();
  Status status = split(elements, packets);
  if (!status.isOk())
    packets.clear();
  return status;
}
