//===- DeviceEntries.cpp - The C functions about devices ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "Library.h"

#include <android/NeuralNetworksExtensions.h>

#include <algorithm>
#include <string_view>

using namespace nnhal;
using namespace nnhal::ndk;

int64_t ANeuralNetworks_getRuntimeFeatureLevel(void) {
  return ANEURALNETWORKS_FEATURE_LEVEL_5;
}

uint64_t ANeuralNetworks_getDefaultLoopTimeout(void) {
  return rt::defaultLoopTimeout;
}

uint64_t ANeuralNetworks_getMaximumLoopTimeout(void) { return 15'000'000'000; }

int ANeuralNetworks_getDeviceCount(uint32_t *numDevices) {
  if (!numDevices)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&]() -> int {
    Library *library = Library::find();
    if (!library)
      return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
    *numDevices = uint32_t(library->devices().size());
    return ANEURALNETWORKS_NO_ERROR;
  });
}

int ANeuralNetworks_getDevice(uint32_t devIndex,
                              ANeuralNetworksDevice **device) {
  if (!device)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *device = nullptr;
  return guarded([&]() -> int {
    Library *library = Library::find();
    if (!library)
      return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
    if (devIndex >= library->devices().size())
      return ANEURALNETWORKS_BAD_DATA;
    *device = library->devices()[devIndex].get();
    return ANEURALNETWORKS_NO_ERROR;
  });
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device,
                                  const char **name) {
  if (!device || !name)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *name = device->name.c_str();
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device,
                                  int32_t *type) {
  if (!device || !type)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  if (device->type < ANEURALNETWORKS_DEVICE_UNKNOWN ||
      device->type > ANEURALNETWORKS_DEVICE_ACCELERATOR)
    return ANEURALNETWORKS_OP_FAILED;
  *type = device->type;
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device,
                                     const char **version) {
  if (!device || !version)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *version = device->version.c_str();
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
                                          int64_t *featureLevel) {
  if (!device || !featureLevel)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  if (device->featureLevel < 0)
    return ANEURALNETWORKS_BAD_STATE;
  *featureLevel = device->featureLevel;
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device) {
  if (!device)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  if (Library::isForked())
    return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
  return guarded([&]() -> int {
    return device->wait() ? ANEURALNETWORKS_NO_ERROR
                          : ANEURALNETWORKS_OP_FAILED;
  });
}

int ANeuralNetworksDevice_getExtensionSupport(
    const ANeuralNetworksDevice *device, const char *extensionName,
    bool *isExtensionSupported) {
  if (!device || !extensionName || !isExtensionSupported)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *isExtensionSupported = std::ranges::any_of(
      device->device.extensions(), [&](const rt::Extension &extension) {
        return extension.name == extensionName;
      });
  return ANEURALNETWORKS_NO_ERROR;
}
