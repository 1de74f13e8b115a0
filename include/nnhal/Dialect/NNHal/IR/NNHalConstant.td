//===- NNHalConstant.td - Constants of the canonical level -*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALCONSTANT
#define NNHAL_DIALECT_NNHAL_IR_NNHALCONSTANT

include "nnhal/Dialect/NNHal/IR/NNHalEnums.td"

/// Elements of an extension's type, where a device has described it so that
/// compiled code can hold them.
def NNHal_StoredExtensionElement
    : Type<And<[CPred<"::llvm::isa<::nnhal::ExtensionType>($_self)">,
                CPred<"::llvm::cast<::nnhal::ExtensionType>($_self)"
                      ".isStoredAsInteger()">]>,
           "value of an extension that is stored as an integer",
           "::nnhal::ExtensionType">;

def NNHal_ConstantTensor
    : RankedTensorOf<[F32, F16, I32, I8, NNHal_QuantizedElement,
                      NNHal_StoredExtensionElement]>;

def NNHal_ConstantOp
    : Op<NNHal_Dialect, "constant", [Pure, ConstantLike, OpAsmOpInterface]> {
  let summary = "a constant tensor";
  let description = [{
    The elements of `value` are the stored values: its element type is the
    storage type where the result is quantized or of an extension.

    ```mlir
    %0 = nnhal.constant dense<[[1, 2]]> : tensor<1x2xi8>
        -> tensor<1x2x!quant.uniform<i8:f32, 0.5>>
    %1 = nnhal.constant dense<7> : tensor<1xi64>
        -> tensor<1x!nnhal.extension<"nnhal.tflite", 0 : 8>>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs NNHal_ConstantTensor:$output);
  let assemblyFormat = "attr-dict $value `->` type($output)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setName(getOutput(), "cst");
    }
  }];
}

#endif // NNHAL_DIALECT_NNHAL_IR_NNHALCONSTANT
