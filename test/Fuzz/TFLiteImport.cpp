//===- TFLiteImport.cpp - Fuzzes the import of .tflite files --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatBufferMutator.h"

#include "Extensions/TFLiteCustom/CustomExtension.h"
#include "nnhal/Runtime/TFLiteModel.h"
#include "nnhal/Runtime/Validate.h"

#include "TFLiteSchema_generated.h"

using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;

static bool isModelFile(std::span<const std::byte> bytes) {
  flatbuffers::Verifier verifier(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  return tflite::schema::VerifyModelBuffer(verifier);
}

static FlatBufferMutator &mutator() {
  static FlatBufferMutator instance(NNHAL_SOURCE_ROOT
                                    "/lib/Runtime/Formats/TFLite/"
                                    "TFLiteSchema.fbs",
                                    isModelFile);
  return instance;
}

static void import(std::span<const std::byte> file,
                   const TFLiteImportOptions &options) {
  Result<AnnotatedModel> model = importTFLite(Memory::borrow(file), options);
  requireReason(model.status());
  if (model.isOk())
    require(validateModel(model->model).isOk(), "an imported model is invalid");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TFLiteImportOptions all = [] {
    TFLiteImportOptions options;
    options.extensions = {
        {nnhal::tflite_custom::createCustomExtension(), "fuzz"}};
    return options;
  }();
  import(bytesOf(data, size), all);
  TFLiteImportOptions halOnly;
  halOnly.useExtensions = false;
  import(bytesOf(data, size), halOnly);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return mutator().mutateInput(data, size, maxSize, seed, /*bytewise=*/4);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first,
                                            size_t firstSize,
                                            const uint8_t *second,
                                            size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  return mutator().crossInputs(bytesOf(first, firstSize),
                               bytesOf(second, secondSize), out, maxSize, seed);
}
