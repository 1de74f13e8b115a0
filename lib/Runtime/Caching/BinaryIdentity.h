//===- BinaryIdentity.h - Which build a library is --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHING_BINARYIDENTITY_H
#define NNHAL_LIB_RUNTIME_CACHING_BINARYIDENTITY_H

#include "nnhal/Runtime/Status.h"

#include <string>
#include <string_view>

namespace nnhal::rt {

/// Names this build of the ELF file \p path and of those libraries that it
/// needs and that lie along its run path: "NAME:BUILD-ID;..." A version number
/// would not do, because it stays the same while the code changes. A library
/// without a build id is named by size and time.
///
/// This reads a few pages of each file and loads nothing: the compiler's
/// libraries would take 30 ms. Fails with invalidArgument when \p path is not a
/// readable 64-bit library of this machine's byte order.
Result<std::string> binaryIdentity(const std::string &path);

/// Names this build of the loaded library that \p address belongs to, by the
/// build id in its memory: the file need not be readable any more. A library
/// without a build id is named as binaryIdentity() does.
Result<std::string> loadedIdentity(const void *address);

/// The file of the library or program that \p address belongs to; empty when
/// there is none.
std::string fileOfAddress(const void *address);

/// The path of the library \p name that belongs to this one: beside the library
/// or program that this function is part of, or where an installation has its
/// libraries, seen from the folder of its programs or from that of its Python
/// package. The first of these where there is none.
std::string libraryBeside(std::string_view name);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CACHING_BINARYIDENTITY_H
