//===- PartitionModels.h - Both planners on models of files -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BENCHMARKS_PARTITIONMODELS_H
#define NNHAL_BENCHMARKS_PARTITIONMODELS_H

#include <span>
#include <string_view>

namespace nnhal::benchmarks {

/// Plans the models of \p paths, .tflite files, by both planners over the sets
/// of devices of docs/Devices/Partitioning.md, and prints a table. Returns the
/// exit status of the program: 1 for a file that cannot be read or planned.
int comparePlanners(std::span<const std::string_view> paths);

} // namespace nnhal::benchmarks

#endif // NNHAL_BENCHMARKS_PARTITIONMODELS_H
