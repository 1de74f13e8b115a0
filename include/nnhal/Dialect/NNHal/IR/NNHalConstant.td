//===- NNHalConstant.td - Constants of the canonical level -*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALCONSTANT
#define NNHAL_DIALECT_NNHAL_IR_NNHALCONSTANT

include "nnhal/Dialect/NNHal/IR/NNHalEnums.td"

def NNHal_ConstantOp
    : Op<NNHal_Dialect, "constant", [Pure, ConstantLike, OpAsmOpInterface]> {
  let summary = "a constant tensor";
  let description = [{
    The elements of `value` are the stored values: its element type is the
    storage type where the result is quantized.

    ```mlir
    %0 = nnhal.constant dense<[[1, 2]]> : tensor<1x2xi8>
        -> tensor<1x2x!quant.uniform<i8:f32, 0.5>>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs NNHal_Tensor:$output);
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
