//===- VectorsTest.cpp - Round trip of the conformance models ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoundTrip.h"

#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/Validate.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace nnhal;

/// Every model that validation accepts comes back as it was. One case of each
/// hundred is run; all of them with NNHAL_TEST_ALL in the environment.
TEST(Vectors, RoundTripIsIdentity) {
  std::filesystem::path root(NNHAL_SHARED_DATA "/vectors");
  if (!std::filesystem::is_directory(root))
    GTEST_SKIP() << root << " is absent";
  size_t step = std::getenv("NNHAL_TEST_ALL") ? 1 : 100;
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".json")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  size_t position = 0, compared = 0;
  for (const std::filesystem::path &file : files) {
    // One case per line, between the first and the last.
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      if (line.starts_with("{\"cases\"") || line.starts_with("]}") ||
          position++ % step != 0)
        continue;
      if (line.ends_with(','))
        line.pop_back();
      nlohmann::json test = nlohmann::json::parse(line);
      std::string name = test["name"];
      auto model = rt::readJsonModel(test["model"].dump());
      ASSERT_TRUE(model.isOk()) << name << ": " << model.status().message();
      auto version = rt::parseHalVersion(std::string(test["minHalVersion"]));
      if (!rt::validateModel(*model, *version).isOk())
        continue;
      rt::AnnotatedModel annotated{*std::move(model), {}, {}, {}};
      auto result = test::roundTrip(annotated);
      ASSERT_TRUE(result.isOk()) << name << ": " << result.status().message();
      EXPECT_EQ(test::difference(annotated, *result), "") << name;
      ++compared;
    }
  }
  RecordProperty("compared", int(compared));
  EXPECT_GT(compared, 0u);
}
