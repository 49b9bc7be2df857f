// Tape: the record of a forward run, and the three walkers over it, which know no op.
//
//   pull    backwards: a signal at one value becomes a signal at every earlier value
//   push    forwards:  a part at one value becomes a part at every later value
//   replay  forward again from changed values, recomputing only what depends on them
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
  Tensor value;  // empty where it was not kept and is not needed
};

// Changes a value while the model runs: zero a value vector, scale a pattern, patch a residual. `apply`
// receives a private copy.
struct Edit {
  Place at;
  std::function<void(Tensor&)> apply;
};

enum class Keep {
  Everything,  // for pull, push and replay
  Sites,       // only values with a site: to read, and to replay from
  Nothing,     // for predictions
};

// One tensor per node; empty where no signal or part arrived.
class Signals {
 public:
  Signals(const Tape* tape, std::vector<Tensor> values) : tape_(tape), values_(std::move(values)) {}
  const Tensor& at(Place place) const;  // throws InternalError if nothing arrived there
  const Tensor& at(Site site, int layer) const { return at({site, layer}); }
  bool has(Place place) const;
  const Tensor& of(const Var& var) const { return values_[as_size(var.id)]; }

 private:
  const Tape* tape_;
  std::vector<Tensor> values_;
};

// A value where the signals of several readers meet on the way back.
struct Meeting {
  struct Branch {
    Site reader;  // the site of the value that the reader computed
    Tensor signal;
  };
  Place at;
  const Tensor& value;
  std::span<const Branch> branches;
};

// An op that a pull has passed. `back` holds the signals that go on; empty where none does.
struct Passed {
  std::string_view op;
  Place at;
  const Call& call;
  const Tensor& signal;
  std::span<const Tensor> back;
};

// Options of a pull besides the rules.
struct PullHooks {
  std::function<void(const Passed&)> passed = {};   // called for every op that is pulled
  std::function<Tensor(const Meeting&)> meet = {};  // joins signals; without it they are added
};

// Options of a push besides the rules.
struct PushHooks {
  // The rules for the op that computes this value, instead of the walk's.
  std::function<Rules(Place at)> rules = {};
  // Called for every part as it is made, and may change it. The block's input comes as ResidPost of the block
  // below.
  std::function<void(Place at, Tensor& part)> made = {};
};

// The origin of a value: the op and its inputs, or outside (op is null).
struct Origin {
  const Op* op = nullptr;
  std::vector<Var> inputs;
};

// Changed copies of a value, for a replay: [n · B, …] where the tape has [B, …].
struct Changed {
  Var at;
  Tensor copies;
  bool wanted_rows_only = false;  // they hold only the rows that the replay requests there
};

struct ReplayOptions {
  // The wanted rows of the result, repeats allowed; none: all.
  Rows rows = {};
  // A source for values that the tape did not keep, such as Study::at.
  std::function<Tensor(Place)> missing = {};
};

// A replayed value, [Σ n · B, …]: the copies of the changes one after the other, in the order given.
struct Replayed {
  struct Entry {
    Var var;    // the copies of a change; a pull from the value ends here
    Rows rows;  // the rows of them that were needed
  };
  Var value;
  std::vector<Entry> entries;
};

class Tape {
 public:
  explicit Tape(Keep keep = Keep::Everything, std::vector<Edit> edits = {});
  // Keeps only these values, for reading; walks are not possible.
  explicit Tape(const std::vector<Place>& kept, std::vector<Edit> edits = {});
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  ~Tape() = default;

  // Runs the op on the inputs and records the call. Throws InternalError if the place is taken.
  Var record(std::shared_ptr<const Op> op, const std::vector<Var>& inputs, Place place = {});
  // A value from outside: nothing is pulled through it.
  Var leaf(Tensor value, Place place = {});

  Var at(Place place) const;  // throws InternalError if not recorded or not kept
  Var at(Site site, int layer) const { return at({site, layer}); }
  Var spot(Place place) const;             // also if not kept; its value may then be empty
  bool has(Place place) const;             // recorded and kept
  bool recorded(Place place) const;        // kept or not
  Origin origin_of(const Var& var) const;  // not with Keep::Nothing
  Origin op_at(Place place) const;         // the origin of the value there; throws if not recorded
  std::size_t size() const { return nodes_.size(); }
  // The graph of what was computed from what, without values: for questions about origins and, with
  // ReplayOptions::missing, for replays.
  std::unique_ptr<const Tape> without_values() const;
  // The tape that a run of this one input of a batch would have recorded, bit for bit; its values are views.
  std::unique_ptr<Tape> of_input(Index input) const;
  std::size_t kept_bytes() const;  // memory of the kept values

  // With `wanted`, only values at those places keep their signal, and the walk goes only where it can reach
  // one of them; without, every signal is kept.
  Signals pull(const Var& from, Tensor seed, const Rules& rules, const std::vector<Place>& wanted = {},
               const PullHooks& hooks = {}) const;
  // The same for values that need not be named.
  Signals pull_to(const std::vector<Var>& wanted, const Var& from, Tensor seed, const Rules& rules) const;
  Signals push(const Var& from, Tensor seed, const Rules& rules, const std::vector<Place>& wanted = {},
               const PushHooks& hooks = {}) const;
  // The value of `to` with the changes, recorded onto another tape. It runs forward again from the changed
  // values, computes only what depends on them and only the rows that the result needs, and reads the rest.
  // Copies that enter at different places join where they meet and share every product from there. A copy's
  // bits are those of an edited run, whatever runs beside it.
  Replayed replay(std::span<const Changed> changes, const Var& to, Tape& onto,
                  const ReplayOptions& options = {}) const;
  // The rows of the value at `from` from which these rows of `to` are computed, as far as ops work row by
  // row; none: all.
  Rows rows_read(const Var& to, Place from, const Rows& wanted = {}) const;

 private:
  friend class Signals;
  friend class Replay;
  struct Node {
    std::shared_ptr<const Op> op;  // null for a leaf
    std::vector<int> inputs;
    Tensor value;  // empty when not kept
    Shape shape;   // of the value
    Place place;
  };
  Var append(Node node, Tensor value);
  void apply_edits(Tensor& value, Place place) const;
  Call call_of(const Node& node) const;
  int find(Place place) const;  // −1 if absent
  int require(Place place) const;
  Var var_of(int id) const;
  std::vector<bool> marked(const std::vector<Place>& wanted) const;
  Signals pull_marked(const Var& from, Tensor seed, const Rules& rules, std::vector<bool> keep,
                      const PullHooks& hooks) const;
  void require_kept(std::string_view walk, const Var& var) const;

  bool keeps(Place place) const;

  Keep keep_;
  std::optional<std::vector<Place>> kept_;  // canonical; with Keep::Sites
  std::vector<Edit> edits_;
  std::vector<Node> nodes_;
  std::map<Place, int> named_;  // by canonical place
};

}  // namespace headwater
