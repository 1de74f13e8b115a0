// RUN: nnhal-opt %s --nnhal-set-target --convert-nnhal-to-linalg --canonicalize --split-input-file | FileCheck %s
// Targets without micro-kernels have nothing that calls kernels in a loop.
// RUN: nnhal-opt %s --nnhal-set-target="name=vulkan" --convert-nnhal-to-linalg --canonicalize --split-input-file | FileCheck %s --check-prefix=STAYS

// One cell in a loop, which passes on its state and keeps the outputs.
// CHECK-LABEL: @four_steps
// CHECK-SAME:    %[[ALL:[^:]*]]: tensor<8x3xf32>
// CHECK-SAME:    %[[STATE:[^:]*]]: tensor<2x4xf32>)
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[FOUR:.*]] = arith.constant 4 : index
// CHECK:         %[[OUTPUTS:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK:         %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %[[FOUR]] step %{{.*}} iter_args(%[[H:.*]] = %[[STATE]], %[[O:.*]] = %[[OUTPUTS]])
// CHECK:           %[[BEGIN:.*]] = arith.muli %[[I]], %[[TWO]]
// CHECK:           tensor.extract_slice %[[ALL]][%[[BEGIN]], 0] [2, 3] [1, 1]
// CHECK:           math.tanh
// CHECK-NOT:       math.tanh
// CHECK:           tensor.insert_slice %{{.*}} into %[[O]][%{{.*}}, 0] [2, 4] [1, 1]
// CHECK:           scf.yield
// CHECK-NOT:     math.tanh
// CHECK:         return %[[LOOP]]#1, %[[LOOP]]#0
// STAYS-LABEL: @four_steps
// STAYS-COUNT-4: math.tanh
func.func @four_steps(%s: tensor<8x3xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf32>) -> (tensor<8x4xf32>, tensor<2x4xf32>) {
  %p:4 = nnhal.split %s axis 0 : (tensor<8x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %y0:2 = nnhal.rnn input(%p#0) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%h) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y1:2 = nnhal.rnn input(%p#1) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y0#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y2:2 = nnhal.rnn input(%p#2) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y1#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y3:2 = nnhal.rnn input(%p#3) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y2#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %all = nnhal.concatenation %y0#1, %y1#1, %y2#1, %y3#1 axis 0 : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<8x4xf32>
  return %all, %y3#0 : tensor<8x4xf32>, tensor<2x4xf32>
}

// -----

// Later parts of a longer input; what is read of single steps are slices of
// what the loop keeps, and outputs that nothing reads are not kept.
// CHECK-LABEL: @later_parts
// CHECK:         %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(
// CHECK:           %[[STEP:.*]] = arith.muli %[[I]],
// CHECK:           %[[BEGIN:.*]] = arith.addi %[[STEP]],
// CHECK:           tensor.extract_slice %{{.*}}[%[[BEGIN]], 0] [2, 3] [1, 1]
// CHECK:         %[[SECOND:.*]] = tensor.extract_slice %[[LOOP]]#1[2, 0] [2, 4] [1, 1]
// CHECK-NEXT:    return %[[SECOND]], %[[LOOP]]#0
func.func @later_parts(%s: tensor<12x3xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %p:6 = nnhal.split %s axis 0 : (tensor<12x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %y0:2 = nnhal.rnn input(%p#1) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%h) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y1:2 = nnhal.rnn input(%p#2) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y0#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y2:2 = nnhal.rnn input(%p#3) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y1#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y3:2 = nnhal.rnn input(%p#4) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y2#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y4:2 = nnhal.rnn input(%p#5) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y3#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return %y1#0, %y4#0 : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Outputs in another order are joined as they are.
// CHECK-LABEL: @other_order
// CHECK:         %[[LOOP:.*]]:2 = scf.for
// CHECK-COUNT-4: tensor.extract_slice %[[LOOP]]#
// CHECK:         return
func.func @other_order(%s: tensor<8x3xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf32>) -> tensor<8x4xf32> {
  %p:4 = nnhal.split %s axis 0 : (tensor<8x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %y0:2 = nnhal.rnn input(%p#0) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%h) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y1:2 = nnhal.rnn input(%p#1) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y0#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y2:2 = nnhal.rnn input(%p#2) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y1#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y3:2 = nnhal.rnn input(%p#3) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y2#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %all = nnhal.concatenation %y3#1, %y2#1, %y1#1, %y0#1 axis 0 : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<8x4xf32>
  return %all : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: @three_steps
// CHECK-COUNT-3: math.tanh
// CHECK:         return
func.func @three_steps(%s: tensor<6x3xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %p:3 = nnhal.split %s axis 0 : (tensor<6x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %y0:2 = nnhal.rnn input(%p#0) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%h) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y1:2 = nnhal.rnn input(%p#1) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y0#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y2:2 = nnhal.rnn input(%p#2) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y1#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return %y2#0 : tensor<2x4xf32>
}

// -----

// The third step has other weights, which leaves two chains of two.
// CHECK-LABEL: @other_weights
// CHECK-COUNT-4: math.tanh
// CHECK:         return
func.func @other_weights(%s: tensor<8x3xf32>, %v: tensor<4x3xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %p:4 = nnhal.split %s axis 0 : (tensor<8x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %y0:2 = nnhal.rnn input(%p#0) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%h) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y1:2 = nnhal.rnn input(%p#1) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y0#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y2:2 = nnhal.rnn input(%p#2) weights(%v) recurrent_weights(%r) bias(%b) hidden_state(%y1#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y3:2 = nnhal.rnn input(%p#3) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y2#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return %y3#0 : tensor<2x4xf32>
}

// -----

// The steps read the parts from the last one to the first.
// CHECK-LABEL: @backwards
// CHECK-COUNT-4: math.tanh
// CHECK:         return
func.func @backwards(%s: tensor<8x3xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %p:4 = nnhal.split %s axis 0 : (tensor<8x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %y0:2 = nnhal.rnn input(%p#3) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%h) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y1:2 = nnhal.rnn input(%p#2) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y0#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y2:2 = nnhal.rnn input(%p#1) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y1#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y3:2 = nnhal.rnn input(%p#0) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%y2#0) activation tanh
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return %y3#0 : tensor<2x4xf32>
}

// -----

// The second cell reads each output of the first one, whose steps are a chain,
// too.
// CHECK-LABEL: @stacked
// CHECK:         %[[FIRST:.*]] = scf.for
// CHECK-COUNT-4: math.tanh
// CHECK:         return
func.func @stacked(%s: tensor<8x4xf32>, %w: tensor<4x4xf32>, %v: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %p:4 = nnhal.split %s axis 0 : (tensor<8x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  %y0:2 = nnhal.rnn input(%p#0) weights(%w) recurrent_weights(%w) bias(%b) hidden_state(%h) activation tanh
      : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %z0:2 = nnhal.rnn input(%y0#1) weights(%v) recurrent_weights(%w) bias(%b) hidden_state(%h) activation tanh
      : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y1:2 = nnhal.rnn input(%p#1) weights(%w) recurrent_weights(%w) bias(%b) hidden_state(%y0#0) activation tanh
      : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %z1:2 = nnhal.rnn input(%y1#1) weights(%v) recurrent_weights(%w) bias(%b) hidden_state(%z0#0) activation tanh
      : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y2:2 = nnhal.rnn input(%p#2) weights(%w) recurrent_weights(%w) bias(%b) hidden_state(%y1#0) activation tanh
      : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %z2:2 = nnhal.rnn input(%y2#1) weights(%v) recurrent_weights(%w) bias(%b) hidden_state(%z1#0) activation tanh
      : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %y3:2 = nnhal.rnn input(%p#3) weights(%w) recurrent_weights(%w) bias(%b) hidden_state(%y2#0) activation tanh
      : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %z3:2 = nnhal.rnn input(%y3#1) weights(%v) recurrent_weights(%w) bias(%b) hidden_state(%z2#0) activation tanh
      : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return %z3#0 : tensor<2x4xf32>
}
