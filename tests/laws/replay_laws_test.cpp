// Laws of replay over every family: changed copies that run together, at one place or several, have the bits
// of edited runs on their own; rows that are asked for alone have the bits they have among all; and what is
// pulled back through a replay is the gradient of an edited run.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "ops/ops.h"
#include "support/random.h"
#include "support/tiny_models.h"

namespace headwater::testing {
namespace {

constexpr int tokens = 6;

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.data<double>(), b.data<double>(), a.bytes()) == 0;
}

template <class F>
void for_every_model(const F& f) {
  for (const TinyModel& tiny : tiny_models(DType::Float64)) {
    SCOPED_TRACE(tiny.name);
    f(*tiny.model, random_batch(tiny.model->info(), 1, tokens, 7));
  }
}

Tensor put(const Model& model, const Batch& batch, Place at, const Tensor& value) {
  Tape edited(Keep::Nothing, {{at, [&](Tensor& v) { v = value.reshaped(v.shape()); }}});
  return model.run(edited, batch).value;
}

TEST(ReplayLaws, CopiesAtSeveralPlacesHaveTheBitsOfEditedRuns) {
  for_every_model([](const Model& model, const Batch& batch) {
    Tape tape;
    const Var logits = model.run(tape, batch);
    const int last = model.info().last().layers - 1;
    const std::vector<Place> places{{Site::V, last}, {Site::Z, 0}, {Site::ResidPre, 0}, {Site::Z, last}};
    std::vector<Changed> changes;
    unsigned seed = 11;
    for (const Place place : places) {
      const Var at = tape.at(place);
      const Index copies = 1 + static_cast<Index>(changes.size()) % 2;
      changes.push_back({at, random_tensor(at.value.shape().without_front().with_front(copies), seed++)});
    }
    Tape together;
    const Replayed again = tape.replay(changes, logits, together);
    Index member = 0;
    for (std::size_t c = 0; c < changes.size(); ++c)
      for (Index k = 0; k < changes[c].copies.dim(0); ++k, ++member)
        EXPECT_TRUE(same_bits(again.value.value.rows(member, 1),
                              put(model, batch, places[c], changes[c].copies.rows(k, 1))))
            << text_of(places[c]);
    EXPECT_EQ(member, again.value.value.dim(0));
  });
}

TEST(ReplayLaws, SomeRowsHaveTheBitsTheyHaveAmongAll) {
  for_every_model([](const Model& model, const Batch& batch) {
    Tape tape;
    model.run(tape, batch);
    for (int l = 0; l < model.info().last().layers; ++l) {
      const Var z = tape.at(Site::Z, l), out = tape.at(Site::ResidPost, l);
      const std::vector<int> rows{3, 0, 3};
      const Changed change{.at = z, .copies = random_tensor(z.value.shape(), 5)};
      Tape whole, some(Keep::Nothing);
      const Tensor all = tape.replay({&change, 1}, out, whole).value.value;
      const Tensor found = tape.replay({&change, 1}, out, some, {.rows = rows}).value.value;
      ASSERT_EQ(found.dim(1), 3);
      const Index D = all.dim(2);
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (Index d = 0; d < D; ++d)
          EXPECT_EQ(found.at(static_cast<Index>(r) * D + d), all.at(rows[r] * D + d));
    }
  });
}

TEST(ReplayLaws, PullsBackTheGradientOfAnEditedRun) {
  for_every_model([](const Model& model, const Batch& batch) {
    Tape tape;
    const Var logits = model.run(tape, batch);
    const int last = model.info().last().layers - 1;
    for (const Place place : {Place(Site::Z, 0), Place(Site::Z, last)}) {
      const Tensor changed = random_tensor(tape.at(place).value.shape(), 3);
      const Tensor seed = random_tensor(logits.value.shape(), 4);
      Tape edited(Keep::Everything, {{place, [&](Tensor& v) { v = changed; }}});
      const Var expected_from = model.run(edited, batch);
      const Tensor expected = edited.pull(expected_from, seed, rules::gradient, {place}).at(place);
      Tape onto;
      const Changed change{.at = tape.at(place), .copies = changed};
      const Replayed again = tape.replay({&change, 1}, logits, onto);
      const Var entry = again.entries[0].var;
      const Tensor found = onto.pull_to({entry}, again.value, seed, rules::gradient).of(entry);
      const Rows rows = again.entries[0].rows;
      const Index width = expected.dim(2), count = rows ? static_cast<Index>(rows->size()) : expected.dim(1);
      ASSERT_EQ(found.dim(1), count);
      double others = 0;
      for (Index i = 0; i < expected.size(); ++i) others += std::abs(expected.at(i));
      for (Index r = 0; r < count; ++r)
        for (Index d = 0; d < width; ++d) {
          const Index row = rows ? (*rows)[static_cast<std::size_t>(r)] : r;
          EXPECT_NEAR(found.at(r * width + d), expected.at(row * width + d), 1e-12 * (1 + others));
          others -= std::abs(expected.at(row * width + d));
        }
      EXPECT_LE(others, 1e-9) << "rows that were left out have no gradient";
    }
  });
}

TEST(ReplayLaws, WithoutValuesTheyAreAskedFor) {
  for_every_model([](const Model& model, const Batch& batch) {
    Tape tape;
    const Var logits = model.run(tape, batch);
    const auto bare = tape.without_values();
    const Tensor changed = random_tensor(tape.at(Site::Z, 0).value.shape(), 3);
    const Changed kept{.at = tape.at(Site::Z, 0), .copies = changed};
    const Changed asked{.at = bare->spot({Site::Z, 0}), .copies = changed};
    Tape a(Keep::Nothing), b(Keep::Nothing), c(Keep::Nothing);
    const Tensor expected = tape.replay({&kept, 1}, logits, a).value.value;
    const ReplayOptions options{.rows = {}, .missing = [&](Place place) { return tape.at(place).value; }};
    EXPECT_TRUE(
        same_bits(bare->replay({&asked, 1}, bare->spot(Site::Logits), b, options).value.value, expected));
    EXPECT_THROW(bare->replay({&asked, 1}, bare->spot(Site::Logits), c), InternalError);
  });
}

TEST(ReplayLaws, RefusesWhatCannotBeReplayed) {
  Tape tape;
  const Var x = tape.leaf(random_tensor({1, 3, 2}, 1), Site::ResidPre), y = scale(x, 2, Site::Logits);
  Tape onto, other;
  EXPECT_THROW(tape.replay({}, y, onto), InternalError);
  const Changed shape{.at = x, .copies = random_tensor({1, 2, 2}, 1)};
  EXPECT_THROW(tape.replay({&shape, 1}, y, onto), InternalError);
  const Changed foreign{.at = other.leaf(random_tensor({1, 3, 2}, 1)), .copies = random_tensor({1, 3, 2}, 1)};
  EXPECT_THROW(tape.replay({&foreign, 1}, y, onto), InternalError);
  Tape edited(Keep::Everything, {{Site::Logits, [](Tensor&) {}}});
  const Var z = edited.leaf(random_tensor({1, 3, 2}, 1), Site::ResidPre);
  const Changed before{.at = z, .copies = z.value};
  EXPECT_THROW(edited.replay({&before, 1}, scale(z, 2, Site::Logits), onto), InternalError);
  EXPECT_THROW(scale(x, 2, Site::Logits), InternalError) << "a place is recorded once";
}

}  // namespace
}  // namespace headwater::testing
