// RUN: nnhal-opt %s --split-input-file --nnhal-outline-operations | FileCheck %s
// RUN: nnhal-opt %s --split-input-file --nnhal-outline-kernels=keep-operations | FileCheck %s --check-prefix=KERNELS

// A number that fills a vector element is no number of an array.
// CHECK-LABEL: func.func @vectors
// CHECK:         call @operation(%{{.+}}) : (memref<8xvector<4xf32>>) -> ()
// CHECK:       func.func private @operation
// CHECK:         arith.constant dense<3.000000e-01> : vector<4xf32>
#map = affine_map<(d0) -> (d0)>
func.func @vectors(%a: memref<8xvector<4xf32>>) attributes {nnhal.entry} {
  %number = arith.constant dense<0.3> : vector<4xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%a : memref<8xvector<4xf32>>) {
  ^bb0(%old: vector<4xf32>):
    %result = arith.addf %old, %number : vector<4xf32>
    linalg.yield %result : vector<4xf32>
  }
  return
}

// -----

// A function that is called like one of nnhal-outline-operations and does
// something else: what is loaded at a variable position, or written before,
// stays in front of the loop.
// KERNELS-LABEL: func.func @loads
// KERNELS:         %[[LOADED:.+]] = memref.load
// KERNELS:         memref.store
// KERNELS:         %[[WRITTEN:.+]] = memref.load
// KERNELS:         call @kernel_0({{.*}}%[[LOADED]], %[[WRITTEN]]{{.*}})
func.func @loads(%a: memref<8xf32>, %n: memref<4xf32>, %i: index, %x: f32) attributes {nnhal.entry} {
  call @operation(%a, %i, %x, %n, %n) : (memref<8xf32>, index, f32, memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func private @operation(%a: memref<8xf32>, %i: index, %x: f32, %m: memref<4xf32>, %n: memref<4xf32>) attributes {nnhal.number_arrays = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %loaded = memref.load %m[%i] : memref<4xf32>
  memref.store %x, %n[%c0] : memref<4xf32>
  %written = memref.load %n[%c0] : memref<4xf32>
  scf.for %k = %c0 to %c8 step %c1 {
    %sum = arith.addf %loaded, %written : f32
    memref.store %sum, %a[%k] : memref<8xf32>
  }
  return
}

// -----

// A buffer of unknown extent is collapsed where it was, and a function that
// something else than a call refers to stays.
// KERNELS-LABEL: func.func @unknown
// KERNELS:         %[[VIEW:.+]] = memref.view
// KERNELS:         memref.collapse_shape %[[VIEW]]
// KERNELS:       func.func private @operation
func.func @unknown(%arena: memref<1024xi8>, %n: index) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %view = memref.view %arena[%c0][%n] : memref<1024xi8> to memref<?x4xf32>
  call @operation(%view) : (memref<?x4xf32>) -> ()
  %address = func.constant @operation : (memref<?x4xf32>) -> ()
  return
}
func.func private @operation(%a: memref<?x4xf32>) attributes {nnhal.number_arrays = 0 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %flat = memref.collapse_shape %a [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  memref.store %zero, %flat[%c0] : memref<?xf32>
  return
}

// -----

// The entry is no operation, whatever it says, and each of its loops becomes a
// kernel once.
// KERNELS-LABEL: func.func private @entry
// KERNELS-COUNT-2: call @kernel_0(
// KERNELS:         return
func.func private @entry(%a: memref<8xf32>, %b: memref<8xf32>) attributes {nnhal.entry, nnhal.number_arrays = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  scf.for %k = %c0 to %c8 step %c1 {
    memref.store %zero, %a[%k] : memref<8xf32>
  }
  scf.for %k = %c0 to %c8 step %c1 {
    memref.store %zero, %b[%k] : memref<8xf32>
  }
  return
}
