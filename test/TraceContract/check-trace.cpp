//===- check-trace.cpp - Checks a trace file ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// check-trace FILE: times by layer and phase of what nnhal-run --trace wrote.
// Exit status: 0, 1 when the trace breaks its contract, 2 wrong usage.
//
//===----------------------------------------------------------------------===//

#include "TraceContract.h"

#include "nnhal/Runtime/Memory.h"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

int main(int argc, char **argv) {
  constexpr const char *usage = "usage: check-trace FILE\n";
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    fmt::print("{}", usage);
    return 0;
  }
  if (argc != 2) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  Result<Memory> file = Memory::readFile(argv[1]);
  if (!file.isOk()) {
    fmt::print(stderr, "error: {}\n", file.status().message());
    return 1;
  }
  std::span<const std::byte> bytes = *file->bytes();
  auto events =
      readTrace({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (!events.isOk()) {
    fmt::print(stderr, "error: {}: {}\n", argv[1], events.status().message());
    return 1;
  }
  TraceReport report = checkTrace(*std::move(events));
  fmt::print("{}", describe(report));
  for (const std::string &problem : report.problems)
    fmt::print(stderr, "error: {}\n", problem);
  return report.problems.empty() ? 0 : 1;
}
