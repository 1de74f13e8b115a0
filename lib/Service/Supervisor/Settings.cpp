//===- Settings.cpp - What a service is told to do ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Settings.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <pwd.h>
#include <set>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using nlohmann::json;
using rt::badData;
using rt::Result;
using rt::Status;

std::vector<NamedNumber> service::numbersOf(Quotas &quotas) {
  return {{"memory", quotas.memory},
          {"models", quotas.models},
          {"buffers", quotas.buffers},
          {"bursts", quotas.bursts},
          {"executions", quotas.executions},
          {"preparations", quotas.preparations},
          {"descriptors", quotas.descriptors},
          {"connections", quotas.connections}};
}

template <typename Number>
static bool parseNumber(std::string_view text, int base, Number &number) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

Result<uint32_t> service::parseUser(const std::string &text) {
  uint32_t number = 0;
  if (parseNumber(text, 10, number))
    return number;
  // The only thread of the supervisor.
  if (const passwd *entry = ::getpwnam(text.c_str())) // NOLINT(*-mt-unsafe)
    return uint32_t(entry->pw_uid);
  return badData("there is no user '{}'", text);
}

Result<uint32_t> service::parseMode(std::string_view text) {
  uint32_t mode = 0;
  if (!parseNumber(text, 8, mode) || mode > 0777)
    return badData("'{}' is not an octal number from 0 to 0777", text);
  return mode;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Parses JSON in which no object has a key twice: of two values one would be
/// ignored.
static Result<json> parseStrict(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  std::string twice;
  auto check = [&](int, json::parse_event_t event, json &value) {
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key &&
             !keys.back().insert(value.get<std::string>()).second &&
             twice.empty())
      twice = value.get<std::string>();
    return true;
  };
  try {
    json parsed = json::parse(text, check);
    if (!twice.empty())
      return badData("the key '{}' comes twice in one object", twice);
    return parsed;
  } catch (const json::parse_error &error) {
    return badData("not JSON: byte {}", error.byte);
  }
}

static Status expected(std::string_view place, const char *what,
                       const json &found) {
  return badData("'{}' is {}, {} is expected", place, found.type_name(), what);
}

static Status readNumber(const json &value, std::string_view place,
                         uint64_t &target) {
  if (!value.is_number_unsigned())
    return expected(place, "a number from 0 on", value);
  target = value.get<uint64_t>();
  return Status::ok();
}

static Status readText(const json &value, std::string_view place,
                       std::string &target) {
  if (!value.is_string())
    return expected(place, "a text", value);
  target = value.get<std::string>();
  return Status::ok();
}

static Status readFlag(const json &value, std::string_view place,
                       bool &target) {
  if (!value.is_boolean())
    return expected(place, "true or false", value);
  target = value.get<bool>();
  return Status::ok();
}

static Status readTexts(const json &value, std::string_view place,
                        std::vector<std::string> &target) {
  if (!value.is_array())
    return expected(place, "a list of texts", value);
  target.clear();
  for (size_t i = 0; i < value.size(); ++i)
    NNHAL_RETURN_IF_ERROR(readText(value[i], fmt::format("{}[{}]", place, i),
                                   target.emplace_back()));
  return Status::ok();
}

/// Numbers and names.
static Status readUsers(const json &value, std::string_view place,
                        std::vector<uint32_t> &target) {
  if (!value.is_array())
    return expected(place, "a list of users", value);
  target.clear();
  for (size_t i = 0; i < value.size(); ++i) {
    std::string each = fmt::format("{}[{}]", place, i);
    std::string user;
    if (value[i].is_number_unsigned())
      user = std::to_string(value[i].get<uint64_t>());
    else
      NNHAL_RETURN_IF_ERROR(readText(value[i], each, user));
    Result<uint32_t> number = parseUser(user);
    if (!number.isOk())
      return std::move(number).takeStatus().withContext(
          fmt::format("'{}'", each));
    target.push_back(*number);
  }
  return Status::ok();
}

static Status readMode(const json &value, std::string_view place,
                       std::optional<uint32_t> &target) {
  std::string text;
  NNHAL_RETURN_IF_ERROR(readText(value, place, text));
  Result<uint32_t> mode = parseMode(text);
  if (!mode.isOk())
    return std::move(mode).takeStatus().withContext(fmt::format("'{}'", place));
  target = *mode;
  return Status::ok();
}

static Status readNumbers(const json &value, std::string_view place,
                          std::span<const NamedNumber> numbers) {
  if (!value.is_object())
    return expected(place, "an object", value);
  for (const auto &[key, each] : value.items()) {
    auto found = std::ranges::find(numbers, key, &NamedNumber::name);
    std::string where = fmt::format("{}.{}", place, key);
    if (found == numbers.end())
      return badData("'{}' is not a setting", where);
    NNHAL_RETURN_IF_ERROR(readNumber(each, where, found->value));
  }
  return Status::ok();
}

namespace {
/// One key of the file.
struct Key {
  std::string_view name;
  Status (*read)(const json &value, std::string_view place, Settings &settings);
};
} // namespace

static constexpr Key keys[] = {
    {"socket",
     [](const json &value, std::string_view place, Settings &settings) {
       return readText(value, place, settings.socket);
     }},
    {"socketMode",
     [](const json &value, std::string_view place, Settings &settings) {
       return readMode(value, place, settings.socketMode);
     }},
    {"devices",
     [](const json &value, std::string_view place, Settings &settings) {
       return readTexts(value, place, settings.devices);
     }},
    {"plugins",
     [](const json &value, std::string_view place, Settings &settings) {
       return readTexts(value, place, settings.plugins);
     }},
    {"stateDirectory",
     [](const json &value, std::string_view place, Settings &settings) {
       return readText(value, place, settings.stateDirectory);
     }},
    {"users",
     [](const json &value, std::string_view place, Settings &settings) {
       return readUsers(value, place, settings.users);
     }},
    {"quotas",
     [](const json &value, std::string_view place, Settings &settings) {
       return readNumbers(value, place, numbersOf(settings.quotas));
     }},
    {"compile",
     [](const json &value, std::string_view place, Settings &settings) {
       NamedNumber numbers[] = {{"memory", settings.compile.memory},
                                {"seconds", settings.compile.seconds}};
       return readNumbers(value, place, numbers);
     }},
    {"drainSeconds",
     [](const json &value, std::string_view place, Settings &settings) {
       return readNumber(value, place, settings.drainSeconds);
     }},
    {"startAtOnce",
     [](const json &value, std::string_view place, Settings &settings) {
       return readFlag(value, place, settings.startAtOnce);
     }},
};

Status service::applyConfig(std::string_view text, Settings &settings) {
  NNHAL_ASSIGN_OR_RETURN(json parsed, parseStrict(text));
  if (!parsed.is_object())
    return badData("the file is {}, an object is expected", parsed.type_name());
  for (const auto &[key, value] : parsed.items()) {
    auto found = std::ranges::find(keys, key, &Key::name);
    if (found == std::end(keys))
      return badData("'{}' is not a setting", key);
    NNHAL_RETURN_IF_ERROR(found->read(value, key, settings));
  }
  return Status::ok();
}

Status service::applyConfigFile(const std::string &path, Settings &settings) {
  constexpr uint64_t limit = 1 << 20;
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path, limit));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  return applyConfig(text, settings)
      .withContext(fmt::format("config '{}'", path));
}
