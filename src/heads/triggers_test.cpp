// Places worked out by hand from the published attack: round(length · place) to even, length growing with
// what was inserted, one further if it is where the last one went.
#include "heads/triggers.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/fakes.h"

namespace headwater {
namespace {

using Ids = std::vector<int>;

// [CLS] and [SEP] are 0 and 1; words count from 10, those of a second text from 20.
Labelled text(int words, int second = 0) {
  Labelled one;
  Ids ids;
  const auto put = [&](int id, int sequence, bool special) {
    ids.push_back(id);
    one.encoding.tokens.push_back({.id = id, .segment = sequence, .special = special});
  };
  put(0, 0, true);
  for (int w = 0; w < words; ++w) put(10 + w, 0, false);
  put(1, 0, true);
  for (int w = 0; w < second; ++w) put(20 + w, 1, false);
  if (second > 0) put(1, 1, true);
  one.batch.ids = {ids};
  return one;
}

TriggerToken token(int id, double place, int sequence = 0) {
  return {.id = id, .sequence = sequence, .place = place};
}

TEST(WithTrigger, GoesToItsRelativePlace) {
  EXPECT_EQ(with_trigger(text(4), {token(7, 0.5)}, 0), (Ids{0, 10, 11, 7, 12, 13, 1})) << "round(2.0)";
  EXPECT_EQ(with_trigger(text(4), {token(7, 1)}, 0), (Ids{0, 10, 11, 12, 13, 7, 1})) << "before [SEP]";
  EXPECT_EQ(with_trigger(text(4), {token(7, 0.1)}, 0), (Ids{0, 7, 10, 11, 12, 13, 1}))
      << "round(0.4), after [CLS]";
}

TEST(WithTrigger, RoundsToEven) {
  EXPECT_EQ(with_trigger(text(5), {token(7, 0.5)}, 0), (Ids{0, 10, 11, 7, 12, 13, 14, 1}))
      << "round(2.5) = 2";
  EXPECT_EQ(with_trigger(text(7), {token(7, 0.5)}, 0), (Ids{0, 10, 11, 12, 13, 7, 14, 15, 16, 1}))
      << "round(3.5) = 4";
}

TEST(WithTrigger, CountsWhatWasInsertedBefore) {
  // round(4 · 0.5) = 2, then round(5 · 0.75) = round(3.75) = 4
  EXPECT_EQ(with_trigger(text(4), {token(7, 0.5), token(8, 0.75)}, 0), (Ids{0, 10, 11, 7, 12, 8, 13, 1}));
  // round(4 · 0.25) = 1, then round(5 · 0.25) = round(1.25) = 1 again: one further
  EXPECT_EQ(with_trigger(text(4), {token(7, 0.25), token(8, 0.25)}, 0), (Ids{0, 10, 7, 8, 11, 12, 13, 1}));
}

TEST(WithTrigger, KeepsTheTextsOfAPairApart) {
  EXPECT_EQ(with_trigger(text(2, 2), {token(7, 1, 0), token(8, 0.5, 1)}, 0),
            (Ids{0, 10, 11, 7, 1, 20, 8, 21, 1}));
  EXPECT_EQ(with_trigger(text(2), {token(8, 0.5, 1)}, 0), (Ids{0, 10, 11, 1})) << "no second text to go into";
}

TEST(WithTrigger, CutsToTheLimitBeforeTheLastSpecialToken) {
  EXPECT_EQ(with_trigger(text(4), {token(7, 0.5)}, 6), (Ids{0, 10, 11, 7, 12, 1}));
  EXPECT_EQ(with_trigger(text(4), {token(7, 0.5)}, 7), (Ids{0, 10, 11, 7, 12, 13, 1}));
}

TEST(FindTriggers, NeedsAText) {
  testing::Fixture fixture = testing::make_fixture(Task::ImageClassification);
  fixture.loaded.tokenizer = nullptr;
  EXPECT_THROW(find_triggers(fixture.loaded, {}, {}, [](double) {}), Unsupported);
}

}  // namespace
}  // namespace headwater
