//===- Seed.h - One seed from graph to report -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_SEED_H
#define NNHAL_TEST_RANDOMGRAPH_SEED_H

#include "Tools/Verify/Judge.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>

namespace nnhal::randomgraph {

using namespace verify;

/// How often something happened, by operation type.
using Counts = std::map<std::string, uint64_t>;

/// What became of one seed or, added up, of many.
struct Totals {
  uint64_t graphs = 0;
  /// Graphs of which a device takes no operation.
  uint64_t emptied = 0;
  /// Graphs beyond the table whose operations are right one by one.
  uint64_t accumulated = 0;
  /// Graphs whose execution had to fail.
  uint64_t failing = 0;
  /// Unknown extents had to be stated; parameters had to be constants.
  uint64_t madeStatic = 0;
  uint64_t fixedParameters = 0;
  /// Operations of main graphs: run on the device; not taken by it; right by
  /// their conditioning rather than by the table.
  Counts executed, dropped, conditioned;

  void add(const Totals &other);
};

struct Failure {
  uint64_t seed = 0;
  std::string stage;
  std::string message;
  /// The shrunk case; empty when it could not be written.
  std::string file;
  /// Operations of its main graph.
  std::string operations;
};

struct SeedReport {
  Totals totals;
  std::optional<Failure> failure;
};

/// What the results of graphs are held against.
enum class Criteria {
  /// The table of docs/Devices/TestCases.md.
  table,
  /// What Android's random-graph test demands (L-056 to L-060).
  hal,
};

/// How a seed is run.
struct SeedOptions {
  /// The folder where failing cases go.
  std::string failures = {};
  Criteria criteria = Criteria::table;
  /// The only operation of each graph, "all" for each in turn; empty for graphs
  /// of any operations.
  std::string operation = {};
};

/// The graph of \p seed as \p options want it. Fails like generateGraph().
rt::Result<rt::TestCase> generateFor(const rt::Device &reference, uint64_t seed,
                                     const SeedOptions &options);

/// How \p test, and what is left of it when it is shrunk, is to be judged.
JudgeOptions judgeOptionsFor(const SeedOptions &options,
                             const rt::TestCase &test);

/// Generates the graph of \p seed, cuts it down to what \p tested takes, judges
/// it and, if it fails, shrinks it and writes it into the folder of failures.
SeedReport runSeed(const rt::Device &tested, const rt::Device &reference,
                   uint64_t seed, const SeedOptions &options);

/// Shrinks \p test with \p symptom and writes it into the folder \p failures.
Failure keepFailure(const rt::Device &reference, rt::TestCase test,
                    const std::function<bool(const rt::TestCase &)> &symptom,
                    const std::string &failures);

/// Whether \p tested claims to support \p test and is then wrong.
bool isMismatch(const rt::Device &tested, const rt::Device &reference,
                const rt::TestCase &test, const JudgeOptions &options = {});

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Totals, graphs, emptied, accumulated,
                                   failing, madeStatic, fixedParameters,
                                   executed, dropped, conditioned)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Failure, seed, stage, message, file,
                                   operations)

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_SEED_H
