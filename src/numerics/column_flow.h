// Attention flow to one input token: from every query of every layer (ColumnFlow::all), or from one query
// (ColumnFlow::one). Columns are independent of each other; one object must not serve two threads at once.
#pragma once

#include <functional>
#include <vector>

#include "numerics/flow.h"
#include "numerics/max_flow.h"

namespace headwater {

// What one query can send down, as supplies for the layers below it: at[m][p] units can reach node (m, p),
// all of them together. at[layer − 1] is the query's own row.
struct QuerySupply {
  Index layer = 0, query = 0;
  std::vector<std::vector<FlowUnits>> at;
};
QuerySupply supply_of(const Capacities& capacities, Index layer, Index query);

class ColumnFlow {
 public:
  explicit ColumnFlow(const Capacities& capacities);

  using Write = std::function<void(Index layer, Index query, FlowUnits value)>;
  using Step = std::function<void()>;

  // Calls write for every query of every layer, and step after each layer. Returns the layer at which the
  // column closes, or −1.
  int all(Index t, const Write& write, const Step& step);

  // From one query alone.
  FlowUnits one(Index t, const QuerySupply& from);

  FlowCounts counts;
  FlowUnits bound_violation = 0;

 private:
  void start(Index t);
  FlowUnits at_most(Index l, Index k) const;
  double at_least(Index l, Index k) const;
  FlowUnits value(Index l, Index k);
  bool closes(Index l);

  const Capacities& capacities_;
  LayeredFlow network_;
  std::vector<FlowUnits> lowest_, highest_;  // [L]: of the row sums of the layers l and above
  std::vector<FlowUnits> last_, next_;       // F_{l−1} and F_l
  std::vector<Index> order_;                 // tokens, largest F_{l−1} first
  FlowUnits ceiling_ = 0;                    // G
};

}  // namespace headwater
