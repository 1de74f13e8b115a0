//===- Soak.h - Many seeds, resumably ---------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_SOAK_H
#define NNHAL_TEST_RANDOMGRAPH_SOAK_H

#include "Seed.h"

#include "nnhal/Runtime/Device.h"

#include <chrono>
#include <string>
#include <vector>

namespace nnhal::randomgraph {

struct SoakOptions {
  std::string device = "nnhal-cpu";
  /// The socket of the service that has the device; empty for this process.
  std::string service;
  uint64_t begin = 0;
  uint64_t end = 0;
  unsigned jobs = 1;
  /// Where it stands is kept here, and taken up again; may be empty.
  std::string state;
  /// The folder of failures is created when there is one.
  SeedOptions graphs = {.failures = "random-graph-failures"};
  /// The limit of one graph, its shrinking not included.
  std::chrono::seconds timeout{120};
};

/// What became of the seeds from begin on that are done.
struct SoakState {
  std::string device;
  std::string version;
  /// What the graphs are, "--criteria=hal" for example.
  std::string graphs;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t next = 0;
  Totals totals;
  std::vector<Failure> failures;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SoakState, device, version, graphs, begin,
                                   end, next, totals, failures)

/// The arguments that make a program run graphs as \p options say.
std::vector<std::string> argumentsFor(const SeedOptions &options);

/// invalidArgument when \p path is of another device or another range.
rt::Result<SoakState> readState(const std::string &path,
                                const SoakOptions &options,
                                const rt::Device &device);
rt::Status writeState(const std::string &path, const SoakState &state);

/// Runs the seeds that \p options ask for in processes of their own: one that
/// crashes or hangs is a failure of its seed.
rt::Result<SoakState> soak(const SoakOptions &options, const rt::Device &tested,
                           const rt::Device &reference);

/// Answers lines of standard input until it ends: what the processes of soak()
/// do.
void work(const rt::Device &tested, const rt::Device &reference,
          const SeedOptions &options);

/// A table for people.
std::string summary(const SoakState &state);

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_SOAK_H
