#include "tape/tape.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "kernels/kernels.h"

namespace headwater {
namespace {

// sum += addend. A tensor that others may still read is never written to.
void add_onto(Tensor& sum, Tensor addend) {
  if (sum.empty()) {
    sum = std::move(addend);
    return;
  }
  require_shape("accumulate", "signal", addend.shape(), sum.shape());
  dispatch(sum.dtype(), [&]<class R>(R) {
    if (sum.unique()) {
      kernels::accumulate(std::as_const(addend).template data<R>(), sum.template data<R>(), sum.size());
    } else {
      Tensor fresh(sum.shape(), sum.dtype());
      kernels::add(std::as_const(sum).template data<R>(), std::as_const(addend).template data<R>(),
                   fresh.template data<R>(), sum.size());
      sum = std::move(fresh);
    }
  });
}

}  // namespace

const Tensor& Signals::at(Place place) const {
  const int id = tape_->find(place);
  if (id < 0 || values_[as_size(id)].empty())
    throw InternalError(fmt::format("signals: nothing arrived at {}", text_of(place)));
  return values_[as_size(id)];
}

bool Signals::has(Place place) const {
  const int id = tape_->find(place);
  return id >= 0 && !values_[as_size(id)].empty();
}

Tape::Tape(Keep keep, std::vector<Edit> edits) : keep_(keep), edits_(std::move(edits)) {}

Tape::Tape(const std::vector<Place>& kept, std::vector<Edit> edits)
    : keep_(Keep::Sites), kept_(std::in_place), edits_(std::move(edits)) {
  for (const Place& place : kept) kept_->push_back(canonical(place));
}

bool Tape::keeps(Place place) const {
  if (keep_ == Keep::Everything) return true;
  if (keep_ == Keep::Nothing || place.site == Site::None) return false;
  return !kept_ || std::find(kept_->begin(), kept_->end(), place) != kept_->end();
}

void Tape::apply_edits(Tensor& value, Place place) const {
  if (place.site == Site::None) return;
  for (const Edit& edit : edits_) {
    if (canonical(edit.at) != place) continue;
    const Shape before = value.shape();
    value = value.clone();
    edit.apply(value);
    require_shape("edit", name_of(place.site), value.shape(), before);
  }
}

Var Tape::append(Node node, Tensor value) {
  const int id = static_cast<int>(nodes_.size());
  if (node.place.site != Site::None && !named_.emplace(node.place, id).second)
    throw InternalError(fmt::format("tape: {} was recorded twice", text_of(node.place)));
  apply_edits(value, node.place);
  if (keeps(node.place)) node.value = value;
  if (keep_ != Keep::Nothing) node.shape = value.shape();
  if (keep_ == Keep::Nothing) node.op.reset();
  nodes_.push_back(std::move(node));
  return {.tape = this, .id = id, .value = std::move(value)};
}

Var Tape::record(std::shared_ptr<const Op> op, const std::vector<Var>& inputs, Place place) {
  Node node{.op = std::move(op), .inputs = {}, .value = {}, .shape = {}, .place = canonical(place)};
  std::vector<Tensor> x;
  for (const Var& input : inputs) {
    if (input.tape != this)
      throw InternalError(fmt::format("{}: an input is from another tape", node.op->name()));
    node.inputs.push_back(input.id);
    x.push_back(input.value);
  }
  Tensor y = node.op->forward(x);
  return append(std::move(node), std::move(y));
}

Var Tape::leaf(Tensor value, Place place) {
  return append({.op = nullptr, .inputs = {}, .value = {}, .shape = {}, .place = canonical(place)},
                std::move(value));
}

int Tape::find(Place place) const {
  const auto found = named_.find(canonical(place));
  return found == named_.end() ? -1 : found->second;
}

int Tape::require(Place place) const {
  const int id = find(place);
  if (id < 0) throw InternalError(fmt::format("tape: {} was never recorded", text_of(place)));
  return id;
}

bool Tape::has(Place place) const {
  const int id = find(place);
  return id >= 0 && !nodes_[as_size(id)].value.empty();
}

bool Tape::recorded(Place place) const {
  return find(place) >= 0;
}

Var Tape::var_of(int id) const {
  return {.tape = const_cast<Tape*>(this), .id = id, .value = nodes_[as_size(id)].value};
}

Var Tape::at(Place place) const {
  Var found = var_of(require(place));
  if (found.value.empty()) throw InternalError(fmt::format("tape: {} was not kept", text_of(place)));
  return found;
}

Var Tape::spot(Place place) const {
  return var_of(require(place));
}

Origin Tape::origin_of(const Var& var) const {
  const Node& node = nodes_[as_size(var.id)];
  Origin origin{.op = node.op.get(), .inputs = {}};
  for (const int input : node.inputs) origin.inputs.push_back(var_of(input));
  return origin;
}

Origin Tape::op_at(Place place) const {
  return origin_of(var_of(require(place)));
}

std::unique_ptr<const Tape> Tape::without_values() const {
  auto copy = std::make_unique<Tape>(std::vector<Place>{});
  copy->named_ = named_;
  copy->nodes_ = nodes_;
  for (Node& node : copy->nodes_) node.value = Tensor();
  return copy;
}

std::unique_ptr<Tape> Tape::of_input(Index input) const {
  auto part = std::make_unique<Tape>(keep_);
  part->kept_ = kept_;
  part->named_ = named_;
  part->nodes_ = nodes_;
  for (Node& node : part->nodes_) {
    if (node.op) node.op = node.op->for_input(input);
    if (node.shape.front() == 1) continue;  // the same for all inputs
    node.shape = node.shape.without_front().with_front(1);
    if (!node.value.empty()) node.value = node.value.rows(input, 1);
  }
  return part;
}

std::size_t Tape::kept_bytes() const {
  std::size_t bytes = 0;
  for (const Node& node : nodes_) bytes += node.value.empty() ? 0 : node.value.bytes();
  return bytes;
}

Call Tape::call_of(const Node& node) const {
  Call call{.x = {}, .y = node.value};
  for (const int input : node.inputs) call.x.push_back(nodes_[as_size(input)].value);
  return call;
}

void Tape::require_kept(std::string_view walk, const Var& var) const {
  if (keep_ != Keep::Everything)
    throw InternalError(fmt::format("{}: expected a tape that keeps everything", walk));
  if (var.tape != this || var.id < 0 || as_size(var.id) >= nodes_.size())
    throw InternalError(fmt::format("{}: the value is from another tape", walk));
}

std::vector<bool> Tape::marked(const std::vector<Place>& wanted) const {
  std::vector<bool> mark(nodes_.size(), wanted.empty());
  for (const Place& one : wanted) mark[as_size(require(one))] = true;
  return mark;
}

Signals Tape::pull(const Var& from, Tensor seed, const Rules& rules, const std::vector<Place>& wanted,
                   const PullHooks& hooks) const {
  return pull_marked(from, std::move(seed), rules, marked(wanted), hooks);
}

Signals Tape::pull_to(const std::vector<Var>& wanted, const Var& from, Tensor seed,
                      const Rules& rules) const {
  std::vector<bool> keep(nodes_.size(), false);
  for (const Var& one : wanted) keep[as_size(one.id)] = true;
  return pull_marked(from, std::move(seed), rules, std::move(keep), {});
}

Signals Tape::pull_marked(const Var& from, Tensor seed, const Rules& rules, std::vector<bool> keep,
                          const PullHooks& hooks) const {
  require_kept("pull", from);
  stack_of(seed, nodes_[as_size(from.id)].value);
  // A node matters if it is wanted or if something wanted comes before it.
  std::vector<bool> matters(keep);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (const int input : nodes_[i].inputs) matters[i] = matters[i] || matters[as_size(input)];

  std::vector<Tensor> signal(nodes_.size());
  std::vector<std::vector<Meeting::Branch>> branches(hooks.meet ? nodes_.size() : 0);
  signal[as_size(from.id)] = std::move(seed);
  for (std::size_t i = as_size(from.id) + 1; i-- > 0;) {
    const Node& node = nodes_[i];
    if (hooks.meet && branches[i].size() > 1)
      signal[i] = hooks.meet({node.place, node.value, branches[i]});
    else if (hooks.meet && branches[i].size() == 1)
      signal[i] = std::move(branches[i][0].signal);
    if (hooks.meet) branches[i].clear();
    if (signal[i].empty()) continue;
    const bool onwards =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](int k) { return matters[as_size(k)]; });
    if (onwards) {
      const Call call = call_of(node);
      std::vector<Tensor> back = node.op->pull(call, signal[i], rules);
      for (std::size_t k = 0; k < back.size(); ++k)
        if (!matters[as_size(node.inputs[k])]) back[k] = Tensor();
      if (hooks.passed) hooks.passed({node.op->name(), node.place, call, signal[i], back});
      if (!keep[i]) signal[i] = Tensor();
      for (std::size_t k = 0; k < back.size(); ++k) {
        if (back[k].empty()) continue;
        const std::size_t input = as_size(node.inputs[k]);
        if (hooks.meet)
          branches[input].push_back({node.place.site, std::move(back[k])});
        else
          add_onto(signal[input], std::move(back[k]));
      }
    } else if (!keep[i]) {
      signal[i] = Tensor();
    }
  }
  return {this, std::move(signal)};
}

Signals Tape::push(const Var& from, Tensor seed, const Rules& rules, const std::vector<Place>& wanted,
                   const PushHooks& hooks) const {
  require_kept("push", from);
  stack_of(seed, nodes_[as_size(from.id)].value);
  const std::vector<bool> keep = marked(wanted);
  // A node matters if it is wanted or if it feeds something that matters; it may be freed after its last
  // reader.
  std::vector<bool> matters(keep);
  std::vector<std::size_t> last_reader(nodes_.size(), 0);
  for (std::size_t i = nodes_.size(); i-- > 0;)
    for (const int input : nodes_[i].inputs) {
      matters[as_size(input)] = matters[as_size(input)] || matters[i];
      last_reader[as_size(input)] = std::max(last_reader[as_size(input)], i);
    }

  std::vector<Tensor> part(nodes_.size());
  part[as_size(from.id)] = std::move(seed);
  for (std::size_t i = as_size(from.id) + 1; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (!matters[i] || node.op == nullptr) continue;
    std::vector<Tensor> in;
    bool any = false;
    for (const int input : node.inputs) {
      in.push_back(part[as_size(input)]);
      any = any || !in.back().empty();
    }
    if (any) {
      part[i] = node.op->push(call_of(node), in, hooks.rules ? hooks.rules(node.place) : rules);
      if (hooks.made) hooks.made(node.place, part[i]);
    }
    in.clear();
    for (const int input : node.inputs)
      if (last_reader[as_size(input)] == i && !keep[as_size(input)]) part[as_size(input)] = Tensor();
  }
  return {this, std::move(part)};
}

}  // namespace headwater
