// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

// lstm_cell C3: a coupled input gate has no recurrent weights.
// Whether an operand is given is certain of constants.
func.func @half_coupled(%x: tensor<1x2xf32>, %w: tensor<4x2xf32>, %v: tensor<4xf32>, %s: tensor<1x4xf32>) {
  %r = nnhal.constant dense<1.0> : tensor<4x4xf32> -> tensor<4x4xf32>
  // expected-error @below {{'nnhal.lstm' op input gate input weights are omitted, but its recurrent weights are given}}
  %0:4 = nnhal.lstm input(%x) input_to_forget_weights(%w) input_to_cell_weights(%w) input_to_output_weights(%w) recurrent_to_input_weights(%r) recurrent_to_forget_weights(%r) recurrent_to_cell_weights(%r) recurrent_to_output_weights(%r) forget_gate_bias(%v) cell_gate_bias(%v) output_gate_bias(%v) output_state(%s) cell_state(%s)
      activation tanh cell_clip 0.0 projection_clip 0.0
      : (tensor<1x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x12xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
  return
}

// -----

func.func @result_count(%x: tensor<1x2xf32>, %q: tensor<1x3x2xf32>, %w: tensor<4x2xf32>, %r: tensor<4x4xf32>, %v: tensor<4xf32>, %s: tensor<1x4xf32>) {
  // expected-error @below {{'nnhal.unidirectional_sequence_lstm' op found 2 outputs, expected 1 or 3}}
  %0:2 = nnhal.unidirectional_sequence_lstm input(%q) input_to_forget_weights(%w) input_to_cell_weights(%w) input_to_output_weights(%w) recurrent_to_forget_weights(%r) recurrent_to_cell_weights(%r) recurrent_to_output_weights(%r) forget_gate_bias(%v) cell_gate_bias(%v) output_gate_bias(%v) output_state(%s) cell_state(%s)
      activation tanh cell_clip 0.0 projection_clip 0.0 time_major false
      : (tensor<1x3x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x3x4xf32>, tensor<1x4xf32>)
  return
}

// -----

// bidirectional C5.
func.func @merged(%x: tensor<1x2xf32>, %q: tensor<1x3x2xf32>, %w: tensor<4x2xf32>, %r: tensor<4x4xf32>, %v: tensor<4xf32>, %s: tensor<1x4xf32>) {
  // expected-error @below {{'nnhal.bidirectional_sequence_lstm' op outputs are merged, but 2 are stated}}
  %2:2 = nnhal.bidirectional_sequence_lstm input(%q) fw_input_to_forget_weights(%w) fw_input_to_cell_weights(%w) fw_input_to_output_weights(%w) fw_recurrent_to_forget_weights(%r) fw_recurrent_to_cell_weights(%r) fw_recurrent_to_output_weights(%r) fw_forget_gate_bias(%v) fw_cell_gate_bias(%v) fw_output_gate_bias(%v) bw_input_to_forget_weights(%w) bw_input_to_cell_weights(%w) bw_input_to_output_weights(%w) bw_recurrent_to_forget_weights(%r) bw_recurrent_to_cell_weights(%r) bw_recurrent_to_output_weights(%r) bw_forget_gate_bias(%v) bw_cell_gate_bias(%v) bw_output_gate_bias(%v) fw_output_state(%s) fw_cell_state(%s) bw_output_state(%s) bw_cell_state(%s)
      activation tanh cell_clip 0.0 projection_clip 0.0 merge_outputs true time_major false
      : (tensor<1x3x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x4xf32>)
  return
}

// -----

func.func @hidden_state(%x: tensor<2x8xf32>, %w: tensor<4x8xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %h: tensor<3x4xf32>) {
  // expected-error @below {{'nnhal.rnn' op hidden state dimension 0 is 3, expected the batch 2}}
  %0:2 = nnhal.rnn input(%x) weights(%w) recurrent_weights(%r) bias(%b) hidden_state(%h)
      activation relu
      : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @svdf_rank(%x: tensor<2x3xf32>, %f: tensor<4x3xf32>, %t: tensor<4x10xf32>, %s: tensor<2x40xf32>) {
  // expected-error @below {{'nnhal.svdf' op number of filters 4 is not a multiple of rank 3}}
  %0:2 = nnhal.svdf input(%x) feature_weights(%f) time_weights(%t) state(%s)
      rank 3 activation none
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x10xf32>, tensor<2x40xf32>) -> (tensor<2x40xf32>, tensor<2x1xf32>)
  return
}
