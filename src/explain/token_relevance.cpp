// R_t = Σ_d m_td x_td, where m is the signal of a pull from the target's logit at the encoder's input x [1,
// T, D].
#include "explain/token_relevance.h"

#include <fmt/format.h>

#include "explain/ledger.h"
#include "study/memory.h"

namespace headwater {

Attribution token_relevance(const Study& study, const Rules& rules) {
  const Run& run = study.run();
  Ledger ledger(rules, study.info().stacks);
  std::vector<Place> inputs;
  for (int s = 0; s <= study.written(); ++s) inputs.push_back({Site::ResidPre, 0, s});
  const Signals signals = run.tape->pull(run.logits, study.seed(run), rules, inputs, ledger.watch());
  std::vector<Tensor> arrived_at;
  for (const Place& place : inputs) arrived_at.push_back(signals.at(place));
  const Tensor m = joined_units(arrived_at), x = study.input(Site::ResidPre);
  const Index T = x.dim(0), D = x.dim(1);
  std::vector<double> scores(as_size(T), 0.0);
  double arrived = 0;
  for (Index i = 0; i < x.size(); ++i) scores[as_size(i / D)] += m.at(i) * x.at(i);
  for (const double score : scores) arrived += score;
  Attribution result{
      .maps = {{.axes = {Axis::Units}, .values = Tensor::of({T}, scores, study.info().dtype)}}};
  result.checks.push_back(ledger.check_arrived("tokens and leaks add up to the logit", arrived));
  if (study.written() == 0) result.checks.push_back(ledger.check_blocks(0));
  result.accounted = logit_account(study, arrived);
  note_tangent(result, study);
  ledger.report(result);
  return result;
}

Account logit_account(const Study& study, double sum) {
  const char* what = has_several_tokens(study.target()) ? "the log-probability and the entropy of the rows"
                     : study.target().contrast          ? "the difference of the logits"
                                                        : "the target's logit";
  return {.sum = sum, .of = study.target_logit(study.logits()), .what = what};
}

void note_tangent(Attribution& result, const Study& study) {
  if (!has_several_tokens(study.target())) return;
  const Tensor logits = study.logits();
  const double value = study.target_value(logits), shared = study.target_logit(logits);
  result.notes.push_back(
      fmt::format("The log-probabilities are linearised at the logits: the scores share {:.4g}, of which "
                  "{:.4g} is the log-probability and {:.4g} the entropy of the rows.",
                  shared, value, shared - value));
}

std::size_t token_relevance_bytes(const ModelInfo& info, Index tokens) {
  // A linear op's factors are as wide as its signal.
  return 2 * walk_bytes(info, tokens, 1, info.dtype) + packing_bytes(info, info.dtype) +
         as_size(tokens) * sizeof(double);
}

}  // namespace headwater
