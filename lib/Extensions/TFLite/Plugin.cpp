//===- Plugin.cpp - The plug-in nnhal.tflite ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFLiteExtension.h"

#include "nnhal/Backend/DevicePlugin.h"

static nnhal::rt::Result<nnhal::rt::ExtensionBackends> createExtensions() {
  nnhal::rt::ExtensionBackends extensions;
  extensions.push_back(nnhal::tflite::createTFLiteExtension());
  return extensions;
}

NNHAL_EXTENSION_PLUGIN("TensorFlow Lite operators", createExtensions)
