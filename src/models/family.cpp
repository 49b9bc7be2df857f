#include "models/family.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/utf8.h"
#include "blocks/cache.h"

namespace headwater {
namespace {

void check_rows(const ModelInfo& info, const std::vector<std::vector<int>>& rows, std::string_view what) {
  const std::size_t tokens = rows.front().size();
  for (const auto& row : rows) {
    if (row.size() != tokens)
      throw InputError(fmt::format("batch: expected rows of {} tokens, found {}", tokens, row.size()));
    for (const int id : row)
      if (id < 0 || id >= info.vocabulary)
        throw InputError(
            fmt::format("{}: expected token ids below {}, found {}; the tokenizer does not fit the model",
                        what, info.vocabulary, id));
  }
}

// Encoder–decoders read a source and write an output; the others read what they go on with.
void check_prefix(const ModelInfo& info, const Batch& batch) {
  if (!is_encoder_decoder(info)) {
    if (!batch.prefix.empty())
      throw InputError(
          fmt::format("prefix: expected none, found one; {} is no encoder–decoder", info.architecture));
    return;
  }
  if (batch.prefix.size() != batch.ids.size() || batch.prefix.front().empty())
    throw InputError(
        fmt::format("prefix: expected one for each of {} inputs, the start token first, found {}",
                    batch.ids.size(), batch.prefix.size()));
  check_rows(info, batch.prefix, "prefix");
}

void check_cache(const ModelInfo& info, const Batch& batch) {
  if (batch.cache == nullptr) return;
  if (!info.last().causal)
    throw InputError(fmt::format("cache: expected a causal model, found {}", info.architecture));
  if (batch.cache->past() > 0 && batch.cache->ids().size() != batch.ids.size())
    throw InputError(
        fmt::format("cache: expected {} inputs, found {}", batch.cache->ids().size(), batch.ids.size()));
}

void check_tokens(const ModelInfo& info, const Batch& batch) {
  if (batch.ids.empty() || batch.ids.front().empty())
    throw InputError("input: expected at least one token, found none; give a text that is not empty");
  const std::size_t tokens = batch.ids.front().size(), past = static_cast<std::size_t>(past_of(batch));
  if (info.positions > 0 && past + tokens > static_cast<std::size_t>(info.positions))
    throw InputError(
        fmt::format("input: expected at most {} tokens, found {}; shorten the text or use --truncate",
                    info.positions, past + tokens));
  check_rows(info, batch.ids, "input");
  for (const auto& row : batch.type_ids)
    for (const int id : row)
      if (row.size() != tokens || id < 0 || id >= std::max(1, info.segments))
        throw InputError(
            fmt::format("input: expected {} segment ids below {}, found {} with {}; this model takes no pair",
                        tokens, std::max(1, info.segments), row.size(), id));
  check_prefix(info, batch);
  check_cache(info, batch);
  const std::size_t rows = written(batch).front().size();
  for (const int position : batch.positions)
    if (position < 0 || static_cast<std::size_t>(position) >= rows)
      throw InputError(fmt::format("position: expected a token position below {}, found {}", rows, position));
}

bool all_finite(const Tensor& t) {
  return dispatch(t.dtype(), [&](auto r) {
    const auto all = t.values<decltype(r)>();
    return std::all_of(all.begin(), all.end(), [](auto v) { return std::isfinite(v); });
  });
}

std::string supported_types() {
  std::vector<std::string_view> types;
  for (const Family* family : all_families())
    types.insert(types.end(), family->model_types.begin(), family->model_types.end());
  return fmt::format("{}", fmt::join(types, ", "));
}

// A tensor of a block behind the last one that is read: its name with another number was read. Empty: there
// is none.
std::string further_block(const Weights& weights, const std::vector<std::string>& unread) {
  const std::set<std::string> left(unread.begin(), unread.end());
  for (const std::string& name : unread) {
    const std::size_t digit = name.find_first_of("0123456789");
    if (digit == std::string::npos || digit == 0 || name[digit - 1] != '.') continue;
    const std::size_t end = name.find_first_not_of("0123456789", digit);
    if (end == std::string::npos || name[end] != '.') continue;
    const std::string first = name.substr(0, digit) + "0" + name.substr(end);
    if (weights.has(first) && !left.contains(first)) return name;
  }
  return {};
}

// Of a model with fewer layers than the file has the answer is another's.
void check_layers(const Checkpoint& checkpoint, const ModelInfo& info) {
  const std::string name = further_block(checkpoint.weights, info.unread);
  if (name.empty()) return;
  std::vector<std::string_view> keys;
  for (const char* key : {"num_hidden_layers", "n_layers", "n_layer", "num_layers", "num_decoder_layers"})
    if (checkpoint.config.has(key)) keys.emplace_back(key);
  std::vector<int> layers;
  for (const Stack& stack : info.stacks) layers.push_back(stack.layers);
  throw FormatError(
      fmt::format("{}: key {}: expected as many layers as the file has blocks, found {} and tensor {} "
                  "besides; correct the number, or "
                  "leave the tensors that should not be read out of the file",
                  checkpoint.config.where(),
                  keys.empty() ? "num_hidden_layers" : fmt::format("{}", fmt::join(keys, ", ")),
                  fmt::join(layers, " and "), printable(name)));
}

}  // namespace

void check_pixels(const ModelInfo& info, const Batch& batch) {
  const Index size = info.image_size;
  const Shape one{info.channels, size, size};
  if (batch.pixels.empty() || batch.pixels.rank() != 4 || batch.pixels.shape().without_front() != one ||
      batch.pixels.dim(0) < 1)
    throw InputError(
        fmt::format("image: expected pixels {}, found {}", one.str(),
                    batch.pixels.empty() ? "none; give one with --image" : batch.pixels.shape().str()));
}

void Model::check(const Batch& batch) const {
  check_tokens(info_, batch);
}

Var Model::run(Tape& tape, const Batch& batch) const {
  check(batch);
  Var logits = forward(tape, batch);
  if (batch.cache != nullptr) batch.cache->advance(written(batch));
  if (!all_finite(logits.value))
    throw FormatError("model: the logits are not finite; the weights overflow in " +
                      std::string(name_of(info_.dtype)) + ", try --dtype float64 or check the checkpoint");
  return logits;
}

const Family& family_of(const ModelInfo& info) {
  for (const Family* family : all_families())
    if (family->name == info.family) return *family;
  throw InternalError(fmt::format("family: expected a known one, found '{}'", info.family));
}

std::unique_ptr<Model> load_model(const Checkpoint& checkpoint) {
  const std::string type = checkpoint.config.text("model_type");
  for (const Family* family : all_families()) {
    if (std::find(family->model_types.begin(), family->model_types.end(), type) == family->model_types.end())
      continue;
    std::unique_ptr<Model> model = family->load(checkpoint);
    model->info_.dtype = checkpoint.weights.dtype();
    model->info_.parameters = checkpoint.weights.total_bytes() / bytes_of(checkpoint.weights.dtype());
    model->info_.largest_tensor = checkpoint.weights.largest_bytes() / bytes_of(checkpoint.weights.dtype());
    model->info_.unread = checkpoint.weights.unread();
    check_layers(checkpoint, model->info());
    return model;
  }
  throw Unsupported(fmt::format("{}: model_type '{}' is not implemented; supported are {}",
                                checkpoint.config.where(), type, supported_types()));
}

}  // namespace headwater
