//===- KernelOps.td - Micro-kernel operations --------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_KERNEL_KERNELOPS_TD
#define NNHAL_DIALECT_KERNEL_KERNELOPS_TD

include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "nnk";
  let cppNamespace = "::nnhal::kernel";
  let useDefaultAttributePrinterParser = 1;
  let hasCanonicalizer = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let summary = "micro-kernels between linalg and loops";
  let description = [{
    The few operations in which a network spends nearly all its time, in
    destination style on tensors or memrefs. Each reads NHWC activations and
    constants in the order its inner loop walks them, handles padding inside,
    and ends in an optional scalar epilogue (as the body of a linalg.generic)
    that runs on the accumulators while they are in registers.

    `convert-nnk-to-vector` emits the register-tiled loops directly. The
    upstream route (tile, fuse, vectorize, hoist) reaches the same speed on a
    plain matrix product but needs a fixed chain of cleanups per shape, makes
    non-native vectors for N = 24 (20 times slower), and loses the accumulator
    hoisting on convolutions (27 of 100 GFLOP/s).
  }];
}

//===----------------------------------------------------------------------===//
// Mapping of loops
//===----------------------------------------------------------------------===//

def Kernel_PieceAttr
    : AttrDef<Kernel_Dialect, "Piece",
              [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "piece";
  let summary = "maps the rounds of a loop to pieces of a kernel";
  let description = [{
    The mapping of an `scf.forall` whose rounds may be divided among pieces of
    the loop nest around it, which threads run at the same time without waiting
    for each other. That needs more than `scf.forall` alone promises, which has
    a barrier at its end: rounds write different elements, and none reads what
    another one writes, in whichever rounds of the loops around it the two
    stand, nor what another round of a mapped loop beside it writes. Whoever
    emits a loop knows; nothing is derived from the code.

    ```mlir
    scf.forall (%row) = (%c0) to (%c64) step (%c1) {
      ...
    } {mapping = [#nnk.piece]}
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Types and interface
//===----------------------------------------------------------------------===//

/// Accumulators are f32 or i32; narrower numbers are what they are made of and
/// what epilogues make of them.
def Kernel_Buffer : AnyTypeOf<[TensorOf<[F16, F32, I8, I16, I32]>,
                               MemRefOf<[F16, F32, I8, I16, I32]>],
                              "ranked tensor or memref of f16, f32, i8, i16 "
                              "or i32">;
def Kernel_Result : TensorOf<[F16, F32, I8, I16, I32]>;

def Kernel_OpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::nnhal::kernel";
  let description = [{
    What fusion and lowering need of every micro-kernel: the extra operands and
    the region that maps (accumulator, one element of each extra) to the stored
    value. An extra has the shape of the result, or is a vector of its last
    dimension, or has one number for all channels of each pixel: the result's
    shape with 1 as the last dimension. Its elements may be of another type than
    the result's. An empty region stores the accumulator.
  }];
  let methods = [
    InterfaceMethod<"Operands of the epilogue.", "::mlir::OperandRange",
                    "getExtras">,
    InterfaceMethod<"The epilogue, empty if there is none.",
                    "::mlir::Region &", "getEpilogue">,
    InterfaceMethod<"What the epilogue begins with: f32 or i32.",
                    "::mlir::Type", "getAccumulatorType">,
    InterfaceMethod<"Destination.", "::mlir::Value", "getDestination", (ins),
                    [{ return $_op.getInit(); }]>,
    InterfaceMethod<[{
      How rows of the destination come from rows of the first operand, where the
      kernel, on memrefs, is a window that moves over the rows of one image of
      known extents; nullopt where it is not.
    }], "::std::optional<::nnhal::kernel::RowWindow>", "getRowWindow", (ins),
    /*methodBody=*/"", /*defaultImplementation=*/"return std::nullopt;">,
    InterfaceMethod<"The same kernel with other extras, destination and an "
                    "empty epilogue.", "::mlir::Operation *",
                    "cloneWithExtras", (ins "::mlir::OpBuilder &":$builder,
                    "::mlir::ValueRange":$extras, "::mlir::Value":$init), [{
      ::mlir::SmallVector<::mlir::Value> operands(
          $_op->getOperands().take_front($_op.getExtras().getBeginOperandIndex()));
      operands.append(extras.begin(), extras.end());
      operands.push_back(init);
      ::mlir::OperationState state($_op.getLoc(), $_op->getName());
      state.addOperands(operands);
      if (::mlir::isa<::mlir::TensorType>(init.getType()))
        state.addTypes(init.getType());
      state.addAttributes($_op->getAttrs());
      state.addRegion();
      return builder.create(state);
    }]>,
  ];
}

def Kernel_LoweringInterface : OpInterface<"KernelLoweringInterface"> {
  let cppNamespace = "::nnhal::kernel";
  let description = [{
    How a micro-kernel becomes loops over vectors. Implemented outside of the
    dialect, which knows no target: the conversion attaches a model to each
    kernel (registerKernelLoweringModels()).
  }];
  let methods = [
    InterfaceMethod<[{
      Emits, before the kernel, the loops that compute what it does; the kernel
      is on memrefs of static shape with a contiguous last dimension. Fails with
      a diagnostic on the kernel, having emitted what may stay, where the layout
      of an operand is not supported.
    }], "::llvm::LogicalResult", "emitLoops",
    (ins "::mlir::RewriterBase &":$rewriter,
         "const ::nnhal::kernel::KernelTarget &":$target)>,
  ];
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kernel_Dialect, mnemonic, traits>;

/// \p inputs are the operands of the kernel itself, \p parameters its required
/// attributes and \p flags its unit attributes; in the assembly each attribute
/// has its name as its keyword, but for \p leading, which comes first, bare.
class Kernel_KernelOp<string mnemonic, list<string> inputs,
                      list<string> parameters, list<string> flags = [],
                      string leading = "", list<Trait> traits = []>
    : Kernel_Op<mnemonic, !listconcat([
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        Kernel_OpInterface,
        SingleBlock, NoTerminator], traits)> {
  let regions = (region AnyRegion:$epilogue);
  let results = (outs Variadic<Kernel_Result>:$results);
  let assemblyFormat = leading # " `ins` `(` " #
      !interleave(!foreach(name, inputs, "$" # name), " `,` ") # " `:` " #
      !interleave(!foreach(name, inputs, "type($" # name # ")"), " `,` ") #
      " `)` (`extras` `(` $extras^ `:` type($extras) `)`)?" #
      " `outs` `(` $init `:` type($init) `)` " #
      !interleave(!listconcat(
          !foreach(name, parameters, "`" # name # "` $" # name),
          !foreach(name, flags, "(`" # name # "` $" # name # "^)?")), " ") #
      " attr-dict (`epilogue` $epilogue^)? (`->` type($results)^)?";
  let hasVerifier = 1;
  // Declared by the interface, defined by the accessors of the arguments.
  code kernelDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitMutable();
    }
    ::mlir::Type getAccumulatorType();
  }];
}

def Kernel_Conv2DOp : Kernel_KernelOp<"conv_2d",
    ["input", "filter", "bias"], ["strides", "dilations", "pads"],
    /*flags=*/["unsigned_input"]> {
  let summary = "convolution with a panel-packed filter";
  let description = [{
    Input `[B,H,W,C]`, output `[B,OH,OW,N]`; the filter is packed in panels of
    NR output channels, `[NB,KH,KW,C,NR]` with zeros after channel N (see
    Packing.h), the bias `[NB,NR]`. Pads are `[top, bottom, left, right]`; a
    padded element counts as zero and is never read. A matrix product is the
    same operation with a 1x1 filter: `[1,1,M,C]` times `[NB,1,1,C,NR]`.

    Inputs of f16 are added up as f32, and the bias is f32. The filter is f16 or
    f32. Products of two f16 are exact in f32.

    Inputs of i16 are multiplied in pairs of channels and added up as i32,
    modulo 2^32: C is even, and the filter, of i8 or i16, has the two weights of
    each output channel side by side, `[NB,KH,KW,C/2,2*NR]`. The bias is i32
    then. Products of two i16 are exact, sums of two of them unless all four
    factors are -32768.

    Inputs of i8, without or, as `unsigned_input` says, with the values of ui8,
    are multiplied in quads: four of everything that pairs have two of. The
    filter is of i8, signed. Sums of four products are exact. NR may be 1 then,
    for a single output channel.

    ```mlir
    nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>,
        memref<2x3x3x3x16xf32>, memref<2x16xf32>)
        extras(%residual : memref<1x8x8x21xf32>)
        outs(%out : memref<1x8x8x21xf32>)
        strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] epilogue {
    ^bb0(%acc: f32, %r: f32):
      %s = arith.addf %acc, %r : f32
      nnk.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Kernel_Buffer:$input, Kernel_Buffer:$filter,
                       Kernel_Buffer:$bias, Variadic<Kernel_Buffer>:$extras,
                       Kernel_Buffer:$init, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads,
                       UnitAttr:$unsigned_input);
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
      "::mlir::Value":$filter, "::mlir::Value":$bias, "::mlir::Value":$init,
      "::llvm::ArrayRef<int64_t>":$strides,
      "::llvm::ArrayRef<int64_t>":$dilations,
      "::llvm::ArrayRef<int64_t>":$pads)>];
  let extraClassDeclaration = kernelDeclaration # [{
    ::std::optional<RowWindow> getRowWindow();
    /// Input channels of one row of a panel: 1, or 2 in pairs, or 4 in quads.
    int64_t getStepChannels() {
      ::mlir::Type element = ::mlir::getElementTypeOrSelf(getInput());
      return element.isInteger(8) ? 4 : element.isInteger(16) ? 2 : 1;
    }
    /// Output channels of a panel.
    int64_t getPanelWidth() {
      auto type = ::mlir::cast<::mlir::ShapedType>(getFilter().getType());
      return type.getShape().back() / getStepChannels();
    }
  }];
}

def Kernel_Conv2DFhwcOp : Kernel_KernelOp<"conv_2d_fhwc",
    ["input", "filter", "bias"], ["strides", "dilations", "pads"],
    /*flags=*/["unsigned_input", "unsigned_filter"]> {
  let summary = "convolution with a filter in the order of the model";
  let description = [{
    Input `[B,H,W,C]`, filter `[N,KH,KW,C]`, bias `[N]`, output `[B,OH,OW,N]`,
    all of known extents, on tensors only. Pads are those of nnk.conv_2d, and
    padding counts as real zero. It is a product of matrices where the filter is
    1x1 and the input has one row.

    Inputs of f32 have filters and biases of f32. Inputs of i8 and i16 have
    filters of i8 or i16 and biases of i32: what is multiplied are the values,
    of i8 with or, as `unsigned_input` and `unsigned_filter` say, without a sign,
    less `input_zero_point` and `filter_zero_point`, and sums are i32, modulo
    2^32. They have no epilogue.

    No target executes it: `nnk-pack-convolutions` makes nnk.conv_2d of it, in
    panels, pairs or quads as the target's instructions want them.

    ```mlir
    %0 = nnk.conv_2d_fhwc ins(%in, %filter, %bias : tensor<1x8x8x3xi8>,
        tensor<21x3x3x3xi8>, tensor<21xi32>) outs(%out : tensor<1x8x8x21xi32>)
        strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] unsigned_input
        {input_zero_point = 128 : i32} -> tensor<1x8x8x21xi32>
    ```
  }];
  let arguments = (ins Kernel_Result:$input, Kernel_Result:$filter,
                       Kernel_Result:$bias, Variadic<Kernel_Result>:$extras,
                       Kernel_Result:$init, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads,
                       UnitAttr:$unsigned_input, UnitAttr:$unsigned_filter,
                       DefaultValuedAttr<I32Attr, "0">:$input_zero_point,
                       DefaultValuedAttr<I32Attr, "0">:$filter_zero_point);
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
      "::mlir::Value":$filter, "::mlir::Value":$bias, "::mlir::Value":$init,
      "::llvm::ArrayRef<int64_t>":$strides,
      "::llvm::ArrayRef<int64_t>":$dilations,
      "::llvm::ArrayRef<int64_t>":$pads)>];
  let extraClassDeclaration = kernelDeclaration;
}

def Kernel_DepthwiseConv2DOp : Kernel_KernelOp<"depthwise_conv_2d",
    ["input", "filter", "bias"],
    ["strides", "dilations", "pads", "depth_multiplier"]> {
  let summary = "convolution of each channel with its own filters";
  let description = [{
    Input `[B,H,W,C]`, filter `[KH,KW,N]`, bias `[N]`, output `[B,OH,OW,N]` with
    `N = C * depth_multiplier`; output channel n reads input channel
    `n / depth_multiplier`. Pads as nnk.conv_2d. Inputs may be integers or f16;
    filter, bias and accumulators are f32: what quantized models add up is exact
    while it is below 2^24.

    ```mlir
    nnk.depthwise_conv_2d ins(%in, %filter, %bias
        : memref<1x8x8x16xf32>, memref<3x3x16xf32>, memref<16xf32>)
        outs(%out : memref<1x8x8x16xf32>)
        strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
    ```
  }];
  let arguments = (ins Kernel_Buffer:$input, Kernel_Buffer:$filter,
                       Kernel_Buffer:$bias, Variadic<Kernel_Buffer>:$extras,
                       Kernel_Buffer:$init, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads,
                       I64Attr:$depth_multiplier);
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
      "::mlir::Value":$filter, "::mlir::Value":$bias, "::mlir::Value":$init,
      "::llvm::ArrayRef<int64_t>":$strides,
      "::llvm::ArrayRef<int64_t>":$dilations,
      "::llvm::ArrayRef<int64_t>":$pads, "int64_t":$depthMultiplier)>];
  let extraClassDeclaration = kernelDeclaration # [{
    ::std::optional<RowWindow> getRowWindow();
  }];
}

def Kernel_PoolMax : I32EnumAttrCase<"max", 0>;
def Kernel_PoolAverage : I32EnumAttrCase<"average", 1>;
def Kernel_PoolL2 : I32EnumAttrCase<"l2", 2>;
def Kernel_PoolKind : I32EnumAttr<"PoolKind", "what a pool computes of a window",
    [Kernel_PoolMax, Kernel_PoolAverage, Kernel_PoolL2]> {
  let cppNamespace = "::nnhal::kernel";
  let genSpecializedAttr = 0;
}
def Kernel_PoolKindAttr : EnumAttr<Kernel_Dialect, Kernel_PoolKind, "pool_kind"> {
  let assemblyFormat = "$value";
}

def Kernel_Pool2DOp : Kernel_KernelOp<"pool_2d", ["input"],
    ["window", "strides", "pads"], /*flags=*/[], /*leading=*/"`` $kind"> {
  let summary = "maximum, mean or root mean square of each window";
  let description = [{
    Input `[B,H,W,C]`, output `[B,OH,OW,C]`. Padding takes no part: the maximum
    ignores it, the mean and the root mean square divide by the number of
    elements of the window that are inside the input. Inputs are f16 or f32, and
    accumulators f32.

    ```mlir
    nnk.pool_2d max ins(%in : memref<1x8x8x16xf32>)
        outs(%out : memref<1x4x4x16xf32>)
        window [2, 2] strides [2, 2] pads [0, 0, 0, 0]
    ```
  }];
  let arguments = (ins Kernel_Buffer:$input, Variadic<Kernel_Buffer>:$extras,
                       Kernel_Buffer:$init, Kernel_PoolKindAttr:$kind,
                       DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads);
  let builders = [OpBuilder<(ins "PoolKind":$kind, "::mlir::Value":$input,
      "::mlir::Value":$init, "::llvm::ArrayRef<int64_t>":$window,
      "::llvm::ArrayRef<int64_t>":$strides,
      "::llvm::ArrayRef<int64_t>":$pads)>];
  let extraClassDeclaration = kernelDeclaration;
}

def Kernel_DoublingHighMulOp : Kernel_Op<"doubling_high_mul",
    [Pure, Commutative, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "the high half of a doubled product, rounded";
  let description = [{
    `floor((a * b + 2^30) / 2^31)` of the exact product, modulo 2^32: what
    requantization scales by. Rounds halves up, which equals rounding them away
    from zero in the product's high half.

    With `nsw` the result is poison where `lhs * 2` does not fit 32 bits, which
    saves instructions.

    On vectors, `nnhal-expand-math` multiplies even and odd lanes apart; the
    plain form on i64 costs twice as much, in moves between lanes.

    ```mlir
    %0 = nnk.doubling_high_mul %a, %b nsw : vector<8xi32>
    ```
  }];
  let arguments = (ins SignlessIntegerLike:$lhs, SignlessIntegerLike:$rhs,
                       UnitAttr:$nsw);
  let results = (outs SignlessIntegerLike:$result);
  let assemblyFormat = "$lhs `,` $rhs (`nsw` $nsw^)? attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Kernel_YieldOp : Kernel_Op<"yield", [Pure, Terminator,
    ParentOneOf<["Conv2DOp", "Conv2DFhwcOp", "DepthwiseConv2DOp",
                 "Pool2DOp"]>]> {
  let summary = "the value that a kernel stores";
  let description = [{
    Ends an epilogue.

    ```mlir
    nnk.yield %s : f32
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // NNHAL_DIALECT_KERNEL_KERNELOPS_TD
