// RUN: nnhal-opt %s --split-input-file --nnhal-outline-kernels | FileCheck %s

// Equal nests share a function; another extent makes another.
// CHECK-LABEL: func.func @main
// CHECK:         call @kernel_0(%[[A:.+]], %[[B:.+]]) : (memref<8xf32>, memref<8xf32>) -> ()
// CHECK:         call @kernel_0(%[[B]], %[[A]])
// CHECK:         call @kernel_1(
// CHECK:       func.func private @kernel_{{[01]}}({{.*}}llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]
// CHECK:       func.func private @kernel_{{[01]}}(
// CHECK-NOT:   func.func private
func.func @main(%a: memref<8xf32>, %b: memref<8xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %a[%i] : memref<8xf32>
    memref.store %v, %b[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %b[%i] : memref<8xf32>
    memref.store %v, %a[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %b[%i] : memref<8xf32>
    memref.store %v, %a[%i] : memref<8xf32>
  }
  return
}

// -----

// Pure arithmetic of the kernel dialect asks nothing of the runtime, and what
// is computed from constants stays known to the function.
// CHECK-LABEL: func.func @requantize
// CHECK:         call @kernel_0(%{{.+}}) : (memref<8xi32>) -> ()
// CHECK:       func.func private @kernel_0(%{{.+}}: memref<8xi32>)
// CHECK:         %[[C:.+]] = arith.constant 1073741824 : i32
// CHECK:         %[[BY:.+]] = vector.broadcast %[[C]] : i32 to vector<8xi32>
// CHECK:         nnk.doubling_high_mul %{{.+}}, %[[BY]]
func.func @requantize(%a: memref<8xi32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %multiplier = arith.constant 1073741824 : i32
  %by = vector.broadcast %multiplier : i32 to vector<8xi32>
  scf.for %i = %c0 to %c8 step %c8 {
    %v = vector.load %a[%i] : memref<8xi32>, vector<8xi32>
    %scaled = nnk.doubling_high_mul %v, %by : vector<8xi32>
    vector.store %scaled, %a[%i] : memref<8xi32>, vector<8xi32>
  }
  return
}

// -----

// Layers that differ in a number share a function, which has the number from a
// constant global and loads it where it is used: behind the accumulation.
// CHECK-DAG:   memref.global "private" constant @[[FIRST:numbers.*]] : memref<1xi32> = dense<1181883119>
// CHECK-DAG:   memref.global "private" constant @[[SECOND:numbers.*]] : memref<1xi32> = dense<1563169079>
// CHECK-LABEL: func.func @layers
// CHECK:         %[[OF_FIRST:.+]] = memref.get_global @[[FIRST]]
// CHECK:         call @kernel_0(%{{.+}}, %{{.+}}, %[[OF_FIRST]])
// CHECK:         %[[OF_SECOND:.+]] = memref.get_global @[[SECOND]]
// CHECK:         call @kernel_0(%{{.+}}, %{{.+}}, %[[OF_SECOND]])
// CHECK:       func.func private @kernel_0(%{{.+}}: memref<64xi32>, %{{.+}}: memref<8xi32>, %[[NUMBERS:.+]]: memref<1xi32>)
// CHECK:         scf.for
// CHECK:           %[[SUM:.+]] = scf.for
// CHECK:             scf.yield
// CHECK:           %[[NUMBER:.+]] = memref.load %[[NUMBERS]][%{{.+}}]
// CHECK:           %[[BY:.+]] = vector.broadcast %[[NUMBER]] : i32 to vector<8xi32>
// CHECK:           nnk.doubling_high_mul %[[SUM]], %[[BY]]
// CHECK-NOT:   func.func private
func.func @layers(%sums: memref<8xi32>, %x: memref<64xi32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0> : vector<8xi32>
  %first = arith.constant dense<1181883119> : vector<8xi32>
  %multiplier = arith.constant 1563169079 : i32
  %second = vector.broadcast %multiplier : i32 to vector<8xi32>
  scf.for %i = %c0 to %c8 step %c8 {
    %sum = scf.for %k = %c0 to %c64 step %c8 iter_args(%s = %zero) -> vector<8xi32> {
      %v = vector.load %x[%k] : memref<64xi32>, vector<8xi32>
      %n = arith.addi %s, %v : vector<8xi32>
      scf.yield %n : vector<8xi32>
    }
    %scaled = nnk.doubling_high_mul %sum, %first : vector<8xi32>
    vector.store %scaled, %sums[%i] : memref<8xi32>, vector<8xi32>
  }
  scf.for %i = %c0 to %c8 step %c8 {
    %sum = scf.for %k = %c0 to %c64 step %c8 iter_args(%s = %zero) -> vector<8xi32> {
      %v = vector.load %x[%k] : memref<64xi32>, vector<8xi32>
      %n = arith.addi %s, %v : vector<8xi32>
      scf.yield %n : vector<8xi32>
    }
    %scaled = nnk.doubling_high_mul %sum, %second : vector<8xi32>
    vector.store %scaled, %sums[%i] : memref<8xi32>, vector<8xi32>
  }
  return
}

// -----

// A loop that is short has registers to spare: it is entered with the numbers,
// those of each type from an array of their own.
// CHECK-LABEL: func.func @elementwise
// CHECK:         call @kernel_0(%{{.+}}, %{{.+}}, %{{.+}}) : (memref<64xi32>, memref<2xi32>, memref<1xi8>) -> ()
// CHECK:       func.func private @kernel_0(
// CHECK:         memref.load {{.*}} : memref<2xi32>
// CHECK:         memref.load {{.*}} : memref<2xi32>
// CHECK:         memref.load {{.*}} : memref<1xi8>
// CHECK:         scf.for
// CHECK-NOT:       memref.load {{.*}} : memref<2xi32>
// CHECK:           vector.store
func.func @elementwise(%x: memref<64xi32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %low = arith.constant dense<-17> : vector<8xi32>
  %high = arith.constant dense<93> : vector<8xi32>
  %zeroPoint = arith.constant dense<-5> : vector<8xi8>
  scf.for %i = %c0 to %c64 step %c8 {
    %v = vector.load %x[%i] : memref<64xi32>, vector<8xi32>
    %a = arith.maxsi %v, %low : vector<8xi32>
    %b = arith.minsi %a, %high : vector<8xi32>
    %c = arith.trunci %b : vector<8xi32> to vector<8xi8>
    %d = arith.addi %c, %zeroPoint : vector<8xi8>
    %e = arith.extsi %d : vector<8xi8> to vector<8xi32>
    vector.store %e, %x[%i] : memref<64xi32>, vector<8xi32>
  }
  return
}

// -----

// Limits of types, divisors, and factors of which vectors make shifts are known
// to the function.
// CHECK-LABEL: func.func @known
// CHECK:         call @kernel_0(%{{.+}}) : (memref<8xi32>) -> ()
// CHECK:       func.func private @kernel_0(%{{.+}}: memref<8xi32>)
// CHECK-DAG:     arith.constant dense<127> : vector<8xi32>
// CHECK-DAG:     arith.constant dense<49> : vector<8xi32>
// CHECK-DAG:     arith.constant dense<16> : vector<8xi32>
func.func @known(%x: memref<8xi32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %limit = arith.constant dense<127> : vector<8xi32>
  %divisor = arith.constant dense<49> : vector<8xi32>
  %shifts = arith.constant dense<16> : vector<8xi32>
  scf.for %i = %c0 to %c8 step %c8 {
    %v = vector.load %x[%i] : memref<8xi32>, vector<8xi32>
    %a = arith.minsi %v, %limit : vector<8xi32>
    %b = arith.divsi %a, %divisor : vector<8xi32>
    %c = arith.muli %b, %shifts : vector<8xi32>
    vector.store %c, %x[%i] : memref<8xi32>, vector<8xi32>
  }
  return
}

// -----

// Where addresses come from data, the numbers bound them, and stay.
// CHECK-LABEL: func.func @lookup
// CHECK:         call @kernel_0(%{{.+}}, %{{.+}}, %{{.+}}) : (memref<8xi32>, memref<38xf32>, memref<8xf32>) -> ()
// CHECK:       func.func private @kernel_0(
// CHECK:         arith.constant 37 : i32
func.func @lookup(%at: memref<8xi32>, %table: memref<38xf32>, %y: memref<8xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %last = arith.constant 37 : i32
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %at[%i] : memref<8xi32>
    %bounded = arith.minui %v, %last : i32
    %index = arith.index_castui %bounded : i32 to index
    %e = memref.load %table[%index] : memref<38xf32>
    memref.store %e, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// Slices of one shape share a function, wherever they begin.
// CHECK-LABEL: func.func @slices
// CHECK:         memref.extract_aligned_pointer_as_index
// CHECK:         %[[FIRST:.+]] = memref.reinterpret_cast {{.*}} to offset: [0], sizes: [2, 4], strides: [16, 1]
// CHECK:         %[[SECOND:.+]] = memref.reinterpret_cast {{.*}} to offset: [0], sizes: [2, 4], strides: [16, 1]
// CHECK:         call @kernel_0(%[[FIRST]]) : (memref<2x4xf32, strided<[16, 1]>>) -> ()
// CHECK:         call @kernel_0(%[[SECOND]])
// CHECK:         call @kernel_0(%[[FIRST]])
func.func @slices(%x: memref<2x16xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %first = memref.subview %x[0, 4] [2, 4] [1, 1] : memref<2x16xf32> to memref<2x4xf32, strided<[16, 1], offset: 4>>
  %second = memref.subview %x[0, 8] [2, 4] [1, 1] : memref<2x16xf32> to memref<2x4xf32, strided<[16, 1], offset: 8>>
  scf.for %i = %c0 to %c2 step %c1 {
    %v = vector.load %first[%i, %c0] : memref<2x4xf32, strided<[16, 1], offset: 4>>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.store %w, %first[%i, %c0] : memref<2x4xf32, strided<[16, 1], offset: 4>>, vector<4xf32>
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %v = vector.load %second[%i, %c0] : memref<2x4xf32, strided<[16, 1], offset: 8>>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.store %w, %second[%i, %c0] : memref<2x4xf32, strided<[16, 1], offset: 8>>, vector<4xf32>
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %v = vector.load %first[%i, %c0] : memref<2x4xf32, strided<[16, 1], offset: 4>>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.store %w, %first[%i, %c0] : memref<2x4xf32, strided<[16, 1], offset: 4>>, vector<4xf32>
  }
  return
}

// -----

// The code of a kernel does not depend on how large the buffers of one dimension
// are that it accesses: the function has the extents of the first call, and those
// of another are passed as these. Where the last of some overlapping tiles is
// differs, too, and is an argument.
// CHECK-LABEL: func.func @bands
// CHECK-SAME:    (%[[A:.+]]: memref<20xf32>, %[[B:.+]]: memref<18xf32>)
// CHECK-DAG:     %[[LAST_A:.+]] = arith.constant 12 : index
// CHECK-DAG:     %[[LAST_B:.+]] = arith.constant 10 : index
// CHECK-DAG:     %[[AS_A:.+]] = memref.reinterpret_cast %[[B]] to offset: [0], sizes: [20], strides: [1] : memref<18xf32> to memref<20xf32>
// CHECK:         call @kernel_0(%[[LAST_A]], %[[A]]) : (index, memref<20xf32>) -> ()
// CHECK:         call @kernel_0(%[[LAST_B]], %[[AS_A]])
// CHECK:       func.func private @kernel_0(%[[LAST:.+]]: index, %{{.+}}: memref<20xf32>)
// CHECK:         arith.minsi %{{.+}}, %[[LAST]]
// CHECK-NOT:   func.func private
func.func @bands(%a: memref<20xf32>, %b: memref<18xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %last_a = arith.constant 12 : index
  %last_b = arith.constant 10 : index
  scf.for %i = %c0 to %c24 step %c8 {
    %at = arith.minsi %i, %last_a : index
    %v = vector.load %a[%at] : memref<20xf32>, vector<8xf32>
    vector.store %v, %a[%at] : memref<20xf32>, vector<8xf32>
  }
  scf.for %i = %c0 to %c24 step %c8 {
    %at = arith.minsi %i, %last_b : index
    %v = vector.load %b[%at] : memref<18xf32>, vector<8xf32>
    vector.store %v, %b[%at] : memref<18xf32>, vector<8xf32>
  }
  return
}

// -----

// Data that decides where to load is bounded by the extents of a buffer, which
// are part of the kernel then.
// CHECK-LABEL: func.func @tables
// CHECK:         call @kernel_0(
// CHECK:         call @kernel_1(
func.func @tables(%x: memref<8xi8>, %small: memref<256xf32>, %large: memref<512xf32>, %y: memref<8xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xi8>
    %at = arith.index_castui %v : i8 to index
    %r = memref.load %small[%at] : memref<256xf32>
    memref.store %r, %y[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xi8>
    %at = arith.index_castui %v : i8 to index
    %r = memref.load %large[%at] : memref<512xf32>
    memref.store %r, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// What vectors of two lengths consist of is one number of the layer.
// CHECK-LABEL: func.func @lengths
// CHECK:         call @kernel_0(%{{.+}}, %{{.+}}) : (memref<64xi32>, memref<1xi32>) -> ()
func.func @lengths(%x: memref<64xi32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %wide = arith.constant dense<-17> : vector<8xi32>
  %narrow = arith.constant dense<-17> : vector<4xi32>
  scf.for %i = %c0 to %c32 step %c8 {
    %v = vector.load %x[%i] : memref<64xi32>, vector<8xi32>
    %w = arith.addi %v, %wide : vector<8xi32>
    vector.store %w, %x[%i] : memref<64xi32>, vector<8xi32>
    %j = arith.addi %i, %c32 : index
    %s = vector.load %x[%j] : memref<64xi32>, vector<4xi32>
    %t = arith.addi %s, %narrow : vector<4xi32>
    vector.store %t, %x[%j] : memref<64xi32>, vector<4xi32>
  }
  return
}

// -----

// What bounds such a place stays in the kernel, though it looks like the last
// position of tiles.
// CHECK-LABEL: func.func @clamped
// CHECK:         call @kernel_0(%{{.+}}, %{{.+}}, %{{.+}}) : (memref<8xi8>, memref<256xf32>, memref<8xf32>) -> ()
// CHECK:       func.func private @kernel_0(
// CHECK:         %[[MOST:.+]] = arith.constant 200 : index
// CHECK:         arith.minsi %{{.+}}, %[[MOST]]
func.func @clamped(%x: memref<8xi8>, %table: memref<256xf32>, %y: memref<8xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %most = arith.constant 200 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xi8>
    %at = arith.index_castui %v : i8 to index
    %inside = arith.minsi %at, %most : index
    %r = memref.load %table[%inside] : memref<256xf32>
    memref.store %r, %y[%i] : memref<8xf32>
  }
  return
}
