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
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

/// LLVM ends the process where output cannot be written, after it has removed
/// the file that was begun.
static void printFatalError(void *, const char *reason, bool) {
  llvm::errs() << "error: " << reason << '\n';
}

int main(int argc, char **argv) {
  llvm::install_fatal_error_handler(printFatalError);
  nnhal::registerTranslations(
      [] { return nnhal::rt::installedExtensions({}); });
  return failed(mlir::mlirTranslateMain(
      argc, argv,
      "NN HAL model formats\n\n"
      "  nnhal-translate --tflite-to-mlir model.tflite\n"
      "  nnhal-translate --json-to-mlir model.json | nnhal-translate "
      "--mlir-to-dot | dot -Tsvg\n"));
}
