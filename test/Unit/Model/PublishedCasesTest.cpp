//===- PublishedCasesTest.cpp - What the conformance cases are ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

class PublishedCasesTest : public testing::Test {
protected:
  void SetUp() override {
    if (!fs::is_directory(folder))
      GTEST_SKIP() << "no conformance cases in " << folder;
  }

  /// Calls \p visit with each case of the files that have the word \p marked.
  void forEach(std::string_view marked,
               const std::function<void(const json &)> &visit) const {
    for (const auto &entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".json")
        continue;
      std::ifstream stream(entry.path());
      std::stringstream text;
      text << stream.rdbuf();
      if (text.view().find(marked) == std::string_view::npos)
        continue;
      const json file = json::parse(text.view());
      for (const json &each : file.at("cases"))
        visit(each);
    }
  }

  const fs::path folder = fs::path(NNHAL_SHARED_DATA) / "vectors";
};

// L-019: these expect a failure, and no others.
TEST_F(PublishedCasesTest, Failures) {
  std::set<std::string> failing;
  forEach("expectFailure", [&](const json &each) {
    if (each.value("expectFailure", false))
      failing.insert(each.at("spec"));
  });
  EXPECT_EQ(failing, (std::set<std::string>{
                         "V1_2/depthwise_conv2d_invalid_filter_dims",
                         "V1_2/strided_slice_invalid", "V1_3/if_no_value",
                         "V1_3/while_infinite_loop",
                         "V1_3_cts_only/cast_mismatching_shapes",
                         "V1_3_cts_only/concat_invalid_rank",
                         "V1_3_cts_only/conv2d_v1_3_invalid_rank"}));
}

// L-024: the tolerance of a frequency.
TEST_F(PublishedCasesTest, Tolerances) {
  std::set<double> tolerances;
  forEach("multinomialTolerance", [&](const json &each) {
    for (const json &example : each.at("examples"))
      tolerances.insert(example.at("multinomialTolerance").get<double>());
  });
  EXPECT_EQ(tolerances, std::set<double>{0.025});
}

} // namespace
