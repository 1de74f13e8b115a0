//===- SharedLibrary.cpp - libNNHalDialect --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is assembled from archives; CMake wants a source of its own.
//
//===----------------------------------------------------------------------===//
