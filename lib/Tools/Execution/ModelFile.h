//===- ModelFile.h - Where a model comes from, and its format ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_MODELFILE_H
#define NNHAL_LIB_TOOLS_EXECUTION_MODELFILE_H

#include "Tools/Images/ModelMetadata.h"

#include "nnhal/Runtime/Memory.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nnhal::tools {

/// The formats of models.
enum class ModelKind { tflite, json, mlir, artifact };

/// The model's name on the command line that stands for standard input.
inline constexpr std::string_view standardInput = "-";

/// The format that a file's name says; nothing for standardInput and for other
/// extensions.
std::optional<ModelKind> kindOfName(std::string_view path);

/// The format that the first bytes of a model say; nothing where they are those
/// of none. MLIR has no beginning of its own: any other text is taken for it.
std::optional<ModelKind> kindOfBytes(std::span<const std::byte> bytes);

/// The model of a command line, or of a program that has its bytes.
struct ModelFile {
  /// A file, standardInput, or what messages call the bytes of a program.
  std::string path;
  ModelKind kind = ModelKind::tflite;
  /// The bytes of standard input, which can be read only once, or of a program;
  /// a file is read when it is needed.
  std::optional<rt::Memory> bytes;

  /// Returns the name that messages give it.
  std::string label() const;
};

/// Finds out the kind of the model called \p path; reads all of standard input
/// for standardInput. Fails with invalidArgument when its format is not known,
/// or it has no bytes or too many, and with generalFailure and the system's
/// reason.
rt::Result<ModelFile> openModel(const std::string &path);

/// Finds out the kind of a model that a program has in memory, whose \p bytes
/// it copies; messages call it \p name. Fails with invalidArgument when its
/// format is not known.
rt::Result<ModelFile> openModelBytes(std::span<const std::byte> bytes,
                                     const std::string &name);

/// Reads the metadata of \p model; only TensorFlow Lite files have any. Fails
/// as readModelMetadata().
rt::Result<ModelMetadata> metadataOf(const ModelFile &model);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_MODELFILE_H
