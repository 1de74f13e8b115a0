//===- KernelArguments.h - What kernels are called with ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers of one shape differ in numbers: multiplier, shift and zero point of a
// requantization, the slice of a tensor that a step of a recurrent network
// reads. A kernel that has them as arguments serves all such layers, those of
// other models included.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_KERNELARGUMENTS_H
#define NNHAL_LIB_TARGET_CPU_KERNELARGUMENTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

namespace nnhal {

/// Whether an address in \p code may depend on elements of a tensor: constants
/// bound it, which no other kernel may share then.
bool addressesByData(mlir::Operation *code);

/// The operations of a kernel that use each value, in the order of the first
/// use. Elsewhere a constant has thousands of users.
using KernelUses =
    llvm::MapVector<mlir::Value, llvm::SmallVector<mlir::Operation *>>;

/// The constants among \p definitions, which a kernel would make for itself and
/// \p uses has the users of, that become arguments: scalars and vectors of one
/// number that the layer decides and not the algorithm. There are none where
/// there would be too many.
llvm::SmallVector<mlir::arith::ConstantOp>
findNumbers(llvm::ArrayRef<mlir::Operation *> definitions,
            const KernelUses &uses);

/// Whether a kernel whose operations \p users use \p value has it as an
/// argument although it is constant: where the last of some overlapping tiles
/// is, which is all that tells bands of one image apart that differ in height.
/// A bound of an address by data looks the same and is none.
bool isLastPosition(mlir::Value value, llvm::ArrayRef<mlir::Operation *> users);

/// The scalars of \p numbers, those of each element type as one array, in the
/// order of the first of each: a kernel has one buffer for each as argument.
llvm::SmallVector<mlir::DenseElementsAttr>
toArrays(llvm::ArrayRef<mlir::arith::ConstantOp> numbers);

/// The buffer that \p array fills.
mlir::MemRefType bufferTypeOf(mlir::DenseElementsAttr array);

/// Constant globals for arrays of numbers, one for each content.
class NumberBuffers {
public:
  /// The globals stand before \p entry, whose module has \p symbols.
  NumberBuffers(mlir::func::FuncOp entry, mlir::SymbolTable &symbols)
      : entry(entry), symbols(symbols) {}

  /// The buffer that \p array fills, as \p builder refers to it.
  mlir::Value get(mlir::DenseElementsAttr array, mlir::OpBuilder &builder);

private:
  mlir::func::FuncOp entry;
  mlir::SymbolTable &symbols;
  llvm::DenseMap<mlir::Attribute, mlir::memref::GlobalOp> globals;
};

/// The operations that load \p numbers from \p buffers, those of toArrays, in
/// the order of \p numbers.
llvm::SmallVector<mlir::memref::LoadOp>
loadsOf(llvm::ArrayRef<mlir::arith::ConstantOp> numbers,
        mlir::ValueRange buffers, mlir::OpBuilder &builder);

/// Replaces \p numbers, which are in a kernel, by what its arguments \p buffers
/// hold, those of toArrays. A number is loaded where it is used: as a register
/// that lives throughout an accumulation it would take the place of a sum.
void loadNumbers(llvm::ArrayRef<mlir::arith::ConstantOp> numbers,
                 mlir::ValueRange buffers);

/// Whether \p op loads one of the numbers that the function around it, one of
/// OutlineOperations, has as arguments: from an array that is only loaded from
/// and passed on, at a constant position.
bool loadsNumber(mlir::Operation *op);

/// Loads what \p loads, in a kernel, have loaded where it is used, for the same
/// reason. Nothing writes where they load from, at constant positions.
void sinkLoads(llvm::ArrayRef<mlir::memref::LoadOp> loads);

/// \p type as that of a buffer that begins at its first element, where it is
/// one of known extents and distances at a known offset.
mlir::Type withoutOffset(mlir::Type type);

/// The type of the argument for \p capture, a value that \p loop uses: a buffer
/// that is only loaded from and stored to begins at its first element, not at
/// an offset that the type states.
mlir::Type argumentTypeOf(mlir::Value capture, mlir::LoopLikeOpInterface loop);

/// The types of the arguments of \p kernel without what its code does not
/// depend on: the extents of buffers of one dimension that it only loads from
/// and stores to, unless data decides where.
llvm::SmallVector<mlir::Type> typesWithoutExtents(mlir::func::FuncOp kernel);

/// Gives the arguments of \p kernel the types \p types.
void setArgumentTypes(mlir::func::FuncOp kernel, mlir::TypeRange types);

/// \p capture as an argument of type \p type.
mlir::Value toArgument(mlir::Value capture, mlir::Type type,
                       mlir::OpBuilder &builder);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_KERNELARGUMENTS_H
