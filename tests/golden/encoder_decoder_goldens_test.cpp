// Every folder of tests/golden/encoder_decoder_models, opened and run as a user would, against what
// transformers computes:
//
//   float64  logits, hidden states of both stacks, patterns of the three kinds, both gradients within 1e-9
//   float32  the same within 1e-4 of transformers' own float32
//   buckets  of relative positions, over many distances: equal
//   written  greedily and by three beams: the same tokens, scores within these bounds
//   text     the ids of the sources: equal to tokenizers'
//
// cases.txt lists the folders, README.md says what each array is.
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "models/family.h"
#include "ops/ops.h"
#include "study/generation.h"
#include "support/encoder_decoder_cases.h"
#include "support/golden_arrays.h"
#include "text/tokenizer.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;
using testing::encoder_decoder_cases;
using testing::encoder_decoder_folder;
using testing::EncoderDecoderCase;

struct EncoderDecoderPrecision {
  DType dtype;
  double tolerance;
  std::string suffix;  // of arrays that transformers gives in this type
};
const EncoderDecoderPrecision encoder_decoder_precisions[] = {{DType::Float64, 1e-9, ""},
                                                              {DType::Float32, 1e-4, "_f32"}};

Batch batch_of(const Expected& expected) {
  Batch batch{.ids = expected.ids("input_ids")};
  if (expected.has("decoder_input_ids")) batch.prefix = expected.ids("decoder_input_ids");
  return batch;
}

// One stack's hidden states, patterns and last norm.
void compare_stack(const Stack& stack, int index, const Tape& tape, const Expected& expected,
                   const EncoderDecoderPrecision& precision, Worst& worst) {
  const std::string hidden = stack.name + "_hidden_states" + precision.suffix;
  const std::string patterns = stack.name + "_patterns" + precision.suffix;
  const std::string cross = "cross_patterns" + precision.suffix;
  ASSERT_EQ(expected.array(hidden).dim(0), stack.layers + 1);
  ASSERT_EQ(expected.array(patterns).dim(0), stack.layers);
  const auto compare = [&](Place place, const std::string& array, int k) {
    worst.compare(stack.name + " " + text_of(place), tape.at(place).value, expected.layer(array, k),
                  precision.tolerance);
  };
  compare({Site::ResidPre, 0, index}, hidden, 0);
  for (int l = 0; l < stack.layers; ++l) {
    compare({Site::ResidPost, l, index}, hidden, l + 1);
    compare({Site::Pattern, l, index}, patterns, l);
    EXPECT_EQ(tape.has({Site::CrossPattern, l, index}), stack.reads >= 0);
    if (stack.reads >= 0) compare({Site::CrossPattern, l, index}, cross, l);
  }
  worst.compare(stack.name + " final norm", tape.at({Site::FinalNorm, 0, index}).value,
                expected.array(stack.name + "_final_norm"), precision.tolerance);
}

void compare_gradients(const ModelInfo& info, const Tape& tape, const Var& logits, const Expected& expected,
                       const EncoderDecoderPrecision& precision, Worst& worst) {
  const Shape& shape = logits.value.shape();
  const Index rows = shape.front(), per_row = logits.value.size() / rows;
  std::vector<double> one(static_cast<std::size_t>(logits.value.size()), 0.0);
  for (Index r = 0; r < rows; ++r)
    one[static_cast<std::size_t>(r * per_row + expected.integer("gradient_index"))] = 1;
  const Signals signals = tape.pull(logits, Tensor::of(shape, one, precision.dtype), rules::gradient);
  for (std::size_t s = 0; s < info.stacks.size(); ++s) {
    const std::string name = fmt::format("gradient_{}_embed", info.stacks[s].name);
    const Tensor gradient = expected.array(name);
    ASSERT_GT(largest_of(gradient), 0) << name;
    const double scale = precision.dtype == DType::Float32 ? std::max(1.0, largest_of(gradient)) : 1.0;
    worst.compare(name, signals.at({Site::Embed, 0, static_cast<int>(s)}), gradient,
                  precision.tolerance * scale);
  }
}

class EncoderDecoderGoldens : public ::testing::TestWithParam<EncoderDecoderCase> {};

TEST_P(EncoderDecoderGoldens, EqualsTransformers) {
  const fs::path folder = encoder_decoder_folder() / GetParam().name;
  for (const EncoderDecoderPrecision& precision : encoder_decoder_precisions) {
    const std::unique_ptr<Model> model =
        load_model(open_checkpoint(find_model(folder.string(), {}), precision.dtype));
    EXPECT_EQ(model->info().architecture, GetParam().architecture);
    EXPECT_EQ(model->info().unread, std::vector<std::string>{}) << "tensors without a place";
    Worst worst;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (!entry.path().filename().string().starts_with("expected")) continue;
      SCOPED_TRACE(entry.path().filename().string() + " in " + std::string(name_of(precision.dtype)));
      const Expected expected(entry.path());
      Tape tape;
      const Var logits = model->run(tape, batch_of(expected));
      worst.compare("logits", logits.value, expected.array("logits" + precision.suffix), precision.tolerance);
      for (std::size_t s = 0; s < model->info().stacks.size(); ++s)
        compare_stack(model->info().stacks[s], static_cast<int>(s), tape, expected, precision, worst);
      compare_gradients(model->info(), tape, logits, expected, precision, worst);
      if (HasFatalFailure()) return;
    }
    ASSERT_GT(worst.compared(), 0) << "nothing to compare with";
    fmt::print("{:14} {}: {} numbers, largest difference {:.1e} ({})\n", GetParam().name,
               name_of(precision.dtype), worst.compared(), worst.difference(), worst.where());
  }
}

INSTANTIATE_TEST_SUITE_P(Folder, EncoderDecoderGoldens, ::testing::ValuesIn(encoder_decoder_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(EncoderDecoderGoldensList, NamesEveryFolder) {
  std::set<std::string> listed, present;
  for (const EncoderDecoderCase& c : encoder_decoder_cases()) listed.insert(c.name);
  for (const fs::directory_entry& entry : fs::directory_iterator(encoder_decoder_folder()))
    if (entry.is_directory()) present.insert(entry.path().filename().string());
  EXPECT_EQ(listed, present);
  EXPECT_GE(listed.size(), 13u);
}

TEST(EncoderDecoderGoldensBuckets, EqualTransformers) {
  const fs::path path = encoder_decoder_folder() / "buckets.json";
  std::ifstream file(path);
  int compared = 0;
  for (const Json& one : Json::parse(file)) {
    const PositionBuckets buckets{.buckets = one.at("num_buckets").get<int>(),
                                  .max_distance = one.at("max_distance").get<int>(),
                                  .bidirectional = one.at("bidirectional").get<bool>()};
    Index distance = one.at("first").get<Index>();
    for (const Json& bucket : one.at("buckets")) {
      EXPECT_EQ(bucket_of(distance, buckets), bucket.get<int>())
          << distance << " of " << buckets.buckets << " up to " << buckets.max_distance;
      ++distance;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST(EncoderDecoderGoldensText, HasTheIdsOfTokenizers) {
  int texts = 0;
  for (const EncoderDecoderCase& c : encoder_decoder_cases()) {
    const fs::path folder = encoder_decoder_folder() / c.name;
    if (!fs::exists(folder / "generation.json")) continue;
    const std::shared_ptr<const Tokenizer> tokenizer = Tokenizer::load(folder.string());
    std::ifstream file(folder / "generation.json");
    for (const Json& one : Json::parse(file)) {
      const auto text = one.at("text").get<std::string>();
      EXPECT_EQ(tokenizer->encode(text).ids(), one.at("source").get<std::vector<int>>()) << c.name << text;
      ++texts;
    }
  }
  EXPECT_GE(texts, 9);
}

// Note [Beams] of README.md says what a search is; both working types find the same texts.
TEST_P(EncoderDecoderGoldens, GeneratesAsTransformers) {
  const fs::path folder = encoder_decoder_folder() / GetParam().name;
  if (!fs::exists(folder / "generation.json")) GTEST_SKIP() << "does not generate";
  for (const EncoderDecoderPrecision& precision : encoder_decoder_precisions) {
    const std::unique_ptr<Model> model =
        load_model(open_checkpoint(find_model(folder.string(), {}), precision.dtype));
    std::ifstream file(folder / "generation.json");
    for (const Json& one : Json::parse(file)) {
      const auto prefix = one.at("prefix").get<std::vector<int>>();
      const Batch start{.ids = {one.at("source").get<std::vector<int>>()}, .prefix = {prefix}};
      const GenerationOptions options{.max_new_tokens = one.at("max_new_tokens").get<int>(), .ends = {1}};
      const auto whole = [&](std::vector<int> made) {
        made.insert(made.begin(), prefix.begin(), prefix.end());
        return made;
      };
      EXPECT_EQ(whole(generate_greedily(*model, start, options).ids),
                one.at("greedy").get<std::vector<int>>());
      const std::vector<Generated> beams = search_beams(*model, start, 3, options);
      ASSERT_EQ(beams.size(), one.at("beams").size());
      for (std::size_t b = 0; b < beams.size(); ++b) {
        EXPECT_EQ(whole(beams[b].ids), one.at("beams")[b].at("ids").get<std::vector<int>>());
        EXPECT_NEAR(beams[b].score, one.at("beams")[b].at("score").get<double>(), precision.tolerance);
      }
    }
  }
}

}  // namespace
}  // namespace headwater
