//===- FileLimit.h - How long files of the process may be -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_FILELIMIT_H
#define NNHAL_LIB_RUNTIME_SUPPORT_FILELIMIT_H

#include <cerrno>
#include <cstdint>
#include <sys/resource.h>

namespace nnhal::rt {

/// Whether a file of \p size bytes is longer than the process may make one
/// (RLIMIT_FSIZE), with errno as the system would set it. Files in memory
/// count, and the attempt would bring SIGXFSZ, which ends a program that knows
/// nothing of it.
inline bool isBeyondFileLimit(uint64_t size) {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || size <= limit.rlim_cur)
    return false;
  errno = EFBIG;
  return true;
}

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_FILELIMIT_H
