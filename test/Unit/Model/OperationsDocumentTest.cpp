//===- OperationsDocumentTest.cpp - docs/Using/Operations.md is current ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/Cpu/Support/CpuSupport.h"
#include "nnhal/Runtime/Model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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
    "`nnhal-cpu` compiles all of them too, for every type and shape. *Fast* "
    "lists the element types that it lowers\n"
    "in canonical form, to micro-kernels and vector loops, where all extents "
    "are known; *Computed* says how many\n"
    "leading inputs may then be computed while the model runs: the others are "
    "parameters and must be constants.\n"
    "Everything else goes the general way, through linalg. Comparisons yield "
    "bool8, ARGMAX and ARGMIN int32,\n"
    "SELECT's condition is bool8.\n"
    "\n"
    "A test writes this file from `Operations.def` and `CpuSupport.cpp`: "
    "`NNHAL_UPDATE_TEST_DATA=1 ModelTest`.\n"
    "\n";

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

std::string typeList(uint32_t types) {
  std::vector<std::string_view> names;
  if (types & CpuSupportRow::float32)
    names.push_back("float32");
  if (types & CpuSupportRow::int32)
    names.push_back("int32");
  if (types & CpuSupportRow::bool8)
    names.push_back("bool8");
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string computedInputs(int count) {
  switch (count) {
  case CpuSupportRow::allInputs:
    return "all";
  case CpuSupportRow::allButLast:
    return "all but the last";
  default:
    return fmt::format("{}", count);
  }
}

std::string operationsDocument() {
  std::span<const CpuSupportRow> support = cpuSupportTable();
  std::string rows;
  for (const OperationInfo &operation : allOperations()) {
    auto row = std::ranges::find(support, operation.type, &CpuSupportRow::type);
    bool isSupported = row != support.end();
    rows += fmt::format("| {} | {} | {} | {} | {} | {} |\n",
                        uint32_t(operation.type), operation.name,
                        toString(operation.since), familyName(operation.family),
                        isSupported ? typeList(row->types) : "",
                        isSupported ? computedInputs(row->dataInputs) : "");
  }
  return fmt::format("{}nnhal-cpu has fast forms of {} operations.\n\n"
                     "| Code | Operation | Since | Family | Fast | "
                     "Computed |\n|---|---|---|---|---|---|\n{}",
                     preamble, support.size(), rows);
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
