//===- PacketsTest.cpp - Requests and results as elements -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Burst/Packets.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace nnhal::rt;

namespace {

BurstRequest sampleRequest() {
  BurstRequest request;
  request.inputs = {
      {.poolIndex = 1, .offset = 2, .length = 3, .dimensions = {4, 5}},
      {.hasNoValue = true, .dimensions = {}}};
  request.outputs = {
      {.poolIndex = 0, .offset = 6, .length = 7, .dimensions = {8}}};
  request.slots = {9, 10};
  request.measureTiming = true;
  return request;
}

TEST(PacketsTest, ElementsOfARequest) { // G-020 to G-025
  std::vector<RequestDatum> packet;
  writePacket(sampleRequest(), packet);
  const std::vector<std::pair<RequestTag, std::vector<uint32_t>>> expected = {
      {RequestTag::packetInformation, {10, 2, 1, 2}},
      {RequestTag::inputOperandInformation, {0, 1, 2, 3, 2}},
      {RequestTag::inputOperandDimensionValue, {4}},
      {RequestTag::inputOperandDimensionValue, {5}},
      {RequestTag::inputOperandInformation, {1, 0, 0, 0, 0}},
      {RequestTag::outputOperandInformation, {0, 0, 6, 7, 1}},
      {RequestTag::outputOperandDimensionValue, {8}},
      {RequestTag::poolIdentifier, {9}},
      {RequestTag::poolIdentifier, {10}},
      {RequestTag::measureTiming, {1}}};
  ASSERT_EQ(packet.size(), expected.size());
  for (size_t i = 0; i < packet.size(); ++i) {
    EXPECT_EQ(packet[i].tag, expected[i].first) << i;
    std::vector<uint32_t> words = expected[i].second;
    words.resize(5); // Bytes without a use are 0 (G-019).
    EXPECT_EQ(std::vector(packet[i].words.begin(), packet[i].words.end()),
              words)
        << i;
    EXPECT_EQ(packet[i].unused, (std::array<uint8_t, 3>{})) << i;
  }
  BurstRequest read;
  ASSERT_EQ(readPacket(packet, read).message(), "");
  EXPECT_EQ(read, sampleRequest());
}

TEST(PacketsTest, ElementsOfAResult) { // G-027 to G-029
  const BurstResult result = {.status = StatusCode::outputInsufficientSize,
                              .outputShapes = {{{2, 3}, false}, {{}, true}},
                              .timing = {0x100000002, noTiming}};
  std::vector<ResultDatum> packet;
  writePacket(result, packet);
  ASSERT_EQ(packet.size(), 6u);
  EXPECT_EQ(packet[0].words, (std::array<uint32_t, 4>{6, 3, 2, 0}));
  EXPECT_EQ(packet[1].words, (std::array<uint32_t, 4>{0, 2, 0, 0}));
  EXPECT_EQ(packet[4].words, (std::array<uint32_t, 4>{1, 0, 0, 0}));
  EXPECT_EQ(packet[5].tag, ResultTag::executionTiming);
  // isSufficient is the first byte of operandInformation, and the three behind
  // it are 0 (G-019).
  unsigned char bytes[24];
  std::memcpy(bytes, &packet[4], sizeof bytes);
  EXPECT_EQ(bytes[8], 1);
  EXPECT_EQ(bytes[9] | bytes[10] | bytes[11], 0);
  BurstResult read;
  ASSERT_EQ(readPacket(packet, read).message(), "");
  EXPECT_EQ(read, result);
}

TEST(PacketsTest, NewCodesBecomeGeneralFailure) { // G-030
  std::vector<ResultDatum> packet;
  for (uint32_t code = 0; code <= 8; ++code) {
    writePacket({.status = StatusCode(code), .outputShapes = {}, .timing = {}},
                packet);
    BurstResult read;
    ASSERT_TRUE(readPacket(packet, read).isOk());
    EXPECT_EQ(uint32_t(read.status), code <= 4 ? code : 2);
  }
}

/// Returns the message of readPacket() for a request that \p change has
/// changed.
template <typename Change> std::string refusal(Change change) {
  std::vector<RequestDatum> packet;
  writePacket(sampleRequest(), packet);
  change(packet);
  BurstRequest read;
  Status status = readPacket(packet, read);
  EXPECT_EQ(status.code(), StatusCode::generalFailure); // G-032
  return status.message();
}

TEST(PacketsTest, RefusedRequests) { // G-033, G-035
  using Packet = std::vector<RequestDatum>;
  EXPECT_EQ(refusal([](Packet &packet) { packet.clear(); }),
            "a packet of 0 elements ends where one with tag 0 is expected");
  EXPECT_EQ(refusal([](Packet &packet) { packet[0].words[0] = 11; }),
            "a packet of 10 elements says that it has 11");
  EXPECT_EQ(refusal([](Packet &packet) { packet[0].words[1] = 4000000000; }),
            "a packet states 4000000000 inputs, and has 9 elements left");
  EXPECT_EQ(refusal([](Packet &packet) { packet[0].words[2] = 6; }),
            "a packet states 6 outputs, and has 5 elements left");
  EXPECT_EQ(refusal([](Packet &packet) { packet[0].words[3] = 4; }),
            "a packet states 4 pools, and has 3 elements left");
  EXPECT_EQ(refusal([](Packet &packet) { packet[1].words[4] = 9; }),
            "a packet states 9 dimensions, and has 8 elements left");
  EXPECT_EQ(refusal([](Packet &packet) { packet[1].words[0] = 2; }),
            "hasNoValue of element 1 of a packet is 2, expected 0 or 1");
  EXPECT_EQ(refusal([](Packet &packet) {
              packet[4].tag = RequestTag::poolIdentifier;
            }),
            "element 4 of a packet has tag 5, expected 1");
  EXPECT_EQ(refusal([](Packet &packet) { packet[9].words[0] = 2; }),
            "measureTiming of a packet is 2, expected 0 or 1");
  EXPECT_EQ(refusal([](Packet &packet) {
              packet.push_back(packet.back());
              packet[0].words[0] = 11;
            }),
            "a packet of 11 elements has 1 behind its last one");
}

TEST(PacketsTest, RefusedResults) { // G-038
  std::vector<ResultDatum> packet;
  BurstResult read;
  writePacket(
      {.status = StatusCode::none, .outputShapes = {{{2}, true}}, .timing = {}},
      packet);
  packet[0].words[1] = 5;
  EXPECT_EQ(readPacket(packet, read).message(),
            "errorStatus of a packet is 5, expected 0 to 4");
  packet[0].words[1] = 0;
  packet[0].words[2] = 4;
  EXPECT_EQ(readPacket(packet, read).message(),
            "a packet states 4 outputs, and has 3 elements left");
  packet[0].words[2] = 1;
  packet[1].words[0] = 3;
  EXPECT_EQ(readPacket(packet, read).message(),
            "isSufficient of element 1 of a packet is 3, expected 0 or 1");
}

TEST(PacketsTest, PacketsThatArriveTogether) { // G-052
  std::vector<RequestDatum> packet, elements;
  writePacket(sampleRequest(), packet);
  elements = packet;
  elements.insert(elements.end(), packet.begin(), packet.end());
  std::vector<std::span<const RequestDatum>> packets;
  ASSERT_TRUE(splitPackets(elements, packets).isOk());
  ASSERT_EQ(packets.size(), 2u);
  EXPECT_EQ(packets[1].data(), elements.data() + 10);
  elements.push_back(packet.back());
  EXPECT_EQ(splitPackets(elements, packets).message(),
            "a packet begins with tag 6, expected 0");
  EXPECT_TRUE(packets.empty());
  elements[20] = packet.front();
  EXPECT_EQ(splitPackets(elements, packets).message(),
            "a packet says that it has 10 elements, expected 1 to 1");
}

} // namespace
