// A plug-in brings the dialect of an extension, which verifies, raises and
// lowers the extension's operations within the passes of the project.
// RUN: nnhal-opt %s --load-dialect-plugin=%{compiler-plugins}/NNHalVendorDialect.so --nnhal-raise-operations=strict | FileCheck %s --check-prefix=RAISED
// RUN: nnhal-opt %s --load-dialect-plugin=%{compiler-plugins}/NNHalVendorDialect.so --nnhal-compile=until=lower | FileCheck %s --check-prefix=LOWERED
// RUN: nnhal-opt %s --load-dialect-plugin=%{compiler-plugins}/NNHalVendorDialect.so --nnhal-compile | FileCheck %s --check-prefix=COMPILED
// RUN: sed 's/xf32/xi32/g' %s | not nnhal-opt --load-dialect-plugin=%{compiler-plugins}/NNHalVendorDialect.so --nnhal-raise-operations 2>&1 | FileCheck %s --check-prefix=INVALID
// RUN: sed 's/vendor:0/vendor:2/' %s | not nnhal-opt --load-dialect-plugin=%{compiler-plugins}/NNHalVendorDialect.so 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: sed 's/vendor:0/vendor:1/' %s | nnhal-opt --load-dialect-plugin=%{compiler-plugins}/NNHalVendorDialect.so --nnhal-raise-operations 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: sed 's/<4x/<?x/g' %s | not nnhal-opt --load-dialect-plugin=%{compiler-plugins}/NNHalVendorDialect.so --nnhal-compile=until=lower 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: nnhal-opt %s --nnhal-raise-operations 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: nnhal-opt %s --load-dialect-plugin=%t.absent.so 2>&1 | FileCheck %s --check-prefix=ABSENT

// RAISED-LABEL: nnhal.graph @main(%arg0: tensor<4xf32>)
// RAISED: "vendor.twice"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
// RAISED-NOT: nnhal.operation
// LOWERED: linalg.add ins(%[[X:.*]], %[[X]] : tensor<4xf32>, tensor<4xf32>)
// LOWERED-NOT: vendor
// COMPILED: llvm.fadd
// COMPILED-NOT: vendor
// INVALID: error: 'vendor.twice' op operand is of type 'tensor<4xi32>', expected a tensor of f32
// NUMBER: error: 'nnhal.operation' op com.example.vendor has no operation 2
// KEPT: remark: not raised: com.example.vendor:1: operation 1 runs on the vendor's device alone
// KEPT: nnhal.operation "com.example.vendor:1"
// UNKNOWN: error: 'vendor.twice' op cannot be lowered: its extents are unknown
// WITHOUT: remark: not raised: com.example.vendor:0: no dialect brings its extension
// ABSENT: absent.so
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["com.example.vendor"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = nnhal.operation "com.example.vendor:0"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    nnhal.return %0 : tensor<4xf32>
  }
}
