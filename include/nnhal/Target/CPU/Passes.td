//===- Passes.td - Passes of the CPU target ----------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These passes are for code for processors alone: micro-kernels, vectors and
// threads. They stand in the order in which the pipeline runs them.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TARGET_CPU_PASSES_TD
#define NNHAL_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitReductions : Pass<"nnhal-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Divide large reductions into partial results (split reduction)";
  let description = [{
    The mean of a large picture is a sum over all of its pixels, which are in
    the caches of the cores that have computed them, and one core would have to
    fetch them all. A linalg.generic on tensors that has no parallel dimension
    around what it reduces becomes two, by `linalg::splitReduction`: partial
    results for a power of two of equally large parts, which threads share, and
    one that joins these. How large parts are depends on the operation alone, so
    that results are the same for any number of threads. The cost model says how
    many elements a part has at least (`reduced-part`), of how many it makes one
    partial result (`joined-elements`), and how many parts there are at most
    (`split-pieces`).

    Operations stay whole whose indexing maps are not projected permutations,
    such as those of broadcast operands, or which reduce several dimensions that
    do not follow each other in every operand.
  }];
  let statistics = [
    Statistic<"numSplit", "num-split", "Reductions divided into parts">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ComputeInBands : Pass<"nnhal-compute-in-bands", "::mlir::func::FuncOp"> {
  let summary = "Tile chains of kernels by rows and fuse them (depth-first execution)";
  let description = [{
    A large image that one micro-kernel writes and only the next one reads goes
    through the last-level cache and back. Chains of convolutions of one batch
    around such images are cut into bands of rows of the last output: each
    kernel computes the rows that the band of the next one needs and that are
    not there yet, into memory for one band; rows that the next band needs as
    well are copied to its beginning. No row is computed twice, and bands of
    equal shape are equal code.

    Works on memrefs, before memory is planned. What the first kernel of a chain
    reads and the last one writes becomes views of bytes, whose type does not
    tell where a band begins: kernels stay equal. From which size on an image is
    large is a number of the cost model, `band-cache`.
  }];
  let statistics = [
    Statistic<"numChains", "num-chains", "Chains cut into bands">,
    Statistic<"numBands", "num-bands", "Bands of all chains">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def OutlineOperations : Pass<"nnhal-outline-operations", "::mlir::ModuleOp"> {
  let summary = "Outline operations on buffers, and deduplicate them before they become loops";
  let description = [{
    Layers of one shape would become loops and vectors once for each, thousands
    of operations that outlining would find equal. Each micro-kernel and linalg
    operation of the entry function moves into a function before, and equal ones
    share it. Its arguments are buffers, and numbers of the layer, such as
    multiplier, shift and zero point of a requantization, in arrays, which are
    constant globals: `nnhal.number_arrays` says how many of the last arguments
    are such. Constants of algorithms, divisors, numbers of what addresses memory
    by data, and constant globals stay in the function. What uses buffers that a
    pointer does not describe, or what other operations compute, stays where it
    is.

    `nnhal-outline-kernels` inlines what is left of the functions.
  }];
  let statistics = [
    Statistic<"numOutlined", "num-outlined", "Operations outlined">,
    Statistic<"numShared", "num-shared", "Operations that reuse a function">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ConvertNNKToVectorPass : Pass<"convert-nnk-to-vector", "::mlir::ModuleOp"> {
  let summary = "Emit the loops of micro-kernels";
  let description = [{
    Replaces every nnk operation on memrefs of static shape by register-tiled
    scf loops over native vectors of the target. Those that threads may share
    are `scf.forall`, mapped to the pieces of a kernel (`#nnk.piece`). No access
    is out of bounds of its memref or assumes more than element alignment.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
      "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
      "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
  let statistics = [Statistic<"numLowered", "num-lowered",
                              "Kernels turned into loops">];
}

def VectorizeLoops : Pass<"nnhal-vectorize-loops", "::mlir::func::FuncOp"> {
  let summary = "Vectorize bufferized linalg operations";
  let description = [{
    Emits scf loops around vector operations for linalg operations on static
    memrefs whose innermost output dimension is parallel and contiguous, or
    that join what is contiguous, in whatever order, to one result, and for
    transpositions; the remaining ones become scalar loops. Loops whose rounds write different
    elements are `scf.forall`, mapped to the pieces of a kernel (`#nnk.piece`).
  }];
  let statistics = [
    Statistic<"numVectorized", "num-vectorized", "Operations vectorized">,
    Statistic<"numScalar", "num-scalar", "Operations lowered to scalar loops">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect",
                           "::nnhal::kernel::KernelDialect"];
}

def OutlineKernels : Pass<"nnhal-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Outline top-level loop nests into kernels, and deduplicate them";
  let description = [{
    Register allocation and most LLVM passes are superlinear in the size of a
    function. Identical nests share one function, and so do those that differ in
    numbers of a layer alone, such as multiplier, shift and zero point of a
    requantization: the function has them from arrays in constant globals, which
    are arguments. It loads them where it uses them, as it would load constants
    of its own; as scalar arguments they would occupy registers throughout an
    accumulation, 3 to 7 % of the time of quantized networks. Constants of
    algorithms, divisors, and what bounds addresses stay in the function. A
    buffer that is only loaded from and stored to is passed by its first
    element, so that slices of a tensor at different offsets do not make
    different functions.

    What computes outside of loops, such as the unrolled steps of a recurrent
    network, is moved into loops of one round before, each between two points
    where no element of a tensor is in an SSA value.

    The function of a nest that is long enough, and has loops whose rounds are
    mapped to pieces (`scf.forall` with `#nnk.piece`), begins with a range, and
    runs only its share of those loops: of the outermost with enough rounds.
    From here on all loops are sequential (`scf.for`). Calls have the whole range, and say as `nnhal.grain` how much of it
    a thread should have at least. How long a nest takes is estimated from its
    operations and trip counts; what is long enough are numbers of the cost
    model, `split-work` and `split-piece`.

    Functions of nnhal-outline-operations call kernels then, and are inlined. A
    copy of each stays in a module of its own, with `nnhal.kept_operations`,
    where `keep-operations` asks for it.
  }];
  let options = [
    Option<"keepOperations", "keep-operations", "bool", /*default=*/"false",
           "Leave copies of the functions of operations, which call kernels">
  ];
  let statistics = [
    Statistic<"numOutlined", "num-outlined", "Loop nests outlined">,
    Statistic<"numShared", "num-shared", "Loop nests that reuse a function">,
    Statistic<"numSplit", "num-split", "Calls of kernels that can be split">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def DispatchKernels : Pass<"nnhal-dispatch-kernels", "::mlir::ModuleOp"> {
  let summary = "Parallelize kernels over ranges of their outermost loop";
  let description = [{
    A call with `nnhal.grain` becomes a call of the `parallelFor` of the
    execution context, the last argument of the entry function, with a function
    that runs the kernel on one range: `kernel_N_piece`. It takes the other
    arguments from the stack of the entry. Where the context has no
    `parallelFor` that function is called with the whole range: with a call of
    the kernel itself beside it, the entry of a large network would be twice as
    long.
  }];
  let statistics = [
    Statistic<"numDispatched", "num-dispatched", "Calls that threads may share">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def NameKernels : Pass<"nnhal-name-kernels", "::mlir::ModuleOp"> {
  let summary = "Name kernels by their content, so that their code can be kept";
  let description = [{
    A kernel that calls nothing, with the function that runs pieces of it, is
    compiled alone: its machine code depends on its content and on the target
    and on nothing else of the model. The digest of both becomes the attribute
    `nnhal.kernel` of the functions and a part of their names, and the module
    lists the digests as `nnhal.kernels`. Kernels with one digest become one.
  }];
  let statistics = [
    Statistic<"numNamed", "num-named", "Kernels named by their content">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::nnhal::NNHalDialect"];
}

def PartitionKernels : Pass<"nnhal-partition-kernels", "::mlir::ModuleOp"> {
  let summary = "Partition functions into modules for parallel code generation";
  let description = [{
    Every function moves into one of the modules that this one then consists
    of, the largest one first. How many there are depends on the functions
    alone, so that what is made of them does not depend on the number of
    threads. Modules declare what they call in each other, and have copies of
    the constants that they share; where there is more than one, functions lose
    their internal linkage. Kernels with `nnhal.kernel` share modules only with
    each other and have no internal linkage: each of them becomes an object of
    its own. What has no body is declared where it is called.
  }];
  let options = [
    Option<"maxSize", "max-size", "int64_t", /*default=*/"3000",
           "Operations in a module of more than one function, at most">
  ];
  let statistics = [
    Statistic<"numParts", "num-parts", "Modules">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // NNHAL_TARGET_CPU_PASSES_TD
