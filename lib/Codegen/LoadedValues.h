//===- LoadedValues.h - What loaded elements decide -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which values of a module follow from elements that its code loads from
// memory, and whether something bounds them. Elements are those of buffers:
// inputs, constants of the data cache, the arena. No digest covers them, so
// that they may be anything. The fields of the execution context, the extents
// that the runtime states in it, and the constants that are part of the code
// (memref.global) are not elements.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_LOADEDVALUES_H
#define NNHAL_LIB_CODEGEN_LOADEDVALUES_H

#include "IntegerRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"

namespace nnhal {

/// How a value depends on loaded elements: a point of a lattice whose bottom is
/// that it does not.
struct LoadedInfluence {
  bool isLoaded = false;
  /// Nothing bounds it from below or from above.
  bool isOpenBelow = false;
  bool isOpenAbove = false;
  /// Something else than constants of the code bounds it: an extent, or a check
  /// that ends the execution.
  bool isBoundByValue = false;

  static LoadedInfluence anything() { return {true, true, true, false}; }
  bool isBounded() const { return !isOpenBelow && !isOpenAbove; }
  bool operator==(const LoadedInfluence &) const = default;

  LoadedInfluence operator|(const LoadedInfluence &other) const {
    return {isLoaded || other.isLoaded, isOpenBelow || other.isOpenBelow,
            isOpenAbove || other.isOpenAbove,
            isBoundByValue || other.isBoundByValue};
  }
};

/// The influences of all values of a module, as a fixed point.
///
/// Only values count, not which of several values control flow selects: each of
/// them is in bounds by itself. What a loop carries is an exception where
/// nothing bounds the number of its iterations.
class LoadedValues {
public:
  /// \p ranges are those of \p module, and outlive this object.
  LoadedValues(mlir::ModuleOp module, IntegerRanges &ranges);

  /// The influence on \p operand where its owner reads it: checks that have
  /// passed by then bound it.
  LoadedInfluence at(mlir::OpOperand &operand) const {
    return at(operand.get(), operand.getOwner());
  }
  LoadedInfluence at(mlir::Value value, mlir::Operation *reader) const {
    return at(value, reader, deepest);
  }
  /// Returns the value of \p value where \p reader is: a constant, or the one
  /// that a check has compared it with.
  std::optional<int64_t> constantAt(mlir::Value value,
                                    mlir::Operation *reader) const;

  /// Whether \p first has run whenever \p second runs.
  bool isBefore(mlir::Operation *first, mlir::Operation *second) const {
    return dominance.properlyDominates(first, second);
  }

private:
  /// A check that bounds a value from above, otherwise from below, by the value
  /// `bound`, or by the runtime where there is none. What it bounds is the sum
  /// of the value and of `rest`: the value, where something bounds `rest` on
  /// the other side.
  struct Bound {
    mlir::Operation *check;
    mlir::Value bound;
    bool isUpper;
    llvm::SmallVector<mlir::Value, 2> rest;
  };

  /// How many operations and checks are followed from a reader.
  static constexpr unsigned deepest = 64;

  /// A result that at() has found by following `depth` operations. More of them
  /// only tell more.
  struct Answer {
    LoadedInfluence influence;
    unsigned depth;
  };

  LoadedInfluence raw(mlir::Value value) const;
  /// The same, with what is known where \p reader is of the operands of the
  /// last \p depth operations that the value was computed by.
  LoadedInfluence at(mlir::Value value, mlir::Operation *reader,
                     unsigned depth) const;
  LoadedInfluence narrowed(LoadedInfluence influence, mlir::Value value,
                           mlir::Operation *reader, unsigned depth) const;
  void join(mlir::Value value, LoadedInfluence influence);
  void joinAll(mlir::ValueRange values, LoadedInfluence influence);

  void collectBounds(mlir::ModuleOp module);
  void collectBounds(mlir::Operation *check, mlir::Value condition);
  void addBound(mlir::Value value, Bound bound);
  bool holds(const Bound &bound, mlir::Operation *reader, unsigned depth) const;

  void visit(mlir::Operation *op);
  void visitFor(mlir::scf::ForOp loop);
  void visitWhile(mlir::scf::WhileOp loop);
  void visitCall(mlir::func::CallOp call);
  void visitBranch(mlir::Operation *op);
  bool visitYield(mlir::Operation *op);
  LoadedInfluence ofLoad(mlir::LLVM::LoadOp load) const;
  // Judges an operation with what is known where \p reader is.
  LoadedInfluence ofResult(mlir::Operation *op, mlir::Operation *reader,
                           unsigned depth) const;
  std::optional<LoadedInfluence> ofArithmetic(mlir::Operation *op,
                                              mlir::Operation *reader,
                                              unsigned depth) const;
  LoadedInfluence ofMinimum(mlir::Operation *op, bool isMaximum,
                            mlir::Operation *reader, unsigned depth) const;
  LoadedInfluence ofQuotient(mlir::Operation *op, mlir::Operation *reader,
                             unsigned depth) const;
  LoadedInfluence ofSelect(mlir::arith::SelectOp op, mlir::Operation *reader,
                           unsigned depth) const;

  llvm::DenseMap<mlir::Value, LoadedInfluence> influences;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Bound, 2>> bounds;
  /// What is stored, by type, into memory that is no buffer: the frame of
  /// arguments that functions which other threads run take.
  llvm::DenseMap<mlir::Type, LoadedInfluence> stored;
  /// Functions that are called by their name.
  llvm::DenseSet<mlir::Operation *> called;
  /// By value and reader, of the current round.
  mutable llvm::DenseMap<std::pair<mlir::Value, mlir::Operation *>, Answer>
      answers;
  IntegerRanges &ranges;
  mutable mlir::DominanceInfo dominance;
  mlir::SymbolTable symbols;
  bool hasChanged = false;
  /// The influences have reached their fixed point.
  bool isComplete = false;
};

/// Whether the buffer that \p memory is a part of is a constant of the code,
/// which the digest of the code covers.
bool isCodeConstant(mlir::Value memory);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_LOADEDVALUES_H
