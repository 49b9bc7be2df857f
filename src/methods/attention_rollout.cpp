// Attention rollout (Abnar & Zuidema, 2020). With W_l the attention of layer l fused over heads,
//
//   A_l = ((1 − r) W_l + r I), rows divided by their sum      r: share of the residual path, ½ in the paper
//   R_l = A_l R_{l−1},  R_{s−1} = I                           s: the first layer taken into account
//
// so that R_l[i, j] is the share of input token j in position i after layer l. Before the identity is added
// the smallest ⌊discard_ratio · n⌋ of the n cells a mask allows may be dropped (the first of equal ones
// first), which vision users do to remove a flat background. Computed in double whatever the working type.
#include <fmt/format.h>

#include "explain/mixing_steps.h"
#include "explain/rollout.h"
#include "methods/method.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

std::string sink_note(const Tensor& scores) {
  const Index T = scores.shape().back();
  const double share = scores.at(scores.size() - T);
  if (T < 3 || share < 0.5) return {};
  return fmt::format(
      "{:.1f} % of the last token's row is on token 0: in a causal model rollout drifts to early tokens, so "
      "compare rows instead of reading one.",
      share * 100);
}

Attribution run(const Study& study, const MethodOptions& options) {
  const int start = options.start_layer(study.info());
  Attribution result;
  JointMixing rolled = fused_mixing(study, {.method = options.method(),
                                            .remedy = "a smaller discard_ratio or a residual above 0",
                                            .fusion = options.text("fusion"),
                                            .residual = options.share("residual", "r"),
                                            .discard_ratio = options.share("discard_ratio", "ratio"),
                                            .start_layer = start});
  roll_out(rolled.values());
  const Tensor all = rolled.values().to(study.info().dtype);  // units of all sequences: their rows sum to 1
  promise_row_sums(result, check_row_sums(all));
  result.checks.push_back(check_nonnegative(all));
  result.notes.push_back(maximum_note(all));
  if (start > 0)
    result.notes.push_back(
        fmt::format("Layers below {} are the identity: nothing has been mixed yet.", start));
  if (rolled.causal()) {
    result.checks.push_back(check_causal(all));
    if (std::string note = sink_note(all); !note.empty()) result.notes.push_back(std::move(note));
  }
  result.maps = rolled.by_layer(study.info().dtype);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const auto T = as_size(tokens), L = as_size(info.last().layers);
  return (L * (sizeof(double) + bytes_of(info.dtype)) + 3 * sizeof(double)) * T * T;
}

}  // namespace

extern const Method attention_rollout{
    .name = "attention_rollout",
    .summary =
        "How much of each input token has reached each position, by multiplying attention through the "
        "layers.",
    .question = Question::Mixing,
    .formula = "A[l] = rows of ((1 − r) W[l] + r I) divided by their sum;  R[l] = A[l] R[l−1],  R[−1] = I",
    .paper = "Abnar and Zuidema, 2020: Quantifying Attention Flow in Transformers. ACL",
    .cost = "One forward run and one tokens³ product per layer.",
    .limits =
        "It assumes that the residual path carries a fixed share and that all heads mix alike. It leaves out "
        "value vectors, feed-forward layers and the target. In causal models weight drifts to early tokens.",
    .options = {{"residual", "number", "0.5", "share of the residual path, 0 <= r < 1"},
                {"fusion", "mean|max|min", "mean", "how the heads of a layer become one map"},
                {"discard_ratio", "number", "0",
                 "share of each layer's smallest weights to drop, 0 <= ratio < 1"},
                {"start_layer", "integer", "0", "first layer that is used"}},
    .claims = {.rows_sum_to_one = true, .nonnegative = true, .causal = true},
    .sites = {Site::Pattern},
    .aliases = {"rollout"},
    .role = Role::MixingAlone,
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
