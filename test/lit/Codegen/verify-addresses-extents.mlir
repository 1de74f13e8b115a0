// RUN: nnhal-opt %s --nnhal-verify-addresses | FileCheck %s

// Extents that the type leaves open and something else states bound what is
// loaded: a check that has passed, in any form of it.
// CHECK-LABEL: func.func @checked
func.func @checked(%table: memref<9xi32>, %a: memref<?xf32>, %b: memref<2x?xf32>, %c: memref<?xf32>) {
  %i64 = arith.constant 4 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %extentOfA = memref.dim %a, %c0 : memref<?xf32>
  %extentOfB = memref.dim %b, %c1 : memref<2x?xf32>
  %extentOfC = memref.dim %c, %c0 : memref<?xf32>
  %isA = arith.cmpi eq, %extentOfA, %c4 : index
  %isB = arith.cmpi eq, %c4, %extentOfB : index
  %both = arith.andi %isA, %isB : i1
  nnrt.check %both, %i64, %i64 reason 8
  %isNotLess = arith.cmpi sge, %extentOfC, %c4 : index
  %isNotMore = arith.cmpi sle, %extentOfC, %c4 : index
  nnrt.check %isNotLess, %i64, %i64 reason 8
  nnrt.check %isNotMore, %i64, %i64 reason 8
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  %0 = memref.load %a[%row] : memref<?xf32>
  %1 = memref.load %b[%c0, %row] : memref<2x?xf32>
  %2 = memref.load %c[%row] : memref<?xf32>
  return
}

// All callers pass the same, one of them what it was passed, and the function
// calls itself.
// CHECK-LABEL: func.func private @callee
func.func private @callee(%table: memref<9xi32>, %rows: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  %0 = memref.load %rows[%row] : memref<?xf32>
  %isFirst = arith.cmpi eq, %row, %c0 : index
  scf.if %isFirst {
    func.call @callee(%table, %rows) : (memref<9xi32>, memref<?xf32>) -> ()
  }
  return
}
func.func private @between(%table: memref<9xi32>, %rows: memref<?xf32>) {
  call @callee(%table, %rows) : (memref<9xi32>, memref<?xf32>) -> ()
  return
}
func.func @caller(%table: memref<9xi32>, %rows: memref<4xf32>, %others: memref<?xf32>) {
  %i64 = arith.constant 4 : i64
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %same = memref.cast %rows : memref<4xf32> to memref<?xf32>
  call @between(%table, %same) : (memref<9xi32>, memref<?xf32>) -> ()
  %extent = memref.dim %others, %c0 : memref<?xf32>
  %isSame = arith.cmpi eq, %extent, %c4 : index
  nnrt.check %isSame, %i64, %i64 reason 8
  call @callee(%table, %others) : (memref<9xi32>, memref<?xf32>) -> ()
  return
}

// A part of a buffer whose extent a check states.
// CHECK-LABEL: func.func @part
func.func @part(%table: memref<9xi32>, %rows: memref<?xf32>) {
  %i64 = arith.constant 4 : i64
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %extent = memref.dim %rows, %c0 : memref<?xf32>
  %isFive = arith.cmpi eq, %extent, %c5 : index
  nnrt.check %isFive, %i64, %i64 reason 8
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  %part = memref.subview %rows[%row] [2] [1] : memref<?xf32> to memref<2xf32, strided<[1], offset: ?>>
  return
}

// What is divided by something positive stays on its side of zero, so that one
// clamp before and one after it are enough; so do products that are not
// negative.
// CHECK-LABEL: func.func @quotients
func.func @quotients(%table: memref<9xi32>, %rows: memref<?xf32>, %divisors: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %extent = memref.dim %rows, %c0 : memref<?xf32>
  %last = arith.subi %extent, %c1 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %high = arith.minsi %any, %last : index
  %third = arith.floordivsi %high, %c3 : index
  %fromBelow = arith.maxsi %third, %c0 : index
  %0 = memref.load %rows[%fromBelow] : memref<?xf32>
  %divisor = memref.dim %divisors, %c0 : memref<?xf32>
  %low = arith.maxsi %any, %c0 : index
  %quotient = arith.ceildivsi %low, %divisor : index
  %fromAbove = arith.minsi %quotient, %last : index
  %1 = memref.load %rows[%fromAbove] : memref<?xf32>
  %masked = arith.andi %any, %c3 : index
  %product = arith.muli %masked, %low : index
  %least = arith.minsi %product, %last : index
  %2 = memref.load %rows[%least] : memref<?xf32>
  return
}

// What a check states is not forgotten for others that say less.
// CHECK-LABEL: func.func @several_checks
func.func @several_checks(%table: memref<9xi32>, %rows: memref<?xf32>) {
  %i64 = arith.constant 4 : i64
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %extent = memref.dim %rows, %c0 : memref<?xf32>
  %isSmall = arith.cmpi sle, %extent, %c9 : index
  nnrt.check %isSmall, %i64, %i64 reason 8
  %isFour = arith.cmpi eq, %extent, %c4 : index
  nnrt.check %isFour, %i64, %i64 reason 8
  %isThere = arith.cmpi sgt, %extent, %c0 : index
  nnrt.check %isThere, %i64, %i64 reason 8
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  %0 = memref.load %rows[%row] : memref<?xf32>
  return
}

// Elements of vectors have ranges, which the analysis of the module finds.
// CHECK-LABEL: func.func @ofVector
func.func @ofVector(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %mask = arith.constant dense<3> : vector<4xi32>
  %elements = vector.load %table[%c0] : memref<9xi32>, vector<4xi32>
  %low = arith.andi %elements, %mask : vector<4xi32>
  %element = vector.extract %low[0] : i32 from vector<4xi32>
  %row = arith.index_cast %element : i32 to index
  %0 = memref.load %rows[%row] : memref<4xf32>
  return
}

// A step that is loaded is above zero where it is counted from one.
// CHECK-LABEL: func.func @loadedStep
func.func @loadedStep(%table: memref<9xi8>, %rows: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %element = memref.load %table[%c0] : memref<9xi8>
  %any = arith.index_castui %element : i8 to index
  %step = arith.addi %any, %c1 : index
  scf.for %i = %c0 to %c8 step %step {
    %0 = memref.load %rows[%i] : memref<8xf32>
  }
  return
}
