// RUN: nnhal-opt %s --nnhal-verify-addresses --split-input-file --verify-diagnostics

// Two callers pass different extents.
func.func private @callee(%table: memref<9xi32>, %rows: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and the constants that bound it do not fit any extent}}
  %0 = memref.load %rows[%row] : memref<?xf32>
  return
}
func.func @caller(%table: memref<9xi32>, %a: memref<4xf32>, %b: memref<3xf32>) {
  %0 = memref.cast %a : memref<4xf32> to memref<?xf32>
  call @callee(%table, %0) : (memref<9xi32>, memref<?xf32>) -> ()
  %1 = memref.cast %b : memref<3xf32> to memref<?xf32>
  call @callee(%table, %1) : (memref<9xi32>, memref<?xf32>) -> ()
  return
}

// -----

// The only caller passes less, and others may call a function that is not
// private or whose address is taken.
func.func private @small(%table: memref<9xi32>, %rows: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements and is within [0, 3], not within [0, 2]}}
  %0 = memref.load %rows[%row] : memref<?xf32>
  return
}
func.func @caller(%table: memref<9xi32>, %b: memref<3xf32>) {
  %0 = memref.cast %b : memref<3xf32> to memref<?xf32>
  call @small(%table, %0) : (memref<9xi32>, memref<?xf32>) -> ()
  return
}

// -----

func.func private @taken(%table: memref<9xi32>, %rows: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and the constants that bound it do not fit any extent}}
  %0 = memref.load %rows[%row] : memref<?xf32>
  return
}
func.func @caller(%table: memref<9xi32>, %b: memref<4xf32>) -> ((memref<9xi32>, memref<?xf32>) -> ()) {
  %0 = memref.cast %b : memref<4xf32> to memref<?xf32>
  call @taken(%table, %0) : (memref<9xi32>, memref<?xf32>) -> ()
  %1 = constant @taken : (memref<9xi32>, memref<?xf32>) -> ()
  return %1 : (memref<9xi32>, memref<?xf32>) -> ()
}

// -----

// A check tells nothing where it has not passed.
func.func @checked_later(%table: memref<9xi32>, %rows: memref<?xf32>) {
  %i64 = arith.constant 4 : i64
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and the constants that bound it do not fit any extent}}
  %0 = memref.load %rows[%row] : memref<?xf32>
  %extent = memref.dim %rows, %c0 : memref<?xf32>
  %isFour = arith.cmpi eq, %extent, %c4 : index
  nnrt.check %isFour, %i64, %i64 reason 8
  return
}

// -----

// A divisor that may be negative turns the sides around.
func.func @divisor(%table: memref<9xi32>, %rows: memref<?xf32>, %divisor: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %extent = memref.dim %rows, %c0 : memref<?xf32>
  %last = arith.subi %extent, %c1 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %high = arith.minsi %any, %last : index
  %quotient = arith.floordivsi %high, %divisor : index
  %row = arith.maxsi %quotient, %c0 : index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and nothing bounds it from above}}
  %0 = memref.load %rows[%row] : memref<?xf32>
  return
}

// -----

// Nobody calls this, so that its values have no ranges.
func.func private @unreached(%table: memref<9xi32>, %rows: memref<4xf32>, %first: index) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %low = arith.andi %any, %c3 : index
  %row = arith.addi %first, %low : index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements and has no known range}}
  %0 = memref.load %rows[%row] : memref<4xf32>
  return
}

// -----

// An induction variable that may shrink leaves its bounds.
func.func @shrinks(%table: memref<9xi32>, %rows: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  // expected-error @+1 {{'scf.for' op has a step that follows from loaded elements and may not be above zero}}
  scf.for %i = %c0 to %c8 step %any {
    %0 = memref.load %rows[%i] : memref<8xf32>
  }
  return
}

// -----

// Numbers of more than 64 bits are compared as such: of all of them the low
// words of the least and of the greatest are 0 and -1.
func.func @wide(%table: memref<9xi128>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %last = arith.constant 3 : i128
  %element = memref.load %table[%c0] : memref<9xi128>
  %low = arith.minsi %element, %last : i128
  %narrow = arith.trunci %low : i128 to i64
  %row = arith.index_cast %narrow : i64 to index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements}}
  %0 = memref.load %rows[%row] : memref<4xf32>
  return
}
