//===- JsonNode.h - A JSON value that knows where it stands -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_JSON_JSONNODE_H
#define NNHAL_LIB_RUNTIME_FORMATS_JSON_JSONNODE_H

#include "nnhal/Runtime/Status.h"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace nnhal::rt {

/// Parses \p text. Fails with invalidArgument for text of more than 1 GiB; for
/// text that is not JSON, with line and column in the message; for arrays and
/// objects nested deeper than any format of this project needs; for an object
/// that has a key twice, with the key and the path of the object, where \p name
/// stands for the root. May throw std::bad_alloc.
Result<nlohmann::json> parseJson(std::string_view text, std::string_view name);

/// A view of one value of a JSON document, with the path that leads there for
/// messages: "main.operands[3].scale: expected a number, found \"x\"".
///
/// Every failure is invalidArgument. A node refers to its parent node and to
/// the document; both must outlive it.
class JsonNode {
public:
  using Json = nlohmann::json;

  /// The root of a document, called \p name where a message is about the root
  /// itself.
  JsonNode(const Json &value, std::string_view name)
      : value(&value), key(name) {}

  /// "\p text" after the path of this node.
  Status error(std::string_view text) const;
  /// "expected \p expectation, found " and what is here.
  Status unexpected(std::string_view expectation) const;

  /// Fails unless this is an object with no other keys than \p keys.
  Status checkObject(std::initializer_list<std::string_view> keys) const;
  /// Fails unless this is an array.
  Status checkArray() const;

  /// A member of an object; nullopt when there is none. \p name must outlive
  /// the result.
  std::optional<JsonNode> find(std::string_view name) const;
  /// A member that has to be there.
  Result<JsonNode> require(std::string_view name) const;

  /// Elements of an array.
  size_t size() const { return value->size(); }
  JsonNode operator[](size_t index) const {
    return JsonNode((*value)[index], this, {}, index);
  }

  Result<bool> toBool() const;
  Result<std::string> toString() const;
  /// An integer in [\p min, \p max]; "1.0" is one too.
  Result<int64_t> toInteger(int64_t min, int64_t max) const;
  Result<uint32_t> toUInt32() const;
  /// A number, or one of "NaN", "Infinity", "-Infinity".
  Result<double> toDouble() const;
  /// Reads the number rounded to float; numbers beyond its range fail.
  Result<float> toFloat() const;

private:
  JsonNode(const Json &value, const JsonNode *parent, std::string_view key,
           size_t index)
      : value(&value), parent(parent), key(key), index(index) {}

  std::string path() const;

  const Json *value;
  const JsonNode *parent = nullptr;
  std::string_view key;
  size_t index = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_FORMATS_JSON_JSONNODE_H
