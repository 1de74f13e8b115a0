//===- PrintSignatures.cpp - ODS from the table of signatures -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nnhal-print-signatures FILE.td, a program of the build, writes the table of
// signatures in the words of HalForm.td: one NNHal_HalSignature per operation,
// named after it, to which the operations of the dialect refer. It is made of
// the rows of the table alone, because everything that includes an operation of
// the dialect waits for it.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Model/SignatureRows.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

using namespace nnhal::rt;

/// Whether operations are listed by their codes, from 0 on.
static constexpr bool areListedByCode() {
  uint32_t next = 0;
#define NNHAL_OPERATION(NAME, CODE, SINCE, FAMILY)                             \
  if (CODE != next++)                                                          \
    return false;
#include "nnhal/Runtime/Operations.def"
  return true;
}
static_assert(areListedByCode());

/// Name and HAL version of each operation, by its code.
static constexpr std::pair<std::string_view, std::string_view> operations[] = {
#define NNHAL_OPERATION(NAME, CODE, SINCE, FAMILY) {#NAME, #SINCE},
#include "nnhal/Runtime/Operations.def"
};

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static std::string inSmallLetters(std::string_view text) {
  std::string letters(text);
  std::ranges::transform(letters, letters.begin(), [](unsigned char letter) {
    return char(std::tolower(letter));
  });
  return letters;
}

/// The identifier of \p row in the dialect, where some words are short.
static std::string identifierOf(const InputRow &row) {
  std::string text =
      inSmallLetters(row.canonicalName.empty() ? row.name : row.canonicalName);
  std::ranges::replace_if(
      text, [](char letter) { return letter == ' ' || letter == '-'; }, '_');
  constexpr std::pair<std::string_view, std::string_view> shortWords[] = {
      {"forward_", "fw_"}, {"backward_", "bw_"}, {"auxiliary_", "aux_"}};
  for (auto [word, shortWord] : shortWords)
    if (size_t at = text.find(word); at != std::string::npos)
      text.replace(at, word.size(), shortWord);
  return text;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// NNHal_<kind>In of the name of \p row and \p argument, if there is one.
static std::string entry(std::string_view kind, const InputRow &row,
                         std::string_view argument = "") {
  std::string text = "NNHal_" + std::string(kind) + "In<\"" + identifierOf(row);
  text += argument.empty() ? "\"" : "\", " + std::string(argument);
  return text + ">";
}

/// The entry of an attribute, which is optional where the table has a value
/// that stands for it, written with \p suffix.
static std::string attribute(std::string_view kind, const InputRow &row,
                             std::string_view suffix = "") {
  if (!row.defaultValue)
    return entry(kind, row);
  return entry("Optional" + std::string(kind), row,
               "\"" + std::to_string(*row.defaultValue) + std::string(suffix) +
                   "\"");
}

/// The entry of an operand. Which of several types it has is for a rule to say.
static std::string operand(const InputRow &row) {
  if (row.presence == InputPresence::repeated)
    return entry("Variadic", row);
  if (row.isOmittable)
    return entry("Optional", row);
  if (row.role == InputRole::spatial)
    return entry("Spatial", row);
  if (row.types.size() != 1)
    return entry("", row);
  switch (row.types.front().type) {
  case OperandType::TENSOR_INT32:
    return entry("", row, "NNHal_IndexTensor");
  case OperandType::TENSOR_BOOL8:
    return entry("", row, "NNHal_BoolTensor");
  default:
    return entry("", row);
  }
}

/// The entry of a parameter whose role says no more than its kind.
static std::string parameter(const InputRow &row) {
  switch (row.kind) {
  case InputKind::tensor:
    return operand(row);
  case InputKind::int32:
    return attribute("Integer", row);
  case InputKind::boolean:
    return row.defaultValue ? entry("OptionalFlag", row) : entry("Flag", row);
  case InputKind::real:
    return attribute("Real", row, ".0f");
  case InputKind::int32List:
    return entry("Integers", row);
  case InputKind::int32Pairs:
    return entry("Pairs", row);
  case InputKind::element:
    return entry("Number", row);
  case InputKind::extent:
    return entry("Extent", row);
  case InputKind::subgraph:
    return entry("Graph", row);
  }
  return "";
}

/// The entry of \p row. TableGen refuses those of inputs that no operation has,
/// such as an extent that is neither width nor height.
static std::string entryOf(const InputRow &row) {
  switch (row.role) {
  case InputRole::none:
  case InputRole::spatial:
    return parameter(row);
  case InputRole::layout:
    return "NNHal_LayoutIn";
  case InputRole::flag:
    return entry("NumberFlag", row);
  case InputRole::positiveFlag:
    return entry("PositiveFlag", row);
  case InputRole::fusedActivation:
    return "NNHal_ActivationIn";
  case InputRole::recurrentActivation:
    return entry("RecurrentActivation", row);
  case InputRole::softNmsKernel:
    return entry("SoftNmsKernel", row);
  case InputRole::lshKind:
    return entry("LshKind", row);
  case InputRole::width:
    return row.kind == InputKind::extent ? "NNHal_WidthIn"
                                         : attribute("Size", row);
  case InputRole::height:
    return "NNHal_HeightIn";
  case InputRole::unitAxes:
    return entry("UnitAxes", row);
  case InputRole::permutation:
    return entry("Permutation", row);
  case InputRole::resultShape:
    return "NNHal_ResultShapeIn";
  case InputRole::resultCount:
    return "NNHal_ResultCountIn";
  }
  return "";
}

/// The entries of \p rows, one a line. A width has the height after it, and the
/// forms of padding have one entry.
static std::string entriesOf(std::span<const InputRow> rows) {
  std::string text;
  for (size_t index = 0; index < rows.size(); ++index) {
    const InputRow &row = rows[index];
    text += index == 0 ? "" : ",\n     ";
    if (row.form == InputForm::every) {
      text += entryOf(row);
      index += row.role == InputRole::width && row.kind == InputKind::int32;
      continue;
    }
    bool isTransposed = row.kind == InputKind::int32List;
    text += isTransposed ? "NNHal_TransposedPadsIn" : "NNHal_PadsIn";
    while (index + 1 < rows.size() && rows[index + 1].form != InputForm::every)
      ++index;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The number of outputs, 0 where several numbers are legal.
static unsigned outputCountOf(const Signature &signature) {
  return signature.outputs.size() == 1 ? signature.outputs.front().count : 0;
}

static std::string definitionOf(const Signature &signature) {
  auto code = uint32_t(signature.operation);
  auto [name, since] = operations[code];
  return "\ndef NNHal_" + std::string(name) + " : NNHal_HalSignature<\"" +
         inSmallLetters(name) + "\", " + std::to_string(code) + ", \"" +
         std::string(since) + "\", " +
         std::to_string(outputCountOf(signature)) + ",\n    [" +
         entriesOf(signature.inputs) + "]>;\n";
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: nnhal-print-signatures FILE.td\n";
    return 2;
  }
  std::ofstream out(argv[1]);
  out << "// Written by nnhal-print-signatures from the table of signatures.\n";
  for (std::span<const Signature> part :
       {signatures::plainSignatures(), signatures::recurrentSignatures()})
    for (const Signature &signature : part)
      out << definitionOf(signature);
  out.close();
  if (!out) {
    std::cerr << "error: '" << argv[1] << "' cannot be written\n";
    return 1;
  }
  return 0;
}
