//===- Support.h - The operations that each device takes --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_PARTITION_SUPPORT_H
#define NNHAL_LIB_RUNTIME_PARTITION_SUPPORT_H

#include "nnhal/Backend/CalledGraphs.h"
#include "nnhal/Runtime/Partition.h"

#include <map>
#include <span>
#include <vector>

namespace nnhal::rt {
class Slices;
}

namespace nnhal::rt::partition {

/// One status per operation of a subgraph.
using Answers = std::vector<Status>;

/// The answers of devices about the subgraphs of one model. Each is asked once
/// per subgraph (I-008), when somebody wants to know.
///
/// Threads: one at a time. The arguments of the constructor live longer.
class Support {
public:
  Support(const AnnotatedModel &model, std::span<const Device *const> devices,
          const Device *fallback, bool strictSlicing)
      : model(model), devices(devices), fallback(fallback),
        strictSlicing(strictSlicing), graphs(model.model) {}

  /// One list per device.
  const std::vector<Answers> &of(uint32_t subgraph);

private:
  /// Devices of older HAL versions are asked about a slice (I-064).
  Answers ask(const Device &device, const Slices &asked);
  void refuseForeign(const Model &model, const Device &device,
                     Answers &answers) const;
  void refuseDeep(const Subgraph &subgraph, Answers &answers);

  const AnnotatedModel &model;
  std::span<const Device *const> devices;
  const Device *fallback;
  const bool strictSlicing;
  CalledGraphs graphs;
  std::map<uint32_t, std::vector<Answers>> known;
};

} // namespace nnhal::rt::partition

#endif // NNHAL_LIB_RUNTIME_PARTITION_SUPPORT_H
