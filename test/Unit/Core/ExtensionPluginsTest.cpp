//===- ExtensionPluginsTest.cpp - Plug-ins with extensions ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Caching/BinaryIdentity.h"
#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>

using namespace nnhal::rt;

namespace {

/// An extension that has no operations.
class DescribedExtension final : public ExtensionBackend {
public:
  explicit DescribedExtension(Extension description)
      : description(std::move(description)) {}

  const Extension &extension() const override { return description; }
  Result<OperationFacts> check(const OperationView &) const override {
    return Status(StatusCode::invalidArgument, "there is no operation");
  }
  Status execute(const OperationView &, ExtensionOutputs &) const override {
    return Status(StatusCode::generalFailure, "there is no operation");
  }

private:
  const Extension description;
};

std::string pluginPath() { return NNHAL_TEST_INPUTS "/NNHalTablePlugin.so"; }

/// Lets the plug-in \p path return \p table.
void setTable(const NNHalDevicePlugin *table,
              const std::string &path = pluginPath()) {
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  auto set = reinterpret_cast<void (*)(const NNHalDevicePlugin *)>(
      ::dlsym(library, "nnhalSetTestTable"));
  ASSERT_NE(set, nullptr);
  set(table);
}

void addExtension(const NNHalPluginHost *host, Extension description) {
  host->addExtension(host->context,
                     new DescribedExtension(std::move(description)));
}

NNHalDevicePlugin tableWith(void (*create)(const NNHalPluginHost *)) {
  return {NNHAL_DEVICE_PLUGIN_VERSION, sizeof(NNHalDevicePlugin),
          NNHAL_PLUGIN_SDK, "test", create};
}

std::string messageOf(void (*create)(const NNHalPluginHost *)) {
  NNHalDevicePlugin table = tableWith(create);
  setTable(&table);
  std::string message(loadPlugin(pluginPath(), {}).status().message());
  setTable(nullptr);
  return message;
}

TEST(ExtensionPluginsTest, ExtensionsReachTheDevices) {
  NNHalDevicePlugin table = tableWith([](const NNHalPluginHost *host) {
    addExtension(host, {"com.example.a", {{3, true, 2}}});
    addExtension(host, {"com.example.b", {}});
  });
  setTable(&table);
  auto plugin = loadPlugin(pluginPath(), {});
  ASSERT_TRUE(plugin.isOk()) << plugin.status().message();
  EXPECT_TRUE(plugin->devices.empty());
  ASSERT_EQ(plugin->extensions.size(), 2u);
  // The code that makes the extensions is the test's.
  EXPECT_EQ(plugin->extensions[0].buildIdentity,
            *loadedIdentity(reinterpret_cast<const void *>(table.create)));
  DeviceServices services;
  services.extensions = plugin->extensions;
  auto device = createReferenceDevice({.services = services});
  EXPECT_EQ(device->extensions(),
            (std::vector<Extension>{{"com.example.a", {{3, true, 2}}},
                                    {"com.example.b", {}}}));
}

TEST(ExtensionPluginsTest, DescriptionsAreChecked) {
  EXPECT_EQ(messageOf([](const NNHalPluginHost *host) {
              addExtension(host, {"Example", {}});
            }),
            fmt::format("plug-in '{}': the extension name 'Example' is not of "
                        "lower-case letters, digits, '_' and at least one '.'",
                        pluginPath()));
  EXPECT_EQ(messageOf([](const NNHalPluginHost *host) {
              addExtension(host, {"com.example.a", {{1, true, 0}}});
            }),
            fmt::format("plug-in '{}': type 1 of extension 'com.example.a' has "
                        "elements of 0 bytes",
                        pluginPath()));
  EXPECT_EQ(messageOf([](const NNHalPluginHost *host) {
              addExtension(host, {"com.example.a",
                                  {{1, true, 8, ElementKind::complex64},
                                   {2, true, 4, ElementKind::int64}}});
            }),
            fmt::format("plug-in '{}': type 2 of extension 'com.example.a' has "
                        "elements of 4 bytes, those of its kind have 8",
                        pluginPath()));
}

// Whoever can write a plug-in runs code with the user's rights.
TEST(ExtensionPluginsTest, OthersMustNotWriteThem) {
  using enum std::filesystem::perms;
  namespace fs = std::filesystem;
  std::string folder = ::testing::TempDir() + "nnhal-plugins-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const fs::path plugin = fs::path(folder) / "one.so";
  const fs::path file = fs::path(folder) / "one.json";
  auto describe = [&](std::string_view text) { std::ofstream(file) << text; };
  fs::copy_file(pluginPath(), plugin);
  describe(R"({"name": "com.example.a", "operandTypes": [)"
           R"({"type": 3, "isTensor": true, "byteSize": 2}]})");
  std::vector<std::string> lines;
  DeviceServices services;
  services.log = std::make_shared<Log>(
      0, [&](std::string_view line) { lines.emplace_back(line); });
  auto problem = [&](const std::string &expected) {
    lines.clear();
    EXPECT_TRUE(installedExtensions(services, folder).empty());
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_TRUE(lines[0].ends_with(
        fmt::format("an installed extension is left out: {}", expected)))
        << lines[0];
  };
  // The description is enough until somebody asks for an operation.
  auto found = installedExtensions(services, folder);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].backend->extension(),
            (Extension{"com.example.a", {{3, true, 2}}}));
  EXPECT_EQ(found[0].buildIdentity, *binaryIdentity(plugin.string()));
  EXPECT_EQ(found[0].backend->check({}).status().message(),
            fmt::format("plug-in '{}' returns no table", plugin.string()));
  NNHalDevicePlugin table = tableWith([](const NNHalPluginHost *host) {
    addExtension(host, {"com.example.a", {{3, true, 4}}});
  });
  setTable(&table, plugin.string());
  EXPECT_EQ(installedExtensions(services, folder)[0].backend->open().message(),
            fmt::format("plug-in '{}' has no extension 'com.example.a' of the "
                        "types that the file beside it describes",
                        plugin.string()));
  EXPECT_TRUE(lines.empty());
  openExtensions(found, services);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(lines.size(), 1u);
  describe(R"({"name": "com.example.a"})");
  problem(fmt::format("'{}': the file: key \"operandTypes\" is missing",
                      file.string()));
  describe(R"({"name": "A", "operandTypes": []})");
  problem(fmt::format("'{}': the extension name 'A' is not of lower-case "
                      "letters, digits, '_' and at least one '.'",
                      file.string()));
  fs::permissions(plugin, owner_all | others_write);
  problem(fmt::format("'{}' can be written to by other users (mode 0702)",
                      plugin.string()));
  fs::remove(plugin);
  fs::create_symlink("/nonexistent", plugin);
  problem(fmt::format("'{}' cannot be read", plugin.string()));
  fs::permissions(folder, owner_all | group_write);
  problem(
      fmt::format("'{}' can be written to by other users (mode 0720)", folder));
  lines.clear();
  EXPECT_TRUE(installedExtensions(services, "/nonexistent").empty());
  EXPECT_TRUE(lines.empty());
  fs::remove_all(folder);
}

/// An installed plug-in and the file beside it.
class ExtensionFileTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    std::filesystem::copy_file(pluginPath(), folder + "/one.so");
    services.log = std::make_shared<Log>(
        0, [this](std::string_view line) { last = line; });
  }
  void TearDown() override {
    setTable(nullptr, folder + "/one.so");
    std::filesystem::remove_all(folder);
  }
  std::vector<InstalledExtension> describe(std::string_view text) {
    last.clear();
    std::ofstream(folder + "/one.json") << text;
    return installedExtensions(services, folder);
  }

  std::string folder = ::testing::TempDir() + "nnhal-plugins-XXXXXX";
  std::string last;
  DeviceServices services;
};

constexpr std::string_view claiming =
    R"({"name": "com.example.a", "operandTypes": [], "customOperators": )"
    R"([{"name": "One", "operation": 3}, {"name": "Two", "operation": 65535}]})";

TEST_F(ExtensionFileTest, customOperators) {
  auto found = describe(claiming);
  ASSERT_EQ(found.size(), 1u) << last;
  EXPECT_TRUE(std::ranges::equal(
      found[0].backend->customOperators(),
      std::vector<CustomOperator>{{"One", 3}, {"Two", 65535}}));
  // The plug-in claims nothing.
  NNHalDevicePlugin table = tableWith([](const NNHalPluginHost *host) {
    addExtension(host, {"com.example.a", {}});
  });
  setTable(&table, folder + "/one.so");
  EXPECT_EQ(found[0].backend->open().message(),
            fmt::format("plug-in '{}/one.so' claims other custom operators "
                        "than the file beside it describes",
                        folder));
  auto problem = [&](std::string_view customs) {
    EXPECT_TRUE(describe(fmt::format(R"({{"name": "com.example.a", )"
                                     R"("operandTypes": [], )"
                                     R"("customOperators": {}}})",
                                     customs))
                    .empty());
    size_t begin = last.find(".json': ");
    return begin == std::string::npos ? last : last.substr(begin + 8);
  };
  EXPECT_EQ(problem(R"([{"name": "", "operation": 0}])"),
            "extension 'com.example.a' claims a custom operator without a "
            "name");
  EXPECT_EQ(problem(R"([{"name": "A", "operation": 0},)"
                    R"({"name": "A", "operation": 1}])"),
            "extension 'com.example.a' claims the custom operator 'A' twice");
  EXPECT_EQ(problem(R"([{"name": "A", "operation": 65536}])"),
            "customOperators[0].operation: 65536 must be from 0 to 65535");
}

TEST_F(ExtensionFileTest, kindsOfElements) {
  auto text = [](std::string_view element) {
    return fmt::format(R"({{"name": "com.example.a", "operandTypes": [)"
                       R"({{"type": 3, "isTensor": true, "byteSize": 8, )"
                       R"("element": {}}}]}})",
                       element);
  };
  auto found = describe(text("\"uint64\""));
  ASSERT_EQ(found.size(), 1u) << last;
  EXPECT_EQ(found[0].backend->extension(),
            (Extension{"com.example.a", {{3, true, 8, ElementKind::uint64}}}));
  EXPECT_TRUE(describe(text("\"int65\"")).empty());
  EXPECT_TRUE(last.ends_with(
      "one.json': operandTypes[0].element: 'int65' is no kind of elements"))
      << last;
  EXPECT_TRUE(describe(text("\"int32\"")).empty());
  EXPECT_TRUE(last.ends_with("type 3 of extension 'com.example.a' has elements "
                             "of 8 bytes, those of its kind have 4"))
      << last;
}

// Descriptions with changed bytes are left out with a message, or are whole.
TEST_F(ExtensionFileTest, mutatedDescriptions) {
  std::mt19937 random(3);
  size_t whole = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string text(claiming);
    for (uint32_t n = 1 + random() % 3; n > 0; --n)
      text[random() % text.size()] =
          random() % 2 ? char(random()) : "{}[]\",:0-9ez"[random() % 13];
    if (random() % 8 == 0)
      text.resize(random() % text.size());
    auto found = describe(text);
    whole += found.size();
    EXPECT_EQ(found.empty(), !last.empty()) << text;
    for (const InstalledExtension &one : found)
      for (const CustomOperator &custom : one.backend->customOperators())
        EXPECT_FALSE(custom.name.empty());
  }
  EXPECT_GT(whole, 10u);
  EXPECT_LT(whole, 900u);
}

// Whatever a table says is answered with a status.
TEST(ExtensionPluginsTest, MutatedTablesAreAnswered) {
  static std::mt19937 random(1);
  auto oneOf = [](uint32_t count) { return uint32_t(random() % count); };
  const std::string truncated =
      std::string(NNHAL_PLUGIN_SDK).substr(0, oneOf(20));
  const char *sdks[] = {nullptr,           "",
                        truncated.c_str(), NNHAL_PLUGIN_SDK,
                        NNHAL_PLUGIN_SDK,  NNHAL_PLUGIN_SDK};
  using Create = void (*)(const NNHalPluginHost *);
  const Create creates[] = {
      nullptr,
      [](const NNHalPluginHost *) {},
      [](const NNHalPluginHost *host) { host->fail(host->context, nullptr); },
      [](const NNHalPluginHost *host) { host->fail(host->context, "broken"); },
      [](const NNHalPluginHost *host) {
        auto create = []() -> Result<ExtensionBackends> {
          throw std::runtime_error("thrown");
        };
        createForHost(host, create, host->addExtension);
      },
      [](const NNHalPluginHost *host) {
        for (uint32_t i = random() % 4; i > 0; --i)
          addExtension(host,
                       {random() % 2 ? "com.example.ext" : "no name",
                        {{uint16_t(random()), true, uint32_t(random() % 9)},
                         {uint16_t(random() % 3), false, 8}}});
        if (random() % 4 == 0)
          host->fail(host->context, "late");
      }};
  size_t loadedCount = 0;
  for (int i = 0; i < 1000; ++i) {
    uint32_t version = oneOf(4) == 0 ? random() : NNHAL_DEVICE_PLUGIN_VERSION;
    uint32_t size = oneOf(4) == 0 ? oneOf(64) : sizeof(NNHalDevicePlugin);
    NNHalDevicePlugin table = {version, size, sdks[oneOf(std::size(sdks))],
                               oneOf(2) ? "test" : nullptr,
                               creates[oneOf(std::size(creates))]};
    setTable(oneOf(20) == 0 ? nullptr : &table);
    auto plugin = loadPlugin(pluginPath(), {});
    loadedCount += plugin.isOk();
    EXPECT_NE(plugin.isOk(), !plugin.status().message().empty());
  }
  setTable(nullptr);
  EXPECT_GT(loadedCount, 0u);
  EXPECT_LT(loadedCount, 500u);
}

} // namespace
