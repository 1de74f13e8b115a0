//===- Sha256.cpp - SHA-256 over a stream of values -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// OpenSSL 3 would rather have its digests looked up by name. Starting that
// machinery takes longer than all hashing of a start from the cache, and it
// needs the whole library where these functions need 30 KB.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "Sha256.h"

using namespace nnhal::rt::cache;

Sha256::Sha256() { SHA256_Init(&context); }

void Sha256::update(std::span<const std::byte> bytes) {
  SHA256_Update(&context, bytes.data(), bytes.size());
}

void Sha256::number(uint64_t value) {
  std::array<std::byte, 8> bytes;
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = std::byte(value >> (8 * i));
  update(bytes);
}

void Sha256::blob(std::span<const std::byte> bytes) {
  number(bytes.size());
  update(bytes);
}

void Sha256::text(std::string_view value) {
  blob(std::as_bytes(std::span(value)));
}

std::array<uint8_t, 32> Sha256::finish() {
  std::array<uint8_t, 32> digest = {};
  SHA256_Final(digest.data(), &context);
  return digest;
}
