// Hidden token attribution (Brunner et al., 2020): how much of every hidden vector goes back to every input
// token, by the size of the derivative. With J^l_ij = ∂e^l_j / ∂x_i, [D, D],
//
//   c^l[j, i] = |J^l_ij| / Σ_k |J^l_kj|              row j: the token being written, column i: being read
//
// |·| is the Frobenius norm unless said otherwise, x the input e⁰ of the first block. The derivatives are
// tangents in forward mode, which serve all layers at once: a basis of them where the model is narrow, else a
// few chosen and a few random ones per token, with error bars (block_norms.cpp). One block alone
// (wrt=local) has a closed form in post-norm models. With head_outputs=true the same is said of every head's
// output (Pascual, Brunner and Wattenhofer, 2021) and compared with the head's attention: the global view of
// a head beside its local one. A model with several stacks is read from the units of all its sequences to
// every block of every stack, exactly (joint_norms.h).
#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "explain/kind_maps.h"
#include "methods/hidden_token_attribution/block_norms.h"
#include "methods/hidden_token_attribution/joint_norms.h"
#include "methods/hidden_token_attribution/shares.h"
#include "methods/method.h"
#include "study/map_checks.h"

namespace headwater {

namespace {

constexpr Index exact_up_to = 128;  // widths for which a basis of tangents is affordable

BlockNorm norm_of(const std::string& name) {
  if (name == "spectral") return BlockNorm::Spectral;
  if (name == "ones") return BlockNorm::Ones;
  return name == "gradxinput" ? BlockNorm::GradientTimesInput : BlockNorm::Frobenius;
}

Differentiated variable_of(const std::string& name) {
  if (name == "sum") return Differentiated::Sum;
  if (name == "word") return Differentiated::Word;
  return name == "local" ? Differentiated::Local : Differentiated::Stream;
}

// `width`: of what is differentiated by.
BlockNormSettings settings_of(const MethodOptions& options, Index width) {
  const std::string &mode = options.text("mode"), &norm = options.text("norm");
  BlockNormSettings s{.norm = norm_of(norm),
                      .with_respect_to = variable_of(options.text("wrt")),
                      .guided = options.integer("k"),
                      .probes = options.integer("m"),
                      .seed = static_cast<std::uint64_t>(options.integer("seed")),
                      .heads = options.text("head_outputs") == "true"};
  const bool derived = s.norm == BlockNorm::Spectral || s.norm == BlockNorm::Ones;
  if (derived && mode != "auto" && mode != "exact")
    options.refuse("mode", "auto or exact with norm=" + norm + ", which no probe estimates");
  if (derived && s.heads) options.refuse("norm", "frobenius or gradxinput with head_outputs");
  if (s.norm == BlockNorm::GradientTimesInput && s.with_respect_to == Differentiated::Sum)
    options.refuse("wrt", "e0, word or local with norm=gradxinput, which needs the value itself");
  const bool local = s.with_respect_to == Differentiated::Local;
  if (local && mode != "auto" && mode != "exact")
    options.refuse("mode", "auto or exact with wrt=local, which is always exact");
  if (mode == "exact" || derived || local || (mode == "auto" && width <= exact_up_to))
    s.mode = TangentMode::Exact;
  else
    s.mode = mode == "probes" ? TangentMode::Probes : TangentMode::Guided;
  if (s.mode == TangentMode::Probes) s.guided = 0;
  if (s.guided + s.probes >= width) s.mode = TangentMode::Exact;  // no more tangents, and no error
  return s;
}

// Shares of every head's output, and how far they agree with its attention.
void add_heads(Attribution& result, const Study& study, const BlockNorms& blocks) {
  const ModelInfo& info = study.info();
  const Index L = info.last().layers, H = info.last().heads, T = study.size();
  const std::vector<double> shares =
      shares_of(blocks.heads, std::vector<double>(blocks.heads.size()), T).values;
  Tensor pearson({L, H}, DType::Float64), spearman({L, H}, DType::Float64);
  for (Index l = 0; l < L; ++l) {
    const std::vector<double> pattern = study.at(Site::Pattern, static_cast<int>(l)).to_doubles();
    for (Index h = 0; h < H; ++h) {
      const RowCorrelation agreement = row_agreement(shares.data() + (l * H + h) * T * T,
                                                     pattern.data() + h * T * T, T, info.last().causal);
      pearson.data<double>()[l * H + h] = agreement.pearson;
      spearman.data<double>()[l * H + h] = agreement.spearman;
    }
  }
  Tensor maps = Tensor::of({L, H, T, T}, shares, info.dtype);
  if (info.last().causal) forbid_future(maps);
  result.details.push_back({"head_attribution", {Axis::Layer, Axis::Head, Axis::Query, Axis::Key}, maps});
  result.details.push_back({"head_attention_pearson", {Axis::Layer, Axis::Head}, pearson});
  result.details.push_back({"head_attention_spearman", {Axis::Layer, Axis::Head}, spearman});
}

void add_notes(Attribution& result, const BlockNormSettings& settings, const Shares& shares,
               const std::string& norm, Index tokens) {
  result.notes.push_back(
      fmt::format("Shares by the {} norm: percentages of different norms cannot be compared.", norm));
  if (settings.norm == BlockNorm::Ones)
    result.notes.emplace_back(
        "norm=ones follows one fixed direction, which a LayerNorm nearly removes: use it to reproduce "
        "published numbers, not to interpret this model.");
  if (settings.mode == TangentMode::Exact) return;
  const double worst = *std::max_element(shares.errors.begin(), shares.errors.end());
  result.notes.push_back(
      fmt::format("Estimated from {} tangents per token; the largest standard error of a share is {:.2g}, "
                  "and in {} of {} rows the two largest shares are within three standard errors.",
                  settings.guided + settings.probes, worst, undecided_rows(shares, tokens),
                  static_cast<Index>(shares.values.size()) / tokens));
}

// What is defined for one stack only.
void refuse_for_several_stacks(const ModelInfo& info, const MethodOptions& options) {
  const auto refuse_unless = [&](std::string_view option, std::initializer_list<std::string_view> known,
                                 std::string_view why) {
    const std::string& found = options.text(option);
    if (std::find(known.begin(), known.end(), found) == known.end())
      throw Unsupported(fmt::format("hidden_token_attribution: option {}={}: {}, and {} has several; use {}",
                                    option, found, why, info.architecture, fmt::join(known, " or ")));
  };
  refuse_unless("norm", {"frobenius", "gradxinput"}, "is measured within one stack of blocks");
  refuse_unless("wrt", {"e0"}, "names a place of one stack of blocks");
  refuse_unless("mode", {"auto", "exact"}, "chooses its directions for one stack of blocks");
  refuse_unless("head_outputs", {"false"}, "compares with the attention of one stack of blocks");
}

Attribution run_joint(const Study& study, const MethodOptions& options) {
  refuse_for_several_stacks(study.info(), options);
  Attribution result = joint_attribution(study, norm_of(options.text("norm")));
  result.notes.push_back(maximum_note(result.maps));
  add_notes(result, {.norm = norm_of(options.text("norm"))}, {}, options.text("norm"), study.size());
  result.notes.emplace_back("Rows are divided over the units of all sequences together.");
  return result;
}

Attribution run(const Study& study, const MethodOptions& options) {
  const ModelInfo& info = study.info();
  if (is_encoder_decoder(info)) return run_joint(study, options);
  const Index L = info.last().layers, T = study.size();
  const BlockNormSettings settings =
      settings_of(options, source_width(study, variable_of(options.text("wrt"))));
  const BlockNorms blocks = block_norms(study, settings);
  const Shares shares = shares_of(blocks.norms, blocks.variances, T);
  Attribution result{.maps = {{.axes = {Axis::Layer, Axis::Query, Axis::Key},
                               .values = Tensor::of({L, T, T}, shares.values, info.dtype)}}};
  promise_row_sums(result, check_row_sums(result.scores()));
  result.checks.push_back(check_nonnegative(result.scores()));
  result.checks.insert(result.checks.end(), blocks.checks.begin(), blocks.checks.end());
  result.notes.push_back(maximum_note(result.scores()));
  add_notes(result, settings, shares, options.text("norm"), T);
  result.details = share_details(shares.values, L, T, info.last().causal);
  Tensor norms = Tensor::of({L, T, T}, blocks.norms, info.dtype);
  Tensor errors = Tensor::of({L, T, T}, shares.errors, info.dtype);
  if (info.last().causal) {
    result.checks.push_back(check_causal(result.scores()));
    for (Tensor* map : {&result.scores(), &norms, &errors}) forbid_future(*map);
  }
  result.details.push_back({"norm", result.axes(), norms});
  if (settings.mode != TangentMode::Exact)
    result.details.push_back({"standard_error", result.axes(), errors});
  if (settings.heads) add_heads(result, study, blocks);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  if (is_encoder_decoder(info)) return joint_norm_bytes(info, tokens);
  const BlockNormSettings settings = settings_of(options, info.last().width);
  const auto T = as_size(tokens), L = as_size(info.last().layers);
  return 5 * L * T * T * sizeof(double) + block_norm_bytes(info, tokens, settings);
}

}  // namespace

extern const Method hidden_token_attribution{
    .name = "hidden_token_attribution",
    .summary = "How much of every hidden vector comes from each input token, by the size of derivatives.",
    .question = Question::Certainty,
    .formula = "c[l,j,i] = |∂e[l,j]/∂x[i]| / Σₖ |∂e[l,j]/∂x[k]|",
    .paper =
        "Brunner et al., 2020: On Identifiability in Transformers. ICLR. Heads: Pascual et al., 2021: "
        "Telling BERT's Full Story: from Local Attention to Global Aggregation. EACL",
    .cost =
        "T × min(D, k + m) tangents, each about one forward run, and min(256, 8 (k + m)) backward runs when "
        "guided; wrt=local in post-norm models about 14 T D³ operations per layer.",
    .limits =
        "Derivatives are local: they say what a small change would do, not what a token contributed. "
        "Percentages depend on the norm and on the variable, ranks much less. Estimates carry a standard "
        "error. For encoder–decoders only the exact mode exists, with rows over source and prefix together.",
    .options = {{"norm", "frobenius|spectral|ones|gradxinput", "frobenius",
                 "the size of a D × D derivative; ones: of the summed outputs, as in some public code, which "
                 "is nearly blind after a LayerNorm"},
                {"wrt", "e0|sum|word|local", "e0",
                 "differentiate with respect to the first block's input, the sum of embeddings before its "
                 "norm, the word embedding, or each block's own input"},
                {"mode", "auto|exact|probes|guided", "auto",
                 "a basis of tangents, random probes, or probes together with directions chosen by pulls; "
                 "auto: exact up to width 128, otherwise guided"},
                {"k", "integer", "24", "guided: chosen directions per token", 1, 1e5},
                {"m", "integer", "8", "random probes per token, two for error bars", 2, 1e5},
                {"seed", "integer", "0", "seed of the random directions"},
                {"head_outputs", "false|true", "false",
                 "true: also measure the outputs of single heads and compare them with their attention"}},
    .claims = {.rows_sum_to_one = true, .nonnegative = true, .causal = true},
    .tiles = true,
    .aliases = {"hta"},
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
