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

/// Holds the results of \p row against the stated ones.
Result<Types> infer(const OperatorRow &row, const OperationView &operation) {
  Use use(operation);
  NNHAL_ASSIGN_OR_RETURN(Types types, row.check(use));
  for (size_t index = 0; index < types.size(); ++index)
    NNHAL_RETURN_IF_ERROR(rt::checkStated(types[index], use.output(index),
                                          "output " + std::to_string(index)));
  return types;
}

class CustomExtension final : public rt::ExtensionBackend {
public:
  CustomExtension() {
    names.name = "nnhal.tflite_custom";
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
    return row->execute(Use(operation), outputs).withContext(row->name);
  }

private:
  rt::Extension names;
  std::vector<rt::CustomOperator> customs;
};

} // namespace

std::span<const OperatorRow> tflite_custom::operatorTable() {
  static const OperatorRow rows[] = {detectionRow, posenetRow, spectrogramRow,
                                     mfccRow};
  return rows;
}

std::unique_ptr<rt::ExtensionBackend> tflite_custom::createCustomExtension() {
  return std::make_unique<CustomExtension>();
}
