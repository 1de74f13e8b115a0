// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-form-dispatches | FileCheck %s

// An invocation for each element; the fill is the first value of the sums,
// which stay in registers.

#rows = affine_map<(d0, d1) -> (d0, d1)>
#sums = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @sums
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: memref<100x8xf32>, %[[Y:[a-z0-9]+]]: memref<100xf32>)
// CHECK-NEXT:    nngpu.dispatch @kernels::@kernel_0 groups [2, 1, 1](%[[X]], %[[Y]])
// CHECK-SAME:      writes [false, true] : memref<100x8xf32>, memref<100xf32>
// CHECK-NEXT:    return
// CHECK:       gpu.func @kernel_0(%[[KX:.+]]: memref<100x8xf32>, %[[KY:.+]]: memref<100xf32>) kernel
// CHECK-SAME:    spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [64, 1, 1]>
// CHECK:         %[[COUNT:.+]] = arith.constant 100 : index
// CHECK:         %[[IS:.+]] = arith.cmpi ult, %[[ID:.+]], %[[COUNT]]
// CHECK:         scf.if %[[IS]]
// CHECK:           %[[SUM:.+]] = scf.for %[[K:.+]] = {{.+}} iter_args(%[[PART:.+]] = %{{.+}}) -> (f32)
// CHECK:             memref.load %[[KX]][%[[ID]], %[[K]]]
// CHECK:           memref.store %[[SUM]], %[[KY]][%[[ID]]]
func.func @sums(%x: memref<100x8xf32>, %y: memref<100xf32>)
    attributes {nnhal.entry} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<100xf32>)
  linalg.generic {indexing_maps = [#rows, #sums],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<100x8xf32>) outs(%y : memref<100xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %next = arith.addf %sum, %in : f32
    linalg.yield %next : f32
  }
  return
}

// -----

// Equal operations share a kernel, whatever their buffers are.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @shared
// CHECK:         nngpu.dispatch @kernels::@kernel_0
// CHECK-NEXT:    nngpu.dispatch @kernels::@kernel_0
// CHECK:       gpu.func @kernel_0
// CHECK-NOT:   gpu.func
func.func @shared(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {nnhal.entry} {
  %t = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%t : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %next = arith.negf %in : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%t : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %next = arith.negf %in : f32
    linalg.yield %next : f32
  }
  return
}

// -----

// Whole buffers are copied and filled by commands, parts of them by kernels.

// CHECK-LABEL: func.func @commands
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: memref<4x4xi8>, %[[Y:[a-z0-9]+]]: memref<16xi8>, %[[Z:[a-z0-9]+]]: memref<4x6xi8>)
// CHECK-NEXT:    nngpu.copy %[[X]] to %[[Y]] : memref<4x4xi8> to memref<16xi8>
// CHECK-NEXT:    nngpu.fill %[[Z]] with 117901063 : memref<4x6xi8>
// CHECK-NEXT:    nngpu.dispatch @kernels::@kernel_0 groups [1, 1, 1](%[[X]], %[[Z]]) writes [false, true]
// CHECK-NEXT:    return
// CHECK:       memref.subview %{{.+}}[0, 1] [4, 4] [1, 1]
func.func @commands(%x: memref<4x4xi8>, %y: memref<16xi8>, %z: memref<4x6xi8>)
    attributes {nnhal.entry} {
  %flat = memref.collapse_shape %x [[0, 1]] : memref<4x4xi8> into memref<16xi8>
  memref.copy %flat, %y : memref<16xi8> to memref<16xi8>
  %seven = arith.constant 7 : i8
  linalg.fill ins(%seven : i8) outs(%z : memref<4x6xi8>)
  %inside = memref.subview %z[0, 1] [4, 4] [1, 1]
      : memref<4x6xi8> to memref<4x4xi8, strided<[6, 1], offset: 1>>
  memref.copy %x, %inside
      : memref<4x4xi8> to memref<4x4xi8, strided<[6, 1], offset: 1>>
  return
}

// -----

// Stores, checks and what is left of loops are a kernel of one invocation. The
// first check that fails says what it found.

// CHECK-LABEL: func.func @serial
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: memref<2xi32>, %[[Y:[a-z0-9]+]]: memref<2xi32>)
// CHECK-NEXT:    %[[STATUS:.+]] = nngpu.status : memref<8xi32>
// CHECK-NEXT:    nngpu.dispatch @kernels::@kernel_0 groups [1, 1, 1](%[[X]], %[[STATUS]], %[[Y]])
// CHECK-SAME:      writes [false, true, true]
// CHECK-NEXT:    return
// CHECK:       gpu.func @kernel_0(%[[KX:.+]]: memref<2xi32>, %[[KS:.+]]: memref<8xi32>, %[[KY:.+]]: memref<2xi32>)
// CHECK:         %[[E:.+]] = memref.load %[[KX]]
// CHECK:         %[[OK:.+]] = arith.cmpi sge, %[[E]]
// CHECK:         scf.if
// CHECK:           %[[BAD:.+]] = arith.xori %[[OK]]
// CHECK:           scf.if %[[BAD]]
// CHECK:             memref.atomic_rmw addi %{{.+}}, %[[KS]]
// CHECK:           memref.store %[[E]], %[[KY]]
func.func @serial(%x: memref<2xi32>, %y: memref<2xi32>)
    attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %bound = arith.constant 0 : i64
  %element = memref.load %x[%c0] : memref<2xi32>
  %ok = arith.cmpi sge, %element, %zero : i32
  %found = arith.extsi %element : i32 to i64
  nnrt.check %ok, %found, %bound reason 8
  memref.store %element, %y[%c0] : memref<2xi32>
  return
}

// -----

// The status is one buffer of a kernel, whatever it reads and writes there.

// CHECK-LABEL: func.func @omitted
// CHECK:         nngpu.dispatch @kernels::@kernel_0 groups [1, 1, 1](%{{.+}}, %arg0, %arg1)
// CHECK-SAME:      writes [true, false, true] : memref<9xi32>, memref<2xi32>, memref<2xi32>
// CHECK:         nngpu.dispatch @kernels::@kernel_1 groups [1, 1, 1](%arg0, %arg1, %{{.+}})
// CHECK-SAME:      writes [false, true, false] : memref<2xi32>, memref<2xi32>, memref<9xi32>
// CHECK:       gpu.func @kernel_0(%[[STATUS:[a-z0-9]+]]: memref<9xi32>
// CHECK:         memref.load %[[STATUS]]
// CHECK:         memref.atomic_rmw addi %{{.+}}, %[[STATUS]]
func.func @omitted(%x: memref<2xi32>, %y: memref<2xi32>)
    attributes {nnhal.entry, nnhal.input_count = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %bound = arith.constant 0 : i64
  %status = nngpu.status : memref<9xi32>
  %word = memref.load %status[%c8] : memref<9xi32>
  %given = arith.cmpi ne, %word, %zero : i32
  nnrt.check %given, %bound, %bound reason 17
  %element = memref.load %x[%c0] : memref<2xi32>
  memref.store %element, %y[%c0] : memref<2xi32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                  iterator_types = ["parallel"]}
      ins(%x : memref<2xi32>) outs(%y : memref<2xi32>) {
  ^bb0(%in: i32, %out: i32):
    %chosen = arith.select %given, %in, %zero : i32
    linalg.yield %chosen : i32
  }
  return
}

// -----

// Rounds of a loop of independent ones are invocations.

// CHECK-LABEL: func.func @rounds
// CHECK:         nngpu.dispatch @kernels::@kernel_0 groups [2, 1, 1]
// CHECK:       gpu.func @kernel_0
// CHECK:         arith.remui
// CHECK:         arith.divui
func.func @rounds(%x: memref<10x10xf32>, %y: memref<10x10xf32>)
    attributes {nnhal.entry} {
  scf.forall (%i, %j) in (10, 10) {
    %e = memref.load %x[%j, %i] : memref<10x10xf32>
    memref.store %e, %y[%i, %j] : memref<10x10xf32>
  }
  return
}

// -----

// More workgroups than one dimension has are divided among two.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @many
// CHECK:         nngpu.dispatch @kernels::@kernel_0 groups [65535, 3, 1]
// CHECK:       gpu.func @kernel_0
// CHECK:         gpu.block_id  y
func.func @many(%x: memref<10000000xf32>, %y: memref<10000000xf32>)
    attributes {nnhal.entry} {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<10000000xf32>) outs(%y : memref<10000000xf32>) {
  ^bb0(%in: f32, %out: f32):
    %next = arith.negf %in : f32
    linalg.yield %next : f32
  }
  return
}

// -----

// A check that holds is nothing to do; a quotient is computed where it is used.

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @nothing
// CHECK-NEXT:    nngpu.dispatch
// CHECK-NEXT:    return
// CHECK:       gpu.func @kernel_0
// CHECK:         arith.divsi
func.func @nothing(%n: memref<i32>, %y: memref<64xi32>)
    attributes {nnhal.entry} {
  %true = arith.constant true
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i32
  nnrt.check %true, %zero, %zero reason 8
  %number = memref.load %n[] : memref<i32>
  %part = arith.divsi %number, %three : i32
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%y : memref<64xi32>) {
  ^bb0(%out: i32):
    linalg.yield %part : i32
  }
  return
}

// -----

// Rounds that access one element of what they write, which no other round does,
// are invocations; those of a running sum are not.

// CHECK-LABEL: func.func @independent
// CHECK-NEXT:    nngpu.dispatch @kernels::@kernel_0 groups [2, 1, 1]
// CHECK-NEXT:    nngpu.dispatch @kernels::@kernel_1 groups [1, 1, 1]
// CHECK:       gpu.func @kernel_0
// CHECK:         scf.for {{.+}} iter_args
// CHECK:       gpu.func @kernel_1
// CHECK:         scf.for
func.func @independent(%x: memref<10x20xf32>, %y: memref<10x10xf32>,
                       %z: memref<11xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c20 = arith.constant 20 : index
  scf.for %i = %c0 to %c10 step %c1 {
    scf.for %j = %c0 to %c10 step %c1 {
      %first = memref.load %y[%i, %j] : memref<10x10xf32>
      %sum = scf.for %k = %c0 to %c20 step %c1 iter_args(%s = %first) -> f32 {
        %e = memref.load %x[%j, %k] : memref<10x20xf32>
        %next = arith.addf %s, %e : f32
        scf.yield %next : f32
      }
      memref.store %sum, %y[%i, %j] : memref<10x10xf32>
    }
  }
  scf.for %i = %c0 to %c10 step %c1 {
    %before = memref.load %z[%i] : memref<11xf32>
    %after = arith.addi %i, %c1 : index
    memref.store %before, %z[%after] : memref<11xf32>
  }
  return
}

// -----

// Nobody sees a copy of what nothing was written to.

// CHECK-LABEL: func.func @undefined
// CHECK-NOT:     nngpu.copy
// CHECK:         nngpu.fill
// CHECK-NEXT:    return
func.func @undefined(%y: memref<4xf32>) attributes {nnhal.entry} {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<4xf32>
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
  return
}

// -----

// Mesa's software driver ends loops after 65,535 rounds.

#all = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @long
// CHECK:       gpu.func @kernel_0
// CHECK:         %[[END:.+]] = arith.constant 100000 : index
// CHECK:         scf.for %[[FIRST:.+]] = %{{.+}} to %[[END]] step %{{.+}} iter_args
// CHECK:           %[[LAST:.+]] = arith.addi %[[FIRST]], %{{.+}} : index
// CHECK:           %[[BOUND:.+]] = arith.minui %[[LAST]], %[[END]] : index
// CHECK:           scf.for %{{.+}} = %[[FIRST]] to %[[BOUND]] step %{{.+}} iter_args
func.func @long(%x: memref<100000xf32>, %y: memref<f32>)
    attributes {nnhal.entry} {
  linalg.generic {indexing_maps = [#all, #one], iterator_types = ["reduction"]}
      ins(%x : memref<100000xf32>) outs(%y : memref<f32>) {
  ^bb0(%in: f32, %sum: f32):
    %next = arith.mulf %sum, %in : f32
    linalg.yield %next : f32
  }
  return
}

// -----

// Few long sums: the invocations of a workgroup share each of them.

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @shared
// CHECK:       nngpu.dispatch @kernels::@kernel_0 groups [3, 1, 1]
// CHECK:       gpu.func @kernel_0(%[[X:.+]]: memref<3x1000xf32>, %[[Y:.+]]: memref<3xf32>)
// CHECK-SAME:    workgroup(%[[PARTS:.+]] : memref<128xf32, #gpu.address_space<workgroup>>)
// CHECK:         %[[PART:.+]] = scf.for %{{.+}} = %[[ID:.+]] to %{{.+}} step %c128 iter_args
// CHECK:         memref.store %[[PART]], %[[PARTS]][%[[ID]]]
// CHECK-COUNT-7: gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         memref.store %{{.+}}, %[[Y]]
func.func @shared(%x: memref<3x1000xf32>, %y: memref<3xf32>)
    attributes {nnhal.entry} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<3xf32>)
  linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<3x1000xf32>) outs(%y : memref<3xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %next = arith.addf %sum, %in : f32
    linalg.yield %next : f32
  }
  return
}

// -----

// Each round of a scan stores an element of its own; the sum stays in a
// register, and a fill of what rounds may come back to stays.

#rows = affine_map<(d0, d1) -> (d0, d1)>
#sums = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @scan
// CHECK-SAME:    (%[[X:[a-z0-9]+]]: memref<100x8xf32>, %[[Y:[a-z0-9]+]]: memref<100xf32>, %[[Z:[a-z0-9]+]]: memref<100x8xf32>)
// CHECK-NEXT:    nngpu.fill %[[Z]]
// CHECK-NEXT:    nngpu.dispatch @kernels::@kernel_0 groups [2, 1, 1](%[[X]], %[[Y]], %[[Z]])
// CHECK-SAME:      writes [false, true, true]
// CHECK-NEXT:    return
// CHECK:       gpu.func @kernel_0(%[[KX:.+]]: memref<100x8xf32>, %[[KY:.+]]: memref<100xf32>, %[[KZ:.+]]: memref<100x8xf32>) kernel
// CHECK:         scf.if
// CHECK:           %[[FIRST:.+]] = memref.load %[[KY]][%[[ID:.+]]]
// CHECK:           %[[SUM:.+]] = scf.for %[[K:.+]] = {{.+}} iter_args(%[[PART:.+]] = %[[FIRST]]) -> (f32)
// CHECK:             %[[OLD:.+]] = memref.load %[[KZ]][%[[ID]], %[[K]]]
// CHECK:             %[[NEXT:.+]] = arith.addf %[[PART]]
// CHECK:             %[[BOTH:.+]] = arith.addf %[[OLD]], %[[NEXT]]
// CHECK:             memref.store %[[BOTH]], %[[KZ]][%[[ID]], %[[K]]]
// CHECK:             scf.yield %[[NEXT]]
// CHECK:           memref.store %[[SUM]], %[[KY]][%[[ID]]]
func.func @scan(%x: memref<100x8xf32>, %y: memref<100xf32>, %z: memref<100x8xf32>)
    attributes {nnhal.entry} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%z : memref<100x8xf32>)
  linalg.generic {indexing_maps = [#rows, #sums, #rows],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<100x8xf32>) outs(%y, %z : memref<100xf32>, memref<100x8xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %next = arith.addf %sum, %in : f32
    %both = arith.addf %out, %next : f32
    linalg.yield %next, %both : f32, f32
  }
  return
}

// -----

// Without a sum nothing is carried. Few long rows are shared by no workgroup.

#rows = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @moving
// CHECK:         nngpu.dispatch @kernels::@kernel_0 groups [1, 1, 1](%{{.+}}) writes [false, true]
// CHECK:       gpu.func @kernel_0(%[[KX:.+]]: memref<3x1000xf32>, %[[KY:.+]]: memref<3x1000xf32>) kernel
// CHECK:         scf.for %[[K:.+]] = {{[^(]*}} {
// CHECK:           memref.store %{{.+}}, %[[KY]][%{{.+}}, %[[K]]]
// CHECK-NEXT:    }
func.func @moving(%x: memref<3x1000xf32>, %y: memref<3x1000xf32>)
    attributes {nnhal.entry} {
  linalg.generic {indexing_maps = [#rows, #rows],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<3x1000xf32>) outs(%y : memref<3x1000xf32>) {
  ^bb0(%in: f32, %out: f32):
    %next = arith.addf %out, %in : f32
    linalg.yield %next : f32
  }
  return
}

// -----

// Where rounds read what others have stored, they stay in order, in a kernel of
// one invocation.

#rows = affine_map<(d0, d1) -> (d0, d1)>
#sums = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @looks_back
// CHECK:         nngpu.dispatch @kernels::@kernel_0 groups [1, 1, 1]
// CHECK:       gpu.func @kernel_0(%[[KY:.+]]: memref<100xf32>, %[[KX:.+]]: memref<100x8xf32>) kernel
// CHECK:         linalg.generic {{.*}} ins(%[[KX]] : memref<100x8xf32>) outs(%[[KY]] :
func.func @looks_back(%x: memref<100x8xf32>, %y: memref<100xf32>)
    attributes {nnhal.entry} {
  %first = arith.constant 0 : index
  linalg.generic {indexing_maps = [#rows, #sums],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<100x8xf32>) outs(%y : memref<100xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %factor = memref.load %y[%first] : memref<100xf32>
    %product = arith.mulf %in, %factor : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}
