//===- Capabilities.h - How fast a device is --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The HAL's Capabilities in all versions (C-016 to C-023). Numbers are ratios
// to the CPU, which is the device nnhal-reference here: 1 is as fast, lower is
// better, FLT_MAX is a type that a device does nothing with.
//
// Threads: values and pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_CAPABILITIES_H
#define NNHAL_RUNTIME_CAPABILITIES_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Model.h"

#include <cfloat>
#include <span>
#include <vector>

namespace nnhal::rt {

/// A performance. Both numbers are finite and positive (C-020).
struct PerformanceInfo {
  float execTime = FLT_MAX;
  float powerUsage = FLT_MAX;
  bool operator==(const PerformanceInfo &) const = default;
};

struct OperandPerformance {
  OperandType type = OperandType::FLOAT32;
  PerformanceInfo info;
  bool operator==(const OperandPerformance &) const = default;
};

/// The capabilities of HAL 1.3 (C-019).
struct Capabilities {
  /// These two replace the performance of FLOAT32 and TENSOR_FLOAT32 in a
  /// relaxed model.
  PerformanceInfo relaxedFloat32toFloat16PerformanceScalar;
  PerformanceInfo relaxedFloat32toFloat16PerformanceTensor;
  /// One entry per type, ascending by type, and never SUBGRAPH (C-021). A type
  /// that is missing has FLT_MAX for both numbers (C-022).
  std::vector<OperandPerformance> operandPerformance;
  /// The performance of the operation itself, without the subgraphs (I-013).
  PerformanceInfo ifPerformance;
  PerformanceInfo whilePerformance;
  bool operator==(const Capabilities &) const = default;
};

/// The capabilities of HAL 1.2 (C-018).
struct Capabilities12 {
  PerformanceInfo relaxedFloat32toFloat16PerformanceScalar;
  PerformanceInfo relaxedFloat32toFloat16PerformanceTensor;
  std::vector<OperandPerformance> operandPerformance;
  bool operator==(const Capabilities12 &) const = default;
};

/// The capabilities of HAL 1.1 (C-017).
struct Capabilities11 {
  PerformanceInfo float32Performance;
  PerformanceInfo quantized8Performance;
  PerformanceInfo relaxedFloat32toFloat16Performance;
  bool operator==(const Capabilities11 &) const = default;
};

/// The capabilities of HAL 1.0 (C-016).
struct Capabilities10 {
  PerformanceInfo float32Performance;
  PerformanceInfo quantized8Performance;
  bool operator==(const Capabilities10 &) const = default;
};

/// Returns success when \p capabilities may leave a driver (C-020, C-021,
/// C-026). Otherwise fails with invalidArgument, which names the entry, the
/// found value and the bound.
NNHAL_API Status validateCapabilities(const Capabilities &capabilities);

/// Gives \p info to every fundamental and OEM type of \p version but SUBGRAPH,
/// ascending by type (K-040).
NNHAL_API std::vector<OperandPerformance>
nonExtensionOperandPerformance(PerformanceInfo info,
                               HalVersion version = HalVersion::V1_3);

/// Gives \p info to every type, relaxed or not, and to IF and WHILE.
NNHAL_API Capabilities uniformCapabilities(PerformanceInfo info);

/// Replaces the entry of \p type. A type without an entry ends the process
/// (K-041).
NNHAL_API void update(std::span<OperandPerformance> performance,
                      OperandType type, PerformanceInfo info);

/// Returns the entry of \p type, or FLT_MAX twice when there is none, as for
/// every extension type (K-042, K-043). SUBGRAPH has no performance: a request
/// for it ends the process.
NNHAL_API PerformanceInfo
lookUp(std::span<const OperandPerformance> performance, OperandType type);

/// Returns the performance that a device with \p capabilities has for
/// \p operation of \p subgraph of \p model, which is valid: that of the type of
/// its first input, relaxed where the model is, or ifPerformance or
/// whilePerformance (C-023, I-010). Both numbers are FLT_MAX for an operation
/// without inputs (I-011).
NNHAL_API PerformanceInfo performanceOf(const Capabilities &capabilities,
                                        const Model &model,
                                        const Subgraph &subgraph,
                                        const Operation &operation);

/// Whether the form of \p version says as much as \p capabilities (K-025 to
/// K-027). Types that a version does not have do not count.
NNHAL_API bool isCompliantWith(const Capabilities &capabilities,
                               HalVersion version);

/// Returns the form of an older version. It loses everything that the version
/// has no place for, also when the device is not compliant (C-025).
NNHAL_API Capabilities12 toCapabilities12(const Capabilities &capabilities);
NNHAL_API Capabilities11 toCapabilities11(const Capabilities &capabilities);
NNHAL_API Capabilities10 toCapabilities10(const Capabilities &capabilities);

/// Returns the form of HAL 1.3 of the capabilities that an older driver states.
/// The quantized performance is also that of TENSOR_QUANT8_ASYMM itself
/// (K-028); IF and WHILE have none (K-029).
NNHAL_API Capabilities toCapabilities(const Capabilities12 &capabilities);
NNHAL_API Capabilities toCapabilities(const Capabilities11 &capabilities);
NNHAL_API Capabilities toCapabilities(const Capabilities10 &capabilities);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_CAPABILITIES_H
