// A pass of one's own: it reports how many operations of each kind the models
// of a module have, as remarks, and their sum as a statistic.
//
//   nnhal-opt model.mlir --load-pass-plugin=./libcount-operations.so
//   --pass-pipeline='builtin.module(count-operations)'

#include "CountOperations.h"

#include <nnhal/Dialect/NNHal/IR/NNHalOps.h>

#include <mlir/IR/BuiltinOps.h>
#include <mlir/Tools/Plugins/PassPlugin.h>

#include <map>
#include <optional>

using namespace mlir;

namespace {
class CountOperations final
    : public PassWrapper<CountOperations, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountOperations)

  CountOperations() = default;
  CountOperations(const CountOperations &) {}

  StringRef getArgument() const override { return "count-operations"; }
  StringRef getDescription() const override {
    return "Count the operations of the HAL in the models of a module";
  }
  void runOnOperation() override;

private:
  Statistic numOperations{this, "num-operations", "Operations of the HAL"};
};
} // namespace

/// The HAL's name of \p operation at either level of the dialect; nothing when
/// it stands for no operation of the HAL.
static std::optional<std::string> halName(Operation *operation) {
  if (auto asStated = dyn_cast<nnhal::OperationOp>(operation))
    return asStated.getHalName();
  auto canonical = dyn_cast<nnhal::HalFormOpInterface>(operation);
  if (!canonical || !canonical.getOperationType())
    return std::nullopt;
  return nnhal::rt::nameOf(*canonical.getOperationType());
}

void CountOperations::runOnOperation() {
  std::map<std::string, unsigned> counts;
  getOperation().walk([&](Operation *operation) {
    if (std::optional<std::string> name = halName(operation)) {
      ++counts[*name];
      ++numOperations;
    }
  });
  for (const auto &[name, count] : counts)
    emitRemark(getOperation().getLoc()) << name << ": " << count;
  markAllAnalysesPreserved();
}

std::unique_ptr<Pass> createCountOperations() {
  return std::make_unique<CountOperations>();
}

/// The description of the plug-in that nnhal-opt asks for.
extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "CountOperations", "1.0",
          [] { PassRegistration<CountOperations>(); }};
}
