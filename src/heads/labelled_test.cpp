#include "heads/labelled.h"

#include <limits>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "heads/importance.h"
#include "support/fakes.h"
#include "support/tiny_models.h"

namespace headwater {
namespace {

using testing::make_fixture;

const Advance silently = [](double) {};

std::string refused(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(PrepareLabelled, TakesLabelsByNameAndIndex) {
  const testing::Fixture fixture = make_fixture(Task::TextClassification);
  const std::vector<LabelledInput> given{{Input{.text = "not bad"}, "POSITIVE"},
                                         {Input{.text = "bad film"}, "0"}};
  const std::vector<Labelled> all = prepare_labelled(fixture.loaded, given);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].gold, 1);
  EXPECT_EQ(all[1].gold, 0);
  EXPECT_EQ(all[1].batch.ids.front().size(), 4U);
}

TEST(PrepareLabelled, NamesTheInputItRefuses) {
  const testing::Fixture fixture = make_fixture(Task::TextClassification);
  const auto prepare_one = [&](const std::string& label) {
    const std::vector<LabelledInput> given{{Input{.text = "bad"}, "1"}, {Input{.text = "bad"}, label}};
    return refused([&] { prepare_labelled(fixture.loaded, given); });
  };
  for (const char* label : {"2", "-1", "1x", "", "posit"})
    EXPECT_EQ(prepare_one(label),
              "input 2: label: expected one of NEGATIVE, POSITIVE or an index 0 … 1, found '" +
                  std::string(label) + "'");
  EXPECT_THROW(prepare_labelled(fixture.loaded, {}), InputError);
}

TEST(PrepareLabelled, NeedsExclusiveLabels) {
  const std::vector<LabelledInput> given{{Input{.text = "bad"}, "1"}};
  EXPECT_THROW(prepare_labelled(make_fixture(Task::TextGeneration).loaded, given), Unsupported);
  EXPECT_THROW(prepare_labelled(make_fixture(Task::TextClassification, {"only"}).loaded, given), Unsupported);
  testing::Fixture many = make_fixture(Task::TextClassification);
  many.loaded.problem = Problem::MultiLabel;
  EXPECT_THROW(prepare_labelled(many.loaded, given), Unsupported);
}

TEST(HeadImportance, ListsTheRankingsItKnows) {
  const testing::Fixture fixture = make_fixture(Task::TextClassification);
  const std::vector<LabelledInput> given{{Input{.text = "bad"}, "1"}};
  const std::vector<Labelled> inputs = prepare_labelled(fixture.loaded, given);
  EXPECT_EQ(
      refused([&] { head_importance(fixture.loaded, inputs, "taylr", silently); }),
      "ranking: expected one of attattr, attention, taylor, taylor_published, accuracy_difference, found "
      "'taylr'");
}

// Largest weights 0.7 and 0.9 by hand.
TEST(HeadImportance, AttentionIsTheMeanLargestWeight) {
  testing::Fixture fixture = make_fixture(Task::TextClassification);
  const Tensor pattern = Tensor::of({2, 3, 3}, std::vector<double>{.2, .7, .1, .5, .4, .1, .3, .3, .4,  //
                                                                   .9, .1, .0, .1, .1, .8, .2, .2, .6});
  fixture.model->patterns = {pattern, pattern};
  const std::vector<LabelledInput> given{{Input{.text = "bad"}, "1"}, {Input{.text = "film"}, "0"}};
  const std::vector<Labelled> inputs = prepare_labelled(fixture.loaded, given);
  EXPECT_EQ(head_importance(fixture.loaded, inputs, "attention", silently).scores,
            (std::vector<double>{.7, .9, .7, .9}));
}

TEST(Classify, WorksForModelsThatCannotBeResumed) {
  testing::Fixture fixture = make_fixture(Task::TextClassification);
  const std::vector<LabelledInput> given{{Input{.text = "bad"}, "1"}, {Input{.text = "film"}, "0"}};
  const std::vector<Labelled> inputs = prepare_labelled(fixture.loaded, given);
  HeadMask other = all_heads(fixture.loaded.info());
  other[1][0] = false;
  const std::vector<HeadMask> masks{all_heads(fixture.loaded.info()), other};
  double done = 0;
  const auto found = classify(fixture.loaded, inputs, masks, [&](double share) {
    EXPECT_GE(share, done);
    done = share;
  });
  EXPECT_EQ(done, 1);
  EXPECT_EQ(found, (std::vector<std::vector<int>>{{1, 1}, {1, 1}}));
  EXPECT_EQ(accuracy(inputs, found[0]), 0.5);
}

TEST(Classify, RefusesLogitsThatAreNotFinite) {
  testing::Fixture fixture = make_fixture(Task::TextClassification);
  fixture.model->logits = Tensor::of({2}, std::vector<double>{0, std::numeric_limits<double>::infinity()});
  const std::vector<LabelledInput> given{{Input{.text = "bad"}, "1"}};
  const std::vector<Labelled> inputs = prepare_labelled(fixture.loaded, given);
  EXPECT_THROW(classify(fixture.loaded, inputs, all_heads(fixture.loaded.info())), FormatError);
}

// Runs that share their lower blocks give what each gives alone, whatever the order of the masks.
TEST(Classify, SharedBlocksChangeNothing) {
  for (testing::TinyModel& tiny : testing::tiny_models(DType::Float32)) {
    const ModelInfo info = tiny.model->info();
    const bool classifies = info.task == Task::TextClassification || info.task == Task::ImageClassification;
    if (!classifies || info.labels.size() < 2) continue;
    SCOPED_TRACE(tiny.name);
    LoadedModel loaded{.model = std::move(tiny.model)};
    std::vector<Labelled> inputs;
    for (unsigned seed = 0; seed < 6; ++seed)
      inputs.push_back({.batch = testing::random_batch(info, 1, 3 + static_cast<int>(seed % 2), seed)});
    std::vector<HeadMask> masks;
    for (unsigned m = 0; m < 12; ++m) {
      masks.push_back(all_heads(info));
      unsigned bits = 2654435761U * (m + 1);
      for (auto& layer : masks.back())
        for (std::size_t h = 0; h < layer.size(); ++h, bits = bits * 1664525U + 1013904223U)
          layer[h] = (bits >> 30) != 0;
    }
    const auto together = classify(loaded, inputs, masks, silently);
    for (std::size_t m = 0; m < masks.size(); ++m)
      EXPECT_EQ(together[m], classify(loaded, inputs, masks[m])) << m;
  }
}

}  // namespace
}  // namespace headwater
