// RUN: nnhal-opt %s --pass-pipeline='builtin.module(nnhal-partition-kernels{max-size=1},builtin.module(nnhal-convert-to-llvm))' | FileCheck %s

// One function passes a buffer of unknown extent: all parts agree on
// descriptors, also those that could do without.
// CHECK:       module attributes {nnhal.passes_descriptors}
// CHECK:       llvm.func @entry(%{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr, %{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i64
// CHECK:       module attributes {nnhal.passes_descriptors}
// CHECK:       llvm.func @kernel_0(%{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr, %{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i64
func.func private @kernel_0(%x: memref<4xf32>) {
  return
}

func.func @entry(%x: memref<?xf32>, %y: memref<4xf32>) {
  call @kernel_0(%y) : (memref<4xf32>) -> ()
  return
}
