//===- FakePlugin.cpp - Plug-ins that programs refuse ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled once per mistake, with one of the macros below.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/DevicePlugin.h"

#include <stdexcept>

#ifndef NNHAL_FAKE_VERSION
#define NNHAL_FAKE_VERSION NNHAL_DEVICE_PLUGIN_VERSION
#endif
#ifndef NNHAL_FAKE_SIZE
#define NNHAL_FAKE_SIZE sizeof(NNHalDevicePlugin)
#endif
#ifndef NNHAL_FAKE_SDK
#define NNHAL_FAKE_SDK NNHAL_PLUGIN_SDK
#endif
#ifndef NNHAL_FAKE_CREATE
#define NNHAL_FAKE_CREATE createBackends
#endif

using namespace nnhal::rt;

[[maybe_unused]] static void createBackends(const NNHalPluginHost *host) {
  auto create = []() -> Result<Backends> {
#ifdef NNHAL_FAKE_THROWS
    throw std::runtime_error("the driver is not loaded");
#elif defined(NNHAL_FAKE_THROWS_NUMBER)
    throw 7;
#elif defined(NNHAL_FAKE_FAILS)
    return Status(StatusCode::deviceUnavailable, "there is no accelerator");
#else
    return Backends();
#endif
  };
  createForHost(host, create, host->addBackend);
}

#ifndef NNHAL_FAKE_NO_FUNCTION
extern "C" [[gnu::visibility("default")]] const NNHalDevicePlugin *
nnhalGetDevicePlugin() {
#ifdef NNHAL_FAKE_NO_TABLE
  return nullptr;
#else
  static const NNHalDevicePlugin plugin = {NNHAL_FAKE_VERSION, NNHAL_FAKE_SIZE,
                                           NNHAL_FAKE_SDK, "fake",
                                           NNHAL_FAKE_CREATE};
  return &plugin;
#endif
}
#endif
