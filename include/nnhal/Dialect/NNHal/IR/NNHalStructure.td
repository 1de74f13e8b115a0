//===- NNHalStructure.td - Models, graphs, HAL operations --*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The NNAPI-shaped level (decisions 13): everything that a HAL model says, in
// its order and with its numbers, so that HAL model -> IR -> HAL model is the
// identity. The canonical level lives inside the same nnhal.graph.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALSTRUCTURE_TD
#define NNHAL_DIALECT_NNHAL_IR_NNHALSTRUCTURE_TD

include "nnhal/Dialect/NNHal/IR/NNHalTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NNHal_ModelOp : Op<NNHal_Dialect, "model",
    [IsolatedFromAbove, SymbolTable, Symbol, SingleBlock, NoTerminator,
     NoRegionArguments]> {
  let summary = "a HAL model";
  let description = [{
    Holds the pools and graphs of one HAL model. The graph named `main` is the
    main subgraph, the others are the referenced subgraphs in their order; the
    pools are numbered in their order.

    The bytes of the HAL's `operandValues` are not stored: constants of lifetime
    CONSTANT_COPY are packed again, in order of graphs and operand numbers, each
    aligned as B-025 says. Where a model was packed otherwise, every
    `nnhal.constant_copy` states its `offset`, `operand_values_size` the number
    of bytes and, where bytes that belong to no constant are not zero,
    `operand_values` all of them.

    ```mlir
    nnhal.model @model attributes {hal_version = "1.3"} {
      nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
        %0 = nnhal.operation "RELU"(%x) : (tensor<2xf32>) -> tensor<2xf32>
        nnhal.return %0 : tensor<2xf32>
      }
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    StrAttr:$hal_version,
    UnitAttr:$relaxed,
    OptionalAttr<StrArrayAttr>:$extension_names,
    OptionalAttr<DenseI32ArrayAttr>:$extension_prefixes,
    OptionalAttr<ElementsAttr>:$operand_values,
    OptionalAttr<I64Attr>:$operand_values_size);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The main subgraph; null in a model that the verifier has not seen.
    ::nnhal::GraphOp getMainGraph();
    /// The prefix that the model gives the extension, or nullopt.
    std::optional<uint16_t> getExtensionPrefix(::llvm::StringRef name);
    /// The extensions that the model lists, with their prefixes.
    std::vector<::nnhal::rt::ExtensionNameAndPrefix> getExtensions();
  }];
}

def NNHal_PoolOp : Op<NNHal_Dialect, "pool",
    [Symbol, HasParent<"::nnhal::ModelOp">]> {
  let summary = "memory that constants refer to";
  let description = [{
    `kind` is the HAL's name of the memory. The bytes are `value`, or `size`
    bytes of `file` from `file_offset` on. `synthetic` marks a pool that a
    reader made to hold constants that its source states inline.

    ```mlir
    nnhal.pool @pool0 {kind = "mmap_fd", value = dense<0> : tensor<16xi8>}
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    StrAttr:$kind,
    OptionalAttr<ElementsAttr>:$value,
    OptionalAttr<StrAttr>:$file,
    DefaultValuedOptionalAttr<I64Attr, "0">:$file_offset,
    OptionalAttr<I64Attr>:$size,
    UnitAttr:$synthetic);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes in the pool, wherever they are.
    uint64_t getByteSize();
  }];
}

def NNHal_GraphOp : Op<NNHal_Dialect, "graph",
    [IsolatedFromAbove, SingleBlock, FunctionOpInterface,
     HasParent<"::nnhal::ModelOp">]> {
  let summary = "a HAL subgraph";
  let description = [{
    Arguments are the subgraph's inputs, the operands of `nnhal.return` its
    outputs, both in the HAL's order. `input_operands` are the HAL operand
    numbers of the inputs; numbers of other operands stand at their definition.
    Numbers may be missing anywhere: a writer chooses them.

    `input_names`, `output_names` and `state_pairs` (pairs of output index and
    input index: what is written there is read there next time) annotate the
    main graph.

    ```mlir
    nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32>
        attributes {input_names = ["x"], output_names = ["y"]} {
      %0 = nnhal.operation "RELU"(%x) : (tensor<2xf32>) -> tensor<2xf32>
      nnhal.return %0 : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<DenseI32ArrayAttr>:$input_operands,
    OptionalAttr<StrArrayAttr>:$input_names,
    OptionalAttr<StrArrayAttr>:$output_names,
    OptionalAttr<DenseI32ArrayAttr>:$state_pairs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    bool isMain() { return getSymName() == "main"; }
  }];
}

def NNHal_ReturnOp : Op<NNHal_Dialect, "return",
    [Pure, ReturnLike, Terminator, HasParent<"::nnhal::GraphOp">]> {
  let summary = "the outputs of a graph";
  let description = [{
    In the order of the HAL subgraph's outputs.

    ```mlir
    nnhal.return %0, %1 : tensor<2xf32>, i32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$outputs);
  let assemblyFormat = "attr-dict ($outputs^ `:` type($outputs))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let hasVerifier = 1;
}

def NNHal_HalOperationAttr : AttrDef<NNHal_Dialect, "HalOperation"> {
  let mnemonic = "hal_operation";
  let summary = "an operation of the HAL";
  let description = [{
    `code` is the HAL's code of the operation, `OEM_OPERATION` included. With the
    name of an `extension` it is the number of the operation within that. Printed
    is the HAL's name, or the extension's name and the number:
    `#nnhal.hal_operation<"CONV_2D">`, `#nnhal.hal_operation<"com.example.ext:3">`.
    An operation `nnhal.operation` prints no more than the string.
  }];
  let parameters = (ins "uint32_t":$code,
                        StringRefParameter<"name of the extension">:$extension);
  let builders = [
    AttrBuilder<(ins "::nnhal::rt::OperationType":$type), [{
      return $_get($_ctxt, uint32_t(type), ::llvm::StringRef());
    }]>,
  ];
  let extraClassDeclaration = [{
    /// The operation that is printed as \p name; null when there is none.
    static HalOperationAttr ofName(::mlir::MLIRContext *context,
                                   ::llvm::StringRef name);
    bool isExtension() const { return !getExtension().empty(); }
    /// The operation of the HAL, OEM_OPERATION included; nullopt for one of an
    /// extension.
    ::std::optional<::nnhal::rt::OperationType> getOperationType() const;
    /// The row of the HAL's table of operations; null for extensions and OEM.
    const ::nnhal::rt::OperationInfo *getInfo() const;
    ::std::string getSpelling() const;
  }];
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
}

class NNHal_OperandOp<string mnemonic, list<Trait> traits = []>
    : Op<NNHal_Dialect, mnemonic,
         !listconcat([Pure], traits)>;

def NNHal_NoValueOp : NNHal_OperandOp<"no_value"> {
  let summary = "an omitted operand of an operation";
  let description = [{
    HAL lifetime NO_VALUE: stands where an optional operand is left out. `number`
    is the HAL operand number here and in the other operand operations.

    ```mlir
    %0 = nnhal.no_value : tensor<2xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<I32Attr>:$number);
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def NNHal_SubgraphReferenceOp : NNHal_OperandOp<"subgraph_reference",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a graph as operand of IF or WHILE";
  let description = [{
    The graph is one of the same model.

    ```mlir
    %0 = nnhal.subgraph_reference @then
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$graph, OptionalAttr<I32Attr>:$number);
  let results = (outs NNHal_SubgraphType:$result);
  let assemblyFormat = "$graph attr-dict";
}

def NNHal_ConstantCopyOp : NNHal_OperandOp<"constant_copy"> {
  let summary = "a constant of the HAL model's operandValues";
  let description = [{
    `value` holds the elements in the storage type of the result's elements;
    for OEM and extension types it is the bytes, `tensor<Nxi8>`. `offset` is
    given where canonical packing would give another one (see nnhal.model).

    ```mlir
    %0 = nnhal.constant_copy 2 : i32 {number = 3 : i32} -> i32
    %1 = nnhal.constant_copy dense<[1, -1]> : tensor<2xi8>
           -> tensor<2x!quant.uniform<u8:f32, 5.000000e-01:128>>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value, OptionalAttr<I32Attr>:$number,
                       OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def NNHal_ConstantReferenceOp : NNHal_OperandOp<"constant_reference",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a constant in a pool";
  let description = [{
    The bytes of `pool` from `offset` on, as many as the result type has;
    `length` states it for OEM and extension types, which have no size.

    ```mlir
    %0 = nnhal.constant_reference @pool0[64] : tensor<8x3x3x3xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$pool, I64Attr:$offset,
                       OptionalAttr<I64Attr>:$length,
                       OptionalAttr<I32Attr>:$number);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$pool `[` $offset `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NNHal_OperationOp : Op<NNHal_Dialect, "operation",
    [NoMemoryEffect, DeclareOpInterfaceMethods<NNHal_HalFormOpInterface,
                                              ["getOperationType"]>]> {
  let summary = "one operation as the HAL states it";
  let description = [{
    `hal_operation` is an operation of the HAL, printed as its name, as
    `OEM_OPERATION`, or as name of the extension and number for one of an
    extension (`com.example.ext:3`). Inputs and outputs are in the HAL's order.
    `outputs` are the HAL operand numbers of the results.

    An extension is verified and lowered by the dialect that brings it, through
    NNHalExtensionInterface.

    ```mlir
    %3 = nnhal.operation "ADD"(%0, %1, %2) {outputs = array<i32: 3>}
           : (tensor<2xf32>, tensor<2xf32>, i32) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins NNHal_HalOperationAttr:$hal_operation,
                       Variadic<AnyType>:$inputs,
                       OptionalAttr<DenseI32ArrayAttr>:$outputs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    custom<HalOperation>($hal_operation) `(` $inputs `)` attr-dict `:`
    functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
  // Bytecode has the operation's spelling.
  let useCustomPropertiesEncoding = 1;
  let extraClassDeclaration = [{
    /// The operation as the HAL or its extension calls it, for messages.
    ::std::string getHalName() { return getHalOperation().getSpelling(); }
  }];
}

#endif // NNHAL_DIALECT_NNHAL_IR_NNHALSTRUCTURE_TD
