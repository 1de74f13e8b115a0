//===- Body.h - The body of a request ---------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_BODY_H
#define NNHAL_LIB_SERVING_HTTP_BODY_H

#include "Connection.h"

#include "nnhal/Runtime/AlignedBuffer.h"

#include <httplib.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nnhal::serving {

/// The message about a body of \p length bytes, UINT64_MAX for an unknown
/// number, where \p most are taken.
std::string tooLarge(uint64_t length, uint64_t most);

/// Why a body could not be read; the status 0 where it could.
struct BodyFailure {
  int status = 0;
  std::string message;
};

/// The body of a request: JSON, and then the bytes of tensors where the header
/// Inference-Header-Content-Length says where the JSON ends. The tensors begin
/// at an address that fits every element.
class Body {
public:
  /// Reads the body of \p request from the connection that the thread serves,
  /// by \p reader where it is in chunks or packed. It takes up to \p most
  /// bytes, which the length that the headers state is not more than.
  BodyFailure read(const httplib::Request &request, uint64_t most,
                   const httplib::ContentReader &reader);

  std::string_view json() const {
    return {reinterpret_cast<const char *>(bytes.data()) + padding, jsonSize};
  }
  std::span<const std::byte> tensors() const {
    return bytes.bytes().subspan(padding + jsonSize);
  }

private:
  BodyFailure allocate(uint64_t size, std::string_view jsonLength);
  std::span<std::byte> content() const {
    return bytes.bytes().subspan(padding);
  }

  rt::AlignedBuffer bytes;
  size_t padding = 0;
  size_t jsonSize = 0;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_BODY_H
