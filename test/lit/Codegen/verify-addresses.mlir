// RUN: nnhal-opt %s --nnhal-verify-addresses | FileCheck %s

// What follows from loaded elements and is bounded on both sides.

// Constants that fit the extent; a vector needs room for all of its lanes.
// CHECK-LABEL: func.func @clamped
func.func @clamped(%table: memref<9xi32>, %rows: memref<4x8xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %element = memref.load %table[%i] : memref<9xi32>
    %any = arith.index_cast %element : i32 to index
    %low = arith.maxsi %any, %c0 : index
    %row = arith.minsi %low, %c3 : index
    %scalar = memref.load %rows[%row, %c1] : memref<4x8xf32>
    memref.store %scalar, %out[%row] : memref<8xf32>
    %lanes = vector.load %rows[%c0, %row] : memref<4x8xf32>, vector<4xf32>
    vector.store %lanes, %out[%row] : memref<8xf32>, vector<4xf32>
    %part = memref.subview %rows[%row, 0] [1, 8] [1, 1]
        : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    memref.store %scalar, %part[%c0, %c1] : memref<1x8xf32, strided<[8, 1], offset: ?>>
  }
  return
}

// A mask, a remainder, an unsigned minimum, a comparison that selects.
// CHECK-LABEL: func.func @others
func.func @others(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %masked = arith.andi %any, %c3 : index
  %0 = memref.load %rows[%masked] : memref<4xf32>
  %rest = arith.remui %any, %c4 : index
  %1 = memref.load %rows[%rest] : memref<4xf32>
  %least = arith.minui %any, %c3 : index
  %2 = memref.load %rows[%least] : memref<4xf32>
  %isLow = arith.cmpi slt, %any, %c0 : index
  %low = arith.select %isLow, %c0, %any : index
  %isHigh = arith.cmpi sgt, %low, %c3 : index
  %both = arith.select %isHigh, %c3, %low : index
  %limited = arith.minsi %both, %c3 : index
  %final = arith.maxsi %limited, %c0 : index
  %3 = memref.load %rows[%final] : memref<4xf32>
  return
}

// The extent of the buffer, whatever it is.
// CHECK-LABEL: func.func @extent
func.func @extent(%table: memref<9xi32>, %rows: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %extent = memref.dim %rows, %c0 : memref<?xf32>
  %last = arith.subi %extent, %c1 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %low = arith.maxsi %any, %c0 : index
  %row = arith.minsi %low, %last : index
  %0 = memref.load %rows[%row] : memref<?xf32>
  return
}

// A check that ends the execution, of the integer or of what it is widened to;
// and the sum of what has been checked.
// CHECK-LABEL: func.func @checked
func.func @checked(%table: memref<9xi32>, %rows: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %i64 = arith.constant 0 : i64
  %element = memref.load %table[%c0] : memref<9xi32>
  %isLow = arith.cmpi sge, %element, %zero : i32
  %isHigh = arith.cmpi slt, %element, %four : i32
  %isIn = arith.andi %isLow, %isHigh : i1
  nnrt.check %isIn, %i64, %i64 reason 4
  %begin = arith.index_cast %element : i32 to index
  scf.for %i = %c0 to %c4 step %c1 {
    %row = arith.addi %begin, %i : index
    %0 = memref.load %rows[%row] : memref<8xf32>
  }
  return
}

// The runtime refuses what it cannot allocate; a loop up to the extent stays in
// the memory.
// CHECK-LABEL: func.func @allocated
func.func @allocated(%table: memref<9xi32>, %value: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %extent = arith.index_cast %element : i32 to index
  %memory = nnrt.allocate(%extent) : memref<?xf32>
  scf.for %i = %c0 to %extent step %c1 {
    memref.store %value, %memory[%i] : memref<?xf32>
  }
  return
}

// There is an element for each value of a byte.
// CHECK-LABEL: func.func @byte
func.func @byte(%bytes: memref<9xi8>, %rows: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %byte = memref.load %bytes[%c0] : memref<9xi8>
  %row = arith.index_castui %byte : i8 to index
  %0 = memref.load %rows[%row] : memref<256xf32>
  return
}

// A part of a sum whose other parts are not negative is not above the sum.
// CHECK-LABEL: func.func @padded
func.func @padded(%table: memref<9xi32>, %value: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i64 = arith.constant 0 : i64
  %first = memref.load %table[%c0] : memref<9xi32>
  %second = memref.load %table[%c1] : memref<9xi32>
  %head = arith.index_cast %first : i32 to index
  %tail = arith.index_cast %second : i32 to index
  %isHead = arith.cmpi sge, %head, %c0 : index
  nnrt.check %isHead, %i64, %i64 reason 4
  %isTail = arith.cmpi sge, %tail, %c0 : index
  nnrt.check %isTail, %i64, %i64 reason 4
  %most = arith.addi %head, %c1 : index
  %extent = arith.addi %most, %tail : index
  %memory = nnrt.allocate(%extent) : memref<?xf32>
  memref.store %value, %memory[%head] : memref<?xf32>
  return
}

// What was computed before a check has passed.
// CHECK-LABEL: func.func @before
func.func @before(%table: memref<9xi32>, %source: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %extent = arith.index_cast %element : i32 to index
  %product = arith.muli %extent, %c3 : index
  %quotient = arith.divsi %c3, %extent : index
  %sum = arith.addi %product, %quotient : index
  %count = arith.index_cast %sum : index to i64
  %shape = memref.alloca() : memref<1xi64>
  %memory = nnrt.allocate(%extent) : memref<?xf32>
  memref.store %count, %shape[%c0] : memref<1xi64>
  %0 = memref.reshape %source(%shape) : (memref<?xf32>, memref<1xi64>) -> memref<?xf32>
  return %0 : memref<?xf32>
}

// Kernels are given what is bounded.
// CHECK-LABEL: func.func private @kernel
func.func private @kernel(%rows: memref<4xf32>, %row: index) {
  %0 = memref.load %rows[%row] : memref<4xf32>
  return
}
// CHECK-LABEL: func.func @caller
func.func @caller(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %low = arith.maxsi %any, %c0 : index
  %row = arith.minsi %low, %c3 : index
  call @kernel(%rows, %row) : (memref<4xf32>, index) -> ()
  return
}

// Extents that are stored for a reshape.
// CHECK-LABEL: func.func @reshaped
func.func @reshaped(%source: memref<?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %extent = memref.dim %source, %c0 : memref<?xf32>
  %count = arith.index_cast %extent : index to i64
  %shape = memref.alloca() : memref<2xi64>
  memref.store %one, %shape[%c0] : memref<2xi64>
  memref.store %count, %shape[%c1] : memref<2xi64>
  %0 = memref.reshape %source(%shape) : (memref<?xf32>, memref<2xi64>) -> memref<?x?xf32>
  return %0 : memref<?x?xf32>
}

// Constants of the code address what they like, and elements are what code
// computes with.
// CHECK-LABEL: func.func @constants
memref.global "private" constant @positions : memref<2xi32> = dense<[1, 3]>
func.func @constants(%table: memref<9xi32>, %rows: memref<4xf32>, %sums: memref<9xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %positions = memref.get_global @positions : memref<2xi32>
  %element = memref.load %positions[%c1] : memref<2xi32>
  %row = arith.index_cast %element : i32 to index
  %0 = memref.load %rows[%row] : memref<4xf32>
  %number = memref.load %table[%c0] : memref<9xi32>
  %sum = arith.addi %number, %number : i32
  memref.store %sum, %sums[%c1] : memref<9xi32>
  return
}
