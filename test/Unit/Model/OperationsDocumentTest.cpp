//===- OperationsDocumentTest.cpp - docs/Using/Operations.md is current ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/SignatureTable.h"
#include "nnhal/Runtime/Model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace nnhal::rt;

namespace {

constexpr std::string_view preamble =
    "# Operations\n"
    "\n"
    "The 102 operations of HAL 1.3. `nnhal-reference` executes all of them; "
    "models, validation and the\n"
    "NNAPI-shaped level of the dialect know all of them. What an operation "
    "accepts, yields and computes\n"
    "stands in [docs/Spec](../Spec/README.md), on the page of its family.\n"
    "\n"
    "`nnhal-cpu` compiles all of them too, for every type and shape; "
    "convolutions, products, pooling and what is\n"
    "element-wise have faster forms where the extents are known "
    "([Rationale](../Compiler/Rationale.md)).\n"
    "\n"
    "A test writes this file from `Operations.def` and the table of "
    "signatures: "
    "`NNHAL_UPDATE_TEST_DATA=1 ModelTest`.\n"
    "\n";

constexpr std::string_view inputsPreamble =
    "\n## Inputs\n"
    "\n"
    "Inputs without a type are tensors; their types and the HAL version that "
    "accepts each follow in the last column, for\n"
    "the first input that has a choice. `real` is FLOAT16 where input 0 is "
    "TENSOR_FLOAT16, FLOAT32 otherwise; `element` is\n"
    "a scalar with the value of an element; `extent` is an INT32 or a real "
    "factor; `list` and `pairs` are TENSOR_INT32 of\n"
    "rank 1 and 2. An input with `?` may be omitted (NO_VALUE). Those in "
    "brackets may be left out from the end: they state\n"
    "what that means and the HAL version that has them; what stands in one "
    "pair "
    "of brackets is stated together. Where\n"
    "padding is implicit the input before `|` stands, else those after it. "
    "`...` follows an input that repeats.\n"
    "\n"
    "| Operation | Inputs | Outputs | Types |\n|---|---|---|---|\n";

std::string_view familyName(OperationFamily family) {
  switch (family) {
#define NNHAL_FAMILY(NAME)                                                     \
  case OperationFamily::NAME:                                                  \
    return #NAME
    NNHAL_FAMILY(Elementwise);
    NNHAL_FAMILY(Activation);
    NNHAL_FAMILY(Contraction);
    NNHAL_FAMILY(Window);
    NNHAL_FAMILY(Normalization);
    NNHAL_FAMILY(Reduction);
    NNHAL_FAMILY(DataMovement);
    NNHAL_FAMILY(Quantization);
    NNHAL_FAMILY(Lookup);
    NNHAL_FAMILY(Recurrent);
    NNHAL_FAMILY(Detection);
    NNHAL_FAMILY(ControlFlow);
#undef NNHAL_FAMILY
  }
  return "";
}

std::string_view kindName(InputKind kind) {
  switch (kind) {
  case InputKind::tensor:
    return "";
  case InputKind::int32:
    return " INT32";
  case InputKind::boolean:
    return " BOOL";
  case InputKind::real:
    return " real";
  case InputKind::int32List:
    return " list";
  case InputKind::int32Pairs:
    return " pairs";
  case InputKind::element:
    return " element";
  case InputKind::extent:
    return " extent";
  case InputKind::subgraph:
    return " SUBGRAPH";
  }
  return "";
}

std::string inputName(const InputRow &row) {
  return fmt::format("{}{}{}{}", row.name, kindName(row.kind),
                     row.isOmittable ? "?" : "",
                     row.presence == InputPresence::repeated ? "..." : "");
}

/// "= 0, 1.2" of a trailing input that HAL 1.2 has and that stands for 0.
std::string trailingMeaning(const InputRow &row) {
  std::string value =
      row.defaultValue ? fmt::format(" = {}", *row.defaultValue) : "";
  return fmt::format("{}, {}", value, toString(row.since));
}

/// The inputs of \p rows that stand at \p index and belong together, which is
/// moved past them.
std::string inputGroup(std::span<const InputRow> rows, size_t &index) {
  const InputRow &first = rows[index];
  std::string text;
  if (first.form == InputForm::every) {
    bool isTrailing = first.presence == InputPresence::trailing;
    text = inputName(first) + (isTrailing ? trailingMeaning(first) : "");
    for (++index; index < rows.size() && rows[index].isJoined; ++index)
      text += "; " + inputName(rows[index]) + trailingMeaning(rows[index]);
    return isTrailing ? "[" + text + "]" : text;
  }
  bool isExplicit = false;
  for (; index < rows.size() && rows[index].form != InputForm::every; ++index) {
    bool isNextExplicit = rows[index].form == InputForm::explicitPadding;
    if (!text.empty())
      text += isNextExplicit != isExplicit ? " \\| " : ", ";
    text += inputName(rows[index]);
    isExplicit = isNextExplicit;
  }
  return "(" + text + ")";
}

std::string inputList(const Signature &signature) {
  std::vector<std::string> groups;
  for (size_t index = 0; index < signature.inputs.size();)
    groups.push_back(inputGroup(signature.inputs, index));
  return fmt::format("{}", fmt::join(groups, ", "));
}

std::string outputList(const Signature &signature) {
  std::vector<std::string> counts;
  for (const OutputCount &output : signature.outputs)
    counts.push_back(
        fmt::format("{}{}", output.count,
                    output.since > lookUp(signature.operation)->since
                        ? fmt::format(" ({})", toString(output.since))
                        : ""));
  return counts.empty() ? "any" : fmt::format("{}", fmt::join(counts, ", "));
}

/// "lhs, rhs: TENSOR_FLOAT32 1.2; ...": inputs that share a list together.
std::string typesOfInputs(const Signature &signature) {
  std::vector<std::string> lists;
  std::span<const InputRow> rows = signature.inputs;
  for (size_t index = 0; index < rows.size();) {
    std::span<const TypeSince> types = rows[index].types;
    std::vector<std::string_view> names;
    for (; index < rows.size() && rows[index].types.data() == types.data();
         ++index)
      names.push_back(rows[index].name);
    std::vector<std::string> texts;
    for (const TypeSince &type : types)
      texts.push_back(
          fmt::format("{} {}", nameOf(type.type), toString(type.since)));
    if (!texts.empty())
      lists.push_back(fmt::format("{}: {}", fmt::join(names, ", "),
                                  fmt::join(texts, ", ")));
  }
  return fmt::format("{}", fmt::join(lists, "; "));
}

std::string inputsSection() {
  std::string text(inputsPreamble);
  for (const OperationInfo &operation : allOperations()) {
    const Signature *signature = signatureOf(operation.type);
    text += fmt::format("| {} | {} | {} | {} |\n", operation.name,
                        inputList(*signature), outputList(*signature),
                        typesOfInputs(*signature));
  }
  return text;
}

std::string operationsDocument() {
  std::string rows;
  for (const OperationInfo &operation : allOperations())
    rows += fmt::format("| {} | {} | {} | {} |\n", uint32_t(operation.type),
                        operation.name, toString(operation.since),
                        familyName(operation.family));
  return fmt::format("{}| Code | Operation | Since | Family |\n"
                     "|---|---|---|---|\n{}{}",
                     preamble, rows, inputsSection());
}

} // namespace

TEST(OperationsDocumentTest, isUpToDate) {
  std::string expected = operationsDocument();
  EXPECT_EQ(allOperations().size(), 102u);
  std::string path = NNHAL_TEST_DATA "/../docs/Using/Operations.md";
  if (std::getenv("NNHAL_UPDATE_TEST_DATA"))
    std::ofstream(path) << expected;
  std::stringstream found;
  found << std::ifstream(path).rdbuf();
  EXPECT_EQ(found.str(), expected)
      << "run with NNHAL_UPDATE_TEST_DATA=1 to write it again";
}
