// A replay goes over the nodes in order. A node that depends on changes holds the copies of these changes, in
// their order. Inputs that depend on fewer changes are filled up with the recorded value, and a change at the
// node itself adds its copies to those computed from its inputs. Copies from several places therefore share
// one product from where they meet.
//
// Rows: going backwards from the result, each node collects the rows that its readers need (op.h, Note
// [Rows]). Going forward, only these rows are computed.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <headwater/error.h>

#include "tape/copies.h"
#include "tape/tape.h"

namespace headwater {
class Replay {
 public:
  // Some members of a batch on the new tape.
  struct Piece {
    Var var;
    Index begin, count;
  };

  static Var assembled(std::vector<Piece> pieces, Place place) {
    std::vector<Piece> merged;
    for (Piece& piece : pieces) {
      if (!merged.empty() && merged.back().var.id == piece.var.id &&
          merged.back().begin + merged.back().count == piece.begin)
        merged.back().count += piece.count;
      else
        merged.push_back(std::move(piece));
    }
    std::vector<Var> batches;
    for (const Piece& piece : merged)
      batches.push_back(piece.count == piece.var.value.dim(0) ? piece.var
                                                              : members(piece.var, piece.begin, piece.count));
    return batches.size() == 1 && place.site == Site::None ? batches.front() : join(batches, place);
  }

  // The rows of a node that its readers need.
  struct Asked {
    bool any = false;
    Rows rows;

    void add(const Rows& more) {
      if (!any) rows = more;
      if (any && rows != more) rows = rows && more ? both(*rows, *more) : Rows{};
      any = true;
    }

   private:
    static std::vector<int> both(std::vector<int> a, const std::vector<int>& b) {
      a.insert(a.end(), b.begin(), b.end());
      std::sort(a.begin(), a.end());
      a.erase(std::unique(a.begin(), a.end()), a.end());
      return a;
    }
  };

  Replay(const Tape& from, std::span<const Changed> changes, const Var& to, const ReplayOptions& options)
      : from_(from), changes_(changes), to_(to.id), options_(options), nodes_(from.nodes_.size()) {}

  static std::vector<Asked> asked(const Tape& tape, int to, const Rows& rows) {
    std::vector<Asked> asked(tape.nodes_.size());
    asked[as_size(to)].add(rows);
    for (std::size_t i = as_size(to) + 1; i-- > 0;) {
      const Tape::Node& node = tape.nodes_[i];
      if (!asked[i].any || node.op == nullptr) continue;
      if (node.op->for_rows(asked[i].rows) == nullptr) asked[i].rows.reset();
      for (std::size_t k = 0; k < node.inputs.size(); ++k)
        asked[as_size(node.inputs[k])].add(node.op->rows_needed(k, asked[i].rows));
    }
    return asked;
  }

  Replayed run(Tape& onto) {
    onto_ = &onto;
    find_changes();
    rows_ = asked(from_, to_, options_.rows);
    std::vector<int> last_reader(nodes_.size(), -1);
    for (int i = 0; i <= to_; ++i)
      for (const int input : from_.nodes_[as_size(i)].inputs) last_reader[as_size(input)] = i;
    for (int i = 0; i <= to_; ++i) {
      if (!rows_[as_size(i)].any) continue;
      step(i);
      for (const int input : from_.nodes_[as_size(i)].inputs)
        if (last_reader[as_size(input)] == i) nodes_[as_size(input)].var.value = Tensor();
    }
    std::vector<int> all;
    for (std::size_t c = 0; c < changes_.size(); ++c) all.push_back(static_cast<int>(c));
    Replayed replayed{.value = filled_up(to_, all, rows_[as_size(to_)].rows), .entries = entries_};
    if (options_.rows && !rows_[as_size(to_)].rows)
      replayed.value = take_rows(replayed.value, *options_.rows);
    return replayed;
  }

 private:
  // A node on the new tape: copies of the changes it depends on, in their order.
  struct Copies {
    Var var;
    std::vector<int> of;
    Rows rows;  // the rows that were computed
  };

  void find_changes() {
    if (changes_.empty()) throw InternalError("replay: expected at least one change, found none");
    for (std::size_t c = 0; c < changes_.size(); ++c) {
      const Changed& change = changes_[c];
      if (change.at.tape != &from_ || change.at.id < 0)
        throw InternalError("replay: the changed value is from another tape");
      const Shape& shape = from_.nodes_[as_size(change.at.id)].shape;
      const bool fits =
          change.copies.rank() == shape.rank() && change.copies.dim(0) % shape.front() == 0 &&
          (change.wanted_rows_only || change.copies.shape().without_front() == shape.without_front());
      if (!fits)
        throw InternalError(fmt::format("replay: expected copies of a value {}, found {}", shape.str(),
                                        change.copies.shape().str()));
      times_.push_back(change.copies.dim(0) / shape.front());
      entering_[change.at.id].push_back(static_cast<int>(c));
    }
    entries_.resize(changes_.size());
  }

  const Tensor recorded(int id) const {
    const Tape::Node& node = from_.nodes_[as_size(id)];
    if (!node.value.empty()) return node.value;
    if (!options_.missing || node.place.site == Site::None)
      throw InternalError(fmt::format("replay: needs {}, which was not kept", text_of(node.place)));
    return options_.missing(node.place);
  }

  // Node `id` with copies of all these changes, for these rows.
  Var filled_up(int id, const std::vector<int>& changes, const Rows& rows) {
    const Copies& own = nodes_[as_size(id)];
    const Index members_each = from_.nodes_[as_size(id)].shape.front();
    Var var = own.var;
    if (!own.of.empty() && own.rows != rows) {
      if (!rows) throw InternalError("replay: expected a value for all rows, found some of them");
      var = take_rows(var, among(*rows, own.rows));
    }
    std::vector<Piece> pieces;
    Index offset = 0, missing = 0;
    const auto fill = [&] {
      if (missing == 0) return;
      const Tensor value = rows ? picked_rows(recorded(id), *rows) : recorded(id);
      const Var leaf = onto_->leaf(repeated(value, missing));
      pieces.push_back({leaf, 0, leaf.value.dim(0)});
      missing = 0;
    };
    for (const int change : changes) {
      const Index count = times_[as_size(change)];
      if (!std::binary_search(own.of.begin(), own.of.end(), change)) {
        missing += count;
        continue;
      }
      fill();
      pieces.push_back({var, offset, count * members_each});
      offset += count * members_each;
    }
    fill();
    return assembled(std::move(pieces), {});
  }

  // The positions of these rows among the computed ones, which include them all.
  static std::vector<int> among(const std::vector<int>& rows, const Rows& computed) {
    if (!computed) return rows;
    std::vector<int> found;
    for (const int row : rows)
      found.push_back(
          static_cast<int>(std::find(computed->begin(), computed->end(), row) - computed->begin()));
    return found;
  }

  Tensor entering_copies(const Changed& change, const Rows& rows) const {
    if (change.wanted_rows_only) {
      const auto wanted = rows ? static_cast<Index>(rows->size()) : Index{-1};
      if (change.copies.dim(row_axis(change.copies)) != wanted)
        throw InternalError("replay: expected copies of all rows, because what follows needs them all");
      return change.copies;
    }
    return rows ? picked_rows(change.copies, *rows) : change.copies;
  }

  void step(int id) {
    const Tape::Node& node = from_.nodes_[as_size(id)];
    const Rows& rows = rows_[as_size(id)].rows;
    std::set<int> below;
    for (const int input : node.inputs)
      below.insert(nodes_[as_size(input)].of.begin(), nodes_[as_size(input)].of.end());
    const auto entering = entering_.find(id);
    if (below.empty() && entering == entering_.end()) return;
    const std::vector<int> computed(below.begin(), below.end());
    Copies made{.var = {}, .of = computed, .rows = rows};
    const bool alone = entering == entering_.end();
    if (!computed.empty()) {
      std::vector<Var> inputs;
      for (std::size_t k = 0; k < node.inputs.size(); ++k)
        inputs.push_back(filled_up(node.inputs[k], computed, node.op->rows_needed(k, rows)));
      made.var = onto_->record(node.op->for_rows(rows), inputs, alone ? node.place : Place{});
    }
    if (!alone) join_entering(entering->second, computed, node, made);
    nodes_[as_size(id)] = std::move(made);
  }

  void join_entering(const std::vector<int>& entering, const std::vector<int>& computed,
                     const Tape::Node& node, Copies& made) {
    const bool first = computed.empty() && entering.size() == 1;
    std::vector<int> all(computed);
    all.insert(all.end(), entering.begin(), entering.end());
    std::sort(all.begin(), all.end());
    std::vector<Piece> pieces;
    Index offset = 0;
    for (const int c : all) {
      if (std::binary_search(computed.begin(), computed.end(), c)) {
        const Index count = times_[as_size(c)] * node.shape.front();
        pieces.push_back({made.var, offset, count});
        offset += count;
        continue;
      }
      const Var leaf =
          onto_->leaf(entering_copies(changes_[as_size(c)], made.rows), first ? node.place : Place{});
      entries_[as_size(c)] = {leaf, made.rows};
      pieces.push_back({leaf, 0, leaf.value.dim(0)});
    }
    made.of = std::move(all);
    made.var = assembled(std::move(pieces), first ? Place{} : node.place);
  }

  const Tape& from_;
  std::span<const Changed> changes_;
  int to_;
  const ReplayOptions& options_;
  Tape* onto_ = nullptr;
  std::vector<Copies> nodes_;
  std::vector<Asked> rows_;
  std::vector<Index> times_;                  // copies of each change
  std::map<int, std::vector<int>> entering_;  // changes by node
  std::vector<Replayed::Entry> entries_;
};

Replayed Tape::replay(std::span<const Changed> changes, const Var& to, Tape& onto,
                      const ReplayOptions& options) const {
  if (keep_ == Keep::Nothing)
    throw InternalError("replay: expected a tape that keeps what was computed, found one that keeps nothing");
  for (const Edit& edit : edits_)
    for (const Changed& change : changes)
      if (recorded(edit.at) && find(edit.at) > change.at.id)
        throw InternalError("replay: expected a run without edits behind the changes");
  return Replay(*this, changes, to, options).run(onto);
}

Rows Tape::rows_read(const Var& to, Place from, const Rows& wanted) const {
  return Replay::asked(*this, to.id, wanted)[as_size(require(from))].rows;
}

}  // namespace headwater
