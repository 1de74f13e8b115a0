//===- Passes.td - Code generation passes ------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From bufferized linalg to a module that the LLVM translation accepts. The
// passes are listed in the order in which the pipeline runs them.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CODEGEN_PASSES
#define NNHAL_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def FormKernels : Pass<"nnk-form-kernels"> {
  let summary = "Make micro-kernels of operations of linalg";
  let description = [{
    A contraction of linalg, with the tensor.pad before it, what takes zero
    points off from bytes and what sums begin with, becomes a convolution of
    nnk; a pool, with the tensor.pad before it and, of sums, the mean after it,
    nnk.pool_2d. What follows stays for nnk-fuse-epilogue, but for activations
    of sums of floats. Only what the kernel computes with the same bits is
    taken, but for sums of floats, which it adds in another order, without
    products of padding, and without rounding products or squares before:

    | linalg | micro-kernel |
    |---|---|
    | `conv_2d_nhwc_fhwc` of f32, i8 and i16 | `nnk.conv_2d_fhwc` |
    | `matmul` with the second matrix transposed, of the same | `nnk.conv_2d_fhwc` of one row of pixels |
    | `depthwise_conv_2d_nhwc_hwc`, `depthwise_conv_2d_nhwc_hwcm` of f32 | `nnk.depthwise_conv_2d` |
    | the same of bytes with sums that f32 holds | `nnk.depthwise_conv_2d` before a conversion |
    | `conv_2d_nhwgc_gfhwc` of at most 128 groups | one of these for each group, or for all where groups have one channel |
    | `pooling_nhwc_sum` of f32, divided by the numbers of places that are not padding | `nnk.pool_2d average` |
    | the same of squares, and the root of that | `nnk.pool_2d l2` |
    | a generic with the maps of `pooling_nhwc_max` that passes over NaN | `nnk.pool_2d max` |
    | `pooling_nhwc_max` of i32 that f32 holds | `nnk.pool_2d max` between conversions |
    | `pooling_nhwc_sum` of i32 from 0 to 255, over at most 4096 places, divided with halves rounded up | `nnk.pool_2d average` between conversions |

    ```mlir
    %padded = tensor.pad %in low[0, 1, 1, 0] high[0, 1, 1, 0] { ... } // zeros
        : tensor<1x4x4x3xf32> to tensor<1x6x6x3xf32>
    %sums = linalg.pooling_nhwc_sum {strides = dense<1> : tensor<2xi64>}
        ins(%padded, %window : tensor<1x6x6x3xf32>, tensor<3x3xf32>)
        outs(%zeros : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
    %means = linalg.generic ... ins(%sums, %rows, %columns : tensor<1x4x4x3xf32>,
        tensor<4xf32>, tensor<4xf32>) ... { arith.mulf, arith.divf }
    ```
    becomes
    ```mlir
    %means = nnk.pool_2d average ins(%in : tensor<1x4x4x3xf32>)
        outs(%out : tensor<1x4x4x3xf32>)
        window [3, 3] strides [1, 1] pads [1, 1, 1, 1] -> tensor<1x4x4x3xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::nnhal::kernel::KernelDialect"];
  let statistics = [Statistic<"numSplitGroups", "num-split-groups",
                              "Convolutions in groups that became others">,
                    Statistic<"numContractions", "num-contractions",
                              "Contractions that became micro-kernels">,
                    Statistic<"numPools", "num-pools",
                              "Pools that became micro-kernels">];
}

def PackConvolutions : Pass<"nnk-pack-convolutions"> {
  let summary = "Pack the filters of convolutions in panels for the target";
  let description = [{
    Every nnk.conv_2d_fhwc becomes nnk.conv_2d, with its filter in panels of as
    many output channels as the target that the module states wants. Constant
    filters are packed by the pass, others by code that runs with the model.

    Integers are multiplied in quads of 8 bits where the target has an
    instruction for it, else in pairs of 16 bits. An odd number of channels is
    read in pairs along whole rows, or in f32 where that is exact, or padded.
    What zero points add is taken off before, or from what sums begin with.

    ```mlir
    %0 = nnk.conv_2d_fhwc ins(%in, %filter, %bias : tensor<1x8x8x3xf32>,
        tensor<21x3x3x3xf32>, tensor<21xf32>) outs(%out : tensor<1x8x8x21xf32>)
        strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] -> tensor<1x8x8x21xf32>
    ```
    becomes
    ```mlir
    %0 = nnk.conv_2d ins(%in, %panels, %biases : tensor<1x8x8x3xf32>,
        tensor<2x3x3x3x16xf32>, tensor<2x16xf32>)
        outs(%out : tensor<1x8x8x21xf32>)
        strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] -> tensor<1x8x8x21xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::nnhal::kernel::KernelDialect"];
  let statistics = [Statistic<"numPacked", "num-packed",
                              "Convolutions that got filters in panels">];
}

def ExpandProducts : Pass<"nnk-expand-products"> {
  let summary = "Make products of i64 of nnk.doubling_high_mul";
  let description = [{
    For targets that have nothing faster for the high half of a product, by which
    sums of quantized models are scaled: their code is upstream's alone then.

    ```mlir
    %0 = nnk.doubling_high_mul %a, %b : i32
    ```
    becomes
    ```mlir
    %x = arith.extsi %a : i32 to i64
    %y = arith.extsi %b : i32 to i64
    %p = arith.muli %x, %y : i64
    %r = arith.addi %p, %half : i64
    %s = arith.shrsi %r, %c31 : i64
    %0 = arith.trunci %s : i64 to i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numExpanded", "num-expanded",
                              "Products that became products of i64">];
}

def FuseElementwise : Pass<"nnhal-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse chains of elementwise linalg operations";
  let description = [{
    First makes operands of what the body of a `linalg.generic` of known extents
    reads with `tensor.extract` at the indices of its loops. Lowerings make such
    operands themselves where they can, but extents may become known, and
    indices 0, only after that: by folding of casts into operations, or of
    constant tables (a RESIZE_BILINEAR of one row) during the fusion. Upstream's
    fusion sees operands only (`areElementwiseOpsFusable`, which takes an
    `OpOperand`, of ElementwiseOpFusion.cpp in LLVM 22), and no pattern of
    upstream makes some; test/lit/Codegen/upstream-fuse-elementwise.mlir has an
    example.
    Then runs upstream's fusion, with limits of its own: an operand that is
    broadcast is not computed again for each element that reads it, and with
    `keep-lookups` operations stay apart only one of which looks elements up at
    computed places, because such a loop has no vectors on a CPU and would take
    them from the other one.
  }];
  let options = [
    Option<"keepLookups", "keep-lookups", "bool", /*default=*/"false",
           "Fuse what looks elements up with its like only">
  ];
  let statistics = [
    Statistic<"numPromoted", "num-promoted", "Reads that became operands">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def FuseEpilogue : Pass<"nnk-fuse-epilogue"> {
  let summary = "Fuse elementwise consumers into micro-kernels";
  let description = [{
    Folds an elementwise `linalg.generic` that is the only user of a kernel's
    result into the kernel's epilogue; its other inputs become extras. Repeats
    until nothing changes, so a convolution, a residual addition and a clamp
    become one kernel. Integers that are truncated and extended again, as those
    of a quantized result that is read on the spot, stay wide if nothing is cut
    off. Where the kernels of the target read f16, one whose input is widened for
    it reads what is widened.
  }];
  let dependentDialects = ["::nnhal::kernel::KernelDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numFused", "num-fused",
                              "Consumers folded into an epilogue">];
}

def ReportOperations : Pass<"nnhal-report-operations", "::mlir::ModuleOp"> {
  let summary = "Emit an optimization remark for each operation of the model";
  let description = [{
    Runs on tensors, after fusion. For each operation of the model of which
    anything is left, a passed remark of the category `nnhal` says what computes
    it: operations of its own, with the operations that were fused into them, or
    those of another. Locations tell what came from what. Does nothing unless
    the context reports remarks: `nnhal-opt --remark-format=emitRemark
    --remarks-filter=nnhal`, `nnhal-run --explain`.
  }];
}

def SeparateDestinations : Pass<"nnhal-separate-destinations", "::mlir::func::FuncOp"> {
  let summary = "Clone shared destination tensors, so that bufferization works in place";
  let description = [{
    Keeps upstream's `eliminate-empty-tensors` from wrong code, which
    test/lit/Codegen/upstream-empty-tensors.mlir shows, and micro-kernels from
    buffers that they are not made for.

    - Copies of `tensor.empty` and of fills that several operations write into;
      common subexpression elimination shares them. In LLVM 22,
      `eliminateEmptyTensors` (EmptyTensorElimination.cpp) puts an output, which
      is a buffer already, in place of a shared `tensor.empty`: what
      `MaterializeInDestinationOp::buildSubsetExtraction` makes of it is a
      `bufferization.to_tensor` with `restrict`, so that bufferization does not
      see that the output is also written as a buffer. The result of another
      operation is then computed in the output, and overwritten before it is
      read. Filling twice costs no more than the copy that sharing needs.
    - Copies of computed tensors that are written over while something else
      reads them, for the same reason.
    - Copies of parts of tensors whose neighboring channels are apart, as those of
      a slice with a step or of one channel that becomes a row, and of those at
      distances that only a run can tell, for micro-kernels that read them.
      Kernels of GPUs read channels that are apart where they are.
    - Memory of its own for what becomes a part of a tensor at a computed place.
      `findValidInsertionPoint` of the same file takes the part of the tensor
      where the `tensor.empty` is, which may be before the `nnrt.check` that
      says whether the place is inside: `tensor.extract_slice` is `Pure`.
    - The same for what a micro-kernel computes of a tensor that a loop carries.
      Such a buffer may have any layout; micro-kernels need rows at distances
      that are known.
  }];
  let statistics = [
    Statistic<"numSeparated", "num-separated",
              "Operations and tensors that were copied">
  ];
}

def FoldOutputCopies : Pass<"nnhal-fold-output-copies", "::mlir::func::FuncOp"> {
  let summary = "Forward output buffers to the producers of what is copied there";
  let description = [{
    Replaces an allocation whose last use is a `memref.copy` into a function
    argument by that argument, where nothing else touches the argument while
    the allocation is live. `eliminate-empty-tensors` does the same on tensors,
    but not through reshapes: in LLVM 22, `eliminateEmptyTensors` of
    EmptyTensorElimination.cpp sets `followSameTypeOrCastsOnly`, since a
    replacement would have to be reshaped the other way. An example is in
    test/lit/Codegen/upstream-empty-tensors.mlir.

    Copies of a buffer onto itself go, too: what was computed in place of a slice
    of a concatenation is copied from one subview to an equal one, which are the
    same only after the last canonicalization.
  }];
  let statistics = [
    Statistic<"numFolded", "num-folded-copies", "Copies removed">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanMemory : Pass<"nnhal-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Plan memory: assign every buffer an offset in one arena";
  let description = [{
    Replaces the static allocations of the entry function by views of one arena,
    which becomes its last argument. Allocations of unknown size, and those that a
    loop carries to its next round, become `nnrt.allocate`. Two buffers share bytes when
    their lifetimes do not overlap. They are placed largest first, each at the
    lowest offset that is free during its lifetime; when that leaves gaps, the
    buffer that ends the arena goes first, some times over, and the smallest
    arena is taken. The arena's size is the argument's extent;
    the function attribute `nnhal.arena_lower_bound` has the largest sum of sizes
    that are live at once, which no plan can beat.
  }];
  let options = [
    Option<"alignment", "alignment", "int64_t", /*default=*/"64",
           "Alignment in bytes of every buffer">
  ];
  let statistics = [
    Statistic<"numPlanned", "num-planned-buffers", "Allocations placed">,
    Statistic<"numDynamic", "num-dynamic-buffers",
              "Allocations left to the runtime">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::nnhal::runtime::RuntimeDialect"];
}

def ExtractConstants : Pass<"nnhal-extract-constants", "::mlir::ModuleOp"> {
  let summary = "Hoist constants into one blob, the data cache";
  let description = [{
    Replaces `memref.get_global` of initialized globals by views of one blob,
    which becomes the last argument of the entry function. The blob is left on
    the module as the resource attribute `nnhal.data_cache`: constants never
    reach LLVM, which takes seconds for megabytes.

    A constant with elements that become part of an address without a bound, the
    table of positions of a RESIZE_BILINEAR for example, stays in the code: the
    data cache is covered by no digest, and may hold anything when code runs.
  }];
  let options = [
    Option<"alignment", "alignment", "int64_t", /*default=*/"64",
           "Alignment in bytes of every constant">,
    Option<"baseOffset", "base-offset", "int64_t", /*default=*/"0",
           "Bytes before the blob in the data cache that it becomes part of">
  ];
  let statistics = [
    Statistic<"numExtracted", "num-extracted-constants", "Constants moved">,
    Statistic<"numKept", "num-kept-constants",
              "Constants that address memory, which stay in the code">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def EmitEntry : Pass<"nnhal-emit-entry", "::mlir::ModuleOp"> {
  let summary = "Emit the entry point of ABI v1";
  let description = [{
    Adds `nnhal_entry`, which loads pointers from the execution context
    (include/nnhal/Runtime/EntryAbi.h), reports output shapes, checks output
    sizes and calls the function with the attribute `nnhal.entry`. That one
    then stops when the cancel flag of the context is set: after each piece of
    work, which are the kernels and routines that it calls and its loops, and in
    the outermost rounds of nests of three and more loops. It reports each piece
    to the trace hook, if there is one, by the number of the operation that its
    location names.
  }];
  let statistics = [
    Statistic<"numPieces", "num-pieces",
              "Pieces of work that can be traced and cancelled">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def VerifyAddresses : Pass<"nnhal-verify-addresses", "::mlir::ModuleOp"> {
  let summary = "Verify that addresses made of loaded values are bounded";
  let description = [{
    The last pass before code is divided and converted. Elements of buffers,
    those of the data cache above all, are covered by no digest and may be
    anything when the code runs. Whatever follows from one and becomes part of
    an address (an index, an offset, an extent, a pointer, an argument of the
    runtime's functions) must therefore be bounded on both sides, by
    `arith.minsi`, `arith.maxsi` and their like, by a remainder or a mask, by a
    comparison that selects, by the bounds of the loop that counts it, or by an
    `nnrt.check` that has passed. Where constants bound it, integer range
    analysis must place it within the extent. Constants of the code
    (`memref.get_global`) and the execution context are trusted. Anything else
    is an error that names the operation. Nothing is changed.

    ```mlir
    %element = memref.load %table[%i] : memref<9xi32>
    %any = arith.index_cast %element : i32 to index
    %low = arith.maxsi %any, %c0 : index
    %row = arith.minsi %low, %c3 : index
    %ok = memref.load %rows[%row] : memref<4xf32>
    %bad = memref.load %rows[%any] : memref<4xf32>  // error
    ```
  }];
  let statistics = [
    Statistic<"numBounded", "num-bounded",
              "Parts of addresses that follow from loaded elements">
  ];
}

def ExpandMath : Pass<"nnhal-expand-math"> {
  let summary = "Expand math operations into polynomial approximations";
  let description = [{
    Upstream's approximations and expansions, for which it has no production
    pass, and own ones where those are not good enough for some arguments: an
    artifact may import no libm function. Runs on functions of any dialect, and
    on modules of them. A conversion of what is rounded to even becomes
    `llvm.intr.lrint`, one instruction of x86.

    For shaders nothing becomes an operation of LLVM. Functions that SPIR-V
    lacks are expanded, and those that Vulkan allows larger errors than the
    tolerance of f32 results; expansions are right without fused products and
    sums. Functions of f16 are computed in f32. What SPIR-V has stays: `floor`,
    `ceil`, `roundeven`, `sqrt`, `rsqrt`, `absf`.
  }];
  let options = [
    Option<"forShaders", "for-shaders", "bool", /*default=*/"false",
           "For GPUs, by way of SPIR-V">
  ];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Operations expanded">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerRuntimeOperations
    : Pass<"nnhal-lower-runtime-operations", "::mlir::ModuleOp"> {
  let summary = "Lower runtime operations to accesses of the execution context";
  let description = [{
    `nnrt.check`, `nnrt.allocate`, `nnrt.deliver` and the other operations of
    RuntimeOps.td become loads, stores and calls by way of the execution
    context, the last argument of the entry function. Runs when there are no
    structured regions left: a check that fails leaves the function.
  }];
  let statistics = [
    Statistic<"numLowered", "num-lowered", "Operations lowered">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ConvertToLLVM : Pass<"nnhal-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert to LLVM at once, with bare pointers for static buffers";
  let description = [{
    Converts functions, branches, memory, arithmetic and vectors in one
    conversion, by upstream's patterns. Functions take bare pointers when all
    buffers that are passed are static, and descriptors when the extents of one
    are not. Operations that have no pattern are errors.
  }];
  let statistics = [
    Statistic<"numConverted", "num-converted", "Functions converted">,
    Statistic<"numBare", "num-bare", "Functions that take bare pointers">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::ub::UBDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // NNHAL_CODEGEN_PASSES
