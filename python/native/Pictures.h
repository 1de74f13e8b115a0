//===- Pictures.h - Pictures as arrays --------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_PYTHON_NATIVE_PICTURES_H
#define NNHAL_PYTHON_NATIVE_PICTURES_H

#include "Model.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::python {

/// The array that \p picture, of bytes and shape [height,width,3], becomes for
/// the input \p index of \p model (preprocessingFor()).
py::array preparePicture(const Model &model, const py::array &picture,
                         size_t index,
                         std::optional<std::array<double, 3>> mean,
                         std::optional<std::array<double, 3>> deviation,
                         std::optional<double> crop);

/// The labels that are packed with \p model, by output: \p kind is
/// `&tools::ModelMetadata::labels` or `&tools::ModelMetadata::valueLabels`.
std::vector<std::vector<std::string>>
labelsOf(const Model &model,
         std::vector<std::vector<std::string>> tools::ModelMetadata::*kind);

/// Gives \p module the functions of pictures.
void bindPictures(py::module_ &module);

} // namespace nnhal::python

#endif // NNHAL_PYTHON_NATIVE_PICTURES_H
