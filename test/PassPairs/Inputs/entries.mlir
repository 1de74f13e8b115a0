// Functions with the attribute of an entry, as no phase leaves them.
module {
  func.func @main() attributes {nnhal.entry} { return }
  func.func @other() attributes {nnhal.entry} { return }
}

// -----
func.func private @main(memref<4xf32>) attributes {nnhal.entry}

// -----
module {
  module {
    func.func @main() attributes {nnhal.entry} { return }
  }
}

// -----
// Called by someone else.
func.func @main(%a: memref<4xf32>) attributes {nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 0 : i64} {
  %0 = memref.alloc() : memref<4xf32>
  memref.copy %0, %a : memref<4xf32> to memref<4xf32>
  return
}
func.func @caller(%a: memref<4xf32>) {
  call @main(%a) : (memref<4xf32>) -> ()
  return
}

// -----
// Counts that exceed what there is.
func.func @main(%a: memref<4xf32>, %b: memref<4xf32>) attributes {
    nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1048577 : i64} { return }

// -----
func.func @main(%a: memref<4xf32>, %b: memref<4xf32>) attributes {
    nnhal.entry, nnhal.input_count = 9223372036854775807 : i64, nnhal.output_count = 1 : i64} { return }

// -----
func.func @main(%a: memref<4xf32>, %b: memref<4xf32>) attributes {
    nnhal.entry, nnhal.output_count = 1 : i64} { return }

// -----
// Arguments and results of every kind.
func.func @main(%a: memref<*xf32>, %b: tensor<4xf32>, %c: f32, %d: memref<4xvector<4xf32>>) -> f32 attributes {
    nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} {
  return %c : f32
}

// -----
func.func @main(%a: memref<4xf32>, %b: memref<?xf32>, %c: memref<64xi8>, %d: memref<64xi8>) attributes {
    nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} { return }

// -----
func.func @main(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<64xi8>, %d: memref<64xi8>) -> i32 attributes {
    nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} {
  %0 = arith.constant 0 : i32
  return %0 : i32
}

// -----
func.func @main(%a: memref<4xf32, strided<[2]>>, %b: memref<4xf32, 1>, %c: memref<64xi8>, %d: memref<64xi8>) attributes {
    nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} { return }

// -----
// Two blocks, and a name that is taken.
func.func @main(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<64xi8>, %d: memref<64xi8>) attributes {
    nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} {
  cf.br ^end
^end:
  return
}
func.func @nnhal_entry() { return }

// -----
// Kernels that are called in several ways, with and without results.
func.func @main(%a: memref<64x64x64xf32>, %b: memref<64x64x64xf32>, %c: memref<64xi8>, %d: memref<64xi8>) attributes {
    nnhal.entry, nnhal.input_count = 1 : i64, nnhal.output_count = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @kernel_0(%a) : (memref<64x64x64xf32>) -> ()
  %0 = call @result(%a) : (memref<64x64x64xf32>) -> f32
  call @declared(%a) : (memref<64x64x64xf32>) -> ()
  scf.for %i = %c0 to %c1 step %c1 {
    func.call @kernel_0(%b) : (memref<64x64x64xf32>) -> ()
  }
  scf.for %i = %c0 to %c1 step %c1 {
    %1 = memref.load %a[%i, %i, %i] : memref<64x64x64xf32>
    memref.store %1, %b[%i, %i, %i] : memref<64x64x64xf32>
  }
  return
}
func.func private @declared(memref<64x64x64xf32>)
func.func @result(%a: memref<64x64x64xf32>) -> f32 {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    scf.for %j = %c0 to %c1 step %c1 {
      scf.for %k = %c0 to %c1 step %c1 {
        memref.store %z, %a[%i, %j, %k] : memref<64x64x64xf32>
      }
    }
  }
  return %z : f32
}
func.func @kernel_0(%a: memref<64x64x64xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    scf.for %j = %c0 to %c1 step %c1 {
      scf.for %k = %c0 to %c1 step %c1 {
        memref.store %z, %a[%i, %j, %k] : memref<64x64x64xf32>
      }
    }
  }
  return
}
func.func @kernel_1() { return }

// -----
// Calls that cannot be shared by threads.
func.func @main(%context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %s = arith.constant 0 : i32
  call @no_range() {nnhal.grain = 1 : i64} : () -> ()
  return %s : i32
}
func.func @no_range() { return }

// -----
func.func @main(%context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %s = arith.constant 0 : i32
  call @kernel(%c0, %c0) {nnhal.grain = 9223372036854775807 : i64} : (index, index) -> ()
  return %s : i32
}
func.func @kernel(%a: index, %b: index) { return }
func.func @kernel_piece() { return }

// -----
func.func @main(%a: memref<?xf32>, %context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %s = arith.constant 0 : i32
  call @kernel(%c0, %c0, %a) {nnhal.grain = 5 : i64} : (index, index, memref<?xf32>) -> ()
  return %s : i32
}
func.func @kernel(%a: index, %b: index, %c: memref<?xf32>) { return }

// -----
func.func @main() attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  call @kernel(%c0, %c0) {nnhal.grain = 5 : i64} : (index, index) -> ()
  return
}
func.func private @kernel(index, index)

// -----
func.func @main(%context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %s = arith.constant 0 : i32
  call @kernel(%c0, %c0) {nnhal.grain = 5 : i64} : (index, index) -> ()
  return %s : i32
}
func.func @kernel(%a: index, %b: index) { return }
func.func @kernel_piece() { return }

// -----
// Questions to the runtime, where it cannot be asked.
func.func @main(%c: i1, %n: i64, %t: tensor<4xf32>, %m: memref<4xf32>) attributes {nnhal.entry} {
  scf.if %c {
    nnrt.check %c, %n, %n reason 4
  }
  %0 = nnrt.is_present %t : tensor<4xf32>
  nnrt.deliver %t output 0 : tensor<4xf32>
  return
}

// -----
func.func @main(%c: i1, %n: i64, %m: memref<4xf32>, %context: !llvm.ptr) attributes {nnhal.entry} {
  nnrt.check %c, %n, %n reason 4
  return
}

// -----
func.func @main(%n: index, %m: memref<4xf32>, %context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %s = arith.constant 0 : i32
  %0 = nnrt.allocate(%n, %n) : memref<?xf32>
  return %s : i32
}

// -----
func.func @main(%n: index, %m: memref<4xf32>, %u: memref<*xf32>, %context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %s = arith.constant 0 : i32
  %0 = nnrt.allocate() : memref<4xf32, 3>
  %1 = nnrt.allocate(%n) : memref<?xf32, strided<[3]>>
  nnrt.deliver %m output 9223372036854775807 : memref<4xf32>
  nnrt.deliver %m output -1 : memref<4xf32>
  %2 = nnrt.allocate() : memref<4xvector<4xf32>>
  return %s : i32
}

// -----
func.func @main(%m: memref<4xf32>, %context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %s = arith.constant 0 : i32
  %0 = nnrt.call_routine(%m) slot -1 signature [1, 2] : (memref<4xf32>) -> memref<4xf32>
  return %s : i32
}

// -----
func.func @main(%m: memref<4xf32>, %context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %s = arith.constant 0 : i32
  %0:2 = nnrt.call_routine(%m) slot 1 signature [] : (memref<4xf32>) -> (memref<?xf32>, memref<f32>)
  nnrt.call_routine() slot 2 signature [3] : () -> ()
  %1 = nnrt.loop_begin
  nnrt.loop_check %1
  nnrt.deliver %0#0 output 0 : memref<?xf32>
  return %s : i32
}
func.func @signature_0() { return }

// -----
// Questions to the runtime where there is no entry.
func.func @elsewhere(%c: i1, %n: i64, %m: memref<4xf32>) {
  nnrt.check %c, %n, %n reason 4
  nnrt.deliver %m output 0 : memref<4xf32>
  return
}

// -----
// Scratch memory of unknown extents, and long chains on constants.
func.func @main(%n: index, %b: memref<64x64xf32>, %c: memref<64xi8>, %d: memref<64xi8>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %s = memref.alloca(%n) {nnhal.scratch} : memref<?xf32>
  %1 = arith.addi %c1, %c1 : index
  %2 = arith.addi %1, %1 : index
  %3 = arith.addi %2, %2 : index
  %4 = arith.addi %3, %3 : index
  %5 = arith.addi %4, %4 : index
  %6 = arith.addi %5, %5 : index
  %7 = arith.addi %6, %6 : index
  %8 = arith.addi %7, %7 : index
  %9 = arith.addi %8, %8 : index
  %10 = arith.addi %9, %9 : index
  %11 = arith.addi %10, %10 : index
  %12 = arith.addi %11, %11 : index
  %13 = arith.addi %12, %12 : index
  %14 = arith.addi %13, %13 : index
  %15 = arith.addi %14, %14 : index
  %16 = arith.addi %15, %15 : index
  %17 = arith.addi %16, %16 : index
  %18 = arith.addi %17, %17 : index
  %19 = arith.addi %18, %18 : index
  %20 = arith.addi %19, %19 : index
  %21 = arith.addi %20, %20 : index
  %22 = arith.addi %21, %21 : index
  %23 = arith.addi %22, %22 : index
  %24 = arith.addi %23, %23 : index
  %25 = arith.addi %24, %24 : index
  %26 = arith.addi %25, %25 : index
  %27 = arith.addi %26, %26 : index
  %28 = arith.addi %27, %27 : index
  %29 = arith.addi %28, %28 : index
  %30 = arith.addi %29, %29 : index
  %31 = arith.addi %30, %30 : index
  %32 = arith.addi %31, %31 : index
  scf.forall (%i) = (%c0) to (%32) step (%c1) {
    scf.forall (%j) = (%c0) to (%32) step (%c1) {
      memref.store %z, %s[%j] : memref<?xf32>
      %v = memref.load %s[%j] : memref<?xf32>
      memref.store %v, %b[%i, %j] : memref<64x64xf32>
    } {mapping = [#nnk.piece]}
  } {mapping = [#nnk.piece]}
  return
}

// -----
// Loops over numbers that are not indices, and tensors.
func.func @main(%b: memref<64xf32>, %t: tensor<64xf32>) attributes {nnhal.entry} {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i64 = arith.constant 1000000 : i32
  %z = arith.constant 0.0 : f32
  scf.for %i = %i0 to %i64 step %i1 : i32 {
    %k = arith.index_cast %i : i32 to index
    %v = tensor.extract %t[%k] : tensor<64xf32>
    %w = math.exp %v : f32
    memref.store %w, %b[%k] : memref<64xf32>
  }
  return
}
func.func @kernel_0() { return }

// -----
// Loops that count in two dimensions, or on tensors.
func.func @main(%b: memref<64x64xf32>, %t: tensor<64xf32>) attributes {nnhal.entry} {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  scf.forall (%i, %j) in (64, 64) {
    %s = memref.alloc() : memref<4xf32>
    memref.store %z, %s[%c0] : memref<4xf32>
    memref.store %z, %b[%i, %j] : memref<64x64xf32>
  } {mapping = [#nnk.piece, #nnk.piece]}
  %0 = scf.forall (%i) in (64) shared_outs(%out = %t) -> tensor<64xf32> {
    %s = memref.alloc() : memref<4xf32>
    %v = memref.load %s[%c0] : memref<4xf32>
    %element = tensor.from_elements %v : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %element into %out[%i] [1] [1] : tensor<1xf32> into tensor<64xf32>
    }
  } {mapping = [#nnk.piece]}
  %v = tensor.extract %0[%c0] : tensor<64xf32>
  memref.store %v, %b[%c0, %c0] : memref<64x64xf32>
  return
}

// -----
// Constants that cannot be, and must not be, moved.
memref.global "private" constant @shared : memref<4xf32> = dense<1.0>
memref.global "private" @mutable : memref<4xf32> = dense<1.0>
func.func @main() attributes {nnhal.entry} {
  %0 = memref.get_global @shared : memref<4xf32>
  return
}
func.func @other() -> memref<4xf32> {
  %0 = memref.get_global @shared : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----
memref.global "private" @mutable : memref<4xf32> = dense<1.0>
func.func @main() attributes {nnhal.entry} {
  %0 = memref.get_global @mutable : memref<4xf32>
  return
}

// -----
memref.global "private" constant @huge : memref<1099511627776x4xf32> = dense<1.0>
memref.global "private" constant @far : memref<4xf32, 3> = dense<1.0>
func.func @main() attributes {nnhal.entry} {
  %1 = memref.get_global @far : memref<4xf32, 3>
  %0 = memref.get_global @huge : memref<1099511627776x4xf32>
  return
}

// -----
memref.global "private" constant @huge : memref<1099511627776x4xf32> = dense<1.0>
memref.global "private" constant @complex : memref<2xcomplex<f32>> = dense<(1.0, 2.0)>
func.func @main() attributes {nnhal.entry} {
  %0 = memref.get_global @huge : memref<1099511627776x4xf32>
  %1 = memref.get_global @complex : memref<2xcomplex<f32>>
  return
}

// -----
// Allocations that have no place.
func.func @main(%n: index) attributes {nnhal.entry} { return }

// -----
func.func @main() attributes {nnhal.entry} {
  %0 = memref.alloc() : memref<4xvector<4xf32>>
  return
}

// -----
func.func @main() attributes {nnhal.entry} {
  %0 = memref.alloc() : memref<4xf32, 3>
  return
}

// -----
func.func @main() attributes {nnhal.entry} {
  %0 = memref.alloc() : memref<4294967296x4294967296x4xf32>
  return
}

// -----
func.func @main() attributes {nnhal.entry} {
  %0 = memref.alloc() {alignment = 4096 : i64} : memref<4xf32>
  return
}

// -----
func.func @main() attributes {nnhal.entry} {
  %0 = memref.alloc() : memref<4xf32>
  memref.dealloc %0 : memref<4xf32>
  return
}

// -----
// Stated to be after a phase that it is not after.
module attributes {nnhal.phase = "bufferize"} {
  func.func @main(%t: tensor<4xf32>) -> tensor<4xf32> attributes {nnhal.entry} {
    return %t : tensor<4xf32>
  }
}

// -----
module attributes {nnhal.phase = "nowhere"} {
  llvm.func @nnhal_entry(!llvm.ptr) -> i32
}

// -----
// What has been done before.
module attributes {nnhal.data_cache = dense_resource<data_cache> : tensor<64xi8>} {
  func.func @main() attributes {nnhal.entry, nnhal.arena_lower_bound = 0 : i64} { return }
}

// -----
// The name of the entry is taken.
func.func @main(%a: memref<64xi8>, %b: memref<64xi8>) attributes {
    nnhal.entry, nnhal.input_count = 0 : i64, nnhal.output_count = 0 : i64} { return }
func.func @nnhal_entry() { return }

// -----
func.func @main(%a: memref<64xi8>) attributes {
    nnhal.entry, nnhal.input_count = 0 : i64, nnhal.output_count = 0 : i64} { return }

// -----
func.func @main(%context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %s = arith.constant 0 : i32
  call @kernel(%c0, %c0) {nnhal.grain = 1 : i64} : (index, index) -> ()
  return %s : i32
}
func.func @kernel(%a: index, %b: index) { return }

// -----
func.func @main(%context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %s = arith.constant 0 : i32
  call @declared(%c0, %c0) {nnhal.grain = 4 : i64} : (index, index) -> ()
  return %s : i32
}
func.func private @declared(index, index)

// -----
func.func @main(%t: tensor<4xf32>, %context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %s = arith.constant 0 : i32
  nnrt.deliver %t output 0 : tensor<4xf32>
  return %s : i32
}

// -----
func.func @main(%m: memref<4xf32>, %context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %s = arith.constant 0 : i32
  nnrt.deliver %m output -1 : memref<4xf32>
  return %s : i32
}

// -----
func.func @main(%a: i32, %context: !llvm.ptr) -> i32 attributes {nnhal.entry} {
  %0 = nnk.doubling_high_mul %a, %a : i32
  return %0 : i32
}

// -----
// The name of the function that a graph becomes is taken.
func.func @main() { return }
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    nnhal.return %x : tensor<4xf32>
  }
}
