// Tape: what a forward run recorded, and the three walkers over it, which know no op.
//
//   pull    backwards: a signal at one value becomes a signal at every earlier value
//   push    forwards:  a part at one value becomes a part at every later value
//   replay  forward again from one changed value, recomputing only what depends on it
//
// Node ids grow along every edge, so a loop over ids is a topological order. A tape is filled by one
// thread; afterwards the walkers are const and may run on many.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tape/op.h"
#include "tape/site.h"

namespace headwater {

class Tape;

// A recorded value. It owns its tensor, so that with Keep::Nothing memory is what the family's local
// variables hold.
struct Var {
  Tape* tape = nullptr;
  int id = -1;
  Tensor value;
};

// Changes a value while the model runs: zero a value vector, scale a pattern, patch a residual. `apply`
// receives a private copy.
struct Edit {
  Site site;
  int layer;
  std::function<void(Tensor&)> apply;
};

enum class Keep {
  Everything,  // for pull, push and replay
  Sites,       // only values that carry a site name: to read, not to walk
  Nothing,     // for predictions
};

// One tensor per node; empty where no signal or part arrived.
class Signals {
 public:
  Signals(const Tape* tape, std::vector<Tensor> values) : tape_(tape), values_(std::move(values)) {}
  const Tensor& at(Site site, int layer = 0) const;  // throws InternalError if nothing arrived there
  bool has(Site site, int layer = 0) const;
  const Tensor& of(const Var& var) const { return values_[static_cast<std::size_t>(var.id)]; }

 private:
  const Tape* tape_;
  std::vector<Tensor> values_;
};

// A value where the signals of several readers meet on the way back.
struct Meeting {
  struct Branch {
    Site reader;  // of the value the reader computed
    Tensor signal;
  };
  Site site;
  int layer;
  const Tensor& value;
  std::span<const Branch> branches;
};

// An op that a pull has passed. `back` holds what goes on: empty where nothing does.
struct Passed {
  std::string_view op;
  Site site;
  int layer;
  const Call& call;
  const Tensor& signal;
  std::span<const Tensor> back;
};

// What a pull may be told beside the rules.
struct PullHooks {
  std::function<void(const Passed&)> passed = {};   // sees every op that is pulled
  std::function<Tensor(const Meeting&)> meet = {};  // joins signals; without it they are added
};

// What a push may be told beside the rules.
struct PushHooks {
  // The rules for the op that computes this value, instead of the walk's.
  std::function<Rules(Site site, int layer)> rules = {};
  // Sees every part as it is made, and may change it: the block's input comes as ResidPost of the block
  // below.
  std::function<void(Site site, int layer, Tensor& part)> made = {};
};

class Tape {
 public:
  explicit Tape(Keep keep = Keep::Everything, std::vector<Edit> edits = {});
  // Keeps these values only: to read, not to walk.
  explicit Tape(const std::vector<Place>& kept);
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  ~Tape() = default;

  // Runs the op on the inputs and records the call.
  Var record(std::shared_ptr<const Op> op, const std::vector<Var>& inputs, Site site = Site::None,
             int layer = 0);
  // A value from outside: nothing is pulled through it.
  Var leaf(Tensor value, Site site = Site::None, int layer = 0);

  Var at(Site site, int layer = 0) const;  // throws InternalError if not recorded or not kept
  bool has(Site site, int layer = 0) const;
  std::size_t size() const { return nodes_.size(); }
  std::size_t kept_bytes() const;  // memory of the kept values

  // With `wanted`, only values at those places keep their signal, and the walk goes only where it can reach
  // one of them; without, every signal is kept.
  Signals pull(const Var& from, Tensor seed, const Rules& rules, const std::vector<Place>& wanted = {},
               const PullHooks& hooks = {}) const;
  Signals push(const Var& from, Tensor seed, const Rules& rules, const std::vector<Place>& wanted = {},
               const PushHooks& hooks = {}) const;
  // The value of `to` when `from` had been `changed`. Equals an edited rerun bit for bit.
  Tensor replay(const Var& from, Tensor changed, const Var& to) const;

 private:
  friend class Signals;
  struct Node {
    std::shared_ptr<const Op> op;  // null for a leaf
    std::vector<int> inputs;
    Tensor value;  // empty when not kept
    Place place;
  };
  Var append(Node node, Tensor value);
  void apply_edits(Tensor& value, Place place) const;
  Call call_of(const Node& node) const;
  int find(Site site, int layer) const;  // −1 if absent
  std::vector<bool> marked(const std::vector<Place>& wanted) const;
  void require_kept(std::string_view walk, const Var& var) const;

  bool keeps(Place place) const;

  Keep keep_;
  std::optional<std::vector<Place>> kept_;  // canonical; with Keep::Sites
  std::vector<Edit> edits_;
  std::vector<Node> nodes_;
  std::map<Place, int> named_;  // by canonical place; of two nodes the later one
};

}  // namespace headwater
