//===- Routes.cpp - What is at which path ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routes.h"

#include "Body.h"
#include "Page/Page.h"
#include "RepositoryJson.h"
#include "RequestJson.h"
#include "ResponseJson.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

using namespace nnhal;
using namespace nnhal::serving;
using nlohmann::ordered_json;

namespace {
/// The codes of HTTP that are used.
enum : int {
  httpOk = 200,
  httpBadRequest = 400,
  httpNotFound = 404,
  httpMethodNotAllowed = 405,
  httpTooLarge = 413,
  httpUriTooLong = 414,
  httpUnsupportedCoding = 415,
  httpOverloaded = 429,
  httpHeadTooLarge = 431,
  /// nginx's, for its log: there is no other one.
  httpClientGone = 499,
  httpInternal = 500,
  httpUnavailable = 503,
  httpDeadline = 504
};
} // namespace

/// cpp-httplib holds paths against a regular expression, recursively.
static constexpr size_t longestPath = 1024;
static constexpr const char *jsonType = "application/json";
static constexpr const char *binaryType = "application/octet-stream";
static constexpr const char *pageType = "text/html; charset=utf-8";

static int httpCodeOf(OutcomeCode code) {
  switch (code) {
  case OutcomeCode::ok:
    return httpOk;
  case OutcomeCode::invalidArgument:
    return httpBadRequest;
  case OutcomeCode::notFound:
    return httpNotFound;
  case OutcomeCode::overloaded:
    return httpOverloaded;
  case OutcomeCode::unavailable:
    return httpUnavailable;
  case OutcomeCode::deadlineExceeded:
    return httpDeadline;
  case OutcomeCode::cancelled:
    return httpClientGone;
  case OutcomeCode::failed:
    break;
  }
  return httpInternal;
}

static void setJson(httplib::Response &response, std::string text) {
  response.body = std::move(text);
  response.set_header("Content-Type", jsonType);
}

static void setError(httplib::Response &response, int code,
                     std::string_view message) {
  response.status = code;
  setJson(response, errorText(message));
  if (code == httpOverloaded || code == httpUnavailable)
    response.set_header("Retry-After", "1");
}

/// Answers with what \p outcome is, a failure.
static void setError(httplib::Response &response, const Outcome &outcome) {
  setError(response, httpCodeOf(outcome.code()), outcome.message());
}

std::string serving::errorText(std::string_view message) {
  return dump({{"error", message}});
}

std::string serving::headTooLarge(const ConnectionLimits &limits) {
  return fmt::format("the headers have more than {} bytes", limits.headBytes);
}

Routes::Routes(Server &server, Options options)
    : server(server), options(std::move(options)) {}

/// The coding of the body of \p request in lower case; empty for none.
static std::string codingOf(const httplib::Request &request) {
  std::string codings;
  for (size_t i = 0; i < request.get_header_value_count("Content-Encoding");
       ++i)
    codings +=
        (i == 0 ? "" : ", ") + request.get_header_value("Content-Encoding", i);
  for (char &letter : codings)
    if (letter >= 'A' && letter <= 'Z')
      letter = char(letter - 'A' + 'a');
  // An old name (RFC 9110, section 8.4.1.3).
  if (codings == "x-gzip")
    return "gzip";
  return codings == "identity" ? "" : codings;
}

void Routes::normalize(httplib::Request &request) {
  request.path = pathOf(request.path);
  std::string coding = codingOf(request);
  request.headers.erase("Content-Encoding");
  if (!coding.empty())
    request.set_header("Content-Encoding", coding);
  request.ranges.clear();
  request.headers.erase("Range");
  request.headers.erase("Accept-Encoding");
  // Every body is JSON or bytes, whatever it is called: the parts of a form are
  // none.
  request.headers.erase("Content-Type");
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static void setUnknown(httplib::Response &response) {
  setError(response, httpNotFound, "there is nothing at this path");
}

/// Bytes that the body of a request to \p kind may have.
static uint64_t mostBytesOf(Target::Kind kind, const ConnectionLimits &limits) {
  return kind == Target::Kind::infer
             ? limits.bodyBytes
             : std::min(mostRepositoryBytes, limits.bodyBytes);
}

bool Routes::answerHead(const httplib::Request &request,
                        httplib::Response &response) const {
  if (request.path.size() > longestPath) {
    setError(response, httpUriTooLong,
             fmt::format("the path has more than {} characters", longestPath));
    return true;
  }
  Target target = targetOf(request.path);
  // cpp-httplib finds no route for a path of several lines, and would read the
  // body without a bound.
  if (target.kind == Target::Kind::nothing ||
      request.path.find_first_of("\r\n") != std::string::npos) {
    setUnknown(response);
    return true;
  }
  bool isQuestion = request.method == "GET" || request.method == "HEAD";
  if (takesBody(target.kind) ? request.method != "POST" : !isQuestion) {
    std::string methods(methodsOf(target.kind));
    setError(response, httpMethodNotAllowed,
             fmt::format("method {} is not one of this path's: {}",
                         request.method, methods));
    response.set_header("Allow", methods);
    return true;
  }
  if (isQuestion) {
    answerQuestion(target, response);
    return true;
  }
  return refuseBody(target.kind, request, response);
}

/// Answers a request whose body is not to be read. Returns whether it is such.
bool Routes::refuseBody(Target::Kind kind, const httplib::Request &request,
                        httplib::Response &response) const {
  std::string coding = request.get_header_value("Content-Encoding");
  if (!coding.empty() && coding != "gzip" && coding != "deflate") {
    setError(
        response, httpUnsupportedCoding,
        fmt::format("the body's coding '{}' is not gzip or deflate", coding));
    response.set_header("Accept-Encoding", "gzip, deflate");
    return true;
  }
  uint64_t length = CurrentConnection::get().bodyLength();
  uint64_t most = mostBytesOf(kind, options.limits);
  if (length <= most)
    return false;
  setError(response, httpTooLarge, tooLarge(length, most));
  return true;
}

static std::string describe(const ServerInfo &info) {
  std::vector<std::string> extensions = info.extensions;
  extensions.emplace_back("binary_tensor_data");
  return dump({{"name", info.name},
               {"version", info.version},
               {"extensions", extensions}});
}

void Routes::answerQuestion(const Target &target,
                            httplib::Response &response) const {
  response.status = httpOk;
  switch (target.kind) {
  case Target::Kind::page:
    response.body = pageHtml;
    response.set_header("Content-Type", pageType);
    return response.set_header("Content-Security-Policy", pagePolicy);
  case Target::Kind::metrics:
    response.body = server.metrics();
    return response.set_header("Content-Type", "text/plain; version=0.0.4");
  case Target::Kind::live:
    return setJson(response, dump({{"live", server.isLive()}}));
  case Target::Kind::ready: {
    bool isReady = server.isReady();
    response.status = isReady ? httpOk : httpUnavailable;
    return setJson(response, dump({{"ready", isReady}}));
  }
  case Target::Kind::server:
    return setJson(response, describe(server.info()));
  case Target::Kind::modelReady:
    return answerModelReady(target, response);
  case Target::Kind::model:
    return answerModel(target, response);
  default:
    return setUnknown(response);
  }
}

static ordered_json jsonOf(const std::vector<TensorInfo> &tensors) {
  ordered_json list = ordered_json::array();
  for (const TensorInfo &tensor : tensors)
    list.push_back({{"name", tensor.name},
                    {"datatype", nameOf(tensor.type)},
                    {"shape", tensor.shape}});
  return list;
}

void Routes::answerModelReady(const Target &target,
                              httplib::Response &response) const {
  Outcome outcome = server.checkModelReady(target.model, target.version);
  if (!outcome.isOk())
    return setError(response, outcome);
  setJson(response, dump({{"name", target.model}, {"ready", true}}));
}

void Routes::answerModel(const Target &target,
                         httplib::Response &response) const {
  ModelInfo info;
  Outcome outcome = server.modelInfo(target.model, target.version, info);
  if (!outcome.isOk())
    return setError(response, outcome);
  setJson(response, dump({{"name", info.name},
                          {"versions", info.versions},
                          {"platform", info.platform},
                          {"inputs", jsonOf(info.inputs)},
                          {"outputs", jsonOf(info.outputs)}}));
}

//===----------------------------------------------------------------------===//
// Requests with a body
//===----------------------------------------------------------------------===//

void Routes::answerIndex(std::string_view body,
                         httplib::Response &response) const {
  bool readyOnly = false;
  if (Outcome wrong = readIndexRequest(body, readyOnly); !wrong.isOk())
    return setError(response, wrong);
  ordered_json list = ordered_json::array();
  for (const IndexEntry &entry : server.index(readyOnly))
    list.push_back({{"name", entry.name},
                    {"version", entry.version},
                    {"state", entry.state},
                    {"reason", entry.reason}});
  setJson(response, dump(list));
}

void Routes::answerLoading(const Target &target, std::string_view body,
                           httplib::Response &response) const {
  bool isLoad = target.kind == Target::Kind::load;
  Outcome outcome = isLoad ? checkLoadRequest(body) : checkUnloadRequest(body);
  if (outcome.isOk())
    outcome = isLoad ? server.load(target.model) : server.unload(target.model);
  if (!outcome.isOk())
    return setError(response, outcome);
  setJson(response, "{}");
}

/// Writes what is left of \p parts from \p offset on.
static bool writeParts(const std::vector<std::string_view> &parts,
                       size_t offset, httplib::DataSink &sink) {
  for (std::string_view part : parts) {
    size_t skipped = std::min(offset, part.size());
    offset -= skipped;
    part.remove_prefix(skipped);
    if (!part.empty() && !sink.write(part.data(), part.size()))
      return false;
  }
  return true;
}

/// Answers with \p json and then the bytes of outputs.
static void setBinary(httplib::Response &response, std::string json,
                      const std::vector<std::span<const std::byte>> &tensors,
                      std::shared_ptr<InferenceResponse> owner) {
  struct Answer {
    std::string json;
    std::shared_ptr<InferenceResponse> owner;
    std::vector<std::string_view> parts;
  };
  auto answer = std::make_shared<Answer>();
  answer->json = std::move(json);
  answer->owner = std::move(owner);
  answer->parts.push_back(answer->json);
  size_t size = answer->json.size();
  for (std::span<const std::byte> tensor : tensors) {
    answer->parts.emplace_back(reinterpret_cast<const char *>(tensor.data()),
                               tensor.size());
    size += tensor.size();
  }
  response.set_header("Inference-Header-Content-Length",
                      std::to_string(answer->json.size()));
  response.set_content_provider(
      size, binaryType,
      [answer = std::move(answer)](size_t offset, size_t,
                                   httplib::DataSink &sink) {
        return writeParts(answer->parts, offset, sink);
      });
}

void Routes::answerInfer(const Target &target, const Body &body,
                         const httplib::Request &request,
                         httplib::Response &response) const {
  ParsedRequest parsed;
  if (Outcome wrong = parseRequest(body.json(), body.tensors(), parsed);
      !wrong.isOk())
    return setError(response, wrong);
  InferenceRequest &asked = parsed.request;
  asked.model = target.model;
  asked.version = target.version;
  asked.traceparent = request.get_header_value("traceparent");
  asked.client = options.clientHeader.empty()
                     ? request.remote_addr
                     : request.get_header_value(options.clientHeader);
  asked.isAbandoned = [&connection = CurrentConnection::get()] {
    return connection.isAbandoned();
  };
  auto answer = std::make_shared<InferenceResponse>();
  Outcome outcome = server.infer(asked, *answer);
  response.set_header("traceparent", answer->trace.header());
  if (!outcome.isOk())
    return setError(response, outcome);
  RenderedResponse rendered;
  if (Outcome wrong = renderResponse(parsed, *answer, rendered); !wrong.isOk())
    return setError(response, wrong);
  response.status = httpOk;
  if (rendered.tensors.empty())
    return setJson(response, std::move(rendered.json));
  setBinary(response, std::move(rendered.json), rendered.tensors,
            std::move(answer));
}

void Routes::answerPost(const httplib::Request &request,
                        httplib::Response &response,
                        const httplib::ContentReader &reader) const {
  Target target = targetOf(request.path);
  response.status = httpOk;
  Body body;
  if (BodyFailure failure =
          body.read(request, mostBytesOf(target.kind, options.limits), reader);
      failure.status != 0)
    return setError(response, failure.status, failure.message);
  if (target.kind == Target::Kind::infer)
    return answerInfer(target, body, request, response);
  if (target.kind == Target::Kind::index)
    return answerIndex(body.json(), response);
  answerLoading(target, body.json(), response);
}

bool Routes::isLeft(const httplib::Response &response) {
  return response.status == httpUnavailable ||
         !CurrentConnection::get().isBodyRead();
}

void Routes::explainError(const httplib::Request &request,
                          httplib::Response &response) const {
  if (!response.body.empty())
    return;
  if (response.status == httpBadRequest &&
      CurrentConnection::get().isHeadTooLarge())
    return setError(response, httpHeadTooLarge, headTooLarge(options.limits));
  if (response.status == httpBadRequest)
    return setError(response, response.status, "this is no request of HTTP");
  if (response.status == httpUriTooLong)
    return setError(response, response.status, "the request line is too long");
  if (response.status == httpNotFound)
    return setUnknown(response);
  setError(response, response.status, "the request cannot be answered");
}

void Routes::answerException(const httplib::Request &request,
                             httplib::Response &response) const {
  setError(response, httpUnavailable, "there is no memory for the request");
}
