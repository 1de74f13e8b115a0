//===- NNHalEnums.td - Enumerations and their attributes ---*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALENUMS
#define NNHAL_DIALECT_NNHAL_IR_NNHALENUMS

include "mlir/IR/EnumAttr.td"
include "nnhal/Dialect/NNHal/IR/NNHalBase.td"

/// The values are those of the HAL's FusedActivationFunc, 0 to 3 (A-061).
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

/// The values are those of recurrent operations (M-163, M-173).
def NNHal_RecurrentActivation
    : I32EnumAttr<"RecurrentActivation", "activation within a recurrent cell",
                  [I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"relu", 1>,
                   I32EnumAttrCase<"relu1", 2>, I32EnumAttrCase<"relu6", 3>,
                   I32EnumAttrCase<"tanh", 4>, I32EnumAttrCase<"sigmoid", 6>]> {
  let cppNamespace = "::nnhal";
  let genSpecializedAttr = 0;
}

def NNHal_RecurrentActivationAttr
    : EnumAttr<NNHal_Dialect, NNHal_RecurrentActivation, "recurrent_activation">;

/// How boxes that overlap a better one lose score (M-223).
def NNHal_SoftNmsKernel
    : I32EnumAttr<"SoftNmsKernel", "how boxes lose score to better ones",
                  [I32EnumAttrCase<"hard", 0>, I32EnumAttrCase<"linear", 1>,
                   I32EnumAttrCase<"gaussian", 2>]> {
  let cppNamespace = "::nnhal";
  let genSpecializedAttr = 0;
}

def NNHal_SoftNmsKernelAttr
    : EnumAttr<NNHal_Dialect, NNHal_SoftNmsKernel, "soft_nms_kernel">;

/// How lsh_projection packs bits (M-158).
def NNHal_LshKind
    : I32EnumAttr<"LshKind", "how a projection packs bits",
                  [I32EnumAttrCase<"sparse_deprecated", 1>,
                   I32EnumAttrCase<"dense", 2>, I32EnumAttrCase<"sparse", 3>]> {
  let cppNamespace = "::nnhal";
  let genSpecializedAttr = 0;
}

def NNHal_LshKindAttr : EnumAttr<NNHal_Dialect, NNHal_LshKind, "lsh_kind">;

#endif // NNHAL_DIALECT_NNHAL_IR_NNHALENUMS
