//===- DeviceRegistryTest.cpp - Which devices are registered --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/DeviceRegistry.h"
#include "nnhal/Backend/Backend.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

/// Says what the test wants, and executes nothing.
class DescribedBackend final : public Backend {
public:
  explicit DescribedBackend(DeviceInfo description)
      : description(std::move(description)) {}
  const DeviceInfo &info() const override { return description; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &) const override {
    return std::vector<Status>();
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &, const PrepareOptions &,
       const LoadObserver &) const override {
    return Status(StatusCode::generalFailure, "this backend loads nothing");
  }

private:
  DeviceInfo description;
};

class DeviceRegistryTest : public testing::Test {
protected:
  DeviceRegistryTest() {
    info.name = "test-device";
    info.version = "1";
    info.type = DeviceType::other;
    info.capabilities = uniformCapabilities({1.0f, 1.0f});
  }

  Status add() {
    return registry.add(
        createDevice(std::make_unique<DescribedBackend>(info), {}));
  }
  void expectRegistered() {
    size_t before = registry.devices().size();
    EXPECT_EQ(add().message(), "");
    ASSERT_EQ(registry.devices().size(), before + 1);
    EXPECT_EQ(registry.find(info.name), registry.devices().back().get());
  }
  /// The registry says \p message and stays as it was.
  void expectRefused(std::string_view message) {
    size_t before = registry.devices().size();
    Status status = add();
    EXPECT_EQ(status.code(), StatusCode::invalidArgument);
    EXPECT_EQ(status.message(),
              "device '" + info.name + "': " + std::string(message));
    EXPECT_EQ(registry.devices().size(), before);
  }

  DeviceRegistry registry;
  DeviceInfo info;
};

TEST_F(DeviceRegistryTest, needsADevice) {
  Status status = registry.add(nullptr);
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message(), "there is no device to register");
}

// C-012: VENDOR-DEVICE, with one hyphen that is neither first nor last.
TEST_F(DeviceRegistryTest, checksTheFormOfNames) {
  for (const char *name : {"", "device", "-", "-device", "test-", "a-b-c"}) {
    info.name = name;
    expectRefused("the name must be of the form VENDOR-DEVICE");
    EXPECT_EQ(registry.find(name), nullptr);
  }
  info.name = "a-b";
  expectRegistered();
}

// C-013: no two devices have one name.
TEST_F(DeviceRegistryTest, keepsNamesDistinct) {
  expectRegistered();
  Device *first = registry.find("test-device");
  info.version = "2";
  expectRefused("a device of this name is registered already");
  EXPECT_EQ(registry.find("test-device"), first);
  EXPECT_EQ(first->version(), "1");
  info.name = "test-other";
  expectRegistered();
}

// C-010: cache tokens contain the version, so that there is one.
TEST_F(DeviceRegistryTest, needsAVersion) {
  info.version = "";
  expectRefused("the version must not be empty");
}

// C-011: OTHER, CPU, GPU and ACCELERATOR are 1 to 4.
TEST_F(DeviceRegistryTest, checksTheType) {
  for (uint32_t type : {0u, 5u, 4294967295u}) {
    info.type = DeviceType(type);
    expectRefused("the type " + std::to_string(type) +
                  " is not between 1 and 4");
  }
  for (uint32_t type = 1; type <= 4; ++type) {
    info.type = DeviceType(type);
    info.name = "test-type" + std::to_string(type);
    expectRegistered();
  }
  EXPECT_EQ(toString(DeviceType(1)), "OTHER");
  EXPECT_EQ(toString(DeviceType(2)), "CPU");
  EXPECT_EQ(toString(DeviceType(3)), "GPU");
  EXPECT_EQ(toString(DeviceType(4)), "ACCELERATOR");
}

// C-014: each extension has its name and its types, with their codes, whether
// they are tensors and the sizes of their elements.
TEST_F(DeviceRegistryTest, checksExtensions) {
  info.extensions = {{"com.example.first", {{0, false, 8}, {65535, true, 2}}},
                     {"com.example.second_2", {}}};
  expectRegistered();
  const std::vector<Extension> &found = registry.devices()[0]->extensions();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "com.example.first");
  ASSERT_EQ(found[0].operandTypes.size(), 2u);
  EXPECT_EQ(found[0].operandTypes[0].type, 0u);
  EXPECT_FALSE(found[0].operandTypes[0].isTensor);
  EXPECT_EQ(found[0].operandTypes[0].byteSize, 8u);
  EXPECT_EQ(found[0].operandTypes[1].type, 65535u);
  EXPECT_TRUE(found[0].operandTypes[1].isTensor);
  EXPECT_EQ(found[0].operandTypes[1].byteSize, 2u);
  EXPECT_EQ(found[1].name, "com.example.second_2");
  EXPECT_TRUE(found[1].operandTypes.empty());

  info.name = "test-other";
  info.extensions = {{"com.example.first", {{7, false, 8}, {7, true, 2}}}};
  expectRefused("extension 'com.example.first' lists type 7 twice");
  info.extensions = {{"com.example.first", {{7, false, 0}}}};
  expectRefused("type 7 of extension 'com.example.first' has elements of 0 "
                "bytes");
}

// H-008: lower-case letters, digits, '_' and '.', with one '.' at least.
TEST_F(DeviceRegistryTest, checksNamesOfExtensions) {
  for (const char *name : {"", "example", "com.Example", "com.exa-mple"}) {
    info.extensions = {{name, {}}};
    expectRefused("the extension name '" + std::string(name) +
                  "' is not of lower-case letters, digits, '_' and at least "
                  "one '.'");
  }
}

// C-015, L-042: at most 32 model cache files and 32 data cache files, or none.
TEST_F(DeviceRegistryTest, limitsCacheFiles) {
  info.cacheFiles = {32, 32};
  expectRegistered();
  info.name = "test-other";
  info.cacheFiles = {33, 1};
  expectRefused("33 model cache and 1 data cache files exceed 32");
  info.cacheFiles = {0, 33};
  expectRefused("0 model cache and 33 data cache files exceed 32");
  info.cacheFiles = {0, 0};
  expectRegistered();
}

// C-020, C-021, C-026: performance is finite and above 0, of each type once.
TEST_F(DeviceRegistryTest, checksCapabilities) {
  info.capabilities.ifPerformance.execTime = 0.0f;
  expectRefused("execTime of ifPerformance: 0 must be positive and finite");
  info.capabilities = uniformCapabilities({1.0f, 1.0f});
  info.capabilities.operandPerformance.insert(
      info.capabilities.operandPerformance.begin(),
      info.capabilities.operandPerformance.front());
  expectRefused("operandPerformance: entry 1: FLOAT32 must not follow FLOAT32");
}

// C-086: 27 for version 1.0, 28 for 1.1, 29 for 1.2 and 30 for 1.3.
TEST_F(DeviceRegistryTest, versionsHaveFeatureLevels) {
  EXPECT_EQ(featureLevel(HalVersion::V1_0), 27);
  EXPECT_EQ(featureLevel(HalVersion::V1_1), 28);
  EXPECT_EQ(featureLevel(HalVersion::V1_2), 29);
  EXPECT_EQ(featureLevel(HalVersion::V1_3), 30);
}

} // namespace
