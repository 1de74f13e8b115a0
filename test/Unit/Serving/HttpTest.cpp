//===- HttpTest.cpp - The protocol over HTTP ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HttpFixture.h"

#include <httplib.h>

#include <atomic>
#include <cstring>
#include <thread>

using namespace nnhal;
using namespace nnhal::serving;

namespace {

constexpr const char *inferPath = "/v2/models/net/infer";
constexpr const char *plain =
    R"({"id": "7", "inputs": [{"name": "input0", "shape": [1, 2],
        "datatype": "FP32", "data": [1, 2]}]})";

class HttpTest : public HttpFixture {
protected:
  httplib::Client client() const {
    return httplib::Client("127.0.0.1", front->port());
  }
  /// "STATUS BODY".
  std::string get(const std::string &path) const {
    auto result = client().Get(path);
    return result ? fmt::format("{} {}", result->status, result->body)
                  : httplib::to_string(result.error());
  }
  std::string post(const std::string &path, const std::string &body,
                   const httplib::Headers &headers = {}) const {
    auto result = client().Post(path, headers, body, "application/json");
    return result ? fmt::format("{} {}", result->status, result->body)
                  : httplib::to_string(result.error());
  }
};

TEST_F(HttpTest, Metadata) {
  start();
  EXPECT_EQ(get("/v2/health/live"), R"(200 {"live":true})");
  EXPECT_EQ(get("/v2/health/ready"), R"(200 {"ready":true})");
  EXPECT_TRUE(
      get("/v2").starts_with(R"(200 {"name":"nnhal-serve","version":")"));
  EXPECT_TRUE(get("/v2").ends_with(
      R"("extensions":["model_repository","binary_tensor_data"]})"));
  std::string described =
      R"(200 {"name":"net","versions":["1"],"platform":"nnhal",)"
      R"("inputs":[{"name":"input0","datatype":"FP32","shape":[-1,2]}],)"
      R"("outputs":[{"name":"output0","datatype":"FP32","shape":[-1,2]}]})";
  EXPECT_EQ(get("/v2/models/net"), described);
  EXPECT_EQ(get("/v2/models/net/"), described);
  EXPECT_EQ(get("/v2/models/net/versions/1"), described);
  EXPECT_EQ(get("/v2/models/net/ready"), R"(200 {"name":"net","ready":true})");
  EXPECT_EQ(get("/v2/models/net/versions/1/ready"),
            R"(200 {"name":"net","ready":true})");
  EXPECT_NE(get("/metrics").find("nnhal_serve_queue_depth"), std::string::npos);
}

TEST_F(HttpTest, PageOfTheServer) {
  start();
  auto result = client().Get("/");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_TRUE(result->body.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(result->body.ends_with("</html>\n"));
  EXPECT_EQ(result->get_header_value("Content-Type"),
            "text/html; charset=utf-8");
  EXPECT_TRUE(result->get_header_value("Content-Security-Policy")
                  .starts_with("default-src 'none'; "));
}

TEST_F(HttpTest, UnknownPaths) {
  start();
  for (const char *path :
       {"/v1", "/v2/models", "/v2/models/net/other", "/v2/models//ready",
        "/v2/models/net/versions", "/v2/health", "/v2/repository",
        "/v2/models/net/versions/1/ready/more"})
    EXPECT_EQ(get(path), R"(404 {"error":"there is nothing at this path"})")
        << path;
  EXPECT_EQ(get("/v2/models/none"),
            R"(404 {"error":"there is no model 'none'"})");
  EXPECT_EQ(get("/v2/models/net/versions/2/ready"),
            R"(404 {"error":"model 'net' has no version '2'"})");
  EXPECT_EQ(post("/v2/repository/other", "{}"),
            R"(404 {"error":"there is nothing at this path"})");
  EXPECT_EQ(get("/" + std::string(2000, 'a')),
            R"(414 {"error":"the path has more than 1024 characters"})");
}

TEST_F(HttpTest, MethodsOfAPath) {
  start();
  auto answerOf = [&](const std::string &method, const std::string &path) {
    std::string answer =
        sendRaw(fmt::format("{} {} HTTP/1.1\r\n\r\n", method, path));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 405 ")) << answer;
    size_t allow = answer.find("Allow: ");
    size_t body = answer.find("\r\n\r\n");
    return answer.substr(allow, answer.find("\r\n", allow) - allow) +
           answer.substr(body + 4);
  };
  EXPECT_EQ(answerOf("DELETE", "/v2/models/net"),
            "Allow: GET, HEAD{\"error\":\"method DELETE is not one of this "
            "path's: GET, HEAD\"}");
  EXPECT_EQ(answerOf("POST", "/v2/health/ready").substr(0, 16),
            "Allow: GET, HEAD");
  for (const char *path : {"/v2/models/net/infer", "/v2/repository/index",
                           "/v2/repository/models/net/load"})
    EXPECT_EQ(answerOf("GET", path),
              "Allow: POST{\"error\":\"method GET is not one of this path's: "
              "POST\"}")
        << path;
}

TEST_F(HttpTest, TargetsAsProxiesWriteThem) {
  start();
  auto bodyOf = [&](const std::string &line, const std::string &body) {
    std::string answer =
        sendRaw(fmt::format("{} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", line,
                            body.size(), body));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
    return answer.substr(answer.find("\r\n\r\n") + 4);
  };
  EXPECT_EQ(bodyOf("GET http://host:80/v2/health/ready", ""),
            R"({"ready":true})");
  EXPECT_EQ(bodyOf("GET HTTPS://host/v2/health/live?a=/", ""),
            R"({"live":true})");
  EXPECT_TRUE(bodyOf("GET http://host", "").starts_with("<!DOCTYPE html>"));
  EXPECT_NE(bodyOf(fmt::format("POST http://host{}", inferPath), plain)
                .find(R"("data":[11,12])"),
            std::string::npos);
  for (const char *target : {"v2", "ftp://host/v2", "http:/v2"})
    EXPECT_TRUE(sendRaw(fmt::format("GET {} HTTP/1.1\r\n\r\n", target))
                    .starts_with("HTTP/1.1 404 "))
        << target;
}

TEST_F(HttpTest, InferenceAsJson) {
  start();
  std::string expected =
      R"(200 {"model_name":"net","model_version":"1","id":"7","outputs":[)"
      R"({"name":"output0","datatype":"FP32","shape":[1,2],"data":[11,12]}]})";
  EXPECT_EQ(post(inferPath, plain), expected);
  EXPECT_EQ(post("/v2/models/net/versions/1/infer", plain), expected);
  EXPECT_EQ(post(inferPath, "{"),
            R"(400 {"error":"the request is no JSON at byte 2: '{'"})");
  EXPECT_EQ(post(inferPath, "{}"),
            R"(400 {"error":"input 'input0' of model 'net' is missing"})");
  EXPECT_EQ(post("/v2/models/none/infer", plain),
            R"(404 {"error":"there is no model 'none'"})");
}

TEST_F(HttpTest, InferenceWithBinaryTensors) {
  start();
  std::string json =
      R"({"inputs":[{"name":"input0","shape":[2,2],"datatype":"FP32",)"
      R"("parameters":{"binary_data_size":16}}],)"
      R"("parameters":{"binary_data_output":true}})";
  float values[] = {1, 2, 3, 4};
  std::string body = json;
  body.append(reinterpret_cast<const char *>(values), sizeof values);
  httplib::Client asked = client();
  auto result = asked.Post(
      inferPath,
      {{"Inference-Header-Content-Length", std::to_string(json.size())}}, body,
      "application/octet-stream");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->status, 200) << result->body;
  EXPECT_EQ(result->get_header_value("Content-Type"),
            "application/octet-stream");
  size_t headerSize =
      std::stoul(result->get_header_value("Inference-Header-Content-Length"));
  EXPECT_EQ(result->body.substr(0, headerSize),
            R"({"model_name":"net","model_version":"1","outputs":[{"name":)"
            R"("output0","datatype":"FP32","shape":[2,2],"parameters":)"
            R"({"binary_data_size":16}}]})");
  ASSERT_EQ(result->body.size(), headerSize + sizeof values);
  std::memcpy(values, result->body.data() + headerSize, sizeof values);
  EXPECT_EQ(values[3], 14.0f);
  for (const char *length : {"-1", "x", "100000"})
    EXPECT_EQ(
        post(inferPath, "{}", {{"Inference-Header-Content-Length", length}}),
        fmt::format("400 {{\"error\":\"Inference-Header-Content-Length: "
                    "'{}' is not a number from 0 to 2, the length of "
                    "the body\"}}",
                    length))
        << length;
}

TEST_F(HttpTest, ChunkedAndPackedBodies) {
  start();
  httplib::Client asked = client();
  auto chunked = asked.Post(
      inferPath, {},
      [](size_t offset, httplib::DataSink &sink) {
        std::string_view text = plain;
        std::string_view rest = text.substr(std::min(offset, text.size()));
        if (rest.empty())
          sink.done();
        else
          sink.write(rest.data(), std::min<size_t>(rest.size(), 10));
        return true;
      },
      "application/json");
  ASSERT_TRUE(chunked);
  EXPECT_EQ(chunked->status, 200) << chunked->body;
  asked.set_compress(true);
  auto packed = asked.Post(inferPath, plain, "application/json");
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->status, 200) << packed->body;
  auto form =
      asked.Post(inferPath, plain, "multipart/form-data; boundary=\"a\"");
  ASSERT_TRUE(form);
  EXPECT_EQ(form->status, 200) << form->body;
  EXPECT_EQ(post("/v2/models/net%0a/infer", plain),
            R"(404 {"error":"there is nothing at this path"})");
  auto damaged = client().Post(inferPath, {{"Content-Encoding", "gzip"}}, plain,
                               "application/json");
  ASSERT_TRUE(damaged);
  EXPECT_EQ(damaged->body,
            R"({"error":"the body cannot be unpacked or is not whole"})");
  EXPECT_EQ(damaged->status, 400);
  EXPECT_TRUE(post(inferPath, plain, {{"Content-Encoding", "Identity"}})
                  .starts_with("200"));
  for (const char *coding : {"br", "zstd", "gzip, br"})
    EXPECT_EQ(post(inferPath, plain, {{"Content-Encoding", coding}}),
              fmt::format("415 {{\"error\":\"the body's coding '{}' is not "
                          "gzip or deflate\"}}",
                          coding));
}

TEST_F(HttpTest, Limits) {
  HttpOptions options;
  options.limits.bodyBytes = 1000;
  options.limits.headBytes = 2000;
  start(options);
  EXPECT_EQ(post(inferPath, std::string(1001, ' ')),
            R"(413 {"error":"the body has 1001 bytes, more than 1000"})");
  httplib::Client asked = client();
  asked.set_compress(true);
  auto packed =
      asked.Post(inferPath, std::string(100000, ' '), "application/json");
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->status, 413);
  EXPECT_EQ(packed->body, R"({"error":"the body has more than 1000 bytes"})");
  EXPECT_EQ(
      post(inferPath, plain, {{"X", std::string(1500, 'a')}}).substr(0, 3),
      "200");
  std::string line = "GET /v2 HTTP/1.1\r\n";
  std::string many;
  for (int i = 0; i < 100; ++i)
    many += "X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n";
  EXPECT_NE(sendRaw(line + many + "\r\n").find("431 "), std::string::npos);
  EXPECT_NE(sendRaw(line + many + "\r\n")
                .find("the headers have more than 2000 bytes"),
            std::string::npos);
  EXPECT_NE(sendRaw("GET /" + std::string(5000, 'a')).find("431 "),
            std::string::npos);
}

TEST_F(HttpTest, WhatIsNoHttp) {
  start();
  EXPECT_NE(sendRaw("nonsense\r\n\r\n").find("this is no request of HTTP"),
            std::string::npos);
  EXPECT_NE(sendRaw("nonsense\r\n\r\n").find("HTTP/1.1 400 "),
            std::string::npos);
  std::string post = "POST /v2/models/net/infer HTTP/1.1\r\n";
  EXPECT_NE(sendRaw(post + "Content-Length: 10\r\n\r\nabc")
                .find("the body ends before its 10 bytes have arrived"),
            std::string::npos);
  EXPECT_NE(sendRaw(post + "Content-Length: -1\r\n\r\nabc")
                .find("the body has more than 67108864 bytes"),
            std::string::npos);
  EXPECT_EQ(sendRaw(""), "");
  // The body of a GET is not taken for the next request.
  std::string hidden = "GET /v2/health/live HTTP/1.1\r\n\r\n";
  std::string answer =
      sendRaw(fmt::format("GET /v2 HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}",
                          hidden.size(), hidden));
  EXPECT_NE(answer.find("nnhal-serve"), std::string::npos);
  EXPECT_EQ(answer.find("\"live\""), std::string::npos);
}

TEST_F(HttpTest, ConnectionsAreKept) {
  start();
  std::string one = "GET /v2/health/live HTTP/1.1\r\n\r\n";
  std::string answer = sendRaw(
      one + one + "GET /v2 HTTP/1.1\r\nConnection: close\r\n\r\n" + one, false);
  size_t count = 0;
  for (size_t at = 0; (at = answer.find("HTTP/1.1 200 OK", at)) != answer.npos;
       ++at)
    ++count;
  EXPECT_EQ(count, 3u);
}

TEST_F(HttpTest, TooManyConnections) {
  HttpOptions options;
  options.connections = 1;
  start(options);
  int first = connectRaw();
  std::string line = "GET /v2/health/live HTTP/1.1\r\n\r\n";
  ASSERT_GT(::send(first, line.data(), line.size(), 0), 0);
  char buffer[100];
  ASSERT_GT(::recv(first, buffer, sizeof buffer, 0), 0);
  int second = connectRaw();
  std::string answer = receiveAll(second);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503 Service Unavailable"));
  EXPECT_NE(answer.find("Content-Type: application/json\r\nRetry-After: 1\r\n"
                        "Content-Length: "),
            std::string::npos);
  EXPECT_NE(answer.find("all 1 connections are in use"), std::string::npos);
  ::close(second);
  ::close(first);
}

TEST_F(HttpTest, SlowClientsLoseTheirConnection) {
  HttpOptions options;
  options.limits.transfer = std::chrono::seconds(1);
  options.limits.idle = std::chrono::seconds(1);
  start(options);
  auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(sendRaw("GET /v2 HT", false), "");
  EXPECT_EQ(sendRaw("", false), "");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

TEST_F(HttpTest, Repository) {
  start();
  EXPECT_EQ(
      post("/v2/repository/index", ""),
      R"(200 [{"name":"net","version":"1","state":"READY","reason":""}])");
  EXPECT_EQ(post("/v2/repository/models/net/unload", "{}"), "200 {}");
  EXPECT_EQ(post("/v2/repository/index", R"({"ready": true})"), "200 []");
  EXPECT_EQ(post(inferPath, plain),
            R"(503 {"error":"model 'net' is unloaded"})");
  EXPECT_EQ(get("/v2/models/net/ready"),
            R"(503 {"error":"model 'net' is unloaded"})");
  folder.write("net/2/model.json", addModel(20));
  EXPECT_EQ(post("/v2/repository/models/net/load", ""), "200 {}");
  EXPECT_NE(post(inferPath, plain).find(R"("data":[21,22])"),
            std::string::npos);
  EXPECT_EQ(post("/v2/repository/models/..%2f..%2fetc/load", ""),
            R"(404 {"error":"there is nothing at this path"})");
  EXPECT_EQ(post("/v2/repository/models/../load", ""),
            R"(404 {"error":"the folder of models has no model '..'"})");
}

TEST_F(HttpTest, RequestsAboutTheRepository) {
  start();
  const std::string index = "/v2/repository/index";
  const std::string load = "/v2/repository/models/net/load";
  EXPECT_EQ(post(index, std::string(4097, '[')),
            R"(413 {"error":"the body has 4097 bytes, more than 4096"})");
  httplib::Client asked = client();
  asked.set_compress(true);
  auto packed = asked.Post(index, std::string(100000, '['), "application/json");
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->status, 413);
  EXPECT_EQ(packed->body, R"({"error":"the body has more than 4096 bytes"})");
  EXPECT_EQ(post(index, R"({"ready": 1})"),
            R"(400 {"error":"'ready' of the request cannot be 1"})");
  EXPECT_TRUE(post(index, R"({"ready": null})").starts_with("200"));
  for (const std::string &path :
       {index, load, std::string("/v2/repository/models/net/unload")}) {
    for (const std::string &body :
         {std::string("{"), std::string("nonsense"), std::string(4096, '[')})
      EXPECT_EQ(post(path, body), R"(400 {"error":"the request is no JSON"})");
    EXPECT_EQ(post(path, "[[]]"),
              R"(400 {"error":"the request cannot be a list"})");
  }
  EXPECT_EQ(post(load, R"({"parameters": 7})"),
            R"(400 {"error":"'parameters' of the request cannot be 7"})");
  for (const char *name : {"config", "file:1/model.json"})
    EXPECT_EQ(
        post(load, fmt::format(R"({{"parameters": {{"{}": "a"}}}})", name)),
        fmt::format("400 {{\"error\":\"parameter '{}' is not supported: "
                    "models are loaded from the server's folder\"}}",
                    name));
  EXPECT_EQ(post("/v2/repository/models/net/unload",
                 R"({"parameters": {"unload_dependents": true}})"),
            "200 {}");
  EXPECT_EQ(post(load, R"({"parameters": {}})"), "200 {}");
}

TEST_F(HttpTest, QuotasOfClients) {
  HttpOptions http;
  http.clientHeader = "X-Client";
  ServerOptions options;
  options.quota.requestsPerSecond = 1;
  start(std::move(http), std::move(options));
  EXPECT_TRUE(post(inferPath, plain, {{"X-Client", "a"}}).starts_with("200"));
  EXPECT_EQ(post(inferPath, plain, {{"X-Client", "a"}}),
            R"(429 {"error":"client 'a' has sent more than 1 requests per )"
            R"(second"})");
  EXPECT_TRUE(post(inferPath, plain, {{"X-Client", "b"}}).starts_with("200"));
}

TEST_F(HttpTest, ClientsOfIPv4AtASocketOfBothVersions) {
  HttpOptions http;
  http.host = "::";
  ServerOptions options;
  options.quota.requestsPerSecond = 1;
  start(std::move(http), std::move(options));
  EXPECT_TRUE(post(inferPath, plain).starts_with("200"));
  EXPECT_EQ(post(inferPath, plain),
            R"(429 {"error":"client '127.0.0.1' has sent more than 1 requests )"
            R"(per second"})");
}

TEST_F(HttpTest, DeadlinesAndTraces) {
  start();
  auto result = client().Post(
      inferPath,
      {{"traceparent",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}},
      plain, "application/json");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->get_header_value("traceparent")
                  .starts_with("00-0af7651916cd43dd8448eb211c80319c-"));
  EXPECT_EQ(post(inferPath, R"({"parameters": {"priority": 9}, "inputs": []})"),
            R"(400 {"error":"parameter 'priority': 9 is not from 0 to 3"})");
}

TEST_F(HttpTest, RequestsThatWait) {
  // Nobody joins the first request.
  folder.write("net/config.json",
               R"({"max_batch_size": 2, "max_queue_size": 1,
                   "max_queue_delay_microseconds": 60000000})");
  start();
  std::string waiting = plain;
  waiting.insert(1, R"("parameters": {"timeout": 300000}, )");
  std::thread first([&] {
    EXPECT_EQ(post(inferPath, waiting),
              R"(504 {"error":"the deadline passed while the request waited )"
              R"(for an execution"})");
  });
  std::string depth = R"(nnhal_serve_queue_depth{model="net",version="1"} 1)";
  while (get("/metrics").find(depth) == std::string::npos)
    std::this_thread::yield();
  EXPECT_EQ(post(inferPath, plain),
            R"(429 {"error":"the queue of model 'net' is full: 1 requests )"
            R"(wait"})");
  first.join();
}

TEST_F(HttpTest, ClientsThatHaveGoneAreNotExecutedFor) {
  // Nobody joins the request.
  folder.write("net/config.json", R"({"max_batch_size": 2,
                                      "max_queue_delay_microseconds": 50000})");
  start();
  int socket = connectRaw();
  std::string request =
      fmt::format("POST {} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", inferPath,
                  std::string_view(plain).size(), plain);
  ASSERT_EQ(::send(socket, request.data(), request.size(), 0),
            ssize_t(request.size()));
  ::close(socket);
  auto has = [&](const std::string &line) {
    return get("/metrics").find(line) != std::string::npos;
  };
  for (int i = 0;
       i < 1000 && !has(R"(code="cancelled",model="net",version="1"} 1)"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(has(R"(code="cancelled",model="net",version="1"} 1)"));
  EXPECT_TRUE(
      has(R"(nnhal_serve_execution_seconds_count{model="net",version="1"} 0)"))
      << get("/metrics");
}

TEST_F(HttpTest, RequestsThatArriveAreAnsweredAtTheEnd) {
  start();
  std::string body = plain;
  std::string head = fmt::format(
      "POST {} HTTP/1.1\r\nContent-Length: {}\r\n\r\n", inferPath, body.size());
  int socket = connectRaw();
  ASSERT_GT(::send(socket, head.data(), head.size(), 0), 0);
  std::thread ending([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    front.reset();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ASSERT_GT(::send(socket, body.data(), body.size(), 0), 0);
  EXPECT_TRUE(receiveAll(socket).starts_with("HTTP/1.1 200 OK"));
  ending.join();
  ::close(socket);
}

TEST_F(HttpTest, Drains) {
  start();
  server->beginDrain();
  EXPECT_EQ(get("/v2/health/live"), R"(200 {"live":true})");
  EXPECT_EQ(get("/v2/health/ready"), R"(503 {"ready":false})");
  EXPECT_EQ(post(inferPath, plain),
            R"(503 {"error":"the server is about to end"})");
  // Clients that keep connections go elsewhere.
  std::string refused = sendRaw("GET /v2/health/ready HTTP/1.1\r\n\r\n", false);
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_NE(refused.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_EQ(refused.find("Keep-Alive"), std::string::npos);
  // An idle connection keeps nobody waiting.
  int idle = connectRaw();
  front.reset();
  EXPECT_EQ(receiveAll(idle), "");
  ::close(idle);
}

TEST_F(HttpTest, ManyClients) {
  start();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&] {
      httplib::Client asked = client();
      asked.set_keep_alive(true);
      for (int count = 0; count < 30; ++count) {
        auto result = asked.Post(inferPath, plain, "application/json");
        wrong += !result || result->status != 200;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(HttpTest, AddressesThatCannotBeUsed) {
  start();
  HttpOptions options;
  options.port = front->port();
  EXPECT_EQ(HttpFront::create(options, *server).status().message(),
            fmt::format("cannot listen at 127.0.0.1:{}: Address already in use",
                        options.port));
  options.certificate = folder.at("none.pem");
  options.key = options.certificate;
  EXPECT_TRUE(HttpFront::create(options, *server)
                  .status()
                  .message()
                  .starts_with("cannot use the certificate '" +
                               options.certificate + "': "));
}

} // namespace
