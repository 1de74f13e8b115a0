//===- RecordingTest.cpp - What the NDK library records -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostileTesting.h"

#include "Tools/Check/Check.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace nnhal;
using namespace nnhal::test;
namespace fs = std::filesystem;

namespace {

std::string readText(const fs::path &path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The library reads the environment once, so that this is a program of its
/// own.
class RecordingTest : public ::testing::Test {
protected:
  RecordingTest() {
    std::string pattern = fs::temp_directory_path() / "nnhal-record-XXXXXX";
    folder = mkdtemp(pattern.data());
    setenv("NNHAL_RECORD", folder.c_str(), 1);
    setenv("NNHAL_RECORD_REQUESTS", "9", 1);
  }
  ~RecordingTest() override {
    std::error_code error;
    fs::remove_all(folder, error);
  }
  fs::path folder;
};

/// Computes RELU in one of three ways and returns whether it went well.
bool computeRelu(ANeuralNetworksCompilation *compilation, int way) {
  ANeuralNetworksExecution *made = nullptr;
  expectCode(ANeuralNetworksExecution_create(compilation, &made));
  NdkExecution execution(made);
  std::array<float, 4> in = {-1, 2, -3, float(way)}, out = {};
  expectCode(ANeuralNetworksExecution_setInput(made, 0, nullptr, in.data(),
                                               sizeof(in)));
  expectCode(ANeuralNetworksExecution_setOutput(made, 0, nullptr, out.data(),
                                                sizeof(out)));
  if (way == 0)
    return ANeuralNetworksExecution_compute(made) == ANEURALNETWORKS_NO_ERROR;
  ANeuralNetworksEvent *event = nullptr;
  if (way == 1)
    expectCode(ANeuralNetworksExecution_startCompute(made, &event));
  else
    expectCode(ANeuralNetworksExecution_startComputeWithDependencies(
        made, nullptr, 0, 0, &event));
  NdkEvent owned(event);
  return ANeuralNetworksEvent_wait(event) == ANEURALNETWORKS_NO_ERROR &&
         out[3] == float(way);
}

TEST_F(RecordingTest, ClientsAreRecordedAndReplayed) {
  NdkModel model = unaryModel(ANEURALNETWORKS_RELU);
  NdkCompilation compilation = compile(model.get());
  ASSERT_TRUE(compilation);
  for (int way = 0; way < 3; ++way)
    EXPECT_TRUE(computeRelu(compilation.get(), way)) << way;
  auto device = rt::createReferenceDevice();
  size_t models = 0, cases = 0;
  for (const auto &entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename();
    if (name.ends_with(".settings.json")) {
      EXPECT_NE(readText(entry.path()).find("nnapi-reference"),
                std::string::npos);
    } else if (name.ends_with(".json")) {
      auto read = rt::readJsonModel(readText(entry.path()), folder);
      EXPECT_EQ(read.status().message(), "");
      ++models;
    }
  }
  EXPECT_EQ(models, 1u);
  for (const auto &entry : fs::directory_iterator(folder / "cases")) {
    rt::Status status = rt::readTestCases(
        readText(entry.path()),
        [&](rt::TestCase test) {
          tools::CaseResult result =
              tools::checkCase(std::move(test), *device, {});
          EXPECT_EQ(result.outcome, tools::CaseResult::Outcome::passed)
              << result.message;
          ++cases;
          return rt::Status::ok();
        },
        folder / "cases");
    EXPECT_EQ(status.message(), "");
  }
  EXPECT_EQ(cases, 3u);
}

} // namespace
