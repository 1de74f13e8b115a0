//===- TensorFilesTest.cpp - Samples in files and in test cases -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Benchmark/DataSet.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace nnhal;
using namespace nnhal::tools;
namespace fs = std::filesystem;

namespace {

class TensorFilesTest : public testing::Test {
protected:
  TensorFilesTest() {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~TensorFilesTest() override { fs::remove_all(folder); }

  std::string write(const std::string &name, const std::vector<float> &values) {
    std::string path = folder + "/" + name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(values.data()),
               std::streamsize(values.size() * sizeof(float)));
    return path;
  }

  const std::string folder = testing::TempDir() + "nnhal-tensors";
  TensorsRequest request;
  rt::Interface interface = {{{"x", rt::OperandType::TENSOR_FLOAT32, {2}}},
                             {{"y", rt::OperandType::TENSOR_FLOAT32, {1}}},
                             {}};
};

TEST_F(TensorFilesTest, FolderHasASamplePerInput) {
  write("b.input", {1, 2, 3, 4});
  write("b.output", {5, 6});
  write("a.input", {1, 2});
  request.directory = folder;
  request.frames = true;
  auto data = openTensors(request);
  ASSERT_TRUE(data.isOk()) << data.status().message();
  ASSERT_EQ((*data)->size(), 2u);
  auto first = (*data)->load(0, interface),
       second = (*data)->load(1, interface);
  ASSERT_TRUE(first.isOk()) << first.status().message();
  ASSERT_TRUE(second.isOk()) << second.status().message();
  EXPECT_EQ(first->name, "a");
  EXPECT_FALSE(first->expected[0]);
  EXPECT_EQ(second->name, "b");
  EXPECT_EQ(second->inputs.frameCount, 2u);
  EXPECT_TRUE(second->carriesState);
  ASSERT_TRUE(second->expected[0]);
  EXPECT_EQ(second->expected[0]->bytes.size(), 8u);
  request.limit = 1;
  EXPECT_EQ((*openTensors(request))->size(), 1u);
}

TEST_F(TensorFilesTest, FilesOfOneSampleAreNamed) {
  request.inputs = {{"x", write("in", {1, 2})}};
  request.outputs = {{"y", write("out", {3})}};
  auto data = openTensors(request);
  ASSERT_TRUE(data.isOk()) << data.status().message();
  auto sample = (*data)->load(0, interface);
  ASSERT_TRUE(sample.isOk()) << sample.status().message();
  EXPECT_FALSE(sample->carriesState);
  EXPECT_EQ(sample->expected[0]->bytes.size(), 4u);
}

TEST_F(TensorFilesTest, FolderWithoutSamplesIsNamed) {
  request.directory = folder;
  EXPECT_EQ(openTensors(request).status().message(),
            "there are no samples in '" + folder +
                "': no file ends in "
                "'.input'");
  request.directory += "/none";
  EXPECT_EQ(openTensors(request).status().message(),
            "cannot list '" + request.directory +
                "': No such file or directory");
}

TEST(RandomDataTest, SameSeedGivesTheSame) {
  rt::Interface interface = {
      {{"", rt::OperandType::TENSOR_FLOAT32, {0, 2}}}, {}, {}};
  auto load = [&](uint64_t seed) {
    auto sample = randomData(seed, {{"0", {2, 2}}})->load(0, interface);
    EXPECT_TRUE(sample.isOk()) << sample.status().message();
    auto bytes = sample->inputs.tensors[0].bytes.bytes();
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(load(1).size(), 16u);
  EXPECT_EQ(load(1), load(1));
  EXPECT_NE(load(1), load(2));
}

TEST(ExampleDataTest, ExamplesAreSamples) {
  rt::TestCase test;
  test.name = "case";
  rt::TestTensor present = {false, {2}, {1, 2, 3, 4, 5, 6, 7, 8}};
  rt::TestTensor absent = {true, {}, {}};
  test.examples = {{{present}, {present, absent}, {}}, {{absent}, {}, {}}};
  rt::Interface interface;
  interface.outputs.resize(2);
  auto data = openExamples(test);
  ASSERT_EQ(data->size(), 2u);
  auto sample = data->load(0, interface);
  ASSERT_TRUE(sample.isOk()) << sample.status().message();
  EXPECT_EQ(sample->inputs.tensors[0].frameSize, 8u);
  EXPECT_TRUE(sample->expected[0]);
  EXPECT_FALSE(sample->expected[1]);
  EXPECT_EQ(data->load(1, interface).status().message(),
            "example 1 of case omits input 0, and every input is needed here");
}

} // namespace
