// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-plan-barriers --verify-diagnostics

// expected-error@+1 {{entry function has 2 arguments instead of its inputs, its outputs, the constants and the arena}}
func.func @unplanned(%x: memref<16xf32>, %y: memref<16xf32>)
    attributes {nnhal.entry, nnhal.input_count = 1, nnhal.output_count = 1} {
  return
}

// -----

func.func @allocated(%x: memref<16xf32>, %y: memref<16xf32>,
                     %constants: memref<64xi8>, %arena: memref<64xi8>)
    attributes {nnhal.entry, nnhal.input_count = 1, nnhal.output_count = 1} {
  %a = memref.alloc() : memref<16xf32>
  // expected-error@+1 {{has a buffer that is neither an argument nor a view of one at a constant place: memory is not planned}}
  nngpu.copy %x to %a : memref<16xf32> to memref<16xf32>
  return
}

// -----

func.func @empty(%x: memref<0xf32>, %y: memref<0xf32>,
                 %constants: memref<64xi8>, %arena: memref<64xi8>)
    attributes {nnhal.entry, nnhal.input_count = 1, nnhal.output_count = 1} {
  // expected-error@+1 {{has a buffer of 'memref<0xf32>', which has no bytes to bind}}
  nngpu.copy %x to %y : memref<0xf32> to memref<0xf32>
  return
}

// -----

func.func @groups(%x: memref<4xf32>) {
  // expected-error@+1 {{has 2 numbers of workgroups, expected 3}}
  nngpu.dispatch @k groups [1, 1] (%x) writes [true] : memref<4xf32>
  return
}

// -----

func.func @tooMany(%x: memref<4xf32>) {
  // expected-error@+1 {{has 65536 workgroups along a dimension, expected 1 to 65535}}
  nngpu.dispatch @k groups [65536, 1, 1] (%x) writes [true] : memref<4xf32>
  return
}

// -----

func.func @writes(%x: memref<4xf32>) {
  // expected-error@+1 {{tells of 2 buffers whether they are written, it has 1}}
  nngpu.dispatch @k groups [1, 1, 1] (%x) writes [true, false] : memref<4xf32>
  return
}

// -----

func.func @missing(%x: memref<4xf32>) {
  // expected-error@+1 {{names @k, which there is not}}
  nngpu.dispatch @k groups [1, 1, 1] (%x) writes [true] : memref<4xf32>
  return
}

// -----

memref.global @k : memref<4xf32>
func.func @noFunction(%x: memref<4xf32>) {
  // expected-error@+1 {{names @k, which is no function}}
  nngpu.dispatch @k groups [1, 1, 1] (%x) writes [true] : memref<4xf32>
  return
}

// -----

func.func private @k(memref<4xf32>, memref<4xf32>)
func.func @count(%x: memref<4xf32>) {
  // expected-error@+1 {{passes 1 buffers to a kernel of 2}}
  nngpu.dispatch @k groups [1, 1, 1] (%x) writes [true] : memref<4xf32>
  return
}

// -----

func.func private @k(memref<5xf32>)
func.func @sizes(%x: memref<4xf32>) {
  // expected-error@+1 {{passes 'memref<4xf32>' as buffer 0 of a kernel that expects 'memref<5xf32>'}}
  nngpu.dispatch @k groups [1, 1, 1] (%x) writes [true] : memref<4xf32>
  return
}

// -----

func.func @copies(%x: memref<4xf32>, %y: memref<4xi8>) {
  // expected-error@+1 {{copies 'memref<4xf32>' to 'memref<4xi8>', which are not contiguous buffers of as many bytes}}
  nngpu.copy %x to %y : memref<4xf32> to memref<4xi8>
  return
}

// -----

func.func @fills(%y: memref<5xi8>) {
  // expected-error@+1 {{fills 'memref<5xi8>', which is not a contiguous buffer of whole words}}
  nngpu.fill %y with 0 : memref<5xi8>
  return
}
