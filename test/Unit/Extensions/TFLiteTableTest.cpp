//===- TFLiteTableTest.cpp - The table of operators -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page of the extension shows the table of operators.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include "Extensions/TFLite/Operator.h"

#include <fstream>
#include <set>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// One row of the page: number, name, tensors, elements, options, results.
std::string rowText(const OperatorRow &row) {
  std::string tensors(row.tensors), principal;
  for (size_t index = 0, begin = 0, end;
       (end = tensors.find(' ', begin)) != tensors.npos;
       ++index, begin = end + 1)
    if (index == row.principal)
      principal = tensors.substr(begin, end - begin);
  if (principal.back() == '*' || principal.back() == '?')
    principal.pop_back();
  tensors.pop_back();
  std::string options;
  for (const OptionRow &option : row.options) {
    options += options.empty() ? "" : ", ";
    options += option.name;
    if (option.kind == OptionKind::integer && option.most < INT32_MAX)
      options += " " + std::to_string(option.least) + " to " +
                 std::to_string(option.most);
  }
  std::string elements =
      row.elements == anyElement ? "any" : nameOf(row.elements);
  return "| " + std::to_string(row.number) + " | " + std::string(row.name) +
         " | " + tensors + " | " + principal + ": " + elements + " | " +
         options + " | " +
         (row.results ? std::to_string(row.results) : "any number") + " |";
}

TEST(TFLiteTable, PageShowsIt) {
  std::ifstream page(NNHAL_TEST_DATA "/../docs/Spec/TFLiteExtension.md");
  std::vector<std::string> shown, expected;
  for (std::string line; std::getline(page, line);)
    if (line.size() > 2 && line[0] == '|' && std::isdigit(line[2]) &&
        line.find("TENSOR_") == line.npos)
      shown.push_back(line);
  for (const OperatorRow &row : operatorTable())
    expected.push_back(rowText(row));
  EXPECT_EQ(shown, expected);
}

TEST(TFLiteTable, NumbersAreUnique) {
  std::set<uint16_t> numbers;
  for (const OperatorRow &row : operatorTable()) {
    EXPECT_TRUE(numbers.insert(row.number).second) << row.name;
    EXPECT_EQ(lookUpOperator(row.number), &row);
  }
  EXPECT_EQ(lookUpOperator(32), nullptr);
}

TEST(TFLiteTable, ExtensionListsItsTypes) {
  const rt::Extension extension = createTFLiteExtension()->extension();
  EXPECT_EQ(extension.name, "nnhal.tflite");
  ASSERT_EQ(extension.operandTypes.size(), 6u);
  EXPECT_EQ(
      extension.operandTypes[0],
      (rt::Extension::OperandTypeInfo{0, true, 8, rt::ElementKind::int64}));
  EXPECT_EQ(
      extension.operandTypes[1],
      (rt::Extension::OperandTypeInfo{1, true, 4, rt::ElementKind::uint32}));
  EXPECT_EQ(
      extension.operandTypes[2],
      (rt::Extension::OperandTypeInfo{2, true, 2, rt::ElementKind::uint16}));
}

} // namespace
