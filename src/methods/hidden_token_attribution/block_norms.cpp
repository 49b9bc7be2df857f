// |J|²_F = Σ_c |J e_c|² over a basis, or an estimate. With Q_i [D, k] orthonormal and z_1 … z_m a random
// orthonormal block in its complement, each scaled by √(D − k),
//
//   N² = |J Q_i|²_F + (1/m) Σ_p |J z_p|²                                    unbiased given Q_i
//   var N² = s²/m · (D − k − m)/(D − k)                                     s²: sample variance over p
//   var N = var N² / (4 N²),   E[N̂] ≈ N (1 − var N² / (8 N⁴)), which is corrected
//
// (an orthonormal block is a sample without replacement, hence the last factor). Guided: Q_i holds the
// leading directions of what K backward passes bring to token i. Each pass puts Gaussian cotangents on a
// random half of the positions, in every layer; token i keeps the passes whose half it is not in, so that its
// own large block does not drown the others.
#include "methods/hidden_token_attribution/block_norms.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "methods/hidden_token_attribution/local_jacobian.h"
#include "methods/hidden_token_attribution/probes.h"
#include "methods/hidden_token_attribution/tangents.h"
#include "numerics/random.h"
#include "study/map_checks.h"
#include "study/memory.h"

namespace headwater {

namespace {

constexpr std::uint64_t cotangent_stream = 3, check_stream = 4;

Index passes_of(const BlockNormSettings& s) {
  return std::min<Index>(256, 8 * (s.guided + s.probes));
}

Site source_site(const Study& study, Differentiated with_respect_to) {
  // Before a norm, positions and segments are added to the word: the derivatives by the word and by the sum
  // are the same. Without that norm the sum is the stream itself.
  const bool sum = with_respect_to == Differentiated::Sum && !study.info().pre_norm;
  return with_respect_to == Differentiated::Word || sum ? Site::Embed : Site::ResidPre;
}

class Estimator {
 public:
  Estimator(const Study& study, const BlockNormSettings& settings)
      : study_(study),
        s_(settings),
        layers_(study.info().last().layers),
        heads_(study.info().last().heads),
        tokens_(study.size()),
        width_(source_width(study, settings.with_respect_to)),
        hidden_(layers_ * tokens_ * tokens_),
        of_heads_(settings.heads ? layers_ * heads_ * tokens_ * tokens_ : 0) {
    const Site source = source_site(study, settings.with_respect_to);
    const int last = study.info().last().layers - 1;
    if (settings.with_respect_to == Differentiated::Local)
      for (int l = 0; l <= last; ++l) courses_.push_back({Site::ResidPre, l, l});
    else
      courses_.push_back({source, 0, last});
  }

  BlockNorms run() {
    BlockNorms result;
    result.norms.resize(hidden_.exact.size());
    result.variances.resize(hidden_.exact.size());
    const bool closed = s_.norm == BlockNorm::Frobenius && has_local_form(study_);
    const bool local = s_.with_respect_to == Differentiated::Local;
    if (s_.norm == BlockNorm::Ones)
      ones(result.norms);
    else if (s_.norm == BlockNorm::Spectral)
      spectral(result.norms);
    else if (local && closed && !s_.heads)
      closed_form(layers_, result);
    else
      tangents(result);
    // The first block's input is e⁰: its closed form replaces an estimate that is hard there.
    const bool first =
        closed && s_.with_respect_to == Differentiated::Stream && s_.mode != TangentMode::Exact;
    if (first) closed_form(1, result);
    if (closed && (first || (local && !s_.heads))) result.checks.push_back(check_closed_form(result));
    result.checks.push_back(check_adjoint());
    return result;
  }

 private:
  void ones(std::vector<double>& norms) {
    for (int l = 0; l < layers_; ++l) {
      LayerRange course = courses_.front();
      if (s_.with_respect_to == Differentiated::Local) course.first = l;
      course.last = l;
      pull_ones(study_, course, norms);
      study_.progress(static_cast<double>(l + 1) / static_cast<double>(layers_));
    }
  }

  void spectral(std::vector<double>& norms) {
    double done = 0;
    for (const LayerRange& course : courses_)
      for (Index i = 0; i < tokens_; ++i) {
        push_spectral(study_, course, i, norms);
        study_.progress(++done / static_cast<double>(tokens_ * static_cast<Index>(courses_.size())));
      }
  }

  void closed_form(Index layers, BlockNorms& result) {
    for (Index l = 0; l < layers; ++l) {
      const std::vector<double> norms = local_norms(study_, static_cast<int>(l));
      std::copy(norms.begin(), norms.end(), result.norms.begin() + l * tokens_ * tokens_);
      std::fill_n(result.variances.begin() + l * tokens_ * tokens_, tokens_ * tokens_, 0.0);
      if (layers > 1) study_.progress(static_cast<double>(l + 1) / static_cast<double>(layers));
    }
  }

  // What a direction v becomes: v, or x_i ⊙ v.
  void times_input(const LayerRange& course, Index token, std::vector<double>& v) const {
    if (s_.norm != BlockNorm::GradientTimesInput) return;
    const Tensor x = study_.run().at(course.source, course.first);
    for (std::size_t c = 0; c < v.size(); ++c) v[c] *= x.at(token * width_ + static_cast<Index>(c));
  }

  std::vector<Start> starts_of(const LayerRange& course, Index token, const Directions& guided) const {
    std::vector<Start> starts;
    const auto push = [&](std::vector<double> direction, bool probe, double scale) {
      for (double& v : direction) v *= scale;
      times_input(course, token, direction);
      starts.push_back({token, probe, std::move(direction)});
    };
    if (s_.mode == TangentMode::Exact) {
      for (Start& one : basis_at(token, width_)) push(std::move(one.direction), false, 1);
      return starts;
    }
    const auto left = static_cast<double>(width_ - static_cast<Index>(guided.size()));
    for (const auto& q : guided) push(q, false, 1);
    for (const auto& z : random_directions(s_.seed, token, width_, s_.probes, guided))
      push(z, true, std::sqrt(left));
    return starts;
  }

  void tangents(BlockNorms& result) {
    std::vector<Directions> guided(as_size(tokens_));
    if (s_.mode == TangentMode::Guided) guided = guided_directions(courses_.front());
    const auto tile = as_size(tangents_at_once(study_));
    double done = 0;
    const auto all = static_cast<double>(tokens_) * static_cast<double>(courses_.size());
    SquaredNorms* heads = s_.heads ? &of_heads_ : nullptr;
    for (const LayerRange& course : courses_) {
      std::vector<Start> waiting;
      for (Index i = 0; i < tokens_; ++i) {
        std::vector<Start> more = starts_of(course, i, guided[as_size(i)]);
        std::move(more.begin(), more.end(), std::back_inserter(waiting));
        ++done;
        if (waiting.size() < tile && i + 1 < tokens_) continue;
        const auto before = static_cast<double>(waiting.size());
        push_starts(study_, course, waiting, hidden_, heads,
                    [&](Index n) { study_.progress((done - 1 + static_cast<double>(n) / before) / all); });
        waiting.clear();
      }
    }
    finish(guided, result);
    if (s_.mode == TangentMode::Exact) result.checks.push_back(check_complete());
  }

  // N and its variance from the sums.
  void finish(const std::vector<Directions>& guided, BlockNorms& result) const {
    for (std::size_t cell = 0; cell < result.norms.size(); ++cell) {
      const std::size_t token = cell % as_size(tokens_);
      const auto [norm, variance] = norm_of(hidden_, cell, guided[token].size());
      result.norms[cell] = norm;
      result.variances[cell] = variance;
    }
    result.heads.resize(of_heads_.exact.size());
    for (std::size_t cell = 0; cell < result.heads.size(); ++cell)
      result.heads[cell] = norm_of(of_heads_, cell, guided[cell % as_size(tokens_)].size()).first;
  }

  std::pair<double, double> norm_of(const SquaredNorms& sums, std::size_t cell, std::size_t taken) const {
    if (s_.mode == TangentMode::Exact) return {std::sqrt(sums.exact[cell]), 0};
    const auto m = static_cast<double>(s_.probes),
               left = static_cast<double>(width_) - static_cast<double>(taken);
    const double mean = sums.sum[cell] / m, square = sums.exact[cell] + mean;
    if (!(square > 0)) return {0, 0};
    const double spread = std::max(0.0, sums.squares[cell] - sums.sum[cell] * mean) / (m - 1);
    const double variance = spread / m * (left - m) / left;
    return {std::sqrt(square) * (1 + variance / (8 * square * square)), variance / (4 * square)};
  }

  std::vector<Directions> guided_directions(const LayerRange& course) const {
    const Index K = passes_of(s_), tile = tangents_at_once(study_);
    std::vector<std::vector<std::vector<float>>> samples(as_size(tokens_));
    for (Index first = 0; first < K; first += tile) {
      const Index count = std::min(tile, K - first);
      std::vector<std::vector<bool>> halves;
      for (Index p = 0; p < count; ++p)
        halves.push_back(random_half(s_.seed, static_cast<std::uint64_t>(first + p), tokens_));
      const Tensor back =
          pull_layers(study_, course, [&](int layer) { return cotangents_of(layer, first, halves); });
      for (Index p = 0; p < count; ++p)
        for (Index i = 0; i < tokens_; ++i) {
          if (halves[as_size(p)][as_size(i)]) continue;
          std::vector<double> g(as_size(width_));
          for (Index c = 0; c < width_; ++c) g[as_size(c)] = back.at((p * tokens_ + i) * width_ + c);
          times_input(course, i, g);
          samples[as_size(i)].emplace_back(g.begin(), g.end());
        }
      study_.progress(0);
    }
    std::vector<Directions> guided(samples.size());
    parallel_for(tokens_, 1 + 100000 / (width_ * s_.guided * passes_of(s_)), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        guided[as_size(i)] = leading_directions(samples[as_size(i)], width_, s_.guided);
    });
    return guided;
  }

  Tensor cotangents_of(int layer, Index first, const std::vector<std::vector<bool>>& halves) const {
    const Index D = study_.info().last().width;
    Tensor u = Tensor::zeros({static_cast<Index>(halves.size()), 1, tokens_, D}, study_.info().dtype);
    dispatch(u.dtype(), [&]<class R>(R) {
      R* to = u.data<R>();
      for (std::size_t p = 0; p < halves.size(); ++p)
        for (Index j = 0; j < tokens_; ++j, to += D) {
          if (!halves[p][as_size(j)]) continue;
          KeyedNormals normal(s_.seed, {cotangent_stream, static_cast<std::uint64_t>(first) + p,
                                        static_cast<std::uint64_t>(layer), static_cast<std::uint64_t>(j)});
          std::generate_n(to, D, [&] { return static_cast<R>(normal.next()); });
        }
    });
    return u;
  }

  double bound() const { return study_.info().dtype == DType::Float32 ? 1e-3 : 1e-9; }

  // Largest |a − b| over column `token` of a map, by the largest of b there.
  double column_difference(const std::vector<double>& a, const std::vector<double>& b, Index layer,
                           Index token) const {
    double worst = 0, largest = 0;
    for (Index j = 0; j < tokens_; ++j) {
      const auto cell = as_size((layer * tokens_ + j) * tokens_ + token);
      worst = std::max(worst, std::abs(a[cell] - b[cell]));
      largest = std::max(largest, b[cell]);
    }
    return largest > 0 ? worst / largest : worst;
  }

  // The same norms of one token from another basis.
  Check check_complete() const {
    const Index i = tokens_ / 2;
    const LayerRange& course = courses_.front();
    std::vector<Start> starts;
    for (auto& q : random_directions(s_.seed, i, width_, width_)) {
      times_input(course, i, q);
      starts.push_back({i, false, q});
    }
    SquaredNorms again(layers_ * tokens_ * tokens_);
    push_starts(study_, course, starts, again, nullptr, [&](Index) { study_.progress(1); });
    double worst = 0;
    for (int l = course.first; l <= course.last; ++l)
      worst = std::max(worst, column_difference(again.exact, hidden_.exact, l, i));
    return check_within("another basis gives the same norms", worst, bound());
  }

  // Tangents of one token through the first block.
  Check check_closed_form(const BlockNorms& result) const {
    const Index i = tokens_ / 2;
    const LayerRange first{Site::ResidPre, 0, 0};
    SquaredNorms plain(layers_ * tokens_ * tokens_);
    push_starts(study_, first, basis_at(i, study_.info().last().width), plain, nullptr,
                [&](Index) { study_.progress(1); });
    std::vector<double> norms = plain.exact;
    for (double& n : norms) n = std::sqrt(n);
    return check_within("closed form of the first layer equals tangents",
                        column_difference(result.norms, norms, 0, i), bound());
  }

  // u·(J v) = (Jᵀu)·v for a random v at one token and a random u at the last.
  Check check_adjoint() const {
    const LayerRange& course = courses_.front();
    const Index D = study_.info().last().width, i = tokens_ / 2, j = tokens_ - 1;
    const DType dtype = study_.info().dtype;
    const auto random = [&](Index width, Index token, std::uint64_t key) {
      KeyedNormals normal(s_.seed, {check_stream, key});
      std::vector<double> all(as_size(tokens_ * width));
      std::generate_n(all.begin() + token * width, width, [&] { return normal.next(); });
      return Tensor::of({1, 1, tokens_, width}, all, dtype);
    };
    const Tensor v = random(width_, i, 0), u = random(D, j, 1);
    const Tensor pushed = push_to_last(study_, course, v);
    const Tensor pulled =
        pull_layers(study_, course, [&](int layer) { return layer == course.last ? u : Tensor(); });
    double left = 0, right = 0, size = 0, length = 0;
    for (Index c = 0; c < u.size(); ++c) {
      left += u.at(c) * pushed.at(c);
      size += u.at(c) * u.at(c);
      length += u.at(c) != 0 ? pushed.at(c) * pushed.at(c) : 0;
    }
    for (Index c = 0; c < v.size(); ++c) right += v.at(c) * pulled.at(c);
    const double scale = std::sqrt(size * length);
    return check_within("push and pull are adjoint", scale > 0 ? std::abs(left - right) / scale : 0, bound());
  }

  const Study& study_;
  const BlockNormSettings& s_;
  Index layers_, heads_, tokens_, width_;
  std::vector<LayerRange> courses_;
  SquaredNorms hidden_, of_heads_;
};

}  // namespace

Index source_width(const Study& study, Differentiated with_respect_to) {
  return study.run().at(source_site(study, with_respect_to), 0).shape().back();
}

BlockNorms block_norms(const Study& study, const BlockNormSettings& settings) {
  return Estimator(study, settings).run();
}

std::size_t block_norm_bytes(const ModelInfo& info, Index tokens, const BlockNormSettings& settings) {
  const auto T = as_size(tokens), D = as_size(info.last().width);
  const auto L = as_size(info.last().layers), H = as_size(info.last().heads);
  ModelInfo blocks = info;  // no tangent meets the head
  blocks.task = Task::FeatureExtraction;
  std::size_t bytes = 6 * L * T * T * sizeof(double) + tangent_bytes(info, tokens) +
                      2 * D * D * sizeof(double) + packing_bytes(blocks, info.dtype);
  if (settings.heads) bytes += 5 * L * H * T * T * sizeof(double);
  if (settings.mode == TangentMode::Guided) bytes += as_size(passes_of(settings)) * T * D * sizeof(float);
  if (settings.norm == BlockNorm::Spectral)
    bytes += 2 * T * D * D * bytes_of(info.dtype) + 4 * D * D * sizeof(double);
  const bool closed =
      settings.mode != TangentMode::Exact || settings.with_respect_to == Differentiated::Local;
  if (settings.norm == BlockNorm::Frobenius && !info.pre_norm && closed) bytes += local_bytes(info, tokens);
  return bytes;
}

}  // namespace headwater
