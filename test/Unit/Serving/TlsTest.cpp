//===- TlsTest.cpp - The protocol over TLS --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HttpFixture.h"

#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>

using namespace nnhal;
using namespace nnhal::serving;

namespace {

/// Writes a certificate of its own for this machine, and its key.
class TlsTest : public HttpFixture {
protected:
  void SetUp() override {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME *name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(
        name, "CN", MBSTRING_ASC,
        reinterpret_cast<const unsigned char *>("127.0.0.1"), -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, key, EVP_sha256());
    FILE *file = std::fopen(options.certificate.c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    file = std::fopen(options.key.c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    file = std::fopen(folder.at("encrypted.pem").c_str(), "w");
    const unsigned char passphrase[] = "secret";
    PEM_write_PrivateKey(file, key, EVP_aes_128_cbc(), passphrase, 6, nullptr,
                         nullptr);
    std::fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }

  HttpOptions makeOptions() const {
    HttpOptions made;
    made.certificate = folder.at("certificate.pem");
    made.key = folder.at("key.pem");
    return made;
  }
  HttpOptions options = makeOptions();
};

TEST_F(TlsTest, NobodyIsAskedForAPassphrase) {
  start();
  options.key = folder.at("encrypted.pem");
  std::string message = HttpFront::create(options, *server).status().message();
  EXPECT_TRUE(message.starts_with("cannot use the key '" + options.key + "': "))
      << message;
}

TEST_F(TlsTest, Inference) {
  start(options);
  httplib::SSLClient client("127.0.0.1", front->port());
  client.enable_server_certificate_verification(false);
  client.set_keep_alive(true);
  for (int rows : {1, 20000}) {
    std::string data = "1";
    for (int i = 1; i < rows * 2; ++i)
      data += ",1";
    auto result = client.Post(
        "/v2/models/net/infer",
        fmt::format(R"({{"inputs": [{{"name": "input0", "shape": [{}, 2],
                        "datatype": "FP32", "data": [{}]}}]}})",
                    rows, data),
        "application/json");
    ASSERT_TRUE(result) << httplib::to_string(result.error());
    EXPECT_EQ(result->status, 200) << result->body;
    EXPECT_NE(result->body.find("[11,11"), std::string::npos);
  }
}

TEST_F(TlsTest, PlainClientsAreTurnedAway) {
  start(options);
  std::string answer = sendRaw("GET /v2 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(answer.find("HTTP/1.1"), std::string::npos);
}

TEST_F(TlsTest, KeysThatCannotBeUsed) {
  start(options);
  options.key = options.certificate;
  EXPECT_TRUE(HttpFront::create(options, *server)
                  .status()
                  .message()
                  .starts_with("cannot use the key '" + options.key + "': "));
}

} // namespace
