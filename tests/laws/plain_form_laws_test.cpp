// A shortcut equals the form that needs nothing but walkers, over every family: the norm family and ALTI by
// push, AttAttr by replay from the scaled pattern. (Value zeroing has a law of its own.)
#include <cmath>

#include <gtest/gtest.h>

#include "explain/attention_attribution.h"
#include "explain/norms.h"
#include "explain/pushed_parts.h"
#include "methods/method.h"
#include "numerics/quadrature.h"
#include "support/tiny_models.h"

namespace headwater::testing {
namespace {

constexpr int tokens = 5;

Study study_of(const Model& model) {
  Study study(model, random_batch(model.info(), 1, tokens, 3), {});
  if (model.info().task != Task::FeatureExtraction)
    study.aim({.position = study.logits().rank() == 3 ? study.size() - 1 : -1, .index = 0});
  return study;
}

Attribution explain(const Study& study, std::string_view name,
                    const std::map<std::string, std::string>& given) {
  const Method& method = find_method(name);
  return method.run(study, MethodOptions(method.name, method.options, given));
}

template <class F>
void for_every_study(const F& f) {
  for (const TinyModel& tiny : tiny_models(DType::Float64)) {
    SCOPED_TRACE(tiny.name);
    f(study_of(*tiny.model));
  }
}

TEST(PlainFormLaws, NormsEqualThoseOfPushedVectors) {
  struct Case {
    NormRequest request;
    std::map<std::string, std::string> options;
  };
  const std::vector<Case> cases{
      {{.method = "attention_norm", .stage = NormStage::Attention}, {{"normalise", "none"}}},
      {{.method = "attention_norm_res", .stage = NormStage::Residual}, {{"normalise", "none"}}},
      {{.method = "attention_norm_res_ln", .stage = NormStage::AttentionNorm}, {{"normalise", "none"}}},
      {{.method = "globenc", .stage = NormStage::Block}, {{"normalise", "none"}}}};
  int compared = 0;
  for_every_study([&](const Study& study) {
    for (const Case& one : cases) {
      if (one.request.stage >= NormStage::AttentionNorm && study.info().pre_norm) continue;
      const Attribution found = explain(study, one.request.method, one.options);
      const Index T = study.size();
      for (int l = 0; l < study.info().last().layers; ++l) {
        const std::vector<double> plain =
            pushed_norms(study, one.request, attentions_of(study.info()).front(), l, {});
        for (Index i = 0; i < T; ++i)
          for (Index j = 0; j < (study.info().last().causal ? i + 1 : T); ++j, ++compared)
            EXPECT_NEAR(found.scores().at((l * T + i) * T + j), plain[static_cast<std::size_t>(i * T + j)],
                        1e-10)
                << one.request.method << " layer " << l;
      }
    }
  });
  EXPECT_GT(compared, 1000);
}

TEST(PlainFormLaws, HeadsNormsEqualThoseOfPushedVectors) {
  for_every_study([&](const Study& study) {
    const NormRequest request{.method = "attention_norm", .stage = NormStage::Attention, .each_head = true};
    const Attribution found = norm_attribution(study, request);
    const Index H = study.info().last().heads, T = study.size();
    for (int l = 0; l < study.info().last().layers; ++l) {
      const std::vector<double> plain =
          pushed_norms(study, request, attentions_of(study.info()).front(), l, {});
      for (Index c = 0; c < H * T * T; ++c) {
        if (study.info().last().causal && c % T > c / T % T) continue;
        EXPECT_NEAR(found.scores().at(l * H * T * T + c), plain[static_cast<std::size_t>(c)], 1e-10);
      }
    }
  });
}

TEST(PlainFormLaws, AltiEqualsThatOfPushedVectors) {
  for_every_study([&](const Study& study) {
    const Attribution found = explain(study, "alti", {});
    const Index T = study.size(), D = study.info().last().width;
    for (int l = 0; l < study.info().last().layers; ++l) {
      const Tensor y = study.at(Site::ResidMid, l);
      std::vector<double> map(static_cast<std::size_t>(T * T));
      for_pushed_parts(study, {l, Site::ResidMid}, [&](Index j, const Tensor& parts) {
        for (Index i = 0; i < T; ++i) {
          double nearer = 0;
          for (Index k = 0; k < D; ++k)
            nearer += std::abs(y.at(i * D + k)) - std::abs(y.at(i * D + k) - parts.at(i * D + k));
          map[static_cast<std::size_t>(i * T + j)] = std::max(0.0, nearer);
        }
      });
      for (Index i = 0; i < T; ++i) {
        const Index seen = study.info().last().causal ? i + 1 : T;
        double sum = 0;
        for (Index j = 0; j < seen; ++j) sum += map[static_cast<std::size_t>(i * T + j)];
        for (Index j = 0; j < seen && sum > 0; ++j)
          EXPECT_NEAR(found.scores().at((l * T + i) * T + j), map[static_cast<std::size_t>(i * T + j)] / sum,
                      1e-9);
      }
    }
  });
}

// Attr = A ⊙ Σ w ∂F/∂A at a·A, each node a whole run with its pattern scaled.
TEST(PlainFormLaws, AttentionAttributionEqualsRunsWithScaledPatterns) {
  const std::vector<Node> nodes = quadrature(Rule::Gauss, 3);
  for_every_study([&](const Study& study) {
    if (study.info().task == Task::FeatureExtraction) return;
    const Objective objective(study, Quantity::Logit);
    const AttentionAttribution found = attribute_attention(study, objective, {.nodes = nodes});
    const Index cells = found.scores().size() / found.scores().dim(0);
    for (int l = 0; l < study.info().last().layers; ++l) {
      const Place place(Site::Pattern, l);
      const Tensor pattern = study.at(place);
      std::vector<double> plain(static_cast<std::size_t>(cells));
      for (const Node& node : nodes) {
        Tape tape(Keep::Everything, {{place, [&](Tensor& p) {
                                        for (Index c = 0; c < p.size(); ++c) p.data<double>()[c] *= node.at;
                                      }}});
        Batch batch = study.batch();
        batch.positions = objective.positions();
        const Var logits = study.model().run(tape, batch);
        const Tensor gradient =
            tape.pull(logits, objective.seed(logits.value, batch.positions), rules::gradient, {place})
                .at(place);
        for (Index c = 0; c < cells; ++c)
          plain[static_cast<std::size_t>(c)] += node.weight * gradient.at(c) * pattern.at(c);
      }
      for (Index c = 0; c < cells; ++c)
        EXPECT_NEAR(found.scores().at(l * cells + c), plain[static_cast<std::size_t>(c)], 1e-10);
    }
  });
}

}  // namespace
}  // namespace headwater::testing
