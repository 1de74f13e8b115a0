//===- NNHalInterfaces.td - Interfaces of operations -------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALINTERFACES
#define NNHAL_DIALECT_NNHAL_IR_NNHALINTERFACES

include "mlir/IR/OpBase.td"

def NNHal_HalOperationInterface : OpInterface<"HalOperationInterface"> {
  let cppNamespace = "::nnhal";
  let description = [{
    A canonical operation that stands for one HAL operation.
  }];
  let methods = [
    StaticInterfaceMethod<"the HAL operation code",
                          "::nnhal::rt::OperationType", "getOperationCode">,
    StaticInterfaceMethod<"the HAL version that introduced the operation",
                          "::nnhal::rt::HalVersion", "getHalVersion">,
    StaticInterfaceMethod<"the NNAPI feature level of that version, 27 to 30",
                          "int", "getFeatureLevel", (ins), [{
      return 27 + int(ConcreteOp::getHalVersion());
    }]>,
  ];
}

#endif // NNHAL_DIALECT_NNHAL_IR_NNHALINTERFACES
