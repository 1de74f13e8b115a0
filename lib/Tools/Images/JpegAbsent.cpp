//===- JpegAbsent.cpp - No photos in a build without libjpeg-turbo --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal;

rt::Result<tools::Image> tools::decodeJpeg(std::span<const std::byte>) {
  return rt::failure(
      "this build reads no JPEG: libjpeg-turbo "
      "(libturbojpeg0-dev) was not found when it was configured");
}
