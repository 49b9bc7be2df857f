#include "support/golden_models.h"

#include <cstring>

#include "checkpoint/checkpoint.h"
#include "models/family.h"

namespace headwater::testing {

GoldenModel golden_model(const std::string& name, DType dtype) {
  const std::string path = golden_folder + "models/" + name;
  GoldenModel golden{load_model(open_checkpoint(find_model(path, {}), dtype)), {}};
  const Safetensors expected = Safetensors::open(path + "/expected.safetensors");
  const auto first_row = [&](const std::string& array) {
    const StoredTensor& stored = expected.tensors().at(array);
    std::vector<std::int64_t> row(static_cast<std::size_t>(stored.shape[1]));
    std::memcpy(row.data(), stored.bytes.data(), row.size() * sizeof row[0]);
    return std::vector<std::vector<int>>{std::vector<int>(row.begin(), row.end())};
  };
  if (expected.tensors().contains("input_ids")) golden.batch.ids = first_row("input_ids");
  if (expected.tensors().contains("token_type_ids")) golden.batch.type_ids = first_row("token_type_ids");
  if (expected.tensors().contains("pixel_values"))
    golden.batch.pixels = widen(expected.tensors().at("pixel_values"), dtype, path).rows(0, 1);
  return golden;
}

}  // namespace headwater::testing
