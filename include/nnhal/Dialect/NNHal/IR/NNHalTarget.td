//===- NNHalTarget.td - What a module is compiled for ------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NNHALTARGET
#define NNHAL_DIALECT_NNHAL_IR_NNHALTARGET

include "mlir/IR/AttrTypeBase.td"
include "nnhal/Dialect/NNHal/IR/NNHalBase.td"

def NNHal_TargetAttr : AttrDef<NNHal_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "what a module is compiled for";
  let description = [{
    The attribute `nnhal.target` of a module. The name is that of a target of
    the compiler; `rounding` (`double`, `single` or `float`) says how quantized
    results are rounded, whatever the target; `parameters` are the target's own.
    The compiler sets it once, before the first phase, and every pass that
    depends on the target reads it (`nnhal/Dialect/NNHal/IR/Target.h`). The target
    checks its parameters where this compiler has it.

    ```mlir
    module attributes {
      nnhal.target = #nnhal.target<"cpu", rounding = single,
                                   parameters = {vector_registers = 32}>
    } {}
    ```
  }];
  let parameters = (ins
      StringRefParameter<"name of the target">:$name,
      DefaultValuedParameter<"::nnhal::rt::Rounding",
                             "::nnhal::rt::Rounding::doubleRounding">:$rounding,
      OptionalParameter<"::mlir::DictionaryAttr">:$parameters);
  let assemblyFormat = "`<` $name (`,` struct($rounding, $parameters)^)? `>`";
}

#endif // NNHAL_DIALECT_NNHAL_IR_NNHALTARGET
