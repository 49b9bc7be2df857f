// See Note [Same ids] in explain/replacement.h. A batch holds the input n times, and an edit at the
// embeddings replaces the rows of absent units. Deleting units changes the length, so those inputs are
// grouped by length, and a token-wise target moves with its token.
#include "explain/game.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <headwater/error.h>

#include "blocks/batch.h"
#include "explain/gradients.h"
#include "study/map_checks.h"
#include "study/memory.h"

namespace headwater {

std::size_t game_bytes(const ModelInfo& info, Index tokens) {
  return passing_bytes(info, tokens, objective_rows(info, tokens));
}

std::size_t sampled_game_bytes(const ModelInfo& info, Index tokens, int samples, std::size_t matrices) {
  const auto T = as_size(tokens);
  const auto coalitions = as_size(std::max(0, samples)) + 2 * T + 512;
  return game_bytes(info, tokens) + coalitions * (T / 4 + 256) + matrices * T * T * sizeof(double);
}

Game::Game(const Study& study, const Objective& objective, const GameOptions& options)
    : study_(study),
      objective_(objective),
      replacement_(replacement_of(options.replace, study)),
      units_(removable_units(study, {.words = options.unit == "word",
                                     .with_special = options.with_special,
                                     .keep_target = replacement_ == Replacement::Delete})) {
  if (replacement_ != Replacement::Delete) {
    absent_ = absent_rows(study, replacement_);
    return;
  }
  if (objective.over_tokens())
    throw InputError(
        "replace: expected a replacement that keeps the tokens for the probability of an answer, which runs "
        "over them, found delete; use mask, or quantity=logit");
}

Index Game::copies() const {
  return copies_at_once(study_, game_bytes(study_.info(), study_.size()));
}

std::vector<double> Game::values(const std::vector<Coalition>& coalitions) const {
  std::map<Coalition, std::size_t> seen;
  std::vector<Coalition> unique;
  std::vector<std::size_t> which;
  for (const Coalition& coalition : coalitions) {
    const auto [it, fresh] = seen.emplace(coalition, unique.size());
    if (fresh) unique.push_back(coalition);
    which.push_back(it->second);
  }
  const std::vector<double> computed =
      replacement_ == Replacement::Delete ? deleted(unique) : replaced(unique);
  std::vector<double> values;
  for (const std::size_t k : which) values.push_back(computed[k]);
  return values;
}

std::vector<double> Game::replaced(const std::vector<Coalition>& coalitions) const {
  const auto most = as_size(copies());
  const Index D = absent_.dim(1);
  std::vector<double> values;
  for (std::size_t begin = 0; begin < coalitions.size(); begin += most) {
    const std::size_t n = std::min(most, coalitions.size() - begin);
    // For one sequence: value [n, T, D], with T its units from `first` on.
    const auto remove = [&](Tensor& value, Index first) {
      const Index T = value.dim(1);
      dispatch(value.dtype(), [&]<class R>(R) {
        for (std::size_t k = 0; k < n; ++k)
          for (std::size_t u = 0; u < units_.size(); ++u)
            for (const int t : units_.tokens[u])
              if (!coalitions[begin + k][u] && t >= first && t < first + T)
                std::copy_n(absent_.data<R>() + t * D, D,
                            value.data<R>() + (static_cast<Index>(k) * T + t - first) * D);
      });
    };
    std::vector<Edit> edits;
    for (int s = 0; s <= study_.written(); ++s)
      edits.push_back(
          {{Site::Embed, 0, s},
           [&remove, first = study_.sequences()[as_size(s)].first](Tensor& value) { remove(value, first); }});
    Tape tape(Keep::Nothing, std::move(edits));
    Batch batch = repeated(study_.batch(), static_cast<Index>(n));
    batch.positions = objective_.positions();
    const Tensor logits = study_.model().run(tape, batch).value;
    const std::vector<double> some = objective_.values(logits, batch.positions);
    values.insert(values.end(), some.begin(), some.end());
    study_.progress(static_cast<double>(begin + n) / static_cast<double>(coalitions.size()));
  }
  return values;
}

Batch Game::without(const Coalition& coalition) const {
  std::vector<bool> there(as_size(study_.size()), true);
  for (std::size_t u = 0; u < units_.size(); ++u)
    for (const int t : units_.tokens[u]) there[as_size(t)] = coalition[u];
  Batch rest = study_.batch();
  rest.positions.clear();
  const auto shorten = [&](std::vector<std::vector<int>>& rows, Index first) {
    if (rows.empty()) return;
    std::vector<int> kept;
    for (std::size_t t = 0; t < rows.front().size(); ++t)
      if (there[as_size(first) + t]) kept.push_back(rows.front()[t]);
    if (kept.empty())
      throw InputError(
          "replace: expected a text with at least one token left, found none after delete; use a replacement "
          "that keeps the length, such as mean");
    rows = {std::move(kept)};
  };
  shorten(rest.ids, 0);
  shorten(rest.type_ids, 0);
  shorten(rest.prefix, study_.first_written());
  std::vector<int> moved;  // the position of a unit of the output among the remaining units
  int next = 0;
  for (auto t = as_size(study_.first_written()); t < there.size(); ++t) {
    moved.push_back(next);
    next += there[t] ? 1 : 0;
  }
  for (const int position : objective_.positions()) rest.positions.push_back(moved[as_size(position)]);
  return rest;
}

std::vector<double> Game::deleted(const std::vector<Coalition>& coalitions) const {
  std::vector<Batch> inputs;
  inputs.reserve(coalitions.size());
  for (const Coalition& coalition : coalitions) inputs.push_back(without(coalition));
  const auto tokens = as_size(copies() * study_.size());
  std::vector<double> values(coalitions.size());
  std::size_t done = 0;
  for (const Group& group : group_inputs(inputs, tokens)) {
    Tape tape(Keep::Nothing);
    const Tensor logits = study_.model().run(tape, group.batch).value;
    const std::vector<double> some = objective_.values(logits, group.batch.positions);
    for (std::size_t m = 0; m < group.members.size(); ++m) values[group.members[m]] = some[m];
    done += group.members.size();
    study_.progress(static_cast<double>(done) / static_cast<double>(coalitions.size()));
  }
  return values;
}

Check check_nothing_removed(const Game& game, double value) {
  const double again = game.values({Coalition(game.units().size(), true)}).front();
  return check_within("with nothing removed the output is unchanged", std::abs(again - value), 0);
}

}  // namespace headwater
