//===- nnhal-conformance.cpp - The conformance suite on a device ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests of test/Conformance over a device that is named on the command
// line. They create it anew for each test, so a plug-in is asked for its
// devices, and a service connected, many times.
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"
#include "Options.h"

#include "Runtime/Support/Errors.h"
#include "Tools/Process/Process.h"
#include "nnhal/Runtime/CapabilitiesFile.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/Service.h"
#include "nnhal/Runtime/Version.h"

#include <cstdio>
#include <cstdlib>

using namespace nnhal;
using namespace nnhal::rt;

// GoogleTest runs tests as functions without arguments.
static conformancetool::Options options;

static std::string listNames(const std::vector<std::unique_ptr<Device>> &all) {
  std::vector<std::string_view> names;
  names.reserve(all.size());
  for (const std::unique_ptr<Device> &device : all)
    names.push_back(device->name());
  return fmt::format("{}", fmt::join(names, ", "));
}

static Result<std::unique_ptr<Device>> createDevice(DeviceServices services) {
  if (!services.measuredCapabilities)
    services.measuredCapabilities = keptCapabilities(getenv);
  const bool isRemote = !options.service.empty();
  std::vector<std::unique_ptr<Device>> devices;
  if (isRemote) {
    NNHAL_ASSIGN_OR_RETURN(devices, connectDevices(options.service, services));
  } else {
    NNHAL_ASSIGN_OR_RETURN(LoadedPlugin plugin,
                           loadPlugin(options.plugin, services));
    devices = std::move(plugin.devices);
  }
  const std::string source = isRemote
                                 ? fmt::format("service '{}'", options.service)
                                 : fmt::format("plug-in '{}'", options.plugin);
  if (options.device.empty() && devices.size() > 1)
    return badData("{} has several devices: {}; choose one by --device", source,
                   listNames(devices));
  for (std::unique_ptr<Device> &device : devices)
    if (options.device.empty() || device->name() == options.device)
      return std::move(device);
  return badData("{} has no device '{}', it has {}", source, options.device,
                 listNames(devices));
}

std::unique_ptr<Device>
conformance::createDeviceUnderTest(DeviceServices services) {
  Result<std::unique_ptr<Device>> device = createDevice(std::move(services));
  // There was one before the first test.
  if (!device.isOk()) {
    std::fprintf(stderr, "error: %s\n", device.status().message().c_str());
    std::abort();
  }
  return *std::move(device);
}

/// Hands GoogleTest its options. invalidArgument names one that it does not
/// know.
static Status beginTesting(std::vector<std::string> &arguments) {
  std::string name = "nnhal-conformance";
  std::vector<char *> words = {name.data()};
  for (std::string &argument : arguments)
    words.push_back(argument.data());
  words.push_back(nullptr);
  int count = int(words.size()) - 1;
  testing::InitGoogleTest(&count, words.data());
  if (count > 1)
    return badData("unknown option '{}'", words[1]);
  return Status::ok();
}

static int runTool(std::span<const std::string_view> arguments) {
  auto parsed = conformancetool::parseOptions(arguments);
  if (!parsed.isOk())
    return tools::fail(parsed.status(), tools::exitUsage);
  options = *std::move(parsed);
  if (options.help) {
    fmt::print("{}", conformancetool::helpText());
    return tools::finish(Status::ok());
  }
  if (options.version) {
    fmt::print("nnhal-conformance {}\n", NNHAL_VERSION);
    return tools::finish(Status::ok());
  }
  if (Status status = beginTesting(options.testing); !status.isOk())
    return tools::fail(status, tools::exitUsage);
  if (auto device = createDevice({}); !device.isOk())
    return tools::fail(device.status(), tools::exitFailure);
  return RUN_ALL_TESTS();
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
