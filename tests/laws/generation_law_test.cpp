// Generation with a cache of keys and values, over a tiny checkpoint of every family that generates:
//
//   same bits   the logits after every token = those of a run over all tokens
//   same text   greedy and beam search write what they write without the cache
//   several     tokens given at once = given one by one

#include <set>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "study/generation.h"
#include "support/random.h"
#include "support/tiny_models.h"

namespace headwater::testing {
namespace {

constexpr int given = 3, more = 7;

bool generates(const ModelInfo& info) {
  return info.last().causal && (info.task == Task::TextGeneration || info.task == Task::TextToText);
}

template <class Law>
void for_every_generator(const Law& law) {
  std::set<std::string> families;
  for (const DType dtype : {DType::Float64, DType::Float32})
    for (const TinyModel& tiny : all_tiny_models(dtype)) {
      if (!generates(tiny.model->info())) continue;
      SCOPED_TRACE(tiny.name + " in " + std::string(name_of(dtype)));
      law(*tiny.model);
      families.insert(tiny.model->info().family);
    }
  for (const char* family : {"gpt2", "llama", "bert", "roberta", "electra", "t5"})
    EXPECT_TRUE(families.contains(family)) << family;
}

// A start that has no segments: what is written has none either.
Batch start_of(const ModelInfo& info, int rows, int tokens, unsigned seed) {
  Batch batch = random_batch(info, rows, tokens, seed);
  batch.type_ids.clear();
  return batch;
}

// These columns of the written tokens.
Batch part_of(const Batch& all, Index begin, Index end) {
  Batch part = all;
  for (auto& row : part.prefix.empty() ? part.ids : part.prefix)
    row = std::vector<int>(row.begin() + begin, row.begin() + end);
  return part;
}

Tensor last_logits(const Model& model, Batch batch) {
  batch.positions = {static_cast<int>(written(batch).front().size()) - 1};
  Tape tape(Keep::Nothing);
  return model.run(tape, batch).value;
}

TEST(GenerationLaws, LogitsWithTheCacheHaveTheBitsOfAWholeRun) {
  for_every_generator([](const Model& model) {
    // Long texts where there is no limit: products must not depend on how many keys there are.
    const Batch all = start_of(model.info(), 2, model.info().positions > 0 ? given + more : 140, 1);
    const auto tokens = static_cast<Index>(written(all).front().size());
    KeyValueCache one_by_one, at_once;
    for (Index end = given; end <= tokens; ++end) {
      Batch fresh = part_of(all, end == given ? 0 : end - 1, end);
      fresh.cache = &one_by_one;
      ASSERT_EQ(largest_difference(last_logits(model, fresh), last_logits(model, part_of(all, 0, end))), 0)
          << "after " << end << " tokens";
    }
    EXPECT_EQ(one_by_one.past(), tokens);
    Batch first = part_of(all, 0, given), rest = part_of(all, given, tokens);
    first.cache = rest.cache = &at_once;
    last_logits(model, first);
    EXPECT_EQ(largest_difference(last_logits(model, rest), last_logits(model, all)), 0);
  });
}

TEST(GenerationLaws, TheTextIsTheSameWithoutTheCache) {
  for_every_generator([](const Model& model) {
    const Batch start = start_of(model.info(), 1, given, 2);
    GenerationOptions cached{.max_new_tokens = more, .ends = {1}};
    GenerationOptions anew = cached;
    anew.reuse = Writing::Reuse::Nothing;
    const Generated greedy = generate_greedily(model, start, cached);
    EXPECT_EQ(greedy.ids, generate_greedily(model, start, anew).ids);
    EXPECT_GT(greedy.ids.size(), 0U);
    const std::vector<Generated> beams = search_beams(model, start, 3, cached),
                                 again = search_beams(model, start, 3, anew);
    ASSERT_EQ(beams.size(), again.size());
    for (std::size_t b = 0; b < beams.size(); ++b) {
      EXPECT_EQ(beams[b].ids, again[b].ids);
      EXPECT_EQ(beams[b].score, again[b].score);
    }
  });
}

TEST(GenerationLaws, ACacheOfOtherInputsIsRefused) {
  for_every_generator([](const Model& model) {
    KeyValueCache cache;
    Batch two = start_of(model.info(), 2, given, 3), one = start_of(model.info(), 1, given, 3);
    two.cache = one.cache = &cache;
    last_logits(model, two);
    EXPECT_THROW(last_logits(model, one), InputError);
  });
}

TEST(GenerationLaws, AModelThatIsNotCausalRefusesACache) {
  int refused = 0;
  for (const TinyModel& tiny : tiny_models(DType::Float32)) {
    const ModelInfo& info = tiny.model->info();
    if (info.last().causal || info.image_size > 0) continue;
    KeyValueCache cache;
    Batch batch = random_batch(info, 1, given, 4);
    batch.cache = &cache;
    Tape tape(Keep::Nothing);
    EXPECT_THROW(tiny.model->run(tape, batch), InputError) << tiny.name;
    ++refused;
  }
  EXPECT_GT(refused, 3);
}

}  // namespace
}  // namespace headwater::testing
