//===- Precompiled.h - What most tests include ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The precompiled header of all GoogleTest programs. It holds no header of the
// project, whose changes would compile every test again.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_PRECOMPILED_H
#define NNHAL_TEST_PRECOMPILED_H

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#endif // NNHAL_TEST_PRECOMPILED_H
