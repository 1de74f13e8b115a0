// What of this upstream makes necessary is shown by upstream-empty-tensors.mlir.
// RUN: nnhal-opt %s --nnhal-separate-destinations | FileCheck %s
// Two outputs that begin with the same fill do not meet in one buffer.
// RUN: nnhal-opt %s '--pass-pipeline=builtin.module(func.func(nnhal-separate-destinations),eliminate-empty-tensors,one-shot-bufferize)' | FileCheck %s --check-prefix=BUFFERS

// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: tensor.empty
// CHECK-COUNT-2: linalg.fill
// CHECK-NOT: linalg.fill
// BUFFERS-LABEL: func.func @main
// BUFFERS-SAME: (%{{.+}}: memref<4xf32>, %[[FIRST:.+]]: memref<4xf32>, %[[SECOND:.+]]: memref<4xf32>)
// BUFFERS-DAG: linalg.fill ins(%{{.+}} : f32) outs(%[[FIRST]]
// BUFFERS-DAG: linalg.fill ins(%{{.+}} : f32) outs(%[[SECOND]]
// BUFFERS-NOT: memref.alloc
func.func @main(%in: memref<4xf32>, %out0: memref<4xf32>, %out1: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = bufferization.to_tensor %in restrict : memref<4xf32> to tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %difference = arith.subf %a, %b : f32
    linalg.yield %difference : f32
  } -> tensor<4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out0 : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %1 in restrict writable %out1 : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// A fill in the form of linalg.generic, which is an output itself as well.

// CHECK-LABEL: func.func @generic_fill
// CHECK-COUNT-2: linalg.generic
// BUFFERS-LABEL: func.func @generic_fill
// BUFFERS-SAME: (%[[IN:.+]]: memref<1xf32>, %[[FIRST:.+]]: memref<4xf32>, %[[SECOND:.+]]: memref<4xf32>)
// BUFFERS-DAG: linalg.generic {{.*}} outs(%[[FIRST]]
// BUFFERS-DAG: linalg.generic {{.*}} outs(%[[SECOND]]
// BUFFERS-NOT: memref.alloc
// BUFFERS: return
func.func @generic_fill(%in: memref<1xf32>, %out0: memref<4xf32>, %out1: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = bufferization.to_tensor %in restrict : memref<1xf32> to tensor<1xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %filled = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<4xf32>) {
  ^bb0(%old: f32):
    linalg.yield %zero : f32
  } -> tensor<4xf32>
  %0 = tensor.insert_slice %x into %filled[1] [1] [1] : tensor<1xf32> into tensor<4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out0 : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %filled in restrict writable %out1 : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// A computed tensor that is an output and the beginning of another.

// CHECK-LABEL: func.func @computed
// CHECK: %[[SUM:.+]] = linalg.add
// CHECK: %[[COPY:.+]] = bufferization.alloc_tensor() copy(%[[SUM]])
// CHECK: tensor.insert_slice %{{.+}} into %[[COPY]]
// CHECK: materialize_in_destination %[[SUM]]
func.func @computed(%in: memref<1xf32>, %other: memref<4xf32>, %out0: memref<4xf32>, %out1: memref<4xf32>) {
  %x = bufferization.to_tensor %in restrict : memref<1xf32> to tensor<1xf32>
  %y = bufferization.to_tensor %other restrict : memref<4xf32> to tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %sum = linalg.add ins(%y, %y : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %0 = tensor.insert_slice %x into %sum[1] [1] [1] : tensor<1xf32> into tensor<4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out0 : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %sum in restrict writable %out1 : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// A place that only a run can tell is not taken before it has been checked, and
// the rows of a part of a tensor of unknown extents are at unknown distances.

// CHECK-LABEL: func.func @part_of_dynamic
// CHECK: %[[MEMORY:.+]] = bufferization.alloc_tensor() : tensor<1x1x1x8xf32>
// CHECK: nnk.pool_2d max ins(%{{.+}}) outs(%[[MEMORY]]
func.func @part_of_dynamic(%x: tensor<1x2x2x8xf32>, %whole: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %empty = tensor.empty() : tensor<1x1x1x8xf32>
  %0 = nnk.pool_2d max ins(%x : tensor<1x2x2x8xf32>) outs(%empty : tensor<1x1x1x8xf32>)
      window [2, 2] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x1x1x8xf32>
  %1 = tensor.insert_slice %0 into %whole[0, 0, 0, 0] [1, 1, 1, 8] [1, 1, 1, 1] : tensor<1x1x1x8xf32> into tensor<?x?x?x?xf32>
  return %1 : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @computed_place
// CHECK: %[[MEMORY:.+]] = bufferization.alloc_tensor() : tensor<4xf32>
// CHECK: %[[FILLED:.+]] = linalg.fill ins(%{{.+}}) outs(%[[MEMORY]]
// CHECK: linalg.add {{.*}} outs(%[[FILLED]]
// BUFFERS-LABEL: func.func @computed_place
// BUFFERS: %[[MEMORY:.+]] = memref.alloc() {{.*}} : memref<4xf32>
// BUFFERS: linalg.add {{.*}} outs(%[[MEMORY]]
// BUFFERS: nnrt.check
// BUFFERS: memref.subview
func.func @computed_place(%in: memref<4xf32>, %at: index, %out: memref<9xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0 : index
  %low64 = arith.constant 0 : i64
  %x = bufferization.to_tensor %in restrict : memref<4xf32> to tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %part = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%fill : tensor<4xf32>) -> tensor<4xf32>
  %isInside = arith.cmpi sge, %at, %low : index
  nnrt.check %isInside, %low64, %low64 reason 8
  %whole = tensor.empty() : tensor<9xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%whole : tensor<9xf32>) -> tensor<9xf32>
  %0 = tensor.insert_slice %part into %filled[%at] [4] [1] : tensor<4xf32> into tensor<9xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<9xf32>, memref<9xf32>) -> ()
  return
}

// What a loop carries may be a buffer of any layout.

// CHECK-LABEL: func.func @kernel_in_loop
// CHECK: scf.for
// CHECK: %[[MEMORY:.+]] = bufferization.alloc_tensor() : tensor<1x1x1x8xf32>
// CHECK: nnk.pool_2d max ins(%{{.+}}) outs(%[[MEMORY]]
func.func @kernel_in_loop(%x: tensor<1x1x1x8xf32>, %steps: index) -> tensor<1x1x1x8xf32> {
  %low = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = scf.for %i = %low to %steps step %one iter_args(%state = %x) -> tensor<1x1x1x8xf32> {
    %empty = tensor.empty() : tensor<1x1x1x8xf32>
    %0 = nnk.pool_2d max ins(%x : tensor<1x1x1x8xf32>) outs(%empty : tensor<1x1x1x8xf32>)
        window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x1x1x8xf32>
    %1 = tensor.insert_slice %0 into %state[0, 0, 0, 0] [1, 1, 1, 8] [1, 1, 1, 1] : tensor<1x1x1x8xf32> into tensor<1x1x1x8xf32>
    scf.yield %1 : tensor<1x1x1x8xf32>
  }
  return %last : tensor<1x1x1x8xf32>
}

// A loop of known bounds counts places that are inside: no memory of its own.

// CHECK-LABEL: func.func @counted_place
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: return
// BUFFERS-LABEL: func.func @counted_place
// BUFFERS-NOT: memref.alloc
// BUFFERS: return
func.func @counted_place(%in: memref<4xf32>, %out: memref<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = bufferization.to_tensor %in restrict : memref<4xf32> to tensor<4xf32>
  %whole = tensor.empty() : tensor<3x4xf32>
  %rows = scf.for %i = %c0 to %c3 step %c1 iter_args(%state = %whole) -> tensor<3x4xf32> {
    %empty = tensor.empty() : tensor<4xf32>
    %row = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    %next = tensor.insert_slice %row into %state[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<3x4xf32>
    scf.yield %next : tensor<3x4xf32>
  }
  bufferization.materialize_in_destination %rows in restrict writable %out : (tensor<3x4xf32>, memref<3x4xf32>) -> ()
  return
}

// One round too many would leave the tensor.

// CHECK-LABEL: func.func @counted_too_far
// CHECK: bufferization.alloc_tensor
func.func @counted_too_far(%x: tensor<4xf32>, %whole: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %rows = scf.for %i = %c0 to %c4 step %c1 iter_args(%state = %whole) -> tensor<3x4xf32> {
    %empty = tensor.empty() : tensor<4xf32>
    %row = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    %next = tensor.insert_slice %row into %state[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<3x4xf32>
    scf.yield %next : tensor<3x4xf32>
  }
  return %rows : tensor<3x4xf32>
}

// Micro-kernels load several channels at once: those that a slice leaves apart
// are copied, once for all kernels, and parts of rows and columns are not.

// CHECK-LABEL: func.func @channels_apart
// CHECK: %[[APART:.+]] = tensor.extract_slice %{{.+}}[0, 0, 0, 1] [1, 4, 4, 4] [1, 1, 1, 2]
// CHECK: %[[COPY:.+]] = bufferization.alloc_tensor() copy(%[[APART]])
// CHECK: nnk.pool_2d max ins(%[[COPY]]
// CHECK: nnk.pool_2d average ins(%[[COPY]]
// CHECK: %[[COLUMN:.+]] = tensor.extract_slice %{{.+}}[0, 0, 0, 2] [1, 4, 4, 1]
// CHECK: %[[EXPANDED:.+]] = tensor.expand_shape %[[COLUMN]]
// CHECK: %[[OTHER:.+]] = bufferization.alloc_tensor() copy(%[[EXPANDED]])
// CHECK: nnk.pool_2d max ins(%[[OTHER]]
// CHECK: %[[PART:.+]] = tensor.extract_slice %{{.+}}[0, 0, 0, 0] [1, 2, 2, 8] [1, 2, 2, 1]
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: nnk.pool_2d max ins(%[[PART]]
func.func @channels_apart(%x: tensor<1x4x4x9xf32>)
    -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x1x4x4xf32>, tensor<1x2x2x8xf32>) {
  %a = tensor.empty() : tensor<1x4x4x4xf32>
  %b = tensor.empty() : tensor<1x4x4x4xf32>
  %c = tensor.empty() : tensor<1x1x4x4xf32>
  %d = tensor.empty() : tensor<1x2x2x8xf32>
  %apart = tensor.extract_slice %x[0, 0, 0, 1] [1, 4, 4, 4] [1, 1, 1, 2] : tensor<1x4x4x9xf32> to tensor<1x4x4x4xf32>
  %0 = nnk.pool_2d max ins(%apart : tensor<1x4x4x4xf32>) outs(%a : tensor<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  %1 = nnk.pool_2d average ins(%apart : tensor<1x4x4x4xf32>) outs(%b : tensor<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  %column = tensor.extract_slice %x[0, 0, 0, 2] [1, 4, 4, 1] [1, 1, 1, 1] : tensor<1x4x4x9xf32> to tensor<1x4x4xf32>
  %expanded = tensor.expand_shape %column [[0, 1], [2], [3]] output_shape [1, 1, 4, 4] : tensor<1x4x4xf32> into tensor<1x1x4x4xf32>
  %2 = nnk.pool_2d max ins(%expanded : tensor<1x1x4x4xf32>) outs(%c : tensor<1x1x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x1x4x4xf32>
  %part = tensor.extract_slice %x[0, 0, 0, 0] [1, 2, 2, 8] [1, 2, 2, 1] : tensor<1x4x4x9xf32> to tensor<1x2x2x8xf32>
  %3 = nnk.pool_2d max ins(%part : tensor<1x2x2x8xf32>) outs(%d : tensor<1x2x2x8xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x2x2x8xf32>
  return %0, %1, %2, %3 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x1x4x4xf32>, tensor<1x2x2x8xf32>
}

// The width becomes the channels: they are a whole pixel apart. A height of one
// between them changes nothing, and what is in no slice is not copied.

// CHECK-LABEL: func.func @width_becomes_channels
// CHECK: %[[ROW:.+]] = tensor.collapse_shape %{{.+}} {{\[\[}}0, 1], [2, 3]]
// CHECK: %[[PIXELS:.+]] = tensor.expand_shape %[[ROW]]
// CHECK: %[[COPY:.+]] = bufferization.alloc_tensor() copy(%[[PIXELS]])
// CHECK: nnk.pool_2d max ins(%[[COPY]]
// CHECK: %[[WHOLE:.+]] = tensor.expand_shape
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: nnk.pool_2d max ins(%[[WHOLE]]
func.func @width_becomes_channels(%x: tensor<1x1x4x9xf32>) -> (tensor<1x1x1x4xf32>, tensor<1x1x4x9xf32>) {
  %a = tensor.empty() : tensor<1x1x1x4xf32>
  %b = tensor.empty() : tensor<1x1x4x9xf32>
  %channel = tensor.extract_slice %x[0, 0, 0, 2] [1, 1, 4, 1] [1, 1, 1, 1] : tensor<1x1x4x9xf32> to tensor<1x1x4x1xf32>
  %row = tensor.collapse_shape %channel [[0, 1], [2, 3]] : tensor<1x1x4x1xf32> into tensor<1x4xf32>
  %pixels = tensor.expand_shape %row [[0, 1, 2], [3]] output_shape [1, 1, 1, 4] : tensor<1x4xf32> into tensor<1x1x1x4xf32>
  %0 = nnk.pool_2d max ins(%pixels : tensor<1x1x1x4xf32>) outs(%a : tensor<1x1x1x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x1x1x4xf32>
  %flat = tensor.collapse_shape %x [[0, 1, 2], [3]] : tensor<1x1x4x9xf32> into tensor<4x9xf32>
  %whole = tensor.expand_shape %flat [[0, 1, 2], [3]] output_shape [1, 1, 4, 9] : tensor<4x9xf32> into tensor<1x1x4x9xf32>
  %1 = nnk.pool_2d max ins(%whole : tensor<1x1x4x9xf32>) outs(%b : tensor<1x1x4x9xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x1x4x9xf32>
  return %0, %1 : tensor<1x1x1x4xf32>, tensor<1x1x4x9xf32>
}

// Distances that only a run can tell: the rows are as long as the tensor says.
// What a loop carries is left to the loop.

// CHECK-LABEL: func.func @rows_of_unknown_length
// CHECK: %[[CORNER:.+]] = tensor.extract_slice
// CHECK: %[[COPY:.+]] = bufferization.alloc_tensor() copy(%[[CORNER]])
// CHECK: nnk.pool_2d max ins(%[[COPY]]
// CHECK: scf.for {{.+}} iter_args(%[[CARRIED:.+]] = 
// CHECK: nnk.pool_2d max ins(%[[CARRIED]]
func.func @rows_of_unknown_length(%x: tensor<1x?x?x4xf32>, %n: index) -> tensor<1x2x2x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.empty() : tensor<1x2x2x4xf32>
  %corner = tensor.extract_slice %x[0, 0, 0, 0] [1, 2, 2, 4] [1, 1, 1, 1] : tensor<1x?x?x4xf32> to tensor<1x2x2x4xf32>
  %0 = nnk.pool_2d max ins(%corner : tensor<1x2x2x4xf32>) outs(%a : tensor<1x2x2x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x2x2x4xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %0) -> tensor<1x2x2x4xf32> {
    %b = tensor.empty() : tensor<1x2x2x4xf32>
    %2 = nnk.pool_2d max ins(%carried : tensor<1x2x2x4xf32>) outs(%b : tensor<1x2x2x4xf32>)
        window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x2x2x4xf32>
    scf.yield %carried : tensor<1x2x2x4xf32>
  }
  return %1 : tensor<1x2x2x4xf32>
}

// Filters and biases may be computed, too.

// CHECK-LABEL: func.func @taps_apart
// CHECK: %[[TAPS:.+]] = bufferization.alloc_tensor() copy(
// CHECK: %[[BIAS:.+]] = bufferization.alloc_tensor() copy(
// CHECK: nnk.depthwise_conv_2d ins(%{{.+}}, %[[TAPS]], %[[BIAS]]
func.func @taps_apart(%x: tensor<1x4x4x4xf32>, %w: tensor<1x1x8xf32>, %b: tensor<8xf32>) -> tensor<1x4x4x4xf32> {
  %a = tensor.empty() : tensor<1x4x4x4xf32>
  %taps = tensor.extract_slice %w[0, 0, 0] [1, 1, 4] [1, 1, 2] : tensor<1x1x8xf32> to tensor<1x1x4xf32>
  %bias = tensor.extract_slice %b[1] [4] [2] : tensor<8xf32> to tensor<4xf32>
  %0 = nnk.depthwise_conv_2d ins(%x, %taps, %bias : tensor<1x4x4x4xf32>, tensor<1x1x4xf32>, tensor<4xf32>)
      outs(%a : tensor<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] depth_multiplier 1 -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// Kernels of GPUs read them where they are.

module attributes {nnhal.target = #nnhal.target<"vulkan">} {
// CHECK-LABEL: func.func @read_apart
// CHECK: %[[APART:.+]] = tensor.extract_slice
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: nnk.pool_2d max ins(%[[APART]]
func.func @read_apart(%x: tensor<1x4x4x9xf32>) -> tensor<1x4x4x4xf32> {
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %apart = tensor.extract_slice %x[0, 0, 0, 1] [1, 4, 4, 4] [1, 1, 1, 2] : tensor<1x4x4x9xf32> to tensor<1x4x4x4xf32>
  %0 = nnk.pool_2d max ins(%apart : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}
}
