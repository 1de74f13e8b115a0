//===- DamageTest.cpp - Damaged messages over gRPC ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests whose bytes were changed, removed or inserted at random are
// answered, one way or another, and the server goes on. NNHAL_TEST_MUTATIONS
// says how many there are.
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <cstdlib>
#include <random>

using namespace nnhal;
using namespace nnhal::serving;
using namespace inference;

static size_t numberOfMutants() {
  const char *text = std::getenv("NNHAL_TEST_MUTATIONS");
  return text ? std::strtoul(text, nullptr, 10) : 2000;
}

/// Damages \p bytes in one to four places.
static void damage(std::string &bytes, std::mt19937_64 &random) {
  for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
    size_t at = bytes.empty() ? 0 : random() % bytes.size();
    switch (bytes.empty() ? 2 : random() % 4) {
    case 0:
      bytes[at] = char(random());
      break;
    case 1:
      bytes[at] ^= char(1U << random() % 8);
      break;
    case 2:
      bytes.insert(at, 1 + random() % 3, char(random()));
      break;
    default:
      bytes.erase(at, 1 + random() % 8);
      break;
    }
  }
}

TEST_F(GrpcTest, DamagedRequests) {
  folder.write("models/floats.json", copyModel("TENSOR_FLOAT32"));
  folder.write("models/bytes.json", copyModel("TENSOR_QUANT8_ASYMM"));
  start();
  ModelInferRequest raw = requestOf("floats", "input0", "FP32", {2, 3});
  raw.add_raw_input_contents(std::string(24, '\1'));
  raw.add_outputs()->set_name("output0");
  (*raw.mutable_parameters())["priority"].set_int64_param(2);
  (*raw.mutable_parameters())["timeout"].set_uint64_param(1'000'000);
  ModelInferRequest typed = requestOf("bytes", "input0", "UINT8", {2, 3});
  for (int i = 0; i < 6; ++i)
    typed.mutable_inputs(0)->mutable_contents()->add_uint_contents(i);
  const std::string whole[] = {raw.SerializeAsString(),
                               typed.SerializeAsString()};

  testing::internal::CaptureStderr();
  std::mt19937_64 random(7);
  size_t answered = 0;
  size_t mutants = numberOfMutants();
  for (size_t i = 0; i < mutants; ++i) {
    std::string bytes = whole[i % 2];
    damage(bytes, random);
    std::string answer;
    grpc::Status status =
        callRaw("/inference.GRPCInferenceService/ModelInfer", bytes, answer);
    answered += status.ok() ? 1 : 0;
    ASSERT_NE(status.error_code(), grpc::StatusCode::INTERNAL)
        << status.error_message();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  // Damage of names that are ignored, and of elements, is none.
  EXPECT_GT(answered, 0U);
  EXPECT_LT(answered, mutants);
  for (const std::string &bytes : whole) {
    std::string answer;
    EXPECT_TRUE(
        callRaw("/inference.GRPCInferenceService/ModelInfer", bytes, answer)
            .ok());
  }
}
