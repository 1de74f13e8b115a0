// The pass of CountOperations.cpp, for programs that have it inside.

#pragma once

#include <mlir/Pass/Pass.h>

#include <memory>

std::unique_ptr<mlir::Pass> createCountOperations();
