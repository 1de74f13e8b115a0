//===- nnhal-translate.cpp - Model formats to IR and back -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/ModelIR/Translations.h"
#include "nnhal/Runtime/DevicePlugins.h"

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  nnhal::registerTranslations(
      [] { return nnhal::rt::installedExtensions({}); });
  return failed(mlir::mlirTranslateMain(
      argc, argv,
      "NN HAL model formats\n\n"
      "  nnhal-translate --tflite-to-mlir model.tflite\n"
      "  nnhal-translate --json-to-mlir model.json | nnhal-translate "
      "--mlir-to-dot | dot -Tsvg\n"));
}
