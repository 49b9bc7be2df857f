// Every family keeps the properties, and each of them can fail: models that break one are caught by it.
#include "selftest/properties.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <headwater/engine.h>

#include "ops/ops.h"
#include "support/random.h"
#include "support/shipped_engines.h"
#include "support/tiny_models.h"

namespace headwater {
namespace {

using testing::all_tiny_models;
using testing::random_batch;
using testing::random_tensor;
using testing::TinyModel;

Batch one_input(const ModelInfo& info) {
  Batch batch = random_batch(info, 1, 6, 7);
  const bool rows = is_vocabulary(info.task) || info.task == Task::TokenClassification;
  if (rows) batch.positions = {info.last().causal ? static_cast<int>(written(batch).front().size()) - 1 : 3};
  return batch;
}

Batch single(Batch batch) {
  if (!batch.pixels.empty()) batch.pixels = batch.pixels.to(DType::Float32);
  return batch;
}

TEST(Properties, EveryFamilyKeepsThemInFloat32) {
  const std::vector<TinyModel> models = all_tiny_models(DType::Float32),
                               exact = all_tiny_models(DType::Float64);
  ASSERT_EQ(models.size(), exact.size());
  ASSERT_GE(models.size(), 9U);
  for (std::size_t m = 0; m < models.size(); ++m) {
    const ModelInfo& info = models[m].model->info();
    const Batch batch = single(one_input(info));
    for (const TestedProperty& property : tested_properties(*models[m].model, *exact[m].model, batch)) {
      EXPECT_TRUE(property.passed) << models[m].name << " " << property.name << " " << property.value;
      EXPECT_TRUE(property.applies) << models[m].name << " " << property.name;
    }
  }
}

TEST(Properties, EveryFamilyKeepsThemInFloat64) {
  for (const TinyModel& tiny : all_tiny_models(DType::Float64)) {
    const std::vector<TestedProperty> found =
        tested_properties(*tiny.model, *tiny.model, one_input(tiny.model->info()));
    for (const TestedProperty& property : found)
      EXPECT_TRUE(property.passed) << tiny.name << " " << property.name << " " << property.value;
    EXPECT_FALSE(found.back().applies);
  }
}

// What a broken model does wrong.
struct Faults {
  double pulled = 1;          // factor of the gradient
  double pattern = 1;         // sum of a row of attention
  double from_neighbour = 0;  // share of the input before it in the batch
  double moved = 0;           // of the weights
};

// y = tanh(x), but for the faults.
class FaultyTanh : public RowByRowOp {
 public:
  explicit FaultyTanh(Faults faults) : faults_(faults) {}
  std::string_view name() const override { return "faulty_tanh"; }
  Tensor forward(std::span<const Tensor> x) const override {
    std::vector<double> y = x[0].to_doubles();
    for (double& v : y) v = std::tanh(v);
    const auto one = static_cast<std::size_t>(x[0].size() / x[0].dim(0));
    for (std::size_t i = one; i < y.size(); ++i) y[i] += faults_.from_neighbour * y[i - one];
    return Tensor::of(x[0].shape(), y, x[0].dtype());
  }
  std::vector<Tensor> pull(const Call& call, const Tensor& signal, const Rules&) const override {
    std::vector<double> back = signal.to_doubles();
    for (std::size_t i = 0; i < back.size(); ++i) {
      const double y = call.y.at(static_cast<Index>(i));
      back[i] *= faults_.pulled * (1 - y * y);
    }
    return {Tensor::of(signal.shape(), back, signal.dtype())};
  }
  Tensor push(const Call&, std::span<const Tensor> parts, const Rules&) const override { return parts[0]; }

 private:
  Faults faults_;
};

// One layer: embeddings, a pattern that is only recorded, tanh, the first token as output.
class BrokenModel : public Model {
 public:
  explicit BrokenModel(Faults faults) : faults_(faults) {
    info_.family = info_.model_type = "broken";
    info_.architecture = "BrokenModel";
    info_.task = Task::TextClassification;
    info_.stacks = {{.name = "encoder", .layers = 1, .heads = 1, .groups = 1, .head_width = 4, .width = 4}};
    info_.vocabulary = info_.positions = 20;
    info_.labels = {"a", "b", "c", "d"};
  }

 protected:
  Var forward(Tape& tape, const Batch& batch) const override {
    std::vector<double> table = random_tensor({20, 4}, 3).to_doubles();
    for (double& v : table) v += faults_.moved;
    const Var x = embed(tape, Tensor::of({20, 4}, table), batch.ids, Site::Embed);
    const Index B = x.value.dim(0), T = x.value.dim(1);
    tape.leaf(Tensor::full({B, 1, T, T}, DType::Float64, faults_.pattern / static_cast<double>(T)),
              Site::Pattern);
    const Var y = tape.record(std::make_shared<FaultyTanh>(faults_), {x});
    return scale(gather(y, {0}), 2.0, Site::Logits);
  }

 private:
  Faults faults_;
};

// The names of what does not hold.
std::vector<std::string> broken(const Model& model, const Model& exact) {
  std::vector<std::string> names;
  for (const TestedProperty& property : tested_properties(model, exact, {.ids = {{1, 2, 3, 4, 5}}}))
    if (!property.passed) names.push_back(property.name);
  return names;
}

TEST(Properties, AModelWithoutFaultsPasses) {
  EXPECT_EQ(broken(BrokenModel({}), BrokenModel({})), std::vector<std::string>{});
}

TEST(Properties, AGradientThatIsTwoPercentOffIsCaught) {
  const std::vector<std::string> names = broken(BrokenModel({.pulled = 1.02}), BrokenModel({.pulled = 1.02}));
  EXPECT_EQ(names, (std::vector<std::string>{"gradient", "completeness"}));
}

TEST(Properties, APatternThatDoesNotSumToOneIsCaught) {
  EXPECT_EQ(broken(BrokenModel({.pattern = 0.999}), BrokenModel({})), std::vector<std::string>{"patterns"});
}

TEST(Properties, AnOutputThatDependsOnItsNeighboursIsCaught) {
  const std::vector<std::string> names =
      broken(BrokenModel({.from_neighbour = 1e-9}), BrokenModel({.from_neighbour = 1e-9}));
  EXPECT_NE(std::find(names.begin(), names.end(), "batches"), names.end());
}

TEST(Properties, OutputsThatAreNotThoseOfFloat64AreCaught) {
  const std::vector<std::string> names = broken(BrokenModel({.moved = 1e-2}), BrokenModel({}));
  EXPECT_NE(std::find(names.begin(), names.end(), "precision"), names.end());
}

TEST(Properties, TheShippedModelsPass) {
  const ModelTest test = testing::sentiment().check();
  EXPECT_TRUE(holds(test));
  EXPECT_EQ(test.inputs.size(), 3U);
  ASSERT_EQ(test.properties.size(), 6U);
  for (const TestedProperty& property : test.properties) {
    EXPECT_TRUE(property.applies) << property.name;
    EXPECT_GE(property.value, 0) << property.name;
  }
}

TEST(Properties, APictureForATextModelIsRefused) {
  const std::vector<Input> picture{{.image = "cat.png"}};
  EXPECT_THROW(testing::sentiment().check(picture), InputError);
}

}  // namespace
}  // namespace headwater
