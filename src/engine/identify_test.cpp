// Token identifiability through the facade, on the shipped sentiment model.
#include <filesystem>

#include <gtest/gtest.h>
#include <headwater/engine.h>
#include <unistd.h>

#include "base/files.h"
#include "base/parallel.h"
#include "support/scratch_folder.h"
#include "support/shipped_engines.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

using testing::sentiment;

IdentifyRequest request_for(int texts) {
  const std::vector<std::string> subjects{"the film", "this plot", "her acting", "a story", "the old song"};
  const std::vector<std::string> words{"gripping", "dull", "funny", "slow", "warm", "the best of the year",
                                       "a mess"};
  IdentifyRequest request;
  for (int t = 0; t < texts; ++t) {
    const auto u = static_cast<std::size_t>(t);
    request.texts.push_back({.text = subjects[u % 5] + " is " + words[u % 7] + " and " + words[(u / 3) % 7]});
  }
  request.states = {0, 2};
  return request;
}

bool same(const TokenRate& a, const TokenRate& b) {
  return a.rate == b.rate && a.low == b.low && a.high == b.high;
}

void expect_same(const IdentifyReport& a, const IdentifyReport& b) {
  ASSERT_EQ(a.cells.size(), b.cells.size());
  for (std::size_t i = 0; i < a.cells.size(); ++i) {
    EXPECT_TRUE(same(a.cells[i].rates.id, b.cells[i].rates.id)) << i;
    EXPECT_TRUE(same(a.cells[i].rates.position, b.cells[i].rates.position)) << i;
    EXPECT_TRUE(same(a.cells[i].rates.content_id, b.cells[i].rates.content_id)) << i;
    EXPECT_TRUE(same(a.cells[i].rates.content_position, b.cells[i].rates.content_position)) << i;
    EXPECT_EQ(a.cells[i].epochs, b.cells[i].epochs) << i;
  }
  for (std::size_t i = 0; i < a.anisotropy.size(); ++i)
    EXPECT_EQ(a.anisotropy[i].mean_cosine, b.anisotropy[i].mean_cosine);
}

TEST(Identify, MeasuresTheModelBesideItsUntrainedSelf) {
  const IdentifyReport report = sentiment().identify(request_for(60));
  EXPECT_EQ(report.cells.size(), 2U * 2 * 2 * 2);
  EXPECT_EQ(report.texts, 60U);
  EXPECT_EQ(report.tested_texts, report.test_texts);
  EXPECT_GT(report.chance.id, 0.05);
  EXPECT_LE(report.chance.position, report.chance.id);
  for (const Check& check : report.checks) EXPECT_TRUE(check.passed) << check.name;
  for (const IdentifyCell& cell : report.cells) {
    EXPECT_LE(cell.rates.id.low, cell.rates.id.rate);
    EXPECT_GE(cell.rates.id.high, cell.rates.id.rate);
    EXPECT_LE(cell.rates.position.rate, cell.rates.id.rate);
    // The residual path of an untrained model keeps the tokens apart.
    if (cell.control && cell.map == TokenMap::Naive && cell.distance == TokenDistance::Cosine) {
      EXPECT_GT(cell.rates.id.rate, 0.9);
    }
  }
}

TEST(Identify, IsTheSameForAnyThreadsWindowsAndOrderOfMaps) {
  IdentifyRequest request = request_for(40);
  request.maps = {TokenMap::Naive, TokenMap::Linear, TokenMap::Mlp};
  request.mlp = {.hidden = 40, .learning_rate = 1e-3, .batch = 64, .patience = 2, .epochs = 3};
  request.control = false;
  const int before = thread_count();
  set_thread_count(1);
  const IdentifyReport one = sentiment().identify(request);
  set_thread_count(3);
  expect_same(one, sentiment().identify(request));
  set_thread_count(before);
  const std::size_t all = sentiment().plan_identify(request).bytes;
  IdentifyRequest tight = request;
  for (tight.max_memory = all - 1; sentiment().plan_identify(tight).passes == 1;
       tight.max_memory -= 1 << 10) {
  }
  EXPECT_EQ(sentiment().plan_identify(tight).passes, 2);
  expect_same(one, sentiment().identify(tight));
  tight.max_memory = 1 << 16;
  EXPECT_THROW(sentiment().identify(tight), InputError);
}

TEST(Identify, SaysWhichTrainingTheLimitCut) {
  IdentifyRequest request = request_for(40);
  request.distances = {TokenDistance::Cosine};
  request.maps = {TokenMap::Naive, TokenMap::Mlp};
  request.mlp = {.hidden = 10, .learning_rate = 1e-4, .batch = 64, .patience = 20, .epochs = 1};
  request.control = false;
  const IdentifyReport cut = sentiment().identify(request);
  ASSERT_EQ(cut.notes.size(), 1U);
  EXPECT_TRUE(cut.notes[0].starts_with("2 of 2 mlp maps reached the limit of 1 epochs")) << cut.notes[0];
  request.maps = {TokenMap::Naive};
  EXPECT_TRUE(sentiment().identify(request).notes.empty());
}

TEST(Identify, AnInterruptedRunGoesOn) {
  const testing::ScratchFolder folder;
  const std::string path = folder / "cells.json";
  IdentifyRequest request = request_for(40);
  request.maps = {TokenMap::Naive, TokenMap::Linear, TokenMap::Mlp};
  request.mlp = {.hidden = 30, .learning_rate = 1e-3, .batch = 64, .patience = 2, .epochs = 3};
  const IdentifyReport whole = sentiment().identify(request);
  // A first run of less leaves its cells; the second asks for more and computes only those.
  IdentifyRequest less = request;
  less.resume = path;
  less.maps = {TokenMap::Linear};
  less.control = false;
  sentiment().identify(less);
  request.resume = path;
  int calls = 0;
  request.progress = [&](const Progress& progress) {
    EXPECT_GE(progress.done, 0);
    EXPECT_LE(progress.done, 1);
    if (++calls > 12) throw InputError("stopped here");
  };
  EXPECT_THROW(sentiment().identify(request), InputError);
  request.progress = {};
  const IdentifyReport resumed = sentiment().identify(request);
  EXPECT_GE(resumed.resumed_cells, 4U);
  expect_same(whole, resumed);
  EXPECT_EQ(sentiment().identify(request).resumed_cells, whole.cells.size());
  IdentifyRequest other = request;
  other.seed = 1;
  EXPECT_THROW(sentiment().identify(other), InputError);
}

TEST(Identify, MapsMayBeTestedOnOtherStates) {
  IdentifyRequest request = request_for(40);
  request.across = true;
  request.control = false;
  const IdentifyReport across = sentiment().identify(request);
  request.across = false;
  const IdentifyReport own = sentiment().identify(request);
  EXPECT_EQ(across.cells.size(), 2U * 2 + 2 * 2 * 2);  // naive on its own state, linear on both
  std::size_t compared = 0;
  for (const IdentifyCell& a : across.cells)
    for (const IdentifyCell& b : own.cells)
      if (a.map == b.map && a.distance == b.distance && a.state == b.state && a.trained_on == b.trained_on) {
        EXPECT_TRUE(same(a.rates.id, b.rates.id));
        ++compared;
      }
  EXPECT_EQ(compared, own.cells.size());
}

TEST(Identify, FoldsTestEveryText) {
  IdentifyRequest request = request_for(30);
  request.folds = 5;
  request.control = false;
  const IdentifyReport report = sentiment().identify(request);
  EXPECT_EQ(report.tested_texts, 30U);
  EXPECT_EQ(report.tested_tokens, report.tokens);
}

TEST(Identify, AVocabularyIsHarderThanATextAndHasNoPositions) {
  IdentifyRequest request = request_for(40);
  request.control = false;
  const IdentifyReport text = sentiment().identify(request);
  request.pool = TokenPool::Vocabulary;
  const IdentifyReport whole = sentiment().identify(request);
  ASSERT_EQ(text.cells.size(), whole.cells.size());
  for (std::size_t i = 0; i < text.cells.size(); ++i) {
    EXPECT_LE(whole.cells[i].rates.id.rate, text.cells[i].rates.id.rate);
    EXPECT_FALSE(whole.cells[i].rates.position.rate == whole.cells[i].rates.position.rate);
  }
}

TEST(Identify, RefusesWhatItCannotDo) {
  const auto refuses = [](const std::function<void(IdentifyRequest&)>& change) {
    IdentifyRequest request = request_for(10);
    change(request);
    EXPECT_THROW(sentiment().plan_identify(request), InputError);
    EXPECT_THROW(sentiment().identify(request), InputError);
  };
  refuses([](IdentifyRequest& r) { r.texts.clear(); });
  refuses([](IdentifyRequest& r) { r.texts.resize(2); });
  refuses([](IdentifyRequest& r) { r.texts[1].text = "\xff"; });
  refuses([](IdentifyRequest& r) { r.maps.clear(); });
  refuses([](IdentifyRequest& r) { r.maps = {TokenMap::Linear, TokenMap::Linear}; });
  refuses([](IdentifyRequest& r) { r.distances.clear(); });
  refuses([](IdentifyRequest& r) { r.states = {99}; });
  refuses([](IdentifyRequest& r) { r.ridge = -1; });
  refuses([](IdentifyRequest& r) { r.mlp.hidden = 0; });
  refuses([](IdentifyRequest& r) { r.mlp.batch = 0; });
  refuses([](IdentifyRequest& r) { r.mlp.patience = 0; });
  refuses([](IdentifyRequest& r) { r.mlp.epochs = 0; });
  refuses([](IdentifyRequest& r) { r.mlp.learning_rate = 0; });
  refuses([](IdentifyRequest& r) { r.folds = 2; });
  refuses([](IdentifyRequest& r) {
    r.pool = TokenPool::Vocabulary;
    r.target = TokenTarget::Sum;
  });
  const Engine vision = Engine::load(std::string(HEADWATER_SOURCE_DIR) + "/models/vision");
  EXPECT_THROW(vision.identify(request_for(10)), Unsupported);
}

}  // namespace
}  // namespace headwater
