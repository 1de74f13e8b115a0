//===- TablePlugin.cpp - A plug-in whose table a test sets ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/DevicePlugin.h"

static const NNHalDevicePlugin *table = nullptr;

extern "C" [[gnu::visibility("default")]] void
nnhalSetTestTable(const NNHalDevicePlugin *given) {
  table = given;
}

extern "C" [[gnu::visibility("default")]] const NNHalDevicePlugin *
nnhalGetDevicePlugin() {
  return table;
}
