// A head without attention writes A_h V_h W_oʰ = 0 into the stream. Zeroing the columns of W_o that read it
// has the same effect whatever A_h is, so a pruned checkpoint keeps every shape and needs no special reader.
#include "heads/pruning.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <regex>

#include <fmt/format.h>
#include <headwater/error.h>

#include "checkpoint/safetensors.h"

namespace headwater {

namespace {

namespace fs = std::filesystem;

// Heads in the order they are removed, as indices l · H + h; equal ones by index.
std::vector<std::size_t> removal_order(const std::vector<double>& scores, bool most_first) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return most_first ? scores[a] > scores[b] : scores[a] < scores[b];
  });
  return order;
}

// Small against rounding in rate · n: 0.3 · 10 is 3 heads.
std::size_t count_of(double rate, std::size_t n) {
  return std::min(n, static_cast<std::size_t>(rate * static_cast<double>(n) + 1e-9));
}

HeadMask mask_without(std::span<const std::size_t> removed, int layers, int heads) {
  const auto H = static_cast<std::size_t>(heads);
  HeadMask mask(static_cast<std::size_t>(layers), std::vector<bool>(H, true));
  for (const std::size_t head : removed) mask[head / H][head % H] = false;
  return mask;
}

PruningCurve random_curve(const Reader& reader, std::span<const Labelled> inputs,
                          const PruningOptions& options, const Advance& advance) {
  const ModelInfo& info = reader.info();
  const auto n = static_cast<std::size_t>(info.layers * info.heads);
  PruningCurve curve{.ranking = "random", .scope = "global", .order = "random", .rates = options.rates};
  curve.accuracy.assign(options.rates.size(), 0.0);
  curve.lowest.assign(options.rates.size(), 1.0);
  curve.highest.assign(options.rates.size(), 0.0);
  for (int k = 0; k < options.random_orders; ++k) {
    std::mt19937_64 random(options.seed + static_cast<unsigned>(k));
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (std::size_t r = 0; r < options.rates.size(); ++r) {
      advance((k + static_cast<double>(r) / static_cast<double>(options.rates.size())) /
              options.random_orders);
      const auto removed = std::span(order).first(count_of(options.rates[r], n));
      const double right =
          accuracy(inputs, classify(reader, inputs, mask_without(removed, info.layers, info.heads)));
      curve.accuracy[r] += right / options.random_orders;
      curve.lowest[r] = std::min(curve.lowest[r], right);
      curve.highest[r] = std::max(curve.highest[r], right);
    }
  }
  return curve;
}

// The output projection of a layer: its number, and whether the file stores it [in, out].
struct Projection {
  int layer;
  bool transposed;
};

std::optional<Projection> output_projection(const std::string& tensor) {
  static const std::regex names(
      R"((?:.*\.)?(?:layer|layers|h)\.(\d+)\.(attention\.output\.dense|attention\.out_lin|attn\.c_proj|self_attn\.o_proj)\.weight)");
  std::smatch match;
  if (!std::regex_match(tensor, match, names)) return {};
  return Projection{std::stoi(match[1]), match[2] == "attn.c_proj"};
}

void zero_heads(std::fstream& file, std::size_t offset, const StoredTensor& tensor, bool transposed,
                const std::vector<bool>& stays, const std::string& where) {
  const auto rows = static_cast<std::size_t>(tensor.shape[0]),
             cols = static_cast<std::size_t>(tensor.shape[1]);
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
std::vector<int> patch_file(const std::string& original, const fs::path& copy, const HeadMask& mask) {
  const Safetensors stored = Safetensors::open(original);
  const auto total = static_cast<std::size_t>(fs::file_size(original));
  // Data stand at the end of the file, so an offset is known from the last byte any tensor has.
  const std::byte* end = nullptr;
  for (const auto& [name, tensor] : stored.tensors())
    end = std::max(end, tensor.bytes.data() + tensor.bytes.size());
  std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
  std::vector<int> layers;
  for (const auto& [name, tensor] : stored.tensors()) {
    const auto projection = output_projection(name);
    if (!projection || projection->layer >= static_cast<int>(mask.size()) || tensor.shape.rank() != 2)
      continue;
    layers.push_back(projection->layer);
    const std::size_t offset = total - static_cast<std::size_t>(end - tensor.bytes.data());
    zero_heads(file, offset, tensor, projection->transposed,
               mask[static_cast<std::size_t>(projection->layer)], original + ": " + name);
  }
  file.close();
  if (!file) throw InputError(fmt::format("{}: could not be written; is the disk full?", copy.string()));
  return layers;
}

}  // namespace

HeadMask pruned_mask(const HeadImportance& importance, double rate, bool per_layer, bool most_first) {
  const auto H = static_cast<std::size_t>(importance.heads), L = static_cast<std::size_t>(importance.layers);
  std::vector<std::size_t> removed;
  if (!per_layer) {
    const auto order = removal_order(importance.scores, most_first);
    removed.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count_of(rate, L * H)));
  }
  for (std::size_t l = 0; per_layer && l < L; ++l) {
    const auto begin = importance.scores.begin() + static_cast<std::ptrdiff_t>(l * H);
    const auto order = removal_order({begin, begin + static_cast<std::ptrdiff_t>(H)}, most_first);
    for (std::size_t k = 0; k < count_of(rate, H); ++k) removed.push_back(l * H + order[k]);
  }
  return mask_without(removed, importance.layers, importance.heads);
}

std::vector<PruningCurve> pruning_curves(const Reader& reader, std::span<const Labelled> inputs,
                                         std::span<const HeadImportance> rankings,
                                         const PruningOptions& options, const Advance& advance) {
  for (const double rate : options.rates)
    if (!(rate >= 0 && rate <= 1))
      throw InputError(fmt::format("rates: expected shares from 0 to 1, found {}", rate));
  if (options.random_orders < 1) throw InputError("random orders: expected at least 1");
  std::vector<PruningCurve> curves;
  const double parts = 4 * static_cast<double>(rankings.size()) + options.random_orders;
  for (const HeadImportance& ranking : rankings)
    for (const bool per_layer : {false, true})
      for (const bool most_first : {false, true}) {
        PruningCurve curve{.ranking = ranking.ranking,
                           .scope = per_layer ? "layer" : "global",
                           .order = most_first ? "most" : "least",
                           .rates = options.rates};
        for (const double rate : options.rates) {
          advance(static_cast<double>(curves.size()) / parts);
          curve.accuracy.push_back(
              accuracy(inputs, classify(reader, inputs, pruned_mask(ranking, rate, per_layer, most_first))));
        }
        curves.push_back(std::move(curve));
      }
  const double before = static_cast<double>(curves.size()) / parts;
  curves.push_back(random_curve(
      reader, inputs, options, [&](double done) { advance(before + done * options.random_orders / parts); }));
  return curves;
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
    std::vector<bool> seen(static_cast<std::size_t>(info.layers), false);
    for (const std::string& file : weight_files)
      for (const int layer : patch_file(file, part / fs::path(file).filename(), mask))
        seen[static_cast<std::size_t>(layer)] = true;
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
