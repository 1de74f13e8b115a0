//===- GraphDump.cpp - A model as a Graphviz graph ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/GraphDump.h"

#include "Runtime/Support/Float16.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace nnhal;
using namespace nnhal::rt;

std::string rt::shortNameOf(OperandType type) {
  switch (type) {
  case OperandType::FLOAT32:
    return "F32";
  case OperandType::INT32:
    return "I32";
  case OperandType::UINT32:
    return "U32";
  case OperandType::TENSOR_FLOAT32:
    return "TF32";
  case OperandType::TENSOR_INT32:
    return "TI32";
  case OperandType::TENSOR_QUANT8_ASYMM:
    return "TQ8A";
  case OperandType::BOOL:
    return "B8";
  case OperandType::TENSOR_QUANT16_SYMM:
    return "TQ16S";
  case OperandType::TENSOR_FLOAT16:
    return "TF16";
  case OperandType::TENSOR_BOOL8:
    return "TB8";
  case OperandType::FLOAT16:
    return "F16";
  case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
    return "TQ8C";
  case OperandType::TENSOR_QUANT16_ASYMM:
    return "TQ16A";
  case OperandType::TENSOR_QUANT8_SYMM:
    return "TQ8S";
  case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
    return "TQ8AS";
  case OperandType::TENSOR_OEM_BYTE:
    return "TOEMB";
  case OperandType::SUBGRAPH:
  case OperandType::OEM:
    break;
  }
  return nameOf(type);
}

/// \p text as a quoted string of the DOT language that is shown as it is:
/// backslashes would start the escapes of labels. Line feeds break the line;
/// other control characters, which dot cannot show, become spaces.
static std::string quote(std::string_view text) {
  // The length that dot's scanner takes is bounded, and nobody reads further.
  constexpr size_t longest = 1024;
  size_t shown = std::min(text.size(), longest);
  // The text is not cut within a character of UTF-8.
  while (shown < text.size() && shown > 0 && (text[shown] & 0xC0) == 0x80)
    --shown;
  std::string quoted = "\"";
  for (char c : text.substr(0, shown)) {
    if (c == '\n')
      quoted += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      quoted += ' ';
    else if (c == '"' || c == '\\')
      (quoted += '\\') += c;
    else
      quoted += c;
  }
  if (shown < text.size())
    quoted += "...";
  return quoted + '"';
}

template <typename T> static T load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

/// The value of a constant scalar; empty for what has none to show (K-019).
static std::string scalarValue(const Model &model, const Operand &operand) {
  if (!isConstant(operand.lifetime) || !isScalar(operand.type))
    return "";
  auto bytes = constantBytes(model, operand);
  std::optional<uint32_t> size = byteSizeOf(operand);
  if (!bytes.isOk() || !size || bytes->size() < *size)
    return "";
  switch (operand.type) {
  case OperandType::FLOAT32:
    return fmt::format("{}", load<float>(*bytes));
  case OperandType::FLOAT16:
    return fmt::format("{}", floatFromFloat16(load<uint16_t>(*bytes)));
  case OperandType::INT32:
    return fmt::format("{}", load<int32_t>(*bytes));
  case OperandType::UINT32:
    return fmt::format("{}", load<uint32_t>(*bytes));
  case OperandType::BOOL:
    return load<uint8_t>(*bytes) != 0 ? "true" : "false";
  default:
    return "";
  }
}

/// Returns how an operand gets its value, where its edges do not say so
/// (K-017).
static std::string kindOf(const Model &model, const Operand &operand) {
  std::string value = scalarValue(model, operand);
  if (!value.empty())
    value.insert(0, " = ");
  switch (operand.lifetime) {
  case OperandLifeTime::CONSTANT_COPY:
    return " COPY" + value;
  case OperandLifeTime::CONSTANT_REFERENCE:
    return " REF" + value;
  case OperandLifeTime::NO_VALUE:
    return " NO";
  case OperandLifeTime::SUBGRAPH:
    return fmt::format(" = referenced {}", operand.location.offset);
  case OperandLifeTime::TEMPORARY_VARIABLE:
  case OperandLifeTime::SUBGRAPH_INPUT:
  case OperandLifeTime::SUBGRAPH_OUTPUT:
    break;
  }
  return "";
}

namespace {
/// Writes one graph.
class Dumper {
public:
  Dumper(const Model &model, const GraphNotes &notes)
      : model(model), main(model.main), notes(notes) {}

  std::string dump(std::string_view title) {
    text = "digraph {\n";
    if (!title.empty())
      text += fmt::format("  graph [label={} labelloc=t]\n", quote(title));
    if (!model.referenced.empty())
      text += fmt::format(
          "  note [shape=note label=\"{} referenced subgraph{} not shown\"]\n",
          model.referenced.size(), model.referenced.size() == 1 ? "" : "s");
    roles.resize(main.operands.size());
    addRoles("input", main.inputIndexes, notes.inputNames);
    addRoles("output", main.outputIndexes, notes.outputNames);
    for (size_t i = 0; i < main.operands.size(); ++i)
      addOperand(i);
    for (size_t i = 0; i < main.operations.size(); ++i)
      addOperation(i);
    return std::move(text) + "}\n";
  }

private:
  /// Says for each operand which inputs or outputs it is (K-018).
  void addRoles(std::string_view role, std::span<const uint32_t> indexes,
                std::span<const std::string> names) {
    for (size_t i = 0; i < indexes.size(); ++i) {
      if (indexes[i] >= roles.size())
        continue;
      std::string &text = roles[indexes[i]];
      text += fmt::format("\n= {}[{}]", role, i);
      if (i < names.size() && !names[i].empty())
        text += fmt::format(" {}", names[i]);
    }
  }

  void addOperand(size_t index) {
    const Operand &operand = main.operands[index];
    std::string label = fmt::format(
        "{}: {}{}", index, shortNameOf(operand.type), kindOf(model, operand));
    std::string_view separator = "\n";
    for (uint32_t dimension : operand.dimensions) {
      label += separator;
      label += dimension == 0 ? "?" : fmt::format("{}", dimension);
      separator = "x";
    }
    label += roles[index];
    text += fmt::format("  d{} [label={}{}]\n", index, quote(label),
                        roles[index].empty()
                            ? ""
                            : " style=filled fillcolor=black fontcolor=white");
  }

  void addOperation(size_t index) {
    const Operation &operation = main.operations[index];
    std::string label = fmt::format("{}: {}", index, nameOf(operation.type));
    bool hasObstacle = false;
    if (index < notes.operations.size()) {
      const OperationNote &note = notes.operations[index];
      hasObstacle = !note.obstacle.empty();
      if (!note.device.empty())
        label += fmt::format("\n{}", note.device);
      if (hasObstacle)
        label += fmt::format("\nno device: {}", note.obstacle);
      if (note.microseconds)
        label += fmt::format("\n{:.1f} us", *note.microseconds);
    }
    // Dot keeps the order of one side only.
    bool ordersOutputs =
        operation.outputs.size() > 1 && operation.inputs.size() <= 1;
    text += fmt::format("  n{} [shape=box ordering={} label={}{}]\n", index,
                        ordersOutputs ? "out" : "in", quote(label),
                        hasObstacle ? " style=filled fillcolor=orange" : "");
    for (size_t i = 0; i < operation.inputs.size(); ++i)
      text += fmt::format("  d{} -> n{}{}\n", operation.inputs[i], index,
                          position(i, operation.inputs.size()));
    for (size_t i = 0; i < operation.outputs.size(); ++i)
      text += fmt::format("  n{} -> d{}{}\n", index, operation.outputs[i],
                          position(i, operation.outputs.size()));
  }

  /// The label of an edge, which only one of several needs (K-020).
  static std::string position(size_t index, size_t count) {
    return count > 1 ? fmt::format(" [label=\"{}\"]", index) : "";
  }

  const Model &model;
  const Subgraph &main;
  const GraphNotes &notes;
  std::vector<std::string> roles;
  std::string text;
};
} // namespace

std::string rt::graphDump(std::string_view title, const Model &model,
                          const GraphNotes &notes) {
  return Dumper(model, notes).dump(title);
}

void rt::graphDump(std::string_view title, const Model &model, const Log &log,
                   LogTag tag) {
  if (log.isOn(tag))
    log.writeLines(tag, graphDump(title, model));
}
