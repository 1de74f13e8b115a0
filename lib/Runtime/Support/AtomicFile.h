//===- AtomicFile.h - Files that appear at once -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_ATOMICFILE_H
#define NNHAL_LIB_RUNTIME_SUPPORT_ATOMICFILE_H

#include "nnhal/Runtime/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace nnhal::rt {

/// Writes \p bytes to \p fd. Fails with generalFailure and the system's reason.
Status writeAll(int fd, std::span<const std::byte> bytes);

/// Replaces \p path by \p bytes, or leaves it alone: nobody ever sees a part
/// of them, and where the file system can do it nothing is left of a process
/// that is killed meanwhile. The file's mode is that of any new file of the
/// user. Fails with generalFailure and the system's reason. Blocking: until the
/// bytes are on the disk. Threads: any; of several writers of one path the last
/// one wins. A device, a pipe and what stands for an open file stay what they
/// are, and take the bytes one after the other.
Status writeFileAtomically(const std::string &path,
                           std::span<const std::byte> bytes);

/// Fails as writeFileAtomically() to \p path would now, for a reason that shows
/// without writing: its folder is not there, for example. Writes nothing. It is
/// for work that takes long before there is something to write.
Status checkWritable(const std::string &path);

/// Does so for files in the folder \p path, which need not be there yet.
Status checkWritableFolder(const std::string &path);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_ATOMICFILE_H
