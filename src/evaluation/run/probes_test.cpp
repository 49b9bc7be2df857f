// Probes on states that are known: a model whose blocks say nothing, the truth, and the truth but for one
// word that misleads.
#include <gtest/gtest.h>
#include <headwater/error.h>

#include "evaluation/run/evaluate.h"
#include "support/fakes.h"

namespace headwater {
namespace {

// At every place: block 0 writes a constant, block 1 +10 if the text has "good" and −10 if not, block 2 the
// same but that "film" turns it round.
class KnownStates : public Model {
 public:
  explicit KnownStates(ModelInfo info) { info_ = std::move(info); }

 protected:
  Var forward(Tape& tape, const Batch& batch) const override {
    const std::vector<int>& ids = batch.ids.front();
    const auto has = [&](int id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
    const double sign = has(8) ? 10 : -10;
    for (int layer = 0; layer < 3; ++layer) {
      std::vector<double> states;
      for (std::size_t t = 0; t < ids.size(); ++t)
        for (const double x : {layer == 0 ? 3.0 : layer == 2 && has(11) ? -sign : sign, 1.0})
          states.push_back(x);
      tape.leaf(Tensor::of({1, static_cast<Index>(ids.size()), 2}, states), {Site::ResidPost, layer});
    }
    return tape.leaf(Tensor::of({1, 1, 2}, std::vector<double>{0, 1}), Site::Logits);
  }
};

LoadedModel known_states() {
  testing::Fixture fixture = testing::make_fixture(Task::FillMask);
  ModelInfo info = fixture.loaded.info();
  info.last().layers = 3;
  fixture.loaded.model = std::make_shared<KnownStates>(info);
  return fixture.loaded;
}

// Ten plurals and five singulars, the fourth with the word that misleads block 2.
std::vector<std::optional<EvaluationExample>> asked_examples() {
  std::vector<std::optional<EvaluationExample>> asked;
  for (int i = 0; i < 15; ++i) {
    EvaluationExample example;
    const bool plural = i % 3 != 1;
    example.input.text = plural ? "good [MASK]" : "bad [MASK]";
    if (i == 3) example.input.text += " film";
    example.property = plural ? "plural" : "singular";
    asked.emplace_back(std::move(example));
  }
  return asked;
}

TEST(EvaluationProbes, TellWhatTheStatesSay) {
  // A probe of constants says the mean of the signs it saw. Of twelve at least seven are plurals: it always
  // says plural.
  for (const std::uint64_t seed : {0U, 1U, 7U}) {
    const auto right = probe_layers(known_states(), asked_examples(), seed);
    ASSERT_EQ(right.size(), 15U);
    for (std::size_t i = 0; i < right.size(); ++i)
      EXPECT_EQ(right[i], (std::vector<bool>{i % 3 != 1, true, i != 3})) << i << ", seed " << seed;
  }
}

TEST(EvaluationProbes, LeaveOutWhatIsNotAskedOrUnknown) {
  auto asked = asked_examples();
  asked[4].reset();
  asked[5]->property.clear();
  const auto right = probe_layers(known_states(), asked, 0);
  EXPECT_TRUE(right[4].empty());
  EXPECT_TRUE(right[5].empty());
  EXPECT_EQ(right[6][1], true);
}

TEST(EvaluationProbes, RefuseTooFewOrOneProperty) {
  auto asked = asked_examples();
  asked.resize(9);
  EXPECT_THROW(probe_layers(known_states(), asked, 0), InputError);
  asked = asked_examples();
  for (auto& example : asked) example->property = "plural";
  EXPECT_THROW(probe_layers(known_states(), asked, 0), InputError);
}

}  // namespace
}  // namespace headwater
