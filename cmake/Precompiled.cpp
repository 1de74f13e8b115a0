//===- Precompiled.cpp - Carries the precompiled header -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The precompiled headers of the compiler and of the runtime belong to this
// file; see cmake/modules/{NNHalLLVM,AddNNHal}.cmake.
//
//===----------------------------------------------------------------------===//
