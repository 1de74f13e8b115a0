//===- Precompiled.cpp - Carries the precompiled header of tests ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The precompiled header of all GoogleTest programs belongs to this program;
// see nnhal_precompile_test_headers() in cmake/modules/AddNNHal.cmake.
//
//===----------------------------------------------------------------------===//

int main() { return 0; }
