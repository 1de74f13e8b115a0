//===- Sha256.cpp - SHA-256 over a stream of values -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sha256.h"

#include <openssl/evp.h>

#include <new>

using namespace nnhal::rt::cache;

static EVP_MD_CTX *toContext(void *context) {
  return static_cast<EVP_MD_CTX *>(context);
}

static void require(int outcome) {
  if (outcome != 1)
    throw std::bad_alloc();
}

void Sha256::Deleter::operator()(void *context) const {
  EVP_MD_CTX_free(toContext(context));
}

Sha256::Sha256() : context(EVP_MD_CTX_new()) {
  require(context != nullptr);
  require(EVP_DigestInit_ex(toContext(context.get()), EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  require(
      EVP_DigestUpdate(toContext(context.get()), bytes.data(), bytes.size()));
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
  require(EVP_DigestFinal_ex(toContext(context.get()), digest.data(), nullptr));
  return digest;
}
