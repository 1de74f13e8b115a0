//===- Exceptions.cpp - Statuses as exceptions of Python ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exceptions.h"

#include <pybind11/pybind11.h>

using namespace nnhal;
namespace py = pybind11;

void python::check(const rt::Status &status) {
  if (status.isOk())
    return;
  py::object exception =
      py::module_::import("nnhal.errors")
          .attr("from_status")(rt::toString(status.code()), status.message());
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())),
                  exception.ptr());
  throw py::error_already_set();
}
