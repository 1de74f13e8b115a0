//===- Operator.cpp - What operators are made of --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operator.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// The HAL's type of the scalar that states an option.
rt::OperandType scalarOf(OptionKind kind) {
  return kind == OptionKind::integer ? rt::OperandType::INT32
         : kind == OptionKind::real  ? rt::OperandType::FLOAT32
                                     : rt::OperandType::BOOL;
}

std::vector<std::string_view> wordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t end; (end = text.find(' ')) != text.npos;
       text.remove_prefix(end + 1))
    words.push_back(text.substr(0, end));
  return words;
}

/// The word of row.tensors that is about \p tensor.
std::string_view wordOf(const OperatorRow &row, size_t tensor) {
  std::vector<std::string_view> words = wordsOf(row.tensors);
  return words[std::min(tensor, words.size() - 1)];
}

} // namespace

const OperatorRow *tflite::lookUpOperator(uint16_t number) {
  std::span<const OperatorRow> rows = operatorTable();
  const auto *row = std::lower_bound(
      rows.data(), rows.data() + rows.size(), number,
      [](const OperatorRow &row, uint16_t key) { return row.number < key; });
  return row != rows.data() + rows.size() && row->number == number ? row
                                                                   : nullptr;
}

Result<Use> Use::decode(const OperationView &view) {
  uint32_t code = uint32_t(view.type);
  const OperatorRow *row = lookUpOperator(uint16_t(code));
  if (!row || code >> 16 != rt::ownExtensionPrefix)
    return refuse("operation ", code & 0xFFFF, " is not one of nnhal.tflite");
  std::vector<std::string_view> words = wordsOf(row->tensors);
  bool isVariadic = words.back().back() == '*';
  size_t options = row->options.size(), needed = words.size() + options;
  if (isVariadic ? view.inputs.size() < needed : view.inputs.size() != needed)
    return refuse(row->name, ": ", view.inputs.size(), " inputs, but ",
                  isVariadic ? "at least " : "", needed, " are needed");
  if (row->results == 0 ? view.outputs.empty()
                        : view.outputs.size() != row->results)
    return refuse(row->name, ": ", view.outputs.size(), " outputs, but ",
                  row->results == 0 ? "at least " : "",
                  std::max<int>(row->results, 1), " are needed");
  Use use(view, *row, view.inputs.size() - options);
  NNHAL_RETURN_IF_ERROR(use.checkTensors());
  NNHAL_RETURN_IF_ERROR(use.checkOptions());
  return use;
}

Status Use::checkTensors() const {
  for (size_t tensor = 0; tensor < tensorCount; ++tensor) {
    if (!has(tensor)) {
      if (wordOf(row(), tensor).back() != '?')
        return refuse(nameOf(tensor), " is omitted, but the operator needs it");
      continue;
    }
    if (!elementOf(input(tensor)))
      return refuse(nameOf(tensor), " has type ",
                    rt::nameOf(input(tensor).type),
                    ", which no operator takes");
    if (!input(tensor).isRanked)
      return refuse(nameOf(tensor), " has unknown rank");
    if (rank(tensor) > 8)
      return refuse(nameOf(tensor), " has rank ", rank(tensor),
                    ", but at most 8 is allowed");
  }
  for (size_t result = 0; result < results(); ++result)
    if (!elementOf(output(result)))
      return refuse(row().name, ": output ", result, " has type ",
                    rt::nameOf(output(result).type),
                    ", which no operator yields");
  return checkElement(row().principal, row().elements);
}

Status Use::checkOptions() const {
  for (size_t index = 0; index < row().options.size(); ++index) {
    const OptionRow &option = row().options[index];
    const OperandView &operand = view->inputs[tensorCount + index];
    if (operand.isOmitted || operand.type.type != scalarOf(option.kind))
      return refuse(row().name, ": option ", option.name, " has type ",
                    operand.isOmitted ? "NO_VALUE"
                                      : rt::nameOf(operand.type.type),
                    ", but must be ", rt::nameOf(scalarOf(option.kind)));
    size_t size = option.kind == OptionKind::truth ? 1 : 4;
    if (!operand.value || operand.value->size() < size)
      return refuse(row().name, ": option ", option.name,
                    " must be a constant");
    if (option.kind != OptionKind::integer)
      continue;
    int32_t value = integer(option.name);
    if (value < option.least || value > option.most)
      return refuse(row().name, ": option ", option.name, " is ", value,
                    ", but must be ", option.least, " to ", option.most);
  }
  return Status::ok();
}

const OperandView &Use::option(std::string_view name) const {
  size_t index = 0;
  while (row().options[index].name != name) {
    ++index;
    assert(index < row().options.size() && "the row must have the option");
  }
  return view->inputs[tensorCount + index];
}

int32_t Use::integer(std::string_view name) const {
  int32_t value = 0;
  std::memcpy(&value, option(name).value->data(), sizeof(value));
  return value;
}

float Use::real(std::string_view name) const {
  float value = 0;
  std::memcpy(&value, option(name).value->data(), sizeof(value));
  return value;
}

bool Use::truth(std::string_view name) const {
  return option(name).value->front() != std::byte(0);
}

std::optional<Extents> Use::integers(size_t tensor) const {
  const OperandView &operand = view->inputs[tensor];
  if (!operand.value || !contains(indexElements, element(tensor)))
    return std::nullopt;
  size_t size = sizeOf(element(tensor));
  Extents result(operand.value->size() / size);
  for (size_t index = 0; index < result.size(); ++index) {
    const std::byte *place = operand.value->data() + index * size;
    int32_t narrow = 0;
    if (size == sizeof(narrow)) {
      std::memcpy(&narrow, place, sizeof(narrow));
      result[index] = narrow;
    } else {
      std::memcpy(&result[index], place, sizeof(int64_t));
    }
  }
  return result;
}

std::string Use::nameOf(size_t tensor) const {
  std::string_view word = wordOf(row(), tensor);
  if (word.back() == '?' || word.back() == '*')
    word.remove_suffix(1);
  return std::string(row().name) + ": input " + std::to_string(tensor) + " (" +
         std::string(word) + ")";
}

Status Use::checkElement(size_t tensor, ElementSet allowed) const {
  if (has(tensor) && !contains(allowed, element(tensor)))
    return refuse(nameOf(tensor), " has elements of ",
                  tflite::nameOf(element(tensor)), ", but must have ",
                  tflite::nameOf(allowed));
  return Status::ok();
}

Status Use::checkResultElement(size_t result, ElementSet allowed) const {
  if (!contains(allowed, resultElement(result)))
    return refuse(row().name, ": output ", result, " has elements of ",
                  tflite::nameOf(resultElement(result)), ", but must have ",
                  tflite::nameOf(allowed));
  return Status::ok();
}

Status Use::checkRank(size_t tensor, int64_t least, int64_t most) const {
  if (rank(tensor) < least || rank(tensor) > most)
    return refuse(nameOf(tensor), " has rank ", rank(tensor),
                  ", but must have ", least, " to ", most);
  return Status::ok();
}

Status Use::checkExtent(size_t tensor, int64_t axis, int64_t expected) const {
  if (!mayEqual(extent(tensor, axis), expected))
    return refuse(nameOf(tensor), " has extent ", extent(tensor, axis),
                  " in dimension ", axis, ", but must have ", expected);
  return Status::ok();
}

Status Use::checkOneElement(size_t tensor) const {
  if (isKnown(input(tensor).dimensions) && elementCount(input(tensor)) != 1)
    return refuse(nameOf(tensor), " has ", elementCount(input(tensor)),
                  " elements, but must have 1");
  return Status::ok();
}

Status tflite::checkNewShape(std::span<const int64_t> extents) {
  for (int64_t extent : extents)
    if (extent < 0 || extent > UINT32_MAX)
      return refuse("extent ", extent, " of the new shape must be 0 to ",
                    UINT32_MAX);
  return Status::ok();
}

Status Use::checkScale(const TensorType &type, std::string_view name) const {
  std::span<const float> scales(&type.scale, 1);
  if (!type.channelQuant.scales.empty())
    scales = type.channelQuant.scales;
  for (float scale : scales)
    if (!(scale > 0.0f && std::isfinite(scale)))
      return refuse(name, " has scale ", scale, ", but it must be positive");
  if (elementOf(type) == Element::int16 && type.zeroPoint != 0)
    return refuse(name, " has zero point ", type.zeroPoint,
                  ", but 16 bits must have 0");
  return Status::ok();
}

Status Use::checkScales(size_t count) const {
  constexpr ElementSet quantized =
      elementSet(Element::int8, Element::uint8, Element::int16);
  for (size_t tensor = 0; tensor < count; ++tensor)
    if (has(tensor) && contains(quantized, element(tensor)))
      NNHAL_RETURN_IF_ERROR(checkScale(input(tensor), nameOf(tensor)));
  for (size_t result = 0; result < results(); ++result)
    if (contains(quantized, resultElement(result)))
      NNHAL_RETURN_IF_ERROR(
          checkScale(output(result), std::string(row().name) + ": output " +
                                         std::to_string(result)));
  return Status::ok();
}

TensorType tflite::resultType(const Use &use, size_t result, Extents extents) {
  TensorType type = use.output(result);
  type.dimensions = std::move(extents);
  type.isRanked = true;
  return type;
}

Extents tflite::withoutScalar(const Use &use, Extents extents, size_t axis) {
  const TensorType &stated = use.output(0);
  if (stated.isRanked && stated.dimensions.size() + 1 == extents.size() &&
      axis < extents.size() && extents[axis] == 1)
    extents.erase(extents.begin() + int64_t(axis));
  return extents;
}

int64_t tflite::elementCount(std::span<const int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

bool tflite::isKnown(std::span<const int64_t> extents) {
  return std::find(extents.begin(), extents.end(), unknownExtent) ==
         extents.end();
}

std::string tflite::extentsText(std::span<const int64_t> extents) {
  TensorType type;
  type.dimensions.assign(extents.begin(), extents.end());
  return rt::shapeText(type);
}

Result<int64_t> tflite::resolveAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return refuse("axis ", axis, " must be ", -rank, " to ", rank - 1);
  return axis < 0 ? axis + rank : axis;
}

Result<Extents> tflite::broadcastExtents(std::span<const int64_t> a,
                                         std::span<const int64_t> b) {
  Extents result(std::max(a.size(), b.size()));
  for (size_t back = 1; back <= result.size(); ++back) {
    int64_t left = back <= a.size() ? a[a.size() - back] : 1;
    int64_t right = back <= b.size() ? b[b.size() - back] : 1;
    int64_t &extent = result[result.size() - back];
    if (left == 1 || right == 1)
      extent = left == 1 ? right : left;
    else if (mayEqual(left, right))
      extent = left == unknownExtent ? right : left;
    else
      return refuse("shapes ", extentsText(a), " and ", extentsText(b),
                    " do not broadcast");
  }
  return result;
}
