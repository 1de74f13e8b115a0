// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @rnn
// CHECK: nnhal.rnn input(%{{.*}}) weights(%{{.*}}) recurrent_weights(%{{.*}}) bias(%{{.*}}) hidden_state(%{{.*}}) activation relu
// CHECK: nnhal.unidirectional_sequence_rnn input(
// CHECK-SAME: time_major true
// CHECK-SAME: -> (tensor<7x2x4xf32>, tensor<2x4xf32>)
// CHECK: nnhal.unidirectional_sequence_rnn input(
// CHECK-SAME: -> tensor<7x2x4xf32>
// CHECK: nnhal.bidirectional_sequence_rnn input(%{{.*}}) fw_weights(%{{.*}}) fw_recurrent_weights(%{{.*}}) fw_bias(%{{.*}}) fw_hidden_state(%{{.*}}) bw_weights(%{{.*}}) bw_recurrent_weights(%{{.*}}) bw_bias(%{{.*}}) bw_hidden_state(%{{.*}}) activation 
// CHECK-SAME: -> tensor<7x2x8xf32>
// CHECK: nnhal.bidirectional_sequence_rnn
// CHECK-SAME: aux_input(%{{.*}}) fw_aux_weights(%{{.*}}) bw_aux_weights(%{{.*}})
func.func @rnn(%x: tensor<2x8xf32>, %s: tensor<7x2x8xf32>, %w: tensor<4x8xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf32>) {
  %0:2 = nnhal.rnn input(%x) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%h)
      activation relu
      : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %1:2 = nnhal.unidirectional_sequence_rnn input(%s) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%h)
      activation tanh time_major true
      : (tensor<7x2x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<7x2x4xf32>, tensor<2x4xf32>)
  %2 = nnhal.unidirectional_sequence_rnn input(%s) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%h)
      activation tanh time_major true
      : (tensor<7x2x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<7x2x4xf32>
  %3 = nnhal.bidirectional_sequence_rnn input(%s) fw_weights(%w) fw_recurrent_weights(%r) fw_bias(%b) fw_hidden_state(%h)
      bw_weights(%w) bw_recurrent_weights(%r) bw_bias(%b) bw_hidden_state(%h)
      activation tanh time_major true merge_outputs true
      : (tensor<7x2x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<7x2x8xf32>
  %4:4 = nnhal.bidirectional_sequence_rnn input(%s) fw_weights(%w) fw_recurrent_weights(%r) fw_bias(%b) fw_hidden_state(%h)
      bw_weights(%w) bw_recurrent_weights(%r) bw_bias(%b) bw_hidden_state(%h) aux_input(%s) fw_aux_weights(%w) bw_aux_weights(%w)
      activation tanh time_major true merge_outputs false
      : (tensor<7x2x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<7x2x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
      -> (tensor<7x2x4xf32>, tensor<7x2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// CHECK-LABEL: @svdf
// CHECK: nnhal.svdf input(%{{.*}}) feature_weights(%{{.*}}) time_weights(%{{.*}}) state(%{{.*}}) rank 1 activation none
// CHECK: nnhal.svdf input(%{{.*}}) feature_weights(%{{.*}}) time_weights(%{{.*}}) bias(%{{.*}}) state(%{{.*}})
func.func @svdf(%x: tensor<2x3xf32>, %f: tensor<4x3xf32>, %t: tensor<4x10xf32>, %b: tensor<4xf32>, %s: tensor<2x40xf32>) {
  %0:2 = nnhal.svdf input(%x) feature_weights(%f) time_weights(%t) state(%s)
      rank 1 activation none
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x10xf32>, tensor<2x40xf32>) -> (tensor<2x40xf32>, tensor<2x4xf32>)
  %1:2 = nnhal.svdf input(%x) feature_weights(%f) time_weights(%t) bias(%b) state(%s)
      rank 1 activation relu1
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x10xf32>, tensor<4xf32>, tensor<2x40xf32>) -> (tensor<2x40xf32>, tensor<2x4xf32>)
  return
}

// The input gate may be coupled; what is left out is not printed.
// CHECK-LABEL: @lstm
// CHECK: nnhal.lstm input(%{{.*}}) input_to_forget_weights(
// CHECK-NOT: input_gate_bias
// CHECK-SAME: output_state(%{{.*}}) cell_state(%{{.*}}) activation tanh cell_clip 0.000000e+00 projection_clip 0.000000e+00
// CHECK: nnhal.lstm input(%{{.*}}) input_to_input_weights(
// CHECK-SAME: cell_to_input_weights(
// CHECK-SAME: projection_bias(
// CHECK-SAME: output_layer_norm_weights(
// CHECK-SAME: -> (tensor<1x16xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
func.func @lstm(%x: tensor<1x2xf32>, %q: tensor<1x3x2xf32>, %w: tensor<4x2xf32>, %r: tensor<4x4xf32>, %v: tensor<4xf32>, %s: tensor<1x4xf32>) {
  %0:4 = nnhal.lstm input(%x) input_to_forget_weights(%w) input_to_cell_weights(%w) input_to_output_weights(%w) recurrent_to_forget_weights(%r) recurrent_to_cell_weights(%r) recurrent_to_output_weights(%r) forget_gate_bias(%v) cell_gate_bias(%v) output_gate_bias(%v) output_state(%s) cell_state(%s)
      activation tanh cell_clip 0.0 projection_clip 0.0
      : (tensor<1x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x12xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
  %1:4 = nnhal.lstm input(%x) input_to_input_weights(%w) input_to_forget_weights(%w) input_to_cell_weights(%w) input_to_output_weights(%w) recurrent_to_input_weights(%r) recurrent_to_forget_weights(%r) recurrent_to_cell_weights(%r) recurrent_to_output_weights(%r) cell_to_input_weights(%v) cell_to_forget_weights(%v) cell_to_output_weights(%v) input_gate_bias(%v) forget_gate_bias(%v) cell_gate_bias(%v) output_gate_bias(%v) projection_weights(%r) projection_bias(%v) output_state(%s) cell_state(%s) input_layer_norm_weights(%v) forget_layer_norm_weights(%v) cell_layer_norm_weights(%v) output_layer_norm_weights(%v)
      activation tanh cell_clip 0.0 projection_clip 0.0
      : (tensor<1x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x16xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
  return
}

// CHECK-LABEL: @sequences
// CHECK: nnhal.unidirectional_sequence_lstm input(
// CHECK-SAME: -> tensor<1x3x4xf32>
// CHECK: nnhal.unidirectional_sequence_lstm input(
// CHECK-SAME: -> (tensor<1x3x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
// CHECK: nnhal.bidirectional_sequence_lstm input(
// CHECK-SAME: -> (tensor<1x3x4xf32>, tensor<1x3x4xf32>)
// CHECK: nnhal.bidirectional_sequence_lstm input(
// CHECK-SAME: aux_input(%{{.*}}) fw_aux_to_input_weights(
// CHECK-SAME: bw_output_layer_norm_weights(
// CHECK-SAME: -> (tensor<1x3x8xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
func.func @sequences(%x: tensor<1x2xf32>, %q: tensor<1x3x2xf32>, %w: tensor<4x2xf32>, %r: tensor<4x4xf32>, %v: tensor<4xf32>, %s: tensor<1x4xf32>) {
  %0 = nnhal.unidirectional_sequence_lstm input(%q) input_to_forget_weights(%w) input_to_cell_weights(%w) input_to_output_weights(%w) recurrent_to_forget_weights(%r) recurrent_to_cell_weights(%r) recurrent_to_output_weights(%r) forget_gate_bias(%v) cell_gate_bias(%v) output_gate_bias(%v) output_state(%s) cell_state(%s)
      activation tanh cell_clip 0.0 projection_clip 0.0 time_major false
      : (tensor<1x3x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x3x4xf32>
  %1:3 = nnhal.unidirectional_sequence_lstm input(%q) input_to_input_weights(%w) input_to_forget_weights(%w) input_to_cell_weights(%w) input_to_output_weights(%w) recurrent_to_input_weights(%r) recurrent_to_forget_weights(%r) recurrent_to_cell_weights(%r) recurrent_to_output_weights(%r) cell_to_input_weights(%v) cell_to_forget_weights(%v) cell_to_output_weights(%v) input_gate_bias(%v) forget_gate_bias(%v) cell_gate_bias(%v) output_gate_bias(%v) output_state(%s) cell_state(%s) input_layer_norm_weights(%v) forget_layer_norm_weights(%v) cell_layer_norm_weights(%v) output_layer_norm_weights(%v)
      activation tanh cell_clip 0.0 projection_clip 0.0 time_major false
      : (tensor<1x3x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x3x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
  %2:2 = nnhal.bidirectional_sequence_lstm input(%q) fw_input_to_forget_weights(%w) fw_input_to_cell_weights(%w) fw_input_to_output_weights(%w) fw_recurrent_to_forget_weights(%r) fw_recurrent_to_cell_weights(%r) fw_recurrent_to_output_weights(%r) fw_forget_gate_bias(%v) fw_cell_gate_bias(%v) fw_output_gate_bias(%v) bw_input_to_forget_weights(%w) bw_input_to_cell_weights(%w) bw_input_to_output_weights(%w) bw_recurrent_to_forget_weights(%r) bw_recurrent_to_cell_weights(%r) bw_recurrent_to_output_weights(%r) bw_forget_gate_bias(%v) bw_cell_gate_bias(%v) bw_output_gate_bias(%v) fw_output_state(%s) fw_cell_state(%s) bw_output_state(%s) bw_cell_state(%s)
      activation tanh cell_clip 0.0 projection_clip 0.0 merge_outputs false time_major false
      : (tensor<1x3x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x4xf32>)
  %3:5 = nnhal.bidirectional_sequence_lstm input(%q) fw_input_to_input_weights(%w) fw_input_to_forget_weights(%w) fw_input_to_cell_weights(%w) fw_input_to_output_weights(%w) fw_recurrent_to_input_weights(%r) fw_recurrent_to_forget_weights(%r) fw_recurrent_to_cell_weights(%r) fw_recurrent_to_output_weights(%r) fw_cell_to_input_weights(%v) fw_cell_to_forget_weights(%v) fw_cell_to_output_weights(%v) fw_input_gate_bias(%v) fw_forget_gate_bias(%v) fw_cell_gate_bias(%v) fw_output_gate_bias(%v) bw_input_to_input_weights(%w) bw_input_to_forget_weights(%w) bw_input_to_cell_weights(%w) bw_input_to_output_weights(%w) bw_recurrent_to_input_weights(%r) bw_recurrent_to_forget_weights(%r) bw_recurrent_to_cell_weights(%r) bw_recurrent_to_output_weights(%r) bw_cell_to_input_weights(%v) bw_cell_to_forget_weights(%v) bw_cell_to_output_weights(%v) bw_input_gate_bias(%v) bw_forget_gate_bias(%v) bw_cell_gate_bias(%v) bw_output_gate_bias(%v) fw_output_state(%s) fw_cell_state(%s) bw_output_state(%s) bw_cell_state(%s) aux_input(%q) fw_aux_to_input_weights(%w) fw_aux_to_forget_weights(%w) fw_aux_to_cell_weights(%w) fw_aux_to_output_weights(%w) bw_aux_to_input_weights(%w) bw_aux_to_forget_weights(%w) bw_aux_to_cell_weights(%w) bw_aux_to_output_weights(%w) fw_input_layer_norm_weights(%v) fw_forget_layer_norm_weights(%v) fw_cell_layer_norm_weights(%v) fw_output_layer_norm_weights(%v) bw_input_layer_norm_weights(%v) bw_forget_layer_norm_weights(%v) bw_cell_layer_norm_weights(%v) bw_output_layer_norm_weights(%v)
      activation tanh cell_clip 0.0 projection_clip 0.0 merge_outputs true time_major false
      : (tensor<1x3x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x3x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x3x8xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
  return
}

// CHECK-LABEL: @quantized_16bit
// CHECK: nnhal.quantized_16bit_lstm input(%{{.*}}) input_to_input_weights(
// CHECK-SAME: cell_state(%{{.*}}) output_state(%{{.*}}) :
func.func @quantized_16bit(%x: tensor<2x2x!quant.uniform<u8:f32, 0.0078125:128>>, %w: tensor<4x2x!quant.uniform<u8:f32, 0.5:100>>, %r: tensor<4x4x!quant.uniform<u8:f32, 0.5:100>>, %b: tensor<4x!quant.uniform<i32:f32, 0.00390625>>, %c: tensor<2x4x!quant.uniform<i16:f32, 4.8828125e-04>>, %h: tensor<2x4x!quant.uniform<u8:f32, 0.0078125:128>>) {
  %0:2 = nnhal.quantized_16bit_lstm input(%x) input_to_input_weights(%w) input_to_forget_weights(%w) input_to_cell_weights(%w) input_to_output_weights(%w) recurrent_to_input_weights(%r) recurrent_to_forget_weights(%r) recurrent_to_cell_weights(%r) recurrent_to_output_weights(%r) input_gate_bias(%b) forget_gate_bias(%b) cell_gate_bias(%b) output_gate_bias(%b) cell_state(%c) output_state(%h)
      : (tensor<2x2x!quant.uniform<u8:f32, 0.0078125:128>>, tensor<4x2x!quant.uniform<u8:f32, 0.5:100>>, tensor<4x2x!quant.uniform<u8:f32, 0.5:100>>, tensor<4x2x!quant.uniform<u8:f32, 0.5:100>>, tensor<4x2x!quant.uniform<u8:f32, 0.5:100>>, tensor<4x4x!quant.uniform<u8:f32, 0.5:100>>, tensor<4x4x!quant.uniform<u8:f32, 0.5:100>>, tensor<4x4x!quant.uniform<u8:f32, 0.5:100>>, tensor<4x4x!quant.uniform<u8:f32, 0.5:100>>, tensor<4x!quant.uniform<i32:f32, 0.00390625>>, tensor<4x!quant.uniform<i32:f32, 0.00390625>>, tensor<4x!quant.uniform<i32:f32, 0.00390625>>, tensor<4x!quant.uniform<i32:f32, 0.00390625>>, tensor<2x4x!quant.uniform<i16:f32, 4.8828125e-04>>, tensor<2x4x!quant.uniform<u8:f32, 0.0078125:128>>) -> (tensor<2x4x!quant.uniform<i16:f32, 4.8828125e-04>>, tensor<2x4x!quant.uniform<u8:f32, 0.0078125:128>>)
  return
}

// CHECK-LABEL: @quantized
// CHECK: nnhal.quantized_lstm input(%{{.*}}) input_to_forget_weights(
// CHECK-SAME: hidden_state_zero_point 0
func.func @quantized(%x: tensor<2x5x!quant.uniform<i8:f32, 0.0078125:0>>, %w: tensor<4x5x!quant.uniform<i8<-127:127>:f32, 0.005>>, %r: tensor<4x3x!quant.uniform<i8<-127:127>:f32, 0.005>>, %b: tensor<4xi32>, %p: tensor<3x4x!quant.uniform<i8<-127:127>:f32, 0.003>>, %c: tensor<2x4x!quant.uniform<i16:f32, 3.0517578125e-05>>, %h: tensor<2x3x!quant.uniform<i8:f32, 0.007:0>>) {
  %0:3 = nnhal.quantized_lstm input(%x) input_to_forget_weights(%w) input_to_cell_weights(%w) input_to_output_weights(%w) recurrent_to_forget_weights(%r) recurrent_to_cell_weights(%r) recurrent_to_output_weights(%r) forget_gate_bias(%b) cell_gate_bias(%b) output_gate_bias(%b) projection_weights(%p) output_state(%h) cell_state(%c)
      cell_clip 0.0 projection_clip 0.0 input_intermediate_scale 0.0 forget_intermediate_scale 0.007 cell_intermediate_scale 0.007 output_intermediate_scale 0.007 hidden_state_zero_point 0 hidden_state_scale 0.007
      : (tensor<2x5x!quant.uniform<i8:f32, 0.0078125:0>>, tensor<4x5x!quant.uniform<i8<-127:127>:f32, 0.005>>, tensor<4x5x!quant.uniform<i8<-127:127>:f32, 0.005>>, tensor<4x5x!quant.uniform<i8<-127:127>:f32, 0.005>>, tensor<4x3x!quant.uniform<i8<-127:127>:f32, 0.005>>, tensor<4x3x!quant.uniform<i8<-127:127>:f32, 0.005>>, tensor<4x3x!quant.uniform<i8<-127:127>:f32, 0.005>>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3x4x!quant.uniform<i8<-127:127>:f32, 0.003>>, tensor<2x3x!quant.uniform<i8:f32, 0.007:0>>, tensor<2x4x!quant.uniform<i16:f32, 3.0517578125e-05>>) -> (tensor<2x3x!quant.uniform<i8:f32, 0.007:0>>, tensor<2x4x!quant.uniform<i16:f32, 3.0517578125e-05>>, tensor<2x3x!quant.uniform<i8:f32, 0.007:0>>)
  return
}
