//===- CostModel.h - The numbers by which kernels are tuned -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table for each kind of processor, which docs/Compiler/CostModel.md
// explains. Whatever decides about tiles, order, packing, fusion or threads
// reads its numbers here.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_COSTMODEL_H
#define NNHAL_LIB_TARGET_CPU_COSTMODEL_H

#include "nnhal/Dialect/NNHal/IR/Target.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace nnhal::kernel {

/// Sizes are in bytes, counts in what their name says.
struct CostModel {
  /// Registers of a panel of weights, the best first; zeros at the end.
  std::array<int64_t, 3> panelRegisters;
  /// Output pixels of a tile whose panels have 1, 2, 3 and 4 registers.
  std::array<int64_t, 4> tileRows;
  /// Output pixels of a tile of a convolution to one channel.
  int64_t singleRows;
  /// Fewer accumulators leave multiply-add units idle: such a tile computes
  /// several panels, of `mostAccumulators` together.
  int64_t leastAccumulators;
  int64_t mostAccumulators;
  /// Accumulators of a tile of a depthwise convolution or pool.
  int64_t windowAccumulators;
  /// Output rows of such a tile; of floats, if all windows of an image have at
  /// least `windowProducts` elements together.
  int64_t windowRows;
  int64_t windowProducts;
  /// Tiles may compute one of so many output pixels of a row a second time, so
  /// that all of them have one size.
  int64_t overlappedPixels;
  /// A tile of a convolution may leave out one of so many output pixels that it
  /// could have, if all tiles have one size then.
  int64_t fewerRows;
  /// Distance of the first and the last tap of a window up to which tiles of
  /// floats at its left and right border have the code of the others.
  int64_t maskedSpan;
  /// Windows up to this width are unrolled.
  int64_t unrolledTaps;
  /// Steps of a float convolution's inner loop that one round of it takes, at
  /// most, and the products from which on it takes no more of them.
  int64_t unrolledSteps;
  int64_t unrolledProducts;
  /// Rows that are joined at once to a row of results.
  int64_t joinedRounds;
  /// Rows of at most so many elements, whose columns are registers at once, are
  /// reduced a vector of rows at a time where there are at least so many rows.
  int64_t shortRow;
  int64_t shortRows;
  /// An input up to this size stays in the second-level cache.
  int64_t inputCache;
  /// A packed filter up to this size does.
  int64_t filterCache;
  /// A larger output does not.
  int64_t outputCache;
  /// A packed filter, or what a tile of a depthwise convolution or pool reads
  /// and writes, up to this size stays in the first-level cache.
  int64_t innerCache;
  /// Panels of at most this many steps cost little to read again.
  int64_t shortDepth;
  /// Filter rows of fewer contiguous inputs are read through a table.
  int64_t shortRun;
  /// With at most this many pixels the weights set the time: they are
  /// prefetched.
  int64_t prefetchedPixels;
  /// What one kernel leaves for the next is computed band by band where it is
  /// larger than this, so that a band stays in the second-level cache.
  int64_t bandCache;
  /// So many steps of its loop ahead of their use the weights of a single pixel
  /// are prefetched.
  int64_t prefetchedSteps;
  /// Size of a line of the caches.
  int64_t cacheLine;
  /// Pixels at a multiple of this distance compete for the same lines of the
  /// first-level cache.
  int64_t conflictDistance;
  /// An epilogue of so many operations is long: it is a loop over stored sums
  /// in place of code for each accumulator.
  int64_t longEpilogue;
  /// An epilogue that computes functions is not fused into a kernel of fewer
  /// channels: a register there holds those of one pixel.
  int64_t fusedChannels;
  /// Inputs of more channels are padded to whole quads; those of a picture are
  /// not.
  int64_t paddedChannels;
  /// Registers, at most, that accumulate what is reduced along a contiguous
  /// dimension; its highest power of two counts.
  int64_t reductionAccumulators;
  /// Bits, at most, of a row of a tile that is transposed in registers.
  int64_t transposedBits;
  /// Estimated nanoseconds of the shortest loop nest that threads share.
  int64_t splitWork;
  /// Estimated nanoseconds of the shortest piece of such a nest.
  int64_t splitPiece;
  /// With so many pieces threads end at about the same time: no inner loop is
  /// looked at for more.
  int64_t splitPieces;
  /// Elements, at least, of each part of a reduction that has no dimension
  /// which threads could share.
  int64_t reducedPart;
  /// Elements, at least, of which each part makes one partial result.
  int64_t joinedElements;
  /// Million cycles of a second, in estimates.
  int64_t estimatedClock;
  /// Bits of the register of estimates, on every target.
  int64_t estimatedRegister;
  /// Rounds of a loop of which nothing is known, in estimates.
  int64_t estimatedRounds;
  /// Cycles that a division or a function of the math dialect takes more than
  /// others, in estimates.
  int64_t estimatedFunction;
  /// LLVM's instructions of functions without loops, before its passes, from
  /// which on code for them is made quickly rather than well.
  int64_t longEntry;
  /// Loads and stores of a basic block from which on LLVM does not reduce the
  /// strength of what addresses are computed by.
  int64_t longRound;

  /// The table of targets with `registers` vector registers.
  static const CostModel &forRegisters(int64_t registers);

  /// Sets numbers, each given as `name=value`, the name as in
  /// docs/Compiler/CostModel.md. Fails with a message to \p report for another
  /// name or a value outside of 1 to 2^30.
  llvm::LogicalResult set(llvm::ArrayRef<std::string> assignments,
                          llvm::function_ref<void(const llvm::Twine &)> report);

  /// Calls \p visit with the name and value of each number, in the order of the
  /// table.
  void visit(llvm::function_ref<void(llvm::StringRef, int64_t &)> visit);
};

/// The vector unit that kernels are made for.
struct KernelTarget {
  /// Width of one register: 128, 256 or 512.
  int64_t vectorBits = 256;
  /// Number of registers: 16, or 32 with AVX-512 and NEON.
  int64_t registers = 16;
  /// In place of the table.
  std::optional<CostModel> tuned = {};
  /// The instruction, if any, that adds four products of 8 bits to each
  /// accumulator of 32: vpdpbusd of AVX-512 VNNI and AVX-VNNI has unsigned
  /// inputs, sdot of AArch64 signed ones.
  std::optional<QuadSigns> dotProduct = {};

  /// Reads the \p parameters of a TargetAttr, which may be null:
  /// `vector_bits`, `vector_registers`, `dot_product`, numbers of the table,
  /// and `triple`, `cpu` and `features`, strings that Machine reads.
  /// Nothing after a message to \p report where they are not valid.
  static std::optional<KernelTarget>
  read(mlir::DictionaryAttr parameters,
       llvm::function_ref<void(const llvm::Twine &)> report);
  /// Reads those of the target of the module around \p op, with errors at \p
  /// op.
  static std::optional<KernelTarget> of(mlir::Operation *op);

  /// f32 elements of one register.
  int64_t lanes() const { return vectorBits / 32; }
  const CostModel &costs() const {
    return tuned ? *tuned : CostModel::forRegisters(registers);
  }
  /// Output channels of one panel of a convolution with \p channels output
  /// channels: one to four registers, chosen so that panels divide the channels
  /// evenly where that is possible. Always a multiple of 4.
  int64_t panelWidth(int64_t channels) const;
  /// Changes numbers of the table; see CostModel::set.
  llvm::LogicalResult
  tune(llvm::ArrayRef<std::string> assignments,
       llvm::function_ref<void(const llvm::Twine &)> report);
};

/// The names of instructions as values of `dot_product`: "unsigned-by-signed",
/// "signed-by-signed" and "none".
llvm::StringRef stringifyDotProduct(std::optional<QuadSigns> dotProduct);

} // namespace nnhal::kernel

#endif // NNHAL_LIB_TARGET_CPU_COSTMODEL_H
