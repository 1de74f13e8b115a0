// RUN: nnhal-opt %s --split-input-file --nnhal-outline-operations | FileCheck %s
// RUN: nnhal-opt %s --split-input-file --nnhal-outline-operations --nnhal-vectorize-loops --nnhal-outline-kernels=keep-operations | FileCheck %s --check-prefix=KERNELS

// Layers that differ in a number share a function, which loads the number; the
// constant 0 is one of the algorithm.
// CHECK-DAG:   memref.global "private" constant @[[FIRST:numbers.*]] : memref<1xf32> = dense<1.250000e+00>
// CHECK-DAG:   memref.global "private" constant @[[SECOND:numbers.*]] : memref<1xf32> = dense<2.500000e-01>
// CHECK-LABEL: func.func @layers
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<64xf32>, %[[B:[a-z0-9]+]]: memref<64xf32>
// CHECK:         %[[N1:.+]] = memref.get_global @[[FIRST]]
// CHECK:         call @[[OP:operation.*]](%[[A]], %[[B]], %[[N1]]) : (memref<64xf32>, memref<64xf32>, memref<1xf32>) -> ()
// CHECK:         %[[N2:.+]] = memref.get_global @[[SECOND]]
// CHECK:         call @[[OP]](%[[B]], %[[A]], %[[N2]])
// CHECK-NOT:     linalg.generic
// CHECK:       func.func private @[[OP]](
// CHECK-SAME:    %[[NUMBERS:[a-z0-9]+]]: memref<1xf32>) attributes {llvm.linkage = #llvm.linkage<internal>, nnhal.number_arrays = 1 : i64, nnhal.operation = "{{[0-9a-f]+}}"}
// CHECK:         arith.constant 0.000000e+00
// CHECK:         %[[NUMBER:.+]] = memref.load %[[NUMBERS]][%{{.+}}] : memref<1xf32>
// CHECK:         linalg.generic
// CHECK:           arith.mulf %{{.+}}, %[[NUMBER]]
// CHECK-NOT:   func.func

// The kernel loads the number where it uses it, and the entry calls the kernel
// as if there had been no function. A copy of the function stays for a record.
// KERNELS-LABEL: func.func @layers
// KERNELS:         call @kernel_0({{.*}}) : ({{.*}}memref<1xf32>{{.*}}) -> ()
// KERNELS:         call @kernel_0(
// KERNELS-NOT:     @operation
// KERNELS:       func.func private @kernel_0(
// KERNELS:         scf.for
// KERNELS:           memref.load
// KERNELS:       module attributes {nnhal.kept_operations}
// KERNELS:         func.func private @operation
// KERNELS:           call @kernel_0(
// KERNELS:         func.func private @kernel_0({{.*}}) attributes
#map = affine_map<(d0) -> (d0)>
func.func @layers(%a: memref<64xf32>, %b: memref<64xf32>) attributes {nnhal.entry} {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 1.25 : f32
  %second = arith.constant 0.25 : f32
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) {
  ^bb0(%x: f32, %old: f32):
    %scaled = arith.mulf %x, %first : f32
    %result = arith.maximumf %scaled, %zero : f32
    linalg.yield %result : f32
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%b : memref<64xf32>) outs(%a : memref<64xf32>) {
  ^bb0(%x: f32, %old: f32):
    %scaled = arith.mulf %x, %second : f32
    %result = arith.maximumf %scaled, %zero : f32
    linalg.yield %result : f32
  }
  return
}

// -----

// Slices of one shape share a function, wherever they begin.
// CHECK-LABEL: func.func @slices
// CHECK:         call @[[OP:operation.*]](%{{.+}}, %{{.+}}) : (memref<8x4xf32>, memref<8x4xf32, strided<[8, 1]>>) -> ()
// CHECK:         call @[[OP]](%{{.+}}, %{{.+}})
// CHECK:       func.func private @[[OP]](
// CHECK-NOT:   func.func
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @slices(%a: memref<8x4xf32>, %b: memref<8x8xf32>) attributes {nnhal.entry} {
  %left = memref.subview %b[0, 0] [8, 4] [1, 1] : memref<8x8xf32> to memref<8x4xf32, strided<[8, 1]>>
  %right = memref.subview %b[0, 4] [8, 4] [1, 1] : memref<8x8xf32> to memref<8x4xf32, strided<[8, 1], offset: 4>>
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%a : memref<8x4xf32>) outs(%left : memref<8x4xf32, strided<[8, 1]>>) {
  ^bb0(%x: f32, %old: f32):
    %result = arith.negf %x : f32
    linalg.yield %result : f32
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%a : memref<8x4xf32>) outs(%right : memref<8x4xf32, strided<[8, 1], offset: 4>>) {
  ^bb0(%x: f32, %old: f32):
    %result = arith.negf %x : f32
    linalg.yield %result : f32
  }
  return
}

// -----

// What addresses memory by data keeps its constants, and the globals that it
// reads; through a view nothing would tell the function what they contain.
// CHECK-LABEL: func.func @lookups
// CHECK:         call @operation{{.*}}(%{{.+}}, %{{.+}}) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK:         linalg.generic
// CHECK:       func.func private @operation
// CHECK-SAME:    nnhal.number_arrays = 0 : i64
// CHECK-DAG:     memref.get_global @places
// CHECK-DAG:     arith.constant 1.250000e+00
#map = affine_map<(d0) -> (d0)>
memref.global "private" constant @places : memref<4xi32> = dense<[3, 1, 0, 2]>
func.func @lookups(%a: memref<4xf32>, %b: memref<4xf32>) attributes {nnhal.entry} {
  %number = arith.constant 1.25 : f32
  %places = memref.get_global @places : memref<4xi32>
  %square = memref.expand_shape %places [[0, 1]] output_shape [2, 2] : memref<4xi32> into memref<2x2xi32>
  %line = memref.collapse_shape %square [[0, 1]] : memref<2x2xi32> into memref<4xi32>
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%places : memref<4xi32>) outs(%b : memref<4xf32>) {
  ^bb0(%place: i32, %old: f32):
    %index = arith.index_cast %place : i32 to index
    %x = memref.load %a[%index] : memref<4xf32>
    %result = arith.mulf %x, %number : f32
    linalg.yield %result : f32
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%line : memref<4xi32>) outs(%a : memref<4xf32>) {
  ^bb0(%place: i32, %old: f32):
    %index = arith.index_cast %place : i32 to index
    %x = memref.load %b[%index] : memref<4xf32>
    linalg.yield %x : f32
  }
  return
}

// -----

// Buffers of unknown extent, and what was loaded before, stay.
// CHECK-LABEL: func.func @stays
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK-NOT:   func.func
#map = affine_map<(d0) -> (d0)>
func.func @stays(%a: memref<?xf32>, %b: memref<4xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %loaded = memref.load %b[%c0] : memref<4xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%a : memref<?xf32>) {
  ^bb0(%old: f32):
    %result = arith.negf %old : f32
    linalg.yield %result : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%b : memref<4xf32>) {
  ^bb0(%old: f32):
    %result = arith.addf %old, %loaded : f32
    linalg.yield %result : f32
  }
  return
}
