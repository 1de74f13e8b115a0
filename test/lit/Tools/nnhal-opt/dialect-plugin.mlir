// A plug-in brings a dialect, whose operations are verified, and a pass that
// lowers it, after which the project's pipeline goes on.
// RUN: nnhal-opt %s --load-dialect-plugin=%{compiler-plugins}/NNHalVendorDialect.so | FileCheck %s --check-prefix=PARSED
// RUN: nnhal-opt %s --load-dialect-plugin=%{compiler-plugins}/NNHalVendorDialect.so --load-pass-plugin=%{compiler-plugins}/NNHalVendorDialect.so --pass-pipeline='builtin.module(lower-vendor)' | FileCheck %s
// RUN: nnhal-opt %s --load-dialect-plugin=%{compiler-plugins}/NNHalVendorDialect.so --load-pass-plugin=%{compiler-plugins}/NNHalVendorDialect.so --pass-pipeline='builtin.module(lower-vendor,nnhal-compile{until=fuse})' | FileCheck %s --check-prefix=FUSED
// RUN: sed 's/xf32/xi32/g' %s | not nnhal-opt --load-dialect-plugin=%{compiler-plugins}/NNHalVendorDialect.so 2>&1 | FileCheck %s --check-prefix=INVALID
// RUN: not nnhal-opt %s 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: not nnhal-opt %s --load-dialect-plugin=%t.absent.so 2>&1 | FileCheck %s --check-prefix=ABSENT

// PARSED: "vendor.twice"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: nnhal.graph @main(%arg0: tensor<4xf32>)
// CHECK: nnhal.operation "ADD"(%arg0, %arg0, %{{.*}})
// CHECK-NOT: vendor
// FUSED: linalg.generic
// FUSED: arith.addf
// INVALID: error: 'vendor.twice' op operand is of type 'tensor<4xi32>', expected a tensor of f32
// WITHOUT: error: operation being parsed with an unregistered dialect
// ABSENT: absent.so
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "vendor.twice"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    nnhal.return %0 : tensor<4xf32>
  }
}
