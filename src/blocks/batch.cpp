#include "blocks/batch.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/as_size.h"

namespace headwater {

namespace {

Tensor joined_pixels(std::span<const Batch> inputs, std::span<const std::size_t> members) {
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

// Of inputs of equal sizes and wanted rows.
Batch joined(std::span<const Batch> inputs, std::span<const std::size_t> members) {
  const Batch& first = inputs[members.front()];
  Batch batch{.positions = first.positions};
  if (!first.pixels.empty()) batch.pixels = joined_pixels(inputs, members);
  for (const std::size_t m : members) {
    if (!first.ids.empty()) batch.ids.push_back(inputs[m].ids.front());
    if (!first.type_ids.empty()) batch.type_ids.push_back(inputs[m].type_ids.front());
    if (!first.prefix.empty()) batch.prefix.push_back(inputs[m].prefix.front());
  }
  return batch;
}

}  // namespace

std::vector<Index> sizes_of(const Batch& one) {
  std::vector<Index> sizes{length_of(one.ids), length_of(one.type_ids), length_of(one.prefix)};
  const auto dims = one.pixels.shape().dims();
  sizes.insert(sizes.end(), dims.begin(), dims.end());
  return sizes;
}

std::size_t tokens_of(const Batch& one) {
  Index tokens = length_of(one.ids) + length_of(one.prefix);
  if (!one.pixels.empty()) tokens += one.pixels.dim(2) * one.pixels.dim(3) / 256;
  return as_size(std::max<Index>(1, tokens));
}

std::vector<Group> group_inputs(std::span<const Batch> inputs, std::size_t max_tokens) {
  std::map<std::pair<std::vector<Index>, std::vector<int>>, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    alike[{sizes_of(inputs[i]), inputs[i].positions}].push_back(i);
  std::vector<Group> groups;
  for (const auto& [key, members] : alike) {
    const std::size_t most = std::max<std::size_t>(1, max_tokens / tokens_of(inputs[members.front()]));
    for (std::size_t begin = 0; begin < members.size(); begin += most) {
      const std::size_t end = std::min(members.size(), begin + most);
      Group group;
      group.members.assign(members.begin() + static_cast<std::ptrdiff_t>(begin),
                           members.begin() + static_cast<std::ptrdiff_t>(end));
      group.batch = joined(inputs, group.members);
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

Batch repeated(const Batch& one, Index copies) {
  return joined({&one, 1}, std::vector<std::size_t>(as_size(copies), 0));
}

void reverse_input(Batch& batch, Index input) {
  if (!batch.ids.empty()) std::reverse(batch.ids[as_size(input)].begin(), batch.ids[as_size(input)].end());
  if (batch.pixels.empty()) return;
  const Index size = batch.pixels.size() / batch.pixels.dim(0);
  dispatch(batch.pixels.dtype(), [&]<class R>(R) {
    R* begin = batch.pixels.data<R>() + input * size;
    std::reverse(begin, begin + size);
  });
}

Batch in_type(Batch batch, DType dtype) {
  if (!batch.pixels.empty()) batch.pixels = batch.pixels.to(dtype);
  return batch;
}

}  // namespace headwater
