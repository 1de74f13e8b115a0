//===- NNHalEnums.td - Enumerations and their attributes -*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALENUMS
#define NNHAL_DIALECT_NNHAL_IR_NNHALENUMS

include "mlir/IR/EnumAttr.td"
include "nnhal/Dialect/NNHal/IR/NNHalBase.td"

/// The values are the HAL's FusedActivationFunc (A-069).
def NNHal_FusedActivation
    : I32EnumAttr<"FusedActivation", "activation applied to a result",
                  [I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"relu", 1>,
                   I32EnumAttrCase<"relu1", 2>, I32EnumAttrCase<"relu6", 3>]> {
  let cppNamespace = "::nnhal";
  let genSpecializedAttr = 0;
}

def NNHal_FusedActivationAttr
    : EnumAttr<NNHal_Dialect, NNHal_FusedActivation, "activation">;

/// The attribute `activation` as operations have it: absent means none.
def NNHal_OptionalActivation
    : DefaultValuedAttr<NNHal_FusedActivationAttr,
                        "::nnhal::FusedActivation::none">;

#endif // NNHAL_DIALECT_NNHAL_IR_NNHALENUMS
