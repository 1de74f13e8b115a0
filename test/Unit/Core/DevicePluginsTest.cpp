//===- DevicePluginsTest.cpp - Plug-ins that are taken and refused --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/DevicePlugins.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace nnhal::rt;

static std::string pathOf(std::string_view name) {
  return fmt::format("{}/{}.so", NNHAL_TEST_INPUTS, name);
}

/// Loads the plug-in \p name and expects \p message, in which "{}" stands for
/// its path.
static void expectRefusal(std::string_view name, StatusCode code,
                          const char *message) {
  std::string path = pathOf(name);
  auto plugin = loadPlugin(path, {});
  ASSERT_FALSE(plugin.isOk());
  EXPECT_EQ(plugin.status().code(), code);
  EXPECT_EQ(plugin.status().message(),
            fmt::format(fmt::runtime(message), path));
}

TEST(DevicePluginsTest, RefusesWhatIsNotAPlugin) {
  auto missing = loadPlugin("/nonexistent.so", {});
  ASSERT_FALSE(missing.isOk());
  EXPECT_EQ(missing.status().code(), StatusCode::deviceUnavailable);
  EXPECT_EQ(missing.status().message(),
            "cannot open the plug-in '/nonexistent.so': /nonexistent.so: "
            "cannot open shared object file: No such file or directory");
  expectRefusal("NNHalFakePluginNoFunction", StatusCode::invalidArgument,
                "'{}' is not a plug-in: it does not export "
                "nnhalGetDevicePlugin");
  expectRefusal("NNHalFakePluginNoTable", StatusCode::invalidArgument,
                "plug-in '{}' returns no table");
}

TEST(DevicePluginsTest, RefusesOtherVersions) {
  expectRefusal("NNHalFakePluginVersion1", StatusCode::invalidArgument,
                "plug-in '{}' has interface version 1, this program needs 6");
  expectRefusal("NNHalFakePluginSmall", StatusCode::invalidArgument,
                "plug-in '{}' has a table of 12 bytes, less than 32");
  std::string path = pathOf("NNHalFakePluginOtherSdk");
  auto other = loadPlugin(path, {});
  ASSERT_FALSE(other.isOk());
  EXPECT_TRUE(other.status().message().starts_with(
      fmt::format("plug-in '{}' was built for 'nnhal 99.1', this program is "
                  "'nnhal ",
                  path)))
      << other.status().message();
  expectRefusal("NNHalFakePluginNoCreate", StatusCode::invalidArgument,
                "plug-in '{}' leaves a function of its table empty");
}

TEST(DevicePluginsTest, ReportsWhatPluginsFailWith) {
  expectRefusal("NNHalFakePlugin", StatusCode::generalFailure,
                "plug-in '{}' has neither a device nor an extension");
  expectRefusal("NNHalFakePluginFails", StatusCode::generalFailure,
                "plug-in '{}' fails: there is no accelerator");
  expectRefusal("NNHalFakePluginThrows", StatusCode::generalFailure,
                "plug-in '{}' fails: the driver is not loaded");
  expectRefusal("NNHalFakePluginThrowsNumber", StatusCode::generalFailure,
                "plug-in '{}' fails: an exception of an unknown type");
}

// The example of the documentation, as a program loads it.
TEST(DevicePluginsTest, MakesDevices) {
  auto plugin = loadPlugin(pathOf("NNHalExampleDevice"), {});
  ASSERT_TRUE(plugin.isOk()) << plugin.status().message();
  ASSERT_EQ(plugin->devices.size(), 1u);
  EXPECT_EQ(plugin->devices.front()->name(), "example-loops");
  EXPECT_TRUE(plugin->extensions.empty());
}

TEST(DevicePluginsTest, ReadsLists) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(pluginPaths(""), Paths());
  EXPECT_EQ(pluginPaths(":a.so::/b/c.so:"), (Paths{"a.so", "/b/c.so"}));
}
