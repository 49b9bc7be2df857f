// A walk goes layer by layer, from a block's input to its output, so that only the tangents of one block are
// alive; the tape's push under rules::gradient is the exact Jacobian.
#include "methods/hidden_token_attribution/tangents.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "numerics/dense.h"
#include "numerics/length.h"
#include "ops/relevance.h"

namespace headwater {

namespace {

constexpr Index enough_work = 100000;  // numbers a thread must be given to be worth its start

Tensor step(const Tape& tape, Site from, int layer, Site to, Tensor seeds) {
  return tape.push(tape.at(from, layer), std::move(seeds), rules::gradient, {{to, layer}}).at(to, layer);
}

// From the source to the input of the first layer.
Tensor enter(const Tape& tape, const LayerRange& course, Tensor seeds) {
  if (course.source == Site::ResidPre) return seeds;
  return step(tape, course.source, 0, Site::ResidPre, std::move(seeds));
}

Tensor seeds_of(const Study& study, const LayerRange& course, std::span<const Start> starts) {
  const Tensor& source = study.run().at(course.source, course.first);
  Tensor seeds = Tensor::zeros(source.shape().with_front(static_cast<Index>(starts.size())), source.dtype());
  const Index D = source.shape().back();
  dispatch(seeds.dtype(), [&]<class R>(R) {
    R* to = seeds.data<R>();
    for (const Start& start : starts) {
      std::copy(start.direction.begin(), start.direction.end(), to + start.token * D);
      to += source.size();
    }
  });
  return seeds;
}

// tangents [S, 1, T, parts·width]: adds to cell (part0 + part, j, i). Threads take tokens j.
void collect(const Tensor& tangents, std::span<const Start> starts, Index part0, Index parts,
             SquaredNorms& norms) {
  const Index T = tangents.dim(2), width = tangents.dim(3) / parts;
  dispatch(tangents.dtype(), [&](auto r) {
    const auto* values = tangents.template data<decltype(r)>();
    const Index each = static_cast<Index>(starts.size()) * parts * width;
    parallel_for(T, 1 + enough_work / each, [&](Index begin, Index end) {
      for (std::size_t s = 0; s < starts.size(); ++s)
        for (Index j = begin; j < end; ++j)
          for (Index p = 0; p < parts; ++p)
            norms.add(((part0 + p) * T + j) * T + starts[s].token,
                      squared_length(values + ((static_cast<Index>(s) * T + j) * parts + p) * width, width),
                      starts[s].probe);
    });
  });
}

}  // namespace

std::vector<Start> basis_at(Index token, Index width) {
  const auto n = as_size(width);
  std::vector<Start> basis(n, {token, false, std::vector<double>(n, 0.0)});
  for (std::size_t c = 0; c < n; ++c) basis[c].direction[c] = 1;
  return basis;
}

void SquaredNorms::add(Index cell, double value, bool probe) {
  const auto at = as_size(cell);
  if (!probe) {
    exact[at] += value;
    return;
  }
  sum[at] += value;
  squares[at] += value * value;
}

// In a block at most the stream, the norm, q, k, v, z, both projections and a sum are alive (9 D), three
// F-wide values of a gated feed-forward, and per head the scores and the pattern.
std::size_t tangent_bytes(const ModelInfo& info, Index tokens) {
  const auto T = as_size(tokens);
  const auto width = as_size(std::max(info.last().width, info.last().heads * info.last().head_width));
  return T * (9 * width + 3 * as_size(info.last().feed_forward) + 2 * as_size(info.last().heads) * T) *
         bytes_of(info.dtype);
}

Index tangents_at_once(const Study& study) {
  return std::max<Index>(1, static_cast<Index>(study.scratch / tangent_bytes(study.info(), study.size())));
}

void push_starts(const Study& study, const LayerRange& course, std::span<const Start> starts,
                 SquaredNorms& hidden, SquaredNorms* heads, const std::function<void(Index)>& after) {
  const Tape& tape = *study.run().tape;
  const Index H = study.info().last().heads;
  const auto tile = as_size(tangents_at_once(study));
  for (std::size_t begin = 0; begin < starts.size(); begin += tile) {
    const auto some = starts.subspan(begin, std::min(tile, starts.size() - begin));
    Tensor t = enter(tape, course, seeds_of(study, course, some));
    for (int l = course.first; l <= course.last; ++l) {
      std::vector<Place> wanted{{Site::ResidPost, l}};
      if (heads != nullptr) wanted.push_back({Site::Z, l});
      const Signals parts = tape.push(tape.at(Site::ResidPre, l), std::move(t), rules::gradient, wanted);
      t = parts.at(Site::ResidPost, l);
      collect(t, some, l, 1, hidden);
      if (heads != nullptr) collect(parts.at(Site::Z, l), some, l * H, H, *heads);
    }
    after(static_cast<Index>(begin + some.size()));
  }
}

void push_spectral(const Study& study, const LayerRange& course, Index token, std::vector<double>& norms) {
  const Tape& tape = *study.run().tape;
  const Index T = study.size(), D = study.info().last().width;
  const Index inputs = study.run().at(course.source, course.first).shape().back();
  const Index tile = tangents_at_once(study);
  Tensor t = seeds_of(study, course, basis_at(token, inputs));
  const auto onwards = [&](Site from, int layer, Site to) {
    Tensor next({inputs, 1, T, D}, t.dtype());
    for (Index s = 0; s < inputs; s += tile) {
      const Index count = std::min(tile, inputs - s);
      const Tensor part = step(tape, from, layer, to, t.rows(s, count));
      dispatch(t.dtype(),
               [&]<class R>(R) { std::copy_n(part.data<R>(), part.size(), next.data<R>() + s * T * D); });
    }
    t = next;
  };
  if (course.source != Site::ResidPre) onwards(course.source, 0, Site::ResidPre);
  for (int l = course.first; l <= course.last; ++l) {
    onwards(Site::ResidPre, l, Site::ResidPost);
    parallel_for(T, 1 + enough_work / (inputs * D), [&](Index begin, Index end) {
      Dense block(inputs, D);
      for (Index j = begin; j < end; ++j) {
        for (Index c = 0; c < inputs; ++c)
          for (Index k = 0; k < D; ++k) block(c, k) = t.at((c * T + j) * D + k);
        norms[as_size((l * T + j) * T + token)] = largest_singular(block);
      }
    });
  }
}

Tensor push_to_last(const Study& study, const LayerRange& course, Tensor seeds) {
  const Tape& tape = *study.run().tape;
  Tensor t = enter(tape, course, std::move(seeds));
  for (int l = course.first; l <= course.last; ++l)
    t = step(tape, Site::ResidPre, l, Site::ResidPost, std::move(t));
  return t;
}

Tensor pull_layers(const Study& study, const LayerRange& course,
                   const std::function<Tensor(int)>& cotangent) {
  const Tape& tape = *study.run().tape;
  Tensor signal;
  for (int l = course.last; l >= course.first; --l) {
    const Tensor own = cotangent(l);
    if (!own.empty()) signal = signal.empty() ? own : sum_of(signal, own);
    const Signals back =
        tape.pull(tape.at(Site::ResidPost, l), std::move(signal), rules::gradient, {{Site::ResidPre, l}});
    signal = back.at(Site::ResidPre, l);
  }
  if (course.source == Site::ResidPre) return signal;
  return tape.pull(tape.at(Site::ResidPre, 0), std::move(signal), rules::gradient, {{course.source, 0}})
      .at(course.source, 0);
}

void pull_ones(const Study& study, const LayerRange& course, std::vector<double>& norms) {
  const Index T = study.size(), D = study.info().last().width, tile = tangents_at_once(study);
  for (Index j0 = 0; j0 < T; j0 += tile) {
    const Index count = std::min(tile, T - j0);
    Tensor ones = Tensor::zeros({count, 1, T, D}, study.info().dtype);
    dispatch(ones.dtype(), [&]<class R>(R) {
      for (Index s = 0; s < count; ++s) std::fill_n(ones.data<R>() + (s * T + j0 + s) * D, D, R(1));
    });
    const Tensor back =
        pull_layers(study, course, [&](int layer) { return layer == course.last ? ones : Tensor(); });
    const Index width = back.shape().back();
    dispatch(back.dtype(), [&](auto r) {
      const auto* values = back.template data<decltype(r)>();
      for (Index s = 0; s < count; ++s)
        for (Index i = 0; i < T; ++i)
          norms[as_size((course.last * T + j0 + s) * T + i)] =
              std::sqrt(squared_length(values + (s * T + i) * width, width));
    });
  }
}

}  // namespace headwater
