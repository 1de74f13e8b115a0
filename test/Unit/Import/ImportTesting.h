//===- ImportTesting.h - What the import tests share ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_IMPORT_IMPORTTESTING_H
#define NNHAL_TEST_UNIT_IMPORT_IMPORTTESTING_H

#include "TFLiteWriter.h"

#include "nnhal/Runtime/TFLiteModel.h"

#include <gtest/gtest.h>

namespace nnhal::rt {

using Code = schema::BuiltinOperator;
using Type = schema::TensorType;

/// Imports \p bytes; an empty model and a test failure when that fails.
AnnotatedModel importBytes(const std::vector<std::byte> &bytes,
                           const TFLiteImportOptions &options = {});

/// The message with which importing \p bytes fails; "imported" if it does not.
std::string importError(const std::vector<std::byte> &bytes,
                        const TFLiteImportOptions &options = {});

/// The message with which importing \p bytes without the extension fails.
std::string halImportError(const std::vector<std::byte> &bytes);

/// One line per operation: scalars by value, integer constants as {values},
/// others as role and dimensions: i(nput) c(onstant) t(emporary) o(utput), -
/// for an omitted operand. Operations of the extension have their operator's
/// name behind "tflite:", and its operand types follow a colon.
std::string toText(const AnnotatedModel &model);

/// The elements of a constant operand.
template <typename T>
std::vector<T> valuesOf(const AnnotatedModel &model, uint32_t operand) {
  auto bytes = constantBytes(model.model, model.model.main.operands[operand]);
  EXPECT_TRUE(bytes.isOk());
  std::vector<T> values(bytes.isOk() ? bytes->size() / sizeof(T) : 0);
  if (!values.empty())
    std::memcpy(values.data(), bytes->data(), bytes->size());
  return values;
}

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_IMPORT_IMPORTTESTING_H
