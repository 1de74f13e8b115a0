//===- JsonRoundTripTest.cpp - Model JSON read and written back -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Reading a model and writing it gives the same JSON document, and the model is
// structurally valid in the version that its case asks for: for the small files
// in Inputs, and for every conformance case where those are present.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Model/TrailingDefaults.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/Validate.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace nnhal::rt;
namespace fs = std::filesystem;

namespace {

std::string readText(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// Empty when \p document survives reading and writing.
std::string roundTripError(const nlohmann::json &document,
                           const std::string &directory) {
  Result<Model> model = readJsonModel(document.dump(), directory);
  if (!model.isOk())
    return "read: " + model.status().message();
  Result<std::string> text = writeJsonModel(*model);
  if (!text.isOk())
    return "write: " + text.status().message();
  nlohmann::json written = nlohmann::json::parse(*text);
  if (written != document)
    return "differs: " + nlohmann::json::diff(document, written).dump();
  return {};
}

TEST(JsonRoundTripTest, ownFiles) {
  fs::path inputs = fs::path(NNHAL_TEST_DATA) / "Unit/Model/Inputs";
  size_t count = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(inputs)) {
    if (entry.path().extension() != ".json")
      continue;
    nlohmann::json document = nlohmann::json::parse(readText(entry.path()));
    EXPECT_EQ(roundTripError(document, inputs.string()), "") << entry.path();
    Result<Model> model = readJsonModel(document.dump(), inputs.string());
    ASSERT_TRUE(model.isOk());
    EXPECT_EQ(validateModel(*model, model->halVersion).message(), "")
        << entry.path();
    ++count;
  }
  EXPECT_GE(count, 4u);
}

TEST(JsonRoundTripTest, conformanceCases) {
  fs::path vectors = fs::path(NNHAL_SHARED_DATA) / "vectors";
  if (!fs::is_directory(vectors))
    GTEST_SKIP() << "no conformance cases in " << vectors;
  size_t failures = 0;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(vectors)) {
    if (entry.path().extension() != ".json")
      continue;
    nlohmann::json file = nlohmann::json::parse(readText(entry.path()));
    for (const nlohmann::json &testCase : file.at("cases")) {
      std::string error = roundTripError(testCase.at("model"), ".");
      if (error.empty() && !testCase.contains("expectFailure")) {
        Result<Model> model = readJsonModel(testCase.at("model").dump());
        auto version = parseHalVersion(
            testCase.at("minHalVersion").get_ref<const std::string &>());
        ASSERT_TRUE(model.isOk() && version);
        error = validateModel(*model).message();
        // The HAL's own tools compute that version so (B-128).
        removeTrailingDefaults(*model);
        if (error.empty())
          error = validateModel(*model, *version).message();
      }
      if (error.empty())
        continue;
      ADD_FAILURE() << testCase.at("name") << ": " << error.substr(0, 400);
      ASSERT_LT(++failures, 20u) << "enough";
    }
  }
}

} // namespace
