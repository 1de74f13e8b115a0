//===- Passes.td - Passes over micro-kernels ---------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CONVERSION_KERNELTOVECTOR_PASSES_TD
#define NNHAL_CONVERSION_KERNELTOVECTOR_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseEpiloguePass : Pass<"nnk-fuse-epilogue"> {
  let summary = "Fuse elementwise consumers into micro-kernels";
  let description = [{
    Folds an elementwise `linalg.generic` that is the only user of a kernel's
    result into the kernel's epilogue; its other inputs become extras. Repeats
    until nothing changes, so a convolution, a residual addition and a clamp
    become one kernel. Integers that are truncated and extended again, as those
    of a quantized result that is read on the spot, stay wide if nothing is cut
    off.
  }];
  let dependentDialects = ["::nnhal::kernel::KernelDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numFused", "num-fused",
                              "Consumers folded into an epilogue">];
}

def ConvertNNKToVectorPass : Pass<"convert-nnk-to-vector", "::mlir::ModuleOp"> {
  let summary = "Emit the loops of micro-kernels";
  let description = [{
    Replaces every nnk operation on memrefs of static shape by register-tiled
    scf loops over native vectors. No access is out of bounds of its memref or
    assumes more than element alignment.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256",
           "Width of a vector register: 128, 256 or 512">,
    Option<"registers", "registers", "int64_t", /*default=*/"16",
           "Number of vector registers">,
    Option<"dotProduct", "dot-product", "::nnhal::kernel::DotProduct",
           /*default=*/"::nnhal::kernel::DotProduct::none",
           "Instruction of the target that adds four products of 8 bits", [{::nnhal::dotProductValues()}]>,
    ListOption<"costModel", "cost-model", "std::string",
               "Numbers of the cost model (docs/Compiler/CostModel.md) in place "
               "of the target's, each as name=value">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
      "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
      "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
  let statistics = [Statistic<"numLowered", "num-lowered",
                              "Kernels turned into loops">];
}

#endif // NNHAL_CONVERSION_KERNELTOVECTOR_PASSES_TD
