#include "explain/replacement.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

namespace headwater {

namespace {

bool reads_images(const Study& study) {
  return !study.batch().pixels.empty();
}

std::optional<int> id_of(Replacement replacement, const SpecialIds& ids) {
  if (replacement == Replacement::Mask) return ids.mask;
  if (replacement == Replacement::Unknown) return ids.unknown;
  return replacement == Replacement::Pad ? ids.pad : std::nullopt;
}

std::vector<std::string_view> available(const Study& study) {
  if (reads_images(study)) return {"mean", "black", "zero"};
  std::vector<std::string_view> names;
  if (study.special_ids.mask) names.emplace_back("mask");
  if (study.special_ids.unknown) names.emplace_back("unk");
  if (study.special_ids.pad) names.emplace_back("pad");
  names.insert(names.end(), {"mean", "zero"});
  return names;
}

// The value of a run of `batch` at a place.
Tensor value_of_run(const Study& study, const Batch& batch, Place at, std::vector<Edit> edits = {}) {
  Tape tape(Keep::Sites, std::move(edits));
  study.model().run(tape, batch);
  return tape.at(at.site, at.layer).value;
}

// The embedding of one token id, [D].
std::vector<double> embedding_of(const Study& study, int id) {
  return value_of_run(study, Batch{.ids = {{id}}, .positions = {0}}, {Site::Embed, 0}).to_doubles();
}

// The embeddings [T, D] of a picture of one colour: this one, or the mean over the picture.
Tensor flat_picture(const Study& study, Replacement replacement) {
  const Tensor& pixels = study.batch().pixels;
  const Index C = pixels.dim(1), area = pixels.dim(2) * pixels.dim(3);
  Batch flat{.pixels = Tensor(pixels.shape(), pixels.dtype())};
  dispatch(pixels.dtype(), [&](auto r) {
    using R = decltype(r);
    for (Index c = 0; c < C; ++c) {
      const R* from = pixels.data<R>() + c * area;
      double colour = 0;
      if (replacement == Replacement::Black)
        colour = study.black.empty() ? 0 : study.black[static_cast<std::size_t>(c) % study.black.size()];
      else
        for (Index i = 0; i < area; ++i) colour += static_cast<double>(from[i]) / static_cast<double>(area);
      std::fill_n(flat.pixels.data<R>() + c * area, area, static_cast<R>(colour));
    }
  });
  const Tensor rows = value_of_run(study, flat, {Site::Embed, 0});
  return rows.reshaped(rows.shape().without_front());
}

// The mean of the embeddings of all tokens that are not special, [D].
std::vector<double> mean_embedding(const Study& study) {
  const Tensor rows = study.at(Site::Embed);  // [1, T, D]
  const Index T = rows.dim(1), D = rows.dim(2);
  const std::vector<bool> special = special_tokens(study);
  std::vector<double> mean(static_cast<std::size_t>(D), 0.0);
  double count = 0;
  for (Index t = 0; t < T; ++t) {
    if (special[static_cast<std::size_t>(t)]) continue;
    ++count;
    for (Index d = 0; d < D; ++d) mean[static_cast<std::size_t>(d)] += rows.at(t * D + d);
  }
  for (double& v : mean) v /= std::max(1.0, count);
  return mean;
}

Tensor repeated_row(const std::vector<double>& row, Index tokens, DType dtype) {
  std::vector<double> all;
  for (Index t = 0; t < tokens; ++t) all.insert(all.end(), row.begin(), row.end());
  return Tensor::of({tokens, static_cast<Index>(row.size())}, all, dtype);
}

}  // namespace

Replacement replacement_of(std::string_view name, const Study& study) {
  const bool image = reads_images(study);
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
  switch (replacement) {
    case Replacement::Mask:
      return "the mask token's embedding";
    case Replacement::Unknown:
      return "the unknown token's embedding";
    case Replacement::Pad:
      return "the padding token's embedding";
    case Replacement::Zero:
      return "zero";
    case Replacement::Mean:
      return "the mean (of the input's token embeddings; of the picture's colour)";
    case Replacement::Black:
      return "black";
    case Replacement::Delete:
      break;
  }
  return "nothing: the text becomes shorter";
}

std::vector<bool> special_tokens(const Study& study) {
  std::vector<bool> special(static_cast<std::size_t>(study.tokens()), false);
  const auto& tokens = study.encoding().tokens;
  for (std::size_t t = 0; t < special.size(); ++t)
    special[t] = reads_images(study) ? static_cast<int>(t) < study.info().prefix_tokens
                                     : t < tokens.size() && tokens[t].special;
  return special;
}

Tensor absent_rows(const Study& study, Replacement replacement) {
  const Shape shape = study.at(Site::Embed).shape().without_front();
  if (const std::optional<int> id = id_of(replacement, study.special_ids))
    return repeated_row(embedding_of(study, *id), shape[0], study.info().dtype);
  if (replacement == Replacement::Zero) return Tensor::zeros(shape, study.info().dtype);
  if (reads_images(study)) return flat_picture(study, replacement);
  return repeated_row(mean_embedding(study), shape[0], study.info().dtype);
}

namespace {

// `rows` [T, D] with the kept tokens' own values from `value` [1, T, D].
Tensor with_kept(const Tensor& rows, const Tensor& value, const std::vector<bool>& kept) {
  Tensor mixed = rows.clone();
  const Index D = rows.dim(1);
  dispatch(rows.dtype(), [&](auto r) {
    using R = decltype(r);
    for (std::size_t t = 0; t < kept.size(); ++t)
      if (kept[t])
        std::copy_n(value.data<R>() + static_cast<Index>(t) * D, D,
                    mixed.data<R>() + static_cast<Index>(t) * D);
  });
  return mixed;
}

}  // namespace

Tensor baseline_at(const Study& study, Place at, Replacement replacement, const std::vector<bool>& kept) {
  if (replacement == Replacement::Zero) {
    const Tensor value = study.at(at.site, at.layer);
    return with_kept(Tensor::zeros(value.shape().without_front(), value.dtype()), value, kept);
  }
  const Tensor rows = with_kept(absent_rows(study, replacement), study.at(Site::Embed), kept);
  if (at.site == Site::Embed) return rows;
  const Edit edit{Site::Embed, [&](Tensor& value) { value = rows.reshaped(value.shape()); }};
  const Tensor value = value_of_run(study, study.batch(), at, {edit});
  return value.reshaped(value.shape().without_front());
}

std::vector<bool> moved_tokens(const Tensor& baseline, const Tensor& input) {
  const auto T = static_cast<std::size_t>(input.dim(0));
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
