// Saliency (Simonyan, Vedaldi & Zisserman, 2014): the gradient of the output F at the input,
//
//   g = ∂F/∂x,  x [T, D] the embeddings        score_t = ‖g_t‖₂, or Σ_d g, |Σ_d g|, max_d |g|
//
// by one pull of ∂F/∂logits over the run that was kept.
#include "explain/gradients.h"
#include "methods/method.h"
#include "study/memory.h"

namespace headwater {

namespace {

Attribution run(const Study& study, const MethodOptions& options) {
  const Objective objective(study, quantity_of(options.text("quantity")));
  const Site at = input_site(options.text("wrt"));
  const Tensor gradient = gradient_of(study, objective, at);  // [T, D]
  Attribution result{.method = "saliency", .options = options.all(), .maps = {{.axes = {Axis::Units}}}};
  const Reduction reduction = reduction_of(options.text("reduction"));
  const std::vector<double> scores = reduce(gradient.to_doubles(), gradient.dim(0), reduction);
  result.scores() = Tensor::of({gradient.dim(0)}, scores, study.info().dtype);
  result.checks.push_back(check_gradient(study, objective, at, gradient));
  result.notes.emplace_back(
      "How strongly the output reacts to a small change of each token, not how much the token gave it.");
  if (std::string note = cancelled_sums_note(gradient.to_doubles(), gradient.dim(0), reduction);
      !note.empty())
    result.notes.push_back(std::move(note));
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  return one_gradient_bytes(info, tokens);
}

}  // namespace

extern const Method saliency;
const Method saliency{
    .name = "saliency",
    .summary = "How strongly the output reacts to a small change of each token's embedding.",
    .question = Question::Answer,
    .formula = "score[t] = ‖∂F/∂x[t]‖₂   (or Σ_d, |Σ_d|, max_d |·| of the gradient)",
    .paper =
        "Simonyan, Vedaldi and Zisserman, 2014: Deep Inside Convolutional Networks: Visualising Image "
        "Classification Models and Saliency Maps. ICLR Workshop",
    .cost = "One forward run, one backward walk, and four forward runs or more for the check.",
    .limits =
        "A slope, not a contribution: a saturated output reacts to nothing, and scores do not add up to "
        "anything. Sensitive to the scale of embeddings.",
    .options =
        {{"quantity", "logit|probability", "logit", "what F is: the target's logit or its probability"},
         {"reduction", "l2|sum|abs_sum|max", "l2",
          "one number per token: norm, signed sum, absolute value of the sum, or largest absolute value"},
         {"wrt", "e0|embed", "e0",
          "the input of the first block (positions and embedding norm included) or the token "
          "embeddings alone"}},
    .claims = {.nonnegative = true},
    .needs_target = true,
    .run = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
