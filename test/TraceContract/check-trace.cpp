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

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

int main(int argc, char **argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: check-trace FILE\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  auto events = readTrace(text);
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
