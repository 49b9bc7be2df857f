// A damaged checkpoint is refused or changes nothing: for every head of every family, each tensor in turn is
// left out, given another shape, and filled with NaN; then the folder is opened and run. Either the error is
// ours and names the tensor, or the tensor is none of those the model reads and the logits keep their bits.
// The process never dies: under AddressSanitizer this also finds parts of a model that are destroyed twice or
// never.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "models/family.h"
#include "support/scratch_folder.h"
#include "support/source_folder.h"
#include "support/tiny_models.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

enum class Damage { Dropped, Misshapen, NotANumber };

std::string name_of(Damage damage) {
  return damage == Damage::Dropped ? "dropped" : damage == Damage::Misshapen ? "misshapen" : "NaN";
}

// The bytes of a NaN of this type, little endian.
std::string nan_of(const std::string& dtype) {
  if (dtype == "F64") return std::string("\0\0\0\0\0\0\xF8\x7F", 8);
  if (dtype == "F32") return std::string("\0\0\xC0\x7F", 4);
  return dtype == "BF16" ? "\xC0\x7F" : std::string("\0\x7E", 2);
}

// A safetensors file in memory: 8 bytes of length, a JSON header, the numbers.
class StoredModel {
 public:
  explicit StoredModel(const std::string& file) {
    const std::string all = read_file(file, std::size_t{1} << 24U);
    std::uint64_t length = 0;
    std::memcpy(&length, all.data(), sizeof length);
    header_ = Json::parse(all.substr(8, length));
    header_.erase("__metadata__");
    numbers_ = all.substr(8 + length);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, stored] : header_.items()) all.push_back(name);
    return all;
  }

  std::string with(const std::string& damaged, Damage damage) const {
    Json header = Json::object();
    std::string numbers;
    for (const auto& [name, stored] : header_.items()) {
      if (name == damaged && damage == Damage::Dropped) continue;
      const auto begin = stored["data_offsets"][0].get<std::size_t>(),
                 end = stored["data_offsets"][1].get<std::size_t>();
      std::string own = numbers_.substr(begin, end - begin);
      Json entry = stored;
      if (name == damaged && damage == Damage::Misshapen) entry["shape"] = other_shape(stored["shape"]);
      if (name == damaged && damage == Damage::NotANumber) {
        const std::string nan = nan_of(stored["dtype"].get<std::string>());
        for (std::size_t i = 0; i < own.size(); i += nan.size()) own.replace(i, nan.size(), nan);
      }
      entry["data_offsets"] = {numbers.size(), numbers.size() + own.size()};
      header[name] = std::move(entry);
      numbers += own;
    }
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    std::string file(8, '\0');
    std::memcpy(file.data(), &length, sizeof length);
    return file + text + numbers;
  }

 private:
  // As many numbers, other axes.
  static Json other_shape(const Json& shape) {
    Json other = shape;
    other.insert(other.begin(), 1);
    return other;
  }

  Json header_;
  std::string numbers_;
};

// One folder of every head of every family.
std::vector<fs::path> folders() {
  std::vector<fs::path> all;
  for (const char* under : {"models", "encoder_decoder_models"})
    for (const auto& entry :
         fs::directory_iterator(fs::path(HEADWATER_SOURCE_DIR) / "tests" / "golden" / under))
      if (fs::exists(entry.path() / "model.safetensors")) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  std::set<std::string> seen;
  std::erase_if(all, [&](const fs::path& folder) {
    const Config config = Config::read((folder / "config.json").string());
    const std::vector<std::string> architectures = config.texts("architectures");
    return !seen.insert(config.text("model_type") + (architectures.empty() ? "" : architectures[0])).second;
  });
  return all;
}

std::vector<double> logits_of(const std::string& folder) {
  const std::unique_ptr<Model> model = load_model(open_checkpoint(find_model(folder, {}), DType::Float32));
  Tape tape(Keep::Nothing);
  return model->run(tape, testing::random_batch(model->info(), 1, 5, 3)).value.to_doubles();
}

class DamagedModels : public ::testing::TestWithParam<fs::path> {};

TEST_P(DamagedModels, AreRefusedOrUnchanged) {
  const testing::ScratchFolder scratch;
  fs::copy(GetParam(), scratch.path(), fs::copy_options::recursive);
  const std::string folder = scratch.path().string(), file = scratch / "model.safetensors";
  const StoredModel stored(file);
  const std::vector<double> sound = logits_of(folder);
  int refused = 0;
  for (const std::string& name : stored.names())
    for (const Damage damage : {Damage::Dropped, Damage::Misshapen, Damage::NotANumber}) {
      write_file(file, stored.with(name, damage));
      try {
        EXPECT_EQ(logits_of(folder), sound) << name << " " << name_of(damage);
      } catch (const FormatError& error) {
        ++refused;
        // Without a tensor that tells where the others are, the next one that is missed is named.
        const std::string named = damage == Damage::Dropped ? ".weight: expected " : name;
        EXPECT_TRUE(std::string(error.what()).find(name) != std::string::npos ||
                    std::string(error.what()).find(named) != std::string::npos)
            << name << " " << name_of(damage) << ": " << error.what();
      }
    }
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, DamagedModels, ::testing::ValuesIn(folders()),
                         [](const auto& test) { return test.param.filename().string(); });

}  // namespace
}  // namespace headwater
