//===- Tls.cpp - Certificates of the server -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tls.h"

#include "Runtime/Support/Errors.h"

#include <openssl/err.h>

using namespace nnhal;
using namespace nnhal::serving;

/// OpenSSL's text about the first of the failures on this thread since
/// ERR_clear_error(): later ones name the part of it that has failed.
static std::string firstReason() {
  const char *reason = ERR_reason_error_string(ERR_peek_error());
  std::string text = reason ? reason : "unknown failure";
  ERR_clear_error();
  return text;
}

/// Answers OpenSSL's question for a passphrase with none, instead of asking at
/// the terminal.
static int refusePassphrase(char *, int, int, void *) { return -1; }

rt::Result<TlsContext> serving::makeTlsContext(const std::string &certificate,
                                               const std::string &key) {
  ERR_clear_error();
  TlsContext context(SSL_CTX_new(TLS_server_method()));
  if (!context)
    return rt::outOfResources("{}", firstReason());
  SSL_CTX_set_default_passwd_cb(context.get(), refusePassphrase);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // A write goes on where it stopped, with what is left of the same bytes.
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(context.get(),
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) !=
      1)
    return rt::badData("cannot use the certificate '{}': {}", certificate,
                       firstReason());
  if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(),
                                  SSL_FILETYPE_PEM) != 1)
    return rt::badData("cannot use the key '{}': {}", key, firstReason());
  return context;
}
