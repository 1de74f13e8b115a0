// Filters that are computed are packed when the model runs, where that pays and weights of
// any value have sums that fit 32 bits.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-set-target --nnhal-raise-operations 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REASONS <%t
// Two parts of 256 channels, of which an upper half has one product too many.
// CHECK: tflite.convolution once_in_64 %arg0, %arg1 {{.+}} {parts = 2 : i64} : tensor<1x6x8x512x!quant16_symm>, tensor<9x1x1x512x!quant8_symm>
// REASONS: not raised: nnhal.tflite:3: packing its filter takes longer than it saves
// REASONS: not raised: nnhal.tflite:3: its sums have more than 32 bits for each part of them
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<1x6x8x512x!quant.uniform<i16:f32, 0.5>>, %w: tensor<9x1x1x512x!quant.uniform<i8<-127:127>:f32, 0.125>>, %few: tensor<1x1x8x512x!quant.uniform<i16:f32, 0.5>>, %image: tensor<1x30x30x1x!quant.uniform<i16:f32, 0.5>>, %large: tensor<3x23x23x1x!quant.uniform<i8<-127:127>:f32, 0.125>>) -> (tensor<1x6x8x9x!quant.uniform<i16:f32, 0.5>>, tensor<1x1x8x9x!quant.uniform<i16:f32, 0.5>>, tensor<1x30x30x3x!quant.uniform<i16:f32, 0.5>>) {
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy 1 : i32 -> i32
    %none = nnhal.no_value : tensor<9x!nnhal.extension<"nnhal.tflite", 0 : 8>>
    %0 = nnhal.operation "nnhal.tflite:3"(%x, %w, %none, %zero, %one, %one, %zero, %one, %one) : (tensor<1x6x8x512x!quant.uniform<i16:f32, 0.5>>, tensor<9x1x1x512x!quant.uniform<i8<-127:127>:f32, 0.125>>, tensor<9x!nnhal.extension<"nnhal.tflite", 0 : 8>>, i32, i32, i32, i32, i32, i32) -> tensor<1x6x8x9x!quant.uniform<i16:f32, 0.5>>
    %1 = nnhal.operation "nnhal.tflite:3"(%few, %w, %none, %zero, %one, %one, %zero, %one, %one) : (tensor<1x1x8x512x!quant.uniform<i16:f32, 0.5>>, tensor<9x1x1x512x!quant.uniform<i8<-127:127>:f32, 0.125>>, tensor<9x!nnhal.extension<"nnhal.tflite", 0 : 8>>, i32, i32, i32, i32, i32, i32) -> tensor<1x1x8x9x!quant.uniform<i16:f32, 0.5>>
    %2 = nnhal.operation "nnhal.tflite:3"(%image, %large, %none, %zero, %one, %one, %zero, %one, %one) : (tensor<1x30x30x1x!quant.uniform<i16:f32, 0.5>>, tensor<3x23x23x1x!quant.uniform<i8<-127:127>:f32, 0.125>>, tensor<9x!nnhal.extension<"nnhal.tflite", 0 : 8>>, i32, i32, i32, i32, i32, i32) -> tensor<1x30x30x3x!quant.uniform<i16:f32, 0.5>>
    nnhal.return %0, %1, %2 : tensor<1x6x8x9x!quant.uniform<i16:f32, 0.5>>, tensor<1x1x8x9x!quant.uniform<i16:f32, 0.5>>, tensor<1x30x30x3x!quant.uniform<i16:f32, 0.5>>
  }
}
