//===- Evaluation.h - Data sets and evaluators for Python -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_PYTHON_NATIVE_EVALUATION_H
#define NNHAL_PYTHON_NATIVE_EVALUATION_H

#include <pybind11/pybind11.h>

namespace nnhal::python {

/// Adds what nnhal.evaluate() needs of nnhal-benchmark: samples, data sets in
/// files, executions, evaluators and reports.
void bindEvaluation(pybind11::module_ &module);

} // namespace nnhal::python

#endif // NNHAL_PYTHON_NATIVE_EVALUATION_H
