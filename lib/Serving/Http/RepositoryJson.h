//===- RepositoryJson.h - Requests about the repository in JSON -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_REPOSITORYJSON_H
#define NNHAL_LIB_SERVING_HTTP_REPOSITORYJSON_H

#include "Serving/Core/Outcome.h"

#include <cstdint>
#include <string_view>

namespace nnhal::serving {

/// Bytes of a request about the repository; the protocol's have a few dozen.
/// The bound is that of the memory, too, which what they nest takes.
inline constexpr uint64_t mostRepositoryBytes = 4096;

/// Reads \p json, a request for the index, which may be anything of up to
/// mostRepositoryBytes; nothing at all is an object without members. Fails with
/// invalidArgument, which names the found value.
Outcome readIndexRequest(std::string_view json, bool &readyOnly);

/// Checks \p json like readIndexRequest(), a request to load a model. Refuses
/// Triton's parameters `config` and `file:PATH`: they replace what the
/// repository has, and to pass over them would serve another model than the
/// client believes.
Outcome checkLoadRequest(std::string_view json);

/// Checks \p json like readIndexRequest(), a request to unload a model.
Outcome checkUnloadRequest(std::string_view json);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_REPOSITORYJSON_H
