//===- Routes.cpp - What is at which path ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routes.h"

#include "Body.h"
#include "Page/Page.h"
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

void Routes::removeUnsupported(httplib::Request &request) {
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

/// The parts of \p path between slashes.
static std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    size_t end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  // A slash at the end adds nothing.
  if (!parts.empty() && parts.back().empty())
    parts.pop_back();
  return parts;
}

/// "v2/models/MODEL[/versions/VERSION][/ACTION]".
static bool readModelPath(const std::vector<std::string_view> &path,
                          std::string_view &model, std::string_view &version,
                          std::string_view &action) {
  if (path.size() < 3 || path[0] != "v2" || path[1] != "models" ||
      path[2].empty())
    return false;
  model = path[2];
  size_t next = 3;
  if (path.size() >= 5 && path[3] == "versions") {
    version = path[4];
    next = 5;
  }
  if (next < path.size())
    action = path[next++];
  return next == path.size();
}

static void setUnknown(httplib::Response &response) {
  setError(response, httpNotFound, "there is nothing at this path");
}

bool Routes::answerHead(const httplib::Request &request,
                        httplib::Response &response) const {
  if (request.path.size() > longestPath) {
    setError(response, httpUriTooLong,
             fmt::format("the path has more than {} characters", longestPath));
    return true;
  }
  if (request.method == "GET" || request.method == "HEAD") {
    answerGet(split(request.path), response);
    return true;
  }
  if (request.method != "POST") {
    setError(response, httpMethodNotAllowed,
             fmt::format("method {} is not GET, HEAD or POST", request.method));
    return true;
  }
  // cpp-httplib would find no route, and read the body without a bound.
  if (request.path.find_first_of("\r\n") != std::string::npos) {
    setUnknown(response);
    return true;
  }
  uint64_t length = CurrentConnection::get().bodyLength();
  if (length <= options.limits.bodyBytes)
    return false;
  setError(response, httpTooLarge, tooLarge(options.limits.bodyBytes));
  return true;
}

static std::string describe(const ServerInfo &info) {
  std::vector<std::string> extensions = info.extensions;
  extensions.emplace_back("binary_tensor_data");
  return dump({{"name", info.name},
               {"version", info.version},
               {"extensions", extensions}});
}

void Routes::answerGet(const Path &path, httplib::Response &response) const {
  auto at = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::equal(path, parts);
  };
  response.status = httpOk;
  if (path.empty()) {
    response.body = pageHtml;
    response.set_header("Content-Type", pageType);
    response.set_header("Content-Security-Policy", pagePolicy);
    return;
  }
  if (at({"v2", "health", "live"}))
    return setJson(response, dump({{"live", server.isLive()}}));
  if (at({"v2", "health", "ready"})) {
    bool isReady = server.isReady();
    response.status = isReady ? httpOk : httpUnavailable;
    return setJson(response, dump({{"ready", isReady}}));
  }
  if (at({"v2"}))
    return setJson(response, describe(server.info()));
  if (at({"metrics"})) {
    response.body = server.metrics();
    return response.set_header("Content-Type", "text/plain; version=0.0.4");
  }
  answerModel(path, response);
}

static ordered_json jsonOf(const std::vector<TensorInfo> &tensors) {
  ordered_json list = ordered_json::array();
  for (const TensorInfo &tensor : tensors)
    list.push_back({{"name", tensor.name},
                    {"datatype", nameOf(tensor.type)},
                    {"shape", tensor.shape}});
  return list;
}

void Routes::answerModel(const Path &path, httplib::Response &response) const {
  std::string_view model;
  std::string_view version;
  std::string_view action;
  if (!readModelPath(path, model, version, action))
    return setUnknown(response);
  if (action == "ready") {
    Outcome outcome = server.checkModelReady(model, version);
    if (!outcome.isOk())
      return setError(response, outcome);
    return setJson(response, dump({{"name", model}, {"ready", true}}));
  }
  if (!action.empty())
    return setUnknown(response);
  ModelInfo info;
  Outcome outcome = server.modelInfo(model, version, info);
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

void Routes::answerRepository(const Path &path, std::string_view body,
                              httplib::Response &response) const {
  if (path.size() == 3 && path[2] == "index") {
    auto given = nlohmann::json::parse(body, nullptr, false);
    bool readyOnly = given.is_object() && given.value("ready", false);
    ordered_json list = ordered_json::array();
    for (const IndexEntry &entry : server.index(readyOnly))
      list.push_back({{"name", entry.name},
                      {"version", entry.version},
                      {"state", entry.state},
                      {"reason", entry.reason}});
    return setJson(response, dump(list));
  }
  if (path.size() != 5 || path[2] != "models" ||
      (path[4] != "load" && path[4] != "unload"))
    return setUnknown(response);
  Outcome outcome =
      path[4] == "load" ? server.load(path[3]) : server.unload(path[3]);
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

void Routes::answerInfer(const Path &path, const httplib::Request &request,
                         httplib::Response &response,
                         const httplib::ContentReader &reader) const {
  std::string_view model;
  std::string_view version;
  std::string_view action;
  if (!readModelPath(path, model, version, action) || action != "infer")
    return setUnknown(response);
  Body body;
  if (BodyFailure failure = body.read(request, options.limits, reader);
      failure.status != 0)
    return setError(response, failure.status, failure.message);
  ParsedRequest parsed;
  if (Outcome wrong = parseRequest(body.json(), body.tensors(), parsed);
      !wrong.isOk())
    return setError(response, wrong);
  InferenceRequest &asked = parsed.request;
  asked.model = model;
  asked.version = version;
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
  Path path = split(request.path);
  response.status = httpOk;
  if (path.size() < 2 || path[0] != "v2" || path[1] != "repository")
    return answerInfer(path, request, response, reader);
  Body body;
  if (BodyFailure failure = body.read(request, options.limits, reader);
      failure.status != 0)
    return setError(response, failure.status, failure.message);
  answerRepository(path, body.json(), response);
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
