// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-form-dispatches --verify-diagnostics

func.func @open(%x: memref<?xf32>, %y: memref<?xf32>) attributes {nnhal.entry} {
  // expected-error@+1 {{a value of shape [?] has extents that only an execution knows, GPUs need all of them: their devices compile when they execute}}
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  return
}

// -----

func.func @open_result(%x: memref<4x?xf32>, %y: memref<4x?xf32>, %c: memref<i1>)
    attributes {nnhal.entry} {
  %flag = memref.load %c[] : memref<i1>
  // expected-error@+1 {{a value of shape [4, ?] has extents that only an execution knows, GPUs need all of them: their devices compile when they execute}}
  %one = scf.if %flag -> memref<4x?xf32> {
    memref.copy %x, %y : memref<4x?xf32> to memref<4x?xf32>
    scf.yield %x : memref<4x?xf32>
  } else {
    scf.yield %y : memref<4x?xf32>
  }
  return
}

// -----

func.func @empty(%x: memref<0xf32>, %y: memref<1xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %element = memref.load %x[%c0] : memref<0xf32>
  // expected-error@+1 {{uses a buffer of 'memref<0xf32>', which a GPU has no binding for}}
  memref.store %element, %y[%c0] : memref<1xf32>
  return
}

// -----

func.func @routine(%x: memref<4xf32>, %y: memref<2xf32>)
    attributes {nnhal.entry} {
  // expected-error@+1 {{has no form in a GPU program}}
  %0 = nnrt.call_routine(%x) slot 0 signature [1]
      : (memref<4xf32>) -> memref<2xf32>
  memref.copy %0, %y : memref<2xf32> to memref<2xf32>
  return
}

// -----

func.func @overwritten(%x: memref<2xi32>, %y: memref<2xi32>)
    attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %t = memref.alloc() : memref<2xi32>
  memref.copy %x, %t : memref<2xi32> to memref<2xi32>
  %element = memref.load %t[%c0] : memref<2xi32>
  memref.copy %y, %t : memref<2xi32> to memref<2xi32>
  // expected-error@+1 {{needs a scalar whose buffer is overwritten before it: no GPU command keeps scalars}}
  memref.store %element, %y[%c0] : memref<2xi32>
  return
}

// -----

func.func @overwritten_inside(%x: memref<2xi32>, %y: memref<2xi32>,
                              %c: memref<1xi1>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %element = memref.load %x[%c0] : memref<2xi32>
  %begin = nnrt.loop_begin
  scf.while : () -> () {
    %go = memref.load %c[%c0] : memref<1xi1>
    scf.condition(%go)
  } do {
    nnrt.loop_check %begin
    // In the second round the buffer has been overwritten.
    // expected-error@+1 {{needs a scalar whose buffer is overwritten before it: no GPU command keeps scalars}}
    memref.store %element, %y[%c0] : memref<2xi32>
    memref.copy %y, %x : memref<2xi32> to memref<2xi32>
    scf.yield
  }
  return
}

// -----

func.func @chosen(%x: memref<4xf32>, %y: memref<4xf32>, %c: memref<i1>)
    attributes {nnhal.entry} {
  %flag = memref.load %c[] : memref<i1>
  // expected-error@+1 {{has a result of 'memref<4xf32>', which has no buffer: no GPU command keeps values}}
  %one = scf.if %flag -> memref<4xf32> {
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    scf.yield %x : memref<4xf32>
  } else {
    scf.yield %y : memref<4xf32>
  }
  return
}

// -----

func.func @selected(%x: memref<4xf32>, %z: memref<4xf32>, %y: memref<4xf32>,
                    %c: memref<i1>) attributes {nnhal.entry} {
  %flag = memref.load %c[] : memref<i1>
  %one = scf.if %flag -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  } else {
    scf.yield %z : memref<4xf32>
  }
  // expected-error@+1 {{uses a value that a kernel cannot compute, of 'memref<4xf32>'}}
  memref.copy %one, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// expected-error@+1 {{GPU programs need a function of one block}}
func.func @blocks(%x: memref<4xf32>) attributes {nnhal.entry} {
  cf.br ^bb1
^bb1:
  return
}

// -----

func.func @carried(%x: memref<4xf32>, %y: memref<4xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{writes to buffers and has results that are used: no GPU command keeps scalars}}
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
    %e = memref.load %x[%i] : memref<4xf32>
    %next = arith.addf %s, %e : f32
    memref.store %next, %y[%i] : memref<4xf32>
    scf.yield %next : f32
  }
  memref.store %sum, %y[%c0] : memref<4xf32>
  return
}
