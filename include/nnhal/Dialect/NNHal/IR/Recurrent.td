//===- Recurrent.td - Recurrent operations -----------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_RECURRENT
#define NNHAL_DIALECT_NNHAL_IR_RECURRENT

include "nnhal/Dialect/NNHal/IR/HalForm.td"

def NNHal_RecurrentGroup : OpDocGroup {
  let summary = "Recurrent operations";
  let description = [{
    Rules: docs/Spec/Recurrent.md. Operands that a use leaves out are not there.
    States go in as operands and come out as results; a clip of 0 clips nothing.
  }];
}

/// Inputs 1 to 17 of an LSTM cell (M-165); \p prefix tells directions apart.
class NNHal_LstmCell<string prefix = ""> {
  list<NNHal_HalInput> inputs = [
    NNHal_OptionalIn<prefix # "input_to_input_weights">,
    NNHal_In<prefix # "input_to_forget_weights">,
    NNHal_In<prefix # "input_to_cell_weights">,
    NNHal_In<prefix # "input_to_output_weights">,
    NNHal_OptionalIn<prefix # "recurrent_to_input_weights">,
    NNHal_In<prefix # "recurrent_to_forget_weights">,
    NNHal_In<prefix # "recurrent_to_cell_weights">,
    NNHal_In<prefix # "recurrent_to_output_weights">,
    NNHal_OptionalIn<prefix # "cell_to_input_weights">,
    NNHal_OptionalIn<prefix # "cell_to_forget_weights">,
    NNHal_OptionalIn<prefix # "cell_to_output_weights">,
    NNHal_OptionalIn<prefix # "input_gate_bias">,
    NNHal_In<prefix # "forget_gate_bias">,
    NNHal_In<prefix # "cell_gate_bias">,
    NNHal_In<prefix # "output_gate_bias">,
    NNHal_OptionalIn<prefix # "projection_weights">,
    NNHal_OptionalIn<prefix # "projection_bias">];
  list<NNHal_HalInput> states = [NNHal_In<prefix # "output_state">,
                                 NNHal_In<prefix # "cell_state">];
  list<NNHal_HalInput> auxWeights = [
    NNHal_OptionalIn<prefix # "aux_to_input_weights">,
    NNHal_OptionalIn<prefix # "aux_to_forget_weights">,
    NNHal_OptionalIn<prefix # "aux_to_cell_weights">,
    NNHal_OptionalIn<prefix # "aux_to_output_weights">];
  list<NNHal_HalInput> layerNorm = [
    NNHal_OptionalIn<prefix # "input_layer_norm_weights">,
    NNHal_OptionalIn<prefix # "forget_layer_norm_weights">,
    NNHal_OptionalIn<prefix # "cell_layer_norm_weights">,
    NNHal_OptionalIn<prefix # "output_layer_norm_weights">];
}

defvar NNHal_Cell = NNHal_LstmCell<>;
defvar NNHal_ForwardCell = NNHal_LstmCell<"fw_">;
defvar NNHal_BackwardCell = NNHal_LstmCell<"bw_">;

defvar NNHal_LstmParams = [NNHal_RecurrentActivationIn<"activation">,
                           NNHal_RealIn<"cell_clip">,
                           NNHal_RealIn<"projection_clip">];

/// Inputs of an RNN cell.
class NNHal_RnnCell<string prefix = ""> {
  list<NNHal_HalInput> inputs = [NNHal_In<prefix # "weights">,
                                 NNHal_In<prefix # "recurrent_weights">,
                                 NNHal_In<prefix # "bias">,
                                 NNHal_In<prefix # "hidden_state">];
}

let opDocGroup = NNHal_RecurrentGroup in {

def NNHal_LstmOp
    : NNHal_FormOp<"lstm", /*opCode=*/16, "V1_0",
                   !listconcat([NNHal_In<"input">]<NNHal_HalInput>,
                               NNHal_Cell.inputs, NNHal_Cell.states,
                               NNHal_LstmParams, NNHal_Cell.layerNorm),
                   (outs NNHal_Tensor:$scratch, NNHal_Tensor:$output_state_out,
                         NNHal_Tensor:$cell_state_out, NNHal_Tensor:$output),
                   /*resultCount=*/4, /*isNamed=*/1> {
  let summary = "one step of an LSTM cell";
  let description = [{
    Without weights from input to input gate that gate is 1 - forget gate. Both
    weights of a pair, the peephole (cell to gate) weights and the layer norm
    weights are all given or all left out. `scratch` has no defined value.

    ```mlir
    %0:4 = nnhal.lstm input(%x) input_to_forget_weights(%wf) ...
        output_state(%h) cell_state(%c)
        activation tanh cell_clip 0.0 projection_clip 0.0 : (tensor<1x2xf32>, ...) -> (...)
    ```
  }];
}

def NNHal_UnidirectionalSequenceLstmOp
    : NNHal_FormOp<"unidirectional_sequence_lstm", /*opCode=*/92, "V1_2",
                   !listconcat([NNHal_In<"input">]<NNHal_HalInput>,
                               NNHal_Cell.inputs, NNHal_Cell.states,
                               NNHal_LstmParams,
                               [NNHal_FlagIn<"time_major">]<NNHal_HalInput>,
                               NNHal_Cell.layerNorm),
                   (outs Variadic<NNHal_Tensor>:$outputs),
                   /*resultCount=*/0, /*isNamed=*/1> {
  let summary = "an LSTM cell over a sequence";
  let description = [{
    Results: the output and, where they are asked for, the last output state and
    cell state. The input is [time, batch, size] when `time_major`, else [batch,
    time, size].

    ```mlir
    %0 = nnhal.unidirectional_sequence_lstm input(%x)
        input_to_forget_weights(%wf) ... output_state(%h) cell_state(%c)
        activation tanh cell_clip 0.0 projection_clip 0.0 time_major true
        : (tensor<5x1x2xf32>, ...) -> tensor<5x1x4xf32>
    ```
  }];
}

def NNHal_BidirectionalSequenceLstmOp
    : NNHal_FormOp<"bidirectional_sequence_lstm", /*opCode=*/42, "V1_2",
                   !listconcat([NNHal_In<"input">]<NNHal_HalInput>,
                               NNHal_ForwardCell.inputs,
                               NNHal_BackwardCell.inputs,
                               NNHal_ForwardCell.states,
                               NNHal_BackwardCell.states,
                               [NNHal_OptionalIn<"aux_input">]<NNHal_HalInput>,
                               NNHal_ForwardCell.auxWeights,
                               NNHal_BackwardCell.auxWeights,
                               NNHal_LstmParams,
                               [NNHal_FlagIn<"merge_outputs">,
                                NNHal_FlagIn<"time_major">]<NNHal_HalInput>,
                               NNHal_ForwardCell.layerNorm,
                               NNHal_BackwardCell.layerNorm),
                   (outs Variadic<NNHal_Tensor>:$outputs),
                   /*resultCount=*/0, /*isNamed=*/1> {
  let summary = "an LSTM cell over a sequence and one against it";
  let description = [{
    Results: forward and backward output, one tensor when `merge_outputs`, then,
    where they are asked for, the last output state and cell state of each
    direction.

    ```mlir
    %0:2 = nnhal.bidirectional_sequence_lstm input(%x)
        fw_input_to_forget_weights(%wf) ... fw_output_state(%fh) fw_cell_state(%fc)
        bw_output_state(%bh) bw_cell_state(%bc)
        activation tanh cell_clip 0.0 projection_clip 0.0 merge_outputs false
        time_major true
        : (tensor<5x1x2xf32>, ...) -> (tensor<5x1x4xf32>, tensor<5x1x4xf32>)
    ```
  }];
}

def NNHal_RnnOp
    : NNHal_FormOp<"rnn", /*opCode=*/24, "V1_0",
                   !listconcat([NNHal_In<"input">]<NNHal_HalInput>,
                               NNHal_RnnCell<>.inputs,
                               [NNHal_RecurrentActivationIn<"activation">]
                                   <NNHal_HalInput>),
                   (outs NNHal_Tensor:$hidden_state_out, NNHal_Tensor:$output),
                   /*resultCount=*/2, /*isNamed=*/1> {
  let summary = "one step of an RNN cell";
  let description = [{
    ```mlir
    %0:2 = nnhal.rnn input(%x) weights(%w) recurrent_weights(%r) bias(%b)
        hidden_state(%h) activation relu
        : (tensor<2x8xf32>, tensor<16x8xf32>, tensor<16x16xf32>, tensor<16xf32>,
           tensor<2x16xf32>) -> (tensor<2x16xf32>, tensor<2x16xf32>)
    ```
  }];
}

def NNHal_UnidirectionalSequenceRnnOp
    : NNHal_FormOp<"unidirectional_sequence_rnn", /*opCode=*/93, "V1_2",
                   !listconcat([NNHal_In<"input">]<NNHal_HalInput>,
                               NNHal_RnnCell<>.inputs,
                               [NNHal_RecurrentActivationIn<"activation">,
                                NNHal_NumberFlagIn<"time_major">]
                                   <NNHal_HalInput>),
                   (outs Variadic<NNHal_Tensor>:$outputs),
                   /*resultCount=*/0, /*isNamed=*/1> {
  let summary = "an RNN cell over a sequence";
  let description = [{
    Results: the output and, where it is asked for, the last hidden state.

    ```mlir
    %0 = nnhal.unidirectional_sequence_rnn input(%x) weights(%w)
        recurrent_weights(%r) bias(%b) hidden_state(%h)
        activation relu time_major true
        : (tensor<5x2x8xf32>, tensor<16x8xf32>, tensor<16x16xf32>, tensor<16xf32>,
           tensor<2x16xf32>) -> tensor<5x2x16xf32>
    ```
  }];
}

def NNHal_BidirectionalSequenceRnnOp
    : NNHal_FormOp<"bidirectional_sequence_rnn", /*opCode=*/43, "V1_2",
                   !listconcat([NNHal_In<"input">]<NNHal_HalInput>,
                               NNHal_RnnCell<"fw_">.inputs,
                               NNHal_RnnCell<"bw_">.inputs,
                               [NNHal_OptionalIn<"aux_input">,
                                NNHal_OptionalIn<"fw_aux_weights">,
                                NNHal_OptionalIn<"bw_aux_weights">,
                                NNHal_RecurrentActivationIn<"activation">,
                                NNHal_FlagIn<"time_major">,
                                NNHal_FlagIn<"merge_outputs">]
                                   <NNHal_HalInput>),
                   (outs Variadic<NNHal_Tensor>:$outputs),
                   /*resultCount=*/0, /*isNamed=*/1> {
  let summary = "an RNN cell over a sequence and one against it";
  let description = [{
    Results: forward and backward output, one tensor when `merge_outputs`, then,
    where they are asked for, the last hidden state of each direction.

    ```mlir
    %0 = nnhal.bidirectional_sequence_rnn input(%x) fw_weights(%fw)
        fw_recurrent_weights(%fr) fw_bias(%fb) fw_hidden_state(%fh)
        bw_weights(%bw) bw_recurrent_weights(%br) bw_bias(%bb) bw_hidden_state(%bh)
        activation relu time_major true merge_outputs true
        : (tensor<5x2x8xf32>, tensor<16x8xf32>, tensor<16x16xf32>, tensor<16xf32>,
           tensor<2x16xf32>, tensor<16x8xf32>, tensor<16x16xf32>, tensor<16xf32>,
           tensor<2x16xf32>) -> tensor<5x2x32xf32>
    ```
  }];
}

def NNHal_SvdfOp
    : NNHal_FormOp<"svdf", /*opCode=*/27, "V1_0",
                   [NNHal_In<"input">, NNHal_In<"feature_weights">,
                    NNHal_In<"time_weights">, NNHal_OptionalIn<"bias">,
                    NNHal_In<"state">, NNHal_IntegerIn<"rank">,
                    NNHal_RecurrentActivationIn<"activation">],
                   (outs NNHal_Tensor:$state_out, NNHal_Tensor:$output),
                   /*resultCount=*/2, /*isNamed=*/1> {
  let summary = "one step of a layer of filters decomposed by rank";
  let description = [{
    ```mlir
    %0:2 = nnhal.svdf input(%x) feature_weights(%f) time_weights(%t) state(%s)
        rank 1 activation none
        : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4x10xf32>, tensor<2x40xf32>)
        -> (tensor<2x40xf32>, tensor<2x4xf32>)
    ```
  }];
}

def NNHal_Quantized16BitLstmOp
    : NNHal_FormOp<"quantized_16bit_lstm", /*opCode=*/73, "V1_2",
                   [NNHal_In<"input">,
                    NNHal_In<"input_to_input_weights">,
                    NNHal_In<"input_to_forget_weights">,
                    NNHal_In<"input_to_cell_weights">,
                    NNHal_In<"input_to_output_weights">,
                    NNHal_In<"recurrent_to_input_weights">,
                    NNHal_In<"recurrent_to_forget_weights">,
                    NNHal_In<"recurrent_to_cell_weights">,
                    NNHal_In<"recurrent_to_output_weights">,
                    NNHal_In<"input_gate_bias">, NNHal_In<"forget_gate_bias">,
                    NNHal_In<"cell_gate_bias">, NNHal_In<"output_gate_bias">,
                    NNHal_In<"cell_state">, NNHal_In<"output_state">],
                   (outs NNHal_Tensor:$cell_state_out, NNHal_Tensor:$output),
                   /*resultCount=*/2, /*isNamed=*/1> {
  let summary = "one step of an LSTM cell with a 16-bit cell state";
  let description = [{
    Input, output and weights are unsigned 8-bit values of scale 1 / 128 where they
    are activations; the cell state is of 16 bits.

    ```mlir
    %0:2 = nnhal.quantized_16bit_lstm input(%x)
        input_to_input_weights(%wi) ... cell_state(%c) output_state(%h)
        : (tensor<1x2x!in>, ...) -> (tensor<1x4x!state>, tensor<1x4x!in>)
    ```
  }];
}

def NNHal_QuantizedLstmOp
    : NNHal_FormOp<"quantized_lstm", /*opCode=*/95, "V1_3",
                   !listconcat([NNHal_In<"input">]<NNHal_HalInput>,
                               NNHal_Cell.inputs, NNHal_Cell.states,
                               NNHal_Cell.layerNorm,
                               [NNHal_OptionalRealIn<"cell_clip", "0.0f">,
                                NNHal_OptionalRealIn<"projection_clip", "0.0f">,
                                NNHal_RealIn<"input_intermediate_scale">,
                                NNHal_RealIn<"forget_intermediate_scale">,
                                NNHal_RealIn<"cell_intermediate_scale">,
                                NNHal_RealIn<"output_intermediate_scale">,
                                NNHal_IntegerIn<"hidden_state_zero_point">,
                                NNHal_RealIn<"hidden_state_scale">]
                                   <NNHal_HalInput>),
                   (outs NNHal_Tensor:$output_state_out,
                         NNHal_Tensor:$cell_state_out, NNHal_Tensor:$output),
                   /*resultCount=*/3, /*isNamed=*/1> {
  let summary = "one step of an LSTM cell on signed 8-bit values";
  let description = [{
    The intermediate scales are those of the products that each gate sums up;
    the one of the input gate does not matter when that gate is coupled.

    ```mlir
    %0:3 = nnhal.quantized_lstm input(%x) input_to_forget_weights(%wf) ...
        output_state(%h) cell_state(%c)
        input_intermediate_scale 0.007 forget_intermediate_scale 0.007
        cell_intermediate_scale 0.007 output_intermediate_scale 0.007
        hidden_state_zero_point 0 hidden_state_scale 0.007
        : (tensor<1x2x!in>, ...) -> (tensor<1x4x!in>, tensor<1x4x!state>,
                                     tensor<1x4x!in>)
    ```
  }];
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_RECURRENT
