//===- ModelMetadata.h - What a file says for programs ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_IMAGES_MODELMETADATA_H
#define NNHAL_LIB_TOOLS_IMAGES_MODELMETADATA_H

#include "Preprocessing.h"

#include "nnhal/Runtime/Status.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nnhal::tools {

/// The metadata of a TensorFlow Lite file, which programs read and executions
/// do not: https://ai.google.dev/edge/litert/models/metadata
struct ModelMetadata {
  /// How pictures become each input; absent where the file does not say. There
  /// may be fewer than the model has inputs.
  std::vector<std::optional<Normalization>> normalizations;
  /// The labels of an output along its last dimension; empty where the file has
  /// none. There may be fewer than the model has outputs.
  std::vector<std::vector<std::string>> labels;
  /// The labels of the values of an output, which are numbers of classes,
  /// counted from 0: of what a detector finds, best first. Otherwise like
  /// `labels`.
  std::vector<std::vector<std::string>> valueLabels;
};

/// The metadata of \p file, a TensorFlow Lite file; empty where it has none.
/// Fails with invalidArgument for a file that is damaged, or whose metadata is,
/// and with generalFailure where it has labels and this build has no minizip.
rt::Result<ModelMetadata> readModelMetadata(std::span<const std::byte> file);

/// The content of the file \p name of the ZIP archive that \p archive ends
/// with, of at most maxPackedBytes. Fails with invalidArgument where there is
/// none, and as readModelMetadata() without minizip.
rt::Result<std::string> readPackedFile(std::span<const std::byte> archive,
                                       const std::string &name);
inline constexpr uint64_t maxPackedBytes = uint64_t(1) << 24;

/// The lines of the text file \p path, labels for example; a carriage return at
/// the end of one does not count.
rt::Result<std::vector<std::string>> readLines(const std::string &path);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_IMAGES_MODELMETADATA_H
