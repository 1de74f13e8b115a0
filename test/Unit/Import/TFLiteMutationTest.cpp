//===- TFLiteMutationTest.cpp - Damaged files -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Truncated, bit-flipped and random files: each gives a message or a valid
// model, never a crash.
//
//===----------------------------------------------------------------------===//

#include "ImportTesting.h"

#include "nnhal/Runtime/Validate.h"

#include <chrono>
#include <random>

namespace nnhal::rt {
namespace {

class TFLiteMutationTest : public ::testing::Test {
protected:
  /// False when time is up: a loaded host must not make this test fail.
  bool check(const std::vector<std::byte> &bytes) {
    Result<AnnotatedModel> model = importTFLite(Memory::borrow(bytes));
    if (model.isOk())
      EXPECT_TRUE(validateModel(model->model).isOk());
    else
      EXPECT_FALSE(model.status().message().empty());
    ++count;
    return std::chrono::steady_clock::now() < deadline;
  }

  std::mt19937 random{20240117};
  size_t count = 0;
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
};

TEST_F(TFLiteMutationTest, truncated) {
  std::vector<std::byte> file = writeSmallCnn();
  for (size_t size = 0; size < file.size(); size += 37)
    if (!check({file.begin(), file.begin() + size}))
      break;
  EXPECT_GE(count, 500u);
}

// Mutations outside the weights, which are most of a file.
TEST_F(TFLiteMutationTest, flipped) {
  const std::vector<std::byte> file = writeSmallCnn();
  std::vector<size_t> structure;
  for (size_t i = 0; i + 4 <= file.size(); i += 4) {
    int32_t word;
    std::memcpy(&word, file.data() + i, 4);
    if (word > -70000 &&
        word < 70000) // Offsets, sizes, tables; rarely a float.
      structure.push_back(i);
  }
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> mutant = file;
    for (uint32_t n = 1 + random() % 3; n > 0; --n) {
      size_t position = structure[random() % structure.size()] + random() % 4;
      if (random() % 2)
        mutant[position] ^= std::byte(1 << random() % 8);
      else
        mutant[position] = std::byte(random());
    }
    if (!check(mutant))
      break;
  }
  EXPECT_GE(count, 500u);
}

TEST_F(TFLiteMutationTest, random) {
  for (int i = 0; i < 500; ++i) {
    std::vector<std::byte> bytes(random() % 2000);
    for (std::byte &byte : bytes)
      byte = std::byte(random() % (random() % 2 ? 256 : 24));
    // Half of them get past the identifier.
    if (i % 2 && bytes.size() >= 8)
      std::memcpy(bytes.data() + 4, "TFL3", 4);
    check(bytes);
  }
  EXPECT_EQ(count, 500u);
}

} // namespace
} // namespace nnhal::rt
