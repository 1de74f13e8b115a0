// RUN: not nnhal-opt %s --convert-nnk-to-vector="vector-bits=384" 2>&1 | FileCheck %s

// CHECK: error: vector-bits 384 must be 128, 256 or 512
module {}
