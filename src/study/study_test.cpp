#include "study/study.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/fakes.h"

namespace headwater {
namespace {

using testing::make_fixture;

Study text_study(const testing::Fixture& fixture, std::vector<int> positions = {}) {
  Encoding encoding = fixture.loaded.tokenizer->encode("not bad");
  Batch batch{.ids = {encoding.ids()}, .positions = std::move(positions)};
  return Study(*fixture.model, std::move(batch), testing::units_of_text(encoding));
}

TEST(Study, RunsOnceForEveryone) {
  const auto fixture = make_fixture(Task::TextClassification);
  const Study study = text_study(fixture);
  study.run();
  study.run();
  EXPECT_EQ(fixture.model->runs, 1);
  study.run({});
  EXPECT_EQ(fixture.model->runs, 2);
}

TEST(Study, CountsTokensOfTextsAndImages) {
  const auto fixture = make_fixture(Task::TextClassification);
  EXPECT_EQ(text_study(fixture).size(), 4);
  ModelInfo info;
  info.last().modality = Modality::Image;
  info.patch_size = 4;
  info.prefix_tokens = 2;
  const testing::FakeModel vision(info);
  const Study study(vision, Batch{.pixels = Tensor::zeros({1, 3, 8, 12}, DType::Float32)}, {});
  EXPECT_EQ(study.size(), 2 + 2 * 3);
}

TEST(Study, SeedIsOneAtTheTargetAndMinusOneAtTheContrast) {
  const auto fixture = make_fixture(Task::TextClassification);
  Study study = text_study(fixture);
  study.aim({.index = 1, .contrast = 0});
  EXPECT_EQ(study.seed(study.run()).to_doubles(), (std::vector<double>{-1, 1}));
  EXPECT_EQ(study.seed(study.run()).shape(), (Shape{1, 2}));
}

TEST(Study, SeedFindsTheRowAmongTheRowsThatWereComputed) {
  const auto fixture = make_fixture(Task::TokenClassification);
  fixture.model->logits = Tensor::of({4, 2}, std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
  Study study = text_study(fixture, {1, 3});
  study.aim({.position = 3, .index = 0});
  EXPECT_EQ(study.seed(study.run()).to_doubles(), (std::vector<double>{0, 0, 1, 0}));
  Study all = text_study(fixture);
  all.aim({.position = 2, .index = 1});
  EXPECT_EQ(all.seed(all.run()).to_doubles(), (std::vector<double>{0, 0, 0, 0, 0, 1, 0, 0}));
}

TEST(Study, RefusesTargetsOutsideTheLogits) {
  const auto fixture = make_fixture(Task::TextClassification);
  Study study = text_study(fixture);
  EXPECT_THROW(study.aim({.index = 2}), InputError);
  EXPECT_THROW(study.aim({.index = -1}), InputError);
  EXPECT_THROW(study.aim({.index = 0, .contrast = 7}), InputError);
  const auto tokenwise = make_fixture(Task::TokenClassification);
  tokenwise.model->logits = Tensor::zeros({4, 2}, DType::Float64);
  Study rows = text_study(tokenwise, {1});
  EXPECT_THROW(rows.aim({.position = 2}), InputError);
}

}  // namespace
}  // namespace headwater
