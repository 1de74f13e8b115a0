//===- JsonNode.cpp - A JSON value that knows where it stands -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonNode.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace nnhal::rt {

namespace {

/// A test case nests to 9 (cases, case, model, referenced, subgraph, operands,
/// operand, channelQuant, scales).
constexpr size_t maxDepth = 32;

/// A larger document could state more than 4 GiB of constants, which the HAL
/// cannot address: two characters state up to four bytes.
constexpr size_t maxDocumentSize = size_t(1) << 30;

/// Fails when brackets outside strings nest deeper than maxDepth. Whether they
/// match is for the parser to say.
Status checkDepth(std::string_view text) {
  size_t depth = 0;
  bool isInString = false;
  for (size_t index = 0; index < text.size(); ++index) {
    char c = text[index];
    if (isInString) {
      if (c == '\\')
        ++index;
      else if (c == '"')
        isInString = false;
    } else if (c == '"') {
      isInString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > maxDepth)
        return badData("offset {}: arrays and objects are nested deeper than "
                       "{}",
                       index, maxDepth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return Status::ok();
}

/// \p value for a message: short, whatever it is.
std::string describe(const nlohmann::json &value) {
  if (value.is_array())
    return "an array";
  if (value.is_object())
    return "an object";
  std::string text = value.dump();
  constexpr size_t maxLength = 40;
  if (text.size() <= maxLength)
    return text;
  size_t length = maxLength;
  // The text is not cut inside a UTF-8 sequence.
  while (length > 0 && (text[length] & 0xC0) == 0x80)
    --length;
  return text.substr(0, length) + "...";
}

/// Watches a parser for keys that an object has twice: a document keeps only
/// the last of them, so that a reader would believe what another one, which
/// keeps the first, has not seen.
class KeyWatcher {
public:
  using Event = nlohmann::json::parse_event_t;

  explicit KeyWatcher(std::string_view name) : name(name) {}

  /// Sees one event of the parser.
  void see(Event event, const nlohmann::json &parsed) {
    switch (event) {
    case Event::key:
      levels.back().key = parsed.get_ref<const std::string &>();
      if (!levels.back().keys.insert(levels.back().key).second)
        note(parsed);
      return;
    case Event::object_start:
    case Event::array_start:
      levels.emplace_back().isArray = event == Event::array_start;
      return;
    case Event::object_end:
    case Event::array_end:
      levels.pop_back();
      [[fallthrough]];
    case Event::value:
      if (!levels.empty())
        ++levels.back().index;
      return;
    }
  }

  /// The first key that was seen twice, as an error.
  Status status() const { return first; }

private:
  struct Level {
    bool isArray = false;
    /// The index of the element or member that is being parsed.
    size_t index = 0;
    std::string key;
    std::set<std::string> keys;
  };

  void note(const nlohmann::json &key) {
    if (!first.isOk())
      return;
    std::string path;
    for (size_t i = 0; i + 1 < levels.size(); ++i)
      path += levels[i].isArray
                  ? fmt::format("[{}]", levels[i].index)
                  : fmt::format("{}{}", path.empty() ? "" : ".", levels[i].key);
    first =
        badData("{}: key {} is given twice",
                path.empty() ? name : std::string_view(path), describe(key));
  }

  std::string_view name;
  std::vector<Level> levels;
  Status first;
};

} // namespace

Result<nlohmann::json> parseJson(std::string_view text, std::string_view name) {
  if (text.size() > maxDocumentSize)
    return badData("{} has {} bytes of JSON, more than {}", name, text.size(),
                   maxDocumentSize);
  NNHAL_RETURN_IF_ERROR(checkDepth(text));
  try {
    KeyWatcher watcher(name);
    nlohmann::json document = nlohmann::json::parse(
        text, [&](int, KeyWatcher::Event event, nlohmann::json &parsed) {
          watcher.see(event, parsed);
          return true;
        });
    NNHAL_RETURN_IF_ERROR(watcher.status());
    return document;
  } catch (const nlohmann::json::exception &exception) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    std::string_view message = exception.what();
    size_t end = message.find("] ");
    return badData("{}",
                   end == message.npos ? message : message.substr(end + 2));
  }
}

std::string JsonNode::path() const {
  std::vector<const JsonNode *> nodes;
  for (const JsonNode *node = this; node->parent; node = node->parent)
    nodes.push_back(node);
  if (nodes.empty())
    return std::string(key);
  std::string text;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if ((*node)->key.empty())
      text += fmt::format("[{}]", (*node)->index);
    else
      text += fmt::format("{}{}", text.empty() ? "" : ".", (*node)->key);
  }
  return text;
}

Status JsonNode::error(std::string_view text) const {
  return badData("{}: {}", path(), text);
}

Status JsonNode::unexpected(std::string_view expectation) const {
  return error(
      fmt::format("expected {}, found {}", expectation, describe(*value)));
}

Status
JsonNode::checkObject(std::initializer_list<std::string_view> keys) const {
  if (!value->is_object())
    return unexpected("an object");
  for (const auto &member : value->items())
    if (std::ranges::find(keys, std::string_view(member.key())) == keys.end())
      return error(fmt::format("unknown key {}", describe(member.key())));
  return Status::ok();
}

Status JsonNode::checkArray() const {
  if (!value->is_array())
    return unexpected("an array");
  return Status::ok();
}

std::optional<JsonNode> JsonNode::find(std::string_view name) const {
  auto member = value->find(name);
  if (member == value->end())
    return std::nullopt;
  return JsonNode(*member, this, name, 0);
}

Result<JsonNode> JsonNode::require(std::string_view name) const {
  std::optional<JsonNode> member = find(name);
  if (!member)
    return error(fmt::format("key \"{}\" is missing", name));
  return *member;
}

Result<bool> JsonNode::toBool() const {
  if (!value->is_boolean())
    return unexpected("true or false");
  return value->get<bool>();
}

Result<std::string> JsonNode::toString() const {
  if (!value->is_string())
    return unexpected("a string");
  return value->get_ref<const std::string &>();
}

Result<int64_t> JsonNode::toInteger(int64_t min, int64_t max) const {
  int64_t integer = 0;
  bool isInRange = false;
  if (value->is_number_unsigned()) {
    uint64_t number = value->get<uint64_t>();
    isInRange = number <= uint64_t(std::numeric_limits<int64_t>::max());
    integer = static_cast<int64_t>(number);
  } else if (value->is_number_integer()) {
    isInRange = true;
    integer = value->get<int64_t>();
  } else if (value->is_number_float()) {
    double number = value->get<double>();
    if (number != std::trunc(number))
      return unexpected("an integer");
    isInRange = number >= -0x1p53 && number <= 0x1p53;
    integer = isInRange ? static_cast<int64_t>(number) : 0;
  } else {
    return unexpected("an integer");
  }
  if (!isInRange || integer < min || integer > max)
    return error(
        fmt::format("{} must be from {} to {}", value->dump(), min, max));
  return integer;
}

Result<uint32_t> JsonNode::toUInt32() const {
  NNHAL_ASSIGN_OR_RETURN(int64_t integer,
                         toInteger(0, std::numeric_limits<uint32_t>::max()));
  return static_cast<uint32_t>(integer);
}

Result<double> JsonNode::toDouble() const {
  if (value->is_number())
    return value->get<double>();
  if (value->is_string()) {
    const std::string &text = value->get_ref<const std::string &>();
    if (text == "NaN")
      return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity")
      return std::numeric_limits<double>::infinity();
    if (text == "-Infinity")
      return -std::numeric_limits<double>::infinity();
  }
  return unexpected("a number");
}

Result<float> JsonNode::toFloat() const {
  NNHAL_ASSIGN_OR_RETURN(double number, toDouble());
  // The conversion is undefined beyond the range of float. 0x1.ffffffp127 is
  // halfway from the largest float to what would be next.
  if (std::isfinite(number) && std::fabs(number) >= 0x1.ffffffp127)
    return error(
        fmt::format("{} is beyond the range of float32", value->dump()));
  return static_cast<float>(number);
}

} // namespace nnhal::rt
