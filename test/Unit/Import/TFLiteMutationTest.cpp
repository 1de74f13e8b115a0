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

#include "Extensions/TFLiteCustom/CustomExtension.h"
#include "nnhal/Runtime/Validate.h"

#include <flatbuffers/flexbuffers.h>

#include <chrono>
#include <random>

namespace nnhal::rt {
namespace {

class TFLiteMutationTest : public ::testing::Test {
protected:
  /// False when time is up: a loaded host must not make this test fail.
  bool check(const std::vector<std::byte> &bytes) {
    Result<AnnotatedModel> model = importTFLite(Memory::borrow(bytes), options);
    if (model.isOk())
      EXPECT_TRUE(validateModel(model->model).isOk());
    else
      EXPECT_FALSE(model.status().message().empty());
    ++count;
    return std::chrono::steady_clock::now() < deadline;
  }

  /// Checks copies of \p file with changed bytes.
  void flip(const std::vector<std::byte> &file);

  TFLiteImportOptions options;
  std::mt19937 random{20240117};
  size_t count = 0;
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
};

/// A chain of operators that are composed or folded.
static std::vector<std::byte> writeComposed() {
  TFLiteWriter file;
  auto real = [&] { return file.tensor({{}}); };
  auto whole = [&] { return file.tensor({{}, Type::INT32}); };
  int32_t image = file.tensor({{1, 4, 4, 3}}), shape = whole(), rows = whole(),
          target = whole();
  int32_t one = file.integers({1});
  int32_t rest = file.constant<int32_t>({{}, Type::INT32}, {-1});
  int32_t paddings =
      file.constant<int32_t>({{4, 2}, Type::INT32}, {0, 0, 1, 1, 1, 1, 0, 0});
  int32_t padded = real(), wide = real(), flat = real(), product = real(),
          left = real(), right = real(), found = real(), selected = real();
  file.add(Code::MIRROR_PAD, {image, paddings}, {padded},
           schema::CreateMirrorPadOptions(file.builder));
  std::vector<uint8_t> same = {1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0};
  file.add(Code::CUSTOM, {padded, file.floats({2, 2, 2, 3}), file.floats({2})},
           {wide}, schema::BuiltinOptions::NONE, 0,
           {.custom = "Convolution2DTransposeBias", .customOptions = same});
  file.add(Code::SHAPE, {wide}, {shape});
  file.add(Code::STRIDED_SLICE, {shape, one, file.integers({2}), one}, {rows},
           schema::CreateStridedSliceOptions(file.builder, 0, 0, 0, 0, 1));
  file.add(Code::PACK, {rows, rest}, {target},
           schema::CreatePackOptions(file.builder, 2));
  file.add(Code::RESHAPE, {wide, target}, {flat});
  file.add(Code::BATCH_MATMUL, {flat, file.floats({3, 24, 4})}, {product},
           schema::CreateBatchMatMulOptions(file.builder));
  file.add(Code::SPLIT_V, {product, file.integers({1, -1}), rest},
           {left, right});
  file.add(Code::GATHER_ND,
           {right, file.constant<int32_t>({{2, 2}, Type::INT32}, {0, 1, 2, 3})},
           {found});
  int32_t mask = file.constant<uint8_t>({{2, 1}, Type::BOOL}, {0, 1});
  file.add(Code::SELECT_V2, {mask, found, file.floats({})}, {selected});
  return file.finish({image}, {left, found, selected});
}

TEST_F(TFLiteMutationTest, truncated) {
  std::vector<std::byte> file = writeSmallCnn();
  for (size_t size = 0; size < file.size(); size += 37)
    if (!check({file.begin(), file.begin() + size}))
      break;
  EXPECT_GE(count, 500u);
}

TEST_F(TFLiteMutationTest, flipped) { flip(writeSmallCnn()); }

TEST_F(TFLiteMutationTest, flippedCompositions) {
  EXPECT_EQ(importError(writeComposed()), "imported");
  flip(writeComposed());
}

/// Operators that become those of the extension, with 16 and 64 bits and with
/// extents that only an execution knows.
static std::vector<std::byte> writeExtended() {
  TFLiteWriter file;
  auto wide = [&](std::vector<int32_t> shape) {
    return file.tensor(
        {std::move(shape), schema::TensorType::INT16, {0.5f}, {0}});
  };
  auto index = [&](std::vector<int32_t> shape) {
    return file.tensor({std::move(shape), Type::INT64});
  };
  int32_t image = wide({1, 4, 4, 2}), filtered = wide({}), sliced = wide({}),
          flat = wide({}), mask = file.tensor({{}, Type::BOOL}),
          places = index({-1, 2}), found = wide({-1}), sum = wide({});
  int32_t weights = file.constant<int8_t>(
      {{2, 2, 2, 2}, Type::INT8, {0.5f}, {0}}, std::vector<int8_t>(16, 3));
  int32_t bias = file.constant<int64_t>({{2}, Type::INT64}, {1, 2});
  file.add(
      Code::CONV_2D, {image, weights, bias}, {filtered},
      schema::CreateConv2DOptions(file.builder, schema::Padding::VALID, 1, 1));
  file.add(Code::STRIDED_SLICE,
           {filtered, file.integers({0, 1}), file.integers({0, 2}),
            file.integers({1, 1})},
           {sliced}, schema::CreateStridedSliceOptions(file.builder, 0, 0, 1));
  file.add(Code::RESHAPE, {sliced, file.integers({3, 3})}, {flat});
  file.add(Code::GREATER, {flat, flat}, {mask});
  file.add(Code::WHERE, {mask}, {places});
  file.add(Code::GATHER_ND, {flat, places}, {found});
  file.add(Code::SUM, {found, file.integers({0})}, {sum},
           schema::CreateReducerOptions(file.builder, true));
  return file.finish({image}, {flat, found, sum});
}

TEST_F(TFLiteMutationTest, flippedExtensions) {
  EXPECT_EQ(importError(writeExtended()), "imported");
  flip(writeExtended());
}

/// Operators that an extension claims, with options and shapes that it infers.
static std::vector<std::byte> writeClaimed() {
  TFLiteWriter file;
  flexbuffers::Builder spectrum, cepstrum;
  spectrum.Map([&] {
    spectrum.Int("window_size", 6);
    spectrum.Int("stride", 2);
  });
  spectrum.Finish();
  cepstrum.Map([&] {
    cepstrum.Int("upper_frequency_limit", 4000);
    cepstrum.Int("lower_frequency_limit", 20);
    cepstrum.Int("filterbank_channel_count", 4);
    cepstrum.Int("dct_coefficient_count", 3);
  });
  cepstrum.Finish();
  int32_t sound = file.tensor({{20, 1}}), rate = file.integers({16000}),
          spectra = file.tensor({}), features = file.tensor({});
  file.add(
      Code::CUSTOM, {sound}, {spectra}, schema::BuiltinOptions::NONE, 0,
      {.custom = "AudioSpectrogram", .customOptions = spectrum.GetBuffer()});
  file.add(Code::CUSTOM, {spectra, rate}, {features},
           schema::BuiltinOptions::NONE, 0,
           {.custom = "Mfcc", .customOptions = cepstrum.GetBuffer()});
  return file.finish({sound}, {features});
}

TEST_F(TFLiteMutationTest, flippedCustomOperators) {
  options.extensions = {{tflite_custom::createCustomExtension(), "test"}};
  AnnotatedModel model = importBytes(writeClaimed(), options);
  const Subgraph &main = model.model.main;
  ASSERT_EQ(main.outputIndexes.size(), 1u);
  EXPECT_EQ(main.operands[main.outputIndexes[0]].dimensions,
            (std::vector<uint32_t>{1, 8, 3}));
  flip(writeClaimed());
}

// Mutations outside the weights, which are most of a file.
void TFLiteMutationTest::flip(const std::vector<std::byte> &file) {
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
