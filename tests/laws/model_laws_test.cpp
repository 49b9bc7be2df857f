// The laws every family obeys, on a tiny random checkpoint of every head it has:
//
//   gradient      the signal at the embedding (or pixels) = central differences of a logit
//   tangent       a part pushed from there = central differences of all logits
//   alone         a row does not depend on the rest of its batch, nor on the number of threads: the same bits
//   parted        an input's part of a batch's tape = its run alone: values, signals and replays, the same bits
//   causal        no signal flows to a later token: exactly zero
//   patterns      rows sum to one
//   stacks        the info's stacks are those that a run records
//   complete      every tensor of the file is read
//   replay        from an edited value vector = a run with that edit: the same bits
//   forgetful     keeping nothing changes nothing

#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "blocks/recognise.h"
#include "support/random.h"
#include "support/replayed.h"
#include "support/tiny_models.h"

namespace headwater::testing {
namespace {

constexpr int tokens = 5;

const std::vector<TinyModel>& models() {
  static const std::vector<TinyModel> all = all_tiny_models(DType::Float64);
  return all;
}

template <class Law>
void for_every_model(const Law& law) {
  std::set<std::string> families;
  for (const TinyModel& tiny : models()) {
    SCOPED_TRACE(tiny.name);
    law(*tiny.model);
    families.insert(tiny.model->info().family);
  }
  for (const Family* family : all_families())
    EXPECT_TRUE(families.contains(std::string(family->name))) << "no tiny checkpoint for " << family->name;
}

// Where the input enters: pixels, or the embeddings of each stack that reads tokens.
std::vector<Place> sources_of(const Model& model) {
  if (model.info().image_size > 0) return {Site::Pixels};
  std::vector<Place> sources;
  for (std::size_t s = 0; s < model.info().stacks.size(); ++s)
    sources.emplace_back(Site::Embed, 0, static_cast<int>(s));
  return sources;
}

// Calls `law` with every block of every stack.
template <class Law>
void for_every_block(const ModelInfo& info, const Law& law) {
  for (std::size_t s = 0; s < info.stacks.size(); ++s)
    for (int l = 0; l < info.stacks[s].layers; ++l)
      law(BlockAt{.layer = l, .stack = static_cast<int>(s)}, info.stacks[s]);
}

// The logits of an input whose source value was moved by step · direction.
Tensor moved_logits(const Model& model, const Batch& batch, Place source, const Tensor& direction,
                    double step) {
  Tape tape(Keep::Nothing, {{.at = source, .apply = [&](Tensor& x) {
                               for (Index i = 0; i < x.size(); ++i)
                                 x.data<double>()[i] += step * direction.at(i);
                             }}});
  return model.run(tape, batch).value;
}

void expect_derivatives(const Model& model, Place place) {
  const Batch batch = random_batch(model.info(), 2, tokens, 1);
  Tape tape;
  const Var logits = model.run(tape, batch);
  const Var source = tape.at(place);
  const Tensor m = random_tensor(logits.value.shape(), 2);
  const Tensor u = random_tensor(source.value.shape(), 3);
  const Tensor gradient = tape.pull(logits, m, rules::gradient, {place}).of(source);
  const Tensor tangent = tape.push(source, u, rules::gradient, {{Site::Logits, 0}}).of(logits);
  constexpr double h = 1e-6;
  const Tensor up = moved_logits(model, batch, place, u, h), down = moved_logits(model, batch, place, u, -h);
  double along_m = 0, scale = 0;
  for (Index i = 0; i < up.size(); ++i) {
    const double slope = (up.at(i) - down.at(i)) / (2 * h);
    scale = std::max(scale, std::abs(slope));
    along_m += slope * m.at(i);
    ASSERT_NEAR(tangent.at(i), slope, 2e-6 * (1 + std::abs(slope)));
  }
  EXPECT_NEAR(dot(gradient, u), along_m, 2e-6 * (1 + scale) * static_cast<double>(up.size()));
  EXPECT_NEAR(dot(gradient, u), dot(tangent, m), 1e-10 * (1 + scale) * static_cast<double>(up.size()));
}

TEST(ModelLaws, PullAndPushAreTheDerivativesAtTheSource) {
  for_every_model([](const Model& model) {
    for (const Place source : sources_of(model)) expect_derivatives(model, source);
  });
}

Batch input_of(const Batch& all, int input) {
  const auto i = static_cast<std::size_t>(input);
  Batch one;
  if (!all.pixels.empty()) {
    one.pixels = all.pixels.rows(input, 1);
    return one;
  }
  one.ids = {all.ids[i]};
  one.type_ids = {all.type_ids[i]};
  if (!all.prefix.empty()) one.prefix = {all.prefix[i]};
  return one;
}

TEST(ModelLaws, ARowDependsNeitherOnItsNeighboursNorOnThreads) {
  for (const DType dtype : {DType::Float64, DType::Float32})
    for (const TinyModel& tiny : all_tiny_models(dtype)) {
      SCOPED_TRACE(tiny.name);
      const Model& model = *tiny.model;
      const Batch all = random_batch(model.info(), 3, tokens, 4);
      Tape tape(Keep::Nothing);
      const Tensor together = model.run(tape, all).value;
      for (int r = 0; r < 3; ++r) {
        const Batch one = input_of(all, r);
        for (const int threads : {1, 2}) {
          const int before = thread_count();
          set_thread_count(threads);
          Tape alone(Keep::Nothing);
          EXPECT_EQ(largest_difference(model.run(alone, one).value, together.rows(r, 1)), 0) << "row " << r;
          set_thread_count(before);
        }
      }
    }
}

void expect_the_same(const Tensor& found, const Tensor& expected) {
  ASSERT_EQ(found.shape(), expected.shape());
  if (expected.empty()) return;
  ASSERT_EQ(largest_difference(found, expected), 0);
}

TEST(ModelLaws, AnInputsPartOfABatchIsItsRunAlone) {
  for_every_model([](const Model& model) {
    const Batch all = random_batch(model.info(), 3, tokens, 4);
    Tape together;
    const Var logits = model.run(together, all);
    for (int r = 0; r < 3; ++r) {
      Tape alone;
      const Var own = model.run(alone, input_of(all, r));
      const std::unique_ptr<Tape> part = together.of_input(r);
      ASSERT_EQ(part->size(), alone.size());
      const auto here = [&](int id) { return Var{.tape = part.get(), .id = id, .value = {}}; };
      Var end = here(logits.id);
      end.value = logits.value.rows(r, 1);
      expect_the_same(end.value, own.value);
      const Tensor seed = random_tensor(own.value.shape(), 5);
      const Signals found = part->pull(end, seed, rules::gradient);
      const Signals expected = alone.pull(own, seed, rules::gradient);
      for (int id = 0; id < static_cast<int>(alone.size()); ++id) {
        const Var there{.tape = &alone, .id = id, .value = {}};
        const Origin mine = part->origin_of(here(id)), theirs = alone.origin_of(there);
        ASSERT_EQ(mine.inputs.size(), theirs.inputs.size());
        for (std::size_t k = 0; k < mine.inputs.size(); ++k)
          expect_the_same(mine.inputs[k].value, theirs.inputs[k].value);
        expect_the_same(found.of(here(id)), expected.of(there));
      }
      for_every_block(model.info(), [&](BlockAt at, const Stack& /*stack*/) {
        const Var v = alone.at(at(Site::V));
        const Tensor changed = random_tensor(v.value.shape(), 6);
        expect_the_same(replayed(*part, part->at(at(Site::V)), changed, end),
                        replayed(alone, v, changed, own));
      });
    }
  });
}

TEST(ModelLaws, CausalStacksSendNoSignalToTheFuture) {
  int causal = 0;
  for_every_model([&](const Model& model) {
    const ModelInfo& info = model.info();
    if (!info.last().causal) return;
    ++causal;
    Tape tape;
    model.run(tape, random_batch(info, 1, tokens, 5));
    const int stack = static_cast<int>(info.stacks.size()) - 1;
    const Var last = tape.at({Site::ResidPost, info.last().layers - 1, stack});
    for (Index t = 0; t < last.value.dim(1); ++t) {
      Tensor seed = Tensor::zeros(last.value.shape(), DType::Float64);
      for (Index d = 0; d < info.last().width; ++d)
        seed.data<double>()[t * info.last().width + d] = 1 + static_cast<double>(d);
      const Tensor at_source = tape.pull(last, seed, rules::gradient).at({Site::Embed, 0, stack});
      const Index width = at_source.dim(2);
      double past = 0;
      for (Index i = 0; i < at_source.size(); ++i) {
        if (i / width > t) {
          EXPECT_EQ(at_source.at(i), 0) << "from token " << t << " to " << i / width;
        }
        past += std::abs(at_source.at(i));
      }
      EXPECT_GT(past, 0);
    }
  });
  EXPECT_GE(causal, 4);
}

void expect_row_sums(const Tensor& pattern) {
  const Index keys = pattern.dim(3);
  for (Index row = 0; row < pattern.size() / keys; ++row) {
    double sum = 0;
    for (Index k = 0; k < keys; ++k) {
      ASSERT_GE(pattern.at(row * keys + k), 0);
      sum += pattern.at(row * keys + k);
    }
    ASSERT_NEAR(sum, 1, 1e-12);
  }
}

TEST(ModelLaws, PatternsSumToOne) {
  for_every_model([](const Model& model) {
    Tape tape(Keep::Sites);
    model.run(tape, random_batch(model.info(), 2, tokens, 6));
    for_every_block(model.info(), [&](BlockAt at, const Stack& stack) {
      expect_row_sums(tape.at(at(Site::Pattern)).value);
      if (stack.reads >= 0) expect_row_sums(tape.at(at(Site::CrossPattern)).value);
    });
  });
}

// What the info says of the stacks is what a run records.
TEST(ModelLaws, StacksAreWhatARunRecords) {
  for_every_model([](const Model& model) {
    const ModelInfo& info = model.info();
    EXPECT_EQ(info.last().name, info.image_size > 0 ? "vision" : info.last().causal ? "decoder" : "encoder");
    Tape tape(Keep::Sites);
    const Batch batch = random_batch(info, 1, tokens, 10);
    model.run(tape, batch);
    for_every_block(info, [&](BlockAt at, const Stack& stack) {
      const Tensor pattern = tape.at(at(Site::Pattern)).value;
      EXPECT_EQ(pattern.dim(1), stack.heads);
      EXPECT_EQ(stack.causal, pattern.at(1) == 0) << "the first row sees the second key";
      EXPECT_EQ(tape.at(at(Site::Q)).value.dim(2), Index{stack.heads} * stack.head_width);
      EXPECT_EQ(tape.at(at(Site::V)).value.dim(2), Index{stack.groups} * stack.head_width);
      EXPECT_EQ(tape.at(at(Site::ResidPost)).value.dim(2), stack.width);
      EXPECT_EQ(tape.at(at(Site::MlpPost)).value.dim(2), stack.feed_forward);
      EXPECT_EQ(tape.has(at(Site::CrossPattern)), stack.reads >= 0);
    });
    for (std::size_t s = 0; s < info.stacks.size(); ++s) {
      EXPECT_LT(info.stacks[s].reads, static_cast<int>(s)) << "a stack reads one before it";
      EXPECT_FALSE(tape.recorded({Site::Pattern, info.stacks[s].layers, static_cast<int>(s)}));
    }
    EXPECT_FALSE(tape.recorded({Site::Pattern, 0, static_cast<int>(info.stacks.size())}));
  });
}

TEST(ModelLaws, EveryTensorOfTheFileIsRead) {
  for_every_model([](const Model& model) {
    EXPECT_TRUE(model.info().unread.empty()) << model.info().unread.front();
    EXPECT_GT(model.info().parameters, 0U);
  });
}

TEST(ModelLaws, PlainBlocksAreThoseThatAreRecognised) {
  for_every_model([](const Model& model) {
    Tape tape;
    model.run(tape, random_batch(model.info(), 1, tokens, 7));
    bool all = true;
    for_every_block(model.info(), [&](BlockAt at, const Stack&) {
      const std::optional<PlainBlock> block = plain_block(tape, at);
      all = all && block.has_value();
      EXPECT_TRUE(!block || block->pre_norm == model.info().pre_norm);
    });
    EXPECT_EQ(all, model.info().plain_blocks);
  });
}

TEST(ModelLaws, ReplayFromAnEditedValueEqualsAnEditedRun) {
  for_every_model([](const Model& model) {
    const Batch batch = random_batch(model.info(), 1, tokens, 7);
    Tape tape;
    const Var logits = model.run(tape, batch);
    for_every_block(model.info(), [&](BlockAt at, const Stack& /*stack*/) {
      const auto zero_second_token = [](Tensor& v) {
        for (Index e = 0; e < v.dim(2); ++e) v.data<double>()[v.dim(2) + e] = 0;
      };
      const Var v = tape.at(at(Site::V));
      Tensor changed = v.value.clone();
      zero_second_token(changed);
      Tape edited(Keep::Nothing, {{.at = at(Site::V), .apply = zero_second_token}});
      const Tensor expected = model.run(edited, batch).value;
      EXPECT_EQ(largest_difference(replayed(tape, v, changed, logits), expected), 0);
      EXPECT_GT(largest_difference(expected, logits.value), 0);
    });
  });
}

TEST(ModelLaws, KeepingNothingChangesNothing) {
  for_every_model([](const Model& model) {
    const Batch batch = random_batch(model.info(), 1, tokens, 8);
    Tape everything, sites(Keep::Sites), nothing(Keep::Nothing);
    const Tensor expected = model.run(everything, batch).value;
    EXPECT_EQ(largest_difference(model.run(sites, batch).value, expected), 0);
    EXPECT_EQ(largest_difference(model.run(nothing, batch).value, expected), 0);
    EXPECT_EQ(nothing.kept_bytes(), 0U);
    EXPECT_GT(everything.kept_bytes(), sites.kept_bytes());
  });
}

TEST(ModelLaws, BadBatchesAreRefused) {
  for_every_model([](const Model& model) {
    const auto refused = [&](const Batch& batch) {
      Tape tape(Keep::Nothing);
      EXPECT_THROW(model.run(tape, batch), InputError);
    };
    refused({});
    if (model.info().image_size > 0) {
      Batch wrong = random_batch(model.info(), 1, tokens, 9);
      wrong.pixels = Tensor::zeros({1, model.info().channels, 3, 3}, DType::Float64);
      refused(wrong);
      return;
    }
    Batch outside = random_batch(model.info(), 1, tokens, 9);
    outside.ids[0][1] = model.info().vocabulary;
    refused(outside);
    if (model.info().positions > 0) refused(random_batch(model.info(), 1, model.info().positions + 1, 9));
    Batch ragged = random_batch(model.info(), 2, tokens, 9);
    ragged.ids[1].pop_back();
    refused(ragged);
    Batch segments = random_batch(model.info(), 1, tokens, 9);
    segments.type_ids[0][0] = std::max(1, model.info().segments);
    refused(segments);
    Batch position = random_batch(model.info(), 1, tokens, 9);
    position.positions = {static_cast<int>(written(position).front().size())};
    refused(position);
    Batch prefix = random_batch(model.info(), 1, tokens, 9);
    if (is_encoder_decoder(model.info()))
      prefix.prefix.clear();
    else
      prefix.prefix = {{0}};
    refused(prefix);
  });
}

}  // namespace
}  // namespace headwater::testing
