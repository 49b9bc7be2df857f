// A head without attention writes A_h V_h W_oʰ = 0 into the stream. Zeroing the columns of W_o that read it
// has the same effect whatever A_h is, so a pruned checkpoint keeps every shape and needs no special reader.
#include "heads/pruning.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <headwater/error.h>

#include "checkpoint/safetensors.h"
#include "heads/checks.h"
#include "heads/memory.h"
#include "models/family.h"

namespace headwater {

namespace {

namespace fs = std::filesystem;

// Heads in the order they are removed, as indices l · H + h; equal ones by index.
std::vector<std::size_t> removal_order(std::span<const double> scores, bool most_first) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return most_first ? scores[a] > scores[b] : scores[a] < scores[b];
  });
  return order;
}

// Small against rounding in rate · n: 0.3 · 10 is 3 heads.
std::size_t count_of(double rate, std::size_t n) {
  return std::min(n, as_size(rate * static_cast<double>(n) + 1e-9));
}

HeadMask mask_without(std::span<const std::size_t> removed, int layers, int heads) {
  const auto H = as_size(heads);
  HeadMask mask(as_size(layers), std::vector<bool>(H, true));
  for (const std::size_t head : removed) mask[head / H][head % H] = false;
  return mask;
}

}  // namespace

std::vector<HeadMask> random_masks(const ModelInfo& info, const PruningOptions& options, int which) {
  const auto n = as_size(info.last().layers) * as_size(info.last().heads);
  std::mt19937_64 random(options.seed + static_cast<unsigned>(which));
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  std::vector<HeadMask> masks;
  for (const double rate : options.rates)
    masks.push_back(
        mask_without(std::span(order).first(count_of(rate, n)), info.last().layers, info.last().heads));
  return masks;
}

namespace {

// Mean, lowest and highest over the orders.
PruningCurve random_curve(const PruningOptions& options, const std::vector<std::vector<double>>& orders) {
  PruningCurve curve{.ranking = "random", .scope = "global", .order = "random", .rates = options.rates};
  for (std::size_t r = 0; r < options.rates.size(); ++r) {
    double sum = 0, lowest = 1, highest = 0;
    for (const std::vector<double>& order : orders) {
      sum += order[r];
      lowest = std::min(lowest, order[r]);
      highest = std::max(highest, order[r]);
    }
    curve.accuracy.push_back(sum / static_cast<double>(orders.size()));
    curve.lowest.push_back(lowest);
    curve.highest.push_back(highest);
  }
  return curve;
}

HeadMask no_heads(const ModelInfo& info) {
  const std::vector<bool> none(as_size(info.last().heads), false);
  return {as_size(info.last().layers), none};
}

void check_options(const PruningOptions& options) {
  if (options.rates.empty()) throw InputError("rates: expected at least one, found none");
  for (const double rate : options.rates)
    if (!(rate >= 0 && rate <= 1))
      throw InputError(fmt::format("rates: expected shares from 0 to 1, found {}", rate));
  if (options.random_orders < 1) throw InputError("random orders: expected at least 1");
}

// The layer whose output projection this tensor is. Files have the base model's name before it, or not.
std::optional<int> layer_projected_by(const std::string& tensor, const ModelInfo& info) {
  const std::string_view name = family_of(info).attention_output.name;
  for (int l = 0; l < info.last().layers; ++l) {
    const std::string stored = fmt::format(fmt::runtime(name), l) + ".weight";
    if (tensor == stored || tensor.ends_with("." + stored)) return l;
  }
  return {};
}

void zero_heads(std::fstream& file, std::size_t offset, const StoredTensor& tensor, bool transposed,
                const std::vector<bool>& stays, const std::string& where) {
  const auto rows = as_size(tensor.shape[0]), cols = as_size(tensor.shape[1]);
  const std::size_t inputs = transposed ? rows : cols, H = stays.size();
  if (inputs % H != 0)
    throw FormatError(
        fmt::format("{}: expected {} columns of every head, found {} inputs", where, H, inputs));
  const std::size_t E = inputs / H, size = bytes_of(tensor.type);
  const std::string zeros(std::max(cols, E) * size, '\0');
  const auto put = [&](std::size_t element, std::size_t count) {
    file.seekp(static_cast<std::streamoff>(offset + element * size));
    file.write(zeros.data(), static_cast<std::streamsize>(count * size));
  };
  for (std::size_t h = 0; h < H; ++h) {
    if (stays[h]) continue;
    if (transposed)
      for (std::size_t e = h * E; e < (h + 1) * E; ++e) put(e * cols, cols);
    else
      for (std::size_t r = 0; r < rows; ++r) put(r * cols + h * E, E);
  }
}

// Patches the copy of one weight file; returns the layers it held.
std::vector<int> patch_file(const std::string& original, const fs::path& copy, const ModelInfo& info,
                            const HeadMask& mask) {
  const Safetensors stored = Safetensors::open(original);
  const auto total = as_size(fs::file_size(original));
  // Data stand at the end of the file, so an offset is known from the last byte any tensor has.
  const std::byte* end = nullptr;
  for (const auto& [name, tensor] : stored.tensors())
    end = std::max(end, tensor.bytes.data() + tensor.bytes.size());
  std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
  std::vector<int> layers;
  for (const auto& [name, tensor] : stored.tensors()) {
    const std::optional<int> layer = layer_projected_by(name, info);
    if (!layer || tensor.shape.rank() != 2) continue;
    layers.push_back(*layer);
    const std::size_t offset = total - as_size(end - tensor.bytes.data());
    zero_heads(file, offset, tensor, family_of(info).attention_output.order == StoredProjection::Order::InOut,
               mask[as_size(*layer)], fmt::format("{}: {}", original, name));
  }
  file.close();
  if (!file) throw InputError(fmt::format("{}: could not be written; is the disk full?", copy.string()));
  return layers;
}

}  // namespace

HeadMask pruned_mask(const HeadImportance& importance, double rate, bool per_layer, bool most_first) {
  const auto H = as_size(importance.heads), all = importance.scores.size();
  const std::size_t among = per_layer ? H : all;
  std::vector<std::size_t> removed;
  for (std::size_t begin = 0; begin < all; begin += among) {
    const auto order = removal_order(std::span(importance.scores).subspan(begin, among), most_first);
    for (std::size_t k = 0; k < count_of(rate, among); ++k) removed.push_back(begin + order[k]);
  }
  return mask_without(removed, importance.layers, importance.heads);
}

PruningReport pruning_curves(const LoadedModel& loaded, std::span<const Labelled> inputs,
                             std::span<const HeadImportance> rankings, const PruningOptions& options,
                             const Advance& advance, std::size_t max_memory) {
  check_options(options);
  PruningReport report{.inputs = static_cast<int>(inputs.size())};
  std::vector<HeadMask> masks{all_heads(loaded.info()), no_heads(loaded.info())};  // for the checks
  for (const HeadImportance& ranking : rankings)
    for (const bool per_layer : {false, true})
      for (const bool most_first : {false, true}) {
        if (per_layer && !options.by_layer) continue;
        report.curves.push_back({.ranking = ranking.ranking,
                                 .scope = per_layer ? "layer" : "global",
                                 .order = most_first ? "most" : "least",
                                 .rates = options.rates});
        for (const double rate : options.rates)
          masks.push_back(pruned_mask(ranking, rate, per_layer, most_first));
      }
  for (int k = 0; k < options.random_orders; ++k) {
    const std::vector<HeadMask> some = random_masks(loaded.info(), options, k);
    masks.insert(masks.end(), some.begin(), some.end());
  }
  const std::size_t batch_tokens =
      batch_memory(loaded.info(), inputs, bound_beside(inputs, max_memory)).batch_tokens;
  // All at once, because curves share many masks and more beginnings of masks.
  const std::vector<std::vector<int>> predicted = classify(loaded, inputs, masks, advance, batch_tokens);
  std::size_t at = 2;
  const auto next = [&] {
    std::vector<double> right;
    for (std::size_t r = 0; r < options.rates.size(); ++r) right.push_back(accuracy(inputs, predicted[at++]));
    return right;
  };
  for (PruningCurve& curve : report.curves) curve.accuracy = next();
  std::vector<std::vector<double>> orders;
  for (int k = 0; k < options.random_orders; ++k) orders.push_back(next());
  report.curves.push_back(random_curve(options, orders));
  // The same by runs that share nothing with others.
  const std::size_t middle = 2 + options.rates.size() / 2;
  report.checks = {check_same_classes("no head removed: the plain model's answers", predicted[0],
                                      classify(loaded, inputs, masks[0], batch_tokens)),
                   check_same_classes("all heads removed: the answers with z = 0", predicted[1],
                                      classify_without_outputs(loaded, inputs, batch_tokens)),
                   check_same_classes("some heads removed: a run of its own agrees", predicted[middle],
                                      classify(loaded, inputs, masks[middle], batch_tokens))};
  return report;
}

LabelledPlan plan_pruning(const LoadedModel& loaded, std::span<const Labelled> inputs, std::size_t rankings,
                          const PruningOptions& options, std::size_t max_memory) {
  check_options(options);
  LabelledPlan plan = plan_for(loaded.info(), inputs);
  plan.masks =
      2 + options.rates.size() * ((options.by_layer ? 4 : 2) * rankings + as_size(options.random_orders));
  const MemoryBound bound = bound_beside(inputs, max_memory);
  plan.bytes = bound.taken + batch_memory(loaded.info(), inputs, bound).total;
  return plan;
}

void save_pruned(const std::string& model_folder, const std::vector<std::string>& weight_files,
                 const ModelInfo& info, const HeadMask& mask, const std::string& folder) {
  if (fs::exists(folder))
    throw InputError(fmt::format("{}: expected a new folder, found one that exists", folder));
  const fs::path part = folder + ".part";
  std::error_code failed;
  fs::remove_all(part, failed);
  try {
    fs::create_directories(part);
    for (const auto& entry : fs::directory_iterator(model_folder))
      if (entry.is_regular_file()) fs::copy_file(entry.path(), part / entry.path().filename());
    std::vector<bool> seen(as_size(info.last().layers), false);
    for (const std::string& file : weight_files)
      for (const int layer : patch_file(file, part / fs::path(file).filename(), info, mask))
        seen[as_size(layer)] = true;
    if (std::find(seen.begin(), seen.end(), false) != seen.end())
      throw Unsupported(fmt::format("{}: no output projection was found for every layer of {}", model_folder,
                                    info.architecture));
    fs::rename(part, folder);
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(part, failed);
    throw InputError(fmt::format("{}: could not be written: {}", folder, error.code().message()));
  } catch (...) {
    fs::remove_all(part, failed);
    throw;
  }
}

}  // namespace headwater
