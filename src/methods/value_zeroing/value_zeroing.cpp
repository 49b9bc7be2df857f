// Value zeroing (Mohebbi et al., 2023). In layer l, with all attention weights kept, the value vectors of
// token j are replaced by zero (bias included) and the rest of the block is computed again:
//
//   D[l, i, j] = 1 − cos(x⁺_i with v_j = 0, x⁺_i)            S[l, i, :] = D[l, i, :] / Σ_j D[l, i, j]
//
// Every layer starts from the unchanged run. A plain block is not run again: block.cpp has the exact
// shortcut. In the last layer of a pre-norm model the outputs are compared after the model's last norm,
// because that is what the head reads; public tools differ in this, and `final_norm` chooses. A model with
// several stacks has a map of every kind of attention (Mohebbi et al., 2023b): in the decoder what follows
// the zeroed values is computed again, cross-attention included.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/index_list.h"
#include "explain/kind_maps.h"
#include "explain/mixing_steps.h"
#include "methods/method.h"
#include "methods/value_zeroing/block.h"
#include "numerics/row_division.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

std::vector<int> parse_list(std::string_view option, const std::string& text, int limit) {
  return parse_index_list(text, limit, [&](const std::string&) {
    throw InputError(
        fmt::format("value_zeroing: option {}: expected {} or a list such as 0,2-4 of 0 … {}, found '{}'",
                    option, option == "heads" ? "all" : "each", limit - 1, text));
  });
}

ZeroingOptions zeroing_options(const MethodOptions& options, int heads_there, Index tokens) {
  ZeroingOptions zeroing;
  if (const std::string& heads = options.text("heads"); heads == "all") {
    zeroing.heads.resize(as_size(heads_there));
    std::iota(zeroing.heads.begin(), zeroing.heads.end(), 0);
  } else {
    zeroing.heads = parse_list("heads", heads, heads_there);
  }
  if (const std::string& list = options.text("tokens"); list != "each")
    zeroing.together = parse_list("tokens", list, static_cast<int>(tokens));
  const std::string &compat = options.text("compat"), &norm = options.text("final_norm"),
                    &fold = options.text("fold");
  zeroing.final_norm = norm == "auto" ? compat != "cmt_gpt2" : norm == "apply";
  zeroing.rounded = compat == "fp32";
  if (fold == "keep") zeroing.fold = ZeroingOptions::Folding::Keep;
  if (fold == "never") zeroing.fold = ZeroingOptions::Folding::Never;
  return zeroing;
}

// What public tools do to D before the rows are divided.
double as_published(const std::string& compat, double distance) {
  if (compat == "inseq") return distance < 1e-5 ? 0 : distance;
  if (compat == "cmt_gpt2") return 1 - std::round((1 - distance) * 1e5) / 1e5;
  return distance;
}

// √(2 D) is the distance of the two unit vectors, which rounding moves by some units, however small D is.
class SampledPairs {
 public:
  void compare(const Study& study, const AttentionKind& kind, int layer, const Tensor& distances,
               const ZeroingOptions& options) {
    const Index T = study.size(kind.queries), S = study.size(kind.keys);
    const std::vector<Pair> pairs{{T - 1, S / 2}, {T / 2, 0}};
    const std::vector<double> plain = plain_distances(study, kind, layer, pairs, options);
    for (std::size_t p = 0; p < pairs.size(); ++p, ++pairs_) {
      const double found = distances.at(pairs[p].row * S + pairs[p].zeroed);
      worst_ = std::max(worst_, std::abs(std::sqrt(2 * found) - std::sqrt(2 * plain[p])));
    }
  }
  Check check(DType dtype, bool rounded) const {
    const double bound = rounded ? 2e-3 : dtype == DType::Float32 ? 2e-5 : 1e-11;
    return check_within(fmt::format("shortcut equals the plain form on {} pairs", pairs_), worst_, bound);
  }

 private:
  double worst_ = 0;
  int pairs_ = 0;
};

// Of the rows that have any weight.
Check check_zeroed_rows(const Tensor& map) {
  const Index T = map.shape().back();
  double worst = 0;
  for (Index row = 0; row < map.size() / T; ++row) {
    double sum = 0;
    for (Index j = 0; j < T; ++j) sum += map.at(row * T + j);
    if (sum != 0) worst = std::max(worst, std::abs(sum - 1));
  }
  return check_within("rows sum to 1", worst, row_sum_bound(map.dtype()));
}

void finish_maps(Attribution& result, const std::vector<AttentionKind>& kinds, const MethodOptions& options) {
  if (options.text("normalise") == "rows") {
    Index empty = 0;
    for (Map& map : result.maps) empty += divide_rows(map.values);
    if (empty > 0)
      result.notes.push_back(fmt::format(
          "{} rows were not moved by any token: they are left as zeros and do not sum to 1.", empty));
    promise_row_sums(result, worst_of(result.maps, check_zeroed_rows));
  }
  result.checks.push_back(worst_of(result.maps, check_nonnegative));
  forbid_future(result, kinds);
}

// Several stacks have no numbering of tokens that a set could be of.
void refuse_sets_of_several_stacks(const ModelInfo& info, const MethodOptions& options) {
  if (is_encoder_decoder(info) && options.text("tokens") != "each")
    throw Unsupported(fmt::format(
        "value_zeroing: option tokens: a set is of one sequence, and {} has several; use tokens=each",
        info.architecture));
}

void zero_kind(const Study& study, const std::vector<AttentionKind>& kinds, std::size_t k,
               const ZeroingOptions& zeroing, const MethodOptions& options, Attribution& result,
               SampledPairs& sample) {
  const AttentionKind& kind = kinds[k];
  const std::string& compat = options.text("compat");
  Tensor& to = result.maps[k].values;
  for (int layer = 0; layer < kind.layers; ++layer) {
    const Tensor distances = zero_values(study, kind, layer, zeroing, [&](double done) {
      study.progress((layers_before(kinds, k) + layer + done) / static_cast<double>(layers_of(kinds)));
    });
    if (zeroing.together.empty()) sample.compare(study, kind, layer, distances, zeroing);
    dispatch(distances.dtype(), [&]<class R>(R) {
      std::ranges::transform(distances.values<R>(), to.rows(layer, 1).template data<R>(), [&](R d) {
        return static_cast<R>(as_published(compat, static_cast<double>(d)));
      });
    });
    if (zeroing.together.empty())
      tell_layers_up_to(study, kinds, result.maps, k, layer, [&](std::vector<Map>& maps) {
        if (options.text("normalise") != "rows") return;
        for (Map& map : maps) divide_rows(map.values);
      });
  }
}

Attribution run(const Study& study, const MethodOptions& options) {
  const std::vector<AttentionKind> kinds = attentions_of(study.info());
  refuse_sets_of_several_stacks(study.info(), options);
  Attribution result{.maps = maps_of(study, kinds, HeadAxis::None)};
  SampledPairs sample;
  ZeroingOptions zeroing;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    zeroing = zeroing_options(options, kinds[k].heads, study.size(kinds[k].keys));
    if (!zeroing.together.empty())
      result.maps[k] = {.axes = {Axis::Layer, Axis::Units},
                        .values = Tensor({kinds[k].layers, study.size()}, study.info().dtype)};
    zero_kind(study, kinds, k, zeroing, options, result, sample);
  }
  result.notes.push_back(maximum_note(result.maps));
  if (!zeroing.together.empty()) {
    result.checks.push_back(check_nonnegative(result.scores()));
    result.notes.emplace_back(
        "The scores show how far each token moves when the given tokens are zeroed together; rows are not "
        "divided.");
    return result;
  }
  result.checks.push_back(sample.check(study.info().dtype, zeroing.rounded));
  finish_maps(result, kinds, options);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  const std::size_t cells = as_size(layers_of(attentions_of(info))) * as_size(tokens * tokens);
  return cells * bytes_of(info.dtype) +
         zeroing_bytes(info, tokens, zeroing_options(options, info.last().heads, tokens));
}

std::size_t most_scratch(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  return most_zeroing_scratch(info, tokens, zeroing_options(options, info.last().heads, tokens));
}

}  // namespace

extern const Method value_zeroing{
    .name = "value_zeroing",
    .summary =
        "How much each token depends on every other one in a layer: how far its output moves when the "
        "other's value vectors are zeroed.",
    .question = Question::Mixing,
    .formula =
        "D[l,i,j] = 1 − cos(x⁺ᵢ with v[l,h,j] = 0 for all h, x⁺ᵢ);  S[l,i,j] = D[l,i,j] / Σₖ D[l,i,k];  x⁺ "
        "the output of block l, attention weights kept",
    .paper =
        "Mohebbi, Zuidema, Chrupała and Alishahi, 2023: Quantifying Context Mixing in Transformers. EACL. "
        "Encoder–decoders: Mohebbi et al., 2023: Homophone Disambiguation Reveals Patterns of Context Mixing "
        "in Speech Transformers. EMNLP",
    .cost =
        "One forward run and, per layer, the second feed-forward product for tokens² rows (half of them in "
        "causal models); for one text of 128 tokens about 43 forward runs of BERT-base.",
    .limits =
        "It says what a layer reads, not what the prediction depends on. The residual path of the zeroed "
        "token stays, so the diagonal measures only its own value vector. Each layer is measured alone; "
        "--aggregate rollout multiplies them. The cosine sees only directions: a change of length alone "
        "scores 0.",
    .options =
        {{"heads", "text", "all", "heads whose values are zeroed: all, or a list such as 0,2-4"},
         {"tokens", "text", "each",
          "each: one column per token; or tokens such as 3,5-7 zeroed together, which gives one number "
          "per layer and token"},
         {"final_norm", "auto|apply|raw", "auto",
          "in the last layer of pre-norm models compare after the model's last norm (apply) or before "
          "(raw); auto applies it, except under compat=cmt_gpt2"},
         {"normalise", "rows|none", "rows", "rows: divide rows by their sums; none: give the distances D"},
         {"compat", "none|inseq|cmt_gpt2|fp32", "none",
          "published variants: inseq drops D < 1e-5, cmt_gpt2 rounds cosines to 5 decimals and compares "
          "before the last norm, fp32 computes 1 − cos in float32 with its rounding noise"},
         {"fold", "auto|keep|never", "auto",
          "fold W_O and the first feed-forward matrix: auto when it pays for one text of this length; "
          "keep also keeps the folds (layers × width × feed-forward numbers) for the next texts"}},
    .claims = {.rows_sum_to_one = true, .nonnegative = true, .causal = true},
    .mixing = Mixing::Complete,
    .sites = {Site::ResidPre, Site::V, Site::Pattern, Site::AttnOut, Site::ResidMid, Site::MlpOut,
              Site::ResidPost},
    .tiles = true,
    .aliases = {"vz"},
    .role = Role::Mixing,
    .compute = run,
    .planned_bytes = planned_bytes,
    .most_scratch = most_scratch,
};

}  // namespace headwater
