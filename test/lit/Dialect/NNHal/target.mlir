// RUN: nnhal-opt %s | nnhal-opt | FileCheck %s
// RUN: nnhal-opt %s --emit-bytecode | nnhal-opt | FileCheck %s

// A target that this compiler does not have is valid: passes that ask it fail.
// CHECK: module @defaults attributes {nnhal.target = #nnhal.target<"cpu">}
module @defaults attributes {nnhal.target = #nnhal.target<"cpu", rounding = double>} {}
// CHECK: module @policy attributes {nnhal.target = #nnhal.target<"cpu", rounding = single>}
module @policy attributes {nnhal.target = #nnhal.target<"cpu", rounding = single>} {}
// CHECK: module @parameters attributes {nnhal.target = #nnhal.target<"other", parameters = {lanes = 4 : i64}>}
module @parameters attributes {nnhal.target = #nnhal.target<"other", parameters = {lanes = 4}>} {}
