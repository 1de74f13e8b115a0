//===- HalInputsTest.cpp - ODS lists beside the table of signatures -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A canonical operation lists the inputs of the HAL operation in ODS
// (NNHal_HalInput), with what each becomes; the table of signatures lists them
// with types, versions and defaults. Nobody may add an input to one alone.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>

using namespace nnhal;

namespace {

/// Names that attributes have for another reason than that the table has them.
const std::map<std::string, std::string> renamed = {
    {"strides width", "stride width"},
    {"strides height", "stride height"},
    {"dilations width", "dilation width"},
    {"dilations height", "dilation height"},
    {"inputs", "input"},
    {"pads", "paddings"},
    {"batches", "batch indices"},
    {"kernel", "soft nms kernel"},
    {"kind", "projection type"},
    {"samples", "sample count"},
    {"min size", "minimum size"},
    {"height samples", "samples per bin height"},
    {"width samples", "samples per bin width"},
    {"width factor", "width"},
    {"height factor", "height"},
};

/// The table's name of an input that ODS calls \p name, in small letters.
std::string spelling(std::string name) {
  const std::pair<const char *, const char *> words[] = {
      {"^fw_", "forward_"},
      {"^bw_", "backward_"},
      {"input_to_(\\w+)_weights", "$1_gate_input_weights"},
      {"recurrent_to_(\\w+)_weights", "$1_gate_recurrent_weights"},
      {"cell_to_(\\w+)_weights", "$1_gate_peephole_weights"},
      {"aux_to_(\\w+)_weights", "$1_gate_auxiliary_weights"},
      {"(input|forget|cell|output)_(layer_norm|intermediate)", "$1_gate_$2"},
      {"aux_", "auxiliary_"},
      {"_", " "}};
  for (auto [pattern, words] : words)
    name = std::regex_replace(name, std::regex(pattern), words);
  auto found = renamed.find(name);
  return found == renamed.end() ? name : found->second;
}

std::string inSmallLetters(std::string_view name) {
  std::string text = llvm::StringRef(name).lower();
  std::ranges::replace_if(
      text, [](char letter) { return letter == '-' || letter == '_'; }, ' ');
  return text;
}

/// The kind of the table that \p input, a row of ODS, is for; nullopt where it
/// has several.
std::optional<rt::InputKind> kindOf(const HalInput &input) {
  switch (input.kind) {
  case HalInput::operand:
  case HalInput::spatial:
  case HalInput::optional:
  case HalInput::variadic:
    return rt::InputKind::tensor;
  case HalInput::real:
    return rt::InputKind::real;
  case HalInput::flag:
  case HalInput::layout:
    return rt::InputKind::boolean;
  case HalInput::number:
    return rt::InputKind::element;
  case HalInput::integers:
  case HalInput::unitAxes:
  case HalInput::permutation:
  case HalInput::resultShape:
    return rt::InputKind::int32List;
  case HalInput::pairs:
    return rt::InputKind::int32Pairs;
  case HalInput::width:
  case HalInput::height:
    return rt::InputKind::extent;
  case HalInput::transposedPads:
    return std::nullopt;
  default:
    return rt::InputKind::int32;
  }
}

rt::OperandType typeOf(rt::InputKind kind) {
  switch (kind) {
  case rt::InputKind::tensor:
    return rt::OperandType::TENSOR_FLOAT32;
  case rt::InputKind::boolean:
    return rt::OperandType::BOOL;
  case rt::InputKind::real:
    return rt::OperandType::FLOAT32;
  case rt::InputKind::int32List:
  case rt::InputKind::int32Pairs:
    return rt::OperandType::TENSOR_INT32;
  case rt::InputKind::subgraph:
    return rt::OperandType::SUBGRAPH;
  default:
    return rt::OperandType::INT32;
  }
}

/// A use of \p signature in \p form that states everything, what repeats twice.
rt::OperationView useOf(const rt::Signature &signature, rt::InputForm form) {
  rt::OperationView use;
  use.type = signature.operation;
  for (const rt::InputRow &row : signature.inputs) {
    if (row.form != rt::InputForm::every && row.form != form)
      continue;
    bool isRepeated = row.presence == rt::InputPresence::repeated;
    for (int i = 0; i < (isRepeated ? 2 : 1); ++i)
      use.inputs.emplace_back().type.type = typeOf(row.kind);
  }
  return use;
}

/// Expects \p input to say of \p row, the input number \p part of those that it
/// stands for, what the table says.
void expectRow(const HalInput &input, const rt::InputRow &row, size_t part) {
  bool hasName = input.isOperand() || input.isAttribute();
  bool isPads =
      input.kind == HalInput::pads || input.kind == HalInput::transposedPads;
  bool isSize =
      input.kind == HalInput::size || input.kind == HalInput::optionalSize;
  std::string name = input.name;
  if (isSize)
    name += part == 0 ? "_width" : "_height";
  if (hasName && !isPads)
    EXPECT_EQ(spelling(name), inSmallLetters(row.name));
  if (std::optional<rt::InputKind> kind = kindOf(input))
    EXPECT_EQ(*kind, row.kind) << row.name;
  EXPECT_EQ(isPads, row.form != rt::InputForm::every) << row.name;
  EXPECT_EQ(input.kind == HalInput::variadic,
            row.presence == rt::InputPresence::repeated)
      << row.name;
  if (row.kind == rt::InputKind::tensor)
    EXPECT_EQ(input.kind == HalInput::optional, row.isOmittable) << row.name;
  if (!row.defaultValue)
    return;
  // The canonical operation has no layout: NHWC is the HAL's default, too.
  double standIn = input.kind == HalInput::layout         ? 0
                   : input.kind == HalInput::optionalSize ? 1
                                                          : *input.fallback;
  EXPECT_EQ(standIn, *row.defaultValue) << row.name;
}

/// Expects the list \p inputs of ODS to cover each form in the table.
void expectForms(rt::OperationType type, llvm::ArrayRef<HalInput> inputs) {
  SCOPED_TRACE(rt::nameOf(type));
  const rt::Signature *signature = rt::signatureOf(type);
  ASSERT_NE(signature, nullptr);
  for (rt::InputForm form :
       {rt::InputForm::implicitPadding, rt::InputForm::explicitPadding}) {
    rt::OperationView use = useOf(*signature, form);
    rt::InputPlaces places(use);
    ASSERT_EQ(places.rows().size(), use.inputs.size());
    size_t at = 0;
    for (const HalInput &input : inputs) {
      unsigned count = countInputs(input, places, at);
      ASSERT_LE(at + count, places.rows().size()) << input.name;
      ASSERT_GT(count, 0u) << input.name;
      for (unsigned part = 0; part < count; ++part)
        expectRow(input, *places.rows()[at + part], part);
      at += count;
    }
    EXPECT_EQ(at, places.rows().size());
  }
}

template <typename... OpTys> unsigned expectAllForms() {
  unsigned count = 0;
  auto check = [&]<typename OpTy>() {
    if constexpr (requires { OpTy::getHalInputs(); }) {
      expectForms(OpTy::getOperationCode(), OpTy::getHalInputs());
      ++count;
    }
  };
  (check.template operator()<OpTys>(), ...);
  return count;
}

TEST(HalInputsTest, ListsOfOdsAgreeWithTheTableOfSignatures) {
  unsigned count = expectAllForms<
#define GET_OP_LIST
#include "nnhal/Dialect/NNHal/IR/NNHalOps.cpp.inc"
      >();
  // All but IF and WHILE, whose inputs are graphs and what these take.
  EXPECT_EQ(count, rt::allOperations().size() - 2);
}

TEST(HalInputsTest, ExplicitAndImplicitPaddingCoverDifferentNumbers) {
  const rt::Signature *signature =
      rt::signatureOf(rt::OperationType::TRANSPOSE_CONV_2D);
  const HalInput &pads = TransposeConv2DOp::getHalInputs()[3];
  EXPECT_EQ(countInputs(pads,
                        rt::InputPlaces(
                            useOf(*signature, rt::InputForm::implicitPadding)),
                        3),
            2u);
  EXPECT_EQ(countInputs(pads,
                        rt::InputPlaces(
                            useOf(*signature, rt::InputForm::explicitPadding)),
                        3),
            4u);
}

} // namespace
