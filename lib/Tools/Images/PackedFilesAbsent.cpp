//===- PackedFilesAbsent.cpp - No packed files in a build without minizip -===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelMetadata.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal;

rt::Result<std::string> tools::readPackedFile(std::span<const std::byte>,
                                              const std::string &name) {
  return rt::failure("the file '{}' that is packed with the model cannot be "
                     "read: minizip (libminizip-dev) was not found when this "
                     "build was configured",
                     name);
}
