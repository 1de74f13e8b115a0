// RUN: nnhal-opt %s --nnhal-compile=until=legalize | FileCheck %s --check-prefix=LEGALIZE
// RUN: nnhal-opt %s --nnhal-compile=until=lower | FileCheck %s --check-prefix=LOWER
// RUN: nnhal-opt %s --nnhal-compile=until=fuse | FileCheck %s --check-prefix=FUSE
// RUN: nnhal-opt %s --nnhal-compile=until=bufferize | FileCheck %s --check-prefix=BUFFERIZE
// RUN: nnhal-opt %s --nnhal-compile=until=plan | FileCheck %s --check-prefix=PLAN
// RUN: nnhal-opt %s --nnhal-compile=until=vectorize | FileCheck %s --check-prefix=VECTORIZE
// RUN: nnhal-opt %s --nnhal-compile=until=outline | FileCheck %s --check-prefix=OUTLINE
// RUN: nnhal-opt %s --nnhal-compile | FileCheck %s --check-prefix=LLVM
// RUN: not nnhal-opt %s --nnhal-compile=until=nowhere 2>&1 | FileCheck %s --check-prefix=ERROR

// LEGALIZE: nnhal.graph @main
// LEGALIZE:   nnhal.relu
// LEGALIZE:   nnhal.add
// LOWER: func.func @main
// LOWER-COUNT-2: linalg.generic
// FUSE-COUNT-1: linalg.generic
// FUSE-NOT: linalg.generic
// BUFFERIZE: linalg.generic {{.*}} ins({{.*}}memref<4xf32>
// BUFFERIZE-NOT: tensor<
// PLAN: func.func @main({{.*}}memref<4xf32>, {{.*}}memref<4xf32>, {{.*}}memref<{{[0-9]+}}xi8>, {{.*}}memref<{{[0-9]+}}xi8>)
// VECTORIZE: vector.load
// OUTLINE: func.func @nnhal_entry
// LLVM: llvm.func @nnhal_entry(%{{.*}}: !llvm.ptr) -> i32
// LLVM-NOT: unrealized_conversion_cast
// ERROR: there is no phase 'nowhere': the phases are legalize, lower, fuse, bufferize, plan, vectorize, outline, llvm
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "RELU"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = nnhal.operation "ADD"(%0, %0, %none) : (tensor<4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
    nnhal.return %1 : tensor<4xf32>
  }
}
