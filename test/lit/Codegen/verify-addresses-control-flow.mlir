// RUN: nnhal-opt %s --nnhal-verify-addresses --split-input-file --verify-diagnostics

// Numbers that follow from loaded elements keep their bounds where branches,
// loops and calls pass them on.

func.func @to_a_block(%table: memref<9xi32>, %rows: memref<4xf32>, %isLow: i1) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  cf.cond_br %isLow, ^end(%c0 : index), ^end(%row : index)
^end(%passed: index):
  %0 = memref.load %rows[%passed] : memref<4xf32>
  return
}

// -----

func.func @to_a_block_without_bounds(%table: memref<9xi32>, %rows: memref<4xf32>, %isLow: i1) {
  %c0 = arith.constant 0 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %row = arith.index_cast %element : i32 to index
  cf.cond_br %isLow, ^end(%c0 : index), ^end(%row : index)
^end(%passed: index):
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and nothing bounds it from below and above}}
  %0 = memref.load %rows[%passed] : memref<4xf32>
  return
}

// -----

// Nothing says how often a loop of blocks iterates: what changes in it has no
// bound, and what stays has that of the beginning.
func.func @around_a_loop_of_blocks(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  cf.br ^again(%row, %row : index, index)
^again(%same: index, %other: index):
  %0 = memref.load %rows[%same] : memref<4xf32>
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and nothing bounds it from below and above}}
  %1 = memref.load %rows[%other] : memref<4xf32>
  %next = arith.addi %other, %c1 : index
  %isLast = arith.cmpi eq, %next, %c3 : index
  cf.cond_br %isLast, ^end, ^again(%same, %next : index, index)
^end:
  return
}

// -----

func.func @through_a_loop(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %last = scf.for %i = %c0 to %c9 step %c1 iter_args(%row = %c0) -> index {
    %0 = memref.load %rows[%row] : memref<4xf32>
    %element = memref.load %table[%i] : memref<9xi32>
    %any = arith.index_cast %element : i32 to index
    %next = arith.andi %any, %c3 : index
    scf.yield %next : index
  }
  %1 = memref.load %rows[%last] : memref<4xf32>
  return
}

// -----

func.func @through_a_loop_of_loaded_length(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %count = arith.index_cast %element : i32 to index
  %same, %last = scf.for %i = %c0 to %count step %c1 iter_args(%kept = %c1, %row = %c0) -> (index, index) {
    %next = arith.addi %row, %c1 : index
    scf.yield %kept, %next : index, index
  }
  %0 = memref.load %rows[%same] : memref<4xf32>
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and nothing bounds it from below and above}}
  %1 = memref.load %rows[%last] : memref<4xf32>
  return
}

// -----

func.func private @bounded(%table: memref<9xi32>) -> index {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  return %row : index
}
func.func private @elsewhere() -> index
func.func @from_functions(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %row = call @bounded(%table) : (memref<9xi32>) -> index
  %0 = memref.load %rows[%row] : memref<4xf32>
  %any = call @elsewhere() : () -> index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and nothing bounds it from below and above}}
  %1 = memref.load %rows[%any] : memref<4xf32>
  return
}
