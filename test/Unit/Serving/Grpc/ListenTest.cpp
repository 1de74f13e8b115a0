//===- ListenTest.cpp - Addresses, certificates and services of gRPC ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <google/protobuf/unknown_field_set.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <chrono>
#include <fstream>
#include <thread>

using namespace nnhal;
using namespace nnhal::serving;
using namespace inference;
using namespace std::chrono_literals;

namespace {
class GrpcListenTest : public GrpcTest {
protected:
  GrpcListenTest() {
    folder.write("models/floats.json", copyModel("TENSOR_FLOAT32"));
  }

  /// Expects that a front with the options cannot be started.
  void expectFailure(rt::StatusCode code, std::string_view message) {
    if (!server) {
      rt::Result<std::unique_ptr<Server>> made = Server::create(serverOptions);
      ASSERT_TRUE(made.isOk());
      server = *std::move(made);
    }
    rt::Status status = GrpcFront::create(options, *server).status();
    EXPECT_EQ(status.code(), code);
    EXPECT_EQ(status.message(), message);
  }

  bool isLive(const std::shared_ptr<grpc::Channel> &channel) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + 5s);
    ServerLiveResponse live;
    return GRPCInferenceService::NewStub(channel)
        ->ServerLive(&context, ServerLiveRequest(), &live)
        .ok();
  }

  /// Writes a certificate for localhost and its key.
  void writeCertificate(const std::string &name) {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME *subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(
        subject, "CN", MBSTRING_ASC,
        reinterpret_cast<const unsigned char *>("localhost"), -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    X509_EXTENSION *names = X509V3_EXT_conf_nid(
        nullptr, nullptr, NID_subject_alt_name, "DNS:localhost");
    X509_add_ext(certificate, names, -1);
    X509_sign(certificate, key, EVP_sha256());
    BIO *file = BIO_new_file(folder.at(name + ".crt").c_str(), "w");
    PEM_write_bio_X509(file, certificate);
    BIO_free(file);
    file = BIO_new_file(folder.at(name + ".key").c_str(), "w");
    PEM_write_bio_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    BIO_free(file);
    X509_EXTENSION_free(names);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }

  std::string textOf(const std::string &name) {
    std::ifstream file(folder.at(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};
} // namespace

TEST_F(GrpcListenTest, LocalSocket) {
  options.host = "unix:" + folder.at("socket");
  start();
  EXPECT_EQ(front->port(), 0);
  EXPECT_EQ(front->target(), options.host);
  EXPECT_TRUE(isLive(grpc::CreateChannel(front->target(),
                                         grpc::InsecureChannelCredentials())));
}

TEST_F(GrpcListenTest, AddressOfIPv6) {
  options.host = "::1";
  start();
  EXPECT_EQ(front->target(), fmt::format("[::1]:{}", front->port()));
  EXPECT_TRUE(isLive(grpc::CreateChannel(front->target(),
                                         grpc::InsecureChannelCredentials())));
}

TEST_F(GrpcListenTest, PortThatIsTaken) {
  start();
  options.port = front->port();
  expectFailure(rt::StatusCode::generalFailure,
                fmt::format("cannot listen at '127.0.0.1:{}' for gRPC: Address "
                            "already in use",
                            front->port()));
}

TEST_F(GrpcListenTest, AddressThatIsNone) {
  options.host = "no.such.host.invalid";
  options.port = 1;
  expectFailure(rt::StatusCode::generalFailure,
                "cannot listen at 'no.such.host.invalid:1' for gRPC: there is "
                "no such address");
}

TEST_F(GrpcListenTest, WrongOptions) {
  options.threads = 0;
  expectFailure(rt::StatusCode::invalidArgument,
                "threads for gRPC: 0 is not from 1 to 4096");
  options.threads = 2;
  options.maxMessageBytes = uint64_t(1) << 31;
  expectFailure(rt::StatusCode::invalidArgument,
                "largest message of gRPC: 2147483648 is not from 1 to "
                "2147483647 bytes");
  options.maxMessageBytes = 1000;
  options.certificate = "a";
  expectFailure(rt::StatusCode::invalidArgument,
                "the certificate needs a key beside it");
  options.certificate.clear();
  options.key = "b";
  expectFailure(rt::StatusCode::invalidArgument,
                "the key needs a certificate beside it");
}

TEST_F(GrpcListenTest, Tls) {
  writeCertificate("server");
  options.certificate = folder.at("server.crt");
  options.key = folder.at("server.key");
  start();
  grpc::SslCredentialsOptions trusted;
  trusted.pem_root_certs = textOf("server.crt");
  std::string target = fmt::format("localhost:{}", front->port());
  EXPECT_TRUE(
      isLive(grpc::CreateChannel(target, grpc::SslCredentials(trusted))));
  EXPECT_FALSE(
      isLive(grpc::CreateChannel(target, grpc::InsecureChannelCredentials())));
}

TEST_F(GrpcListenTest, WrongCertificates) {
  writeCertificate("server");
  writeCertificate("other");
  folder.write("text", "no certificate\n");
  options.certificate = folder.at("text");
  options.key = folder.at("server.key");
  expectFailure(rt::StatusCode::invalidArgument,
                fmt::format("cannot use the certificate '{}': no start line",
                            folder.at("text")));
  options.certificate = folder.at("server.crt");
  options.key = folder.at("text");
  expectFailure(
      rt::StatusCode::invalidArgument,
      fmt::format("cannot use the key '{}': unsupported", folder.at("text")));
  options.key = folder.at("other.key");
  expectFailure(rt::StatusCode::invalidArgument,
                fmt::format("cannot use the key '{}': key values mismatch",
                            folder.at("other.key")));
}

/// The first number of a message, which is its field 1.
static uint64_t firstNumberOf(const std::string &message) {
  google::protobuf::UnknownFieldSet fields;
  if (!fields.ParseFromString(message) || fields.empty())
    return 0;
  return fields.field(0).varint();
}

TEST_F(GrpcListenTest, HealthFollowsReadiness) {
  start();
  // grpc.health.v1: the request has the name of a service, the answer 1 for
  // SERVING and 2 for NOT_SERVING.
  auto health = [this](const std::string &service) {
    std::string request;
    if (!service.empty())
      request = "\x0a" + std::string(1, char(service.size())) + service;
    std::string answer;
    grpc::Status status =
        callRaw("/grpc.health.v1.Health/Check", request, answer);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return firstNumberOf(answer);
  };
  const std::string name = GRPCInferenceService::service_full_name();
  EXPECT_EQ(health(""), 1);
  EXPECT_EQ(health(name), 1);
  server->beginDrain();
  for (int i = 0; i < 100 && health("") == 1; ++i)
    std::this_thread::sleep_for(20ms);
  EXPECT_EQ(health(""), 2);
  EXPECT_EQ(health(name), 2);
}

TEST_F(GrpcListenTest, ReflectionHasTheService) {
  start();
  // grpc.reflection.v1alpha: field 7 of the request asks for the services.
  std::string answer;
  grpc::Status status =
      callRaw("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
              "\x3a\x01*", answer);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_NE(answer.find(GRPCInferenceService::service_full_name()),
            std::string::npos);
}
