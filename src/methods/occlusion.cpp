// Occlusion (Zeiler & Fergus, 2014; for text: leave-one-out, Li, Monroe & Jurafsky, 2016): the output with a
// token, a word or a patch taken away,
//
//   score_u = F(x) − F(x without u)
//
// All inputs with one unit taken away run in batches.
#include <fmt/format.h>

#include "explain/game.h"
#include "methods/method.h"

namespace headwater {

namespace {

Attribution run(const Study& study, const MethodOptions& options) {
  const Objective objective(study, quantity_of(options.text("quantity")));
  const Game game(study, objective,
                  {.replace = options.text("replace"),
                   .unit = options.text("unit"),
                   .with_special = options.text("special_tokens") == "include"});
  const std::size_t n = game.units().size();
  std::vector<Coalition> coalitions(n, Coalition(n, true));
  for (std::size_t u = 0; u < n; ++u) coalitions[u][u] = false;
  const double whole = objective.value();
  std::vector<double> scores;
  for (const double without : game.values(coalitions)) scores.push_back(whole - without);
  Attribution result{.maps = {{.axes = {Axis::Units},
                               .values = per_token(game.units(), scores, study.size(), study.info().dtype)}}};
  result.checks.push_back(check_nothing_removed(game, whole));
  result.notes.push_back(fmt::format("Removed units are replaced by {}.", describe(game.replacement())));
  describe_units(game.units(), scores, result);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  const auto T = as_size(tokens);
  return game_bytes(info, tokens) + T * T / 8 + 64 * T;
}

}  // namespace

extern const Method occlusion{
    .name = "occlusion",
    .summary = "How much the output falls when one token, word or patch is removed.",
    .formula = "score[u] = F(x) − F(x without u)",
    .paper =
        "Zeiler and Fergus, 2014: Visualizing and Understanding Convolutional Networks. ECCV; Li, Monroe and "
        "Jurafsky, 2016: Understanding Neural Networks through Representation Erasure. arXiv 1612.08220",
    .cost = "One forward run per unit, in batches.",
    .limits =
        "It removes one unit at a time, so two units that say the same hide each other. The changed input "
        "may be unlike anything the model was trained on, and the replacement matters.",
    .options =
        {quantity_option,
         {"replace", "auto|mask|unk|pad|zero|mean|black|delete", "auto",
          "what replaces it; auto: mask where there is one, otherwise mean (of the token embeddings of the "
          "unit's own sequence, or of the picture's colour); black for images; delete shortens the text"},
         unit_option,
         {"special_tokens", "skip|include", "skip",
          "skip: special tokens are not removed and score 0; include: they are treated like others"}},
    .sites = {Site::ResidPre},
    .tiles = true,
    .needs_target = true,
    .aliases = {"leave_one_out", "erasure"},
    .role = Role::Removal,
    .as_reference = {{"quantity", "probability"}},
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
