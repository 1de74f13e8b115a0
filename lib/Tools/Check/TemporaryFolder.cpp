//===- TemporaryFolder.cpp - A folder that does not last ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryFolder.h"

#include "Runtime/Support/Errors.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

using namespace nnhal;
using namespace nnhal::tools;

rt::Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code error;
  std::string path =
      (std::filesystem::temp_directory_path(error) / "nnhal-check-XXXXXX")
          .string();
  if (error)
    return rt::failure("cannot find a folder for temporary files: {}",
                       error.message());
  if (!::mkdtemp(path.data()))
    return rt::failure("cannot create '{}': {}", path,
                       std::generic_category().message(errno));
  TemporaryFolder made;
  made.folder = std::move(path);
  return made;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!folder.empty())
    std::filesystem::remove_all(folder, ignored);
}
