// LayeredFlow: the largest flow from the tokens of one layer down to one input token, exactly.
//
// Node (l, p) is token p above layer l; its arcs go to (l − 1, q) with capacity A_l[p, q], and those of layer
// 0 end in the chosen sink. One object serves many questions about the same maps: between two it takes back
// only what the last one touched. Not for two threads at once.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/capacities.h"

namespace headwater {

class LayeredFlow {
 public:
  explicit LayeredFlow(const Capacities& capacities);

  void choose_sink(Index t);

  // The largest flow from the nodes (top, p), which give at most supply[p] each, to the sink; or `limit`, as
  // soon as that much is found.
  FlowUnits solve(Index top, const FlowUnits* supply, FlowUnits limit);

  // The capacity of the cut that proves the last flow the largest; only after a solve that ended below its
  // limit.
  FlowUnits cut() const;

 private:
  using Word = std::uint64_t;
  struct Arc {                  // (l, p) → (l − 1, q)
    std::uint32_t row, column;  // l · T + p and l · T + q
    std::uint32_t p, q;
  };

  void restore();
  void start_levels();
  bool find_levels();
  bool spread(Index level);
  FlowUnits blocking_flow(FlowUnits wanted);
  FlowUnits push(Index l, Index p, Index level, FlowUnits amount);
  FlowUnits push_down(Index l, Index p, Index level, FlowUnits amount);
  FlowUnits push_over(Index l, Index p, Index q, Index level, FlowUnits amount);
  FlowUnits push_back(Index l, Index p, Index level, FlowUnits amount);
  FlowUnits drain(Index p, Index q, FlowUnits amount);
  FlowUnits into_sink(Index p, FlowUnits amount);
  void carry(Index l, Index p, Index q, FlowUnits& left, FlowUnits amount);

  Word* open(Index l, Index p) { return open_.data() + (l * T_ + p) * words_; }
  Word* used(Index l, Index q) { return used_.data() + (l * T_ + q) * words_; }
  Word* at(Index level, Index l) { return levels_.data() + (level * layers_ + l) * words_; }

  const Capacities& capacities_;
  const FlowUnits* supply_ = nullptr;
  Index T_, words_;
  Index top_ = 0, layers_ = 0, sink_ = 0;
  Index last_level_ = 0;         // of the nodes before the sink
  std::vector<FlowUnits> left_;  // [L, T, T] what an arc can still carry
  std::vector<Word> open_;       // [L, T] over q: arcs (l, p) → (l − 1, q) that are not full
  std::vector<Word> used_;       // [L, T] over p: arcs (l, p) → (l − 1, q) that carry something
  std::vector<Word> levels_;     // [level, layer] over p: nodes that still lead to the sink
  std::vector<Word> unseen_, all_;
  std::vector<FlowUnits> supply_left_, sink_left_, sink_capacity_;
  std::vector<Word> sink_open_;
  std::vector<Arc> touched_;
};

}  // namespace headwater
