//===- RunTesting.h - Imports small files and runs them ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_IMPORT_RUNTESTING_H
#define NNHAL_TEST_UNIT_IMPORT_RUNTESTING_H

#include "ImportTesting.h"

#include <functional>
#include <random>
#include <utility>

namespace nnhal::rt {

/// Elements of one tensor, as numbers of its storage type.
using Numbers = std::vector<double>;

/// Imports \p bytes and executes it once on nnhal-reference. Inputs beyond
/// \p inputs, which are states, are zeros. The device has \p extensions.
std::vector<Numbers>
runFile(const std::vector<std::byte> &bytes, const std::vector<Numbers> &inputs,
        const std::vector<InstalledExtension> &extensions = {});

/// Executes \p bytes on a device that has the extension nnhal.tflite.
std::vector<Numbers> runExtended(const std::vector<std::byte> &bytes,
                                 const std::vector<Numbers> &inputs);

/// The operations that \p bytes imports to, by name and in order.
std::vector<std::string> operationsOf(const std::vector<std::byte> &bytes);

/// An input of an operator: a value of the model, or a constant.
struct TestInput {
  TensorSpec spec;
  Numbers values;
  bool isConstant = false;
};

using Builder = TFLiteWriter::Builder;
using Options =
    std::function<std::pair<schema::BuiltinOptions, flatbuffers::Offset<void>>(
        Builder &)>;

/// Options that \p create makes, with schema::Create...
template <typename Create> Options options(Create create) {
  return [create](Builder &builder) {
    auto kindOf = []<typename T>(flatbuffers::Offset<T>) {
      return schema::BuiltinOptionsTraits<T>::enum_value;
    };
    auto made = create(builder);
    return std::pair(kindOf(made), made.Union());
  };
}

/// A file of one operator.
std::vector<std::byte> operatorFile(Code code,
                                    const std::vector<TestInput> &inputs,
                                    const std::vector<TensorSpec> &outputs,
                                    const Options &options = {},
                                    const OperatorExtras &extras = {});

/// The results of one operator.
std::vector<Numbers> runOperator(Code code,
                                 const std::vector<TestInput> &inputs,
                                 const std::vector<TensorSpec> &outputs,
                                 const Options &options = {},
                                 const OperatorExtras &extras = {});

/// The first output of runOperator().
Numbers run(Code code, const std::vector<TestInput> &inputs,
            const TensorSpec &output = {}, const Options &made = {});

/// The output of one operator on a device that has the extension nnhal.tflite.
Numbers extended(Code code, const std::vector<TestInput> &inputs,
                 const TensorSpec &output, const Options &made = {});

/// The message with which one operator is not imported, less "operator 0
/// (NAME): ".
std::string operatorError(Code code, const std::vector<TestInput> &inputs,
                          const std::vector<TensorSpec> &outputs,
                          const Options &options = {},
                          const OperatorExtras &extras = {});

size_t countOf(const std::vector<int32_t> &shape);

/// Makes \p input a constant of the file.
TestInput constant(TestInput input);

TestInput reals(std::vector<int32_t> shape, Numbers values);

/// A constant of INT32, a list unless \p shape says otherwise.
TestInput integersInput(std::vector<int32_t> values,
                        std::vector<int32_t> shape = {-1});

/// Numbers that are whole multiples of 1/16 in -4..4: sums of products are
/// exact.
Numbers randomReals(std::mt19937 &random, size_t count);
/// Whole numbers of \p low..\p high.
Numbers randomWhole(std::mt19937 &random, size_t count, int low, int high);

/// (q - zero point) * scale.
Numbers dequantized(const Numbers &values, const TensorSpec &spec);
/// \p real in steps of \p spec, saturated.
Numbers quantized(const Numbers &real, const TensorSpec &spec);

void expectNear(const Numbers &actual, const Numbers &expected,
                double tolerance);

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_IMPORT_RUNTESTING_H
