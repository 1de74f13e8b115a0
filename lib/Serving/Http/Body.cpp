//===- Body.cpp - The body of a request -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Body.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

using namespace nnhal;
using namespace nnhal::serving;

static constexpr int badRequest = 400;
static constexpr int payloadTooLarge = 413;
static constexpr int unavailable = 503;

std::string serving::tooLarge(uint64_t length, uint64_t most) {
  // The length of chunks, and one that is no number, is not known.
  if (length == UINT64_MAX)
    return fmt::format("the body has more than {} bytes", most);
  return fmt::format("the body has {} bytes, more than {}", length, most);
}

/// Makes room for \p size bytes, so that the tensors behind the JSON are
/// aligned.
BodyFailure Body::allocate(uint64_t size, std::string_view jsonLength) {
  jsonSize = size;
  if (!jsonLength.empty()) {
    auto [end, error] = std::from_chars(
        jsonLength.data(), jsonLength.data() + jsonLength.size(), jsonSize);
    if (error != std::errc() || end != jsonLength.data() + jsonLength.size() ||
        jsonSize > size)
      return {badRequest,
              fmt::format("Inference-Header-Content-Length: '{}' is not a "
                          "number from 0 to {}, the length of the body",
                          jsonLength, size)};
  }
  constexpr size_t alignment = rt::AlignedBuffer::minimumAlignment;
  padding = (alignment - jsonSize % alignment) % alignment;
  auto allocated = rt::AlignedBuffer::allocate(padding + size);
  if (!allocated.isOk())
    return {unavailable, allocated.status().message()};
  bytes = *std::move(allocated);
  return {};
}

BodyFailure Body::read(const httplib::Request &request, uint64_t most,
                       const httplib::ContentReader &reader) {
  Connection &connection = CurrentConnection::get();
  std::string jsonLength =
      request.get_header_value("Inference-Header-Content-Length");
  if (!request.has_header("Transfer-Encoding") &&
      !request.has_header("Content-Encoding")) {
    uint64_t size = connection.bodyLength();
    if (BodyFailure failure = allocate(size, jsonLength); failure.status != 0)
      return failure;
    if (!connection.readBody(content()))
      return {badRequest, fmt::format("the body ends before its {} bytes have "
                                      "arrived",
                                      size)};
    return {};
  }
  std::string unpacked;
  bool isTooLarge = false;
  bool isWhole = reader([&](const char *data, size_t size) {
    isTooLarge = unpacked.size() + size > most;
    if (!isTooLarge)
      unpacked.append(data, size);
    return !isTooLarge;
  });
  if (isTooLarge)
    return {payloadTooLarge, tooLarge(UINT64_MAX, most)};
  if (!isWhole)
    return {badRequest, "the body cannot be unpacked or is not whole"};
  connection.endBody();
  if (BodyFailure failure = allocate(unpacked.size(), jsonLength);
      failure.status != 0)
    return failure;
  std::ranges::copy(std::as_bytes(std::span(unpacked)), content().begin());
  return {};
}
