//===- SignatureTable.cpp - The inputs of each operation ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SignatureRows.h"

#include "nnhal/Backend/Signatures.h"

#include <algorithm>
#include <array>

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

/// The forms that have rows of their own, or the only one.
static std::vector<InputForm> formsOf(const Signature &signature) {
  if (std::ranges::all_of(signature.inputs, [](const InputRow &row) {
        return row.form == InputForm::every;
      }))
    return {InputForm::every};
  return {InputForm::implicitPadding, InputForm::explicitPadding};
}

static std::vector<const InputRow *> rowsOf(const Signature &signature,
                                            InputForm form) {
  std::vector<const InputRow *> rows;
  for (const InputRow &row : signature.inputs)
    if (row.form == InputForm::every || row.form == form)
      rows.push_back(&row);
  return rows;
}

/// Whether a use may state the first \p count of \p rows and no more.
static bool mayEndAt(std::span<const InputRow *const> rows, size_t count) {
  return count == rows.size() ||
         (rows[count]->presence == InputPresence::trailing &&
          !rows[count]->isJoined);
}

/// \p rows for \p count inputs: without the trailing rows that are left out,
/// the repeated one as often as it is stated; empty where no such use is legal.
static std::vector<const InputRow *> cutTo(std::vector<const InputRow *> rows,
                                           size_t count) {
  auto repeated =
      std::ranges::find(rows, InputPresence::repeated, &InputRow::presence);
  if (repeated == rows.end()) {
    if (count > rows.size() || !mayEndAt(rows, count))
      return {};
    rows.resize(count);
    return rows;
  }
  const InputRow *row = *repeated;
  size_t others = rows.size() - 1;
  if (count < others + row->least)
    return {};
  repeated = rows.erase(repeated);
  rows.insert(repeated, count - others, row);
  return rows;
}

/// Whether an operand of \p type can be an input of \p kind.
static bool fits(InputKind kind, OperandType type) {
  bool isReal = type == OperandType::FLOAT32 || type == OperandType::FLOAT16;
  switch (kind) {
  case InputKind::tensor:
    return isTensor(type);
  case InputKind::int32:
    return type == OperandType::INT32;
  case InputKind::boolean:
    return type == OperandType::BOOL;
  case InputKind::real:
    return isReal;
  case InputKind::int32List:
  case InputKind::int32Pairs:
    return type == OperandType::TENSOR_INT32;
  case InputKind::element:
  case InputKind::extent:
    return isReal || type == OperandType::INT32;
  case InputKind::subgraph:
    return type == OperandType::SUBGRAPH;
  }
  return false;
}

const Signature *nnhal::rt::signatureOf(OperationType operation) {
  static const std::array<const Signature *, operationCount> table = [] {
    std::array<const Signature *, operationCount> rows{};
    for (std::span<const Signature> part :
         {plainSignatures(), recurrentSignatures()})
      for (const Signature &signature : part)
        rows[size_t(signature.operation)] = &signature;
    return rows;
  }();
  return size_t(operation) < table.size() ? table[size_t(operation)] : nullptr;
}

std::vector<size_t> nnhal::rt::inputCountsOf(const Signature &signature) {
  std::vector<size_t> counts;
  for (InputForm form : formsOf(signature)) {
    std::vector<const InputRow *> rows = rowsOf(signature, form);
    auto repeated =
        std::ranges::find(rows, InputPresence::repeated, &InputRow::presence);
    if (repeated != rows.end())
      return {rows.size() - 1 + (*repeated)->least};
    for (size_t count = 1; count <= rows.size(); ++count)
      if (mayEndAt(rows, count))
        counts.push_back(count);
  }
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

bool nnhal::rt::hasRepeatedInputs(const Signature &signature) {
  return std::ranges::any_of(signature.inputs, [](const InputRow &row) {
    return row.presence == InputPresence::repeated;
  });
}

std::vector<const InputRow *>
nnhal::rt::inputRowsOf(const Signature &signature,
                       std::span<const OperandType> types) {
  std::vector<const InputRow *> best;
  size_t fewest = 0;
  for (InputForm form : formsOf(signature)) {
    std::vector<const InputRow *> rows =
        cutTo(rowsOf(signature, form), types.size());
    size_t misfits = 0;
    for (size_t i = 0; i < rows.size(); ++i)
      misfits += !fits(rows[i]->kind, types[i]);
    // The explicit form is taken where both fit equally well.
    if (!rows.empty() && (best.empty() || misfits <= fewest)) {
      best = std::move(rows);
      fewest = misfits;
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

InputPlaces::InputPlaces(const OperationView &operation) {
  const Signature *signature = signatureOf(operation.type);
  if (!signature)
    return;
  std::vector<OperandType> types;
  types.reserve(operation.inputs.size());
  for (const OperandView &input : operation.inputs)
    types.push_back(input.type.type);
  inputs = inputRowsOf(*signature, types);
}

size_t InputPlaces::indexOf(std::string_view name) const {
  return std::ranges::find(inputs, name, &InputRow::name) - inputs.begin();
}
