//===- Machine.h - The machine that code is made for ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_MACHINE_H
#define NNHAL_LIB_TARGET_CPU_MACHINE_H

#include "ExpandMissing.h"

#include "Target/TargetBackend.h"

#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace nnhal {

/// A target machine and the facts about it that passes need.
///
/// Threads: one compilation uses one Machine, from any of its threads but for
///          machine(), which belongs to the one that created it.
class Machine {
public:
  /// invalidArgument for a triple, CPU or feature that is not supported.
  static rt::Result<Machine> create(const TargetOptions &options);
  /// The one that parameters of \p target name as it was described, or else
  /// the host.
  static rt::Result<Machine> of(TargetAttr target);

  llvm::TargetMachine &machine() const { return *targetMachine; }
  /// One more machine like machine(), for code at level \p level. Each thread
  /// needs one of its own.
  std::unique_ptr<llvm::TargetMachine>
  createMachine(llvm::CodeGenOptLevel level) const;
  rt::TargetKind kind() const { return targetKind; }
  /// Width in bits of the widest vector register worth using.
  int64_t vectorBits() const { return widestVector; }
  int64_t vectorRegisters() const { return registerCount; }
  std::optional<QuadSigns> dotProduct() const { return quadSigns; }
  const MissingInstructions &missing() const { return missingInstructions; }
  std::string triple() const { return targetMachine->getTargetTriple().str(); }
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
  Machine() = default;
  static rt::Result<Machine> make(const std::string &triple,
                                  const std::string &cpu,
                                  const std::string &features);

  std::unique_ptr<llvm::TargetMachine> targetMachine;
  rt::TargetKind targetKind = rt::TargetKind::x86_64Elf;
  int64_t widestVector = 128;
  int64_t registerCount = 16;
  std::optional<QuadSigns> quadSigns;
  MissingInstructions missingInstructions;
};

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_MACHINE_H
