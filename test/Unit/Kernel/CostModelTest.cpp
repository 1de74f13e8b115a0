//===- CostModelTest.cpp - Tests of the numbers of the cost model ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target/CPU/CostModel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <map>

using namespace nnhal::kernel;
using llvm::StringRef;

namespace {

using Numbers = std::map<std::string, int64_t>;

Numbers numbersOf(CostModel model) {
  Numbers numbers;
  model.visit(
      [&](StringRef name, int64_t &value) { numbers[name.str()] = value; });
  return numbers;
}

/// The rows `name | 16 | 32 | ...` of docs/Compiler/CostModel.md, of one
/// column.
Numbers documented(unsigned column) {
  auto file = llvm::MemoryBuffer::getFile(NNHAL_TEST_DATA
                                          "/../docs/Compiler/CostModel.md");
  Numbers numbers;
  if (!file)
    return numbers;
  llvm::SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    llvm::SmallVector<StringRef> cells;
    line.split(cells, '|');
    int64_t value = 0;
    if (cells.size() == 6 && cells[1].contains('`') &&
        !cells[column].trim().getAsInteger(10, value))
      numbers[cells[1].trim().trim('`').str()] = value;
  }
  return numbers;
}

TEST(CostModel, IsWhatTheDocumentSays) {
  EXPECT_EQ(documented(2), numbersOf(CostModel::forRegisters(16)));
  EXPECT_EQ(documented(3), numbersOf(CostModel::forRegisters(32)));
}

std::string errorOf(std::string assignment) {
  KernelTarget target;
  std::string error;
  EXPECT_TRUE(failed(target.tune({assignment}, [&](const llvm::Twine &message) {
    error = message.str();
  })));
  EXPECT_FALSE(target.tuned);
  return error;
}

TEST(CostModel, ReportsWhatItDoesNotKnow) {
  EXPECT_EQ(errorOf("tile-row=3"), "cost-model: there is no number 'tile-row'");
  for (const char *text : {"short-run", "short-run=", "short-run=0",
                           "short-run=-1", "short-run=1073741825"})
    EXPECT_EQ(errorOf(text), "cost-model: '" + std::string(text) +
                                 "' does not give a number from 1 to 2^30");
}

TEST(CostModel, ChangesOneNumber) {
  KernelTarget target;
  ASSERT_TRUE(succeeded(target.tune({"panel-registers=3"}, [](auto &&) {})));
  EXPECT_EQ(target.panelWidth(64), 24);
  Numbers changed = numbersOf(target.costs());
  Numbers expected = numbersOf(CostModel::forRegisters(16));
  expected["panel-registers"] = 3;
  EXPECT_EQ(changed, expected);
}

} // namespace
