// The shortcut of value zeroing equals its definition: for every tiny model, every layer and every token, the
// values of that token are zeroed in the run, the block is replayed, and the outputs are compared.
#include <cmath>

#include <gtest/gtest.h>

#include "methods/method.h"
#include "support/replayed.h"
#include "support/tiny_models.h"

namespace headwater::testing {
namespace {

constexpr int tokens = 6;

double distance(const Tensor& a, const Tensor& b, Index row) {
  const Index D = a.shape().back();
  double aa = 0, bb = 0, gap = 0;
  for (Index d = 0; d < D; ++d) {
    aa += std::pow(a.at(row * D + d), 2);
    bb += std::pow(b.at(row * D + d), 2);
  }
  for (Index d = 0; d < D; ++d)
    gap += std::pow(a.at(row * D + d) / std::sqrt(aa) - b.at(row * D + d) / std::sqrt(bb), 2);
  return gap / 2;
}

// By replay of the tape from the changed values. Values of a group serve all its heads.
double by_replay(const Study& study, int layer, Index i, Index j) {
  const Tape& tape = *study.run().tape;
  const Var v = tape.at(Site::V, layer);
  Tensor changed = v.value.clone();
  const Index width = changed.shape().back();
  std::fill_n(changed.data<double>() + j * width, width, 0.0);
  const bool last = layer + 1 == study.info().last().layers && tape.has(Site::FinalNorm);
  const Var to = last ? tape.at(Site::FinalNorm) : tape.at(Site::ResidPost, layer);
  return distance(replayed(tape, v, changed, to), to.value, i);
}

TEST(ValueZeroingLaw, ShortcutEqualsReplay) {
  const Method& method = find_method("value_zeroing");
  double worst = 0;
  int compared = 0;
  for (const TinyModel& tiny : tiny_models(DType::Float64)) {
    const Study study(*tiny.model, random_batch(tiny.model->info(), 1, tokens, 5), {});
    for (const char* fold : {"never", "keep"}) {
      SCOPED_TRACE(tiny.name + " fold " + fold);
      const Attribution result = method.run(
          study, MethodOptions(method.name, method.options, {{"normalise", "none"}, {"fold", fold}}));
      const Index T = study.size();
      ASSERT_EQ(result.scores().shape(), (Shape{study.info().last().layers, T, T}));
      for (int layer = 0; layer < study.info().last().layers; ++layer)
        for (Index j = 0; j < T; ++j)
          for (Index i = study.info().last().causal ? j : 0; i < T; ++i) {
            const double plain = by_replay(study, layer, i, j);
            const double found = result.scores().at((layer * T + i) * T + j);
            // 1e-9 relative; a distance of 1e-16 is one of rounding
            worst = std::max(worst, std::abs(found - plain) / (plain + 1e-12));
            ASSERT_LE(worst, 1e-9) << "layer " << layer << " row " << i << " token " << j;
            ++compared;
          }
    }
  }
  EXPECT_GT(compared, 1000);
  std::printf("value zeroing: %d pairs replayed, largest relative difference %.1e\n", compared, worst);
}

}  // namespace
}  // namespace headwater::testing
