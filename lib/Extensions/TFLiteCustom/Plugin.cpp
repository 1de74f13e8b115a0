//===- Plugin.cpp - The plug-in nnhal.tflite_custom -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomExtension.h"

#include "nnhal/Backend/DevicePlugin.h"

static nnhal::rt::Result<nnhal::rt::ExtensionBackends> createExtensions() {
  nnhal::rt::ExtensionBackends extensions;
  extensions.push_back(nnhal::tflite_custom::createCustomExtension());
  return extensions;
}

NNHAL_EXTENSION_PLUGIN("TensorFlow Lite custom operators", createExtensions)
