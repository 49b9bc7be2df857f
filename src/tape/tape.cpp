#include "tape/tape.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <headwater/error.h>

#include "kernels/kernels.h"

namespace headwater {
namespace {

std::size_t place(int id) {
  return static_cast<std::size_t>(id);
}

// sum += addend. A tensor that somebody else may still read is never written to.
void accumulate(Tensor& sum, Tensor addend) {
  if (sum.empty()) {
    sum = std::move(addend);
    return;
  }
  require_shape("accumulate", "signal", addend.shape(), sum.shape());
  dispatch(sum.dtype(), [&](auto r) {
    using R = decltype(r);
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

const Tensor& Signals::at(Site site, int layer) const {
  const int id = tape_->find(site, layer);
  if (id < 0 || values_[place(id)].empty())
    throw InternalError(fmt::format("signals: nothing arrived at {} of layer {}", name_of(site), layer));
  return values_[place(id)];
}

bool Signals::has(Site site, int layer) const {
  const int id = tape_->find(site, layer);
  return id >= 0 && !values_[place(id)].empty();
}

Tape::Tape(Keep keep, std::vector<Edit> edits) : keep_(keep), edits_(std::move(edits)) {}

Tape::Tape(const std::vector<Place>& kept) : keep_(Keep::Sites), kept_(std::in_place) {
  for (const Place& wanted : kept) kept_->push_back(canonical(wanted));
}

bool Tape::keeps(Place place) const {
  if (keep_ == Keep::Everything) return true;
  if (keep_ == Keep::Nothing || place.site == Site::None) return false;
  return !kept_ || std::find(kept_->begin(), kept_->end(), place) != kept_->end();
}

void Tape::apply_edits(Tensor& value, Place place) const {
  if (place.site == Site::None) return;
  for (const Edit& edit : edits_) {
    if (canonical({edit.site, edit.layer}) != place) continue;
    const Shape before = value.shape();
    value = value.clone();
    edit.apply(value);
    require_shape("edit", name_of(place.site), value.shape(), before);
  }
}

Var Tape::append(Node node, Tensor value) {
  const int id = static_cast<int>(nodes_.size());
  if (node.place.site != Site::None) named_.insert_or_assign(node.place, id);
  apply_edits(value, node.place);
  if (keeps(node.place)) node.value = value;
  if (keep_ != Keep::Everything) node.op.reset();
  nodes_.push_back(std::move(node));
  return {.tape = this, .id = id, .value = std::move(value)};
}

Var Tape::record(std::shared_ptr<const Op> op, const std::vector<Var>& inputs, Site site, int layer) {
  Node node{.op = std::move(op), .inputs = {}, .value = {}, .place = canonical({site, layer})};
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

Var Tape::leaf(Tensor value, Site site, int layer) {
  return append({.op = nullptr, .inputs = {}, .value = {}, .place = canonical({site, layer})},
                std::move(value));
}

int Tape::find(Site site, int layer) const {
  const auto found = named_.find(canonical({site, layer}));
  return found == named_.end() ? -1 : found->second;
}

bool Tape::has(Site site, int layer) const {
  const int id = find(site, layer);
  return id >= 0 && !nodes_[place(id)].value.empty();
}

Var Tape::at(Site site, int layer) const {
  const int id = find(site, layer);
  if (id < 0 || nodes_[place(id)].value.empty())
    throw InternalError(fmt::format("tape: {} of layer {} was {}", name_of(site), layer,
                                    id < 0 ? "never recorded" : "not kept"));
  return {.tape = const_cast<Tape*>(this), .id = id, .value = nodes_[place(id)].value};
}

std::size_t Tape::kept_bytes() const {
  std::size_t bytes = 0;
  for (const Node& node : nodes_) bytes += node.value.empty() ? 0 : node.value.bytes();
  return bytes;
}

Call Tape::call_of(const Node& node) const {
  Call call{.x = {}, .y = node.value};
  for (const int input : node.inputs) call.x.push_back(nodes_[place(input)].value);
  return call;
}

void Tape::require_kept(std::string_view walk, const Var& var) const {
  if (keep_ != Keep::Everything)
    throw InternalError(fmt::format("{}: expected a tape that keeps everything", walk));
  if (var.tape != this || var.id < 0 || place(var.id) >= nodes_.size())
    throw InternalError(fmt::format("{}: the value is from another tape", walk));
}

std::vector<bool> Tape::marked(const std::vector<Place>& wanted) const {
  std::vector<bool> mark(nodes_.size(), wanted.empty());
  for (const Place& w : wanted) {
    const int id = find(w.site, w.layer);
    if (id < 0)
      throw InternalError(fmt::format("tape: {} of layer {} was never recorded", name_of(w.site), w.layer));
    mark[place(id)] = true;
  }
  return mark;
}

Signals Tape::pull(const Var& from, Tensor seed, const Rules& rules, const std::vector<Place>& wanted,
                   const PullHooks& hooks) const {
  require_kept("pull", from);
  stack_of(seed, nodes_[place(from.id)].value);
  const std::vector<bool> keep = marked(wanted);
  // A node matters if it is wanted or something wanted lies before it.
  std::vector<bool> matters(keep);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (const int input : nodes_[i].inputs) matters[i] = matters[i] || matters[place(input)];

  std::vector<Tensor> signal(nodes_.size());
  std::vector<std::vector<Meeting::Branch>> branches(hooks.meet ? nodes_.size() : 0);
  signal[place(from.id)] = std::move(seed);
  for (std::size_t i = place(from.id) + 1; i-- > 0;) {
    const Node& node = nodes_[i];
    if (hooks.meet && branches[i].size() > 1)
      signal[i] = hooks.meet({node.place.site, node.place.layer, node.value, branches[i]});
    else if (hooks.meet && branches[i].size() == 1)
      signal[i] = std::move(branches[i][0].signal);
    if (hooks.meet) branches[i].clear();
    if (signal[i].empty()) continue;
    const bool onwards =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](int k) { return matters[place(k)]; });
    if (onwards) {
      const Call call = call_of(node);
      std::vector<Tensor> back = node.op->pull(call, signal[i], rules);
      for (std::size_t k = 0; k < back.size(); ++k)
        if (!matters[place(node.inputs[k])]) back[k] = Tensor();
      if (hooks.passed)
        hooks.passed({node.op->name(), node.place.site, node.place.layer, call, signal[i], back});
      if (!keep[i]) signal[i] = Tensor();
      for (std::size_t k = 0; k < back.size(); ++k) {
        if (back[k].empty()) continue;
        const std::size_t input = place(node.inputs[k]);
        if (hooks.meet)
          branches[input].push_back({node.place.site, std::move(back[k])});
        else
          accumulate(signal[input], std::move(back[k]));
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
  stack_of(seed, nodes_[place(from.id)].value);
  const std::vector<bool> keep = marked(wanted);
  // A node matters if it is wanted or feeds something that matters; it may be freed after its last reader.
  std::vector<bool> matters(keep);
  std::vector<std::size_t> last_reader(nodes_.size(), 0);
  for (std::size_t i = nodes_.size(); i-- > 0;)
    for (const int input : nodes_[i].inputs) {
      matters[place(input)] = matters[place(input)] || matters[i];
      last_reader[place(input)] = std::max(last_reader[place(input)], i);
    }

  std::vector<Tensor> part(nodes_.size());
  part[place(from.id)] = std::move(seed);
  for (std::size_t i = place(from.id) + 1; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (!matters[i] || node.op == nullptr) continue;
    std::vector<Tensor> in;
    bool any = false;
    for (const int input : node.inputs) {
      in.push_back(part[place(input)]);
      any = any || !in.back().empty();
    }
    if (any) {
      part[i] = node.op->push(call_of(node), in,
                              hooks.rules ? hooks.rules(node.place.site, node.place.layer) : rules);
      if (hooks.made) hooks.made(node.place.site, node.place.layer, part[i]);
    }
    in.clear();
    for (const int input : node.inputs)
      if (last_reader[place(input)] == i && !keep[place(input)]) part[place(input)] = Tensor();
  }
  return {this, std::move(part)};
}

Tensor Tape::replay(const Var& from, Tensor changed, const Var& to) const {
  require_kept("replay", from);
  require_kept("replay", to);
  require_shape("replay", "changed value", changed.shape(), nodes_[place(from.id)].value.shape());
  std::vector<std::size_t> last_reader(nodes_.size(), 0);
  for (std::size_t i = 0; i <= place(to.id); ++i)
    for (const int input : nodes_[i].inputs) last_reader[place(input)] = i;

  std::vector<Tensor> fresh(nodes_.size());
  fresh[place(from.id)] = std::move(changed);
  for (std::size_t i = place(from.id) + 1; i <= place(to.id); ++i) {
    const Node& node = nodes_[i];
    std::vector<Tensor> x;
    bool touched = false;
    for (const int input : node.inputs) {
      const bool is_fresh = !fresh[place(input)].empty();
      touched = touched || is_fresh;
      x.push_back(is_fresh ? fresh[place(input)] : nodes_[place(input)].value);
    }
    if (!touched) continue;
    fresh[i] = node.op->forward(x);
    apply_edits(fresh[i], node.place);
    for (const int input : node.inputs)
      if (last_reader[place(input)] == i) fresh[place(input)] = Tensor();
  }
  return fresh[place(to.id)].empty() ? nodes_[place(to.id)].value : fresh[place(to.id)];
}

}  // namespace headwater
