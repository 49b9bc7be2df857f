// Units that keep their place are replaced at the embeddings while the model runs on the ids as they are
// (Note [Same ids] in explain/replacement.h); deleted ones leave a shorter text, and a token-wise target
// moves with its token. Pixels are blackened before the model sees them.
//
// Inputs of one length are replayed over the run of the first of them, some on each thread: all that reaches
// the logits from the words goes through Site::Embed, which every copy brings along, and the rest (positions,
// segments) is the same for all. A replay computes only the rows the output is made of, which of the last
// block of a classifier is one, and a copy's bits are those of an edited run.
#include "evaluation/trial/perturbed_runs.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include <headwater/error.h>

#include "base/parallel.h"
#include "base/side_by_side.h"
#include "blocks/batch.h"
#include "explain/units.h"
#include "study/inputs.h"
#include "study/memory.h"

namespace headwater {

namespace {

// Of a run on one thread: what passes between two products should stay in its part of the last cache.
constexpr std::size_t tokens_at_once = 512;

bool is_whole(const Perturbation& perturbation) {
  return std::find(perturbation.kept.begin(), perturbation.kept.end(), false) == perturbation.kept.end();
}

bool of_special_token(Replacement replacement) {
  return replacement == Replacement::Mask || replacement == Replacement::Unknown ||
         replacement == Replacement::Pad;
}

// A study of this target whose run nobody asks for.
std::unique_ptr<Study> aimed_study(const LoadedModel& loaded, const Prepared& prepared,
                                   const Target& target) {
  return std::make_unique<Study>(open_study(loaded, prepared).aimed_at(target));
}

// The tokens that stay, and where the rows of the target then are.
Batch without_tokens(const Batch& whole, const std::vector<bool>& there, const std::vector<int>& positions) {
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

// On every thread a kept run of the first, and as many copies as go at once.
std::size_t perturbed_batch_bytes(const ModelInfo& info, Index tokens, std::size_t inputs) {
  const Index rows = is_vocabulary(info.task) ? 1 : tokens;
  const std::size_t at_once = std::max<std::size_t>(1, tokens_at_once / static_cast<std::size_t>(tokens)),
                    copies = std::min(at_once, inputs);
  return static_cast<std::size_t>(thread_count()) *
         (planned_run_bytes(info, tokens, rows) + copies * passing_bytes(info, tokens, rows));
}

std::size_t PerturbedRuns::add(const Prepared& prepared, const Target& target, View::Unit unit) {
  auto known = std::make_unique<Known>();
  known->study = aimed_study(loaded_, prepared, target);
  const bool regression =
      loaded_.info().task == Task::TextClassification && loaded_.problem == Problem::Regression;
  if (!regression) known->probability = std::make_unique<Objective>(*known->study, Quantity::Probability);
  known->logit = std::make_unique<Objective>(*known->study, Quantity::Logit);
  // The row that is read stays: what is replaced there is no longer the same question.
  known->units =
      removable_units(*known->study, {.words = unit == View::Unit::Word, .keep_target = true}).tokens;
  inputs_.push_back(std::move(known));
  return inputs_.size() - 1;
}

std::size_t PerturbedRuns::ask(std::size_t input, const std::string& replace, Perturbation perturbation) {
  Known& known = *inputs_[input];
  auto found = known.replacements.find(replace);
  if (found == known.replacements.end())
    found = known.replacements.emplace(replace, replacement_of(replace, *known.study)).first;
  // Nothing taken away is one input, whatever would have stood in its place; so are black pixels.
  const bool pixels = perturbation.of == Perturbation::Of::Pixels;
  const Replacement replacement = is_whole(perturbation) || pixels ? Replacement::Zero : found->second;
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

// What the runs will write, before several threads read it.
void PerturbedRuns::know_embeddings() {
  std::vector<bool> needed(inputs_.size(), false);
  std::vector<std::set<Replacement>> wanted(inputs_.size());
  for (const Asked& asked : asked_) {
    if (asked.perturbation.of == Perturbation::Of::Pixels) continue;
    needed[asked.input] = true;
    if (asked.replacement != Replacement::Delete && !is_whole(asked.perturbation))
      wanted[asked.input].insert(asked.replacement);
  }
  const auto absent = [](const Known& known, Replacement replacement) {
    // Of a study of its own, whose run is forgotten.
    Study once = known.study->aimed_at({});
    once.keep_only({Site::ResidPre}, 1);
    return absent_rows(once, replacement);
  };
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    for (const Replacement replacement : wanted[i])
      if (of_special_token(replacement) && shared_absent_.count(replacement) == 0)
        shared_absent_.emplace(replacement, absent(*inputs_[i], replacement).rows(0, 1).clone());
  side_by_side(static_cast<std::int64_t>(inputs_.size()), [&](std::int64_t i) {
    Known& known = *inputs_[static_cast<std::size_t>(i)];
    if (!needed[static_cast<std::size_t>(i)]) return;
    Tape tape(std::vector<Place>{{Site::Embed, 0}});
    loaded_.model->run(tape, known.study->batch());
    const Tensor rows = tape.at(Site::Embed, 0).value;
    known.embeddings = rows.reshaped(rows.shape().without_front());
    for (const Replacement replacement : wanted[static_cast<std::size_t>(i)])
      if (!of_special_token(replacement)) known.absent.emplace(replacement, absent(known, replacement));
  });
}

const Tensor& PerturbedRuns::absent_for(const Known& known, Replacement replacement) const {
  return of_special_token(replacement) ? shared_absent_.at(replacement) : known.absent.at(replacement);
}

// Which tokens stay, whatever takes the others' place.
std::vector<bool> PerturbedRuns::tokens_there(const Asked& asked) const {
  const Known& known = *inputs_[asked.input];
  std::vector<bool> there(static_cast<std::size_t>(known.study->size()), true);
  for (std::size_t u = 0; u < asked.perturbation.kept.size(); ++u)
    for (const int t : known.units[u]) there[static_cast<std::size_t>(t)] = asked.perturbation.kept[u];
  return there;
}

Batch PerturbedRuns::batch_for(const Asked& asked) const {
  const Known& known = *inputs_[asked.input];
  const Study& study = *known.study;
  const std::vector<int> positions = (known.probability ? known.probability : known.logit)->positions();
  if (asked.replacement == Replacement::Delete)
    return without_tokens(study.batch(), tokens_there(asked), positions);
  Batch batch = study.batch();
  batch.positions = positions;
  if (asked.perturbation.of == Perturbation::Of::Pixels)
    batch.pixels = blackened(batch.pixels, asked.perturbation.kept, study.black);
  return batch;
}

// Some families count positions, or look for the last token, by skipping [PAD] ids.
struct PerturbedRuns::Alike {
  std::vector<Index> sizes;
  std::vector<int> types, positions;
  std::vector<bool> pads;
  bool pixels = false;
  auto operator<=>(const Alike&) const = default;
};

PerturbedRuns::Alike PerturbedRuns::alike_of(const Asked& asked, const Batch& batch) const {
  Alike made{.sizes = sizes_of(batch),
             .positions = batch.positions,
             .pixels = asked.perturbation.of == Perturbation::Of::Pixels};
  const std::optional<int> pad = inputs_[asked.input]->study->special_ids.pad;
  for (const auto& types : batch.type_ids) made.types = types;
  for (const auto& ids : batch.ids)
    for (const int id : ids) made.pads.push_back(pad && id == *pad);
  return made;
}

template <class R>
void PerturbedRuns::write_embeddings(const Asked& asked, R* to) const {
  const Known& known = *inputs_[asked.input];
  const Tensor& own = known.embeddings;
  const Index D = own.dim(1);
  const std::vector<bool> there = tokens_there(asked);
  const bool remove = asked.replacement == Replacement::Delete;
  const bool whole = std::find(there.begin(), there.end(), false) == there.end();
  const Tensor* absent = whole || remove ? nullptr : &absent_for(known, asked.replacement);
  for (Index t = 0; t < own.dim(0); ++t) {
    if (there[static_cast<std::size_t>(t)])
      to = std::copy_n(own.data<R>() + t * D, D, to);
    else if (!remove)
      to = std::copy_n(absent->data<R>() + (absent->dim(0) == 1 ? 0 : t) * D, D, to);
  }
}

// Runs of some of a group may be on several threads: the first to come makes the run they share, the last to
// go drops it.
struct PerturbedRuns::Together {
  std::vector<std::size_t> all;
  Batch one;  // of the first
  bool pixels = false;
  std::unique_ptr<std::mutex> making = std::make_unique<std::mutex>();
  std::size_t left = 0;  // of all, still to run
  std::shared_ptr<const Tape> tape = nullptr;
  Var logits = {};
};

// The logits of these, over the run of the first of their group.
Tensor PerturbedRuns::replayed(const Together& group, std::span<const std::size_t> members) const {
  const Var words = group.tape->at(Site::Embed, 0);
  Tensor copies(words.value.shape().without_front().with_front(static_cast<Index>(members.size())),
                words.value.dtype());
  const Index each = copies.size() / copies.dim(0);
  dispatch(copies.dtype(), [&](auto r) {
    using R = decltype(r);
    for (std::size_t m = 0; m < members.size(); ++m)
      write_embeddings<R>(asked_[members[m]], copies.data<R>() + static_cast<Index>(m) * each);
  });
  const Changed changed{.at = words, .copies = std::move(copies)};
  Tape again(Keep::Nothing);
  return group.tape->replay({&changed, 1}, group.logits, again).value.value;
}

void PerturbedRuns::take(const Tensor& logits, std::span<const std::size_t> members,
                         const std::vector<int>& positions) {
  const std::size_t first = replies_.size() - asked_.size();
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Reply reply =
        reply_of(*inputs_[asked_[members[m]].input], logits.rows(static_cast<Index>(m), 1), positions);
    if (!std::isfinite(reply.logit))
      throw FormatError("model: expected finite logits for an input with removed units, found others");
    replies_[first + members[m]] = reply;
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

std::vector<PerturbedRuns::Together> PerturbedRuns::grouped() const {
  std::map<Alike, std::vector<std::size_t>> alike;
  for (std::size_t a = 0; a < asked_.size(); ++a)
    alike[alike_of(asked_[a], batch_for(asked_[a]))].push_back(a);
  std::vector<Together> groups;
  for (auto& [key, all] : alike) {
    const std::size_t count = all.size();
    groups.push_back({.all = std::move(all), .one = {}, .pixels = key.pixels, .left = count});
    groups.back().one = batch_for(asked_[groups.back().all.front()]);
  }
  return groups;
}

void PerturbedRuns::run_some(Together& group, std::span<const std::size_t> members) {
  const std::vector<int>& positions = group.one.positions;
  if (group.pixels) {
    std::vector<Batch> batches;
    for (const std::size_t a : members) batches.push_back(batch_for(asked_[a]));
    Tape tape(Keep::Nothing);
    const std::vector<Group> groups = group_inputs(batches, tokens_at_once);
    return take(loaded_.model->run(tape, groups.front().batch).value, members, positions);
  }
  {
    const std::lock_guard lock(*group.making);
    if (!group.tape) {
      auto tape = std::make_shared<Tape>();
      group.logits = loaded_.model->run(*tape, group.one);
      group.tape = std::move(tape);
    }
  }
  take(replayed(group, members), members, positions);
  const std::lock_guard lock(*group.making);
  if ((group.left -= members.size()) > 0) return;
  group.logits = {};
  group.tape.reset();
}

void PerturbedRuns::run(const std::function<void(std::size_t done)>& advance) {
  know_embeddings();
  std::vector<Together> groups = grouped();
  struct Some {
    Together& group;
    std::span<const std::size_t> members;
  };
  std::vector<Some> work;
  for (Together& group : groups) {
    const std::size_t most = std::max<std::size_t>(1, tokens_at_once / tokens_of(group.one));
    for (std::size_t begin = 0; begin < group.all.size(); begin += most)
      work.push_back({group, std::span(group.all).subspan(begin, std::min(most, group.all.size() - begin))});
  }
  std::atomic<std::size_t> done{0};
  const auto caller = std::this_thread::get_id();
  side_by_side(static_cast<std::int64_t>(work.size()), [&](std::int64_t i) {
    const Some& some = work[static_cast<std::size_t>(i)];
    run_some(some.group, some.members);
    const std::size_t now = done += some.members.size();
    if (advance && std::this_thread::get_id() == caller) advance(now);
  });
  asked_.clear();
}

void PerturbedRuns::forget() {
  inputs_.clear();
  asked_.clear();
  replies_.clear();
}

}  // namespace headwater
