//===- Credentials.cpp - Certificates of the server -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Credentials.h"

#include "Runtime/Support/Errors.h"

#include "nnhal/Runtime/Memory.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <span>
#include <utility>

using namespace nnhal;
using namespace nnhal::serving;

/// What OpenSSL says of the first of the failures on this thread since
/// ERR_clear_error(): those that follow name the part of it that has failed.
static std::string firstReason() {
  const char *reason = ERR_reason_error_string(ERR_peek_error());
  std::string text = reason ? reason : "unknown failure";
  ERR_clear_error();
  return text;
}

/// Answers OpenSSL's question for a passphrase with none, instead of asking at
/// the terminal.
static int refusePassphrase(char *, int, int, void *) { return -1; }

/// Checks that OpenSSL can use the files, which gRPC gives to it later.
static rt::Status checkFiles(const std::string &certificate,
                             const std::string &key) {
  ERR_clear_error();
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
      SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  if (!context)
    return rt::outOfResources("{}", firstReason());
  SSL_CTX_set_default_passwd_cb(context.get(), refusePassphrase);
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) !=
      1)
    return rt::badData("cannot use the certificate '{}': {}", certificate,
                       firstReason());
  if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(),
                                  SSL_FILETYPE_PEM) != 1)
    return rt::badData("cannot use the key '{}': {}", key, firstReason());
  return rt::Status::ok();
}

static rt::Result<std::string> readText(const std::string &path) {
  constexpr uint64_t maxSize = 1 << 20;
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path, maxSize));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  return std::string(reinterpret_cast<const char *>(bytes.data()),
                     bytes.size());
}

rt::Result<std::shared_ptr<grpc::ServerCredentials>>
serving::readCredentials(const std::string &certificate,
                         const std::string &key) {
  NNHAL_RETURN_IF_ERROR(checkFiles(certificate, key));
  grpc::SslServerCredentialsOptions options;
  auto &pair = options.pem_key_cert_pairs.emplace_back();
  NNHAL_ASSIGN_OR_RETURN(pair.cert_chain, readText(certificate));
  NNHAL_ASSIGN_OR_RETURN(pair.private_key, readText(key));
  return grpc::SslServerCredentials(options);
}
