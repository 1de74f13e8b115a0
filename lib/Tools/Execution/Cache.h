//===- Cache.h - Keys and tokens of cached models ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_CACHE_H
#define NNHAL_LIB_TOOLS_EXECUTION_CACHE_H

#include "Load.h"

#include "Runtime/Caching/ContentKeyStore.h"
#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/Model.h"

namespace nnhal::tools {

/// The token of this program for \p model and \p request: the model file's
/// place and what else the command line says about the compilation. Not the
/// content: that is the content key's, so that a changed model is seen as
/// changed. The place of a model from standard input is its content.
rt::Result<rt::CacheToken> cacheToken(const LoadRequest &request,
                                      const ModelFile &model);

/// Returns the directory where the program's devices remember what they have
/// cached: --state-dir or the one that the environment names; empty when it
/// names none.
std::string cacheStateDirectory(const LoadRequest &request);

/// Creates the folder of --cache-dir, for this user, where it is missing. The
/// cache will find everything that is wrong with it.
void createCacheDirectory(const LoadRequest &request);

/// The content key of the model file, remembered from earlier runs while the
/// file stays as it is.
class ContentKeys {
public:
  ContentKeys(const LoadRequest &request, const ModelFile &model);

  /// Returns the key without reading the model; nothing when that is not
  /// possible.
  std::optional<rt::ContentKey> find() const;

  /// The key of \p model, which was read from the file after this object was
  /// made. Remembers it if the file is still the same.
  rt::Result<rt::ContentKey> compute(const rt::AnnotatedModel &model) const;

private:
  std::string path;
  std::optional<rt::FileStamp> stamp;
  rt::Sha256Digest variant = {};
  /// The store is null where nothing is remembered.
  std::unique_ptr<rt::ContentKeyStore> store;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_CACHE_H
