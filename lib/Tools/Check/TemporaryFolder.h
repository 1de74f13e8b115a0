//===- TemporaryFolder.h - A folder that does not last ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_CHECK_TEMPORARYFOLDER_H
#define NNHAL_LIB_TOOLS_CHECK_TEMPORARYFOLDER_H

#include "nnhal/Runtime/Status.h"

#include <memory>
#include <string>
#include <utility>

namespace nnhal::tools {

/// A folder of this user alone among the temporary files, removed with all that
/// is in it by the destructor, and at once after SIGINT, SIGTERM or SIGHUP has
/// ended the process: from the first folder on it handles those of them that
/// nobody else handles or ignores.
class TemporaryFolder {
public:
  /// Fails with generalFailure when the folder cannot be made.
  static rt::Result<TemporaryFolder> create();
  TemporaryFolder() = default;
  TemporaryFolder(TemporaryFolder &&other) noexcept = default;
  TemporaryFolder &operator=(TemporaryFolder &&other) noexcept {
    std::swap(folder, other.folder);
    return *this;
  }
  ~TemporaryFolder();

  /// The path is empty for a folder that was not created.
  const std::string &path() const;

private:
  /// The characters stay where they are: a handler of signals knows them.
  std::unique_ptr<const std::string> folder;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_CHECK_TEMPORARYFOLDER_H
