// RUN: nnhal-opt %s --nnhal-extract-constants | FileCheck %s

// Constants that become part of an address stay in the code, others are moved.

// CHECK-DAG: memref.global "private" constant @positions
memref.global "private" constant @positions : memref<4xi32> = dense<[0, 2, 1, 3]>
// CHECK-DAG: memref.global "private" constant @generic
memref.global "private" constant @generic : memref<4xi32> = dense<[3, 2, 1, 0]>
// CHECK-DAG: memref.global "private" constant @counts
memref.global "private" constant @counts : memref<2xi32> = dense<[2, 3]>
// CHECK-DAG: memref.global "private" constant @carried
memref.global "private" constant @carried : memref<2x2xi32> = dense<[[0, 1], [2, 3]]>
// CHECK-NOT: memref.global
memref.global "private" constant @clamped : memref<4xi32> = dense<[0, 2, 1, 3]>
memref.global "private" constant @added : memref<4xi32> = dense<[5, 6, 7, 8]>
memref.global "private" constant @weights : memref<4xf32> = dense<[0.5, 1.5, 2.5, 3.5]>

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[BLOB:[a-z0-9]+]]: memref<192xi8>)
func.func @main(%rows: memref<4xf32>, %numbers: memref<4xi32>, %out: memref<4xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %positions = memref.get_global @positions : memref<4xi32>
  %clamped = memref.get_global @clamped : memref<4xi32>
  %weights = memref.get_global @weights : memref<4xf32>
  %added = memref.get_global @added : memref<4xi32>
  scf.for %i = %c0 to %c4 step %c1 {
    %element = memref.load %positions[%i] : memref<4xi32>
    %row = arith.index_cast %element : i32 to index
    %value = memref.load %rows[%row] : memref<4xf32>
    %weight = memref.load %weights[%i] : memref<4xf32>
    %product = arith.mulf %value, %weight : f32
    %other = memref.load %clamped[%i] : memref<4xi32>
    %any = arith.index_cast %other : i32 to index
    %low = arith.maxsi %any, %c0 : index
    %to = arith.minsi %low, %c3 : index
    memref.store %product, %out[%to] : memref<4xf32>
    %summand = memref.load %added[%i] : memref<4xi32>
    %number = memref.load %numbers[%i] : memref<4xi32>
    %sum = arith.addi %number, %summand : i32
    memref.store %sum, %numbers[%i] : memref<4xi32>
  }

  // The operand of a linalg operation.
  %generic = memref.get_global @generic : memref<4xi32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%generic : memref<4xi32>) outs(%out : memref<4xf32>) {
  ^bb0(%element: i32, %old: f32):
    %row = arith.index_cast %element : i32 to index
    %value = memref.load %rows[%row] : memref<4xf32>
    linalg.yield %value : f32
  }

  // The bound of a loop.
  %counts = memref.get_global @counts : memref<2xi32>
  %count = memref.load %counts[%c1] : memref<2xi32>
  %end = arith.index_cast %count : i32 to index
  scf.for %i = %c0 to %end step %c1 {
    %value = memref.load %rows[%i] : memref<4xf32>
    memref.store %value, %out[%i] : memref<4xf32>
  }

  // A part of it, and what a loop carries.
  %carried = memref.get_global @carried : memref<2x2xi32>
  %part = memref.subview %carried[1, 0] [1, 2] [1, 1]
      : memref<2x2xi32> to memref<2xi32, strided<[1], offset: 2>>
  %last = scf.for %i = %c0 to %c1 step %c1 iter_args(%state = %zero) -> i32 {
    %element = memref.load %part[%i] : memref<2xi32, strided<[1], offset: 2>>
    scf.yield %element : i32
  }
  %place = arith.index_cast %last : i32 to index
  %value = memref.load %rows[%place] : memref<4xf32>
  memref.store %value, %out[%c0] : memref<4xf32>
  return
}
