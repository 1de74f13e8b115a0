//===- Target.cpp - What a path names -------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

using namespace nnhal;
using namespace nnhal::serving;
using Kind = Target::Kind;
using Path = std::vector<std::string_view>;

/// The parts of \p path between slashes.
static Path split(std::string_view path) {
  Path parts;
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    size_t end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  if (!parts.empty() && parts.back().empty())
    parts.pop_back();
  return parts;
}

static bool isAt(const Path &path,
                 std::initializer_list<std::string_view> parts) {
  return std::ranges::equal(path, parts);
}

/// "v2/models/MODEL[/versions/VERSION][/ACTION]".
static Target modelTargetOf(const Path &path) {
  if (path.size() < 3 || path[0] != "v2" || path[1] != "models" ||
      path[2].empty())
    return {};
  Target target = {Kind::model, path[2], {}};
  size_t next = 3;
  if (path.size() >= 5 && path[3] == "versions") {
    target.version = path[4];
    next = 5;
  }
  if (next == path.size())
    return target;
  std::string_view action = path[next++];
  if (next == path.size() && action == "ready")
    target.kind = Kind::modelReady;
  else if (next == path.size() && action == "infer")
    target.kind = Kind::infer;
  else
    return {};
  return target;
}

/// "v2/repository/index", "v2/repository/models/MODEL/load" or ".../unload".
static Target repositoryTargetOf(const Path &path) {
  if (isAt(path, {"v2", "repository", "index"}))
    return {Kind::index, {}, {}};
  if (path.size() != 5 || path[2] != "models")
    return {};
  if (path[4] == "load")
    return {Kind::load, path[3], {}};
  if (path[4] == "unload")
    return {Kind::unload, path[3], {}};
  return {};
}

Target serving::targetOf(std::string_view path) {
  if (!path.starts_with('/'))
    return {};
  Path parts = split(path);
  if (parts.empty())
    return {Kind::page, {}, {}};
  if (isAt(parts, {"metrics"}))
    return {Kind::metrics, {}, {}};
  if (isAt(parts, {"v2"}))
    return {Kind::server, {}, {}};
  if (isAt(parts, {"v2", "health", "live"}))
    return {Kind::live, {}, {}};
  if (isAt(parts, {"v2", "health", "ready"}))
    return {Kind::ready, {}, {}};
  if (parts.size() >= 2 && parts[0] == "v2" && parts[1] == "repository")
    return repositoryTargetOf(parts);
  return modelTargetOf(parts);
}

bool serving::takesBody(Kind kind) {
  return kind == Kind::infer || kind == Kind::index || kind == Kind::load ||
         kind == Kind::unload;
}

std::string_view serving::methodsOf(Kind kind) {
  return takesBody(kind) ? "POST" : "GET, HEAD";
}

/// Whether \p text begins with \p prefix, which is in lower case.
static bool beginsWith(std::string_view text, std::string_view prefix) {
  auto isSame = [](char letter, char lower) {
    return (letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter) ==
           lower;
  };
  return text.size() >= prefix.size() &&
         std::ranges::equal(text.substr(0, prefix.size()), prefix, isSame);
}

std::string_view serving::pathOf(std::string_view target) {
  for (std::string_view scheme : {"http://", "https://"})
    if (beginsWith(target, scheme)) {
      size_t slash = target.find('/', scheme.size());
      return slash == std::string_view::npos ? "/" : target.substr(slash);
    }
  return target;
}
