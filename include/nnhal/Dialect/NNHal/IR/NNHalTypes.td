//===- NNHalTypes.td - Types -------------------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALTYPES
#define NNHAL_DIALECT_NNHAL_IR_NNHALTYPES

include "mlir/IR/AttrTypeBase.td"
include "nnhal/Dialect/NNHal/IR/NNHalBase.td"

class NNHal_Type<string name, string typeMnemonic>
    : TypeDef<NNHal_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def NNHal_SubgraphType : NNHal_Type<"Subgraph", "subgraph"> {
  let summary = "a reference to a subgraph of the model (SUBGRAPH)";
}

/// A type whose scale and zero point only its vendor understands (A-049). They
/// are printed where one of them is not 0: `!nnhal.oem<5.000000e-01, 3>`.
class NNHal_OemTypeOf<string name, string typeMnemonic>
    : NNHal_Type<name, typeMnemonic> {
  let parameters = (ins OptionalParameter<"::mlir::FloatAttr">:$scale,
                        DefaultValuedParameter<"int32_t", "0">:$zeroPoint);
  let hasCustomAssemblyFormat = 1;
}

def NNHal_OemType : NNHal_OemTypeOf<"Oem", "oem"> {
  let summary = "a vendor-defined scalar (OEM)";
}

def NNHal_OemByteType : NNHal_OemTypeOf<"OemByte", "oem_byte"> {
  let summary = "the element of a vendor-defined tensor (TENSOR_OEM_BYTE)";
}

def NNHal_ExtensionType : NNHal_Type<"Extension", "extension"> {
  let summary = "a type of a vendor extension";
  let description = [{
    `!nnhal.extension<"com.example.fft", 2>`: type 2 of the named extension.
    Where a device has described the type, the bytes of one element follow, as
    in `!nnhal.extension<"com.example.fft", 2 : 8>`; elements of 1, 2, 4 and 8
    bytes are stored as integers. A last parameter holds the operand's extension
    bytes, opaque here, as hexadecimal digits:
    `!nnhal.extension<"com.example.fft", 2 : 8, "00ff">`.

    An operand without dimensions is the bare type, or an unranked tensor where
    the type is known to be one of tensors.
  }];
  let parameters = (ins StringRefParameter<"extension name">:$name,
                        "uint32_t":$number,
                        OptionalParameter<"uint32_t">:$elementSize,
                        OptionalParameter<"::mlir::StringAttr">:$data);
  let assemblyFormat = [{
    `<` $name `,` $number (`:` $elementSize^)? (`,` $data^)? `>`
  }];
  let extraClassDeclaration = [{
    /// Whether compiled code can hold an element.
    bool isStoredAsInteger() const {
      uint32_t size = getElementSize();
      return size == 1 || size == 2 || size == 4 || size == 8;
    }
  }];
}

#endif // NNHAL_DIALECT_NNHAL_IR_NNHALTYPES
