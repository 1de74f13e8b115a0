//===- Page.h - A page about the server -------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_PAGE_PAGE_H
#define NNHAL_LIB_SERVING_HTTP_PAGE_PAGE_H

#include <string_view>

namespace nnhal::serving {

/// An HTML document that asks the server that it comes from for its models and
/// metrics, and nobody for anything else.
extern const std::string_view pageHtml;

/// The header Content-Security-Policy of the document.
inline constexpr const char *pagePolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src "
    "'unsafe-inline'; img-src data:; connect-src 'self'; frame-ancestors "
    "'self'; base-uri 'none'; form-action 'none'";

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_PAGE_PAGE_H
