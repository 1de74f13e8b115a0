//===- Credentials.cpp - Certificates of the server -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Credentials.h"

#include "Serving/Core/Tls.h"

#include "nnhal/Runtime/Memory.h"

#include <span>
#include <utility>

using namespace nnhal;
using namespace nnhal::serving;

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
  // gRPC would take files that OpenSSL cannot use, and fail each handshake.
  NNHAL_RETURN_IF_ERROR(makeTlsContext(certificate, key).status());
  grpc::SslServerCredentialsOptions options;
  auto &pair = options.pem_key_cert_pairs.emplace_back();
  NNHAL_ASSIGN_OR_RETURN(pair.cert_chain, readText(certificate));
  NNHAL_ASSIGN_OR_RETURN(pair.private_key, readText(key));
  return grpc::SslServerCredentials(options);
}
