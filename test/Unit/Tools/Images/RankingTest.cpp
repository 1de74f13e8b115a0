//===- RankingTest.cpp - The highest values of an output ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Tensors/Ranking.h"

#include "Tools/Report/Report.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

template <typename T>
OutputTensor outputOf(rt::OperandType type, const std::vector<T> &values) {
  OutputTensor output;
  output.type = type;
  output.dimensions = {1, uint32_t(values.size())};
  output.bytes = std::as_bytes(std::span(values));
  return output;
}

TEST(RankingTest, EqualValuesKeepTheirOrder) {
  std::vector<float> values = {0.25f, std::nanf(""), 0.5f, 0.25f};
  auto output = outputOf(rt::OperandType::TENSOR_FLOAT32, values);
  rt::InterfaceTensor tensor = {"", output.type, output.dimensions};
  auto ranked = rankElements(output, tensor, 10);
  ASSERT_EQ(ranked.size(), 4u);
  EXPECT_EQ(ranked[0].index, 2u);
  EXPECT_EQ(ranked[1].index, 0u);
  EXPECT_EQ(ranked[2].index, 3u);
  EXPECT_EQ(ranked[3].index, 1u);
  EXPECT_EQ(rankElements(output, tensor, 1).size(), 1u);
}

TEST(RankingTest, QuantizedValuesAreRealNumbers) {
  std::vector<uint8_t> values = {128, 130, 126};
  auto output = outputOf(rt::OperandType::TENSOR_QUANT8_ASYMM, values);
  output.name = "scores";
  rt::InterfaceTensor tensor = {"", output.type, {1, 3}, 0.5f, 128};
  auto ranked = rankElements(output, tensor, 1);
  EXPECT_EQ(ranked[0].index, 1u);
  EXPECT_EQ(ranked[0].value, 1.0);
  std::vector<std::string> labels = {"cat", "dog", "cup"};
  EXPECT_EQ(describeTop(output, 0, tensor, 2, labels),
            "output 0 ('scores'), highest values:\n"
            "         1  [1] dog\n"
            "         0  [0] cat\n");
  output.dimensions = {1, 1, 3};
  EXPECT_NE(describeTop(output, 0, tensor, 2, labels), "");
  output.dimensions = {3, 1};
  EXPECT_EQ(describeTop(output, 0, tensor, 2, labels), "");
  EXPECT_EQ(describeTop(output, 0, tensor, 1, std::span(labels).first(1)),
            "output 0 ('scores'), highest values:\n"
            "         1  [1] cat\n");
  output.dimensions = {1, 3};
  labels.pop_back();
  EXPECT_EQ(describeTop(output, 0, tensor, 2, labels), "");
  EXPECT_EQ(describeTop(output, 0, tensor, 1, {}),
            "output 0 ('scores'), highest values:\n"
            "         1  [1]\n");
}

TEST(RankingTest, ClassesAreNamed) {
  std::vector<float> values = {2.0f, 0.0f, 3.0f, -1.0f, std::nanf(""), 1.0f};
  auto output = outputOf(rt::OperandType::TENSOR_FLOAT32, values);
  output.name = "classes";
  rt::InterfaceTensor tensor = {"", output.type, output.dimensions};
  std::vector<std::string> labels = {"cat", "dog", "cup"};
  EXPECT_EQ(describeClasses(output, 1, tensor, 5, labels),
            "output 1 ('classes'), first values:\n"
            "         2  [0] cup\n"
            "         0  [1] cat\n"
            "         3  [2]\n"
            "        -1  [3]\n"
            "       nan  [4]\n");
}

} // namespace
