//===- FlatBuffer.h - Elements of buffers by their number -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_FLATBUFFER_H
#define NNHAL_LIB_TARGET_GPU_FLATBUFFER_H

#include "Kernel.h"

namespace nnhal::nngpu {

/// Whether each number of a first channel of \p view that is a multiple of four
/// is one in the memory of its buffer, too, which four elements divide.
bool isInFours(mlir::Value view);

/// A view as a kernel accesses it: by the number of an element in the memory of
/// its buffer, one element or four at a time. Four are one access of up to 16
/// bytes.
class FlatBuffer {
public:
  /// Makes the buffer of \p view, an operand of \p user. Fails after an error
  /// at \p user where the layout of \p view has no numbers.
  static llvm::FailureOr<FlatBuffer> of(Kernel &kernel, mlir::Value view,
                                        mlir::Operation *user);

  mlir::Type element() const { return type; }
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  llvm::ArrayRef<int64_t> strides() const { return steps; }
  int64_t offset() const { return first; }
  /// The distance of channels, the last dimension, which is not 1 where a view
  /// leaves out some of them.
  int64_t channelStride() const { return steps.back(); }

  /// The number of the element at \p indices.
  mlir::Value number(mlir::ValueRange indices) const;
  /// Whether loadFour() and storeFour() take each first channel that is a
  /// multiple of four.
  bool isInFours() const;
  /// Bytes as words of four channels, which isInFours().
  FlatBuffer inWords() const;

  mlir::Value load(mlir::Value number) const;
  /// Four elements from \p number on, a multiple of four, as a vector.
  mlir::Value loadFour(mlir::Value number) const;
  /// The bytes of four channels from \p number on, wherever that is, as a word.
  mlir::Value loadQuad(mlir::Value number) const;
  void store(mlir::Value value, mlir::Value number) const;
  void storeFour(mlir::Value vector, mlir::Value number) const;

private:
  FlatBuffer(Kernel &kernel, mlir::Value root, mlir::Type type)
      : kernel(&kernel), root(root), type(type) {}
  /// The type of four elements in memory, for SPIR-V and for PTX: a vector of
  /// words, or a word.
  mlir::Type fourInMemory() const;
  mlir::Value quarter(mlir::Value number) const;

  Kernel *kernel;
  mlir::Value root;
  mlir::Type type;
  int64_t first = 0;
  llvm::SmallVector<int64_t> extents, steps;
};

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_FLATBUFFER_H
