//===- PartsTest.cpp - Parts of the C library that no C function reaches --===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/NeuralNetworks/Boundary.h"
#include "Runtime/NeuralNetworks/Device.h"
#include "Runtime/NeuralNetworks/Extension.h"
#include "Runtime/NeuralNetworks/RenamedDevice.h"
#include "Runtime/NeuralNetworks/Settings.h"

#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

using namespace nnhal;
using namespace nnhal::ndk;
using rt::StatusCode;

namespace {

int codeOf(StatusCode code) { return resultCodeOf(rt::Status(code, "")); }

// J-111, J-114, C-093 to C-100, A-069: statuses of devices as result codes.
TEST(NeuralNetworksBoundary, TranslatesStatuses) {
  EXPECT_EQ(resultCodeOf(rt::Status()), 0);
  EXPECT_EQ(codeOf(StatusCode::deviceUnavailable), 9);
  EXPECT_EQ(codeOf(StatusCode::generalFailure), 5);
  EXPECT_EQ(codeOf(StatusCode::outputInsufficientSize), 8);
  EXPECT_EQ(codeOf(StatusCode::invalidArgument), 4);
  EXPECT_EQ(codeOf(StatusCode::missedDeadlineTransient), 10);
  EXPECT_EQ(codeOf(StatusCode::missedDeadlinePersistent), 11);
  EXPECT_EQ(codeOf(StatusCode::resourceExhaustedTransient), 12);
  EXPECT_EQ(codeOf(StatusCode::resourceExhaustedPersistent), 13);
  EXPECT_EQ(codeOf(StatusCode::deadObject), 14);
  EXPECT_EQ(codeOf(StatusCode(4711)), 5);
}

// J-110: what is thrown becomes a code.
TEST(NeuralNetworksBoundary, CatchesExceptions) {
  EXPECT_EQ(guarded([]() -> int { throw std::bad_alloc(); }),
            ANEURALNETWORKS_OUT_OF_MEMORY);
  EXPECT_EQ(guarded([]() -> int { throw std::length_error("too long"); }),
            ANEURALNETWORKS_OUT_OF_MEMORY);
  EXPECT_EQ(guarded([]() -> int { throw std::runtime_error("else"); }),
            ANEURALNETWORKS_OP_FAILED);
  EXPECT_EQ(guarded([] { return 3; }), 3);
}

// K-052: a value that is not valid is as if it was not there.
TEST(NeuralNetworksSettings, AreRead) {
  std::map<std::string, std::string> values;
  std::vector<std::string> complaints;
  auto read = [&] {
    complaints.clear();
    return Settings::read(
        [&](const char *name) {
          auto found = values.find(name);
          return found == values.end() ? nullptr : found->second.c_str();
        },
        [&](std::string_view text) { complaints.emplace_back(text); });
  };
  Settings defaults = read();
  EXPECT_EQ(defaults.partition, rt::PartitionMode::withFallback);
  EXPECT_TRUE(defaults.isCpuSynchronous && defaults.isHalSynchronous);
  EXPECT_FALSE(defaults.isStartSynchronous || defaults.isCpuOnly ||
               defaults.strictSlicing);
  EXPECT_EQ(defaults.logMask, 0u);
  values = {
      {"NNHAL_PARTITION", "2"},        {"NNHAL_PLANNER", "greedy"},
      {"NNHAL_CPUONLY", "1"},          {"NNHAL_STRICT_SLICING", "1"},
      {"NNHAL_SYNCEXEC_CPU", "0"},     {"NNHAL_SYNCEXEC_HAL", "0"},
      {"NNHAL_SYNCEXEC_RUNTIME", "1"}, {"NNHAL_VLOG", "model"},
      {"NNHAL_CACHE_DIR", "cache"},    {"NNHAL_TRACE", "trace"},
      {"NNHAL_COMPILER", "compiler"},  {"NNHAL_SERVICE", "socket"},
      {"NNHAL_PLUGINS", "a:b"},        {"NNHAL_EXTENSIONS_ALLOWLIST", "list"}};
  Settings settings = read();
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(settings.partition, rt::PartitionMode::withoutFallback);
  EXPECT_EQ(settings.planner, rt::Planner::greedy);
  EXPECT_FALSE(settings.isCpuSynchronous || settings.isHalSynchronous);
  EXPECT_TRUE(settings.isStartSynchronous && settings.isCpuOnly &&
              settings.strictSlicing);
  EXPECT_EQ(settings.logMask, rt::maskOf(rt::LogTag::model));
  EXPECT_EQ(settings.cacheDirectory, "cache");
  EXPECT_EQ(settings.traceFile, "trace");
  EXPECT_EQ(settings.compiler, "compiler");
  EXPECT_EQ(settings.service, "socket");
  EXPECT_EQ(settings.plugins, "a:b");
  EXPECT_EQ(settings.allowList, "list");
  values = {{"NNHAL_PARTITION", " 1"}, {"NNHAL_SYNCEXEC_CPU", "-1"}};
  EXPECT_TRUE(read().isCpuSynchronous);
  EXPECT_EQ(complaints.size(), 2u);
}

/// A device that says what a test wants, and does nothing.
struct IdleDevice final : rt::Device {
  explicit IdleDevice(std::vector<rt::Extension> extensions = {})
      : list(std::move(extensions)), plain(rt::createReferenceDevice()) {}

  std::string_view name() const override { return "test-idle"; }
  std::string_view version() const override { return "1"; }
  rt::DeviceType type() const override { return statedType; }
  rt::HalVersion halVersion() const override { return statedVersion; }
  const std::vector<rt::Extension> &extensions() const override { return list; }
  rt::CacheFiles cacheFiles() const override { return {}; }
  rt::DeviceTraits traits() const override { return {}; }
  const rt::Capabilities &capabilities() const override {
    return plain->capabilities();
  }
  rt::DeviceStatus status() const override { return plain->status(); }
  rt::Result<std::vector<rt::Status>>
  supportedOperations(const rt::AnnotatedModel &) const override {
    return failed();
  }
  rt::Result<rt::PreparedModelRef>
  prepareModel(const rt::AnnotatedModel &, const rt::PrepareOptions &,
               const rt::PrepareObserver &) const override {
    return failed();
  }
  rt::Status prepareModelAsync(std::shared_ptr<const rt::AnnotatedModel>,
                               const rt::PrepareOptions &, rt::PrepareCallback,
                               const rt::PrepareObserver &) const override {
    return failed();
  }
  rt::Result<rt::PreparedModelRef>
  prepareModelFromCache(const rt::CacheHandles &, const rt::CacheToken &,
                        const rt::PrepareOptions &,
                        const rt::PrepareObserver &) const override {
    return failed();
  }
  rt::Result<rt::PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte>, const rt::Memory &,
                           const rt::PrepareOptions &) const override {
    return failed();
  }
  rt::Result<std::shared_ptr<rt::Buffer>>
  allocate(const rt::BufferDesc &, std::span<const rt::PreparedModelRef>,
           std::span<const rt::BufferRole>,
           std::span<const rt::BufferRole>) const override {
    return failed();
  }

  static rt::Status failed() {
    return rt::Status(StatusCode::generalFailure, "it does nothing");
  }

  rt::DeviceType statedType = rt::DeviceType::other;
  rt::HalVersion statedVersion = rt::HalVersion::V1_3;
  std::vector<rt::Extension> list;
  std::unique_ptr<rt::Device> plain;
};

// J-004, J-006, C-085, C-086: what a device says about itself and there is not
// is an error; devices before HAL 1.2 say no type.
TEST(NeuralNetworksDevice, TellsTypesAndLevelsThatThereAre) {
  int32_t type = -1;
  int64_t level = -1;
  IdleDevice idle;
  for (uint32_t stated : {0, 1, 2, 3, 4}) {
    idle.statedType = rt::DeviceType(stated);
    EXPECT_EQ(Device(idle).tellType(&type), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(type, int32_t(stated));
  }
  idle.statedType = rt::DeviceType(5);
  EXPECT_EQ(Device(idle).tellType(&type), ANEURALNETWORKS_OP_FAILED);
  EXPECT_EQ(type, 4);
  for (int version : {0, 1, 2, 3}) {
    idle.statedVersion = rt::HalVersion(version);
    EXPECT_EQ(Device(idle).tellFeatureLevel(&level), ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(level, 27 + version);
    bool isOlder = version < 2;
    EXPECT_EQ(Device(idle).tellType(&type),
              isOlder ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OP_FAILED);
    if (isOlder)
      EXPECT_EQ(type, ANEURALNETWORKS_DEVICE_UNKNOWN);
  }
  idle.statedVersion = rt::HalVersion(4);
  EXPECT_EQ(Device(idle).tellFeatureLevel(&level), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(level, 30);
}

// H-009, H-013, H-014: equal descriptions of a type are one, others disable the
// extension.
TEST(NeuralNetworksExtensions, AreDescribedOnce) {
  const rt::Extension same = {"com.example.same", {{3, true, 8}}};
  const rt::Extension one = {"com.example.differs", {{3, true, 8}}};
  const rt::Extension two = {"com.example.differs", {{3, true, 4}}};
  IdleDevice first({same, one, same}), second({same, two});
  Extensions extensions;
  extensions.add(first);
  uint32_t code = extensions.codeOf("com.example.same", 3).value();
  uint32_t differing = extensions.codeOf("com.example.differs", 3).value();
  EXPECT_TRUE(extensions.find(code).has_value());
  EXPECT_TRUE(extensions.find(differing).has_value());
  extensions.add(second);
  auto found = extensions.find(code);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->byteSize, 8u);
  EXPECT_FALSE(extensions.find(differing).has_value());
  EXPECT_FALSE(extensions.find(code + 1).has_value());
  // H-042: programs that may not use extensions find no types.
  extensions.forbid();
  EXPECT_FALSE(extensions.find(code).has_value());
}

// H-005, H-006, H-020: prefixes are positive as int32_t, and end at some time.
TEST(NeuralNetworksExtensions, HavePrefixes) {
  Extensions extensions;
  for (uint32_t i = 1; i <= 0x7FFF; ++i)
    ASSERT_EQ(extensions.codeOf("com.example." + std::to_string(i), 2),
              i << 16 | 2);
  EXPECT_FALSE(extensions.codeOf("com.example.more", 2).has_value());
  EXPECT_EQ(extensions.nameOf(0x7FFF0000), "com.example.32767");
  EXPECT_FALSE(extensions.nameOf(0x80000000).has_value());
  EXPECT_FALSE(extensions.nameOf(2).has_value());
}

// C-013: a device under another name is as before.
TEST(NeuralNetworksRenamedDevice, IsTheSameDevice) {
  auto device = renameDevice(rt::createReferenceDevice(), "nnapi-reference");
  auto same = rt::createReferenceDevice();
  EXPECT_EQ(device->name(), "nnapi-reference");
  EXPECT_EQ(device->version(), same->version());
  EXPECT_EQ(device->type(), same->type());
  EXPECT_EQ(device->halVersion(), same->halVersion());
  EXPECT_EQ(device->cacheFiles(), same->cacheFiles());
  EXPECT_EQ(device->capabilities(), same->capabilities());
  EXPECT_EQ(device->traits(), same->traits());
  EXPECT_EQ(device->status(), same->status());
  EXPECT_EQ(device->extensions().size(), same->extensions().size());
  EXPECT_EQ(device->prepareModelFromCache({}, {}).status().message(),
            same->prepareModelFromCache({}, {}).status().message());
  EXPECT_EQ(device->prepareModelFromArtifact({}, {}).status().message(),
            same->prepareModelFromArtifact({}, {}).status().message());
  EXPECT_EQ(device->prepareModelAsync(nullptr, {}, nullptr).message(),
            same->prepareModelAsync(nullptr, {}, nullptr).message());
  EXPECT_EQ(device->allocate({}, {}, {}, {}).status().message(),
            same->allocate({}, {}, {}, {}).status().message());
}

} // namespace
