//===- CaseFile.cpp - Writes graphs as test cases -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseFile.h"

#include "Tools/Verify/Rewrite.h"

#include "nnhal/Runtime/JsonModel.h"

#include <nlohmann/json.hpp>

using namespace nnhal;
using namespace nnhal::randomgraph;
using nlohmann::ordered_json;
using rt::Result;

/// \p tensors as "value" arrays, in the way in which the writer of models
/// states constants: that is the one place that knows how numbers are printed.
static Result<std::vector<ordered_json>>
valuesOf(const rt::Subgraph &main, const std::vector<uint32_t> &indexes,
         const std::vector<TestTensor> &tensors) {
  rt::Model model;
  for (size_t i = 0; i < tensors.size(); ++i) {
    rt::Operand operand;
    operand.type = main.operands[indexes[i]].type;
    operand.dimensions = tensors[i].dimensions;
    setConstant(model, operand, tensors[i].bytes);
    model.main.operands.push_back(std::move(operand));
  }
  NNHAL_ASSIGN_OR_RETURN(std::string text, rt::writeJsonModel(model));
  ordered_json written = ordered_json::parse(text);
  std::vector<ordered_json> values;
  for (const ordered_json &operand : written["main"]["operands"])
    values.push_back(operand.contains("value") ? operand["value"]
                                               : ordered_json::array());
  return values;
}

static Result<ordered_json> listOf(const rt::Subgraph &main,
                                   const std::vector<uint32_t> &indexes,
                                   const std::vector<TestTensor> &tensors,
                                   const char *absence) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<ordered_json> values,
                         valuesOf(main, indexes, tensors));
  ordered_json list = ordered_json::array();
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].isAbsent)
      list.push_back({{absence, true}});
    else
      list.push_back({{"dimensions", tensors[i].dimensions},
                      {"value", std::move(values[i])}});
  return list;
}

Result<std::string> randomgraph::writeTestCase(const rt::TestCase &test) {
  const rt::Subgraph &main = test.model.main;
  NNHAL_ASSIGN_OR_RETURN(std::string model, rt::writeJsonModel(test.model));
  ordered_json written = {{"name", test.name},
                          {"spec", test.spec},
                          {"minHalVersion", rt::toString(test.minHalVersion)}};
  if (test.expectFailure)
    written["expectFailure"] = true;
  written["model"] = ordered_json::parse(model);
  written["examples"] = ordered_json::array();
  for (const rt::TestExample &example : test.examples) {
    NNHAL_ASSIGN_OR_RETURN(
        ordered_json inputs,
        listOf(main, main.inputIndexes, example.inputs, "noValue"));
    std::vector<TestTensor> expected = example.outputs;
    TestTensor ignored;
    ignored.isAbsent = true;
    expected.resize(main.outputIndexes.size(), ignored);
    NNHAL_ASSIGN_OR_RETURN(
        ordered_json outputs,
        listOf(main, main.outputIndexes, expected, "ignored"));
    written["examples"].push_back(
        {{"inputs", std::move(inputs)}, {"outputs", std::move(outputs)}});
  }
  ordered_json cases = {{"cases", ordered_json::array({std::move(written)})}};
  return cases.dump() + "\n";
}
