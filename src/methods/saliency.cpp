// Saliency (Simonyan, Vedaldi & Zisserman, 2014): the gradient of the output F at the input,
//
//   g = ∂F/∂x,  x [T, D] the embeddings        score_t = ‖g_t‖₂, or Σ_d g, |Σ_d g|, max_d |g|
//
// by one pull of ∂F/∂logits over the run that was kept.
#include "explain/checking.h"
#include "explain/gradients.h"
#include "methods/method.h"

namespace headwater {

namespace {

Attribution run(const Study& study, const MethodOptions& options) {
  const Objective objective(study, quantity_of(options.text("quantity")));
  const Site at = input_site(options.text("wrt"));
  const Tensor gradient = gradient_of(study, objective, at);  // [T, D]
  const Reduction reduction = reduction_of(options.text("reduction"));
  const std::vector<double> scores = reduce(gradient.to_doubles(), gradient.dim(0), reduction);
  Attribution result{
      .maps = {{.axes = {Axis::Units}, .values = Tensor::of({gradient.dim(0)}, scores, study.info().dtype)}}};
  if (checks_wanted()) result.checks.push_back(check_gradient(study, objective, at, gradient));
  result.notes.emplace_back(
      "The scores show how strongly the output reacts to a small change of each token, not how much the "
      "token contributed.");
  if (std::string note = cancelled_sums_note(gradient.to_doubles(), gradient.dim(0), reduction);
      !note.empty())
    result.notes.push_back(std::move(note));
  return result;
}

}  // namespace

extern const Method saliency{
    .name = "saliency",
    .summary = "How strongly the output reacts to a small change of each token's embedding.",
    .formula = "score[t] = ‖∂F/∂x[t]‖₂   (or Σ_d, |Σ_d|, max_d |·| of the gradient)",
    .paper =
        "Simonyan, Vedaldi and Zisserman, 2014: Deep Inside Convolutional Networks: Visualising Image "
        "Classification Models and Saliency Maps. ICLR Workshop",
    .cost = "One forward run, one pull, and four or more forward runs for the check.",
    .limits =
        "It is a slope, not a contribution: a saturated output reacts to nothing, and the scores do not add "
        "up to anything. It is sensitive to the scale of embeddings.",
    .options = {quantity_option, reduction_option, wrt_option},
    .claims = {.nonnegative = true},
    .needs_target = true,
    .aliases = {"gradient", "vanilla_gradient"},
    .compute = run,
    .planned_bytes = planned<one_gradient_bytes>,
};

}  // namespace headwater
