// Every folder of tests/golden/models, opened and run as a user would, against what transformers computes:
//
//   float64  logits, every hidden state, every pattern and one gradient within 1e-9 of torch in float64
//   float32  the same within 1e-4 of transformers' own float32
//
// models/cases.txt lists the folders, so that a lost one is a failure; models/README.md says what each array
// is. The largest difference of each case is printed and recorded.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "models/family.h"
#include "support/encoder_decoder_cases.h"
#include "support/golden_arrays.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

const fs::path& models_folder() {
  static const fs::path folder = fs::path(HEADWATER_SOURCE_DIR) / "tests" / "golden" / "models";
  return folder;
}

struct Listed {
  std::string name;          // the folder
  std::string architecture;  // transformers' class
};

std::vector<Listed> listed_cases() {
  std::vector<Listed> cases;
  std::ifstream list(models_folder() / "cases.txt");
  for (Listed c; list >> c.name >> c.architecture;) cases.push_back(c);
  return cases;
}

Batch batch_of(const Expected& expected, DType dtype) {
  Batch batch;
  if (expected.has("pixel_values")) batch.pixels = expected.array("pixel_values").to(dtype);
  if (expected.has("input_ids")) batch.ids = expected.ids("input_ids");
  if (expected.has("token_type_ids")) batch.type_ids = expected.ids("token_type_ids");
  return batch;
}

// x [B, T, D] without its first `skip` tokens.
Tensor without_first_tokens(const Tensor& x, Index skip) {
  const Index rows = x.dim(0), tokens = x.dim(1), width = x.dim(2);
  std::vector<double> kept;
  for (Index r = 0; r < rows; ++r)
    for (Index k = skip * width; k < tokens * width; ++k) kept.push_back(x.at(r * tokens * width + k));
  return Tensor::of({rows, tokens - skip, width}, kept);
}

struct Precision {
  DType dtype;
  double tolerance;
  std::string suffix;  // of arrays that transformers gives in this type
};

const Precision precisions[] = {{DType::Float64, 1e-9, ""}, {DType::Float32, 1e-4, "_f32"}};

void compare_values(const Model& model, const Tape& tape, const Var& logits, const Expected& expected,
                    const Precision& precision, Worst& worst) {
  worst.compare("logits", logits.value, expected.array("logits" + precision.suffix), precision.tolerance);
  const std::string hidden = "hidden_states" + precision.suffix, patterns = "patterns" + precision.suffix;
  const int layers = model.info().last().layers;
  ASSERT_EQ(expected.array(hidden).dim(0), layers + 1);
  ASSERT_EQ(expected.array(patterns).dim(0), layers);
  worst.compare("hidden state 0", tape.at(Site::ResidPre, 0).value, expected.layer(hidden, 0),
                precision.tolerance);
  for (int k = 0; k < layers; ++k) {
    const std::string layer = std::to_string(k);
    worst.compare("output of block " + layer, tape.at(Site::ResidPost, k).value,
                  expected.layer(hidden, k + 1), precision.tolerance);
    worst.compare("pattern of block " + layer, tape.at(Site::Pattern, k).value, expected.layer(patterns, k),
                  precision.tolerance);
  }
  EXPECT_EQ(expected.has("final_norm"), model.info().pre_norm);
  if (expected.has("final_norm"))
    worst.compare("final norm", tape.at(Site::FinalNorm).value, expected.array("final_norm"),
                  precision.tolerance);
}

void compare_gradient(const Model& model, const Tape& tape, const Var& logits, const Expected& expected,
                      const Precision& precision, Worst& worst) {
  const Shape& shape = logits.value.shape();
  const Index rows = shape.front(), per_row = logits.value.size() / rows;
  std::vector<double> one(static_cast<std::size_t>(logits.value.size()), 0.0);
  for (Index r = 0; r < rows; ++r)
    one[static_cast<std::size_t>(r * per_row + expected.integer("gradient_index"))] = 1;
  const Signals signals = tape.pull(logits, Tensor::of(shape, one, precision.dtype), rules::gradient);
  const auto compare = [&](const std::string& name, const Tensor& found) {
    const Tensor gradient = expected.array(name);
    ASSERT_GT(largest_of(gradient), 0) << name;
    const double scale = precision.dtype == DType::Float32 ? std::max(1.0, largest_of(gradient)) : 1.0;
    worst.compare(name, found, gradient, precision.tolerance * scale);
  };
  if (!expected.has("gradient_pixels")) {
    compare("gradient_embed", signals.at(Site::Embed));
    return;
  }
  compare("gradient_block0", signals.at(Site::ResidPre, 0));
  compare("gradient_pixels", signals.at(Site::Pixels));
  const Tensor& embed = signals.at(Site::Embed);
  const Index extra = embed.dim(1) - expected.array("gradient_embed").dim(1);  // [CLS] may be counted
  ASSERT_TRUE(extra == 0 || extra == model.info().prefix_tokens);
  compare("gradient_embed", without_first_tokens(embed, extra));
}

// A prediction keeps nothing: the same bits. It may ask for some tokens only: the same numbers.
void compare_cheaper_runs(const Model& model, const Batch& batch, const Var& logits) {
  Tape nothing(Keep::Nothing);
  EXPECT_EQ(model.run(nothing, batch).value.to_doubles(), logits.value.to_doubles());
  const Task task = model.info().task;
  const bool token_wise = task == Task::TokenClassification || task == Task::QuestionAnswering ||
                          task == Task::FillMask || task == Task::TextGeneration;
  if (!token_wise) return;
  const Index rows = logits.value.dim(0), tokens = logits.value.dim(1), width = logits.value.dim(2);
  Batch some = batch;
  some.positions = {static_cast<int>(tokens - 1)};
  if (tokens > 1) some.positions.insert(some.positions.begin(), 1);
  Tape again(Keep::Nothing);
  const Tensor found = model.run(again, some).value;
  const Index wanted = static_cast<Index>(some.positions.size());
  ASSERT_EQ(found.shape(), (Shape{rows, wanted, width}));
  for (Index r = 0; r < rows; ++r)
    for (Index p = 0; p < wanted; ++p)
      for (Index k = 0; k < width; ++k) {
        const Index position = some.positions[static_cast<std::size_t>(p)];
        ASSERT_NEAR(found.at((r * wanted + p) * width + k),
                    logits.value.at((r * tokens + position) * width + k), 1e-5);
      }
}

class ModelGoldens : public ::testing::TestWithParam<Listed> {};

TEST_P(ModelGoldens, EqualsTransformers) {
  const fs::path folder = models_folder() / GetParam().name;
  for (const Precision& precision : precisions) {
    const std::unique_ptr<Model> model =
        load_model(open_checkpoint(find_model(folder.string(), {}), precision.dtype));
    EXPECT_EQ(model->info().architecture, GetParam().architecture);
    EXPECT_EQ(model->info().unread, std::vector<std::string>{}) << "tensors without a place";
    Worst worst;
    int files = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (!entry.path().filename().string().starts_with("expected")) continue;
      SCOPED_TRACE(entry.path().filename().string() + " in " + std::string(name_of(precision.dtype)));
      ++files;
      const Expected expected(entry.path());
      const Batch batch = batch_of(expected, precision.dtype);
      Tape tape;
      const Var logits = model->run(tape, batch);
      compare_values(*model, tape, logits, expected, precision, worst);
      compare_gradient(*model, tape, logits, expected, precision, worst);
      compare_cheaper_runs(*model, batch, logits);
      if (HasFatalFailure()) return;
    }
    ASSERT_GT(files, 0) << "nothing to compare with";
    ASSERT_GT(worst.compared(), 0);
    const std::string type(name_of(precision.dtype));
    const std::string largest = fmt::format("{:.1e} ({})", worst.difference(), worst.where());
    RecordProperty("largest_difference_" + type, largest);
    fmt::print("{:28} {}: {} numbers, largest difference {}\n", GetParam().name, type, worst.compared(),
               largest);
  }
}

INSTANTIATE_TEST_SUITE_P(Folder, ModelGoldens, ::testing::ValuesIn(listed_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(ModelGoldensList, NamesEveryFolder) {
  std::set<std::string> listed, present;
  for (const Listed& c : listed_cases()) listed.insert(c.name);
  for (const fs::directory_entry& entry : fs::directory_iterator(models_folder()))
    if (entry.is_directory()) present.insert(entry.path().filename().string());
  EXPECT_EQ(listed, present);
  EXPECT_GE(listed.size(), 80u);
}

// Every architecture a family says it opens has a golden.
TEST(ModelGoldensList, CoversEveryHead) {
  std::set<std::string> covered;
  for (const Listed& c : listed_cases()) covered.insert(c.architecture);
  for (const testing::EncoderDecoderCase& c : testing::encoder_decoder_cases())
    covered.insert(c.architecture);
  for (const Family* family : all_families())
    for (const std::string_view head : family->architectures)
      EXPECT_TRUE(covered.contains(std::string(head))) << family->name << ": no golden for " << head;
}

}  // namespace
}  // namespace headwater
