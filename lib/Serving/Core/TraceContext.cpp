//===- TraceContext.cpp - Trace ids between programs ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceContext.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>

using namespace nnhal;
using namespace nnhal::serving;

static bool isHexadecimal(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

static bool isId(std::string_view text) {
  return isHexadecimal(text) && text.find_first_not_of('0') != text.npos;
}

std::optional<TraceContext> TraceContext::parse(std::string_view header) {
  // version "-" trace-id "-" parent-id "-" flags
  constexpr size_t length = 2 + 1 + 32 + 1 + 16 + 1 + 2;
  if (header.size() < length || header[2] != '-' || header[35] != '-' ||
      header[52] != '-')
    return std::nullopt;
  std::string_view version = header.substr(0, 2);
  std::string_view flags = header.substr(53, 2);
  bool isLater = version != "00";
  if (!isHexadecimal(version) || version == "ff" || !isHexadecimal(flags))
    return std::nullopt;
  // A later version may have more fields.
  if (header.size() > length && (!isLater || header[length] != '-'))
    return std::nullopt;
  TraceContext context;
  context.traceId = header.substr(3, 32);
  context.spanId = header.substr(36, 16);
  if (!isId(context.traceId) || !isId(context.spanId))
    return std::nullopt;
  int flag = flags[1] <= '9' ? flags[1] - '0' : flags[1] - 'a' + 10;
  context.isSampled = (flag & 1) != 0;
  return context;
}

static uint64_t randomNumber() {
  // Ids have to differ, and need not be secret.
  static thread_local std::mt19937_64 generator([] {
    std::random_device device;
    std::seed_seq seeds{device(), device(), device(), device()};
    return std::mt19937_64(seeds);
  }());
  uint64_t number = 0;
  while (number == 0)
    number = generator();
  return number;
}

TraceContext TraceContext::continueFrom(std::string_view header) {
  TraceContext context;
  if (std::optional<TraceContext> given = parse(header))
    context = *std::move(given);
  else
    context.traceId =
        fmt::format("{:016x}{:016x}", randomNumber(), randomNumber());
  context.spanId = fmt::format("{:016x}", randomNumber());
  return context;
}

std::string TraceContext::header() const {
  return fmt::format("00-{}-{}-{}", traceId, spanId, isSampled ? "01" : "00");
}
