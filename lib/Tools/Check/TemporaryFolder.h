//===- TemporaryFolder.h - A folder that does not last ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_CHECK_TEMPORARYFOLDER_H
#define NNHAL_LIB_TOOLS_CHECK_TEMPORARYFOLDER_H

#include "nnhal/Runtime/Status.h"

#include <string>
#include <utility>

namespace nnhal::tools {

/// A folder of this user alone among the temporary files, removed with all that
/// is in it by the destructor.
class TemporaryFolder {
public:
  /// Fails with generalFailure when the folder cannot be made.
  static rt::Result<TemporaryFolder> create();
  TemporaryFolder() = default;
  TemporaryFolder(TemporaryFolder &&other) noexcept
      : folder(std::exchange(other.folder, {})) {}
  TemporaryFolder &operator=(TemporaryFolder &&other) noexcept {
    std::swap(folder, other.folder);
    return *this;
  }
  ~TemporaryFolder();

  /// The path is empty for a folder that was not created.
  const std::string &path() const { return folder; }

private:
  std::string folder;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_CHECK_TEMPORARYFOLDER_H
