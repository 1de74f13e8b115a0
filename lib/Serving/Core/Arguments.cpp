//===- Arguments.cpp - Requests held against a model ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

using namespace nnhal;
using namespace nnhal::serving;

template <typename... Args>
static Outcome invalid(fmt::format_string<Args...> format, Args &&...args) {
  return refuse(OutcomeCode::invalidArgument, format,
                std::forward<Args>(args)...);
}

static std::string namesOf(const std::vector<TensorInfo> &tensors) {
  std::string names;
  for (const TensorInfo &tensor : tensors)
    names += (names.empty() ? "" : ", ") + tensor.name;
  return names;
}

static std::string textOf(const std::vector<int64_t> &shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

static Outcome checkRank(const TensorInfo &info, const RequestTensor &given) {
  bool isPlainScalar = info.isScalar && given.shape.empty();
  if (info.hasUnknownRank || isPlainScalar ||
      given.shape.size() == info.shape.size())
    return Outcome();
  return invalid("input '{}': shape {} has {} dimensions, and the model's {} "
                 "has {}",
                 info.name, textOf(given.shape), given.shape.size(),
                 textOf(info.shape), info.shape.size());
}

/// Checks extent \p axis of \p given. That of a batch may be less than the
/// model's.
static Outcome checkExtent(const ArgumentRules &rules, const TensorInfo &info,
                           const RequestTensor &given, size_t axis) {
  int64_t extent = given.shape[axis];
  if (extent < 1 || extent > int64_t(UINT32_MAX))
    return invalid("input '{}': extent {} of dimension {} is not from 1 to {}",
                   info.name, extent, axis, UINT32_MAX);
  if (axis == 0 && rules.maxBatchSize > 0) {
    if (uint64_t(extent) > rules.maxBatchSize)
      return invalid("input '{}': {} samples are more than the {} of a batch",
                     info.name, extent, rules.maxBatchSize);
    return Outcome();
  }
  if (info.hasUnknownRank || info.shape[axis] < 0 || info.shape[axis] == extent)
    return Outcome();
  return invalid("input '{}': extent {} of dimension {} is not the model's {}",
                 info.name, extent, axis, info.shape[axis]);
}

/// The bytes that \p shape takes; nothing where no machine has so many.
static std::optional<uint64_t> bytesOf(const std::vector<int64_t> &shape,
                                       DataType type) {
  uint64_t bytes = sizeOf(type);
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, uint64_t(extent), &bytes))
      return std::nullopt;
  return bytes;
}

static Outcome bindInput(const ArgumentRules &rules, const TensorInfo &info,
                         const RequestTensor &given, Arguments::Input &input) {
  if (given.type != info.type)
    return invalid("input '{}': datatype {} is not the model's {}", info.name,
                   nameOf(given.type), nameOf(info.type));
  if (Outcome wrong = checkRank(info, given); !wrong.isOk())
    return wrong;
  for (size_t axis = 0; axis < given.shape.size(); ++axis)
    if (Outcome wrong = checkExtent(rules, info, given, axis); !wrong.isOk())
      return wrong;
  std::optional<uint64_t> size = bytesOf(given.shape, given.type);
  if (!size)
    return invalid("input '{}': shape {} has more bytes than a machine",
                   info.name, textOf(given.shape));
  if (*size != given.data.size())
    return invalid("input '{}': {} bytes of data are not the {} of shape {} "
                   "and datatype {}",
                   info.name, given.data.size(), *size, textOf(given.shape),
                   nameOf(given.type));
  if (!info.isScalar)
    input.dimensions.assign(given.shape.begin(), given.shape.end());
  input.data = given.data;
  return Outcome();
}

static Outcome bindInputs(const ArgumentRules &rules,
                          const InferenceRequest &request,
                          Arguments &arguments) {
  const std::vector<TensorInfo> &inputs = rules.signature.inputs;
  std::vector<bool> isGiven(inputs.size());
  arguments.inputs.resize(inputs.size());
  for (const RequestTensor &given : request.inputs) {
    size_t index = Signature::find(inputs, given.name);
    if (index == inputs.size())
      return invalid("model '{}' has no input '{}'; its inputs are {}",
                     rules.model, given.name, namesOf(inputs));
    if (isGiven[index])
      return invalid("input '{}' is given twice", given.name);
    isGiven[index] = true;
    if (Outcome wrong =
            bindInput(rules, inputs[index], given, arguments.inputs[index]);
        !wrong.isOk())
      return wrong;
  }
  size_t missing = size_t(std::ranges::find(isGiven, false) - isGiven.begin());
  if (missing < inputs.size())
    return invalid("input '{}' of model '{}' is missing", inputs[missing].name,
                   rules.model);
  return Outcome();
}

static Outcome bindOutputs(const ArgumentRules &rules,
                           const InferenceRequest &request,
                           Arguments &arguments) {
  const std::vector<TensorInfo> &outputs = rules.signature.outputs;
  for (const std::string &name : request.outputs) {
    size_t index = Signature::find(outputs, name);
    if (index == outputs.size())
      return invalid("model '{}' has no output '{}'; its outputs are {}",
                     rules.model, name, namesOf(outputs));
    if (std::ranges::find(arguments.outputs, index) != arguments.outputs.end())
      return invalid("output '{}' is asked for twice", name);
    arguments.outputs.push_back(index);
  }
  for (size_t i = 0; request.outputs.empty() && i < outputs.size(); ++i)
    arguments.outputs.push_back(i);
  return Outcome();
}

static Outcome bindSamples(const ArgumentRules &rules, Arguments &arguments) {
  if (rules.maxBatchSize == 0)
    return Outcome();
  const std::vector<TensorInfo> &inputs = rules.signature.inputs;
  arguments.samples = arguments.inputs.front().dimensions.front();
  for (size_t i = 1; i < inputs.size(); ++i)
    if (arguments.inputs[i].dimensions.front() != arguments.samples)
      return invalid("input '{}' has {} samples, and input '{}' has {}",
                     inputs[i].name, arguments.inputs[i].dimensions.front(),
                     inputs[0].name, arguments.samples);
  return Outcome();
}

Outcome serving::bindArguments(const ArgumentRules &rules,
                               const InferenceRequest &request,
                               Arguments &arguments) {
  if (Outcome wrong = bindInputs(rules, request, arguments); !wrong.isOk())
    return wrong;
  if (Outcome wrong = bindOutputs(rules, request, arguments); !wrong.isOk())
    return wrong;
  return bindSamples(rules, arguments);
}
