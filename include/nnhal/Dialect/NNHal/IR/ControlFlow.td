//===- ControlFlow.td - Branches and loops -----------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_CONTROLFLOW
#define NNHAL_DIALECT_NNHAL_IR_CONTROLFLOW

include "nnhal/Dialect/NNHal/IR/HalForm.td"
include "mlir/IR/SymbolInterfaces.td"

def NNHal_ControlFlowGroup : OpDocGroup {
  let summary = "Branches and loops";
  let description = [{
    Graphs of the same model run as parts of one operation. What is passed and
    what the graphs take and yield has the same element types and extents that
    do not contradict each other (B-063 to B-069).
  }];
}

class NNHal_ControlFlowOp<NNHal_HalSignature signature>
    : NNHal_HalOp<signature, signature.results,
                  [NoMemoryEffect,
                   DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

let opDocGroup = NNHal_ControlFlowGroup in {

def NNHal_IfOp : NNHal_ControlFlowOp<NNHal_IF> {
  let summary = "runs one of two graphs";
  let description = [{
    ```mlir
    %0 = nnhal.if %condition then @add else @sub (%x, %y)
        : (tensor<1xi8>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ```
  }];
  let assemblyFormat = [{
    $condition `then` $then_graph `else` $else_graph `(` $inputs `)` attr-dict
    `:` functional-type(operands, results)
  }];
}

def NNHal_WhileOp : NNHal_ControlFlowOp<NNHal_WHILE> {
  let summary = "runs a graph as long as another one says so";
  let description = [{
    Inputs are the loop's state, the first of them its results, then what stays
    as it is. The condition graph takes all of them and yields one boolean, the
    body takes all and yields the next state.

    ```mlir
    %0 = nnhal.while @below_ten do @next (%i, %step)
        : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    ```
  }];
  let assemblyFormat = [{
    $condition_graph `do` $body_graph `(` $inputs `)` attr-dict
    `:` functional-type($inputs, results)
  }];
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_CONTROLFLOW
