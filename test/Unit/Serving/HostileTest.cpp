//===- HostileTest.cpp - Requests that are damaged ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HttpFixture.h"

#include <cstdlib>
#include <random>
#include <vector>

using namespace nnhal;
using namespace nnhal::serving;

namespace {

/// Requests of every kind; what is in them is right.
std::vector<std::string> goodRequests() {
  std::string json =
      R"({"id":"7","inputs":[{"name":"input0","shape":[1,2],"datatype":"FP32",)"
      R"("data":[[1,2.5]]}],"outputs":[{"name":"output0","parameters":)"
      R"({"binary_data":true}}],"parameters":{"timeout":1000000,"priority":2}})";
  std::string header =
      R"({"inputs":[{"name":"input0","shape":[1,2],"datatype":"FP32",)"
      R"("parameters":{"binary_data_size":8}}]})";
  std::string infer = "POST /v2/models/net/infer HTTP/1.1\r\nHost: a\r\n";
  return {
      "GET /v2/models/net/versions/1/ready HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /metrics HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
      fmt::format("{}Content-Length: {}\r\n\r\n{}", infer, json.size(), json),
      fmt::format("{}Content-Length: {}\r\nInference-Header-Content-Length: {}"
                  "\r\nExpect: 100-continue\r\n\r\n{}12345678",
                  infer, header.size() + 8, header.size(), header),
      fmt::format("{}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
                  infer, json.size(), json),
      fmt::format("{}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n{}",
                  infer, json.size(), json),
      "POST /v2/repository/index HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
      "HEAD /v2 HTTP/1.1\r\nRange: bytes=0-4\r\n\r\n"};
}

/// Changes bytes, parts and numbers of requests.
class Mutator {
public:
  explicit Mutator(uint64_t seed) : random(seed) {}

  std::string next(const std::vector<std::string> &requests) {
    std::string text = requests[below(requests.size())];
    for (size_t count = 1 + below(4); count > 0; --count)
      change(text, requests);
    return text;
  }

private:
  size_t below(size_t bound) { return bound == 0 ? 0 : random() % bound; }

  void change(std::string &text, const std::vector<std::string> &requests) {
    static constexpr std::string_view parts[] = {
        "\r\n",
        "\r\n\r\n",
        "\0\0",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\"",
        "-1",
        "1e400",
        "null",
        "18446744073709551615",
        "4294967296",
        "%0a",
        "%",
        "/../",
        ": ",
        "Content-Length: 5\r\n",
        "0\r\n",
        "FFFFFFFFFFFFFFFFFF\r\n",
        "\xff\xfe",
        "Transfer-Encoding: chunked\r\n",
        "binary_data_size",
        "Content-Encoding: br\r\n"};
    size_t at = below(text.size());
    switch (below(6)) {
    case 0:
      if (!text.empty())
        text[at] = char(random());
      break;
    case 1:
      text.insert(at, parts[below(std::size(parts))]);
      break;
    case 2:
      text.erase(at, below(20));
      break;
    case 3:
      text.resize(at);
      break;
    case 4:
      text += requests[below(requests.size())];
      break;
    default: {
      size_t digit = text.find_first_of("0123456789", at);
      if (digit != std::string::npos)
        text.replace(digit, 1, std::to_string(random() >> below(64)));
      break;
    }
    }
  }

  std::mt19937_64 random;
};

using HostileTest = HttpFixture;

TEST_F(HostileTest, DamagedRequestsAreAnsweredOrDropped) {
  HttpOptions options;
  options.limits.bodyBytes = 100000;
  options.limits.transfer = std::chrono::seconds(5);
  start(options);
  const char *given = std::getenv("NNHAL_TEST_MUTATIONS");
  size_t count = given ? std::strtoul(given, nullptr, 10) : 2000;
  std::vector<std::string> requests = goodRequests();
  Mutator mutator(1);
  size_t answered = 0;
  for (size_t i = 0; i < count; ++i) {
    std::string text = mutator.next(requests);
    std::string answer = sendRaw(text);
    answered += !answer.empty();
    ASSERT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 "))
        << "mutant " << i << ": " << answer;
  }
  EXPECT_GT(answered, count / 2);
  EXPECT_TRUE(sendRaw(requests[2]).starts_with("HTTP/1.1 200 OK"));
}

} // namespace
