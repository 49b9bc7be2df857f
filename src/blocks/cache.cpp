#include "blocks/cache.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/as_size.h"

namespace headwater {
namespace {

Tensor joined_rows(const Tensor& before, const Tensor& rows) {
  if (before.dim(0) != rows.dim(0) || before.dim(2) != rows.dim(2))
    throw InternalError(fmt::format("cache: expected rows like those of {}, found {}", before.shape().str(),
                                    rows.shape().str()));
  Tensor all({rows.dim(0), before.dim(1) + rows.dim(1), rows.dim(2)}, rows.dtype());
  const Index old = before.size() / before.dim(0), more = rows.size() / rows.dim(0);
  dispatch(rows.dtype(), [&]<class R>(R) {
    for (Index b = 0; b < rows.dim(0); ++b) {
      R* to = std::copy_n(before.data<R>() + b * old, old, all.data<R>() + b * (old + more));
      std::copy_n(rows.data<R>() + b * more, more, to);
    }
  });
  return all;
}

Tensor of_members(const Tensor& from, const std::vector<int>& members) {
  Tensor to(from.shape().without_front().with_front(static_cast<Index>(members.size())), from.dtype());
  const Index each = from.size() / from.dim(0);
  dispatch(from.dtype(), [&]<class R>(R) {
    R* next = to.data<R>();
    for (const int m : members) next = std::copy_n(from.data<R>() + m * each, each, next);
  });
  return to;
}

}  // namespace

const Tensor& KeyValueCache::extend(Place place, const Tensor& rows) {
  const auto found = kept_.find(place);
  if (found == kept_.end()) return kept_[place] = rows;
  return found->second = joined_rows(found->second, rows);
}

void KeyValueCache::advance(const std::vector<std::vector<int>>& ids) {
  ids_.resize(ids.size());
  for (std::size_t b = 0; b < ids.size(); ++b) ids_[b].insert(ids_[b].end(), ids[b].begin(), ids[b].end());
}

void KeyValueCache::choose(const std::vector<int>& members) {
  std::vector<std::vector<int>> ids;
  for (const int m : members) ids.push_back(ids_.at(as_size(m)));
  ids_ = std::move(ids);
  for (auto& [place, value] : kept_) value = of_members(value, members);
}

}  // namespace headwater
