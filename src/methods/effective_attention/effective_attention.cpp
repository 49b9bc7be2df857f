// Effective attention (Brunner et al., 2020): the attention of a head without the part that its output
// cannot show. With A [T, S] the pattern and V [S, E] the values of a head,
//
//   A⊥ = A P,   P the projector onto the columns of V            A⊥ V = A V, and |A⊥| is smallest
//
// Row i under a causal mask uses V[0 … i] alone. sum_preserving projects onto the columns of [V, 1], so that
// rows still sum to 1. A head whose slice W_H of the output projection loses rank writes A V W_H: then V L
// stands for V, L Lᵀ = W_H W_Hᵀ. Where P = I (S ≤ E and V of full rank) A is handed out bit for bit.
//
// compat=sun2021 is the recipe published with Sun and Marasovic (2021): the values of a batch padded to 128
// tokens are decomposed, singular values above H · epsilon count, one rank (the largest of a layer) serves
// all heads, and the padding is cut off afterwards. That is not a projection of the attention that was used.
#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "explain/kind_maps.h"
#include "explain/mixing_steps.h"
#include "kernels/kernels.h"
#include "methods/effective_attention/effective.h"
#include "methods/effective_attention/head_report.h"
#include "methods/effective_attention/padding.h"
#include "methods/method.h"
#include "ops/ops.h"
#include "study/map_checks.h"
#include "study/memory.h"

namespace headwater {

namespace {

constexpr Index rows_at_once = 64, padded_length = 128;
constexpr Index enough_work = 100000;  // products a thread must be given to be worth its start

struct Settings {
  bool sum_preserving, value_bias, padded;
  double smooth;
  RankRule rule;
};

Settings settings_of(const MethodOptions& options, const ModelInfo& info) {
  const Settings s{.sum_preserving = options.text("sum_preserving") == "true",
                   .value_bias = options.text("value_bias") == "true",
                   .padded = options.text("compat") == "sun2021",
                   .smooth = options.number("smooth"),
                   .rule = {.epsilon = epsilon_of(info.dtype), .rtol = options.share("rtol", "rtol")}};
  if (s.smooth > 0 && s.sum_preserving) options.refuse("smooth", "0 with sum_preserving");
  if (s.padded && (s.sum_preserving || !s.value_bias || s.smooth > 0 || s.rule.rtol > 0))
    options.refuse("compat", "none beside other options");
  return s;
}

// Values of one key/value head in double, without the bias if asked.
std::vector<double> values_of(const Tensor& all, Index tokens, Index groups, Index group, Index width,
                              const Tensor& bias) {
  std::vector<double> v(as_size(tokens * width));
  for (Index t = 0; t < tokens; ++t)
    for (Index e = 0; e < width; ++e)
      v[as_size(t * width + e)] =
          all.at((t * groups + group) * width + e) - (bias.empty() ? 0 : bias.at(group * width + e));
  return v;
}

std::vector<double> product_with(const std::vector<double>& v, const std::vector<double>& l, Index rows,
                                 Index width) {
  std::vector<double> product(v.size());
  kernels::gemm<double>({.m = rows, .n = width, .k = width}, v.data(), l.data(), product.data());
  return product;
}

std::vector<double> with_ones(const std::vector<double>& v, Index rows, Index width) {
  std::vector<double> wide;
  for (Index t = 0; t < rows; ++t) {
    wide.insert(wide.end(), v.begin() + t * width, v.begin() + (t + 1) * width);
    wide.push_back(1);
  }
  return wide;
}

// Heads that are projected by the same values.
struct Sharing {
  std::vector<double> values;  // [S, E]
  std::vector<Index> heads;
};

// The work on one layer.
template <class R>
class Layer {
 public:
  Layer(const Study& study, const AttentionKind& kind, const Settings& settings, int layer, R* scores,
        HeadReport& report)
      : stack_(study.info().stacks[as_size(kind.stack)]),
        causal_(kind.causal),
        settings_(settings),
        layer_(layer),
        queries_(study.size(kind.queries)),
        keys_(study.size(kind.keys)),
        pattern_(study.at(kind.pattern(layer))),
        values_(study.at(kind.at(kind.sites.v, layer))),
        scores_(scores),
        report_(report) {
    const LinearWeights* v = as_linear(study.op_at(kind.at(kind.sites.v, layer)).op);
    const Place written = kind.at(kind.sites.out, layer);
    const LinearWeights* out = study.tape().recorded(written) ? as_linear(study.op_at(written).op) : nullptr;
    if (!settings.value_bias && v == nullptr)
      throw Unsupported(
          "effective_attention: value_bias=false needs values made by one product, found others in " +
          study.info().architecture);
    if (!settings.value_bias) bias_ = v->bias;
    if (out != nullptr) out_ = out->weight->dense().to(DType::Float64);
  }

  void run() {
    const Index each = keys_ * (queries_ + stack_.head_width) * stack_.head_width;
    parallel_for(stack_.groups, 1 + enough_work / each, [&](Index begin, Index end) {
      for (Index g = begin; g < end; ++g)
        for (const Sharing& sharing : sharings(g)) project(sharing);
    });
  }

  // The published recipe; `padded` [P, G·E].
  void run_padded(const Tensor& padded) {
    const Index length = padded.dim(0), E = stack_.head_width;
    std::vector<std::vector<double>> values;
    Index rank = 0;
    for (Index g = 0; g < stack_.groups; ++g) {
      values.push_back(values_of(padded, length, stack_.groups, g, E, {}));
      const Spectrum spectrum = spectrum_of(values.back(), length, E, settings_.rule);
      const double bound = settings_.rule.epsilon * stack_.heads;
      rank = std::max<Index>(rank, std::count_if(spectrum.values.begin(), spectrum.values.end(),
                                                 [&](double s) { return s > bound; }));
    }
    for (Index h = 0; h < stack_.heads; ++h) {
      const auto& v = values[as_size(h / share())];
      const ValueSpace space = ValueSpace::of_rank(v, length, E, rank);
      std::vector<double> a(as_size(length)), x(a.size());
      for (Index i = 0; i < queries_; ++i) {
        for (Index j = 0; j < keys_; ++j) a[as_size(j)] = raw(h)[i * keys_ + j];
        space.project(a.data(), x.data(), 1);
        for (Index j = 0; j < keys_; ++j) effective(h)[i * keys_ + j] = static_cast<R>(x[as_size(j)]);
      }
      const std::vector<double> own(v.begin(), v.begin() + keys_ * E);
      describe(h, own);
      report_.maps(layer_, h, raw(h), effective(h), own.data(), E);
    }
  }

 private:
  Index share() const { return stack_.heads / stack_.groups; }
  const R* raw(Index head) const { return pattern_.template data<R>() + head * queries_ * keys_; }
  R* effective(Index head) const {
    return scores_ + (Index{layer_} * stack_.heads + head) * queries_ * keys_;
  }

  // One for the query heads of the group, and one for each that writes through a narrow W_H.
  std::vector<Sharing> sharings(Index group) const {
    const Index E = stack_.head_width;
    std::vector<Sharing> all{{values_of(values_, keys_, stack_.groups, group, E, bias_), {}}};
    for (Index h = group * share(); h < (group + 1) * share(); ++h) {
      std::optional<std::vector<double>> narrow;
      if (!out_.empty())
        narrow =
            narrow_factor(out_.data<double>() + h * E, stack_.width, stack_.heads * E, E, settings_.rule);
      if (narrow)
        all.push_back({product_with(all.front().values, *narrow, keys_, E), {h}});
      else
        all.front().heads.push_back(h);
    }
    if (all.front().heads.empty()) all.erase(all.begin());
    return all;
  }

  void describe(Index head, const std::vector<double>& values) const {
    const Index E = stack_.head_width;
    const Spectrum spectrum = spectrum_of(values, keys_, E, settings_.rule);
    const Index wide =
        spectrum.rank == keys_ ? keys_ : rank_of(with_ones(values, keys_, E), keys_, E + 1, settings_.rule);
    report_.space(layer_, head, spectrum.rank, wide, spectrum.kappa());
  }

  void project(const Sharing& sharing) {
    const bool wide = settings_.sum_preserving;
    const Index width = stack_.head_width + (wide ? 1 : 0);
    const std::vector<double> values =
        wide ? with_ones(sharing.values, keys_, stack_.head_width) : sharing.values;
    if (causal_)
      project_prefixes(values, width, sharing.heads);
    else
      project_all(values, width, sharing.heads);
    for (const Index h : sharing.heads) {
      describe(h, sharing.values);
      report_.maps(layer_, h, raw(h), effective(h), values.data(), width);
    }
  }

  void project_all(const std::vector<double>& values, Index width, const std::vector<Index>& heads) {
    const Index T = queries_, S = keys_;
    const ValueSpace space = settings_.smooth > 0 ? ValueSpace::smooth(values, S, width, settings_.smooth)
                                                  : ValueSpace(values, S, width, settings_.rule);
    std::vector<double> a, x(as_size(std::min(rows_at_once, T) * S));
    for (const Index h : heads) {
      if (space.identity()) {
        std::copy_n(raw(h), T * S, effective(h));
        continue;
      }
      for (Index row = 0; row < T; row += rows_at_once) {
        const Index rows = std::min(rows_at_once, T - row);
        a.assign(raw(h) + row * S, raw(h) + (row + rows) * S);
        space.project(a.data(), x.data(), rows);
        std::copy(x.begin(), x.begin() + rows * S, effective(h) + row * S);
      }
    }
  }

  void project_prefixes(const std::vector<double>& values, Index width, const std::vector<Index>& heads) {
    const Index T = keys_;  // as many as queries
    GrowingValueSpace space(values, T, width, settings_.rule);
    std::vector<double> a, x(as_size(T));
    for (Index t = 0; t < T; ++t) {
      const Index seen = t + 1;
      if (settings_.smooth == 0) space.grow();
      for (const Index h : heads) {
        const R* row = raw(h) + t * T;
        R* to = effective(h) + t * T;
        std::fill(to + seen, to + T, R(0));
        a.assign(row, row + seen);
        if (settings_.smooth > 0) {
          ValueSpace::smooth(std::span(values).first(as_size(seen * width)), seen, width, settings_.smooth)
              .project(a.data(), x.data(), 1);
        } else if (space.identity()) {
          std::copy_n(row, seen, to);
          continue;
        } else {
          space.project(a.data(), x.data());
        }
        std::copy(x.begin(), x.begin() + seen, to);
      }
    }
  }

  const Stack stack_;
  const bool causal_;
  const Settings& settings_;
  int layer_;
  Index queries_, keys_;
  Tensor pattern_, values_;  // [1, H, T, S], [1, S, G·E]
  Tensor bias_, out_;        // [G·E] or empty; [D, H·E] in double or empty
  R* scores_;
  HeadReport& report_;
};

void add_checks(Attribution& result, const Settings& settings, const std::vector<HeadReport>& reports) {
  double error = 0;
  bool identifiable = true;
  for (const HeadReport& report : reports) {
    const double own = report.worst_output_error();
    error = own <= error ? error : own;  // a NaN is the worst of all
    identifiable = identifiable && report.identifiable();
  }
  const double bound = result.scores().dtype() == DType::Float32 ? 1e-6 : 1e-9;
  if (settings.smooth > 0)
    result.notes.push_back(fmt::format(
        "smooth keeps a head's output only approximately: the largest relative change is {:.3g}.", error));
  else
    result.checks.push_back(check_within("the head's output is kept", error, bound));
  if (settings.sum_preserving) promise_row_sums(result, worst_of(result.maps, check_row_sums));
  if (settings.padded) {
    result.notes.emplace_back(
        "compat=sun2021 reproduces a published recipe that decomposes a padded batch: it changes heads' "
        "outputs and differs from raw attention even where the two are the same. Leave it out to read this "
        "model.");
    return;
  }
  if (identifiable && settings.smooth == 0)
    result.notes.emplace_back(
        "Every head's attention is determined by its output: effective attention is raw attention, bit for "
        "bit.");
  else
    result.notes.push_back(fmt::format(
        "Weights may be negative{}: use a signed scale, and do not renormalise, which would change the "
        "head's output.",
        settings.sum_preserving ? "" : " and rows need not sum to 1"));
}

Index length_when_padded(const ModelInfo& info, Index tokens) {
  return std::max<Index>(tokens, std::min<Index>(padded_length, info.positions));
}

Attribution run(const Study& study, const MethodOptions& options) {
  const ModelInfo& info = study.info();
  const Settings settings = settings_of(options, info);
  const std::vector<AttentionKind> kinds = attentions_of(info);
  Attribution result{.maps = maps_of(study, kinds, HeadAxis::Each)};
  std::vector<HeadReport> reports;
  std::vector<Tensor> padded;
  if (settings.padded) padded = padded_values(study, length_when_padded(info, study.size()));
  for (const AttentionKind& kind : kinds)
    reports.emplace_back(kind, HeadReport::Sizes{.queries = study.size(kind.queries),
                                                 .keys = study.size(kind.keys),
                                                 .width = info.stacks[as_size(kind.stack)].head_width});
  for_layers(study, kinds, result, [&](std::size_t k, int l) {
    dispatch(info.dtype, [&]<class R>(R) {
      Layer<R> layer(study, kinds[k], settings, l, result.maps[k].values.template data<R>(), reports[k]);
      if (settings.padded)
        layer.run_padded(padded[as_size(l)]);
      else
        layer.run();
    });
  });
  add_checks(result, settings, reports);
  for (const HeadReport& report : reports)
    for (Map& detail : report.details()) result.details.push_back(std::move(detail));
  result.notes.push_back(maximum_note(result.maps));
  forbid_future(result, kinds);
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions& options) {
  if (settings_of(options, info).padded) {  // one more run, of the padded text, and the values of all heads
    const Index length = length_when_padded(info, tokens);
    const Index E = info.last().head_width, values = info.last().groups * length * E,
                space = 10 * length * E + 6 * E * E;
    const Index heads = info.last().heads, maps = info.last().layers * heads * tokens * (tokens + 4),
                out = 2 * heads * info.last().width * E;
    return planned_run_bytes(info, length, length) + as_size(values + space + maps + out) * sizeof(double);
  }
  const auto T = as_size(tokens), H = as_size(info.last().heads);
  const auto L = as_size(layers_of(attentions_of(info))), E = as_size(info.last().head_width) + 1;
  const auto workers = as_size(std::min(thread_count(), info.last().groups));
  const std::size_t maps = L * H * T * T * bytes_of(info.dtype);
  const std::size_t report = L * H * (10 + 2 * T);
  const std::size_t each = 10 * T * E + 6 * E * E + 4 * as_size(rows_at_once) * T;
  const std::size_t out = 2 * as_size(info.last().width) * H * E;
  return maps + (report + workers * each + out) * sizeof(double);
}

}  // namespace

extern const Method effective_attention{
    .name = "effective_attention",
    .summary =
        "Attention without the part that does not change the head's output, and how far the output "
        "determines it.",
    .question = Question::Certainty,
    .formula = "A⊥[l,h] = A[l,h] P,  P the projector onto the columns of V[l,h];  A⊥ V = A V",
    .paper = "Brunner et al., 2020: On Identifiability in Transformers. ICLR",
    .cost =
        "One forward run and, per head, 4 T E² + 8 T² E operations in double precision; nothing beyond raw "
        "attention for texts of at most E tokens.",
    .limits =
        "It equals raw attention for texts of at most E tokens (the head's width). For longer texts weights "
        "may be negative and rows need not sum to 1. A direction with a tiny singular value is kept whole or "
        "dropped whole: see kappa, and the option smooth. It leaves out the size of the output projection "
        "and the target.",
    .options = {{"sum_preserving", "false|true", "false",
                 "true: project onto the columns of [V, 1], so that rows still sum to 1"},
                {"value_bias", "true|false", "true",
                 "false: use the values without their bias, as in the paper's formula"},
                {"rtol", "number", "0",
                 "singular values above rtol times the largest are used; 0: max(T, E) times the working "
                 "type's epsilon"},
                {"smooth", "number", "0",
                 "λ > 0: weight directions by s²/(s² + λ²) instead of keeping or dropping them", 0},
                {"compat", "none|sun2021", "none",
                 "sun2021: the published recipe on a batch padded to 128 tokens, which changes outputs"}},
    .claims = {.causal = true},
    .sites = {Site::Pattern, Site::V},
    .corrects = "attention",
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
