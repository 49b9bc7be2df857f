#include "identifiability/matching.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "kernels/kernels.h"
#include "numerics/length.h"
#include "numerics/wilson.h"

namespace headwater {
namespace {

constexpr double not_defined = std::numeric_limits<double>::quiet_NaN();
constexpr Index word_block = 2048, query_block = 256;

std::vector<double> square_lengths(const double* rows, Index n, Index width) {
  std::vector<double> squares(as_size(n), 0.0);
  for (Index i = 0; i < n; ++i) squares[as_size(i)] = squared_length(rows + i * width, width);
  return squares;
}

TextHits match_text(const ProbeText& text, const double* mapped, const double* targets, Index width,
                    TokenDistance distance) {
  const auto w = as_size(width), n = text.ids.size();
  const std::span<const double> candidates(targets, n * w);
  const std::vector<bool> all(n, true);
  std::vector<bool> content = text.special;
  content.flip();
  TextHits hits;
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<const double> g(mapped + i * w, w);
    const Index k = nearest(g, candidates, all, distance);
    if (k >= 0 && text.ids[as_size(k)] == text.ids[i]) ++hits.id;
    if (k == static_cast<Index>(i)) ++hits.position;
    if (text.special[i]) continue;
    const Index inner = nearest(g, candidates, content, distance);
    if (inner >= 0 && text.ids[as_size(inner)] == text.ids[i]) ++hits.content_id;
    if (inner == static_cast<Index>(i)) ++hits.content_position;
  }
  return hits;
}

// The nearest word so far of every query.
struct Best {
  std::vector<double> distance;
  std::vector<Index> word;
};

// Improves `best` by the words [begin, begin + count), given the dot products [queries, count].
void improve(Best& best, Index first_query, Index queries, Index begin, Index count, const double* dots,
             const std::vector<double>& gg, const std::vector<double>& xx, TokenDistance distance) {
  parallel_for(queries, 16, [&](Index from, Index to) {
    for (Index q = from; q < to; ++q) {
      const auto at = as_size(first_query + q);
      for (Index k = 0; k < count; ++k) {
        const double dot = dots[q * count + k], x2 = xx[as_size(k)];
        const double d = distance == TokenDistance::L2 ? gg[at] + x2 - 2 * dot
                         : gg[at] > 0 && x2 > 0        ? 1 - dot / (std::sqrt(gg[at]) * std::sqrt(x2))
                                                       : not_defined;
        if (d < best.distance[at]) {
          best.distance[at] = d;
          best.word[at] = begin + k;
        }
      }
    }
  });
}

}  // namespace

double token_distance(std::span<const double> g, std::span<const double> x, TokenDistance distance) {
  double dot = 0, gg = 0, xx = 0, square = 0;
  for (std::size_t c = 0; c < g.size(); ++c) {
    dot += g[c] * x[c];
    gg += g[c] * g[c];
    xx += x[c] * x[c];
    square += (g[c] - x[c]) * (g[c] - x[c]);
  }
  if (distance == TokenDistance::L2) return std::isfinite(square) ? std::sqrt(square) : not_defined;
  if (!(gg > 0) || !(xx > 0) || !std::isfinite(gg) || !std::isfinite(xx)) return not_defined;
  return 1 - dot / (std::sqrt(gg) * std::sqrt(xx));
}

Index nearest(std::span<const double> g, std::span<const double> candidates, const std::vector<bool>& allowed,
              TokenDistance distance) {
  Index found = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < allowed.size(); ++k) {
    if (!allowed[k]) continue;
    const double d = token_distance(g, candidates.subspan(k * g.size(), g.size()), distance);
    if (d < least) {
      least = d;
      found = static_cast<Index>(k);
    }
  }
  return found;
}

std::vector<TextHits> match_in_texts(const std::vector<const ProbeText*>& texts, const Tensor& mapped,
                                     const Tensor& targets, TokenDistance distance) {
  std::vector<Index> first{0};
  for (const ProbeText* text : texts) first.push_back(first.back() + text->tokens());
  std::vector<TextHits> hits(texts.size());
  const Index width = targets.dim(1);
  parallel_for(static_cast<Index>(texts.size()), 1, [&](Index begin, Index end) {
    for (Index t = begin; t < end; ++t) {
      const auto at = as_size(t);
      hits[at] = match_text(*texts[at], mapped.data<double>() + first[at] * width,
                            targets.data<double>() + first[at] * width, width, distance);
    }
  });
  return hits;
}

std::vector<TextHits> match_in_vocabulary(const std::vector<const ProbeText*>& texts, const Tensor& mapped,
                                          const Tensor& words, TokenDistance distance) {
  const Index N = mapped.dim(0), V = words.dim(0), width = words.dim(1);
  const double* g = mapped.data<double>();
  const std::vector<double> gg = square_lengths(g, N, width);
  Best best{.distance = std::vector<double>(as_size(N), std::numeric_limits<double>::infinity()),
            .word = std::vector<Index>(as_size(N), -1)};
  std::vector<double> dots(as_size(query_block * word_block));
  for (Index begin = 0; begin < V; begin += word_block) {
    const Index count = std::min(word_block, V - begin);
    const std::vector<double> x = words.rows(begin, count).to_doubles();
    const std::vector<double> xx = square_lengths(x.data(), count, width);
    for (Index q = 0; q < N; q += query_block) {
      const Index queries = std::min(query_block, N - q);
      kernels::gemm<double>({.m = queries, .n = count, .k = width, .transpose_b = true}, g + q * width,
                            x.data(), dots.data());
      improve(best, q, queries, begin, count, dots.data(), gg, xx, distance);
    }
  }
  std::vector<TextHits> hits(texts.size());
  std::size_t at = 0;
  for (std::size_t t = 0; t < texts.size(); ++t)
    for (std::size_t i = 0; i < texts[t]->ids.size(); ++i, ++at) {
      if (best.word[at] != texts[t]->ids[i]) continue;
      ++hits[t].id;
      if (!texts[t]->special[i]) ++hits[t].content_id;
    }
  return hits;
}

std::size_t vocabulary_match_bytes(Index tokens, Index width) {
  return sizeof(double) * as_size(word_block * width + query_block * word_block + 3 * tokens);
}

TokenRate rate_of(std::span<const int> hits, std::span<const Index> tokens) {
  double h = 0, n = 0, texts = 0;
  for (std::size_t t = 0; t < hits.size(); ++t) {
    h += hits[t];
    n += static_cast<double>(tokens[t]);
    texts += tokens[t] > 0 ? 1 : 0;
  }
  if (n == 0) return {.rate = not_defined, .low = not_defined, .high = not_defined};
  const double p = h / n;
  double trials = texts;
  if (h > 0 && h < n && texts > 1) {
    double between = 0;
    for (std::size_t t = 0; t < hits.size(); ++t) {
      const double excess = hits[t] - p * static_cast<double>(tokens[t]);
      between += excess * excess;
    }
    const double variance = texts / (texts - 1) * between / (n * n);
    trials = n / std::max(1.0, variance / (p * (1 - p) / n));
  }
  const Interval within = wilson_interval(p, trials);
  return {.rate = p, .low = within.low, .high = within.high};
}

}  // namespace headwater
