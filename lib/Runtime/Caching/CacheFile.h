//===- CacheFile.h - The file of a blob cache -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// "nn$$", the CRC-32C of the rest and a flattened cache (E-094).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHING_CACHEFILE_H
#define NNHAL_LIB_RUNTIME_CACHING_CACHEFILE_H

#include "nnhal/Runtime/BlobCache.h"
#include "nnhal/Runtime/Status.h"

#include <string>

namespace nnhal::rt {

/// Replaces the entries of \p cache by those of the file \p path; a missing
/// file has none. Fails with invalidArgument, and leaves the cache empty, when
/// the file is not a cache, damaged or larger than twice \p maxTotalSize
/// (E-097).
Status readCacheFile(const std::string &path, size_t maxTotalSize,
                     BlobCache &cache);

/// Writes \p cache to the new file \p path, which its owner may then read and
/// nobody may write (E-096). generalFailure, and no file, when that fails.
Status writeCacheFile(const std::string &path, const BlobCache &cache);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CACHING_CACHEFILE_H
