// Generic attention explainability (Chefer, Gur & Wolf, ICCV 2021). Of one stack:
//
//   Ā_l = mean_h max(0, ∂y/∂A_l ⊙ A_l),   R ← R + Ā_l R  from R = I, l = 0 … L − 1
//
// R = (I + Ā_{L−1}) … (I + Ā_0), of which the row of the token the head reads is the answer: [CLS] of an
// encoder, the target's position of a token-wise head or a decoder. Its own column is left out. Of an encoder
// and a decoder that reads it: encoder_decoder.cpp.
#include <headwater/error.h>

#include "explain/weighted_patterns.h"
#include "methods/generic_attention/encoder_decoder.h"
#include "methods/method.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

Attribution run(const Study& study, const MethodOptions& options) {
  const int start = options.start_layer(study.info());
  Attribution result{.method = "generic_attention", .options = options.all()};
  if (study.written() > 0) {
    if (start > 0)
      throw Unsupported("generic_attention: start_layer is for one stack of blocks; leave it out");
    explain_encoder_decoder(result, study);
    return result;
  }
  const std::vector<Tensor> gradients = pattern_gradients(study, start);
  std::vector<std::vector<double>> maps;
  for (int l = start; l < study.info().last().layers; ++l)
    maps.push_back(positive_mean(gradients[static_cast<std::size_t>(l)], study.run().at(Site::Pattern, l)));
  const std::vector<Index> rows = study.rows_read();
  put_row(result, study, read_through(maps, rows, study.size(), RowSums::Kept), rows, OwnColumn::Zero);
  result.checks.push_back(
      check_pattern_gradient(study, gradients[static_cast<std::size_t>(start)], {Site::Pattern, start}));
  result.notes.push_back(maximum_note(result.scores()));
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const auto T = static_cast<std::size_t>(tokens);
  const auto maps =
      static_cast<std::size_t>(info.last().layers) * (static_cast<std::size_t>(info.last().heads) + 2);
  return (maps + 4) * T * T * bytes_of(DType::Float64) + pattern_gradient_bytes(info, tokens);
}

}  // namespace

extern const Method generic_attention{
    .name = "generic_attention",
    .summary =
        "Which tokens the output rests on, by attention weighted with its gradient, through all layers.",
    .question = Question::Answer,
    .formula =
        "Ā[l] = meanₕ max(0, ∂y/∂A[l] ⊙ A[l]);  R = (I + Ā[L−1]) … (I + Ā[0]);  the row the head reads",
    .paper =
        "Chefer, Gur and Wolf, 2021: Generic Attention-model Explainability for Interpreting Bi-Modal and "
        "Encoder-Decoder Transformers. ICCV",
    .cost = "One forward, one pull, one vector-matrix product per layer; two forwards to check the gradient.",
    .limits =
        "Positive evidence only; feed-forward layers and value vectors enter through the gradient alone. "
        "The token read itself is left out. Not additive: the scores do not sum to the logit.",
    .options = {{"start_layer", "integer", "0", "first layer taken into account"}},
    .claims = {.nonnegative = true},
    .needs_target = true,
    .run = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
