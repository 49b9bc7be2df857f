#include "study/batching.h"

#include <algorithm>
#include <map>
#include <utility>

namespace headwater {

namespace {

// What must agree for two inputs to share a batch.
struct Key {
  std::vector<Index> shape;  // of the pixels; for texts the lengths of input and output
  bool typed = false;
  std::vector<int> positions;
  auto operator<=>(const Key&) const = default;
};

Key key_of(const Batch& one) {
  Key key{.typed = !one.type_ids.empty(), .positions = one.positions};
  if (one.pixels.empty()) {
    key.shape = {static_cast<Index>(one.ids.front().size()), static_cast<Index>(written(one).front().size())};
  } else {
    const auto dims = one.pixels.shape().dims();
    key.shape.assign(dims.begin(), dims.end());
  }
  return key;
}

Tensor stack(std::span<const Batch> inputs, const std::vector<std::size_t>& members) {
  const Tensor& first = inputs[members.front()].pixels;
  Tensor all(first.shape().without_front().with_front(static_cast<Index>(members.size())), first.dtype());
  dispatch(first.dtype(), [&]<class R>(R) {
    R* to = all.data<R>();
    for (const std::size_t m : members) {
      const auto from = std::as_const(inputs[m].pixels).template values<R>();
      to = std::copy(from.begin(), from.end(), to);
    }
  });
  return all;
}

Batch join(std::span<const Batch> inputs, const std::vector<std::size_t>& members) {
  const Batch& first = inputs[members.front()];
  Batch batch{.positions = first.positions};
  if (!first.pixels.empty()) batch.pixels = stack(inputs, members);
  for (const std::size_t m : members) {
    if (!inputs[m].ids.empty()) batch.ids.push_back(inputs[m].ids.front());
    if (!inputs[m].type_ids.empty()) batch.type_ids.push_back(inputs[m].type_ids.front());
    if (!inputs[m].prefix.empty()) batch.prefix.push_back(inputs[m].prefix.front());
  }
  return batch;
}

}  // namespace

std::size_t tokens_of(const Batch& one) {
  if (one.pixels.empty())
    return std::max<std::size_t>(
        1, one.ids.front().size() + (one.prefix.empty() ? 0 : one.prefix.front().size()));
  return static_cast<std::size_t>(std::max<Index>(1, one.pixels.dim(2) * one.pixels.dim(3) / 256));
}

std::vector<Group> group_inputs(std::span<const Batch> inputs, std::size_t max_tokens) {
  std::map<Key, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < inputs.size(); ++i) alike[key_of(inputs[i])].push_back(i);
  std::vector<Group> groups;
  for (const auto& [key, members] : alike) {
    const std::size_t most = std::max<std::size_t>(1, max_tokens / tokens_of(inputs[members.front()]));
    for (std::size_t begin = 0; begin < members.size(); begin += most) {
      const std::size_t end = std::min(members.size(), begin + most);
      Group group;
      group.members.assign(members.begin() + static_cast<std::ptrdiff_t>(begin),
                           members.begin() + static_cast<std::ptrdiff_t>(end));
      group.batch = join(inputs, group.members);
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

}  // namespace headwater
