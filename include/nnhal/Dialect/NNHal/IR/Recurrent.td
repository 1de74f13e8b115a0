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

/// Operands are many, and some of them optional: they have their names.
class NNHal_RecurrentOp<NNHal_HalSignature signature,
                        dag results = signature.results>
    : NNHal_FormOp<signature, results, isNamed = 1>;

let opDocGroup = NNHal_RecurrentGroup in {

def NNHal_LstmOp
    : NNHal_RecurrentOp<NNHal_LSTM,
                        (outs NNHal_Tensor:$scratch,
                              NNHal_Tensor:$output_state_out,
                              NNHal_Tensor:$cell_state_out,
                              NNHal_Tensor:$output)> {
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
    : NNHal_RecurrentOp<NNHal_UNIDIRECTIONAL_SEQUENCE_LSTM> {
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
    : NNHal_RecurrentOp<NNHal_BIDIRECTIONAL_SEQUENCE_LSTM> {
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
    : NNHal_RecurrentOp<NNHal_RNN,
                        (outs NNHal_Tensor:$hidden_state_out,
                              NNHal_Tensor:$output)> {
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
    : NNHal_RecurrentOp<NNHal_UNIDIRECTIONAL_SEQUENCE_RNN> {
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
    : NNHal_RecurrentOp<NNHal_BIDIRECTIONAL_SEQUENCE_RNN> {
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
    : NNHal_RecurrentOp<NNHal_SVDF,
                        (outs NNHal_Tensor:$state_out, NNHal_Tensor:$output)> {
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
    : NNHal_RecurrentOp<NNHal_QUANTIZED_16BIT_LSTM,
                        (outs NNHal_Tensor:$cell_state_out,
                              NNHal_Tensor:$output)> {
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
    : NNHal_RecurrentOp<NNHal_QUANTIZED_LSTM,
                        (outs NNHal_Tensor:$output_state_out,
                              NNHal_Tensor:$cell_state_out,
                              NNHal_Tensor:$output)> {
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
