// Generic attention explainability (Chefer, Gur & Wolf, ICCV 2021). Of one stack:
//
//   Ā_l = mean_h max(0, ∂y/∂A_l ⊙ A_l),   R ← R + Ā_l R  from R = I, l = 0 … L − 1
//
// R = (I + Ā_{L−1}) … (I + Ā_0), of which the row of the token the head reads is the answer: [CLS] of an
// encoder, the target's position of a token-wise head or a decoder. Its own column is left out.
//
// Of an encoder and a decoder that reads it, by rules 5, 6 and 10 of the paper, s the source and q the
// prefix, Ā = mean_h max(0, ∂y/∂A ⊙ A):
//
//   encoder          R_ss ← R_ss + Ā R_ss                                 from I
//   decoder, self    R_qq ← R_qq + Ā R_qq,   R_qs ← R_qs + Ā R_qs         from I and 0
//   decoder, cross   R_qs ← R_qs + N(R_qq)ᵀ Ā N(R_ss)
//
// N(R): R − I with its rows divided by their sums (a row of zeros stays), and I added again. The answer is
// the row of the position that is read in R_qs and R_qq, its own column left out.
#include <algorithm>

#include <headwater/error.h>

#include "explain/checking.h"
#include "explain/weighted_patterns.h"
#include "kernels/kernels.h"
#include "methods/method.h"
#include "numerics/row_division.h"
#include "study/attentions.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

struct Relevance {
  Index rows, columns;
  std::vector<double> values;
};

Relevance identity(Index n) {
  Relevance made{n, n, std::vector<double>(as_size(n * n), 0.0)};
  for (Index i = 0; i < n; ++i) made.values[as_size(i * n + i)] = 1;
  return made;
}

enum class Side { Plain, Transposed };

// c += a b, or aᵀ b.
void add_relevance_product(Relevance& c, const Relevance& a, const Relevance& b, Side side = Side::Plain) {
  std::vector<double> product(c.values.size());
  kernels::gemm<double>({.m = c.rows, .n = c.columns, .k = b.rows, .transpose_a = side == Side::Transposed},
                        a.values.data(), b.values.data(), product.data());
  for (std::size_t i = 0; i < product.size(); ++i) c.values[i] += product[i];
}

Relevance with_rows_divided(Relevance r) {
  for (Index i = 0; i < r.rows; ++i) r.values[as_size(i * r.columns + i)] -= 1;
  divide_rows(std::span(r.values), r.columns);
  for (Index i = 0; i < r.rows; ++i) r.values[as_size(i * r.columns + i)] += 1;
  return r;
}

// Ā of every layer of a kind.
std::vector<Relevance> weighted(const Study& study, const AttentionKind& kind, const Signals& gradients) {
  std::vector<Relevance> maps;
  for (int l = 0; l < kind.layers; ++l)
    maps.push_back({study.size(kind.queries), study.size(kind.keys),
                    positive_mean(gradients.at(kind.pattern(l)), study.at(kind.pattern(l)))});
  return maps;
}

Map map_between(const char* name, int rows, int columns, const Relevance& r, DType dtype) {
  return {.name = name,
          .axes = {{Axis::Query, rows}, {Axis::Key, columns}},
          .values = Tensor::of({r.rows, r.columns}, r.values, dtype)};
}

// A score per unit of source and prefix, and the maps they were read from: "encoder", "decoder_to_source",
// "decoder_to_prefix".
void explain_encoder_decoder(Attribution& result, const Study& study) {
  const std::vector<AttentionKind> kinds = attentions_of(study.info());
  std::vector<Place> places;
  for (const AttentionKind& kind : kinds)
    for (int l = 0; l < kind.layers; ++l) places.push_back(kind.pattern(l));
  const Run& run = study.run();
  const Signals gradients = run.tape->pull(run.logits, study.seed(run), rules::gradient, places);
  const Index S = study.size(0), Q = study.size(1);
  Relevance ss = identity(S), qq = identity(Q);
  Relevance qs{Q, S, std::vector<double>(as_size(Q * S), 0.0)};
  for (const Relevance& a : weighted(study, kinds[0], gradients)) add_relevance_product(ss, a, Relevance(ss));
  const std::vector<Relevance> own = weighted(study, kinds[1], gradients),
                               cross = weighted(study, kinds[2], gradients);
  const Relevance source = with_rows_divided(ss);
  for (std::size_t l = 0; l < own.size(); ++l) {
    add_relevance_product(qs, own[l], Relevance(qs));
    add_relevance_product(qq, own[l], Relevance(qq));
    Relevance read{Q, S, std::vector<double>(as_size(Q * S), 0.0)};
    add_relevance_product(read, cross[l], source);
    add_relevance_product(qs, with_rows_divided(qq), read, Side::Transposed);
  }
  const std::vector<Index> rows = study.rows_read();
  std::vector<double> scores = mean_row(qs.values, rows, S);
  const std::vector<double> prefix = mean_row(qq.values, rows, Q);
  scores.insert(scores.end(), prefix.begin(), prefix.end());
  result.measured.assign(scores.size(), true);
  const Index last = *std::max_element(rows.begin(), rows.end());
  for (const Index row : rows) {
    scores[as_size(S + row)] = 0;
    result.measured[as_size(S + row)] = false;
  }
  std::fill(result.measured.begin() + S + last + 1, result.measured.end(), false);
  const DType dtype = study.info().dtype;
  result.maps = {{.axes = {Axis::Units}, .values = Tensor::of({S + Q}, scores, dtype)},
                 map_between("encoder", 0, 0, ss, dtype),
                 map_between("decoder_to_source", 1, 0, qs, dtype),
                 map_between("decoder_to_prefix", 1, 1, qq, dtype)};
  result.checks.push_back(check_nonnegative(result.scores()));
  if (checks_wanted())
    result.checks.push_back(
        check_pattern_gradient(study, gradients.at(kinds[2].pattern(0)), kinds[2].pattern(0)));
  result.notes.push_back(maximum_note(result.scores()));
}

Attribution run(const Study& study, const MethodOptions& options) {
  const int start = options.start_layer(study.info());
  Attribution result;
  if (study.written() > 0) {
    if (start > 0)
      throw Unsupported("generic_attention: start_layer is for one stack of blocks; leave it out");
    explain_encoder_decoder(result, study);
    return result;
  }
  const std::vector<Tensor> gradients = pattern_gradients(study, start);
  std::vector<std::vector<double>> maps;
  for (int l = start; l < study.info().last().layers; ++l)
    maps.push_back(positive_mean(gradients[as_size(l)], study.run().at(Site::Pattern, l)));
  const std::vector<Index> rows = study.rows_read();
  put_row(result, study, read_through(maps, rows, study.size(), RowSums::Kept), rows, OwnColumn::Zero);
  if (checks_wanted())
    result.checks.push_back(check_pattern_gradient(study, gradients[as_size(start)], {Site::Pattern, start}));
  result.notes.push_back(maximum_note(result.scores()));
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const auto T = as_size(tokens);
  const auto maps = as_size(info.last().layers) * (as_size(info.last().heads) + 2);
  return (maps + 4) * T * T * bytes_of(DType::Float64) + pattern_gradient_bytes(info, tokens);
}

}  // namespace

extern const Method generic_attention{
    .name = "generic_attention",
    .summary =
        "Which tokens the output depends on, by attention weighted with its gradient, through all layers.",
    .formula =
        "Ā[l] = meanₕ max(0, ∂y/∂A[l] ⊙ A[l]);  R = (I + Ā[L−1]) … (I + Ā[0]);  the row the head reads",
    .paper =
        "Chefer, Gur and Wolf, 2021: Generic Attention-model Explainability for Interpreting Bi-Modal and "
        "Encoder-Decoder Transformers. ICCV",
    .cost =
        "One forward run, one pull and one vector-matrix product per layer; two forward runs to check the "
        "gradient.",
    .limits =
        "It shows positive evidence only. Feed-forward layers and value vectors enter only through the "
        "gradient. The score of the row's own token is left out. The scores do not sum to the logit.",
    .options = {{"start_layer", "integer", "0", "first layer that is used"}},
    .claims = {.nonnegative = true},
    .needs_target = true,
    .aliases = {"gae"},
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
