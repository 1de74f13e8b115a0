//===- Credentials.h - Certificates of the server ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_GRPC_CREDENTIALS_H
#define NNHAL_LIB_SERVING_GRPC_CREDENTIALS_H

#include "nnhal/Runtime/Status.h"

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

namespace nnhal::serving {

/// Returns the credentials of a server that speaks TLS with the certificate, or
/// the chain of them, in the file \p certificate and the private key in the
/// file \p key, both in PEM. Fails with invalidArgument, which names the file
/// and says what OpenSSL does, when one cannot be read, is no such thing, or
/// the key is not that of the certificate: gRPC would say of all this that it
/// cannot listen.
rt::Result<std::shared_ptr<grpc::ServerCredentials>>
readCredentials(const std::string &certificate, const std::string &key);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_GRPC_CREDENTIALS_H
