// RUN: not nnhal-opt %s --nnhal-set-target=parameters=vector-bits=384 --convert-nnk-to-vector 2>&1 | FileCheck %s
// RUN: not nnhal-opt %s --nnhal-set-target=parameters=tile-rows=5 --convert-nnk-to-vector 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not nnhal-opt %s --nnhal-compile="target-parameters=tile-rows-1=0" 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not nnhal-opt %s --nnhal-set-target=parameters=short-run=0 --convert-nnhal-to-linalg 2>&1 | FileCheck %s --check-prefix=VALUE

// CHECK: error: vector-bits 384 must be 128, 256 or 512
// NUMBER: error: cost-model: there is no number 'tile-rows'
// PIPELINE: error: cost-model: 'tile-rows-1=0' does not give a number from 1 to 2^30
// VALUE: error: cost-model: 'short-run=0' does not give a number from 1 to 2^30
module {}
