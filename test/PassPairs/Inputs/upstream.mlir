// Modules that have nothing to do with models.
module {
}

// -----
module @named attributes {foo.bar = "baz"} {
  module {
    module @inner {
      func.func @f() { return }
    }
  }
  module {
    func.func private @declared(tensor<?xf32>) -> index
  }
}

// -----
func.func private @only_declared(memref<*xf32>, tensor<*xi8>, vector<[4]xf32>)

// -----
func.func @blocks(%c: i1, %a: memref<4xf32>) -> f32 {
  %i = arith.constant 1 : index
  cf.cond_br %c, ^one, ^two
^one:
  %x = memref.load %a[%i] : memref<4xf32>
  cf.br ^end(%x : f32)
^two:
  %z = arith.constant 0.0 : f32
  cf.br ^end(%z : f32)
^end(%r: f32):
  return %r : f32
}
func.func @caller(%c: i1, %a: memref<4xf32>) -> f32 {
  %r = call @blocks(%c, %a) : (i1, memref<4xf32>) -> f32
  return %r : f32
}

// -----
// Loops of every form.
func.func @loops(%n: index, %a: memref<?xf32>, %t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i8 = arith.constant 8 : i32
  scf.for %i = %i0 to %i8 step %i1 : i32 {
    %k = arith.index_cast %i : i32 to index
    %v = memref.load %a[%k] : memref<?xf32>
    memref.store %v, %a[%c0] : memref<?xf32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %a[%i] : memref<?xf32>
    scf.reduce
  }
  %s = scf.while (%x = %t) : (tensor<?xf32>) -> tensor<?xf32> {
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    %more = arith.cmpi slt, %d, %n : index
    scf.condition(%more) %x : tensor<?xf32>
  } do {
  ^bb0(%x: tensor<?xf32>):
    scf.yield %x : tensor<?xf32>
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %s) -> tensor<?xf32> {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %w = arith.addf %v, %v : f32
    %y = tensor.insert %w into %x[%i] : tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @forall(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (8) shared_outs(%o = %t) -> tensor<8xf32> {
    %s = tensor.extract_slice %o[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
func.func @switch(%i: index) -> i32 {
  %r = scf.index_switch %i -> i32
  case 2 {
    %a = arith.constant 10 : i32
    scf.yield %a : i32
  }
  default {
    %b = arith.constant 20 : i32
    scf.yield %b : i32
  }
  %e = scf.execute_region -> i32 {
    scf.yield %r : i32
  }
  return %e : i32
}

// -----
// Buffers of unusual types.
#strided = affine_map<(d0, d1) -> (d0 floordiv 2, d1 * 3)>
func.func @buffers(%u: memref<*xf32>, %v: memref<*xf32>, %s: memref<4x4xf32, #strided>,
                   %w: memref<4xvector<4xf32>>, %m: memref<4xf32, 3>, %n: index,
                   %d: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                   %e: memref<?x?xf32, strided<[?, ?], offset: ?>>, %x: memref<2xmemref<4xf32>>,
                   %i: memref<3xindex>, %c: memref<4xcomplex<f32>>, %b: memref<5xi1>, %z: memref<0x4xf32>) {
  memref.copy %u, %v : memref<*xf32> to memref<*xf32>
  memref.copy %d, %e : memref<?x?xf32, strided<[?, ?], offset: ?>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  %0 = memref.alloc() : memref<4xvector<4xf32>>
  %1 = memref.alloc() : memref<4xf32, 3>
  memref.copy %1, %m : memref<4xf32, 3> to memref<4xf32, 3>
  %2 = memref.alloc() : memref<2xmemref<4xf32>>
  %3 = memref.alloc(%n) {alignment = 4096 : i64} : memref<?xcomplex<f32>>
  %4 = memref.alloc() : memref<4x4xf32, #strided>
  %5 = memref.alloc() : memref<2147483648x2147483648x2147483648xf32>
  %6 = memref.alloca() : memref<16xi1>
  memref.dealloc %1 : memref<4xf32, 3>
  %7 = memref.realloc %3 : memref<?xcomplex<f32>> to memref<8xcomplex<f32>>
  memref.dealloc %7 : memref<8xcomplex<f32>>
  %8 = memref.alloc() : memref<f32>
  %9 = memref.cast %u : memref<*xf32> to memref<4xf32>
  memref.copy %9, %9 : memref<4xf32> to memref<4xf32>
  return
}

// -----
// Structured operations on buffers.
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#shifted = affine_map<(d0) -> (d0 * 2 + 1)>
#none = affine_map<(d0) -> ()>
func.func @structured(%a: memref<8xf32>, %b: memref<8xf32>, %m: memref<4x6xf32>, %n: memref<4xf32>,
                      %w: memref<17xf32>, %i: memref<8xi1>, %x: memref<8xindex>, %v: memref<4xvector<4xf32>>,
                      %c: memref<8xcomplex<f32>>, %j: memref<8xi32>, %k: memref<8xi32>, %y: memref<?x?xf32>,
                      %h: memref<8xf16>, %q: memref<8xi4>, %g: memref<8xf8E4M3FN>, %s: f32, %t: i32,
                      %f: memref<f32>) {
  linalg.fill ins(%s : f32) outs(%y : memref<?x?xf32>)
  linalg.fill ins(%s : f32) outs(%f : memref<f32>)
  linalg.add ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%a : memref<8xf32>)
  linalg.generic {indexing_maps = [#id2, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%m : memref<4x6xf32>) outs(%n : memref<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#shifted, #id], iterator_types = ["parallel"]}
      ins(%w : memref<17xf32>) outs(%a : memref<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<8xf32>) outs(%i : memref<8xi1>) {
  ^bb0(%p: f32, %o: i1):
    %r = arith.cmpf olt, %p, %s : f32
    linalg.yield %r : i1
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : memref<8xindex>) {
  ^bb0(%o: index):
    %r = linalg.index 0 : index
    linalg.yield %r : index
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%c : memref<8xcomplex<f32>>) outs(%a : memref<8xf32>) {
  ^bb0(%p: complex<f32>, %o: f32):
    %r = complex.re %p : complex<f32>
    linalg.yield %r : f32
  }
  // Two results of an operation on what does not vary.
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%j : memref<8xi32>) outs(%k : memref<8xi32>) {
  ^bb0(%p: i32, %o: i32):
    %sum, %carry = arith.addui_extended %t, %t : i32, i1
    %r = arith.addi %p, %sum : i32
    linalg.yield %r : i32
  }
  // A buffer from inside the body.
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : memref<8xf32>) {
  ^bb0(%o: f32):
    %l = memref.get_global @table : memref<8xf32>
    %e = linalg.index 0 : index
    %r = memref.load %l[%e] : memref<8xf32>
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : memref<8xf32>) {
  ^bb0(%o: f32):
    %e = linalg.index 0 : index
    %u = memref.load %c[%e] : memref<8xcomplex<f32>>
    %r = complex.re %u : complex<f32>
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
      ins(%a : memref<8xf32>) outs(%f : memref<f32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%h : memref<8xf16>) outs(%g : memref<8xf8E4M3FN>) {
  ^bb0(%p: f16, %o: f8E4M3FN):
    %r = arith.truncf %p : f16 to f8E4M3FN
    linalg.yield %r : f8E4M3FN
  }
  linalg.map ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%b : memref<8xf32>)
    (%p: f32, %r: f32, %o: f32) {
      %e = arith.mulf %p, %r : f32
      linalg.yield %e : f32
    }
  linalg.reduce ins(%m : memref<4x6xf32>) outs(%n : memref<4xf32>) dimensions = [1]
    (%p: f32, %o: f32) {
      %e = arith.addf %p, %o : f32
      linalg.yield %e : f32
    }
  linalg.broadcast ins(%n : memref<4xf32>) outs(%m : memref<4x6xf32>) dimensions = [1]
  return
}
memref.global "private" constant @table : memref<8xf32> = dense<1.0>

// -----
// Structured operations on tensors.
#id = affine_map<(d0) -> (d0)>
func.func @on_tensors(%a: tensor<8xf32>, %d: tensor<?xf32>, %m: tensor<4x4xf32>, %u: tensor<*xf32>, %i: index)
    -> (tensor<8xf32>, tensor<?xf32>, tensor<4x4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %n = tensor.empty(%i) : tensor<?xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %k = linalg.index 0 : index
    %l = tensor.extract %a[%k] : tensor<8xf32>
    %r = arith.addf %p, %l : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %1 = linalg.exp ins(%d : tensor<?xf32>) outs(%n : tensor<?xf32>) -> tensor<?xf32>
  %2 = linalg.matmul ins(%m, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%m : tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = tensor.cast %u : tensor<*xf32> to tensor<4xf32>
  %4 = tensor.pad %3 low[0] high[0] {
  ^bb0(%k: index):
    tensor.yield %z : f32
  } : tensor<4xf32> to tensor<4xf32>
  %5 = tensor.concat dim(0) %4, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %6 = linalg.softmax dimension(0) ins(%5 : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  return %6, %1, %2, %4 : tensor<8xf32>, tensor<?xf32>, tensor<4x4xf32>, tensor<4xf32>
}

// -----
// Mathematics on every kind of number.
func.func @mathematics(%a: f32, %b: f64, %c: f16, %d: bf16, %e: vector<4xf32>, %f: vector<[4]xf32>, %g: tensor<4xf32>,
                       %h: tensor<?xf64>, %i: vector<2x2xf32>, %j: f128, %k: i32, %l: vector<f32>, %m: tensor<*xf32>,
                       %n: vector<4xf64>) {
  %0 = math.exp %a : f32
  %1 = math.exp %b : f64
  %2 = math.tanh %c : f16
  %3 = math.log %d : bf16
  %4 = math.sin %e : vector<4xf32>
  %5 = math.cos %f : vector<[4]xf32>
  %6 = math.powf %g, %g : tensor<4xf32>
  %7 = math.erf %h : tensor<?xf64>
  %8 = math.roundeven %i : vector<2x2xf32>
  %9 = math.sqrt %j : f128
  %10 = math.fpowi %a, %k : f32, i32
  %11 = math.log1p %l : vector<f32>
  %12 = math.rsqrt %m : tensor<*xf32>
  %13 = math.atan2 %n, %n : vector<4xf64>
  %14 = math.ctlz %k : i32
  %15 = math.ipowi %k, %k : i32
  %16 = math.tan %e : vector<4xf32>
  %17 = math.floor %g : tensor<4xf32>
  %18 = math.roundeven %a : f32
  %19 = arith.fptosi %18 : f32 to i32
  %20 = math.roundeven %b : f64
  %21 = arith.fptosi %20 : f64 to i64
  %22 = math.roundeven %f : vector<[4]xf32>
  %23 = arith.fptosi %22 : vector<[4]xf32> to vector<[4]xi32>
  %24 = math.sinh %b : f64
  %25 = math.cbrt %a : f32
  %26 = math.expm1 %j : f128
  return
}

// -----
// The LLVM dialect, and operations of dialects that are not known.
llvm.mlir.global internal constant @text("hello\00")
llvm.func @external(!llvm.ptr) -> i32
llvm.func @nnhal_entry(%c: !llvm.ptr) -> i32 {
  %t = llvm.mlir.addressof @text : !llvm.ptr
  %r = llvm.call @external(%t) : (!llvm.ptr) -> i32
  llvm.return %r : i32
}
func.func @address() -> !llvm.ptr {
  %t = llvm.mlir.addressof @text : !llvm.ptr
  return %t : !llvm.ptr
}
"foreign.op"() ({
  "foreign.inner"() : () -> ()
}) : () -> ()
func.func @foreign() {
  %0 = "foreign.value"() {a = 1} : () -> memref<4xf32>
  scf.execute_region {
    "foreign.use"(%0) : (memref<4xf32>) -> ()
    scf.yield
  }
  return
}
