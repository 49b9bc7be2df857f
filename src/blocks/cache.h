// KeyValueCache: keys and values of the tokens that a causal stack has read, so that a next token costs one
// row.
//
// A run with a cache is given new tokens only. Its rows are those of a run over all tokens, bit for bit: a
// row does not depend on its neighbours, and keys after it weigh exactly 0. What a stack reads from another
// is kept as it is, and the other stack need not run again. A run that throws leaves the cache spent.
#pragma once

#include <map>
#include <vector>

#include <headwater/tensor.h>

#include "blocks/batch.h"
#include "tape/site.h"

namespace headwater {

class KeyValueCache {
 public:
  const std::vector<std::vector<int>>& ids() const { return ids_; }  // the tokens read, [B][past]
  Index past() const { return ids_.empty() ? 0 : static_cast<Index>(ids_.front().size()); }

  bool empty() const { return kept_.empty(); }  // also after a run of a model that keeps nothing here
  bool has(Place place) const { return kept_.contains(place); }
  const Tensor& at(Place place) const { return kept_.at(place); }
  void keep(Place place, Tensor value) { kept_[place] = std::move(value); }
  // Puts these rows [B, T, D] behind the ones kept, and gives all: [B, past + T, D].
  const Tensor& extend(Place place, const Tensor& rows);
  // A run over these tokens is over.
  void advance(const std::vector<std::vector<int>>& ids);

  // Goes on with these members of the batch, in this order, repeats allowed: the beams of a search.
  void choose(const std::vector<int>& members);

 private:
  std::vector<std::vector<int>> ids_;
  std::map<Place, Tensor> kept_;
};

// Tokens before those of this batch.
inline Index past_of(const Batch& batch) {
  return batch.cache == nullptr ? 0 : batch.cache->past();
}

}  // namespace headwater
