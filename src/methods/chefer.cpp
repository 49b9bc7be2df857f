// Transformer attribution (Chefer, Gur & Wolf, CVPR 2021). With G_l = ∂y/∂A_l the gradient of the target's
// logit at the pattern of block l, and R_l the relevance that arrives there when 1 at the logit is propagated
// back (relevance forms of the ops; Note [Relevance forms]),
//
//   E_l = mean_h max(0, G_l ⊙ R_l),   B_l = I + E_l,   J = B_{L−1} … B_s
//
// and the row of the token the head reads is the answer. Text ("bert"): rows of B_l divided by their sum, the
// token's own column set to the smallest. Images ("vit"): as they are, patches alone.
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "explain/relevance_walk.h"
#include "explain/rounding.h"
#include "explain/weighted_patterns.h"
#include "methods/method.h"
#include "study/map_checks.h"
#include "study/memory.h"

namespace headwater {

namespace {

struct Settings {
  bool reference, with_gradient, bert;
  int first, last;  // blocks taken into account
  bool rolled;      // multiplied through the blocks, or one block's map alone
  DType dtype;
  bool twice;  // for the rounding check
};

Rules rules_of(const Study& study, const Settings& settings) {
  return relevance_rules(Rules::Relevance::Chefer, settings.reference, study.info());
}

Settings settings_of(const MethodOptions& options, const Study& study) {
  const ModelInfo& info = study.info();
  const int L = info.last().layers, start = options.start_layer(info);
  const std::string &block = options.text("block"), &aggregation = options.text("aggregation");
  Settings settings{
      .reference = options.text("mode") == "strict",
      .with_gradient = options.text("without_gradient") == "no",
      .bert = aggregation == "bert" || (aggregation == "auto" && study.sequences().front().rows == 0),
      .first = start,
      .last = L - 1,
      .rolled = block == "all",
      .dtype = options.text("relevance_dtype") == "same" ? info.dtype : DType::Float64,
      .twice = options.text("check_rounding") == "yes"};
  if (!settings.with_gradient && aggregation == "auto") settings.bert = false;  // as published
  if (!settings.rolled && start != 0)
    throw InputError(
        fmt::format("chefer: option start_layer: expected 0 with block {}, found {}", block, start));
  if (block == "last") settings.first = L - 1;
  if (block == "first") settings.first = settings.last = std::min(1, L - 1);
  return settings;
}

// That ops share out all they get. Outputs of a linear layer without a single positive product cannot; what
// they lose is told, not hidden.
Check check_conservation(const Ledger& ledger, const Settings& settings, const ModelInfo& info) {
  double worst = 0;
  for (int l = settings.first; l < info.last().layers; ++l)
    worst = std::max(worst, std::abs(ledger.entering(l) + ledger.lost_above(l, "linear") - ledger.seeded()));
  const double unit = settings.dtype == DType::Float32 ? 1e-5 : (settings.reference ? 1e-6 : 1e-9);
  const double bound = unit * std::max(1.0, ledger.largest());
  return check_within("relevance conserved in every block", worst, bound);
}

void report_conservation(Attribution& result, const Ledger& ledger, const Settings& settings,
                         const ModelInfo& info) {
  result.checks.push_back(check_conservation(ledger, settings, info));
  const double left = ledger.entering(settings.first);
  if (std::abs(left - ledger.seeded()) > 0.01 * std::abs(ledger.seeded()))
    result.notes.push_back(
        fmt::format("Relevance lost: {:.3g} of {:.3g} reaches layer {}; outputs of a linear layer to which "
                    "no input contributes with its own sign pass nothing on.",
                    left, ledger.seeded(), settings.first));
}

// The row that is read.
std::vector<double> relevance_row(const Study& study, const Settings& settings, Ledger& ledger) {
  RelevanceWalk walk{.rules = rules_of(study, settings), .dtype = settings.dtype, .wanted = {}};
  for (int l = settings.first; l <= settings.last; ++l) walk.wanted.push_back({Site::Pattern, l});
  std::vector<Tensor> gradients;
  if (settings.with_gradient) gradients = pattern_gradients(study, settings.first);
  study.progress(0.25);
  const Signals relevance = walk_relevance(study, walk, &ledger);
  std::vector<std::vector<double>> maps;
  for (int l = settings.first; l <= settings.last; ++l)
    maps.push_back(positive_mean(relevance.at(Site::Pattern, l),
                                 settings.with_gradient ? gradients[as_size(l)] : Tensor()));
  const std::vector<Index> rows = study.rows_read();
  return settings.rolled
             ? read_through(maps, rows, study.size(), settings.bert ? RowSums::One : RowSums::Kept)
             : mean_row(maps.front(), rows, study.size());
}

Attribution run(const Study& study, const MethodOptions& options) {
  const ModelInfo& info = study.info();
  const Settings settings = settings_of(options, study);
  Attribution result;
  Ledger ledger(rules_of(study, settings), info.last().layers);
  const std::vector<double> row = relevance_row(study, settings, ledger);
  const std::vector<Index> rows = study.rows_read();
  put_row(result, study, row, rows, settings.bert ? OwnColumn::Smallest : OwnColumn::Zero);
  report_conservation(result, ledger, settings, info);
  if (settings.twice)
    result.checks.push_back(check_rounding(study, with_cells(row, rows, 0), [&](const Study& other) {
      Ledger unread(rules_of(other, settings), info.last().layers);
      return with_cells(relevance_row(other, settings, unread), rows, 0);
    }));
  ledger.report(result, settings.first);
  result.notes.push_back(maximum_note(result.scores()));
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  const DType dtype = options.text("relevance_dtype") == "same" ? info.dtype : DType::Float64;
  const Rules rules = relevance_rules(Rules::Relevance::Chefer, options.text("mode") == "strict", info);
  const auto T = as_size(tokens), H = as_size(info.last().heads);
  const std::size_t maps = as_size(info.last().layers) * T * T;
  const std::size_t again = options.text("check_rounding") == "yes" ? planned_run_bytes(info, tokens, 1) : 0;
  return maps * (H * (bytes_of(info.dtype) + bytes_of(dtype)) + sizeof(double)) +
         relevance_walk_bytes(info, tokens, rules, dtype) + again;
}

}  // namespace

extern const Method chefer{
    .name = "chefer",
    .summary =
        "Which tokens or patches the output depends on, by relevance at the attention patterns weighted with "
        "their gradient, through all layers.",
    .title = "Chefer's relevance",
    .formula =
        "E[l] = meanₕ max(0, ∂y/∂A[l] ⊙ R[l]);  J = (I + E[L−1]) … (I + E[s]);  the row the head reads",
    .paper = "Chefer, Gur and Wolf, 2021: Transformer Interpretability Beyond Attention Visualization. CVPR",
    .cost =
        "One forward run, one pull and a relevance pass of three products per linear layer: about 3 forward "
        "runs.",
    .limits =
        "It shows positive evidence only. It divides by sums that pass through zero, so it may magnify the "
        "rounding of the run: in float32 most inputs differ from float64 by less than a thousandth of the "
        "largest score, and single inputs by some per cent. check_rounding=yes or --verify shows that, and "
        "--dtype float64 removes it; relevance_dtype=float64 over a float32 run does not. For decoders it "
        "reads the row of the target's position, which the paper does not treat.",
    .options =
        {{"mode", "fast|strict", "fast",
          "fast: exact divisions; strict: the public code's 1e-9 in every division"},
         {"aggregation", "auto|bert|vit", "auto",
          "bert: rows of I + E sum to 1; vit: rows stay as they are; auto: vit for images, otherwise bert"},
         {"start_layer", "integer", "0", "first layer that is used"},
         {"block", "all|last|first", "all",
          "all blocks, or the map of one block alone (first: block 1, as published)"},
         {"without_gradient", "no|yes", "no", "yes: the mean of max(0, R) instead, as an ablation"},
         {"relevance_dtype", "same|float64", "same",
          "the type in which relevance is computed; the run keeps the model's type"},
         {"check_rounding", "no|yes", "no",
          "yes: repeat with the input's last bits changed, which shows what the working type leaves "
          "uncertain; takes twice the time"}},
    .claims = {.nonnegative = true},
    .needs_target = true,
    .aliases = {"transformer_attribution"},
    .role = Role::Picture,
    .instead = "generic_attention",
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
