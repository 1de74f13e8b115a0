// RUN: nnhal-opt %s --nnhal-partition-kernels --verify-diagnostics

func.func @nnhal_entry() {
  builtin.module {
    llvm.func @inner()
    llvm.func @caller() {
      // expected-error @below {{'llvm.call' op refers to a symbol that other modules would not have}}
      llvm.call @inner() : () -> ()
      llvm.return
    }
  }
  return
}
