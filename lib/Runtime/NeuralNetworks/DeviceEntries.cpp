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

/// Checks the arguments of a question about \p device.
static int checkQuestion(const ANeuralNetworksDevice *device, bool hasAnswer) {
  if (!device || !hasAnswer)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return Library::isHandle(device) ? ANEURALNETWORKS_NO_ERROR
                                   : ANEURALNETWORKS_BAD_DATA;
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device,
                                  const char **name) {
  if (int error = checkQuestion(device, name != nullptr))
    return error;
  *name = device->name.c_str();
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device,
                                  int32_t *type) {
  if (int error = checkQuestion(device, type != nullptr))
    return error;
  return device->tellType(type);
}

int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device,
                                     const char **version) {
  if (int error = checkQuestion(device, version != nullptr))
    return error;
  *version = device->version.c_str();
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
                                          int64_t *featureLevel) {
  if (int error = checkQuestion(device, featureLevel != nullptr))
    return error;
  return device->tellFeatureLevel(featureLevel);
}

int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device) {
  if (int error = checkQuestion(device, /*hasAnswer=*/true))
    return error;
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
  if (!extensionName)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  if (int error = checkQuestion(device, isExtensionSupported != nullptr))
    return error;
  *isExtensionSupported =
      Library::mayUseExtensions() &&
      std::ranges::any_of(device->device.extensions(),
                          [&](const rt::Extension &extension) {
                            return extension.name == extensionName;
                          });
  return ANEURALNETWORKS_NO_ERROR;
}
