//===- nnhal-conformance.cpp - The conformance suite on a device ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests of test/Conformance over a device that is named on the command
// line. They create it anew for each test, so a plug-in is asked for its
// devices many times.
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "nnhal/Runtime/DevicePlugins.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace nnhal::rt;

// GoogleTest runs tests as functions without arguments.
static std::string pluginPath;
static std::string deviceName;

static Result<std::unique_ptr<Device>> createDevice(DeviceServices services) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::unique_ptr<Device>> devices,
                         loadDevicePlugin(pluginPath, services));
  for (std::unique_ptr<Device> &device : devices)
    if (deviceName.empty() || device->name() == deviceName)
      return std::move(device);
  return Status(StatusCode::invalidArgument,
                "'" + pluginPath + "' has no device '" + deviceName + "'");
}

std::unique_ptr<Device>
conformance::createDeviceUnderTest(DeviceServices services) {
  Result<std::unique_ptr<Device>> device = createDevice(std::move(services));
  // main() has made one before.
  if (!device.isOk()) {
    std::fprintf(stderr, "error: %s\n", device.status().message().c_str());
    std::abort();
  }
  return *std::move(device);
}

static bool takeValue(std::string_view argument, std::string_view option,
                      std::string &value) {
  if (!argument.starts_with(option))
    return false;
  value = argument.substr(option.size());
  return true;
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (takeValue(argv[i], "--plugin=", pluginPath) ||
        takeValue(argv[i], "--device=", deviceName))
      continue;
    std::fprintf(stderr, "error: unknown option '%s'\n", argv[i]);
    return 2;
  }
  if (pluginPath.empty()) {
    std::fprintf(stderr, "usage: nnhal-conformance --plugin=FILE "
                         "[--device=NAME] [GoogleTest's options]\n");
    return 2;
  }
  if (auto device = createDevice({}); !device.isOk()) {
    std::fprintf(stderr, "error: %s\n", device.status().message().c_str());
    return 1;
  }
  return RUN_ALL_TESTS();
}
