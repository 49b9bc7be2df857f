// DecompX (Modarressi et al., 2023): the output as a sum of one vector per input token, carried forward.
// From x_{i⇐k} = x_i if i = k, else 0, at the encoder's input, every op pushes the T parts of each position:
//
//   attention   patterns as given: z_{i⇐k} = Σ_j α_ij v_{j⇐k}
//   norms       σ of the whole, the mean of each part
//   activations f(ζ)/ζ at the whole pre-activation, times each part
//   biases      (also β) part k gets |b · z_k| / Σ_k |b · z_k| of b
//
// so that the parts of the target's logit sum to the logit. Which z_k: those of the sum the bias is added to.
// The paper's numbers, the default, take attention's biases together, and after its residual sum: rows of a
// pattern sum to 1, so attention adds W_o b_v + b_o, which is shared by z_k = x_{i⇐k} + o_{i⇐k}. In the first
// layer b_v goes with the patterns: there each value belongs to one token, bias and all.
#include <algorithm>
#include <cmath>

#include "explain/pushed_parts.h"
#include "explain/token_relevance.h"
#include "methods/method.h"
#include "ops/ops.h"
#include "ops/shared_bias.h"
#include "study/map_checks.h"
#include "study/memory.h"

namespace headwater {

namespace {

constexpr Rules rules_of_decompx{.activation = Rules::Activation::Secant,
                                 .norm = Rules::Norm::FrozenScale,
                                 .softmax = Rules::Softmax::Constant,
                                 .product = Rules::Product::Halved,
                                 .bias = Rules::Bias::AbsDot};

// W_o b_v + b_o, without b_v in the first layer; empty if there is neither.
Tensor attention_bias(const LinearWeights& v, const LinearWeights& out, const HeadLayout& heads, int layer) {
  if (layer == 0 || v.bias.empty()) return out.bias;
  const Index H = heads.heads, G = heads.groups, E = v.bias.size() / G;
  Tensor read({1, H * E}, v.bias.dtype()), sum({out.weight->rows()}, v.bias.dtype());
  dispatch(v.bias.dtype(), [&]<class R>(R) {
    for (Index h = 0; h < H; ++h) std::copy_n(v.bias.data<R>() + h / (H / G) * E, E, read.data<R>() + h * E);
    out.weight->times_transposed(read.data<R>(), out.bias.empty() ? nullptr : out.bias.data<R>(),
                                 sum.data<R>(), 1);
  });
  return sum;
}

// Whether a block's values and its attention's output are single products, whose biases can be told.
bool has_single_products(const Tape& tape, int layer) {
  return as_linear(tape.op_at({Site::V, layer}).op) != nullptr &&
         as_linear(tape.op_at({Site::AttnOut, layer}).op) != nullptr;
}

// Attention's biases as the paper's code shares them. What attention wrote and the stream it will be added to
// have the same parts, so that the bias joins the former with the shares of their sum. Blocks whose attention
// is made otherwise share every bias where it is added.
PushHooks biases_after_the_residual(const Study& study, const Tensor& parts) {
  const Tape& tape = study.tape();
  std::vector<bool> told;
  for (int l = 0; l < study.info().last().layers; ++l) told.push_back(has_single_products(tape, l));
  Rules unshared = rules_of_decompx;
  unshared.bias = Rules::Bias::Dropped;
  const auto applies = [told](Place at) { return told[as_size(at.layer)]; };
  return {.rules =
              [unshared, applies](Place at) {
                const bool own = at.site == Site::AttnOut || (at.site == Site::V && at.layer > 0);
                return own && applies(at) ? unshared : rules_of_decompx;
              },
          .made =
              [&tape, applies, stream = parts](Place at, Tensor& part) mutable {
                if (at.site == Site::ResidPost) stream = part;
                if (at.site != Site::AttnOut || !applies(at)) return;
                const LinearWeights* v = as_linear(tape.op_at({Site::V, at.layer}).op);
                const LinearWeights* out = as_linear(tape.op_at(at).op);
                const HeadLayout* heads = as_attention_mix(tape.op_at({Site::Z, at.layer}).op);
                share_bias(part, attention_bias(*v, *out, *heads, at.layer), part.dim(0), stream);
                stream = Tensor();
              }};
}

Attribution run(const Study& study, const MethodOptions& options) {
  Attribution result{.maps = {{.axes = {Axis::Units}}}};
  const Run& run = study.run();
  const Index T = study.size();
  // The paper knows one stack; where there are two, every bias is shared where it is added.
  const bool together = options.text("biases") == "paper" && study.written() == 0;
  std::vector<double> scores;
  double sum = 0, size = 1;
  for (int s = 0; s <= study.written(); ++s) {
    const Var input = run.tape->at({Site::ResidPre, 0, s});
    const Tensor start = one_row_each(input.value, 0, input.value.dim(1));
    const PushHooks hooks = together ? biases_after_the_residual(study, start) : PushHooks{};
    const Tensor parts = run.tape->push(input, start, rules_of_decompx, {Site::Logits}, hooks).of(run.logits);
    for (Index k = 0; k < parts.dim(0); ++k) {
      scores.push_back(study.target_logit(parts.rows(k, 1).reshaped(run.logits.value.shape())));
      sum += scores.back();
      size += std::abs(scores.back());
    }
  }
  result.scores() = Tensor::of({T}, scores, study.info().dtype);
  const double gap = std::abs(sum - study.target_logit(run.logits.value));
  const double bound = size * (study.info().dtype == DType::Float32 ? 1e-4 : 1e-9);
  result.checks.push_back(check_within("parts add up to the logit", gap, bound));
  result.accounted = logit_account(study, sum);
  note_tangent(result, study);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  // A part of every token goes along; of the logits there are the parts and one that is read.
  return as_size(tokens) * walk_bytes(info, tokens, 1, info.dtype) + packing_bytes(info, info.dtype);
}

}  // namespace

extern const Method decompx{
    .name = "decompx",
    .summary =
        "How much of the output's logit came from each input token, by decomposing every vector on the way "
        "forward.",
    .title = "DecompX",
    .formula = "x[i] = Σₖ x[i⇐k] in every layer;  score[k] = the part of the logit that came from token k",
    .paper =
        "Modarressi et al., 2023: DecompX: Explaining Transformers Decisions by Propagating Token "
        "Decomposition. ACL",
    .cost =
        "As many forward runs as there are tokens, and memory for tokens² × feed-forward width numbers at a "
        "time.",
    .limits =
        "The sum is exact, but it is not a causal effect: patterns and norms are held constant, and how "
        "biases are shared is a choice. Each is shared by |b · z[k]|, with z the parts it is added to; "
        "attention's biases are shared together after the residual sum, as in the authors' code. "
        "Feed-forward layers are linearised by f(ζ)/ζ. The paper treats post-norm encoders; other families "
        "follow the same rules.",
    .options = {{"biases", "paper|local", "paper",
                 "where attention's biases are shared among the tokens; paper: W_o b_v + b_o together, after "
                 "the residual sum; local: each where it is added, like all other biases, so that a token "
                 "that attention did not read gets no part of attention's biases"}},
    .needs_target = true,
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
