// RUN: nnhal-opt %s --allow-unregistered-dialect --nnhal-extract-constants | FileCheck %s

// CHECK: module attributes {nnhal.data_cache = dense_resource<data_cache> : tensor<192xi8>}
// CHECK-NOT: memref.global
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[BLOB:[a-z0-9]+]]: memref<192xi8>
// CHECK-DAG:   %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:   %[[C64:.+]] = arith.constant 64 : index
// CHECK-DAG:   memref.view %[[BLOB]][%[[C0]]][] : memref<192xi8> to memref<2xf32>
// CHECK-DAG:   memref.view %[[BLOB]][%[[C64]]][] : memref<192xi8> to memref<20xf32>
memref.global "private" constant @splat : memref<20xf32> = dense<1.0>
memref.global "private" constant @pair : memref<2xf32> = dense<[2.0, 3.0]>

func.func @main() attributes {nnhal.entry} {
  %0 = memref.get_global @pair : memref<2xf32>
  %1 = memref.get_global @splat : memref<20xf32>
  %2 = memref.get_global @pair : memref<2xf32>
  "test.use"(%0, %1, %2) : (memref<2xf32>, memref<20xf32>, memref<2xf32>) -> ()
  return
}

// The blob's bytes: the pair, padding to 64, the splat written out.
// CHECK: data_cache: "0x{{[0-9A-F]+}}0000004000004040
// CHECK-SAME: 0000803F0000803F
