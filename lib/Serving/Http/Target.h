//===- Target.h - What a path names -----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_TARGET_H
#define NNHAL_LIB_SERVING_HTTP_TARGET_H

#include <string_view>

namespace nnhal::serving {

/// One of the protocol's resources or actions, which a path names.
struct Target {
  enum class Kind {
    nothing,
    page,
    metrics,
    server,
    live,
    ready,
    model,
    modelReady,
    infer,
    index,
    load,
    unload
  };

  Kind kind = Kind::nothing;
  /// Views of the path; empty where it names none.
  std::string_view model;
  std::string_view version;
};

/// Returns what \p path names, whose escapes have been decoded. A slash at its
/// end adds nothing.
Target targetOf(std::string_view path);

/// Whether \p kind is asked with a body, by POST.
bool takesBody(Target::Kind kind);

/// The methods that \p kind, which is something, answers, as the header Allow
/// lists them.
std::string_view methodsOf(Target::Kind kind);

/// Returns the path of \p target, the decoded target of a request line without
/// its query: proxies send "http://HOST:PORT/PATH" (RFC 9112, section 3.2.2).
std::string_view pathOf(std::string_view target);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_TARGET_H
