//===- Packets.h - Requests and results of a burst --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packet is a sequence of tagged elements of one size (G-018):
// FmqRequestDatum and FmqResultDatum of HAL 1.2, types.hal, in the layout that
// a safe_union has there. docs/Devices/Burst.md lists them byte by byte.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_BURST_PACKETS_H
#define NNHAL_LIB_RUNTIME_BURST_PACKETS_H

#include "nnhal/Runtime/Execution.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace nnhal::rt {

/// The tags of FmqRequestDatum, in order (G-020).
enum class RequestTag : uint8_t {
  packetInformation,          // packetSize, inputs, outputs, pools
  inputOperandInformation,    // hasNoValue, pool index, offset, length, rank
  inputOperandDimensionValue, // extent
  outputOperandInformation,
  outputOperandDimensionValue,
  poolIdentifier, // slot
  measureTiming,  // 0 or 1
};

/// One element of a request. Bytes that its value does not use are 0 (G-019).
struct RequestDatum {
  RequestTag tag = RequestTag::packetInformation;
  std::array<uint8_t, 3> unused{};
  std::array<uint32_t, 5> words{};
};
static_assert(sizeof(RequestDatum) == 24);

/// The tags of FmqResultDatum, in order (G-027).
enum class ResultTag : uint8_t {
  packetInformation,     // packetSize, errorStatus, number of outputs
  operandInformation,    // isSufficient, rank
  operandDimensionValue, // extent
  executionTiming,       // on device, in driver, in microseconds
};

/// One element of a result. Bytes that its value does not use are 0 (G-019).
struct ResultDatum {
  ResultTag tag = ResultTag::packetInformation;
  std::array<uint8_t, 7> unused{};
  std::array<uint32_t, 4> words{};
};
static_assert(sizeof(ResultDatum) == 24);

/// The content of a packet of requests.
struct BurstRequest {
  struct Operand {
    bool hasNoValue = false;
    uint32_t poolIndex = 0; // In `slots`.
    uint32_t offset = 0;
    uint32_t length = 0;
    std::vector<uint32_t> dimensions;
    bool operator==(const Operand &) const = default;
  };
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  std::vector<int32_t> slots;
  bool measureTiming = false;
  bool operator==(const BurstRequest &) const = default;
};

/// The content of a packet of results.
struct BurstResult {
  /// One of the codes 0 to 4, those of HAL 1.2 (G-030).
  StatusCode status = StatusCode::none;
  std::vector<OutputShape> outputShapes;
  Timing timing;
  bool operator==(const BurstResult &) const = default;
};

/// Writes \p request as the elements of one packet in place of \p packet.
void writePacket(const BurstRequest &request,
                 std::vector<RequestDatum> &packet);
/// Writes \p result likewise; codes that HAL 1.2 does not know become
/// GENERAL_FAILURE (G-030).
void writePacket(const BurstResult &result, std::vector<ResultDatum> &packet);

/// Reads \p packet, which is exactly one packet, into \p request, whose memory
/// is used again. generalFailure, naming the element, the found value and the
/// bound, for anything that writePacket() would not write; \p request is then
/// unspecified. Nothing is allocated in a size that the packet states and does
/// not have (G-033).
Status readPacket(std::span<const RequestDatum> packet, BurstRequest &request);
/// Reads a packet of results in the same way.
Status readPacket(std::span<const ResultDatum> packet, BurstResult &result);

/// Cuts the elements that arrived at once into \p packets, by the sizes that
/// they state. generalFailure, without a packet, unless the sizes account for
/// all of \p elements: then no boundary among them can be believed (G-052,
/// G-062).
Status splitPackets(std::span<const RequestDatum> elements,
                    std::vector<std::span<const RequestDatum>> &packets);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_BURST_PACKETS_H
