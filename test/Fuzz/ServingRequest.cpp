//===- ServingRequest.cpp - Fuzzes what nnhal-serve reads as JSON ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonMutator.h"

#include "Serving/Core/Arguments.h"
#include "Serving/Core/ModelConfig.h"
#include "Serving/Http/RequestJson.h"

#include <array>

using namespace nnhal;
using namespace nnhal::rt::fuzz;
using namespace nnhal::serving;

/// The model that requests are for: names, types and shapes of each kind.
static const Signature &signature() {
  static const Signature model = {
      .inputs = {{.name = "image", .type = DataType::fp32, .shape = {-1, 2}},
                 {.name = "count", .type = DataType::int64, .shape = {-1, 1}},
                 {.name = "mask", .type = DataType::boolean, .shape = {-1, 3}}},
      .outputs = {{.name = "scores", .type = DataType::fp32, .shape = {-1, 4}},
                  {.name = "label", .type = DataType::int32, .shape = {-1}}},
      .isBatched = true};
  return model;
}

/// Demands of each bound input the bytes that its dimensions and type say.
static void checkArguments(const Arguments &arguments, uint64_t mostSamples) {
  const Signature &model = signature();
  require(arguments.inputs.size() == model.inputs.size(),
          "an input is missing");
  require(arguments.samples > 0 &&
              (mostSamples == 0 || arguments.samples <= mostSamples),
          "a number of samples beyond the bound");
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    const Arguments::Input &input = arguments.inputs[i];
    uint64_t size = sizeOf(model.inputs[i].type);
    for (uint32_t extent : input.dimensions)
      size *= extent;
    require(input.data.size() == size, "an input of another size");
    require(input.dimensions.size() == model.inputs[i].shape.size(),
            "an input of another rank");
  }
  for (size_t output : arguments.outputs)
    require(output < model.outputs.size(), "an output that is not there");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text = textOf(data, size);
  requireReason(parseModelConfig(text).status());

  static constexpr std::array<std::byte, 64> tensors{};
  ParsedRequest parsed;
  Outcome read = parseRequest(text, tensors, parsed);
  require(read.isOk() == read.message().empty(), "a failure says why");
  if (!read.isOk())
    return 0;
  for (uint64_t mostSamples : {0, 4}) {
    Arguments arguments;
    Outcome bound = bindArguments({"net", signature(), mostSamples},
                                  parsed.request, arguments);
    require(bound.isOk() == bound.message().empty(), "a failure says why");
    if (bound.isOk())
      checkArguments(arguments, mostSamples);
  }
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
