//===- JsonMutator.cpp - Changes documents field by field -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonMutator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace nnhal::rt::fuzz {

/// Text that any document has: strings need not be UTF-8.
static std::string dump(const Json &document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// All values of \p root, itself first.
static std::vector<Json *> valuesOf(Json &root) {
  std::vector<Json *> values = {&root};
  for (size_t next = 0; next < values.size(); ++next)
    if (values[next]->is_structured())
      for (Json &child : *values[next])
        values.push_back(&child);
  return values;
}

static Json &pickValue(Json &root, Random &random) {
  std::vector<Json *> values = valuesOf(root);
  // Elements of long arrays of numbers outnumber everything else.
  for (int attempt = 0; attempt < 3; ++attempt) {
    Json &value = *values[random.below(values.size())];
    if (!value.is_number() || random.oneOf(3))
      return value;
  }
  return *values[random.below(values.size())];
}

static Json unusualNumberValue(Random &random, const Json &old) {
  if (old.is_number_float() || random.oneOf(8)) {
    static constexpr double numbers[] = {
        0.0, -0.0, 0.5, 1.0, -1.0, 1e-45, 1e-38, 3.4e38, 1e300, 1.0 / 256};
    return numbers[random.below(std::size(numbers))];
  }
  if (old.is_number_integer() && random.oneOf(3) &&
      std::abs(old.get<double>()) < 0x1p62)
    return old.get<int64_t>() + (random.oneOf(2) ? 1 : -1);
  return unusualNumber(random);
}

static void mutateString(Json &value, Json &root, Random &random) {
  auto &text = value.get_ref<std::string &>();
  if (random.oneOf(2)) {
    Json &other = pickValue(root, random);
    if (other.is_string()) {
      text = std::string(other.get_ref<const std::string &>());
      return;
    }
  }
  std::vector<uint8_t> bytes(text.begin(), text.end());
  size_t size = bytes.size();
  bytes.resize(size + 8);
  size = LLVMFuzzerMutate(bytes.data(), size, bytes.size());
  text.assign(bytes.begin(), bytes.begin() + ptrdiff_t(size));
}

static void mutateArray(Json &value, Random &random) {
  size_t size = value.size();
  if (size == 0) {
    value.push_back(unusualNumber(random));
    return;
  }
  size_t at = random.below(size);
  switch (random.below(5)) {
  case 0:
    value.erase(at);
    return;
  case 1:
    std::swap(value[at], value[random.below(size)]);
    return;
  case 2:
    value.erase(value.begin() + ptrdiff_t(at), value.end());
    return;
  default: {
    Json copy = value[at];
    size_t count = random.oneOf(4) ? 1 + random.below(40) : 1;
    for (size_t i = 0; i < count && dump(copy).size() < 4096; ++i)
      value.push_back(copy);
    return;
  }
  }
}

static std::string keyAt(const Json &object, size_t index) {
  auto member = object.begin();
  std::advance(member, ptrdiff_t(index));
  return member.key();
}

static void mutateObject(Json &value, Json &root, Random &random,
                         JsonChange change) {
  if (value.empty())
    return;
  std::string key = keyAt(value, random.below(value.size()));
  if (change == JsonChange::sameKind || random.oneOf(2)) {
    value.erase(key);
    return;
  }
  Json &other = pickValue(root, random);
  if (!other.is_object() || other.empty())
    return;
  std::string otherKey = keyAt(other, random.below(other.size()));
  Json member = other[otherKey];
  value[random.oneOf(2) ? key : otherKey] = std::move(member);
}

static Json otherKind(Random &random) {
  static const Json values[] = {
      nullptr,       true,          0, -1, 0.5, "", "NaN", "ADD", "1_0",
      Json::array(), Json::object()};
  return values[random.below(std::size(values))];
}

static void mutateValue(Json &root, Random &random, JsonChange change) {
  Json &value = pickValue(root, random);
  if (change == JsonChange::any && random.oneOf(12)) {
    value = otherKind(random);
    return;
  }
  if (random.oneOf(8)) {
    Json copy = pickValue(root, random);
    if (change == JsonChange::any || copy.type() == value.type())
      value = std::move(copy);
    return;
  }
  if (value.is_boolean())
    value = !value.get<bool>();
  else if (value.is_number())
    value = unusualNumberValue(random, value);
  else if (value.is_string())
    mutateString(value, root, random);
  else if (value.is_array())
    mutateArray(value, random);
  else if (value.is_object())
    mutateObject(value, root, random, change);
  else
    value = otherKind(random);
}

std::optional<Json> parseForMutation(std::string_view text) {
  constexpr int maxDepth = 64;
  int deepest = 0;
  Json document = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, Json &) {
        deepest = std::max(deepest, depth);
        return depth < maxDepth;
      },
      /*allow_exceptions=*/false);
  if (document.is_discarded() || deepest >= maxDepth)
    return std::nullopt;
  return document;
}

void mutateDocument(Json &document, Random &random, JsonChange change) {
  for (size_t count = 1 + random.below(3); count > 0; --count)
    mutateValue(document, random, change);
}

void crossDocuments(Json &document, const Json &other, Random &random) {
  Json source = other;
  Json &value = pickValue(document, random);
  for (int attempt = 0; attempt < 8; ++attempt) {
    Json &donor = pickValue(source, random);
    if (donor.type() == value.type() || attempt == 7) {
      value = std::move(donor);
      return;
    }
  }
}

std::optional<size_t> storeText(std::string_view text, uint8_t *data,
                                size_t maxSize) {
  if (text.size() > maxSize)
    return std::nullopt;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

size_t mutateJsonText(uint8_t *data, size_t size, size_t maxSize,
                      unsigned seed) {
  Random random(seed);
  if (random.oneOf(6))
    return LLVMFuzzerMutate(data, size, maxSize);
  std::optional<Json> document = parseForMutation(textOf(data, size));
  if (!document)
    return LLVMFuzzerMutate(data, size, maxSize);
  mutateDocument(*document, random, JsonChange::any);
  return storeText(dump(*document), data, maxSize).value_or(size);
}

size_t crossJsonTexts(std::string_view first, std::string_view second,
                      uint8_t *out, size_t maxSize, unsigned seed) {
  Random random(seed);
  std::optional<Json> document = parseForMutation(first);
  std::optional<Json> other = parseForMutation(second);
  if (!document || !other)
    return 0;
  crossDocuments(*document, *other, random);
  return storeText(dump(*document), out, maxSize).value_or(0);
}

} // namespace nnhal::rt::fuzz
