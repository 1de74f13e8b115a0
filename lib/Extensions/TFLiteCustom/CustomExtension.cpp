//===- CustomExtension.cpp - The extension nnhal.tflite_custom ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomExtension.h"

#include "Operator.h"

#include <new>

using namespace nnhal;
using namespace nnhal::tflite_custom;

namespace {

/// The row of \p operation, which may yet lack its states.
Result<const OperatorRow *> rowOf(const OperationView &operation) {
  std::span<const OperatorRow> table = operatorTable();
  auto number = uint16_t(operation.type);
  if (number >= table.size())
    return refuse("nnhal.tflite_custom has no operation ", number,
                  ", the last one is ", table.size() - 1);
  if (operation.inputs.empty())
    return refuse(table[number].name, ": the custom options are missing");
  return &table[number];
}

Status checkStates(const OperatorRow &row, const OperationView &operation) {
  if (operation.inputs.size() <= row.stateCount ||
      operation.outputs.size() < row.stateCount)
    return refuse("has ", operation.inputs.size(), " inputs and ",
                  operation.outputs.size(), " outputs, of which ",
                  row.stateCount, " have to be states");
  return Status::ok();
}

/// Holds the results of \p row against the stated ones.
Result<Types> infer(const OperatorRow &row, const OperationView &operation) {
  NNHAL_RETURN_IF_ERROR(checkStates(row, operation));
  Use use(operation, row.stateCount);
  NNHAL_ASSIGN_OR_RETURN(Types types, row.check(use));
  if (row.states) {
    NNHAL_ASSIGN_OR_RETURN(Types states, row.states(use));
    for (size_t index = 0; index < states.size(); ++index) {
      size_t place = use.stateInput(index);
      if (!use.has(place))
        return refuse("state ", index, " is omitted");
      NNHAL_RETURN_IF_ERROR(rt::checkStated(states[index], use.input(place),
                                            "state " + std::to_string(index)));
    }
    types.insert(types.end(), states.begin(), states.end());
  }
  for (size_t index = 0; index < types.size(); ++index)
    NNHAL_RETURN_IF_ERROR(rt::checkStated(types[index], use.output(index),
                                          "output " + std::to_string(index)));
  return types;
}

class CustomExtension final : public rt::ExtensionBackend {
public:
  CustomExtension() {
    names.name = "nnhal.tflite_custom";
    names.operandTypes = {
        {uint16_t(tensorUint32), /*isTensor=*/true, 4, rt::ElementKind::uint32},
        {uint16_t(tensorUint64), /*isTensor=*/true, 8, rt::ElementKind::uint64},
    };
    for (const OperatorRow &row : operatorTable())
      customs.push_back({std::string(row.name), uint16_t(customs.size())});
  }

  const rt::Extension &extension() const override { return names; }
  std::span<const rt::CustomOperator> customOperators() const override {
    return customs;
  }

  Result<rt::OperationFacts>
  check(const OperationView &operation) const override {
    NNHAL_ASSIGN_OR_RETURN(const OperatorRow *row, rowOf(operation));
    Result<Types> types = infer(*row, operation);
    if (!types.isOk())
      return std::move(types).takeStatus().withContext(row->name);
    return rt::OperationFacts{rt::HalVersion::V1_2, *std::move(types)};
  }

  Status execute(const OperationView &operation,
                 ExtensionOutputs &outputs) const override {
    NNHAL_ASSIGN_OR_RETURN(const OperatorRow *row, rowOf(operation));
    // A rule that fails now is about an extent that was not known.
    Result<Types> types = infer(*row, operation);
    if (!types.isOk())
      return fail(row->name, ": ", types.status().message());
    return row->execute(Use(operation, row->stateCount), outputs)
        .withContext(row->name);
  }

  Result<Types> states(const OperationView &operation) const override {
    NNHAL_ASSIGN_OR_RETURN(const OperatorRow *row, rowOf(operation));
    if (!row->states)
      return Types();
    Use use(operation, /*states=*/0);
    Result<Types> results = row->check(use);
    if (!results.isOk())
      return std::move(results).takeStatus().withContext(row->name);
    return row->states(use);
  }

private:
  rt::Extension names;
  std::vector<rt::CustomOperator> customs;
};

} // namespace

std::span<const OperatorRow> tflite_custom::operatorTable() {
  static const OperatorRow rows[] = {
      detectionRow, posenetRow,    spectrogramRow, mfccRow,
      windowRow,    autoScaleRow,  transformRow,   inverseRow,
      energyRow,    filterBankRow, squareRootRow,  subtractionRow,
      gainRow,      logarithmRow,  delayRow,       framerRow,
      stackerRow,   overlapAddRow, poolRow,        unpoolRow,
      cropRow,      moveRow,       sampleRow};
  return rows;
}

std::unique_ptr<rt::ExtensionBackend> tflite_custom::createCustomExtension() {
  return std::make_unique<CustomExtension>();
}
