//===- PartitionTesting.h - What tests of partitioning share ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_PARTITION_PARTITIONTESTING_H
#define NNHAL_TEST_UNIT_PARTITION_PARTITIONTESTING_H

#include "SyntheticDevice.h"

#include "Conformance/ModelBuilder.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/OlderDevice.h"
#include "nnhal/Runtime/Partition.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

namespace nnhal::rt::partitiontest {

using conformance::SubgraphBuilder;

/// Devices before the reference device, which is the fallback.
class PartitionTesting : public ::testing::Test {
protected:
  PartitionTesting();

  /// Adds a device before the reference device.
  SyntheticDevice &add(SyntheticOptions options);
  /// One that takes \p types, with \p performance for everything.
  SyntheticDevice &add(std::string name, std::set<OperationType> types,
                       float performance = 0.5f);

  /// One that speaks \p version.
  SyntheticDevice &addOlder(SyntheticOptions options, HalVersion version);

  Result<PartitionPlan> plan(const AnnotatedModel &model) const;
  Result<std::shared_ptr<PartitionedModel>>
  prepare(const AnnotatedModel &model) const;
  /// Returns what prepare() does; a failure of it fails the test, and is null.
  std::shared_ptr<PartitionedModel> prepared(const AnnotatedModel &model) const;

  /// The names of the devices of the execute steps, and "if", "while", "goto":
  /// separated by spaces.
  static std::string describe(const PartitionPlan &plan);
  std::string describe(const AnnotatedModel &model) const;

  std::unique_ptr<Device> reference;
  std::vector<std::unique_ptr<SyntheticDevice>> synthetic;
  /// Devices of older versions, which own synthetic ones.
  std::vector<std::unique_ptr<Device>> older;
  std::vector<const Device *> devices;
  PartitionOptions options;
  std::vector<std::string> log;
};

/// Executes with float inputs and one float output of \p count elements.
Result<std::vector<float>> run(const PreparedModel &model,
                               const std::vector<std::vector<float>> &inputs,
                               size_t count = 4);

/// out = floor(abs(a + b) * b): ADD, ABS, MUL, FLOOR.
AnnotatedModel chainModel();
/// The result for a = 1.25 to 4.25 and b = 2 each.
std::vector<float> chainResult();
std::vector<std::vector<float>> chainInputs();

/// An execution of the chain with these inputs. The request refers to them and
/// to the output.
struct ChainArguments {
  ChainArguments();
  ChainArguments(const ChainArguments &) = delete;

  const std::vector<std::vector<float>> inputs = chainInputs();
  std::vector<float> output = std::vector<float>(4);
  Request request;
  ExecutionResult result;
};

} // namespace nnhal::rt::partitiontest

#endif // NNHAL_TEST_UNIT_PARTITION_PARTITIONTESTING_H
