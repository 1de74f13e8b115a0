//===- TestCase.h - Conformance cases ---------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The test-case JSON of docs/Devices/TestCases.md: a model, inputs, and the
// outputs that any device has to give, with the derived forms in which each
// case is run too.
//
// Threads: values; concurrent reads are safe.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_TESTCASE_H
#define NNHAL_RUNTIME_TESTCASE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/Recording.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// An input, or the expectation for an output.
struct TestTensor {
  /// For an input: the request omits it. For an output: it is not compared.
  bool isAbsent = false;
  std::vector<uint32_t> dimensions;
  /// The elements in the storage type, row-major.
  std::vector<uint8_t> bytes;
};

/// One execution. Tensors are in the order of the model's inputs and outputs.
struct TestExample {
  std::vector<TestTensor> inputs;
  std::vector<TestTensor> outputs;
  /// Present when the first output holds classes drawn from the first input:
  /// their frequencies are compared with its softmax, within this tolerance.
  std::optional<double> multinomialTolerance;
};

struct TestCase {
  std::string name;
  std::string spec;
  /// The version that the model has to be valid for.
  HalVersion minHalVersion = HalVersion::V1_3;
  bool expectFailure = false;
  Model model;
  std::vector<TestExample> examples;
  /// These two replace the bounds by type.
  std::optional<double> atol;
  std::optional<double> rtol;
  /// How a program executed the examples, where the case was recorded. It has a
  /// call for each example.
  std::optional<Recording> recording;
};

/// Calls \p visit with each case of \p text, in order, until it fails. Fails
/// with invalidArgument, which names the JSON path. The models are not
/// validated; their pool files are those of \p directory, see readJsonModel().
NNHAL_API Status readTestCases(std::string_view text,
                               const std::function<Status(TestCase)> &visit,
                               const std::string &directory = ".");

/// Writes \p cases so that readTestCases() gives them back; the elements of a
/// recorded case bit by bit, others but for which NaN they are. Fails with
/// invalidArgument when tensors are not as many as the model has, or not of
/// whole elements, and like writeJsonModel().
NNHAL_API Result<std::string> writeTestCases(std::span<const TestCase> cases);

/// The ways in which a case is changed without changing its result.
struct DerivedForm {
  /// Inputs have unknown extents; the request states them.
  bool dynamicInputShape = false;
  /// Outputs have unknown extents.
  bool dynamicOutputShape = false;
  /// Inputs and outputs have unknown rank; the request states those of inputs.
  bool unknownRank = false;
  /// TENSOR_QUANT8_ASYMM becomes TENSOR_QUANT8_ASYMM_SIGNED.
  bool quantizationCoupling = false;
};

/// Changes \p test into \p form. Returns false, and changes nothing, when the
/// form is not defined for the case: none is for an expected failure, unknown
/// extents are not for RANK, IF and WHILE, unknown ranks not for IF and for
/// SQUEEZE with computed axes, and
/// coupling is only for a single operation on TENSOR_QUANT8_ASYMM that does not
/// fix its type.
NNHAL_API Result<bool> deriveForm(TestCase &test, const DerivedForm &form);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_TESTCASE_H
