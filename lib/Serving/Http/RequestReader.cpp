//===- RequestReader.cpp - A request as its JSON is read ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestReader.h"

#include <fmt/format.h>

#include <algorithm>

using namespace nnhal;
using namespace nnhal::serving;

/// Levels of lists and objects; tensors have fewer dimensions.
static constexpr size_t deepest = 64;
/// No model has more inputs, outputs or dimensions.
static constexpr size_t mostTensors = 4096;
static constexpr size_t mostDimensions = 64;

std::string RequestReader::nameOfPlace() const {
  Place place = places.back();
  // Parameters are those of what they stand in.
  if (place == Place::parameters)
    place = places[places.size() - 2];
  switch (place) {
  case Place::input:
  case Place::shape:
  case Place::data:
    return fmt::format("input {}", inputs.size() - 1);
  case Place::output:
    return fmt::format("output {}", outputs.size() - 1);
  default:
    return "the request";
  }
}

bool RequestReader::refuseValue(std::string_view value) {
  problem = fmt::format("'{}' of {} cannot be {}", field, nameOfPlace(), value);
  return false;
}

/// Refuses the parameter that has been found where it asks for what this server
/// does not do: to pass over it would answer with something else.
bool RequestReader::checkParameter() {
  Place owner = places[places.size() - 2];
  bool isOfTensor = owner == Place::input || owner == Place::output;
  if ((owner != Place::output || field != "classification") &&
      !(isOfTensor && field.starts_with("shared_memory_")))
    return true;
  problem = fmt::format("parameter '{}' of {} is not supported: this extension "
                        "of Triton is not offered",
                        field, nameOfPlace());
  return false;
}

bool RequestReader::parse_error(size_t position, const std::string &token,
                                const nlohmann::json::exception &error) {
  constexpr size_t shown = 64;
  problem = fmt::format("the request is no JSON at byte {}: '{}'", position,
                        token.substr(0, shown));
  return false;
}

//===----------------------------------------------------------------------===//
// Objects and lists
//===----------------------------------------------------------------------===//

bool RequestReader::enter(Place place) {
  if (places.size() > deepest) {
    problem = fmt::format("the request has more than {} levels", deepest);
    return false;
  }
  places.push_back(place);
  return true;
}

bool RequestReader::leave() {
  places.pop_back();
  return true;
}

bool RequestReader::key(string_t &value) {
  field = value;
  return true;
}

bool RequestReader::start_object(size_t) {
  Place place = places.back();
  if (inputs.size() > mostTensors || outputs.size() > mostTensors) {
    problem = fmt::format("the request has more than {} tensors", mostTensors);
    return false;
  }
  switch (place) {
  case Place::root:
    return enter(Place::request);
  case Place::inputs:
    inputs.emplace_back();
    return enter(Place::input);
  case Place::outputs:
    outputs.emplace_back();
    return enter(Place::output);
  case Place::request:
  case Place::input:
  case Place::output:
    if (field == "parameters") {
      target = place == Place::request ? &parameters
               : place == Place::input ? &inputs.back().parameters
                                       : &outputs.back().parameters;
      return enter(Place::parameters);
    }
    break;
  case Place::parameters:
    return checkParameter() && enter(Place::skipped);
  case Place::skipped:
    return enter(Place::skipped);
  case Place::shape:
  case Place::data:
    return refuseValue("a list of objects");
  }
  static constexpr std::string_view others[] = {
      "id", "inputs", "outputs", "name", "datatype", "shape", "data"};
  if (std::ranges::find(others, field) != std::end(others))
    return refuseValue("an object");
  return enter(Place::skipped);
}

/// The elements of an input begin.
bool RequestReader::enterData() {
  WrittenInput &input = inputs.back();
  if (input.hasData) {
    problem = fmt::format("input {} has 'data' twice", inputs.size() - 1);
    return false;
  }
  input.hasData = true;
  size_t index = inputs.size() - 1;
  if (!input.type && index < known.size())
    input.type = known[index];
  isTypeLate |= !input.type;
  return enter(Place::data);
}

bool RequestReader::start_array(size_t) {
  switch (places.back()) {
  case Place::root:
  case Place::inputs:
  case Place::outputs:
  case Place::shape:
    return refuseValue("a list of lists");
  case Place::request:
    if (field == "inputs")
      return enter(Place::inputs);
    if (field == "outputs")
      return enter(Place::outputs);
    if (field == "id" || field == "parameters")
      return refuseValue("a list");
    return enter(Place::skipped);
  case Place::input:
    if (field == "data")
      return enterData();
    if (field == "shape") {
      inputs.back().hasShape = true;
      inputs.back().shape.clear();
      return enter(Place::shape);
    }
    [[fallthrough]];
  case Place::output:
    if (field == "name" || field == "datatype" || field == "parameters")
      return refuseValue("a list");
    return enter(Place::skipped);
  case Place::data:
    return enter(Place::data);
  case Place::parameters:
    return checkParameter() && enter(Place::skipped);
  case Place::skipped:
    return enter(Place::skipped);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool RequestReader::take(const JsonValue &value) {
  switch (places.back()) {
  case Place::skipped:
    return true;
  case Place::data:
    return takeElement(value);
  case Place::shape:
    return takeExtent(value);
  case Place::parameters:
    return takeParameter(value);
  case Place::request:
  case Place::input:
  case Place::output:
    return takeField(value);
  case Place::root:
  case Place::inputs:
  case Place::outputs:
    break;
  }
  return refuseValue(fmt::format("a list with {}", textOf(value)));
}

bool RequestReader::takeText(const JsonValue &value, std::string &text) {
  const auto *given = std::get_if<std::string *>(&value);
  if (!given)
    return refuseValue(textOf(value));
  text = **given;
  return true;
}

bool RequestReader::takeType(const JsonValue &value) {
  std::string name;
  if (!takeText(value, name))
    return false;
  auto type = parseDataType(name);
  if (!type.isOk()) {
    problem =
        fmt::format("input {}: {}", inputs.size() - 1, type.status().message());
    return false;
  }
  inputs.back().type = *type;
  return true;
}

bool RequestReader::takeField(const JsonValue &value) {
  Place place = places.back();
  // Many clients write null for what they leave out.
  static constexpr std::string_view optional[] = {"id", "parameters", "outputs",
                                                  "data"};
  if (std::holds_alternative<std::monostate>(value) &&
      std::ranges::find(optional, field) != std::end(optional))
    return true;
  if (place == Place::request && field == "id")
    return takeText(value, id);
  if (place == Place::input && field == "name")
    return takeText(value, inputs.back().name);
  if (place == Place::input && field == "datatype")
    return takeType(value);
  if (place == Place::output && field == "name")
    return takeText(value, outputs.back().name);
  static constexpr std::string_view others[] = {"inputs", "outputs", "shape",
                                                "data", "parameters"};
  if (std::ranges::find(others, field) != std::end(others))
    return refuseValue(textOf(value));
  return true;
}

/// Parameters that this server knows nothing of are of others.
bool RequestReader::takeParameter(const JsonValue &value) {
  if (std::holds_alternative<std::monostate>(value))
    return true;
  if (!checkParameter())
    return false;
  auto number = [&](std::optional<uint64_t> &parameter) {
    if (const auto *given = std::get_if<uint64_t>(&value))
      parameter = *given;
    return parameter || refuseValue(textOf(value));
  };
  auto flag = [&](std::optional<bool> &parameter) {
    if (const auto *given = std::get_if<bool>(&value))
      parameter = *given;
    return parameter || refuseValue(textOf(value));
  };
  if (field == "binary_data_size")
    return number(target->binaryDataSize);
  if (field == "binary_data")
    return flag(target->binaryData);
  if (field == "binary_data_output")
    return flag(target->binaryDataOutput);
  if (field == "timeout")
    return number(target->timeout);
  if (field == "priority")
    return number(target->priority);
  return true;
}

bool RequestReader::takeElement(const JsonValue &value) {
  WrittenInput &input = inputs.back();
  if (!input.type || appendElement(value, *input.type, input.elements))
    return true;
  size_t index = input.elements.size() / sizeOf(*input.type);
  problem =
      fmt::format("input {}: element {} is {}, which {} does not have",
                  inputs.size() - 1, index, textOf(value), nameOf(*input.type));
  return false;
}

bool RequestReader::takeExtent(const JsonValue &value) {
  std::vector<int64_t> &shape = inputs.back().shape;
  if (shape.size() == mostDimensions) {
    problem = fmt::format("input {} has more than {} dimensions",
                          inputs.size() - 1, mostDimensions);
    return false;
  }
  if (const auto *number = std::get_if<int64_t>(&value))
    shape.push_back(*number);
  else if (const auto *extent = std::get_if<uint64_t>(&value);
           extent && std::in_range<int64_t>(*extent))
    shape.push_back(int64_t(*extent));
  else
    return refuseValue(fmt::format("a list with {}", textOf(value)));
  return true;
}
