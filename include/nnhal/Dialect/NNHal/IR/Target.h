//===- Target.h - What passes ask about the target --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module says in its attribute `nnhal.target` what it is compiled for. The
// dialects and conversions know no target: what a conversion does differently
// for some targets it asks through LoweringPolicy, which the target that the
// attribute names implements.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_TARGET_H
#define NNHAL_DIALECT_NNHAL_IR_TARGET_H

#include "nnhal/Dialect/NNHal/IR/NNHal.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace nnhal {

/// The attribute of modules whose value is a TargetAttr.
inline constexpr llvm::StringLiteral targetAttrName = "nnhal.target";

/// The names of policies in text: "double", "single" and "float".
llvm::StringRef stringifyRounding(rt::Rounding rounding);
std::optional<rt::Rounding> symbolizeRounding(llvm::StringRef name);

/// The target of the innermost module around \p op that states one, \p op
/// included; null where none does.
TargetAttr findTarget(mlir::Operation *op);

/// The signs that the factors of quads have: of four inputs of 8 bits, and the
/// four signed weights with which one instruction multiplies them.
enum class QuadSigns { unsignedBySigned, signedBySigned };

/// A lowering policy holds the decisions of a target about the lowering to
/// linalg, and about the order of constants that nnk-pack-convolutions makes.
/// The base class is that of targets without micro-kernels.
class LoweringPolicy {
public:
  virtual ~LoweringPolicy();

  /// The output channels of one panel of a kernel of \p channels output
  /// channels; 0 where the target has no micro-kernels whose constants are in
  /// panels.
  virtual int64_t panelWidth(int64_t channels) const;
  /// How 8-bit contractions over \p channels input channels are multiplied in
  /// quads; nothing where pairs are faster, or all that there is.
  virtual std::optional<QuadSigns> quadSigns(int64_t channels) const;
  /// Functions of mathematics are computed in the epilogue of a micro-kernel of
  /// at least so many channels.
  virtual int64_t fusedChannels() const;
  /// Whether micro-kernels read and store f16, which others convert before them
  /// and after them.
  virtual bool hasHalfKernels() const;
  /// Whether micro-kernels read operands whose neighboring channels are apart,
  /// as those of a slice with a step.
  virtual bool readsChannelsApart() const;
  /// Whether code may call routines of the runtime (`nnrt.call_routine`) for
  /// irregular work. Without, that is lowered to loops.
  virtual bool hasRoutines() const;
};

/// A target as the passes of every target see it.
///
/// Ownership: a target lives as long as the program.
/// Threads:   all members may be called from any thread at once.
class TargetInterface {
public:
  virtual ~TargetInterface();

  /// The name that attributes and options have for the target.
  virtual llvm::StringRef getName() const = 0;
  /// Checks the parameters of \p target, which names this one: the dialect asks
  /// wherever a module states it. Fails after a message to \p report. By
  /// default all parameters are valid.
  virtual llvm::LogicalResult
  verifyParameters(TargetAttr target,
                   llvm::function_ref<void(const llvm::Twine &)> report) const;
  /// The policy for \p target, which names this one. Null after a message to
  /// \p report where its parameters are not valid.
  virtual std::unique_ptr<LoweringPolicy>
  getLoweringPolicy(TargetAttr target,
                    llvm::function_ref<void(const llvm::Twine &)> report) const;
  /// Gives operations of dialects the models of interfaces that the passes of
  /// the target ask for, in contexts that are made from \p registry.
  virtual void registerModels(mlir::DialectRegistry &registry) const;
};

/// Lets contexts that are made from \p registry know \p target, with its models
/// of interfaces.
void registerTarget(mlir::DialectRegistry &registry,
                    const TargetInterface &target);

/// The policy of the target of \p op, or that of no target where no module
/// states one. Null after an error at \p op where the context has no such
/// target or the attribute's parameters are not valid.
std::unique_ptr<LoweringPolicy> loweringPolicyOf(mlir::Operation *op);

} // namespace nnhal

#endif // NNHAL_DIALECT_NNHAL_IR_TARGET_H
