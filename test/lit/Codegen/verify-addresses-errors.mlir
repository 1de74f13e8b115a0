// RUN: nnhal-opt %s --nnhal-verify-addresses --split-input-file --verify-diagnostics

func.func @unbounded(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %row = arith.index_cast %element : i32 to index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and nothing bounds it from below and above}}
  %0 = memref.load %rows[%row] : memref<4xf32>
  return
}

// -----

// What an arena holds may have come from the data cache.
func.func @stored(%arena: memref<64xi8>, %rows: memref<4xf32>, %value: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %buffer = memref.view %arena[%c0][] : memref<64xi8> to memref<16xi32>
  %element = memref.load %buffer[%c3] : memref<16xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.minsi %any, %c3 : index
  // expected-error @+1 {{'vector.store' op operand #2 follows from loaded elements, and nothing bounds it from below}}
  vector.store %value, %rows[%row] : memref<4xf32>, vector<4xf32>
  return
}

// -----

func.func @above(%table: memref<9xi32>, %rows: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.maxsi %any, %c0 : index
  // expected-error @+1 {{'memref.subview' op operand #1 follows from loaded elements, and nothing bounds it from above}}
  %0 = memref.subview %rows[%row, 0] [1, 8] [1, 1]
      : memref<4x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
  return
}

// -----

func.func @wrong_constants(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %low = arith.maxsi %any, %c0 : index
  %row = arith.minsi %low, %c4 : index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements and is within [0, 4], not within [0, 3]}}
  %0 = memref.load %rows[%row] : memref<4xf32>
  return
}

// -----

func.func @lanes(%table: memref<9xi32>, %rows: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %low = arith.maxsi %any, %c0 : index
  %row = arith.minsi %low, %c5 : index
  // expected-error @+1 {{'vector.load' op operand #1 follows from loaded elements and is within [0, 5], not within [0, 4]}}
  %0 = vector.load %rows[%row] : memref<8xf32>, vector<4xf32>
  return
}

// -----

// A remainder has the sign of what is divided.
func.func @remainder(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.remsi %any, %c4 : index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and nothing bounds it from below}}
  %0 = memref.load %rows[%row] : memref<4xf32>
  return
}

// -----

// Constants tell nothing of a buffer whose extent is not known.
func.func @no_extent(%table: memref<9xi32>, %rows: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %any = arith.index_cast %element : i32 to index
  %row = arith.andi %any, %c3 : index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and the constants that bound it do not fit any extent}}
  %0 = memref.load %rows[%row] : memref<?xf32>
  return
}

// -----

// A loop that a loaded element ends.
func.func @loop(%table: memref<9xi32>, %rows: memref<4xf32>, %value: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %count = arith.index_cast %element : i32 to index
  scf.for %i = %c0 to %count step %c1 {
    // expected-error @+1 {{'memref.store' op operand #2 follows from loaded elements, and nothing bounds it from above}}
    memref.store %value, %rows[%i] : memref<4xf32>
  }
  return
}

// -----

// What a loop counts that a loaded element ends.
func.func @while(%table: memref<9xi32>, %rows: memref<4xf32>, %value: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %last = scf.while (%i = %c0) : (index) -> index {
    %element = memref.load %table[%c0] : memref<9xi32>
    %isOn = arith.cmpi ne, %element, %zero : i32
    scf.condition(%isOn) %i : index
  } do {
  ^bb0(%i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  // expected-error @+1 {{'memref.store' op operand #2 follows from loaded elements, and nothing bounds it from below and above}}
  memref.store %value, %rows[%last] : memref<4xf32>
  return
}

// -----

// A check that has not passed by then.
func.func @late(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %i64 = arith.constant 0 : i64
  %element = memref.load %table[%c0] : memref<9xi32>
  %row = arith.index_cast %element : i32 to index
  %isLow = arith.cmpi sge, %row, %c0 : index
  %isHigh = arith.cmpi slt, %row, %c4 : index
  %isIn = arith.andi %isLow, %isHigh : i1
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and nothing bounds it from below and above}}
  %0 = memref.load %rows[%row] : memref<4xf32>
  nnrt.check %isIn, %i64, %i64 reason 4
  return
}

// -----

// A check against what is as unknown.
func.func @check_of_loaded(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i64 = arith.constant 0 : i64
  %first = memref.load %table[%c0] : memref<9xi32>
  %second = memref.load %table[%c1] : memref<9xi32>
  %row = arith.index_cast %first : i32 to index
  %bound = arith.index_cast %second : i32 to index
  %isIn = arith.cmpi slt, %row, %bound : index
  nnrt.check %isIn, %i64, %i64 reason 4
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and nothing bounds it from below and above}}
  %0 = memref.load %rows[%row] : memref<4xf32>
  return
}

// -----

func.func private @kernel(%rows: memref<4xf32>, %row: index) {
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and nothing bounds it from below and above}}
  %0 = memref.load %rows[%row] : memref<4xf32>
  return
}
func.func @caller(%table: memref<9xi32>, %rows: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %element = memref.load %table[%c0] : memref<9xi32>
  %row = arith.index_cast %element : i32 to index
  call @kernel(%rows, %row) : (memref<4xf32>, index) -> ()
  return
}

// -----

// What other threads take from a frame on the stack.
func.func private @kernel_piece(%frame: !llvm.ptr, %rows: memref<4xf32>) {
  %element = llvm.load %frame : !llvm.ptr -> i64
  %row = arith.index_cast %element : i64 to index
  // expected-error @+1 {{'memref.load' op operand #1 follows from loaded elements, and nothing bounds it from below and above}}
  %0 = memref.load %rows[%row] : memref<4xf32>
  return
}
func.func @dispatch(%table: memref<9xi64>) {
  %c0 = arith.constant 0 : index
  %size = arith.constant 1 : i64
  %frame = llvm.alloca %size x i64 : (i64) -> !llvm.ptr
  %element = memref.load %table[%c0] : memref<9xi64>
  llvm.store %element, %frame : i64, !llvm.ptr
  return
}

// -----

func.func @pointer(%table: memref<9xi64>) {
  %c0 = arith.constant 0 : index
  %element = memref.load %table[%c0] : memref<9xi64>
  // expected-error @+1 {{'llvm.inttoptr' op operand #0 follows from loaded elements, and nothing bounds it from below and above}}
  %0 = llvm.inttoptr %element : i64 to !llvm.ptr
  return
}

// -----

func.func @length(%table: memref<9xi64>, %to: !llvm.ptr, %from: !llvm.ptr) {
  %c0 = arith.constant 0 : index
  %element = memref.load %table[%c0] : memref<9xi64>
  // expected-error @+1 {{'llvm.intr.memcpy' op operand #2 follows from loaded elements, and nothing bounds it from below and above}}
  "llvm.intr.memcpy"(%to, %from, %element) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  return
}

// -----

func.func @gather(%table: memref<8xi32>, %rows: memref<4xf32>, %mask: vector<8xi1>, %none: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %elements = vector.load %table[%c0] : memref<8xi32>, vector<8xi32>
  // expected-error @+1 {{'vector.gather' op operand #2 follows from loaded elements, and nothing bounds it from below and above}}
  %0 = vector.gather %rows[%c0] [%elements], %mask, %none
      : memref<4xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  return
}

// -----

func.func @stored_extent(%table: memref<9xi64>, %source: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %element = memref.load %table[%c0] : memref<9xi64>
  %shape = memref.alloca() : memref<1xi64>
  // expected-error @+1 {{'memref.store' op stores an extent that follows from loaded elements, and nothing bounds it}}
  memref.store %element, %shape[%c0] : memref<1xi64>
  %0 = memref.reshape %source(%shape) : (memref<?xf32>, memref<1xi64>) -> memref<?xf32>
  return %0 : memref<?xf32>
}

// -----

func.func @shape(%shape: memref<2xi64>, %source: memref<?xf32>) -> memref<?x?xf32> {
  // expected-error @+1 {{'memref.reshape' op reads extents that were not stored before}}
  %0 = memref.reshape %source(%shape) : (memref<?xf32>, memref<2xi64>) -> memref<?x?xf32>
  return %0 : memref<?x?xf32>
}
