//===- JsonModel.h - Model JSON reader and writer ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_JSONMODEL_H
#define NNHAL_RUNTIME_JSONMODEL_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Model.h"

#include <string>
#include <string_view>

namespace nnhal::rt {

/// Reads the model JSON of docs/Using/ModelJson.md. Fails with invalidArgument
/// for unknown keys, keys given twice, wrong types and out-of-range numbers;
/// the message names the JSON path. Pool files are read into private memory.
/// They must lie in \p directory or below, symbolic links followed: a document
/// may come from anybody and is not to read other files of the user. The result
/// is not validated.
NNHAL_API Result<Model> readJsonModel(std::string_view text,
                                      const std::string &directory = ".");

/// Writes \p model so that readJsonModel() gives it back. Constants are stated
/// inline except those in file-backed pools. Fails with invalidArgument when a
/// constant's bytes are out of reach.
NNHAL_API Result<std::string> writeJsonModel(const Model &model);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_JSONMODEL_H
