//===- ContentsTest.cpp - Elements as numbers of a message ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Serving/Grpc/Contents.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

using namespace nnhal;
using namespace nnhal::serving;
using inference::InferTensorContents;

static RequestTensor tensorOf(DataType type, std::vector<int64_t> shape) {
  RequestTensor tensor;
  tensor.name = "x";
  tensor.type = type;
  tensor.shape = std::move(shape);
  return tensor;
}

/// Expects that \p values, as the field that \p add adds to, are read as they
/// are, \p isCopied or not, and written as they were.
template <typename T, typename Add>
static void checkValues(DataType type, const std::vector<T> &values, Add add,
                        bool isCopied) {
  SCOPED_TRACE(nameOf(type));
  InferTensorContents contents;
  for (T value : values)
    add(contents, value);
  NarrowedElements narrowed;
  RequestTensor tensor = tensorOf(type, {int64_t(values.size())});
  Outcome outcome = readContents(contents, narrowed, tensor);
  ASSERT_TRUE(outcome.isOk()) << outcome.message();
  ASSERT_EQ(tensor.data.size(), values.size() * sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, tensor.data.data() + i * sizeof(T), sizeof(T));
    EXPECT_EQ(value, values[i]);
  }
  EXPECT_EQ(narrowed.size(), isCopied ? 1 : 0);

  ResponseTensor response;
  response.type = type;
  response.data = tensor.data;
  InferTensorContents written;
  writeContents(response, written);
  EXPECT_EQ(written.SerializeAsString(), contents.SerializeAsString());
}

template <typename T> static std::vector<T> extremes() {
  return {T(0), T(1), std::numeric_limits<T>::lowest(),
          std::numeric_limits<T>::max()};
}

TEST(GrpcContentsTest, EveryTypeWithAField) {
  auto addInt = [](InferTensorContents &contents, int32_t value) {
    contents.add_int_contents(value);
  };
  auto addUint = [](InferTensorContents &contents, uint32_t value) {
    contents.add_uint_contents(value);
  };
  checkValues(DataType::int8, extremes<int8_t>(), addInt, true);
  checkValues(DataType::int16, extremes<int16_t>(), addInt, true);
  checkValues(DataType::int32, extremes<int32_t>(), addInt, false);
  checkValues(DataType::uint8, extremes<uint8_t>(), addUint, true);
  checkValues(DataType::uint16, extremes<uint16_t>(), addUint, true);
  checkValues(DataType::uint32, extremes<uint32_t>(), addUint, false);
  checkValues(
      DataType::boolean, std::vector<uint8_t>{0, 1, 1},
      [](InferTensorContents &contents, uint8_t value) {
        contents.add_bool_contents(value != 0);
      },
      false);
  checkValues(
      DataType::int64, extremes<int64_t>(),
      [](InferTensorContents &contents, int64_t value) {
        contents.add_int64_contents(value);
      },
      false);
  checkValues(
      DataType::uint64, extremes<uint64_t>(),
      [](InferTensorContents &contents, uint64_t value) {
        contents.add_uint64_contents(value);
      },
      false);
  checkValues(
      DataType::fp32, extremes<float>(),
      [](InferTensorContents &contents, float value) {
        contents.add_fp32_contents(value);
      },
      false);
  checkValues(
      DataType::fp64, extremes<double>(),
      [](InferTensorContents &contents, double value) {
        contents.add_fp64_contents(value);
      },
      false);
  EXPECT_FALSE(hasContents(DataType::fp16));
}

static void expectRefused(const InferTensorContents &contents,
                          RequestTensor tensor, std::string_view message) {
  NarrowedElements narrowed;
  Outcome outcome = readContents(contents, narrowed, tensor);
  EXPECT_EQ(outcome.code(), OutcomeCode::invalidArgument);
  EXPECT_EQ(outcome.message(), message);
}

TEST(GrpcContentsTest, SixteenBitFloatsHaveNoNumbers) {
  expectRefused(InferTensorContents(), tensorOf(DataType::fp16, {1}),
                "input 'x': contents have no numbers of FP16, which is sent in "
                "raw_input_contents");
}

TEST(GrpcContentsTest, ElementsOfAnotherField) {
  InferTensorContents contents;
  contents.add_fp32_contents(1);
  contents.add_fp32_contents(2);
  expectRefused(contents, tensorOf(DataType::int64, {2}),
                "input 'x': contents have 2 elements in fp32_contents, and "
                "those of INT64 belong into int64_contents");
  InferTensorContents bytes;
  bytes.add_bytes_contents("text");
  expectRefused(bytes, tensorOf(DataType::uint8, {4}),
                "input 'x': contents have 1 elements in bytes_contents, and "
                "those of UINT8 belong into uint_contents");
}

TEST(GrpcContentsTest, AnotherNumberOfElements) {
  InferTensorContents contents;
  contents.add_fp32_contents(1);
  expectRefused(contents, tensorOf(DataType::fp32, {2, 3}),
                "input 'x': contents have 1 elements in fp32_contents, and "
                "shape [2,3] has 6");
  // The model refuses a shape that is none: it knows which one it has.
  NarrowedElements narrowed;
  for (int64_t extent : {int64_t(-1), std::numeric_limits<int64_t>::max()}) {
    RequestTensor tensor = tensorOf(DataType::fp32, {4, extent});
    EXPECT_TRUE(readContents(contents, narrowed, tensor).isOk());
  }
}

TEST(GrpcContentsTest, NumbersThatTheTypeDoesNotHave) {
  InferTensorContents contents;
  contents.add_int_contents(-128);
  contents.add_int_contents(128);
  expectRefused(contents, tensorOf(DataType::int8, {2}),
                "input 'x': element 1 is 128, and INT8 is from -128 to 127");
  InferTensorContents positive;
  positive.add_uint_contents(65536);
  expectRefused(positive, tensorOf(DataType::uint16, {1}),
                "input 'x': element 0 is 65536, and UINT16 is from 0 to 65535");
}
