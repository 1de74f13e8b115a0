//===- Plugin.cpp - The library's entry -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFLiteDialect.h"

#include "nnhal/Dialect/NNHal/IR/ExtensionInterface.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"

extern "C" __attribute__((visibility("default"))) mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "nnhal.tflite", NNHAL_EXTENSION_HALF_VERSION,
          [](mlir::DialectRegistry *registry) {
            nnhal::registerExtension<nnhal::tflite::TFLiteDialect>(*registry);
          }};
}
