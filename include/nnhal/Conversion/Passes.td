//===- Passes.td - Conversion passes -----------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CONVERSION_PASSES_TD
#define NNHAL_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertNNHalToLinalg : Pass<"convert-nnhal-to-linalg"> {
  let summary = "Lower nnhal operations to linalg";
  let description = [{
    Runs on any operation that contains functions of `nnhal` operations, all of
    which become upstream linalg, tensor, arith, math and scf. Convolutions,
    products of matrices and pools of known extents become named operations,
    with the filters that the model has (`nnk-form-kernels` makes micro-kernels
    of them, and `nnk-pack-convolutions` packs filters). Operations in the
    HAL's form (`nnhal.operation`) may have any types, and extents and parameters
    that are computed: each element of a result becomes an expression over
    elements of the inputs, and what only a run can tell is checked by
    `nnrt.check`. Quantized tensors become tensors of their
    storage. Nothing of the `nnhal` dialect remains: an operation that cannot be
    lowered is an error that names it and says why.

    ```mlir
    %0 = nnhal.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {...} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %c = arith.cmpf ogt, %in, %zero : f32
      %r = arith.select %c, %in, %zero : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numFoldedPads", "num-folded-pads",
              "Pad operations folded into convolutions">,
    Statistic<"numWidened", "num-widened",
              "Contractions of float16 that became contractions of float32">,
    Statistic<"numConvolved", "num-transposed-convolutions",
              "Transposed convolutions that became convolutions">,
    Statistic<"numRolled", "num-rolled-chains",
              "Chains of recurrent steps that became loops">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::nnhal::kernel::KernelDialect",
    "::nnhal::runtime::RuntimeDialect"
  ];
}

def ConvertNNHalGraphToFunc : Pass<"convert-nnhal-graph-to-func", "::mlir::ModuleOp"> {
  let summary = "Turn the main graph of a model into a function on buffers";
  let description = [{
    The graph's inputs become buffer arguments that are read, its outputs buffer
    arguments that are written; the operations stay as they are, on tensors. If
    an output has unknown extents, all outputs are handed over by `nnrt.deliver`
    instead. IF and WHILE in the HAL's form become `scf.if` and `scf.while`
    around the operations of the graphs that they name. The function carries
    `nnhal.entry`, `nnhal.input_count` and `nnhal.output_count` (of buffer
    arguments). The model and its other graphs disappear.
  }];
  let statistics = [
    Statistic<"numGraphs", "num-graphs",
              "Graphs inlined, once for each place that executes one">,
    Statistic<"numOutputs", "num-delivered",
              "Outputs that the runtime is handed over">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::quant::QuantDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::nnhal::runtime::RuntimeDialect"
  ];
}

#endif // NNHAL_CONVERSION_PASSES_TD
