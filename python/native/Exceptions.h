//===- Exceptions.h - Statuses as exceptions of Python ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_PYTHON_NATIVE_EXCEPTIONS_H
#define NNHAL_PYTHON_NATIVE_EXCEPTIONS_H

#include "nnhal/Runtime/Status.h"

#include <utility>

namespace nnhal::python {

/// Throws the exception of nnhal.errors for \p status unless that is a success.
/// The caller holds the interpreter lock.
void check(const rt::Status &status);

/// Returns the value of \p result, or throws as check() does.
template <typename T> T unwrap(rt::Result<T> result) {
  if (!result.isOk())
    check(result.status());
  return *std::move(result);
}

} // namespace nnhal::python

#endif // NNHAL_PYTHON_NATIVE_EXCEPTIONS_H
