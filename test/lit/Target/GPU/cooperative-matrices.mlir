// RUN: nnhal-opt %s --nnhal-gpu-form-dispatches --nnhal-gpu-kernels-to-spirv -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: sed -n '/^  spirv.module/,/^  }/p' %t.mlir > %t.spirv.mlir
// RUN: mlir-translate --no-implicit-module --serialize-spirv %t.spirv.mlir -o %t.spv

// Validators from before the extension check the module with the instructions
// of the one that came before.
// RUN: %python %S/Inputs/rename-matrices.py %t.spv %t.renamed.spv
// RUN: spirv-val --target-env vulkan1.3 %t.renamed.spv

// Subgroups that have no matrices of bytes multiply those of halves alone.
// RUN: sed -e 's/cooperative-matrices/cooperative-halves/' %s | nnhal-opt --nnhal-gpu-form-dispatches \
// RUN:     --nnhal-gpu-kernels-to-spirv | FileCheck %s --check-prefix=HALVES
// HALVES:     spirv.KHR.CooperativeMatrixMulAdd {{.*}}16x16xf16
// HALVES-NOT: xsi8

// REQUIRES: spirv-val

// The module has the memory model of Vulkan, and says of what workgroups share
// that other invocations access it.
// CHECK:     spirv.module @kernels Logical Vulkan requires #spirv.vce<v1.6,
// CHECK-SAME: VulkanMemoryModel, CooperativeMatrixKHR, {{.*}}GroupNonUniform], [{{.*}}SPV_KHR_cooperative_matrix,
// CHECK-DAG: @__builtin__SubgroupId__ built_in("SubgroupId")

module attributes {nnhal.target = #nnhal.target<"vulkan", parameters = {device_class = "cooperative-matrices"}>} {
// A check counts for all invocations of the queue: the scope of the device needs
// a capability of its own.
// CHECK-LABEL: spirv.func @kernel_0
// CHECK:         spirv.AtomicIAdd <QueueFamily>

// CHECK-LABEL: spirv.func @kernel_1
// CHECK:         spirv.Load "Input" %__builtin__SubgroupId___addr
// CHECK:         %[[ZERO:.+]] = spirv.CompositeConstruct %{{.+}} : (f32) -> !spirv.coopmatrix<16x16xf32, Subgroup, MatrixAcc>
// CHECK:         spirv.mlir.loop
// CHECK:           spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory|MakeAvailable|MakeVisible>
// CHECK:           spirv.Store "Workgroup" %{{.+}}, %{{.+}} ["NonPrivatePointer"] : f16
// CHECK:           spirv.KHR.CooperativeMatrixLoad %{{.+}}, %{{.+}}, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<f16, Workgroup>, i32 -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>
// CHECK:           spirv.KHR.CooperativeMatrixLoad %{{.+}}, %{{.+}}, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<f16, Workgroup>, i32 -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixB>
// CHECK-COUNT-8:   spirv.KHR.CooperativeMatrixMulAdd %{{[^<]+}} : !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>, !spirv.coopmatrix<16x16xf16, Subgroup, MatrixB> -> !spirv.coopmatrix<16x16xf32, Subgroup, MatrixAcc>
// CHECK:         spirv.KHR.CooperativeMatrixStore %{{.+}}, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<f32, Workgroup>
// CHECK:         spirv.Load "Workgroup" %{{.+}} ["NonPrivatePointer"] : f32

// The instruction says that bytes have signs, and columns of weights are rows of
// their array.
// CHECK-LABEL: spirv.func @kernel_2
// CHECK:         spirv.KHR.CooperativeMatrixLoad %{{.+}}, <ColumnMajor>, <NonPrivatePointer> : !spirv.ptr<i8, Workgroup>, i32 -> !spirv.coopmatrix<16x16xsi8, Subgroup, MatrixB>
// CHECK:         spirv.KHR.CooperativeMatrixMulAdd %{{.+}}, <ASigned|BSigned|CSigned|ResultSigned> : !spirv.coopmatrix<16x16xsi8, Subgroup, MatrixA>, !spirv.coopmatrix<16x16xsi8, Subgroup, MatrixB> -> !spirv.coopmatrix<16x16xi32, Subgroup, MatrixAcc>
func.func @main(%x: memref<1x66x66x20xf16>, %w: memref<2x3x3x20x24xf16>,
    %bias: memref<2x24xf32>, %y: memref<1x66x66x36xf16>,
    %bytes: memref<1x64x64x16xi8>, %v: memref<1x1x1x4x128xi8>,
    %biases: memref<1x32xi32>, %z: memref<1x64x64x32xi8>, %n: memref<1xi32>,
    %m: memref<1xi32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %bound = arith.constant 0 : i64
  %element = memref.load %n[%c0] : memref<1xi32>
  %ok = arith.cmpi sge, %element, %zero : i32
  %found = arith.extsi %element : i32 to i64
  nnrt.check %ok, %found, %bound reason 8
  memref.store %element, %m[%c0] : memref<1xi32>
  nnk.conv_2d ins(%x, %w, %bias : memref<1x66x66x20xf16>, memref<2x3x3x20x24xf16>, memref<2x24xf32>)
      outs(%y : memref<1x66x66x36xf16>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] epilogue {
  ^bb0(%sum: f32):
    %half = arith.truncf %sum : f32 to f16
    nnk.yield %half : f16
  }
  nnk.conv_2d ins(%bytes, %v, %biases : memref<1x64x64x16xi8>, memref<1x1x1x4x128xi8>, memref<1x32xi32>)
      outs(%z : memref<1x64x64x32xi8>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%sum: i32):
    %small = arith.trunci %sum : i32 to i8
    nnk.yield %small : i8
  }
  return
}
}
