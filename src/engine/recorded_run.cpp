// Note [Edits and derivatives]. A tape holds the edited value in place of the one its op computed. A pull to
// an edited place, or a replay from it, is therefore exact, but a walk through the edit would not be and is
// refused.
#include "engine/recorded_run.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "base/nearest.h"

namespace headwater {
namespace {

std::string text_of(const PlaceName& place) {
  return fmt::format("{}{}{} of layer {}", place.stack, place.stack.empty() ? "" : " ", place.site,
                     place.layer);
}

constexpr int sites = static_cast<int>(Site::Logits) + 1;

Site site_named(const std::string& name) {
  std::vector<std::string> known;
  for (int site = 1; site < sites; ++site) {
    known.emplace_back(name_of(static_cast<Site>(site)));
    if (known.back() == name) return static_cast<Site>(site);
  }
  throw InputError(fmt::format("site: expected one of {}, found '{}'{}", fmt::join(known, ", "), name,
                               suggestion(name, known)));
}

int stack_named(const ModelInfo& info, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t s = 0; s < info.stacks.size(); ++s) {
    if (info.stacks[s].name == name) return static_cast<int>(s);
    known.push_back(info.stacks[s].name);
  }
  throw InputError(fmt::format("stack: expected {}, found '{}'", fmt::join(known, " or "), name));
}

// These are read from the last stack, whatever its number.
bool in_no_stack(Site site) {
  return site == Site::Pooled || site == Site::Logits;
}

Place place_named(const ModelInfo& info, const PlaceName& name) {
  const Site site = site_named(name.site);
  const int last = static_cast<int>(info.stacks.size()) - 1;
  const int stack = name.stack.empty() ? last : stack_named(info, name.stack);
  return {site, name.layer, in_no_stack(site) ? 0 : stack};
}

Place find_place(const RecordedRun::Impl& run, const PlaceName& name) {
  const Place place = place_named(run.model->info(), name);
  if (run.tape->recorded(place)) return place;
  throw InputError(fmt::format("place: expected one of the run's (its list of places names them), found {}",
                               text_of(name)));
}

Tensor without_batch(const Tensor& value) {
  return value.reshaped(value.shape().without_front());
}

bool is_pattern(Site site) {
  return site == Site::Scores || site == Site::Pattern || site == Site::CrossScores ||
         site == Site::CrossPattern;
}

// The number of heads in the last axis of such a value; 0: none.
int heads_side_by_side(const Stack& stack, Site site) {
  switch (site) {
    case Site::Q:
    case Site::Z:
    case Site::CrossQ:
    case Site::CrossZ:
      return stack.heads;
    case Site::K:
    case Site::V:
    case Site::CrossK:
    case Site::CrossV:
      return stack.groups;
    default:
      return 0;
  }
}

std::vector<bool> selected(const std::vector<int>& wanted, Index count, const PlaceEdit& edit,
                           const char* what) {
  std::vector<bool> mask(static_cast<std::size_t>(count), wanted.empty());
  if (count == 0 && !wanted.empty())
    throw InputError(fmt::format("edit of {}: it has no {}", text_of(edit.at), what));
  for (const int one : wanted) {
    if (one < 0 || one >= count)
      throw InputError(fmt::format("edit of {}: expected {} from 0 to {}, found {}", text_of(edit.at), what,
                                   count - 1, one));
    mask[static_cast<std::size_t>(one)] = true;
  }
  return mask;
}

// Calls f(flat index) for every element of a value [1, …] that the edit selects.
template <class F>
void for_selected(const PlaceEdit& edit, const Shape& shape, Site site, int side_by_side, const F& f) {
  if (is_pattern(site)) {
    const Index H = shape[1], T = shape[2], S = shape[3];
    const std::vector<bool> heads = selected(edit.heads, H, edit, "heads"),
                            rows = selected(edit.rows, T, edit, "rows");
    for (Index i = 0; i < H * T * S; ++i)
      if (heads[static_cast<std::size_t>(i / (T * S))] && rows[static_cast<std::size_t>(i / S % T)]) f(i);
    return;
  }
  const bool in_rows = shape.rank() == 3;
  const Index W = shape.back(), T = in_rows ? shape[1] : 0;
  const std::vector<bool> heads = selected(edit.heads, side_by_side, edit, "heads"),
                          rows = selected(edit.rows, T, edit, "rows");
  for (Index i = 0; i < shape.elements(); ++i) {
    if (in_rows && !rows[static_cast<std::size_t>(i / W)]) continue;
    if (side_by_side > 0 && !heads[static_cast<std::size_t>(i % W * side_by_side / W)]) continue;
    f(i);
  }
}

void apply(const PlaceEdit& edit, Site site, int side_by_side, Tensor& value) {
  if (!edit.values.empty() && edit.values.shape() != value.shape().without_front())
    throw InputError(fmt::format("edit of {}: expected values of {}, found {}", text_of(edit.at),
                                 value.shape().without_front().str(), edit.values.shape().str()));
  dispatch(value.dtype(), [&]<class R>(R) {
    R* const to = value.template data<R>();
    const auto factor = static_cast<R>(edit.factor);
    const Tensor values = edit.values.empty() ? edit.values : edit.values.to(value.dtype());
    const R* const from = values.empty() ? nullptr : values.template data<R>();
    // A factor of 0 also removes numbers that are not finite.
    for_selected(edit, value.shape(), site, side_by_side, [&](Index i) {
      to[i] = from != nullptr ? from[i] : factor == R{0} ? R{0} : to[i] * factor;
    });
  });
}

// Whether `to` was computed from `from`, which does not count as computed from itself.
bool depends(const Tape& tape, const Var& to, const Var& from) {
  std::vector<bool> reached(static_cast<std::size_t>(to.id) + 1, false);
  reached[static_cast<std::size_t>(to.id)] = true;
  for (int id = to.id; id > from.id; --id)
    if (reached[static_cast<std::size_t>(id)])
      for (const Var& input : tape.origin_of({.id = id}).inputs)
        reached[static_cast<std::size_t>(input.id)] = true;
  return to.id > from.id && reached[static_cast<std::size_t>(from.id)];
}

// See Note [Edits and derivatives].
void require_no_edit_between(const RecordedRun::Impl& run, Place early, Place late, const char* walk) {
  const Var first = run.tape->at(early), last = run.tape->at(late);
  for (const Place& edit : run.edited) {
    const Var at = run.tape->at(edit);
    if (depends(*run.tape, at, first) && (at.id == last.id || depends(*run.tape, last, at)))
      throw Unsupported(
          fmt::format("{}: the edit of {} lies on the path from {} to {}; start at it or after it", walk,
                      headwater::text_of(edit), headwater::text_of(early), headwater::text_of(late)));
  }
}

}  // namespace

std::shared_ptr<const RecordedRun::Impl> recorded_run(const LoadedModel& loaded, const Prepared& prepared,
                                                      std::span<const PlaceEdit> edits) {
  const ModelInfo& info = loaded.info();
  auto run = std::make_shared<RecordedRun::Impl>();
  run->model = loaded.model;
  run->units = units_of(info, prepared);
  std::vector<Edit> made;
  for (const PlaceEdit& edit : edits) {
    const Place place = place_named(info, edit.at);
    const int heads = heads_side_by_side(info.stacks[static_cast<std::size_t>(place.stack)], place.site);
    made.push_back({place, [&edit, place, heads](Tensor& value) { apply(edit, place.site, heads, value); }});
  }
  auto tape = std::make_unique<Tape>(Keep::Everything, std::move(made));
  Batch batch = prepared.batch;
  batch.positions.clear();
  loaded.model->run(*tape, batch);
  run->tape = std::move(tape);
  // Throws for places that the run does not have.
  for (const PlaceEdit& edit : edits) run->edited.push_back(find_place(*run, edit.at));
  return run;
}

RecordedRun::RecordedRun(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

const std::vector<Sequence>& RecordedRun::sequences() const {
  return impl_->units.sequences;
}

const std::vector<Unit>& RecordedRun::units() const {
  return impl_->units.all;
}

std::vector<PlaceName> RecordedRun::places() const {
  const std::vector<Stack>& stacks = impl_->model->info().stacks;
  std::map<int, PlaceName> found;  // in the order of recording
  for (int site = 1; site < sites; ++site)
    for (int stack = 0; stack < static_cast<int>(stacks.size()); ++stack)
      for (int layer = 0; layer < std::max(1, stacks[static_cast<std::size_t>(stack)].layers); ++layer) {
        const Place place{static_cast<Site>(site), layer, stack};
        if (place != canonical(place) || !impl_->tape->recorded(place)) continue;
        found[impl_->tape->spot(place).id] = {
            in_no_stack(place.site) ? "" : stacks[static_cast<std::size_t>(stack)].name,
            std::string(name_of(place.site)), layer};
      }
  std::vector<PlaceName> names;
  for (auto& [order, name] : found) names.push_back(std::move(name));
  return names;
}

bool RecordedRun::has(const PlaceName& place) const {
  return impl_->tape->recorded(place_named(impl_->model->info(), place));
}

Tensor RecordedRun::at(const PlaceName& place) const {
  return without_batch(impl_->tape->at(find_place(*impl_, place)).value);
}

Tensor RecordedRun::logits() const {
  return at({"", "logits"});
}

std::vector<Tensor> RecordedRun::gradients(std::span<const PlaceName> places, const PlaceName& from,
                                           const Tensor& seed) const {
  const Tape& tape = *impl_->tape;
  const Place start = find_place(*impl_, from);
  const Shape shape = tape.at(start).value.shape(), one = shape.without_front();
  const bool stacked = seed.rank() == shape.rank();
  if ((stacked ? seed.shape().without_front() : seed.shape()) != one)
    throw InputError(
        fmt::format("seed: expected the shape of {}, {}, with an axis of seeds before it or none, "
                    "found {}",
                    text_of(from), one.str(), seed.shape().str()));
  std::vector<Place> wanted;
  for (const PlaceName& name : places) {
    wanted.push_back(find_place(*impl_, name));
    require_no_edit_between(*impl_, wanted.back(), start, "gradient");
  }
  std::vector<Index> dims(shape.dims().begin(), shape.dims().end());
  if (stacked) dims.insert(dims.begin(), seed.dim(0));
  const Signals signals = tape.pull(
      tape.at(start), seed.to(tape.at(start).value.dtype()).reshaped(Shape(dims)), rules::gradient, wanted);
  std::vector<Tensor> found;
  for (const Place& place : wanted) {
    const Tensor value = tape.at(place).value;
    std::vector<Index> to(value.shape().dims().begin() + 1, value.shape().dims().end());
    if (stacked) to.insert(to.begin(), seed.dim(0));
    found.push_back(signals.has(place) ? signals.at(place).reshaped(Shape(to))
                                       : Tensor::zeros(Shape(to), value.dtype()));
  }
  return found;
}

Tensor RecordedRun::gradient(const PlaceName& place, const Tensor& seed, const PlaceName& from) const {
  return gradients({&place, 1}, from, seed).front();
}

Tensor RecordedRun::replay(std::span<const PlaceChange> changes, const PlaceName& to) const {
  const Tape& tape = *impl_->tape;
  if (changes.empty()) throw InputError("replay: expected a change, found none");
  const Place end = find_place(*impl_, to);
  std::vector<Changed> made;
  for (const PlaceChange& change : changes) {
    const Place place = find_place(*impl_, change.at);
    const Var at = tape.at(place);
    if (change.copies.rank() != at.value.rank() ||
        change.copies.shape().without_front() != at.value.shape().without_front())
      throw InputError(fmt::format("replay of {}: expected copies [n, …] of {}, found {}", text_of(change.at),
                                   at.value.shape().without_front().str(), change.copies.shape().str()));
    if (!depends(tape, tape.at(end), at) && tape.at(end).id != at.id)
      throw InputError(fmt::format("replay: expected a change that {} depends on, found {}", text_of(to),
                                   text_of(change.at)));
    require_no_edit_between(*impl_, place, end, "replay");
    made.push_back({.at = at, .copies = change.copies.to(at.value.dtype())});
  }
  Tape onto(Keep::Nothing);
  return tape.replay(made, tape.at(end), onto).value.value;
}

}  // namespace headwater
