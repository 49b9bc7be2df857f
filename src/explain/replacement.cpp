#include "explain/replacement.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "explain/gradients.h"

namespace headwater {

namespace {

bool has_patches(const Study& study) {
  return study.sequences().front().rows > 0;
}

std::optional<int> id_of(Replacement replacement, const SpecialIds& ids) {
  if (replacement == Replacement::Mask) return ids.mask;
  if (replacement == Replacement::Unknown) return ids.unknown;
  return replacement == Replacement::Pad ? ids.pad : std::nullopt;
}

std::vector<std::string_view> available(const Study& study) {
  if (has_patches(study)) return {"mean", "black", "zero"};
  std::vector<std::string_view> names;
  if (study.special_ids.mask) names.emplace_back("mask");
  if (study.special_ids.unknown) names.emplace_back("unk");
  if (study.special_ids.pad) names.emplace_back("pad");
  names.insert(names.end(), {"mean", "zero"});
  return names;
}

// The values of a run of `batch` where the sequences enter, each [1, T, D].
std::vector<Tensor> values_of_run(const Study& study, const Batch& batch, Site at,
                                  std::vector<Edit> edits = {}) {
  Tape tape(Keep::Sites, std::move(edits));
  study.model().run(tape, batch);
  std::vector<Tensor> values;
  for (int s = 0; s <= study.written(); ++s) values.push_back(tape.at({at, 0, s}).value);
  return values;
}

// The embeddings [1, T, D] of a picture of one colour: the given one, or the mean over the picture.
Tensor flat_picture(const Study& study, Replacement replacement) {
  const Tensor& pixels = study.batch().pixels;
  const Index C = pixels.dim(1), area = pixels.dim(2) * pixels.dim(3);
  Batch flat{.pixels = Tensor(pixels.shape(), pixels.dtype())};
  dispatch(pixels.dtype(), [&]<class R>(R) {
    for (Index c = 0; c < C; ++c) {
      const R* from = pixels.data<R>() + c * area;
      double colour = 0;
      if (replacement == Replacement::Black)
        colour = study.black.empty() ? 0 : study.black[as_size(c) % study.black.size()];
      else
        for (Index i = 0; i < area; ++i) colour += static_cast<double>(from[i]) / static_cast<double>(area);
      std::fill_n(flat.pixels.data<R>() + c * area, area, static_cast<R>(colour));
    }
  });
  return values_of_run(study, flat, Site::Embed).front();
}

// The mean embedding of a sequence's units that are not special, [D].
std::vector<double> mean_embedding(const Study& study, int sequence) {
  const Tensor rows = study.at({Site::Embed, 0, sequence});  // [1, T, D]
  const Index first = study.sequences()[as_size(sequence)].first, D = rows.dim(2);
  const std::vector<bool> special = special_tokens(study);
  std::vector<double> mean(as_size(D), 0.0);
  double count = 0;
  for (Index t = 0; t < rows.dim(1); ++t) {
    if (special[as_size(first + t)]) continue;
    ++count;
    for (Index d = 0; d < D; ++d) mean[as_size(d)] += rows.at(t * D + d);
  }
  for (double& v : mean) v /= std::max(1.0, count);
  return mean;
}

// [1, T, D]
Tensor repeated_row(const std::vector<double>& row, Index tokens, DType dtype) {
  std::vector<double> all;
  for (Index t = 0; t < tokens; ++t) all.insert(all.end(), row.begin(), row.end());
  return Tensor::of({1, tokens, static_cast<Index>(row.size())}, all, dtype);
}

// The embedding of one token id in every sequence, [D] each.
std::vector<Tensor> embeddings_of(const Study& study, int id) {
  Batch one{.ids = {{id}}, .positions = {0}};
  if (study.written() > 0) one.prefix = {{id}};
  return values_of_run(study, one, Site::Embed);
}

// `rows` [T, D] with the kept units' values taken from `value` [T, D].
Tensor with_kept(const Tensor& rows, const Tensor& value, const std::vector<bool>& kept) {
  Tensor mixed = rows.clone();
  const Index D = rows.dim(1);
  dispatch(rows.dtype(), [&]<class R>(R) {
    for (std::size_t t = 0; t < kept.size(); ++t)
      if (kept[t])
        std::copy_n(value.data<R>() + static_cast<Index>(t) * D, D,
                    mixed.data<R>() + static_cast<Index>(t) * D);
  });
  return mixed;
}

}  // namespace

Replacement replacement_of(std::string_view name, const Study& study) {
  const bool image = has_patches(study);
  if (name == "auto") return !image && study.special_ids.mask ? Replacement::Mask : Replacement::Mean;
  if (name == "zero") return Replacement::Zero;
  if (name == "mean") return Replacement::Mean;
  if (name == "delete" && !image) return Replacement::Delete;
  if (name == "black" && image) return Replacement::Black;
  const Replacement wanted = name == "mask"  ? Replacement::Mask
                             : name == "unk" ? Replacement::Unknown
                                             : Replacement::Pad;
  if (image || name == "black" || !id_of(wanted, study.special_ids))
    throw InputError(fmt::format("replacement: expected one of {} for this model, found '{}'",
                                 fmt::join(available(study), ", "), name));
  return wanted;
}

std::string describe(Replacement replacement) {
  // In the order of Replacement.
  static constexpr const char* texts[] = {
      "the mask token's embedding",
      "the unknown token's embedding",
      "the padding token's embedding",
      "zero",
      "the mean (of the token embeddings of the unit's own sequence; of the picture's colour)",
      "black",
      "nothing: the text becomes shorter"};
  return texts[as_size(replacement)];
}

std::vector<bool> special_tokens(const Study& study) {
  std::vector<bool> special;
  for (const Unit& unit : study.units()) special.push_back(unit.special);
  return special;
}

Tensor absent_rows(const Study& study, Replacement replacement) {
  std::vector<Tensor> all;
  const std::optional<int> id = id_of(replacement, study.special_ids);
  std::vector<Tensor> token;
  if (id) token = embeddings_of(study, *id);
  for (int s = 0; s <= study.written(); ++s) {
    const Tensor own = study.at({Site::Embed, 0, s});
    if (id)
      all.push_back(repeated_row(token[as_size(s)].to_doubles(), own.dim(1), own.dtype()));
    else if (replacement == Replacement::Zero)
      all.push_back(Tensor::zeros(own.shape(), own.dtype()));
    else if (has_patches(study))
      all.push_back(flat_picture(study, replacement));
    else
      all.push_back(repeated_row(mean_embedding(study, s), own.dim(1), own.dtype()));
  }
  const Tensor rows = joined_units(all);
  return rows.reshaped(rows.shape().without_front());
}

Tensor baseline_at(const Study& study, Site at, Replacement replacement, const std::vector<bool>& kept) {
  if (replacement == Replacement::Zero) {
    const Tensor value = study.input(at);
    return with_kept(Tensor::zeros(value.shape(), value.dtype()), value, kept);
  }
  const Tensor rows = with_kept(absent_rows(study, replacement), study.input(Site::Embed), kept);
  if (at == Site::Embed) return rows;
  std::vector<Edit> edits = put_units(study, Site::Embed, rows.reshaped(rows.shape().with_front(1)));
  const Tensor value = joined_units(values_of_run(study, study.batch(), at, std::move(edits)));
  return value.reshaped(value.shape().without_front());
}

std::vector<bool> moved_tokens(const Tensor& baseline, const Tensor& input) {
  const auto T = as_size(input.dim(0));
  std::vector<bool> moved;
  dispatch(input.dtype(), [&](auto r) {
    const auto from = baseline.values<decltype(r)>(), to = input.values<decltype(r)>();
    const std::size_t D = to.size() / T;
    for (std::size_t t = 0; t < T; ++t)
      moved.push_back(!std::equal(from.begin() + t * D, from.begin() + (t + 1) * D, to.begin() + t * D));
  });
  if (std::find(moved.begin(), moved.end(), false) == moved.end()) moved.clear();
  return moved;
}

}  // namespace headwater
