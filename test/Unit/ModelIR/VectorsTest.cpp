//===- VectorsTest.cpp - Conformance models as IR -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoundTrip.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/Transforms/Passes.h"
#include "nnhal/ModelIR/Model.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/Validate.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace nnhal;

/// Calls \p visit(case) for one case of each hundred, for all of them with
/// NNHAL_TEST_ALL in the environment. False where there are none.
template <typename Visit> static bool forEachCase(Visit visit) {
  std::filesystem::path root(NNHAL_SHARED_DATA "/vectors");
  if (!std::filesystem::is_directory(root))
    return false;
  size_t step = std::getenv("NNHAL_TEST_ALL") ? 1 : 100;
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".json")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  size_t position = 0;
  for (const std::filesystem::path &file : files) {
    // One case per line, between the first and the last.
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      if (line.starts_with("{\"cases\"") || line.starts_with("]}") ||
          position++ % step != 0)
        continue;
      if (line.ends_with(','))
        line.pop_back();
      visit(nlohmann::json::parse(line));
    }
  }
  return true;
}

/// Every model that validation accepts comes back as it was.
TEST(Vectors, RoundTripIsIdentity) {
  size_t compared = 0;
  bool exists = forEachCase([&](const nlohmann::json &test) {
    std::string name = test["name"];
    auto model = rt::readJsonModel(test["model"].dump());
    ASSERT_TRUE(model.isOk()) << name << ": " << model.status().message();
    auto version = rt::parseHalVersion(std::string(test["minHalVersion"]));
    if (!rt::validateModel(*model, *version).isOk())
      return;
    rt::AnnotatedModel annotated{*std::move(model), {}, {}, {}};
    auto result = test::roundTrip(annotated);
    ASSERT_TRUE(result.isOk()) << name << ": " << result.status().message();
    EXPECT_EQ(test::difference(annotated, *result), "") << name;
    ++compared;
  });
  if (!exists)
    GTEST_SKIP() << "no vectors in " << NNHAL_SHARED_DATA;
  RecordProperty("compared", int(compared));
  EXPECT_GT(compared, 0u);
}

/// What nnhal-check-version reports about \p module last: its remark about the
/// model, or an error.
static std::string reportVersion(mlir::ModuleOp module) {
  mlir::MLIRContext *context = module.getContext();
  std::string report;
  mlir::ScopedDiagnosticHandler handler(context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          report = diagnostic.str();
                                          return mlir::success();
                                        });
  mlir::PassManager passes(context);
  CheckVersionOptions options;
  options.report = true;
  passes.addPass(createCheckVersion(options));
  return mlir::succeeded(passes.run(module)) ? report : "failed: " + report;
}

/// nnhal-check-version finds the version that validation finds.
TEST(Vectors, LowestVersionIsThatOfValidation) {
  mlir::MLIRContext context;
  context.loadDialect<NNHalDialect>();
  size_t compared = 0;
  bool exists = forEachCase([&](const nlohmann::json &test) {
    std::string name = test["name"];
    auto model = rt::readJsonModel(test["model"].dump());
    ASSERT_TRUE(model.isOk()) << name << ": " << model.status().message();
    rt::Result<rt::HalVersion> version = rt::lowestVersion(*model);
    if (!version.isOk())
      return;
    rt::AnnotatedModel annotated{*std::move(model), {}, {}, {}};
    mlir::OwningOpRef<mlir::ModuleOp> module = importModel(annotated, &context);
    ASSERT_TRUE(module) << name;
    EXPECT_EQ(reportVersion(*module),
              fmt::format("the lowest HAL version of the model is {}",
                          rt::toString(*version)))
        << name;
    ++compared;
  });
  if (!exists)
    GTEST_SKIP() << "no vectors in " << NNHAL_SHARED_DATA;
  EXPECT_GT(compared, 0u);
}
