//===- Tls.h - Certificates of the server -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_TLS_H
#define NNHAL_LIB_SERVING_CORE_TLS_H

#include "nnhal/Runtime/Status.h"

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace nnhal::serving {

struct FreeTlsContext {
  void operator()(SSL_CTX *context) const { SSL_CTX_free(context); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTlsContext>;

struct FreeTlsSession {
  void operator()(SSL *session) const { SSL_free(session); }
};
using TlsSession = std::unique_ptr<SSL, FreeTlsSession>;

/// Makes the context of a server of TLS 1.2 and later from files in PEM: the
/// chain of certificates, the server's first, and its key, which has no
/// passphrase: nobody is asked. Fails with invalidArgument, which names the
/// file and says what OpenSSL does.
rt::Result<TlsContext> makeTlsContext(const std::string &certificate,
                                      const std::string &key);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_TLS_H
