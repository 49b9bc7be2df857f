// Input × gradient (Shrikumar et al., 2016; Denil et al., 2014): the first-order Taylor term of the output,
//
//   score_t = Σ_d x_td ∂F/∂x_td       or its norm ‖x_t ⊙ ∂F/∂x_t‖₂
//
// with x the embeddings [T, D].
#include "explain/checking.h"
#include "explain/gradients.h"
#include "methods/method.h"

namespace headwater {

namespace {

Attribution run(const Study& study, const MethodOptions& options) {
  const Objective objective(study, quantity_of(options.text("quantity")));
  const Site at = input_site(options.text("wrt"));
  const Tensor gradient = gradient_of(study, objective, at);  // [T, D]
  std::vector<double> product = gradient.to_doubles();
  const std::vector<double> x = study.input(at).to_doubles();
  for (std::size_t i = 0; i < product.size(); ++i) product[i] *= x[i];
  const std::vector<double> scores =
      reduce(product, gradient.dim(0), reduction_of(options.text("reduction")));
  Attribution result{
      .maps = {{.axes = {Axis::Units}, .values = Tensor::of({gradient.dim(0)}, scores, study.info().dtype)}}};
  if (checks_wanted()) result.checks.push_back(check_gradient(study, objective, at, gradient));
  return result;
}

}  // namespace

extern const Method input_x_gradient{
    .name = "input_x_gradient",
    .summary = "What each token's embedding adds to the output, to first order.",
    .title = "Input × gradient",
    .formula = "score[t] = Σ_d x[t,d] · ∂F/∂x[t,d]   (or ‖x[t] ⊙ ∂F/∂x[t]‖₂)",
    .paper =
        "Shrikumar, Greenside, Shcherbina and Kundaje, 2016: Not Just a Black Box: Learning Important "
        "Features Through Propagating Activation Differences. arXiv 1605.01713",
    .cost = "One forward run, one pull, and four or more forward runs for the check.",
    .limits =
        "It is a first-order approximation around the input: saturation hides tokens, and the sum is not F. "
        "Its implicit baseline is a zero embedding.",
    .options = {quantity_option,
                {"reduction", "sum|l2", "sum", "signed sum over the embedding, or the norm of the product"},
                wrt_option},
    .needs_target = true,
    .aliases = {"gradxinput", "inputxgrad", "gradient_x_input"},
    .compute = run,
    .planned_bytes = planned<one_gradient_bytes>,
};

}  // namespace headwater
