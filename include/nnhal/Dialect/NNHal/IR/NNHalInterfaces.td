//===- NNHalInterfaces.td - Interfaces of operations -------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALINTERFACES
#define NNHAL_DIALECT_NNHAL_IR_NNHALINTERFACES

include "mlir/IR/OpBase.td"

def NNHal_HalFormOpInterface : OpInterface<"HalFormOpInterface"> {
  let cppNamespace = "::nnhal";
  let description = [{
    A use of one HAL operation, canonical or as the HAL states it. Validation,
    type inference and lowering read it in the form that the HAL's rules take:
    every input in the HAL's order, attributes as constants.
  }];
  let methods = [
    InterfaceMethod<[{
      The operation of the HAL; nullopt for extensions and OEM operations.
    }], "::std::optional<::nnhal::rt::OperationType>", "getOperationType",
    (ins), /*methodBody=*/"", /*defaultImplementation=*/[{
      return ConcreteOp::getOperationCode();
    }]>,
    InterfaceMethod<[{
      Reads the operation into an empty `view`: its type, the inputs with what
      is known of their values, the results. Fails when the HAL has no such
      operation or type.
    }], "::nnhal::rt::Status", "readHalForm", (ins "::nnhal::HalView &":$view)>,
  ];
}

def NNHal_FusedActivationOpInterface
    : OpInterface<"FusedActivationOpInterface"> {
  let cppNamespace = "::nnhal";
  let description = [{
    An operation that limits its result as an activation says before it stores
    or quantizes it (M-018). Every operation with an input `activation` has it.
  }];
  let methods = [
    InterfaceMethod<"The activation.", "::nnhal::FusedActivation",
                    "getActivation">,
    InterfaceMethod<"Replaces the activation.", "void", "setActivation",
                    (ins "::nnhal::FusedActivation":$activation)>,
  ];
}

#endif // NNHAL_DIALECT_NNHAL_IR_NNHALINTERFACES
