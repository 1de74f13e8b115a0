//===- Results.cpp - What came of the tests -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <algorithm>
#include <filesystem>

using namespace nnhal;
using namespace nnhal::stress;
using rt::badData;
using rt::Status;

std::string_view stress::nameOf(Outcome outcome) {
  switch (outcome) {
  case Outcome::success:
    return "SUCCESS";
  case Outcome::failure:
    return "FAILURE";
  case Outcome::hang:
    return "HANG";
  case Outcome::crash:
    break;
  }
  return "CRASH";
}

const TestResult *StressState::find(std::string_view device,
                                    std::string_view test) const {
  auto found = std::ranges::find_if(results, [&](const TestResult &result) {
    return result.device == device && result.test == test;
  });
  return found == results.end() ? nullptr : &*found;
}

rt::Result<StressState> stress::readState(const std::string &path,
                                          const StressState &fresh) {
  if (path.empty() || !std::filesystem::exists(path))
    return fresh;
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  StressState state;
  try {
    const auto *begin = reinterpret_cast<const char *>(bytes.data());
    state =
        nlohmann::json::parse(begin, begin + bytes.size()).get<StressState>();
  } catch (const nlohmann::json::exception &) {
    return badData("'{}' is not a state of nnhal-stress", path);
  }
  if (state.version != fresh.version)
    return badData("'{}' is of version {}, this is {}", path, state.version,
                   fresh.version);
  if (state.arguments != fresh.arguments)
    return badData("'{}' is of the arguments '{}', these are '{}'", path,
                   state.arguments, fresh.arguments);
  return state;
}

Status stress::writeState(const std::string &path, const StressState &state) {
  // Messages pass on what files and plug-ins are called, in whatever bytes.
  std::string text =
      nlohmann::json(state).dump(1, ' ', false,
                                 nlohmann::json::error_handler_t::replace) +
      "\n";
  return rt::writeFileAtomically(path, std::as_bytes(std::span(text)));
}

static std::string escaped(std::string_view text) {
  std::string result;
  for (char letter : text)
    switch (letter) {
    case '<':
      result += "&lt;";
      break;
    case '&':
      result += "&amp;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += letter;
    }
  return result;
}

std::string stress::htmlOf(const StressState &state) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>nnhal-stress</title>\n<style>\n"
      ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;"
      "margin:1rem}\n.t{overflow-x:auto}table{border-collapse:collapse}"
      "td,th{border:1px solid #8888;padding:.3rem .6rem;text-align:left}\n"
      ".SUCCESS{color:light-dark(#060,#7d7)}.FAILURE,.HANG,.CRASH{"
      "color:light-dark(#a00,#f88);font-weight:bold}\n</style></head><body>\n";
  auto good = std::ranges::count(state.results, nameOf(Outcome::success),
                                 &TestResult::outcome);
  text += fmt::format("<h1>nnhal-stress {}</h1>\n<p>{} of {} tests ended as "
                      "SUCCESS.</p>\n<p><code>{}</code></p>\n<div "
                      "class=\"t\"><table>\n<tr><th>device</th><th>test</th>"
                      "<th>result</th><th>seconds</th><th>driver</th>"
                      "<th>message</th></tr>\n",
                      escaped(state.version), good, state.results.size(),
                      escaped(state.arguments));
  for (const TestResult &result : state.results)
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"{}\">{}</td><td>{:.1f}</td>"
        "<td>{}</td><td>{}</td></tr>\n",
        escaped(result.device), escaped(result.test), escaped(result.outcome),
        escaped(result.outcome), result.seconds, escaped(result.driver),
        escaped(result.message));
  return text + "</table></div>\n</body></html>\n";
}
