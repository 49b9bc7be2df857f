// Dinic's algorithm on a layered network, with sets of nodes as bits.
//
//   repeat   levels:    breadth-first from the nodes with supply left, over open arcs down and used arcs back
//                       up, a whole layer at a time: next |= open(p) for p in the frontier, less what was seen
//            blocking:  depth-first along levels; a node that leads nowhere is removed from its level, so the
//                       next admissible arc is the lowest bit of open(p) & level
//   until no level holds a node that drains into the sink, or the flow reaches the limit
//
// Dinic (1970). The first levels are known without a search: straight down. Within a node the arcs to the
// sink's own token and to the node's own token are tried first: these carry the most where a residual path
// exists.
#include "numerics/max_flow.h"

#include <algorithm>
#include <bit>

namespace headwater {

namespace {

constexpr Index word_bits = 64;

bool has_bit(const std::uint64_t* set, Index i) {
  return ((set[i / word_bits] >> (i % word_bits)) & 1U) != 0;
}
void add_bit(std::uint64_t* set, Index i) {
  set[i / word_bits] |= std::uint64_t{1} << (i % word_bits);
}
void drop(std::uint64_t* set, Index i) {
  set[i / word_bits] &= ~(std::uint64_t{1} << (i % word_bits));
}

}  // namespace

LayeredFlow::LayeredFlow(const Capacities& capacities)
    : capacities_(capacities), T_(capacities.T), words_((capacities.T + word_bits - 1) / word_bits) {
  const Index rows = capacities.L * T_;
  left_ = capacities.arcs;
  open_.assign(as_size(rows * words_), 0);
  used_.assign(as_size(rows * words_), 0);
  for (Index r = 0; r < rows; ++r)
    for (Index q = 0; q < T_; ++q)
      if (capacities.arcs[as_size(r * T_ + q)] > 0) add_bit(open_.data() + r * words_, q);
  all_.assign(as_size(words_), 0);
  for (Index p = 0; p < T_; ++p) add_bit(all_.data(), p);
  sink_capacity_.assign(as_size(T_), 0);
  sink_open_.assign(as_size(words_), 0);
}

void LayeredFlow::choose_sink(Index t) {
  sink_ = t;
  for (Index p = 0; p < T_; ++p) sink_capacity_[as_size(p)] = capacities_.row(0, p)[t];
}

void LayeredFlow::restore() {
  const auto row_length = as_size(T_);
  for (const Arc& arc : touched_) {
    const std::size_t cell = arc.row * row_length + arc.q;
    left_[cell] = capacities_.arcs[cell];
    add_bit(open_.data() + arc.row * words_, arc.q);
    drop(used_.data() + arc.column * words_, arc.p);
  }
  touched_.clear();
}

FlowUnits LayeredFlow::solve(Index top, const FlowUnits* supply, FlowUnits limit) {
  restore();
  supply_ = supply;
  top_ = top;
  layers_ = top + 1;
  supply_left_.assign(supply, supply + T_);
  sink_left_ = sink_capacity_;
  std::fill(sink_open_.begin(), sink_open_.end(), 0);
  for (Index p = 0; p < T_; ++p)
    if (sink_left_[as_size(p)] > 0) add_bit(sink_open_.data(), p);
  start_levels();
  FlowUnits flow = 0;
  do {
    flow += blocking_flow(limit - flow);
  } while (flow < limit && find_levels());
  return flow;
}

FlowUnits LayeredFlow::cut() const {
  const auto reached = [&](Index l, Index p) { return !has_bit(unseen_.data() + l * words_, p); };
  FlowUnits capacity = 0;
  for (Index p = 0; p < T_; ++p) {
    if (!reached(top_, p)) capacity += supply_[p];
    if (reached(0, p)) capacity += sink_capacity_[as_size(p)];
    for (Index l = 1; l <= top_; ++l)
      for (Index q = 0; q < T_ && reached(l, p); ++q)
        if (!reached(l - 1, q)) capacity += capacities_.row(l, p)[q];
  }
  return capacity;
}

// Straight down: level d is layer top − d.
void LayeredFlow::start_levels() {
  last_level_ = top_;
  levels_.assign(as_size((top_ + 1) * layers_ * words_), 0);
  for (Index l = 0; l <= top_; ++l) {
    const std::vector<Word>& from = l == 0 ? sink_open_ : all_;
    std::copy(from.begin(), from.end(), at(top_ - l, l));
  }
}

bool LayeredFlow::find_levels() {
  levels_.assign(as_size(layers_ * words_), 0);
  unseen_.resize(as_size(layers_ * words_));
  for (Index l = 0; l < layers_; ++l) std::copy(all_.begin(), all_.end(), unseen_.begin() + l * words_);
  for (Index p = 0; p < T_; ++p)
    if (supply_left_[as_size(p)] > 0) add_bit(at(0, top_), p);
  for (Index w = 0; w < words_; ++w) unseen_[as_size(top_ * words_ + w)] &= ~at(0, top_)[w];
  for (Index level = 0;; ++level) {
    Word drains = 0;
    for (Index w = 0; w < words_; ++w) drains |= at(level, 0)[w] & sink_open_[as_size(w)];
    if (drains != 0) {
      for (Index w = 0; w < words_; ++w) at(level, 0)[w] &= sink_open_[as_size(w)];
      std::fill(at(level, 1), at(level + 1, 0), 0);  // who does not drain by now is too far away
      last_level_ = level;
      return true;
    }
    if (!spread(level)) return false;
  }
}

// Fills level + 1 from level; false when nothing new is reached.
bool LayeredFlow::spread(Index level) {
  levels_.resize(levels_.size() + as_size(layers_ * words_), 0);
  // next |= arcs of every node of the frontier, until nothing unseen is missing.
  const auto reach = [&](const Word* frontier, const Word* arcs, Word* next, const Word* unseen) {
    for (Index w = 0; w < words_; ++w)
      for (Word bits = frontier[w]; bits != 0; bits &= bits - 1) {
        const Word* row = arcs + (w * word_bits + std::countr_zero(bits)) * words_;
        Word missing = 0;
        for (Index v = 0; v < words_; ++v) {
          next[v] |= row[v];
          missing |= unseen[v] & ~next[v];
        }
        if (missing == 0) return;
      }
  };
  for (Index l = 0; l < layers_; ++l) {
    if (l > 0) reach(at(level, l), open(l, 0), at(level + 1, l - 1), unseen_.data() + (l - 1) * words_);
    if (l < top_)
      reach(at(level, l), used(l + 1, 0), at(level + 1, l + 1), unseen_.data() + (l + 1) * words_);
  }
  Word any = 0;
  for (Index i = 0; i < layers_ * words_; ++i) {
    Word& fresh = at(level + 1, 0)[i];
    fresh &= unseen_[as_size(i)];
    unseen_[as_size(i)] &= ~fresh;
    any |= fresh;
  }
  return any != 0;
}

FlowUnits LayeredFlow::blocking_flow(FlowUnits wanted) {
  FlowUnits flow = 0;
  for (Index p = 0; p < T_ && flow < wanted; ++p) {
    FlowUnits& left = supply_left_[as_size(p)];
    if (left == 0 || !has_bit(at(0, top_), p)) continue;
    const FlowUnits pushed = push(top_, p, 0, std::min(left, wanted - flow));
    left -= pushed;
    flow += pushed;
  }
  return flow;
}

FlowUnits LayeredFlow::push(Index l, Index p, Index level, FlowUnits amount) {
  if (l == 0 && level == last_level_) return into_sink(p, amount);
  FlowUnits pushed = 0;
  if (l > 0) pushed = push_down(l, p, level, amount);
  if (l < top_ && pushed < amount) pushed += push_back(l, p, level, amount - pushed);
  if (pushed < amount) drop(at(level, l), p);
  return pushed;
}

FlowUnits LayeredFlow::push_down(Index l, Index p, Index level, FlowUnits amount) {
  const Word* arcs = open(l, p);
  const Word* next = at(level + 1, l - 1);
  const bool last = level + 1 == last_level_;  // then only layer 0 is left, and it drains
  FlowUnits left = amount;
  const auto over = [&](Index q) { left -= last ? drain(p, q, left) : push_over(l, p, q, level, left); };
  for (const Index q : {sink_, p})
    while (left > 0 && has_bit(arcs, q) && has_bit(next, q)) over(q);
  for (Index w = 0; w < words_ && left > 0; ++w)
    for (Word bits = arcs[w] & next[w]; bits != 0 && left > 0; bits = arcs[w] & next[w])
      over(w * word_bits + std::countr_zero(bits));
  return amount - left;
}

// Over the arc (1, p) → (0, q) and into the sink: the innermost step, spared the recursion.
FlowUnits LayeredFlow::drain(Index p, Index q, FlowUnits amount) {
  FlowUnits& arc = left_[as_size((T_ + p) * T_ + q)];
  const FlowUnits pushed = into_sink(q, std::min(amount, arc));
  carry(1, p, q, arc, pushed);
  return pushed;
}

FlowUnits LayeredFlow::into_sink(Index p, FlowUnits amount) {
  FlowUnits& left = sink_left_[as_size(p)];
  const FlowUnits pushed = std::min(left, amount);
  left -= pushed;
  if (left == 0) {
    drop(sink_open_.data(), p);
    drop(at(last_level_, 0), p);
  }
  return pushed;
}

// Over the arc (l, p) → (l − 1, q) and on from there.
FlowUnits LayeredFlow::push_over(Index l, Index p, Index q, Index level, FlowUnits amount) {
  FlowUnits& arc = left_[as_size((l * T_ + p) * T_ + q)];
  const FlowUnits pushed = push(l - 1, q, level + 1, std::min(arc, amount));
  if (pushed > 0) carry(l, p, q, arc, pushed);
  return pushed;
}

void LayeredFlow::carry(Index l, Index p, Index q, FlowUnits& left, FlowUnits amount) {
  Word* carriers = used(l, q);
  if (!has_bit(carriers, p)) {
    add_bit(carriers, p);
    touched_.push_back({static_cast<std::uint32_t>(l * T_ + p), static_cast<std::uint32_t>(l * T_ + q),
                        static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(q)});
  }
  left -= amount;
  if (left == 0) drop(open(l, p), q);
}

// Takes flow back from the arcs (l + 1, q) → (l, p).
FlowUnits LayeredFlow::push_back(Index l, Index p, Index level, FlowUnits amount) {
  const Word* arcs = used(l + 1, p);
  const Word* next = at(level + 1, l + 1);
  FlowUnits left = amount;
  for (Index w = 0; w < words_ && left > 0; ++w)
    for (Word bits = arcs[w] & next[w]; bits != 0 && left > 0; bits = arcs[w] & next[w]) {
      const Index q = w * word_bits + std::countr_zero(bits);
      const auto cell = as_size(((l + 1) * T_ + q) * T_ + p);
      const FlowUnits carried = capacities_.arcs[cell] - left_[cell];
      const FlowUnits pushed = push(l + 1, q, level + 1, std::min(carried, left));
      if (pushed == 0) continue;
      if (left_[cell] == 0) add_bit(open(l + 1, q), p);
      left_[cell] += pushed;
      if (pushed == carried) drop(used(l + 1, p), q);
      left -= pushed;
    }
  return amount - left;
}

}  // namespace headwater
