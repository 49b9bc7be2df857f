// Units that keep their place are replaced at the embeddings while the model runs on the ids as they are
// (Note [Same ids] in explain/replacement.h); deleted ones leave a shorter text, and a token-wise target
// moves with its token. Pixels are blackened before the model sees them.
#include "trial/perturbed_runs.h"

#include <algorithm>
#include <limits>

#include <headwater/error.h>

#include "explain/units.h"
#include "study/batching.h"
#include "study/inputs.h"

namespace headwater {

namespace {

constexpr std::size_t tokens_at_once = 4096;

bool of_special_token(Replacement replacement) {
  return replacement == Replacement::Mask || replacement == Replacement::Unknown ||
         replacement == Replacement::Pad;
}

// A study of this target whose run nobody asks for.
std::unique_ptr<Study> aimed_study(const LoadedModel& loaded, Prepared prepared, const Target& target) {
  const Study plain = open_study(loaded, {}, {});
  auto study =
      std::make_unique<Study>(*loaded.model, std::move(prepared.batch), std::move(prepared.encoding), target);
  study->special_ids = plain.special_ids;
  study->black = plain.black;
  study->problem = plain.problem;
  return study;
}

// The tokens that stay, and where the rows of the target then are.
Batch shortened(const Batch& whole, const std::vector<bool>& there, const std::vector<int>& positions) {
  Batch rest{.ids = {{}}};
  std::vector<int> moved(there.size());
  if (!whole.type_ids.empty()) rest.type_ids.emplace_back();
  for (std::size_t t = 0; t < there.size(); ++t) {
    moved[t] = static_cast<int>(rest.ids.front().size());
    if (!there[t]) continue;
    rest.ids.front().push_back(whole.ids.front()[t]);
    if (!whole.type_ids.empty()) rest.type_ids.front().push_back(whole.type_ids.front()[t]);
  }
  if (rest.ids.front().empty())
    throw InputError(
        "replace: expected a text with at least one token left, found none after delete; use a replacement "
        "that keeps the length, such as mean");
  for (const int position : positions) rest.positions.push_back(moved[static_cast<std::size_t>(position)]);
  return rest;
}

Tensor blackened(const Tensor& pixels, const std::vector<bool>& kept, const std::vector<double>& black) {
  Tensor changed = pixels.clone();
  const auto area = static_cast<Index>(kept.size());
  dispatch(pixels.dtype(), [&](auto r) {
    using R = decltype(r);
    R* to = changed.data<R>();
    for (Index c = 0; c < pixels.dim(1); ++c)
      for (Index i = 0; i < area; ++i)
        if (!kept[static_cast<std::size_t>(i)])
          to[c * area + i] =
              static_cast<R>(black.empty() ? 0.0 : black[static_cast<std::size_t>(c) % black.size()]);
  });
  return changed;
}

}  // namespace

std::size_t PerturbedRuns::add(Prepared prepared, const Target& target, View::Unit unit) {
  auto known = std::make_unique<Known>();
  known->study = aimed_study(loaded_, std::move(prepared), target);
  const bool regression =
      loaded_.info().task == Task::TextClassification && loaded_.problem == Problem::Regression;
  if (!regression) known->probability = std::make_unique<Objective>(*known->study, Quantity::Probability);
  known->logit = std::make_unique<Objective>(*known->study, Quantity::Logit);
  // The row that is read stays: what is replaced there is no longer the same question.
  known->units = units_of(*known->study, {.words = unit == View::Unit::Word, .keep_target = true}).tokens;
  inputs_.push_back(std::move(known));
  return inputs_.size() - 1;
}

std::size_t PerturbedRuns::ask(std::size_t input, const std::string& replace, Perturbation perturbation) {
  Known& known = *inputs_[input];
  auto found = known.replacements.find(replace);
  if (found == known.replacements.end())
    found = known.replacements.emplace(replace, replacement_of(replace, *known.study)).first;
  // Nothing taken away is one input, whatever would have stood in its place; so are black pixels.
  const bool whole =
      std::find(perturbation.kept.begin(), perturbation.kept.end(), false) == perturbation.kept.end();
  const bool pixels = perturbation.of == Perturbation::Of::Pixels;
  const Replacement replacement = whole || pixels ? Replacement::Zero : found->second;
  if (replacement == Replacement::Delete && known.probability && known.probability->over_tokens())
    throw InputError(
        "replace: expected a replacement that keeps the tokens for the probability of an answer, which runs "
        "over them, found delete; use mask");
  const auto [ticket, fresh] = known.tickets.emplace(std::pair{replacement, perturbation}, replies_.size());
  if (fresh) {
    asked_.push_back({input, replacement, std::move(perturbation)});
    replies_.emplace_back();
  }
  return ticket->second;
}

const Tensor& PerturbedRuns::absent_for(Known& known, Replacement replacement) {
  const bool special = of_special_token(replacement);
  std::map<Replacement, Tensor>& rows = special ? shared_absent_ : known.absent;
  auto found = rows.find(replacement);
  if (found == rows.end()) {
    // Of a study of its own, whose run is forgotten.
    Study once = open_study(loaded_, known.study->batch(), known.study->encoding());
    once.keep_only({Site::ResidPre}, 1);
    const Tensor all = absent_rows(once, replacement);
    found = rows.emplace(replacement, special ? all.rows(0, 1).clone() : all).first;
  }
  return found->second;
}

Batch PerturbedRuns::batch_for(const Asked& asked) {
  const Study& study = *inputs_[asked.input]->study;
  const Objective& objective =
      inputs_[asked.input]->probability ? *inputs_[asked.input]->probability : *inputs_[asked.input]->logit;
  if (asked.replacement == Replacement::Delete) {
    std::vector<bool> there(static_cast<std::size_t>(study.tokens()), true);
    for (std::size_t u = 0; u < asked.perturbation.kept.size(); ++u)
      for (const int t : inputs_[asked.input]->units[u])
        there[static_cast<std::size_t>(t)] = asked.perturbation.kept[u];
    return shortened(study.batch(), there, objective.positions());
  }
  Batch batch = study.batch();
  batch.positions = objective.positions();
  if (asked.perturbation.of == Perturbation::Of::Pixels)
    batch.pixels = blackened(batch.pixels, asked.perturbation.kept, study.black);
  return batch;
}

void PerturbedRuns::take_away(Tensor& embeddings, const std::vector<std::size_t>& members) {
  const Index T = embeddings.dim(1), D = embeddings.dim(2);
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Asked& asked = asked_[members[m]];
    if (asked.replacement == Replacement::Delete || asked.perturbation.of == Perturbation::Of::Pixels)
      continue;
    Known& known = *inputs_[asked.input];
    const Tensor* absent = nullptr;
    for (std::size_t u = 0; u < asked.perturbation.kept.size(); ++u) {
      if (asked.perturbation.kept[u]) continue;
      if (absent == nullptr) absent = &absent_for(known, asked.replacement);
      for (const int t : known.units[u])
        dispatch(embeddings.dtype(), [&](auto r) {
          using R = decltype(r);
          std::copy_n(absent->data<R>() + (absent->dim(0) == 1 ? 0 : t) * D, D,
                      embeddings.data<R>() + (static_cast<Index>(m) * T + t) * D);
        });
    }
  }
}

Reply PerturbedRuns::reply_of(const Known& known, const Tensor& logits,
                              const std::vector<int>& positions) const {
  Reply reply;
  reply.logit = known.logit->values(logits, positions).front();
  reply.probability = known.probability ? known.probability->values(logits, positions).front()
                                        : std::numeric_limits<double>::quiet_NaN();
  if (logits.rank() == 2) {
    const std::vector<double> z = logits.to_doubles();
    reply.predicted = static_cast<int>(std::max_element(z.begin(), z.end()) - z.begin());
  }
  return reply;
}

void PerturbedRuns::run(const std::function<void(std::size_t done)>& advance) {
  const std::size_t first = replies_.size() - asked_.size();
  std::vector<Batch> batches;
  for (const Asked& asked : asked_) {
    batches.push_back(batch_for(asked));
    // Before the run: absent rows may take a run of their own.
    for (std::size_t u = 0; u < asked.perturbation.kept.size(); ++u)
      if (!asked.perturbation.kept[u] && asked.perturbation.of == Perturbation::Of::Units &&
          asked.replacement != Replacement::Delete) {
        absent_for(*inputs_[asked.input], asked.replacement);
        break;
      }
  }
  std::size_t done = 0;
  for (const Group& group : group_inputs(batches, tokens_at_once)) {
    Tape tape(Keep::Nothing, {{Site::Embed, [&](Tensor& value) { take_away(value, group.members); }}});
    const Tensor logits = loaded_.model->run(tape, group.batch).value;
    for (std::size_t m = 0; m < group.members.size(); ++m) {
      const Known& known = *inputs_[asked_[group.members[m]].input];
      replies_[first + group.members[m]] =
          reply_of(known, logits.rows(static_cast<Index>(m), 1), group.batch.positions);
    }
    done += group.members.size();
    if (advance) advance(done);
  }
  asked_.clear();
}

void PerturbedRuns::forget() {
  inputs_.clear();
  asked_.clear();
  replies_.clear();
}

}  // namespace headwater
