//===- Passes.td - Passes on whole models ------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_MODELIR_PASSES_TD
#define NNHAL_MODELIR_PASSES_TD

include "mlir/Pass/PassBase.td"

def PartitionModel : Pass<"nnhal-partition", "::mlir::ModuleOp"> {
  let summary = "Partition a model among devices";
  let description = [{
    For a module with one model of the NNAPI-shaped level. The decision is that
    of the runtime (rt::planPartition()), for devices that `devices`, a JSON
    file, describes:

    ```json
    {"devices": [{"name": "dsp", "execTime": 0.5, "powerUsage": 0.3,
                  "operations": ["CONV_2D", "RELU"]},
                 {"name": "cpu", "except": ["LSTM"]} ],
     "fallback": "cpu"}
    ```

    A device takes the operations of `operations`, or all but those of `except`;
    its two numbers are those of every operand type, 1 where they are missing,
    and `halVersion` is the newest version that it speaks.

    The model becomes one model per step, in an order of execution. Attributes
    of each tell the device, the numbers that the step's operations have in the
    source, the reason for each assignment, and the numbers of the operands that
    are its inputs and outputs. The module's attribute `nnhal.plan` lists the
    steps with those that only interpret control flow.
  }];
  let options = [
    Option<"devices", "devices", "std::string", "\"\"",
           "JSON file that describes the devices">,
    Option<"planner", "planner", "std::string", "\"least-cost\"",
           "least-cost or greedy">];
  let statistics = [
    Statistic<"numSteps", "num-steps", "Models of steps">
  ];
  let dependentDialects = ["::nnhal::NNHalDialect"];
}

#endif // NNHAL_MODELIR_PASSES_TD
