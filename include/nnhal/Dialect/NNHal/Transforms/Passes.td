//===- Passes.td - Passes within the nnhal dialect ---------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_TRANSFORMS_PASSES_TD
#define NNHAL_DIALECT_NNHAL_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseOperations : Pass<"nnhal-raise-operations", "::mlir::ModuleOp"> {
  let summary = "Raise HAL operations to canonical operations";
  let description = [{
    Replaces each `nnhal.operation` whose scalar, axes, padding and permutation
    operands are constants by the canonical operation, whatever its types and
    extents: every signature form is resolved, pictures in NCHW order are
    transposed before and after, SAME padding becomes explicit pads where the
    extents are known, defaults are filled in. Tensor constants become `nnhal.constant`. Unknown
    extents of results are inferred. Constants and pools that nothing uses any
    more are removed.

    An operation with computed parameters stays in the HAL's form, with constants
    beside it, pictures in NHWC order unless the layout is computed and what is
    known of its results' types, and a remark says why; with `strict` that is an
    error. An operation that breaks its rule is one.

    An operation of an extension is raised by the dialect that brings it, through
    NNHalExtensionInterface.
  }];
  let options = [Option<"strict", "strict", "bool", "false",
                        "Fail when an operation cannot be raised">];
  let statistics = [
    Statistic<"numRaised", "num-raised", "Operations raised">,
    Statistic<"numGeneric", "num-generic", "Operations that stay in the HAL's form">];
  let dependentDialects = ["::nnhal::NNHalDialect"];
}

def CheckVersion : Pass<"nnhal-check-version", "::mlir::ModuleOp"> {
  let summary = "Verify that a HAL version holds a model";
  let description = [{
    For models of the NNAPI-shaped level. Operations, uses of operations,
    operand types, pools and subgraphs that `version` does not have are errors
    at the operation that states them. The rules are those of model validation
    (nnhal/Runtime/Signatures.h): a use counts as it is stated, trailing
    arguments with default values included.

    With `report` nothing is rejected that some version holds: a remark per
    operation names the version that it needs, one per model the lowest version
    of the model.
  }];
  let options = [
    Option<"version", "version", "std::string", "\"\"",
           "From 1.0 to 1.3; the version that the model states if empty">,
    Option<"report", "report", "bool", "false",
           "Emit remarks about what operations and models need, no errors">];
  let dependentDialects = ["::nnhal::NNHalDialect"];
}

def OmitUnknownInputs : Pass<"nnhal-omit-unknown-inputs", "::mlir::ModuleOp"> {
  let summary = "Leave out inputs of unknown extents where operations may";
  let description = [{
    For models of the NNAPI-shaped level, on targets that need to know extents.
    An input of the model of unknown extents that only stands where a request may
    omit it becomes `nnhal.no_value` there: the code is that of requests which
    omit it.

    ```mlir
    %y = nnhal.operation "TRANSPOSE"(%x, %permutation) : ...
    // becomes
    %0 = nnhal.no_value : tensor<0xi32>
    %y = nnhal.operation "TRANSPOSE"(%x, %0) : ...
    ```
  }];
  let statistics = [
    Statistic<"numOmitted", "num-omitted", "Inputs left out">];
  let dependentDialects = ["::nnhal::NNHalDialect"];
}

#endif // NNHAL_DIALECT_NNHAL_TRANSFORMS_PASSES_TD
