// The program that runs every pass on every IR finds each kind of fault.
// UNSUPPORTED: sanitizer
// RUN: not nnhal-check-passes %s --as-it-is --pass=planted-crash | FileCheck %s --check-prefix=CRASH
// RUN: not nnhal-check-passes %s --as-it-is --pass=planted-hang --time=1 | FileCheck %s --check-prefix=HANG
// RUN: not nnhal-check-passes %s --as-it-is --pass=planted-memory | FileCheck %s --check-prefix=MEMORY
// RUN: not nnhal-check-passes %s --as-it-is --pass=planted-silence | FileCheck %s --check-prefix=SILENCE
// RUN: not nnhal-check-passes %s --as-it-is --pass=planted-invalid-ir | FileCheck %s --check-prefix=INVALID
// RUN: not nnhal-check-passes %s --as-it-is --pass=nowhere 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: nnhal-check-passes %s --pass=nnhal-plan-memory --v | FileCheck %s --check-prefix=VALID

// CRASH: FAULT: planted-crash on planted.mlir ended by signal 11 (Segmentation fault)
// HANG: FAULT: planted-hang on planted.mlir took more than 1 s
// MEMORY: FAULT: planted-memory on planted.mlir ended by signal 6 (Aborted)
// SILENCE: FAULT: planted-silence on planted.mlir failed without an error
// INVALID: FAULT: planted-invalid-ir on planted.mlir left invalid IR
// UNKNOWN: FAULT: nowhere on planted.mlir is not a pass or pipeline
// VALID: valid: nnhal-plan-memory on planted.mlir
// VALID: 9 pairs of a pass and IR: 9 left valid IR, 0 were refused, 0 faults
func.func @f() {
  return
}
