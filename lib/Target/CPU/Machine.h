//===- Machine.h - The machine that code is made for ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_MACHINE_H
#define NNHAL_LIB_TARGET_CPU_MACHINE_H

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Dialect/Kernel/CostModel.h"
#include "nnhal/Runtime/Status.h"

#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace nnhal {

/// What a caller may choose about the target; empty means the host's.
struct TargetOptions {
  std::string triple;
  std::string cpu;
  /// "+avx2,-avx512f": added to what the CPU has.
  std::string features;
};

/// A target machine and the facts about it that passes need.
///
/// Threads: one compilation uses one Target, from any of its threads but for
///          machine(), which belongs to the one that created it.
class Target {
public:
  /// invalidArgument for a triple, CPU or feature that is not supported.
  static rt::Result<Target> create(const TargetOptions &options);

  llvm::TargetMachine &machine() const { return *targetMachine; }
  /// One more machine like machine(): each thread needs one of its own.
  std::unique_ptr<llvm::TargetMachine> createMachine() const;
  rt::TargetKind kind() const { return targetKind; }
  /// Width in bits of the widest vector register worth using.
  int64_t vectorBits() const { return widestVector; }
  int64_t vectorRegisters() const { return registerCount; }
  kernel::DotProduct dotProduct() const { return dotProductKind; }
  std::string cpu() const { return targetMachine->getTargetCPU().str(); }
  /// What LLVM is told: the host's features where it is the host's CPU, and
  /// what the caller added.
  std::string featureString() const {
    return targetMachine->getTargetFeatureString().str();
  }
  /// Every feature that code may use, those that the CPU's name implies
  /// included: "+avx,+avx2,...".
  std::string enabledFeatures() const;

private:
  Target() = default;

  std::unique_ptr<llvm::TargetMachine> targetMachine;
  rt::TargetKind targetKind = rt::TargetKind::x86_64Elf;
  int64_t widestVector = 128;
  int64_t registerCount = 16;
  kernel::DotProduct dotProductKind = kernel::DotProduct::none;
};

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_MACHINE_H
