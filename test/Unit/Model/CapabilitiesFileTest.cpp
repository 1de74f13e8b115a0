//===- CapabilitiesFileTest.cpp - Capabilities as measured ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/CapabilitiesFile.h"

#include "Faults/Allocations.h"
#include "Runtime/Support/AtomicFile.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <thread>

using namespace nnhal::rt;
namespace fs = std::filesystem;

namespace {

class CapabilitiesFileTest : public testing::Test {
protected:
  void SetUp() override {
    const auto *info = testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::path(testing::TempDir()) /
             fmt::format("nnhal-{}-{}", info->name(), getpid());
    path = capabilitiesPath(folder.string(), "nnhal-cpu");
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string problemOf(std::string_view text) {
    fs::create_directories(folder);
    EXPECT_TRUE(
        writeFileAtomically(path, std::as_bytes(std::span(text))).isOk());
    auto read = readCapabilities(path, "nnhal-cpu", "1.2.3");
    return read.isOk() ? "accepted" : read.status().message();
  }

  /// "'PATH': \p text".
  std::string atPath(std::string_view text) {
    return fmt::format("'{}': {}", path, text);
  }

  fs::path folder;
  std::string path;
};

Capabilities measured() {
  Capabilities capabilities;
  capabilities.relaxedFloat32toFloat16PerformanceScalar = {0.3f, 0.4f};
  capabilities.relaxedFloat32toFloat16PerformanceTensor = {1e-7f, 123456.0f};
  capabilities.operandPerformance = {
      {OperandType::FLOAT32, {0.1f, 0.2f}},
      {OperandType::TENSOR_OEM_BYTE, {1.5f, FLT_MAX}}};
  capabilities.whilePerformance = {0.5f, 0.25f};
  return capabilities;
}

TEST_F(CapabilitiesFileTest, C024_ReadsWhatWasWritten) {
  EXPECT_EQ(path, folder.string() + "/capabilities-nnhal-cpu.json");
  ASSERT_EQ(writeCapabilities(path, "nnhal-cpu", "1.2.3", measured()).message(),
            ""); // The folder did not exist.
  for (int i = 0; i < 3; ++i) {
    auto read = readCapabilities(path, "nnhal-cpu", "1.2.3");
    ASSERT_EQ(read.status().message(), "");
    ASSERT_TRUE(*read);
    EXPECT_EQ(**read, measured());
  }
  // Once more in its place, and nothing else beside it.
  ASSERT_TRUE(writeCapabilities(path, "nnhal-cpu", "1.2.3", {}).isOk());
  EXPECT_EQ(**readCapabilities(path, "nnhal-cpu", "1.2.3"), Capabilities());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(CapabilitiesFileTest, NoFileIsNoError) {
  auto read = readCapabilities(path, "nnhal-cpu", "1.2.3");
  ASSERT_TRUE(read.isOk());
  EXPECT_FALSE(*read);
}

TEST_F(CapabilitiesFileTest, C020_WritesValidCapabilitiesOnly) {
  Capabilities bad = measured();
  bad.ifPerformance.execTime = 0.0f;
  EXPECT_EQ(writeCapabilities(path, "nnhal-cpu", "1.2.3", bad).message(),
            "execTime of ifPerformance: 0 must be positive and finite");
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(writeCapabilities(path, "\xff", "1.2.3", measured()).message(),
            "the device's name or version is not UTF-8");
}

TEST_F(CapabilitiesFileTest, SaysWhyItCannotWrite) {
  EXPECT_EQ(writeCapabilities("/proc/nnhal/file", "nnhal-cpu", "1", measured())
                .message(),
            "cannot create '/proc/nnhal': No such file or directory");
}

TEST_F(CapabilitiesFileTest, FormatErrors) {
  EXPECT_EQ(problemOf(""), atPath("parse error at line 1, column 1: syntax "
                                  "error while parsing value - unexpected end "
                                  "of input; expected '[', '{', or a literal"));
  EXPECT_EQ(problemOf("[]"), atPath("the file: key \"format\" is missing"));
  EXPECT_EQ(problemOf(R"({"format": "a", "format": "b"})"),
            atPath("the file: key \"format\" is given twice"));
  EXPECT_EQ(problemOf(R"({"format": "json"})"),
            atPath("format: expected \"nnhal-capabilities\", found "
                   "\"json\""));
  std::string begin = R"({"format": "nnhal-capabilities", "formatVersion": )";
  EXPECT_EQ(problemOf(begin + R"(2, "unheard": []})"),
            atPath("formatVersion: expected 1 at most, found 2"));
  begin += "1";
  EXPECT_EQ(problemOf(begin + R"(, "unheard": []})"),
            atPath("the file: unknown key \"unheard\""));
  EXPECT_EQ(problemOf(begin + R"(, "device": "nnhal-gpu"})"),
            atPath("device: expected \"nnhal-cpu\", found \"nnhal-gpu\""));
  begin += R"(, "device": "nnhal-cpu", "deviceVersion": )";
  EXPECT_EQ(problemOf(begin + "\"1.2.2\"}"),
            atPath("deviceVersion: expected \"1.2.3\", found \"1.2.2\""));
  begin += "\"1.2.3\"";
  EXPECT_EQ(problemOf(begin + "}"),
            atPath("the file: key \"operandPerformance\" is missing"));
  EXPECT_EQ(problemOf(begin + R"(, "ifPerformance": 1})"),
            atPath("the file: key \"operandPerformance\" is missing"));
}

TEST_F(CapabilitiesFileTest, ValueErrors) {
  auto problem = [&](std::string_view entries, std::string_view rest = "") {
    return problemOf(
        fmt::format(R"({{"format": "nnhal-capabilities", "formatVersion": 1, )"
                    R"("device": "nnhal-cpu", "deviceVersion": "1.2.3", )"
                    R"("operandPerformance": [{}]{}}})",
                    entries, rest));
  };
  EXPECT_EQ(problem(""), "accepted");
  EXPECT_EQ(problem(R"({"type": "INT32", "execTime": 1, "powerUsage": 1})"),
            "accepted");
  EXPECT_EQ(problem(R"({"type": "INT33", "execTime": 1, "powerUsage": 1})"),
            atPath("operandPerformance[0].type: 'INT33' is not an operand "
                   "type"));
  EXPECT_EQ(problem(R"({"type": "INT32", "execTime": 1})"),
            atPath("operandPerformance[0]: key \"powerUsage\" is missing"));
  EXPECT_EQ(problem(R"({"type": "INT32", "execTime": 0, "powerUsage": 1})"),
            atPath("operandPerformance: execTime of INT32: 0 must be positive "
                   "and finite"));
  EXPECT_EQ(problem("", R"(, "ifPerformance": 1)"),
            atPath("ifPerformance: expected an object, found 1"));
  EXPECT_EQ(problem("", R"(, "ifPerformance": {"execTime": "x"})"),
            atPath("ifPerformance.execTime: expected a number, found \"x\""));
}

/// A reader sees one of the files, whole.
TEST_F(CapabilitiesFileTest, ReplacesAtOnce) {
  Capabilities one = uniformCapabilities({1.0f, 1.0f});
  Capabilities two = uniformCapabilities({2.0f, 2.0f});
  ASSERT_TRUE(writeCapabilities(path, "d-e", "1", one).isOk());
  auto write = [&](const Capabilities &capabilities) {
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(writeCapabilities(path, "d-e", "1", capabilities).message(),
                "");
  };
  std::thread first([&] { write(one); });
  std::thread second([&] { write(two); });
  for (int i = 0; i < 200; ++i) {
    auto read = readCapabilities(path, "d-e", "1");
    ASSERT_EQ(read.status().message(), "");
    EXPECT_TRUE(**read == one || **read == two);
  }
  first.join();
  second.join();
}

/// Returns the capabilities for a device, with a warning where the file cannot
/// be used.
TEST_F(CapabilitiesFileTest, C024_IsFoundByDevices) {
  auto environment = [&](const char *name) -> const char * {
    return std::string_view(name) == "NNHAL_STATE_DIR" ? folder.c_str()
                                                       : nullptr;
  };
  std::vector<std::string> warnings;
  auto kept = keptCapabilities(environment, [&](const std::string &warning) {
    warnings.push_back(warning);
  });
  EXPECT_EQ(kept("nnhal-cpu", "1.2.3"), std::nullopt);
  ASSERT_TRUE(writeCapabilities(path, "nnhal-cpu", "1.2.3", measured()).isOk());
  EXPECT_TRUE(kept("nnhal-cpu", "1.2.3") == measured());
  EXPECT_EQ(kept("nnhal-reference", "1.2.3"), std::nullopt);
  EXPECT_EQ(warnings, std::vector<std::string>());

  EXPECT_EQ(kept("nnhal-cpu", "2"), std::nullopt);
  constexpr std::string_view advice =
      "; nnhal-cpu keeps its built-in capabilities until it is calibrated "
      "again";
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            atPath("deviceVersion: expected \"2\", found \"1.2.3\"") +
                std::string(advice));
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_EQ(kept("nnhal-cpu", "1.2.3"), std::nullopt);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[1].find(path), std::string::npos) << warnings[1];
  EXPECT_TRUE(warnings[1].ends_with(advice)) << warnings[1];

  testing::internal::CaptureStderr();
  EXPECT_EQ(keptCapabilities(environment)("nnhal-cpu", "1.2.3"), std::nullopt);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: " + warnings[1] + "\n");
  auto nowhere = keptCapabilities([](const char *) { return nullptr; });
  EXPECT_EQ(nowhere("nnhal-cpu", "1.2.3"), std::nullopt);
}

TEST(StateDirectoryTest, FollowsTheEnvironment) {
  std::map<std::string, const char *> variables;
  auto directory = [&] {
    auto found = stateDirectory([&](const char *name) -> const char * {
      auto variable = variables.find(name);
      return variable == variables.end() ? nullptr : variable->second;
    });
    return found.isOk() ? *found : found.status().message();
  };
  constexpr std::string_view none =
      "no folder for state: none of NNHAL_STATE_DIR, XDG_STATE_HOME and HOME "
      "is set";
  EXPECT_EQ(directory(), none);
  variables["HOME"] = "";
  EXPECT_EQ(directory(), none);
  variables["HOME"] = "/home/a";
  EXPECT_EQ(directory(), "/home/a/.local/state/nnhal");
  variables["XDG_STATE_HOME"] = "relative";
  EXPECT_EQ(directory(), "/home/a/.local/state/nnhal");
  variables["XDG_STATE_HOME"] = "/state";
  EXPECT_EQ(directory(), "/state/nnhal");
  variables["NNHAL_STATE_DIR"] = "mine";
  EXPECT_EQ(directory(), "mine");
}

// Only the first allocation fails: the JSON library allocates in destructors.
TEST_F(CapabilitiesFileTest, NeedsMemory) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "allocations are those of a sanitizer";
  Capabilities capabilities = measured();
  auto writing = [&] {
    AllocationFailure failure(0);
    return writeCapabilities(path, "nnhal-cpu", "1.2.3", capabilities);
  };
  EXPECT_EQ(writing().code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(writing().message(), "no memory for the capabilities of nnhal-cpu");
  auto reading = [&] {
    AllocationFailure failure(0);
    return readCapabilities(path, "nnhal-cpu", "1.2.3").status();
  };
  EXPECT_EQ(reading().code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(reading().message(), "no memory for '" + path + "'");
}

} // namespace
