//===- JsonModel.cpp - Fuzzes the reader of model JSON --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonMutator.h"

#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/Validate.h"

using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Pool files of the seeds are here.
  const std::string directory = NNHAL_TEST_DATA "/Unit/Model/Inputs";
  Result<Model> model = readJsonModel(textOf(data, size), directory);
  requireReason(model.status());
  if (!model.isOk())
    return 0;
  Status valid = validateModel(*model, model->halVersion);
  requireReason(valid);
  Result<std::string> text = writeJsonModel(*model);
  requireReason(text.status());
  if (!text.isOk()) {
    require(!valid.isOk(), "a valid model cannot be written");
    return 0;
  }
  Result<Model> again = readJsonModel(*text, directory);
  require(again.isOk(), "what was written cannot be read");
  Result<std::string> second = writeJsonModel(*again);
  require(second.isOk() && *second == *text, "a round trip changes a model");
  require(validateModel(*again, again->halVersion).isOk() == valid.isOk(),
          "a round trip changes whether a model is valid");
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  return mutateJsonText(data, size, maxSize, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first,
                                            size_t firstSize,
                                            const uint8_t *second,
                                            size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  return crossJsonTexts(textOf(first, firstSize), textOf(second, secondSize),
                        out, maxSize, seed);
}
