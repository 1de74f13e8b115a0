//===- TargetBackend.h - What the compiler asks of a target -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder below lib/Target is a target. docs/Compiler/AddingATarget.md says
// how to write one.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_TARGETBACKEND_H
#define NNHAL_LIB_TARGET_TARGETBACKEND_H

#include "Cancellation.h"
#include "KernelLibrary.h"
#include "Runtime/Artifact/ModelCache.h"
#include "TimedPart.h"
#include "nnhal/Compiler/Phases.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/Target.h"
#include "nnhal/Runtime/Status.h"

#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace nnhal {

/// The choices of a caller about the target.
struct TargetOptions {
  /// LLVM's names of a machine. Where all three are empty it is the one that
  /// the compiler runs on, "host" as `cpu` is that machine, too.
  std::string triple;
  std::string cpu;
  /// "+NAME,-NAME": added to what the CPU has, or taken away.
  std::string features;
  /// Parameters of the attribute in place of those that follow from the
  /// machine, each as `name=value`, with dashes for underscores.
  std::vector<std::string> parameters = {};
  /// Where no machine is named, parameters have their defaults: what tests and
  /// tools print is the same on every machine then.
  bool isOfNoMachine = false;
};

/// Facts that the attribute of the module does not tell the passes of a phase.
struct PhaseOptions {
  /// Bytes before the constants in the data cache.
  int64_t constantsOffset = 0;
  /// The last phase runs on parts of the module, which threads may share, and
  /// leaves one module for each.
  bool inParts = false;
  /// The last phase looks up machine code of kernels here; null where none is
  /// kept.
  KernelLibrary *kernels = nullptr;
};

/// Services of the compiler for targets that emit code.
struct EmissionServices {
  /// Emission stops when it is requested; what it leaves then is not used.
  Cancellation &cancellation;
  /// ELF objects as a position-independent shared object without dependencies.
  std::function<rt::Result<std::vector<std::byte>>(llvm::ArrayRef<Object>)>
      linkObjects;
  /// That of PhaseOptions.
  KernelLibrary &kernels;
  /// Is told of each object that is made, and of the link; may be empty.
  PartObserver part;
};

/// Code and constants of a model.
struct EmittedCode {
  rt::TargetKind kind = rt::TargetKind::x86_64Elf;
  std::string cpu;
  /// Features of the processor, in the form of rt::CodeSection::features.
  std::string features;
  std::vector<std::byte> code;
  std::vector<std::byte> dataCache;
  /// The functions that the runtime calls. The compiler adds which inputs they
  /// ask for.
  std::vector<rt::ArtifactEntry> entries;
  std::vector<rt::ConstantRegion> constants = {};
  std::vector<uint32_t> routineSlots = {};
};

/// One target of the compiler.
///
/// The phases `legalize` and `lower` are those of every target, but for what
/// its LoweringPolicy decides. All that follows is the target's own.
class TargetBackend : public TargetInterface {
public:
  /// The attribute by which passes and emission know what \p options ask for.
  /// Fails with invalidArgument for what the target does not know.
  virtual rt::Result<TargetAttr> describe(mlir::MLIRContext &context,
                                          const TargetOptions &options,
                                          rt::Rounding rounding) const = 0;

  /// Fails, after errors that name operations, where the target does not
  /// execute \p model, which has not been raised. By default it executes all.
  virtual llvm::LogicalResult checkSupported(ModelOp model) const {
    return llvm::success();
  }

  /// Whether all extents must be known when code is made.
  virtual bool needsKnownExtents() const { return false; }

  /// Adds the passes of \p phase, one after `lower`, to \p pm, which runs on
  /// modules. A phase that the target has no use for adds none.
  virtual void addPhase(mlir::OpPassManager &pm, Phase phase,
                        const PhaseOptions &options) const = 0;

  /// Makes code of \p module, which all phases have been run on.
  virtual rt::Result<EmittedCode>
  emit(mlir::ModuleOp module, const EmissionServices &services) const = 0;
};

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_TARGETBACKEND_H
