//===- Repository.h - The folder of the models ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_REPOSITORY_H
#define NNHAL_LIB_SERVING_CORE_REPOSITORY_H

#include "nnhal/Runtime/Status.h"

#include <cstdint>
#include <map>
#include <string>

namespace nnhal::serving {

/// A version as it is in the folder.
struct FoundVersion {
  /// The file of the model.
  std::string path;
  /// Differs when the file or the settings of the model have changed: when they
  /// and their permissions were written, their sizes and their numbers in the
  /// file system.
  std::string stamp;
};

/// A model as it is in the folder.
struct FoundModel {
  /// Why its folder cannot be read; it may have more than what was found.
  rt::Status problem = rt::Status::ok();
  /// The place of the settings; empty for a model without any.
  std::string config;
  std::map<uint64_t, FoundVersion> versions;
};

/// The models by their names.
using FoundModels = std::map<std::string, FoundModel, std::less<>>;

/// Looks at the folder \p directory. Files and folders whose names begin with a
/// dot, folders of other names than those of numbers without a leading zero,
/// and those without a model file are left out. Fails with generalFailure when
/// the folder itself cannot be read; FoundModel::problem says so of a model's.
rt::Result<FoundModels> scanRepository(const std::string &directory);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_REPOSITORY_H
