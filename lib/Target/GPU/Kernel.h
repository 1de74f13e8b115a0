//===- Kernel.h - A kernel under construction -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_KERNEL_H
#define NNHAL_LIB_TARGET_GPU_KERNEL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace nnhal::nngpu {

/// The buffer that \p memref is a view of: an argument of a function or what an
/// operation allocates.
mlir::Value rootOf(mlir::Value memref);

/// Whether \p root has memory of its own: an argument or an allocation.
bool isBuffer(mlir::Value root);

/// Whether \p op, or an operation inside, may write to the buffer \p root.
bool mayWrite(mlir::Operation *op, mlir::Value root);

/// Whether nothing writes to the buffer \p root between \p op and \p user. That
/// may be inside of an operation that follows \p op: then nothing in all of
/// that one may, whose operations may be executed again.
bool isUnchanged(mlir::Value root, mlir::Operation *op, mlir::Operation *user);

/// Whether \p op computes values and changes no memory, so that a kernel may
/// compute them again.
bool isRepeatable(mlir::Operation *op);

/// Fails with an error at \p op about a value of \p type, which leaves extents
/// open: no command has a buffer for it.
mlir::LogicalResult refuseOpenExtents(mlir::Operation *op,
                                      mlir::MemRefType type);

/// A kernel that is made of operations of the entry function. What they use is
/// brought into the kernel: buffers as arguments, views and scalars as clones
/// of the operations that compute them.
class Kernel {
public:
  /// A function at the end of \p module for \p invocations, at least one, in
  /// workgroups of \p workgroupSize.
  Kernel(mlir::gpu::GPUModuleOp module, mlir::Location loc, int64_t invocations,
         int64_t workgroupSize);

  /// A function at the end of \p module for \p groups workgroups of
  /// \p workgroupSize invocations that work together.
  static Kernel ofGroups(mlir::gpu::GPUModuleOp module, mlir::Location loc,
                         int64_t groups, int64_t workgroupSize);

  /// Where one invocation computes; the caller moves it into loops and back.
  mlir::OpBuilder &builder() { return inside; }
  /// The number of the invocation, from 0: in its workgroup where these work
  /// together.
  mlir::Value invocation() const { return id; }
  /// The number of the workgroup, where workgroups work together.
  mlir::Value group() const { return groupId; }

  mlir::Value constant(int64_t value);
  /// The value \p number of a row-major space of \p extents, one for each.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value number,
                                             llvm::ArrayRef<int64_t> extents);

  /// Computes the sums after a round from those before it.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value round, mlir::ValueRange sums)>;
  /// Emits a loop from \p first up to \p end in steps of \p step that carries
  /// \p sums, and returns the sums after it.
  llvm::SmallVector<mlir::Value> loop(mlir::Value first, mlir::Value end,
                                      int64_t step, mlir::ValueRange sums,
                                      LoopBody body);

  /// Brings \p value, which is computed before \p user in the body of the entry
  /// function. Fails after an error at \p user where it cannot be brought.
  llvm::FailureOr<mlir::Value> bring(mlir::Value value, mlir::Operation *user);
  /// The buffer \p root as one of \p element, a number or a vector of numbers
  /// that divides its size. A kernel sees a buffer by several types at once.
  mlir::Value bindAs(mlir::Value root, mlir::Type element);
  /// An array of \p type that the invocations of a workgroup share, at a
  /// multiple of \p alignment bytes, or of the size of an element where that is
  /// 0.
  mlir::Value shared(mlir::MemRefType type, int64_t alignment = 0);
  /// Brings what \p op and the operations inside use from outside of it.
  llvm::LogicalResult bringCaptures(mlir::Operation *op, mlir::Operation *user);
  mlir::IRMapping &mapping() { return map; }
  /// Clones \p op, whose operands have been brought.
  mlir::Operation *clone(mlir::Operation *op) { return inside.clone(*op, map); }
  /// The words of `nngpu.status`, which is of \p type, as an argument.
  mlir::Value status(mlir::MemRefType type);

  /// Closes the function. \p writes becomes which arguments it stores to.
  mlir::gpu::GPUFuncOp finish(llvm::SmallVectorImpl<bool> &writes);
  /// The buffers of the arguments; null stands for the status.
  llvm::ArrayRef<mlir::Value> buffers() const { return roots; }
  /// Workgroups along x, y and z.
  llvm::SmallVector<int32_t, 3> groups() const;

private:
  Kernel(mlir::gpu::GPUModuleOp module, mlir::Location loc, int64_t invocations,
         int64_t workgroupSize, bool isOfGroups);
  mlir::Value linearGroup();
  mlir::Value addArgument(mlir::MemRefType type, mlir::Value root);

  mlir::gpu::GPUFuncOp function;
  mlir::Location loc;
  int64_t invocations;
  int64_t workgroupSize;
  /// Before the work of the invocation: what is brought stands there.
  mlir::OpBuilder before;
  mlir::OpBuilder inside;
  mlir::Value id, groupId;
  mlir::IRMapping map;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> bound;
  llvm::SmallVector<mlir::Value> roots;
};

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_KERNEL_H
