//===- KernelContent.h - Which kernels are equal ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is known by what it consists of: two that are equal here have equal
// machine code, whichever models they are of, and whatever their names are.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_KERNELCONTENT_H
#define NNHAL_LIB_TARGET_CPU_KERNELCONTENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/BLAKE3.h"

#include <array>
#include <optional>
#include <string>

namespace nnhal {

/// Computes keys of kernels of one module.
///
/// Threads: one at a time.
class KernelContent {
public:
  /// \p context is what else decides the code: the target, for example.
  KernelContent(const mlir::SymbolTable &symbols, llvm::StringRef context)
      : symbols(symbols), context(context) {}

  /// The key of \p functions, which call nothing but each other: a BLAKE3
  /// digest in hexadecimal digits. Nothing where they have what is not written
  /// down in the IR, or refer to something else than constant globals. Names
  /// and locations do not matter.
  std::optional<std::string>
  keyOf(llvm::ArrayRef<mlir::func::FuncOp> functions);

private:
  using Digest = std::array<uint8_t, 16>;
  enum class Item : uint8_t { operation, block, region, callee, global };

  bool add(mlir::Operation *op);
  bool add(mlir::Region &region);
  bool addSymbol(mlir::Operation *op, llvm::StringRef name);
  bool addAttributes(mlir::Operation *op, llvm::StringRef leftOut);
  void add(Item item);
  void add(uint32_t number);
  void add(const Digest &digest);
  void add(mlir::Type type);
  /// Gives \p value the next number.
  void define(mlir::Value value);

  const mlir::SymbolTable &symbols;
  llvm::StringRef context;
  /// The bytes whose digest is the key, together: BLAKE3 is slow in pieces.
  llvm::SmallVector<uint8_t, 0> content;
  llvm::DenseMap<mlir::Value, uint32_t> values;
  llvm::DenseMap<mlir::Block *, uint32_t> blocks;
  llvm::DenseMap<llvm::StringRef, uint32_t> callees;
  /// Texts of attributes, types and names of operations are long, and there are
  /// few.
  llvm::DenseMap<const void *, std::optional<Digest>> digests;
};

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_KERNELCONTENT_H
