//===- RequestJson.cpp - Requests of inference in JSON --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestJson.h"

using namespace nnhal;
using namespace nnhal::serving;

template <typename... Args>
static Outcome invalid(fmt::format_string<Args...> format, Args &&...args) {
  return refuse(OutcomeCode::invalidArgument, format,
                std::forward<Args>(args)...);
}

/// Reads \p json into \p reader.
static Outcome read(std::string_view json, RequestReader &reader) {
  if (nlohmann::json::sax_parse(json, &reader))
    return Outcome();
  return invalid("{}", reader.problem);
}

/// Finds what is written of input \p index, or the next bytes of \p tensors,
/// which it takes away.
static Outcome bindInput(const WrittenInput &input, size_t index,
                         std::span<const std::byte> &tensors,
                         InferenceRequest &request) {
  if (input.name.empty())
    return invalid("input {} has no 'name'", index);
  if (!input.type)
    return invalid("input '{}' has no 'datatype'", input.name);
  if (!input.hasShape)
    return invalid("input '{}' has no 'shape'", input.name);
  RequestTensor &tensor = request.inputs.emplace_back();
  tensor.name = input.name;
  tensor.type = *input.type;
  tensor.shape = input.shape;
  tensor.data = input.elements;
  if (!input.parameters.binaryDataSize) {
    if (!input.hasData)
      return invalid("input '{}' has neither 'data' nor the parameter "
                     "'binary_data_size'",
                     input.name);
    return Outcome();
  }
  if (input.hasData)
    return invalid("input '{}' has 'data' and the parameter "
                   "'binary_data_size'",
                   input.name);
  uint64_t size = *input.parameters.binaryDataSize;
  if (size > tensors.size())
    return invalid("input '{}': binary_data_size {} is more than the {} bytes "
                   "that are left of the body",
                   input.name, size, tensors.size());
  tensor.data = tensors.first(size);
  tensors = tensors.subspan(size);
  return Outcome();
}

static Outcome bindParameters(const Parameters &parameters,
                              InferenceRequest &request) {
  if (parameters.timeout)
    setTimeout(request, *parameters.timeout);
  if (parameters.priority)
    return setPriority(request, *parameters.priority);
  return Outcome();
}

Outcome serving::parseRequest(std::string_view json,
                              std::span<const std::byte> tensors,
                              ParsedRequest &parsed) {
  RequestReader reader;
  if (Outcome wrong = read(json, reader); !wrong.isOk())
    return wrong;
  if (reader.isTypeLate) {
    std::vector<std::optional<DataType>> types;
    types.reserve(reader.inputs.size());
    for (const WrittenInput &input : reader.inputs)
      types.push_back(input.type);
    RequestReader again(std::move(types));
    if (Outcome wrong = read(json, again); !wrong.isOk())
      return wrong;
    std::swap(reader.inputs, again.inputs);
  }
  InferenceRequest &request = parsed.request;
  request.id = std::move(reader.id);
  parsed.inputs = std::move(reader.inputs);
  for (size_t i = 0; i < parsed.inputs.size(); ++i)
    if (Outcome wrong = bindInput(parsed.inputs[i], i, tensors, request);
        !wrong.isOk())
      return wrong;
  if (!tensors.empty())
    return invalid("{} bytes at the end of the body are of no input",
                   tensors.size());
  parsed.isBinaryByDefault = reader.parameters.binaryDataOutput.value_or(false);
  for (size_t i = 0; i < reader.outputs.size(); ++i) {
    WrittenOutput &output = reader.outputs[i];
    if (output.name.empty())
      return invalid("output {} has no 'name'", i);
    request.outputs.push_back(std::move(output.name));
    parsed.isBinary.push_back(
        output.parameters.binaryData.value_or(parsed.isBinaryByDefault));
  }
  return bindParameters(reader.parameters, request);
}
