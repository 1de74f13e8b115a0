// RUN: not nnhal-opt %s --convert-nnk-to-vector="vector-bits=384" 2>&1 | FileCheck %s
// RUN: not nnhal-opt %s --convert-nnk-to-vector="cost-model=tile-rows=5" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not nnhal-opt %s --nnhal-compile="cost-model=tile-rows-1=0" 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not nnhal-opt %s --convert-nnhal-to-linalg="cost-model=short-run=0" 2>&1 | FileCheck %s --check-prefix=VALUE

// CHECK: error: vector-bits 384 must be 128, 256 or 512
// NUMBER: error: cost-model: there is no number 'tile-rows'
// PIPELINE: error: cost-model: 'tile-rows-1=0' does not give a number from 1 to 2^30
// VALUE: error: cost-model: 'short-run=0' does not give a number from 1 to 2^30
module {}
