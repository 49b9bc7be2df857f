#include "checkpoint/weights.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <set>
#include <type_traits>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "base/utf8.h"
#include "numerics/random.h"

namespace headwater {

struct Weights::State {
  struct Source {
    const StoredTensor* stored;
    const Safetensors* file;
  };
  struct Fresh {
    std::uint64_t seed;
    double deviation;
  };
  DType dtype;
  std::vector<Safetensors> files;
  std::map<std::string, Source> sources;                    // by full name; points into files
  std::optional<Fresh> fresh;                               // numbers to make up instead of reading
  std::function<void(const std::string&, Tensor&)> change;  // null: none
  std::mutex guard;                                         // of what follows
  std::set<std::string> asked;
  std::map<std::string, Tensor> read;

  // Lets go what nobody else holds: packed matrices have numbers of their own.
  void release() {
    std::erase_if(read, [](const auto& one) { return one.second.unique(); });
  }

  // The name under which a tensor is stored: old checkpoints call the parameters of a LayerNorm gamma
  // and beta. The name itself if there is neither.
  std::string stored_name(const std::string& name) const {
    if (sources.contains(name)) return name;
    for (const auto& [now, then] : {std::pair{".weight", ".gamma"}, std::pair{".bias", ".beta"}}) {
      const std::string_view suffix = now;
      if (!name.ends_with(suffix)) continue;
      std::string old = name.substr(0, name.size() - suffix.size()) + then;
      if (sources.contains(old)) return old;
    }
    return name;
  }
};

namespace {

template <class R>
bool finite_between(const R* values, std::int64_t begin, std::int64_t end) {
  using Bits = std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits exponent = sizeof(R) == 4 ? Bits{0x7F800000U} : static_cast<Bits>(0x7FF0000000000000U);
  Bits bad = 0;
  for (std::int64_t i = begin; i < end; ++i)
    bad |= static_cast<Bits>((std::bit_cast<Bits>(values[i]) & exponent) == exponent);
  return bad == 0;
}

// Index of the first infinity or NaN, or the size.
Index first_non_finite(const Tensor& tensor) {
  const Index size = tensor.size();
  if (size == 0) return 0;
  std::atomic<Index> first{size};
  dispatch(tensor.dtype(), [&]<class R>(R) {
    const R* values = tensor.data<R>();
    parallel_for(size, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
      if (finite_between(values, begin, end)) return;
      while (finite_between(values, begin, begin + 1)) ++begin;
      Index seen = first.load();
      while (begin < seen && !first.compare_exchange_weak(seen, begin)) {
      }
    });
  });
  return first;
}

// Buffers that Hugging Face checkpoints carry without being parameters.
bool is_harmless(const std::string& name, const StoredTensor& stored) {
  constexpr std::array<std::string_view, 6> buffers{"position_ids",        "token_type_ids",
                                                    "masked_bias",         "rotary_emb.inv_freq",
                                                    "num_batches_tracked", "relative_position_index"};
  const auto ends = [&](std::string_view tail) {
    return name == tail || (name.ends_with(tail) && name[name.size() - tail.size() - 1] == '.');
  };
  if (std::any_of(buffers.begin(), buffers.end(), ends)) return true;
  // A causal mask [1, 1, T, T], which GPT-2 and its kin save as if it were a bias.
  return (ends("attn.bias") || ends("attention.bias")) && stored.shape.rank() == 4;
}

}  // namespace

Weights::Weights(std::vector<Safetensors> files, DType dtype) : state_(std::make_shared<State>()) {
  state_->dtype = dtype;
  state_->files = std::move(files);
  for (const Safetensors& file : state_->files)
    for (const auto& [name, stored] : file.tensors()) {
      const auto [at, fresh] = state_->sources.try_emplace(name, State::Source{&stored, &file});
      if (!fresh)
        throw FormatError(fmt::format("{}: tensor {}: expected every tensor in one file, found it in {} too",
                                      file.where(), printable(name), at->second.file->where()));
    }
}

Tensor untrained_tensor(const Shape& shape, DType dtype, const std::string& name, std::uint64_t seed,
                        double deviation) {
  if (shape.rank() < 2)
    return Tensor::full(shape, dtype, name.ends_with("bias") || name.ends_with(".beta") ? 0 : 1);
  Tensor tensor(shape, dtype);
  const std::uint64_t stream = random_stream(seed, name);
  dispatch(dtype, [&](auto r) {
    using R = decltype(r);
    R* values = tensor.data<R>();
    parallel_for(tensor.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        values[i] = static_cast<R>(deviation * random_normal(stream, static_cast<std::uint64_t>(i)));
    });
  });
  return tensor;
}

Weights Weights::changed(std::function<void(const std::string& name, Tensor& numbers)> change) const {
  Weights made(std::vector<Safetensors>(state_->files), state_->dtype);
  made.state_->change = std::move(change);
  made.prefix_ = prefix_;
  return made;
}

Weights Weights::untrained(std::uint64_t seed, double deviation) const {
  Weights made(std::vector<Safetensors>(state_->files), state_->dtype);
  made.state_->fresh = State::Fresh{seed, deviation};
  made.prefix_ = prefix_;
  return made;
}

Weights Weights::scope(const std::string& name) const {
  Weights inner = *this;
  if (!name.empty()) inner.prefix_ += name + ".";
  return inner;
}

bool Weights::has(const std::string& name) const {
  return state_->sources.contains(state_->stored_name(prefix_ + name));
}

Tensor Weights::get(const std::string& name, const Shape& expected) const {
  const std::string full = state_->stored_name(prefix_ + name);
  const auto at = state_->sources.find(full);
  if (at == state_->sources.end())
    throw FormatError(fmt::format("{}: tensor {}: expected {}, found none",
                                  state_->files.empty() ? "weights" : state_->files.front().where(),
                                  printable(full), expected.str()));
  const auto& [stored, file] = at->second;
  const std::string where = fmt::format("{}: tensor {}", file->where(), printable(full));
  if (stored->shape != expected)
    throw FormatError(fmt::format("{}: expected {}, found {}", where, expected.str(), stored->shape.str()));

  const std::lock_guard lock(state_->guard);
  state_->asked.insert(full);
  if (const auto known = state_->read.find(full); known != state_->read.end()) return known->second;
  state_->release();
  Tensor tensor = state_->fresh ? untrained_tensor(expected, state_->dtype, full, state_->fresh->seed,
                                                   state_->fresh->deviation)
                                : widen(*stored, state_->dtype, where);
  if (state_->change) state_->change(full, tensor);
  if (const Index bad = first_non_finite(tensor); bad < tensor.size())
    throw FormatError(
        fmt::format("{}: expected finite numbers, found {} at index {}", where, tensor.at(bad), bad));
  file->forget(*stored);
  state_->read.emplace(full, tensor);
  return tensor;
}

void Weights::ignore(const std::string& name) const {
  const std::lock_guard lock(state_->guard);
  const std::string full = prefix_ + name;
  state_->asked.insert(state_->stored_name(full));
  const std::string below = full + ".";
  for (auto at = state_->sources.lower_bound(below);
       at != state_->sources.end() && at->first.starts_with(below); ++at)
    state_->asked.insert(at->first);
}

std::vector<std::string> Weights::unread() const {
  const std::lock_guard lock(state_->guard);
  std::vector<std::string> names;
  for (const auto& [name, source] : state_->sources)
    if (name.starts_with(prefix_) && !state_->asked.contains(name) && !is_harmless(name, *source.stored))
      names.push_back(name);
  return names;
}

DType Weights::dtype() const {
  return state_->dtype;
}

std::size_t Weights::largest_bytes() const {
  Index largest = 0;
  for (const auto& [name, source] : state_->sources)
    largest = std::max(largest, source.stored->shape.elements());
  return static_cast<std::size_t>(largest) * headwater::bytes_of(state_->dtype);
}

std::size_t Weights::total_bytes() const {
  std::size_t total = 0;
  for (const auto& [name, source] : state_->sources)
    total += static_cast<std::size_t>(source.stored->shape.elements()) * headwater::bytes_of(state_->dtype);
  return total;
}

}  // namespace headwater
