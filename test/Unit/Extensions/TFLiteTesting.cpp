//===- TFLiteTesting.cpp - Uses of operators ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include "Extensions/TFLite/Element.h"

using namespace nnhal;
using namespace nnhal::tflite;

namespace nnhal::tflite {

/// Memory of exactly the size of each result, so that sanitizers see what is
/// beyond it.
class Memory final : public rt::ExtensionOutputs {
public:
  explicit Memory(Operator &use) : use(use) {
    use.memory.assign(use.view.outputs.size(), {});
    use.shapes.assign(use.view.outputs.size(), {});
  }
  rt::Result<std::span<std::byte>>
  allocate(size_t index, std::span<const int64_t> extents) override {
    int64_t size = sizeOf(*elementOf(use.view.outputs[index].type));
    for (int64_t extent : extents)
      size *= extent;
    use.memory[index].assign(size_t(size), std::byte(0xA5));
    use.shapes[index].assign(extents.begin(), extents.end());
    return std::span<std::byte>(use.memory[index]);
  }

private:
  Operator &use;
};

} // namespace nnhal::tflite

void Operator::setValue(std::vector<std::byte> bytes) {
  values.push_back(std::move(bytes));
  view.inputs.back().value = values.back();
}

Operator &Operator::open(rt::OperandType type, Shape shape, float scale,
                         int32_t zeroPoint) {
  rt::OperandView operand;
  operand.type.type = type;
  operand.type.dimensions = std::move(shape);
  operand.type.scale = scale;
  operand.type.zeroPoint = zeroPoint;
  view.inputs.push_back(std::move(operand));
  return *this;
}

Operator &Operator::channels(std::vector<float> scales, uint32_t dimension) {
  rt::TensorType &type = view.inputs.back().type;
  type.type = rt::OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
  type.scale = 0.0f;
  type.channelQuant = {std::move(scales), dimension};
  return *this;
}

Operator &Operator::unranked(rt::OperandType type) {
  open(type, {});
  view.inputs.back().type.isRanked = false;
  return *this;
}

Operator &Operator::omitted() {
  open(tensorFloat32, {});
  view.inputs.back().isOmitted = true;
  return *this;
}

Operator &Operator::option(int32_t value) {
  return tensor<int32_t>(rt::OperandType::INT32, {}, {value}, 0.0f);
}
Operator &Operator::option(float value) {
  return tensor<float>(rt::OperandType::FLOAT32, {}, {value}, 0.0f);
}
Operator &Operator::option(bool value) {
  return tensor<bool>(rt::OperandType::BOOL, {}, {value}, 0.0f);
}

Operator &Operator::result(rt::OperandType type, Shape shape, float scale,
                           int32_t zeroPoint) {
  rt::OperandView operand;
  operand.type.type = type;
  operand.type.dimensions = std::move(shape);
  operand.type.scale = scale;
  operand.type.zeroPoint = zeroPoint;
  view.outputs.push_back(std::move(operand));
  return *this;
}

std::string Operator::refusal() const {
  return extension->check(view).status().message();
}

std::string Operator::failure() {
  Memory outputs(*this);
  rt::Status status = extension->execute(view, outputs);
  EXPECT_TRUE(status.isOk() || status.code() == rt::StatusCode::generalFailure);
  return status.message();
}

Operator &Operator::run() {
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(failure(), "");
  return *this;
}
