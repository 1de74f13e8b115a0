// RUN: nnhal-opt %s --split-input-file --nnhal-compile="until=outline" | FileCheck %s

// The states of a cell whose products are kernels stay in one place from step to
// step: nothing is allocated in a round, so that all steps are one kernel.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     nnrt.allocate
// CHECK-NOT:     scf.for
// CHECK:         call @kernel_0
// CHECK:       func.func private @kernel_0
// CHECK:         %[[STEPS:.*]] = arith.constant 9 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[STEPS]] step
// CHECK-NOT:       nnrt.allocate
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%s: tensor<9x1x2xf32>, %h: tensor<1x2xf32>) -> (tensor<9x1x2xf32>)
      attributes {input_names = ["s", "h"], output_names = ["y"]} {
    %w = nnhal.constant dense<[[0.1, 0.2], [0.3, 0.4]]> : tensor<2x2xf32> -> tensor<2x2xf32>
    %b = nnhal.constant dense<[0.1, 0.2]> : tensor<2xf32> -> tensor<2xf32>
    %0 = nnhal.unidirectional_sequence_rnn input(%s) weights(%w) recurrent_weights(%w) bias(%b) hidden_state(%h)
        activation tanh time_major true
        : (tensor<9x1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<1x2xf32>) -> tensor<9x1x2xf32>
    nnhal.return %0 : tensor<9x1x2xf32>
  }
}

// -----

// Steps that the model states one by one become one kernel, too.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     nnrt.allocate
// CHECK-NOT:     scf.for
// CHECK:         call @kernel_0
// CHECK:       func.func private @kernel_0
// CHECK:         %[[STEPS:.*]] = arith.constant 4 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[STEPS]] step
// CHECK-NOT:       nnrt.allocate
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%s: tensor<4x2xf32>, %h: tensor<1x2xf32>) -> (tensor<1x2xf32>)
      attributes {input_names = ["s", "h"], output_names = ["y"]} {
    %w = nnhal.constant dense<[[0.1, 0.2], [0.3, 0.4]]> : tensor<2x2xf32> -> tensor<2x2xf32>
    %b = nnhal.constant dense<[0.1, 0.2]> : tensor<2xf32> -> tensor<2xf32>
    %p:4 = nnhal.split %s axis 0 : (tensor<4x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
    %0:2 = nnhal.rnn input(%p#0) weights(%w) recurrent_weights(%w) bias(%b) hidden_state(%h) activation tanh
        : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
    %1:2 = nnhal.rnn input(%p#1) weights(%w) recurrent_weights(%w) bias(%b) hidden_state(%0#0) activation tanh
        : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
    %2:2 = nnhal.rnn input(%p#2) weights(%w) recurrent_weights(%w) bias(%b) hidden_state(%1#0) activation tanh
        : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
    %3:2 = nnhal.rnn input(%p#3) weights(%w) recurrent_weights(%w) bias(%b) hidden_state(%2#0) activation tanh
        : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
    nnhal.return %3#0 : tensor<1x2xf32>
  }
}
