//===- NNHalBase.td - Dialect and base classes -------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALBASE
#define NNHAL_DIALECT_NNHAL_IR_NNHALBASE

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "nnhal/Dialect/NNHal/IR/NNHalInterfaces.td"

def NNHal_Dialect : Dialect {
  let name = "nnhal";
  let cppNamespace = "::nnhal";
  let summary = "NN HAL 1.3 model graphs";
  let description = [{
    Two levels in one dialect. The NNAPI-shaped level (NNHalStructure.td) keeps
    a model as the HAL states it: operands in HAL order, every signature form.
    The canonical level has one operation per HAL operation: NHWC tensors,
    attributes instead of constant scalar operands, explicit paddings.

    Tensors are builtin tensors: f32, f16, i32, i8 for TENSOR_BOOL8 (zero is
    false, any other byte true) and `!quant.uniform` element types for the
    quantized operand types. The rules that verify an operation are LLVM-free
    functions (nnhal/Runtime/Rules.h) and are shared with the runtime.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  // DiscardableAttributes.h declares them.
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Called once by initialize(); definitions of their own so that the
    /// generated code of each is instantiated in one translation unit.
    void registerTypes();
    void registerAttributes();
    void registerOperations();
  }];
}

//===----------------------------------------------------------------------===//
// Type constraints
//===----------------------------------------------------------------------===//

def NNHal_QuantizedElement
    : Type<CPred<"::nnhal::isQuantizedElement($_self)">,
           "quantized value of the HAL", "::mlir::quant::QuantizedType">;

/// Which of these element types an operation takes is for its rule to say.
def NNHal_Tensor
    : RankedTensorOf<[F32, F16, I32, I8, NNHal_QuantizedElement]>;
def NNHal_IndexTensor : RankedTensorOf<[I32]>;
def NNHal_BoolTensor : RankedTensorOf<[I8]>;

#endif // NNHAL_DIALECT_NNHAL_IR_NNHALBASE
